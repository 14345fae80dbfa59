#!/bin/sh
# Mapping against Node in one run: prints both, and the ratio. Takes the number of items.
set -eu
cd "$(dirname "$0")/.."
items=${1:-20000}
response=$(mktemp)
trap 'rm -f "$response"' EXIT
program=${MAPPING_BENCHMARKS:-}
if [ -z "$program" ]; then
  swift build -c release --product MappingBenchmarks >&2
  program=$(swift build -c release --show-bin-path)/MappingBenchmarks
fi
ours=$("$program" "$items" 15 "$response")
memory=$("$program" --memory "$response")
changes=$("$program" --changes "$items")
node=$(node Mapping/map.js "$response" 15)
echo "tablecast $ours"
echo "node      $node"
echo "$changes"
node -e 'const [o, n, m] = process.argv.slice(1).map((t) => JSON.parse(t));
  const times = (of) => of.toFixed(1) + "x";
  console.log(`Node takes ${times(n.best / o.coldBest)} as long cold (processor), ${times(n.bestByClock / o.coldByClockBest)} by the clock on all cores, ${times(n.best / o.warmBest)} with 1 % changed`);
  console.log(`cold takes ${times(o.coldBest / o.parseBest)} as long as the parse of the same bytes by simdjson alone`);
  console.log(`memory    ${m.toFixed(1)} times the response at most, the response and the rows included`);' "$ours" "$node" "$memory"
