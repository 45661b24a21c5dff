#!/usr/bin/env bash
# Installs what is missing (Debian 12), builds the preset ci and runs ctest. Cheap when repeated. Long tests take turns: a tenth of
# them runs for each commit (tools/shares.py), or the share that CREDO_SHARE=K/N selects.
# ./test.sh all: every test, and every check of .ci/run, in full. Other arguments are passed on to ctest, and the tests that they
# select run in full: ./test.sh -R io
# ./test.sh asan, ./test.sh tsan: the same under AddressSanitizer with UndefinedBehaviorSanitizer, or under
# ThreadSanitizer, in builds of their own by clang++; tests/left_out.txt says what is left out there, and why.
set -euo pipefail
trap 'status=$?; echo "test.sh: stopped with status $status at line $LINENO: $BASH_COMMAND" >&2; exit $status' ERR

cd "$(dirname "${BASH_SOURCE[0]}")"
preset=ci
by_turns=
case "${1:-}" in
  asan | tsan) preset=$1 && shift ;;
  all) CREDO_SHARE=0/1 exec .ci/run ;;
  "") by_turns=yes ;;
esac
tools/build "$preset"
echo "test: the build took $SECONDS s"
[ -z "$by_turns" ] || export CREDO_SHARE="${CREDO_SHARE:-$(tools/shares.py)}"
if [ "$preset" != ci ]; then
  # Tests that count allocations replace operator new, not its nothrow form: no mismatch of allocation functions.
  export ASAN_OPTIONS=strict_string_checks=1:alloc_dealloc_mismatch=0 UBSAN_OPTIONS=print_stacktrace=1
  symbolizer=/usr/bin/llvm-symbolizer-16
  export ASAN_SYMBOLIZER_PATH=$symbolizer UBSAN_SYMBOLIZER_PATH=$symbolizer
  export TSAN_OPTIONS="second_deadlock_stack=1:external_symbolizer_path=$symbolizer"
  echo "test: left out under $preset, by tests/left_out.txt:"
  grep "^$preset " tests/left_out.txt | cut -d' ' -f2- | sed 's/^/  /'
  tools/check_left_out "$preset"
fi
[ -z "${CREDO_SHARE:-}" ] || echo "test: share $CREDO_SHARE of the long tests; all of them: ./test.sh all"
echo "test: ctest --preset $preset -j $(nproc) $*"
ctest --preset "$preset" -j "$(nproc)" --no-tests=error "$@" </dev/null
