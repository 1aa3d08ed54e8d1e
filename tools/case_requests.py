#!/usr/bin/env python3
"""Turns case files into requests for `satura batch`.

Usage: case_requests.py [--nodes N] FILE.jsonl…

A case is an object with "expr" or "sql", or with two queries "q1" and "q2". Columns of an expression are "columns", "cols" with
"nullable" by name, or "col_type" of the one column x; the schema of a query is "schema" or "ddl", where "@name" is a file in the
case file's folder. Cases that know an equal form are asked whether it is equal. As wild DDL may not be read, a query with one is
asked without it too.
"""

import argparse
import json
import pathlib
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def columns_of(case: Json) -> str:
    nullable = case.get("nullable", True)
    if "cols" in case:
        ends = {name: "" if nullable.get(name, True) else " not null" for name in case["cols"]}
        return ", ".join(f"{name} {kind}{ends[name]}" for name, kind in case["cols"].items())
    if "col_type" in case:
        return f"x {case['col_type']}{'' if nullable else ' not null'}"
    return case.get("columns", "")


def expression_requests(case: Json) -> Iterator[Json]:
    request = {"columns": columns_of(case), "expr": case["expr"], "context": case.get("context", "value")}
    if semantics := case.get("sem"):
        request["semantics"] = semantics
    yield request | {"proof": True}
    if equal := case.get("expected"):
        yield request | {"equal_to": equal}
    yield request | {"dialect": "duckdb"}


def query_requests(case: Json, folder: pathlib.Path) -> Iterator[Json]:
    schema = case.get("schema", case.get("ddl", ""))
    if schema.startswith("@"):
        schema = (folder / schema[1:]).read_text(encoding="utf-8", errors="replace")
    sql = case.get("sql", case.get("q1"))
    equal = case.get("q2", case.get("expected_sql"))
    request = {"schema": schema, "sql": sql}
    yield request | ({"equal_to": equal} if equal else {})
    if schema:
        yield {"sql": sql}


def requests(path: pathlib.Path) -> Iterator[Json]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            case = json.loads(line)
            made = expression_requests(case) if "expr" in case else query_requests(case, path.parent)
            for i, request in enumerate(made):
                yield {"id": f"{path.name}:{number}:{i}"} | request


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=20_000, help="limit of each request")
    options = parser.parse_args()
    # The clock must not decide where a run stops.
    limits = {"nodes": options.nodes, "time": 3_600_000}
    for path in options.files:
        for request in requests(path):
            print(json.dumps(request | {"limits": limits}, ensure_ascii=False))


if __name__ == "__main__":
    main()
