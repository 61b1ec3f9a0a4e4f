#!/usr/bin/env bash
# Makes the Python package on a machine without LLVM, from a libgluonc that was built elsewhere:
#   bench/gpu/package.sh LIBGLUONC OUT_DIR
# compiles python/native against the running python3's nanobind. PYTHONPATH=OUT_DIR then imports it.
set -euo pipefail
cd "$(dirname "$0")/../.."
library=$1 out=$2
mkdir -p "$out"
cp -r python/gluonc "$out/"
cp "$library" "$out/gluonc/libgluonc.so.0"
ln -sf libgluonc.so.0 "$out/gluonc/libgluonc.so"
read -r include suffix nanobind < <(python3 -c 'import nanobind, sysconfig as s
print(s.get_path("include"), s.get_config_var("EXT_SUFFIX"), nanobind.include_dir())')
pids=()
for file in python/native/*.cpp "$nanobind/../src/nb_combined.cpp"; do
  "${CXX:-g++}" -std=c++20 -O2 -fPIC -fvisibility=hidden -fno-strict-aliasing -DNDEBUG -Iinclude -Isrc \
    -I"$include" -I"$nanobind" -I"$nanobind/../ext/robin_map/include" \
    -c "$file" -o "$out/$(basename "$file").o" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
"${CXX:-g++}" -shared -o "$out/gluonc/_native$suffix" "$out"/*.o -L"$out/gluonc" -lgluonc -Wl,-rpath,'$ORIGIN'
rm "$out"/*.o
