#!/usr/bin/env bash
# Every test: installs what is missing (Debian 12), builds the preset ci and runs ctest. Cheap when repeated.
# Arguments are passed on to ctest: ./test.sh -R io
set -euo pipefail
trap 'status=$?; echo "test.sh: stopped with status $status at line $LINENO: $BASH_COMMAND" >&2; exit $status' ERR

cd "$(dirname "${BASH_SOURCE[0]}")"
tools/build ci
echo "test: ctest --preset ci -j $(nproc) $*"
ctest --preset ci -j "$(nproc)" --no-tests=error "$@" </dev/null
