#!/usr/bin/env bash
# Every test: installs what is missing (Debian 12), builds the preset ci and runs ctest. Cheap when repeated.
# Arguments are passed on to ctest: ./test.sh -R io
# ./test.sh asan, ./test.sh tsan: the same under AddressSanitizer with UndefinedBehaviorSanitizer, or under
# ThreadSanitizer, in builds of their own by clang++; tests/left_out.txt says what is left out there, and why.
set -euo pipefail
trap 'status=$?; echo "test.sh: stopped with status $status at line $LINENO: $BASH_COMMAND" >&2; exit $status' ERR

cd "$(dirname "${BASH_SOURCE[0]}")"
preset=ci
case "${1:-}" in asan | tsan) preset=$1 && shift ;; esac
tools/build "$preset"
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
echo "test: ctest --preset $preset -j $(nproc) $*"
ctest --preset "$preset" -j "$(nproc)" --no-tests=error "$@" </dev/null
