#!/usr/bin/env bash
# Everything that needs a GPU, in one go: correctness first, then timings.
#   bench/gpu/run.sh BIN_DIR OUT_DIR [SCALE [TUTORIALS]]
# BIN_DIR holds gluonc, launch_bench and bundle_bench as ./dev build leaves them, and libgluonc.so.0
# for the Python package, which is made here; the machine needs g++, nanobind, CUDA's
# ptxas, torch and Triton 3.6 for the other side of the comparison. TUTORIALS is a folder
# with Triton's Gluon tutorials, which run unchanged with both.
set -uo pipefail
cd "$(dirname "$0")/../.."
bin=$1 out=$2 scale=${3:-1} tutorials=${4:-}
mkdir -p "$out"
export PATH=$PATH:/usr/local/cuda/bin
status=0

echo "== where"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"$bin/gluonc" info || status=1

echo "== correctness: execution tests on the GPU"
python3 test/exec/run.py --gluonc "$bin/gluonc" --device cuda || status=1

echo "== copies beside Triton"
PYTHONUNBUFFERED=1 python3 bench/gpu/bench.py --gluonc "$bin/gluonc" --out "$out/copies.json" --scale "$scale" || status=1

echo "== matrix product beside Triton"
PYTHONUNBUFFERED=1 python3 bench/gpu/matmul.py --gluonc "$bin/gluonc" --out "$out/matmul.json" || status=1

echo "== launch"
if [ -x "$bin/launch_bench" ]; then
  "$bin/launch_bench" | tee "$out/launch.json" || status=1
fi
if [ -x "$bin/bundle_bench" ]; then
  "$bin/bundle_bench" | tee "$out/bundle.json" || status=1
fi

if [ -e "$bin/libgluonc.so.0" ]; then
  echo "== the Python package"
  package=$(mktemp -d)
  bash bench/gpu/package.sh "$bin/libgluonc.so.0" "$package" || status=1
  export PYTHONPATH=$package GLUONC_CACHE_DIR=$package/cache
  python3 -m pytest -q test/python || status=1
  echo "== launches from Python"
  python3 bench/launch/launch.py --out "$out/python-launch.json" || status=1
  echo "== flagship kernels beside cuBLAS, cuDNN, PyTorch and Triton"
  for name in matmul attention norm; do
    python3 "examples/hopper_$name/$name.py" || status=1
  done
  PYTHONUNBUFFERED=1 python3 bench/gpu/flagship.py --out "$out/flagship.json" || status=1
  echo "== loads of shared memory that a TMA load comes behind, with and without a fence"
  python3 bench/gpu/proxy_fence.py --out "$out/proxy-fence.json" || status=1
  echo "== what timestamps in kernels cost"
  PYTHONUNBUFFERED=1 python3 bench/gpu/timelines.py --out "$out/timelines.json" || status=1
  PYTHONUNBUFFERED=1 python3 bench/gpu/serving.py --out "$out/serving.json" || status=1
  echo "== examples under compute-sanitizer"
  bash bench/gpu/sanitize.sh "$bin" "$package" "$out/sanitizer" || status=1
  echo "== kernels of the Triton language beside Triton"
  PYTHONUNBUFFERED=1 python3 bench/gpu/triton_language.py --out "$out/triton-language.json" || status=1
  PYTHONUNBUFFERED=1 python3 bench/gpu/warp_specialization.py --out "$out/warp-specialization.json" || status=1
  echo "== autotuning beside Triton"
  PYTHONUNBUFFERED=1 python3 bench/gpu/autotune.py --out "$out/autotune.json" || status=1
  echo "== models of torch.compile beside Triton"
  PYTHONUNBUFFERED=1 python3 bench/gpu/inductor.py --out "$out/inductor.json" || status=1
  if [ -n "$tutorials" ]; then
    echo "== Triton's tutorials: kernels beside Triton, then compile time"
    PYTHONUNBUFFERED=1 python3 bench/gpu/tutorials.py "$tutorials" --out "$out/tutorials.json" || status=1
    PYTHONUNBUFFERED=1 python3 bench/compile_tutorials.py "$tutorials" --out "$out/compile-tutorials.json" || status=1
  fi
  for tutorial in ${tutorials:+"$tutorials"/0[12]*.py}; do
    echo "== $(basename "$tutorial")"
    python3 -m gluonc --triton own "$tutorial" | tee "$out/$(basename "$tutorial").gluonc.txt" || status=1
    python3 "$tutorial" | tee "$out/$(basename "$tutorial").triton.txt" || status=1
    python3 -m pytest -q -p gluonc.pytest -o python_files='*.py' "$tutorial" || status=1
  done
fi

echo "== compile time beside Triton"
python3 bench/compile.py --gluonc "$bin/gluonc" --out "$out/compile.json" || status=1

echo "== counts of gluonc explain beside Nsight Compute's"
python3 bench/gpu/ncu.py --gluonc "$bin/gluonc" --out "$out/ncu.json" --budget 120 || status=1

echo "== bank conflicts of convert_layout"
metrics=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum
if command -v ncu >/dev/null; then
  for side in gluonc triton; do
    ncu --clock-control none --csv --metrics "$metrics" --kernel-name regex:copy_2d_converted \
      python3 bench/gpu/conflicts.py --gluonc "$bin/gluonc" $side 2>&1 |
      grep -E '"(l1tex|smsp)' | sed "s/^/$side /" | awk -F'","' '{print $1, $(NF-2), $NF}' | tee -a "$out/conflicts.txt"
  done
fi
exit $status
