#!/bin/sh
# run.sh [SECONDS] [TARGET...]: builds the fuzz targets with libFuzzer and the address sanitizer, and runs them, for so
# many seconds in all (60). A finding is written to fuzz-artifacts/ and makes this fail.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- Requests Chunks Grammar Forwarded Expressions Members Elements Values Tables Tokens
build=../.build/fuzz
mkdir -p "$build" ../fuzz-artifacts

printf '@_cdecl("LLVMFuzzerTestOneInput") public func test(_: UnsafePointer<UInt8>, _: Int) -> CInt { 0 }' \
  >"$build/probe.swift"
if ! swiftc -parse-as-library -sanitize=fuzzer,address -o "$build/probe" "$build/probe.swift" 2>"$build/probe.log"; then
  echo "No fuzzing here: this toolchain comes without libFuzzer (.build/fuzz/probe.log)."
  exit 0
fi

# What the compiler or the linker had against it; they warn of much else, such as the sanitizer's own symbols.
give_up() {
  grep error: "$1" | sort -u
  exit 1
}

flags="-O -parse-as-library -package-name fuzz -sanitize=fuzzer,address -swift-version 6 -enable-upcoming-feature InternalImportsByDefault"

# What targets stand on, as modules of their own, linked into them: the language on JSON, and that on simdjson.
printf 'module CSimdJSON { header "%s" }\n' "$PWD/../Sources/CSimdJSON/include/CSimdJSON.h" \
  >"$build/CSimdJSON.modulemap"
printf 'module CJSONMembers { header "%s" }\n' "$PWD/../Sources/CJSONMembers/include/CJSONMembers.h" \
  >"$build/CJSONMembers.modulemap"
printf 'module CEventPoll { header "%s" }\n' "$PWD/../Sources/CEventPoll/include/CEventPoll.h" \
  >"$build/CEventPoll.modulemap"
maps=
for name in CSimdJSON CJSONMembers CEventPoll; do maps="$maps -Xcc -fmodule-map-file=$build/$name.modulemap"; done
module() {
  swiftc $flags -wmo -module-name "$1" -I "$build" $maps \
    -emit-module -emit-module-path "$build/$1.swiftmodule" -c "../Sources/$1"/*.swift -o "$build/$1.o"
}
module FieldValues 2>"$build/field-values.log" || give_up "$build/field-values.log"

# The part of the server that has no I/O, compiled into one module with the targets.
folders="Configuration.swift Addresses Grammar Parsing Messages Connection Origins Representations"
# shellcheck disable=SC2086 # no blanks in these names
sources=$(cd ../Sources/HTTPServer && find $folders -name '*.swift' \
  ! -name Connection.swift ! -name OutputQueue.swift ! -name 'Representation*' ! -name Compressor.swift \
  ! -name ResponseEncoder.swift | sort | sed 's|^|../Sources/HTTPServer/|')
targets="Targets/HTTP.swift Targets/Requests.swift Targets/Chunks.swift Targets/Grammar.swift Targets/Forwarded.swift"
# shellcheck disable=SC2086 # no blanks in these names
if [ -z "$(find "$build/fuzz" -newer run.sh 2>/dev/null)" ] ||
  [ -n "$(find $sources $targets -newer "$build/fuzz" -print -quit)" ]; then
  swiftc $flags -wmo -module-name Fuzz -I "$build" \
    -o "$build/fuzz" $sources $targets "$build/FieldValues.o" 2>"$build/build.log" || give_up "$build/build.log"
fi

# Once for all that stand on it.
json_is_built=
build_json() {
  [ -z "$json_is_built" ] || return 0
  clang++ -O2 -std=c++17 -fsanitize=address -I ../Sources/CSimdJSON/include \
      -c ../Sources/CSimdJSON/CSimdJSON.cpp -o "$build/CSimdJSON.o" &&
    for source in Parser ScanAVX2 ScanPortably; do
      clang -O2 -fsanitize=address,fuzzer-no-link -I ../Sources/CJSONMembers/include \
        -c "../Sources/CJSONMembers/$source.c" -o "$build/$source.o" || return 1
    done &&
    clang -O2 -fsanitize=address -I ../Sources/CEventPoll/include \
      -c ../Sources/CEventPoll/CEventPoll.c -o "$build/CEventPoll.o" &&
    module LongWork &&
    module JSON &&
    json_is_built=yes
}
json="$build/FieldValues.o $build/CEventPoll.o $build/LongWork.o $build/JSON.o $build/CSimdJSON.o $build/Parser.o $build/ScanAVX2.o $build/ScanPortably.o"
build_expressions() {
  build_json &&
    module Expressions &&
    swiftc $flags -module-name FuzzExpressions -I "$build" $maps \
      -o "$build/Expressions" Targets/Expressions.swift $json "$build/Expressions.o" -lsimdjson -lstdc++ -l_FoundationICU
}
build_values() {
  build_json &&
    swiftc $flags -module-name FuzzValues -I "$build" $maps \
      -o "$build/Values" Targets/Values.swift ../Sources/Definitions/Glob.swift $json -lsimdjson -lstdc++
}
build_members() {
  build_json &&
    swiftc $flags -module-name FuzzMembers -I "$build" $maps \
      -o "$build/Members" Targets/Members.swift $json -lsimdjson -lstdc++
}

build_elements() {
  build_json &&
    swiftc $flags -module-name FuzzElements -I "$build" $maps \
      -o "$build/Elements" Targets/Elements.swift $json -lsimdjson -lstdc++
}

# Tokens, on OpenSSL.
build_tokens() {
  maps="$maps -Xcc -fmodule-map-file=../Sources/CCrypto/module.modulemap"
  build_json &&
    module Digests &&
    module Identity &&
    swiftc $flags -module-name FuzzTokens -I "$build" $maps \
      -o "$build/Tokens" Targets/Tokens.swift $json "$build/Digests.o" "$build/Identity.o" -lsimdjson -lstdc++ -lcrypto
}

# The parsers that have no I/O of the engine and its face, compiled into the target.
build_tables() {
  engine=../Sources/TableEngine
  swiftc $flags -module-name FuzzTables -I "$build" -o "$build/Tables" Targets/Tables.swift \
    $(find $engine -name AcceptedCells.swift) $engine/Catalog/TableReference.swift $engine/TableError.swift \
    "$build/FieldValues.o"
}

python3 seeds.py "$build/seeds"
for target; do
  program=$build/fuzz
  options=-max_len=1024
  if [ "$target" = Expressions ]; then
    build_expressions 2>"$build/expressions.log" || give_up "$build/expressions.log"
    python3 expression_seeds.py "$build/seeds/Expressions" "$build/expressions.dict"
    program=$build/Expressions
    options="-max_len=4096 -dict=$build/expressions.dict -timeout=10"
  fi
  if [ "$target" = Members ]; then
    build_members 2>"$build/members.log" || give_up "$build/members.log"
    program=$build/Members
  fi
  if [ "$target" = Elements ]; then
    build_elements 2>"$build/elements.log" || give_up "$build/elements.log"
    program=$build/Elements
    options=-max_len=4096
  fi
  if [ "$target" = Tables ]; then
    build_tables 2>"$build/tables.log" || give_up "$build/tables.log"
    program=$build/Tables
    options="-max_len=4096 -timeout=10"
  fi
  if [ "$target" = Tokens ]; then
    build_tokens 2>"$build/tokens.log" || give_up "$build/tokens.log"
    program=$build/Tokens
    options=-max_len=4096
  fi
  if [ "$target" = Values ]; then
    build_values 2>"$build/values.log" || give_up "$build/values.log"
    program=$build/Values
  fi
  mkdir -p "$build/corpus/$target"
  # shellcheck disable=SC2086
  FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 \
    "$program" -max_total_time=$((seconds / $# + 1)) -print_final_stats=1 -verbosity=1 $options \
    -artifact_prefix="../fuzz-artifacts/$target-" "$build/corpus/$target" "$build/seeds/$target" 2>"$build/$target.log" || {
    tail -40 "$build/$target.log"
    echo "$target: a finding; see fuzz-artifacts/"
    exit 1
  }
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log") executions, no finding"
done
