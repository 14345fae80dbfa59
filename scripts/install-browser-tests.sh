#!/bin/sh
# What the web's tests need beside the system packages: Chromium and its driver, React 18, TypeScript, and of PyPI
# selenium, axe and a terminal (pyte), in a virtual environment of their own. Silent and instant where all is there.
# Prints its python.
set -eu
cd "$(dirname "$0")/.."
./scripts/install-system-packages.sh nodejs esbuild chromium chromium-driver node-react node-react-dom node-typescript fonts-dejavu-core >&2

environment=.build-browser
if [ ! -x "$environment/bin/python" ]; then
  python3 -m venv "$environment" 2>/dev/null || {
    ./scripts/install-system-packages.sh python3-venv >&2
    python3 -m venv --clear "$environment"
  }
fi
"$environment/bin/python" -c 'import axe_selenium_python, pyte, selenium' 2>/dev/null ||
  "$environment/bin/pip" install --quiet --disable-pip-version-check 'selenium>=4.20,<5' 'axe-selenium-python>=2.1,<4' 'pyte>=0.8,<1' >&2
echo "$environment/bin/python"
