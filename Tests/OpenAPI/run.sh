#!/bin/sh
# Holds the service against its OpenAPI document: schemathesis asks what the document allows and what it doesn't, and a
# client generated from it goes through the routes. Not a part of `make test`.
#
#   Tests/OpenAPI/run.sh [EXECUTABLE] [EXAMPLES]
#
# Needs Python 3.10 or later; installs schemathesis and openapi-python-client into a folder of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
executable=${1:-$here/../../.build/debug/tablecast}
examples=${2:-30}
work=$(mktemp -d)
trap 'kill $service $upstream 2>/dev/null || true; rm -rf "$work"' EXIT
service= upstream=

environment=${OPENAPI_ENVIRONMENT:-$work/environment}
[ -x "$environment/bin/schemathesis" ] || {
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet schemathesis openapi-python-client ruff
}

# The first that is there: a port that the system chooses.
awaited() {
  for _ in $(seq 100); do
    found=$(sed -n "$2" "$1" | head -n 1)
    [ -z "$found" ] || break
    sleep 0.1
  done
  echo "$found"
}

mkdir "$work/upstream"
echo '[{"id": "alpha"}, {"id": "beta"}]' >"$work/upstream/words.json"
python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work/upstream" >"$work/upstream.log" 2>&1 &
upstream=$!
port=$(awaited "$work/upstream.log" 's/.* port \([0-9]*\) .*/\1/p')

TABLECAST_UPSTREAM=http://127.0.0.1:$port/words.json "$executable" serve --config "$here/tablecast.yaml" --insecure \
  >"$work/log" 2>&1 &
service=$!
address=$(awaited "$work/log" '/Serving/s/.*[^0-9.]\(127\.0\.0\.1:[0-9]*\).*/\1/p')
base=http://$address
echo "The service is at $base"

"$environment/bin/schemathesis" --config-file "$here/schemathesis.toml" run "$base/v1/openapi.json" \
  --max-examples "$examples" --request-timeout 60

cd "$work"
PATH=$environment/bin:$PATH "$environment/bin/openapi-python-client" generate --url "$base/v1/openapi.json" --meta none --output-path tablecast
PYTHONPATH=$work "$environment/bin/python" "$here/generated_client.py" "$base"
