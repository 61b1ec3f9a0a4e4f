#!/bin/sh
# Builds examples/cpp against a gluonc package and runs it.
#   example.sh GLUONC_CMAKE_DIR WORK_DIR CXX
set -eu
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
cmake --fresh -G Ninja -S "$examples/cpp" -B "$2" -Dgluonc_DIR="$1" -DCMAKE_CXX_COMPILER="$3" >/dev/null
cmake --build "$2" >/dev/null
exec "$2/memcpy" "$examples/memcpy.py"
