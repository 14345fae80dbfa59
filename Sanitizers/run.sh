#!/bin/sh
# run.sh: runs the tests of all that has threads under the thread sanitizer, then all tests under the address sanitizer.
# The service that the integration tests start is watched as well. A report is shown and makes this fail.
set -eu
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}

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
  rm -f "$directory"/report.*
  status=0
  env SWIFT_BACKTRACE=enable=no "$@:log_path=$PWD/$directory/report" \
    "$directory/debug/tablecastPackageTests.xctest" --testing-library swift-testing --filter "$suites" \
    >"$directory/tests.log" 2>&1 || status=$?
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
run thread '(HTTPServer|Integration|TableService|TableEngine|TableStore|Durability|Upstream|TablecastClient)Tests' \
  LD_PRELOAD="$PWD/.build/thread/mutex.so" TSAN_OPTIONS=halt_on_error=0

build address
run address HTTPServerTests ASAN_OPTIONS=detect_leaks=1
# In the service what is made once, of the configuration, looks lost: Swift keeps marks in the high bits of references.
run address '.' "ASAN_OPTIONS=detect_leaks=0:suppressions=$PWD/Sanitizers/address.supp"
