#!/bin/sh
# Builds the consumer against a gluonc package and runs it.
#   run.sh GLUONC_CMAKE_DIR WORK_DIR cpu|cuda [CXX] [CC]
# Exit status 77: no GPU for the GPU part.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cmake --fresh -G Ninja -S "$here" -B "$2" -Dgluonc_DIR="$1" ${4:+-DCMAKE_CXX_COMPILER="$4"} \
  ${5:+-DCMAKE_C_COMPILER="$5"} >/dev/null
cmake --build "$2" >/dev/null
kernel=$here/../../../examples/memcpy.py
if [ "$3" = cpu ]; then
  "$2/consumer_c" "$kernel"
fi
exec "$2/consumer" "$kernel" "$3"
