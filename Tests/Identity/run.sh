#!/bin/sh
# A real OpenID provider, and a service that takes its tokens: found by discovery, signed in by the authorization code,
# keys exchanged, provider down; and the published attacks, with tokens that Authlib's successor makes. Not a part of `make test`.
#
#   Tests/Identity/run.sh [EXECUTABLE]
#
# Needs Python 3.10 or later; installs oidc-provider-mock, which stands on Authlib and joserfc, into a folder of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
executable=$(realpath "${1:-$here/../../.build/debug/tablecast}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

environment=${IDENTITY_ENVIRONMENT:-$work/environment}
[ -x "$environment/bin/oidc-provider-mock" ] || {
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet oidc-provider-mock joserfc
}
PATH=$environment/bin:$PATH "$environment/bin/python" -W ignore "$here/trial.py" "$executable" "$work"
