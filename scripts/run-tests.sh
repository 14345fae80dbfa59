#!/bin/bash
# run-tests.sh SWIFT...: runs all tests, which are built. Those of the service as a process wait for it most of the time, and tests that wait
# hold up others of their process: they have one of their own beside these. Where some failed, what they recorded is said once
# more at the end, where it is seen without scrolling through some ten thousand lines.
set -uo pipefail
waiting='^IntegrationTests\.'
logs=$(mktemp -d)
others=
trap 'kill $others 2>/dev/null; rm -rf "$logs"' EXIT

# The built tests by themselves: SwiftPM runs one command in a folder at a time.
"$("$@" build --show-bin-path)"/tablecastPackageTests.xctest --testing-library swift-testing --filter "$waiting" \
  >"$logs/waiting" 2>&1 &
others=$!
"$@" test --skip-build --parallel --skip "$waiting" 2>&1 | tee "$logs/rest"
status=$?
wait "$others" || status=$?
if [ "$status" != 0 ]; then
  cat "$logs/waiting"
  echo
  grep --no-filename --text ' recorded an issue' "$logs"/* | cut --characters=1-400 | head -12
  grep --no-filename --text -E '^(error|fatal|Fatal)|Test run with .* failed' "$logs"/* | tail -4
else
  tail -n 1 "$logs/waiting"
fi
exit "$status"
