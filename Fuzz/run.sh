#!/bin/sh
# run.sh [SECONDS] [TARGET...]: builds the fuzz targets with libFuzzer and the address sanitizer, and runs each for
# so many seconds (60). A finding is written to fuzz-artifacts/ and makes this fail.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -gt 0 ] && shift
targets=${*:-Requests Chunks Grammar Expressions}
build=../.build/fuzz
mkdir -p "$build" ../fuzz-artifacts

# The part of the server that has no I/O, compiled into one module with the target.
sources=
for file in ../Sources/HTTPServer/*.swift; do
  case $(basename "$file") in
    EventLoop*|EventPoll*|Socket.swift|Socket+*|Listener*|Server*|Mailbox*|Admission*|Counters*|Clock*|Connection.swift) ;;
    Exchange*|Stream*|Wait*|RequestHandler*|Compressor*|Representation*|Statistics*|ResponseEncoder*|CrossOrigin*|TopicIndex*|Envelope*) ;;
    *) sources="$sources $file" ;;
  esac
done

flags="-O -parse-as-library -sanitize=fuzzer,address -swift-version 6"

# The language stands on the JSON module, and that on simdjson: modules of their own, linked into the target.
module() {
  swiftc $flags -wmo -module-name "$1" -I "$build" -Xcc "-fmodule-map-file=$build/CSimdJSON.modulemap" \
    -emit-module -emit-module-path "$build/$1.swiftmodule" -c "../Sources/$1"/*.swift -o "$build/$1.o"
}
build_expressions() {
  printf 'module CSimdJSON { header "%s" }\n' "$PWD/../Sources/CSimdJSON/include/CSimdJSON.h" >"$build/CSimdJSON.modulemap"
  clang++ -O2 -std=c++17 -fsanitize=address -I ../Sources/CSimdJSON/include \
    -c ../Sources/CSimdJSON/CSimdJSON.cpp -o "$build/CSimdJSON.o"
  module JSON
  module Expressions
  swiftc $flags -module-name FuzzExpressions -I "$build" -Xcc "-fmodule-map-file=$build/CSimdJSON.modulemap" \
    -o "$build/Expressions" Targets/Expressions.swift "$build/JSON.o" "$build/Expressions.o" "$build/CSimdJSON.o" \
    -lsimdjson -lstdc++
  python3 expression_seeds.py "$build/seeds/Expressions" "$build/expressions.dict"
}

python3 seeds.py "$build/seeds"
for target in $targets; do
  options=
  if [ "$target" = Expressions ]; then
    build_expressions
    options="-dict=$build/expressions.dict -timeout=10"
  else
    swiftc $flags -module-name "Fuzz$target" -o "$build/$target" $sources "Targets/$target.swift"
  fi
  mkdir -p "$build/corpus/$target"
  SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 "$build/$target" -max_total_time="$seconds" -max_len=4096 -print_final_stats=1 $options \
    -artifact_prefix="../fuzz-artifacts/$target-" "$build/corpus/$target" "$build/seeds/$target" 2>"$build/$target.log" || {
    tail -40 "$build/$target.log"
    echo "$target: a finding; see fuzz-artifacts/"
    exit 1
  }
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log") executions, no finding"
done
