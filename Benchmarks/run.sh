#!/bin/sh
# make bench: every benchmark, each beside its peers in the same run. Takes some 20 minutes; quote ratios, not times.
set -eu
cd "$(dirname "$0")"
../scripts/install-system-packages.sh nginx libnginx-mod-nchan h2o wrk nodejs

printf '\n## Changesets, beside the standard library\n\n'
swift build --configuration release --product DiffBenchmarks
.build/release/DiffBenchmarks

printf '\n## Durable commits, beside raw SQLite\n\n'
swift build --configuration release --product StoreBenchmarks
.build/release/StoreBenchmarks

printf '\n## Durable edits over HTTP, beside raw SQLite\n\n'
python3 Durability/edits.py

printf '\n## Views\n\n'
python3 Durability/views.py

printf '\n## Mapping, beside Node\n\n'
./Mapping/run.sh

printf '\n## Long tables: edits\n\n'
python3 LongTables/local_edits.py

printf '\n## Long tables, over HTTP\n\n'
python3 LongTables/long.py 1000 100000

printf '\n## Lenses: views, cells, searches\n\n'
python3 Lenses/lenses.py

printf '\n## The worst heads\n\n'
python3 Heads/heads.py

printf '\n## The client, beside a plain loop\n\n'
(cd Client && swift build --configuration release && .build/release/ClientBenchmarks)

printf '\n## The JavaScript client, beside a plain copy of the array\n\n'
node Client/changesets.mjs

printf '\n## HTTP, beside nginx, nchan, h2o and Hummingbird\n\n'
python3 HTTP/compare.py "$@"

printf '\n## The same fan-out as the servers are deployed, on all cores\n\n'
SHARED=1 python3 HTTP/compare.py --only fanout --skip-build

printf '\n## HTTP, beside slow and hostile clients\n\n'
python3 HTTP/hostile.py
