#!/usr/bin/env bash
# Credo in one command: installs what is missing (Debian 12), builds the release, samples the eight-schools model in
# examples/ and prints the summary. Cheap when repeated.
set -euo pipefail
trap 'status=$?; echo "demo.sh: stopped with status $status at line $LINENO: $BASH_COMMAND" >&2; exit $status' ERR

cd "$(dirname "${BASH_SOURCE[0]}")"
tools/build release

out=build/demo
mkdir -p "$out"
credo=build/release/credo
echo "demo: $credo sample examples/eight_schools.stan --data examples/eight_schools.data.json"
"$credo" sample examples/eight_schools.stan --data examples/eight_schools.data.json \
  --chains 4 --warmup 1000 --draws 1000 --seed 1 --format csv -o "$out/eight_schools" </dev/null
echo "demo: $credo summary $out/eight_schools_1.csv ... _4.csv"
"$credo" summary "$out"/eight_schools_{1,2,3,4}.csv
echo "demo: the program is $credo; to install it with library, headers and manual pages:"
echo "  cmake --build build/release --target all && sudo cmake --install build/release"
