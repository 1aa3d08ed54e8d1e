// The commands of the program. Each takes its parsed options and returns the exit status.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egraph/runner.hpp"

namespace satura::app {

struct OptimizeOptions {
    std::string file = "-";  // DDL and queries
    std::string schema;      // a file of DDL; empty: none
    std::string dialect = "postgres";
    std::string format = "text";  // text, sql, json or dot
    std::vector<std::string> rules;
    bool explain = false;  // the rules that led to the result, in text and sql
    std::string proof;     // a file for the proofs, one a line; empty: none
    egraph::Limits limits;
};
int run_optimize(const OptimizeOptions& options);

struct SimplifyOptions {
    std::string columns;
    std::string expr;
    std::string context = "value";
    std::string dialect = "postgres";
    std::string format = "sql";  // sql or json
    std::vector<std::string> rules;
    std::string proof;  // a file for the proof; empty: none
    egraph::Limits limits;
};
int run_simplify(const SimplifyOptions& options);

struct EqualOptions {
    std::string file = "-";              // DDL and two queries, or two expressions
    std::optional<std::string> columns;  // of expressions
    std::string context = "value";       // of expressions
    std::string schema;                  // a file of DDL; empty: none
    std::string dialect = "postgres";
    std::vector<std::string> rules;
    egraph::Limits limits;
};
int run_equal(const EqualOptions& options);

struct BatchOptions {
    std::vector<std::string> rules;
};
int run_batch(const BatchOptions& options);

struct VerifyOptions {
    std::string file = "-";  // a proof, or one a line; answers of `batch` too
    std::vector<std::string> rules;
    bool quiet = false;   // only what is refused, and the count
    std::string explain;  // the steps as flat, tree or json; empty: not at all
};
int run_verify(const VerifyOptions& options);

struct CheckOptions {
    std::vector<std::string> files;  // none: the built-in rules
    std::string dialect;             // empty: postgres and duckdb
    std::string rule;                // only this one
    bool pairs = false;              // critical pairs in place of soundness
    bool review = false;             // what grows, and what follows from other rules
    bool prove = false;              // proofs by a solver in place of trying values
};
int run_check(const CheckOptions& options);

struct RulesOptions {
    std::vector<std::string> files;  // beside the built-in ones
    std::string pattern;             // part of a name
    bool count = false;
    bool words = false;
    bool text = false;
};
int run_rules(const RulesOptions& options);

struct FormatOptions {
    std::vector<std::string> files;
    bool check = false;  // say whether files would change, and change nothing
};
int run_format(const FormatOptions& options);

}  // namespace satura::app
