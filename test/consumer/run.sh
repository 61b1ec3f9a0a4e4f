#!/bin/sh
# Builds a project against a gluonc package and runs its programs.
#   run.sh PROJECT GLUONC_CMAKE_DIR WORK_DIR CXX CC PROGRAM…
# A PROGRAM is a name, the kernel's file from the root of the repository, and further arguments.
# Exit status 77: what the last program needs is not there.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
project=$root/$1 gluonc=$2 work=$3
cmake -G Ninja -S "$project" -B "$work" -Dgluonc_DIR="$gluonc" -DCMAKE_CXX_COMPILER="$4" \
  -DCMAKE_C_COMPILER="$5" >/dev/null 2>&1
cmake --build "$work" >/dev/null
shift 5
for program; do
  # shellcheck disable=SC2086
  set -- $program
  name=$1 file=$2
  shift 2
  "$work/$name" "$root/$file" "$@"
done
