#!/bin/sh
# run.sh: runs the tests of all that has threads under the thread sanitizer, then all tests under the address sanitizer.
# The service that the integration tests start is watched as well. A report is shown and makes this fail.
set -eu
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}

# attempt [VARIABLE=VALUE...] VARIABLE=OPTIONS: sets `status`.
attempt() {
  rm -f "$directory"/report.*
  status=0
  env SWIFT_BACKTRACE=enable=no "$@:log_path=$PWD/$directory/report" \
    "$directory/debug/tablecastPackageTests.xctest" --testing-library swift-testing --filter "$suites" \
    >"$directory/tests.log" 2>&1 || status=$?
}

# The linker warns of symbols of the sanitizers' own: what was said is shown where the build failed.
build() {
  mkdir -p ".build/$1"
  "$swift" build --build-tests --sanitize="$1" --scratch-path ".build/$1" >".build/$1/build.log" 2>&1 || {
    cat ".build/$1/build.log"
    return 1
  }
}

# run SANITIZER SUITES [VARIABLE=VALUE...] VARIABLE=OPTIONS: the last are the sanitizer's own.
run() {
  directory=.build/$1 suites=$2
  shift 2
  attempt "$@"
  # Of some thousand threads one allocates so late in its end that the thread sanitizer's allocator has no cache left for it: the process
  # then ends with a read near address 0 in the sanitizer itself. That is no report. These suites are run once more.
  if [ "$status" != 0 ] && grep -q 'ThreadSanitizer: nested bug in the same thread' "$directory/tests.log" &&
    ! grep -q 'WARNING: ThreadSanitizer' "$directory"/report.* 2>/dev/null; then
    echo "$directory, $suites: the sanitizer itself failed, once more"
    attempt "$@"
  fi
  for report in "$directory"/report.*; do
    [ -e "$report" ] || continue
    cat "$report"
    status=1
  done
  [ "$status" = 0 ] || grep '✘' "$directory/tests.log" || true
  echo "$directory, $suites: $(tail -1 "$directory/tests.log")"
  return "$status"
}

build thread
clang -shared -fPIC -O1 -Wall -Werror -o .build/thread/mutex.so Sanitizers/mutex.c -ldl
watched() {
  run thread "$1" LD_PRELOAD="$PWD/.build/thread/mutex.so" TSAN_OPTIONS=halt_on_error=0
}
watched '(HTTPServer|TableService|TableEngine|TableStore|Durability|Upstream|TablecastClient)Tests'
# In parts, as one process would have some thousand threads one after the other.
for letters in A-E F-L M-R S-Z; do watched "IntegrationTests\.[$letters]"; done

build address
run address HTTPServerTests ASAN_OPTIONS=detect_leaks=1
# In the service what is made once, of the configuration, looks lost: Swift keeps marks in the high bits of references.
run address '.' "ASAN_OPTIONS=detect_leaks=0:suppressions=$PWD/Sanitizers/address.supp"
