#!/bin/bash
# run-tests.sh COMMAND...: runs the tests by it; where some failed, what they recorded is said once more at the end,
# where it is seen without scrolling through some ten thousand lines.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status=$?
if [ "$status" != 0 ]; then
  echo
  grep --text ' recorded an issue' "$log" | cut --characters=1-400 | head -12
  grep --text -E '^(error|fatal|Fatal)|Test run with .* failed' "$log" | tail -3
fi
exit "$status"
