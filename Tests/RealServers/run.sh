#!/bin/sh
# Eleven servers that nobody here wrote, each behind the service with the configuration that docs/connecting.md or configurations/
# has. Before each of them `tablecast init` writes a configuration, whose table has to be right without a touch. Five are read, paged,
# edited, joined, in two languages, killed and restarted; six are changed 200 times at random, by themselves and through the service,
# and each change has to arrive exactly. A strict client follows throughout. Prints what was done and what was seen; fails on any
# deviation. Not a part of `make test`.
#
#   Tests/RealServers/run.sh [EXECUTABLE] [--changes N] [--seed N] [SERVER …]
#
# Needs Python 3.10 or later, and installs what else is missing: Debian's packages by apt, PyPI's into a folder of its own, or into
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
  "$environment/bin/pip" install --quiet 'strawberry-graphql[asgi]' uvicorn kinto httpbin waitress djangorestframework safrs
}
# Redmine asks for a database when it is installed: the trial has one of its own.
if [ "$(id -u)" = 0 ] && [ ! -d /usr/share/redmine ] && command -v debconf-set-selections >/dev/null; then
  echo "redmine redmine/instances/default/dbconfig-install boolean false" | debconf-set-selections
fi
"$here/../../scripts/install-system-packages.sh" prometheus prometheus-alertmanager rabbitmq-server syncthing redmine redmine-sqlite puma
PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" "$here/real_servers.py" --service "$executable" "$@"
