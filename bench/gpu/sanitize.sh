#!/usr/bin/env bash
# The examples under memcheck, racecheck and synccheck of compute-sanitizer, on a machine with a GPU:
#   bench/gpu/sanitize.sh LIB_DIR PACKAGE_DIR OUT_DIR
# LIB_DIR holds libgluonc.so.0, PACKAGE_DIR what package.sh made. OUT_DIR/sanitizer.json says what each
# tool found in each example, OUT_DIR/*.log how it put it; exit status 1 unless all are clean.
set -uo pipefail
cd "$(dirname "$0")/../.."
lib=$(realpath "$1") package=$(realpath "$2") out=$3
mkdir -p "$out"
out=$(realpath "$out")
export PATH=$PATH:/usr/local/cuda/bin LD_LIBRARY_PATH=$lib PYTHONPATH=$package GLUONC_CACHE_DIR=
for name in cpp/memcpy hopper_norm/norm hopper_matmul/matmul hopper_attention/attention; do
  "${CXX:-g++}" -std=c++20 -O1 -Iinclude "examples/$name.cpp" -L"$lib" -l:libgluonc.so.0 -ldl -o "$out/$(basename $name)" &
done
wait

cat >"$out/clusters.py" <<'PY'
import sys
sys.path.insert(0, "examples/hopper_matmul")
import torch, matmul
sys.exit(0 if matmul.check("cuda", 4, 600, 520, 336, torch.bfloat16, torch.bfloat16, matmul.CLUSTERS) else 1)
PY

# Only kernels of ours: what PyTorch launches is not what is being looked at, and slow.
check() { # NAME, part of the names of kernels, then a command
  local name=$1 kernels=$2 tool log
  shift 2
  for tool in memcheck racecheck synccheck; do
    log=$out/$tool.$name.log
    timeout "${LIMIT:-100}" compute-sanitizer --tool $tool --error-exitcode 9 --print-limit 20 \
      --kernel-name "kernel_substring=$kernels" "$@" >"$log" 2>&1
    echo "exit status $?" >>"$log"
  done
}
check memcpy memcpy "$out/memcpy" examples/memcpy.py cuda &
check norm layer_norm "$out/norm" examples/hopper_norm/norm.py cuda &
check matmul matmul "$out/matmul" examples/hopper_matmul/matmul.py cuda &
check attention attention "$out/attention" examples/hopper_attention/attention.py cuda &
check clusters matmul python3 "$out/clusters.py" &
check rmsnorm rms python3 examples/torch_rmsnorm.py &
wait

python3 - "$out" <<'PY'
import json, pathlib, re, sys
out, found = pathlib.Path(sys.argv[1]), {}
for log in sorted(out.glob("*.log")):
    tool, name, _ = log.name.split(".")
    text = log.read_text()
    errors = re.search(r"(?:ERROR SUMMARY: |RACECHECK SUMMARY: )(\d+)", text)
    status = int(re.search(r"exit status (\d+)", text)[1])
    found.setdefault(name, {})[tool] = {"found": int(errors[1]) if errors else None, "status": status}
    print(f"{tool:10} {name:10} {'clean' if status == 0 and errors and errors[1] == '0' else f'NOT CLEAN, exit status {status}'}")
(out / "sanitizer.json").write_text(json.dumps({"results": found}, indent=1) + "\n")
sys.exit(any(tool["status"] or tool["found"] for example in found.values() for tool in example.values()))
PY
