#!/bin/bash
# Whether the same requests get the same bytes, fields named time_* aside: from several builds of the program, and from each
# of them twice.
#
# Usage: determinism.sh PROGRAM… -- FILE_OR_FOLDER…    case files (case_requests.py), or folders of *.jsonl
set -euo pipefail
tools=$(dirname "$0")

programs=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    programs+=("$1")
    shift
done
[ ${#programs[@]} -gt 0 ] && [ $# -gt 1 ] || {
    echo "usage: determinism.sh PROGRAM… -- FILE_OR_FOLDER…" >&2
    exit 2
}
shift
lines_max=100  # of each difference
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

answers() {
    "$1" batch <"$work/requests" | sed -E 's/"time_[a-z_]+":[^,}]+/"time":0/g'
}

status=0
compare() {
    local file=$1 program run
    "$tools/case_requests.py" "$file" >"$work/requests"
    rm -f "$work/first"
    for program in "${programs[@]}"; do
        for run in 1 2; do
            answers "$program" >"$work/answers" || {
                status=1
                printf '%s: run %s of %s ended early\n' "$file" "$run" "$program"
            }
            [ -e "$work/first" ] || cp "$work/answers" "$work/first"
            cmp -s "$work/first" "$work/answers" && continue
            status=1
            printf '%s: run %s of %s differs from run 1 of %s\n' "$file" "$run" "$program" "${programs[0]}"
            diff -U0 "$work/first" "$work/answers" | grep '^[-+]{' | head -n "$lines_max" || true
        done
    done
    printf '%s: %s answers, %s of them good\n' "$file" \
        "$(wc -l <"$work/first")" "$(grep -c '"ok":true' "$work/first" || true)"
}

while read -r file; do compare "$file"; done < <(find "$@" -name '*.jsonl' | sort)
exit $status
