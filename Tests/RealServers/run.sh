#!/bin/sh
# Five servers that nobody here wrote, each behind the service with the configuration that docs/connecting.md shows: read,
# paged, edited, joined, in two languages, killed and restarted, and followed by a strict client throughout. Prints what was
# done and what was seen; fails on any deviation. Not a part of `make test`.
#
#   Tests/RealServers/run.sh [EXECUTABLE] [SERVER …]
#
# Needs Python 3.10 or later, and Prometheus (Debian: prometheus); installs the others into a folder of its own, or into
# $REAL_SERVERS_ENVIRONMENT, where they stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
executable=$(realpath "${1:-$here/../../.build/debug/tablecast}")
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
environment=${REAL_SERVERS_ENVIRONMENT:-$work/environment}
[ -x "$environment/bin/datasette" ] || {
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --pre 'datasette>=1.0a13,<1.1'
  "$environment/bin/pip" install --quiet 'strawberry-graphql[asgi]' uvicorn kinto httpbin waitress
}
command -v prometheus >/dev/null || {
  echo "prometheus is missing: apt-get install prometheus" >&2
  exit 1
}
PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" "$here/real_servers.py" --service "$executable" "$@"
