#!/usr/bin/env python3
"""bench/gpu/ncu.py against a program that prints what Nsight Compute prints.

    ncu_test.py --gluonc BIN
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

KERNELS = '''
# RUN: copy src='randn(4096, f32)' dst='empty(4096, f32)' LAYOUT='gl.BlockedLayout([4], [32], [4], [0])' --grid 2 same='src'
# EXPECT: same == dst
# RUN: copy src='randn(4096, f32)' dst='empty(4096, f32)' LAYOUT='gl.BlockedLayout([1], [32], [4], [0])' --grid 2
# EXPECT: src == dst
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(src, dst, LAYOUT: gl.constexpr):
    offsets = gl.program_id(0) * 2048 + gl.arange(0, 2048, layout=LAYOUT)
    gl.store(dst + offsets, gl.load(src + offsets))
'''

# As ncu 2025.2 prints `--csv --page raw`: messages, a head, units, a row a launch. The first launch has what a GPU has
# to have; of the second one a sector count is wrong. An older one does not know a pipe, and another one may not count.
FAKE = '''#!/usr/bin/env python3
import os, sys
arguments = sys.argv[1:]
metrics = arguments[arguments.index("--metrics") + 1].split(",")
log = open(arguments[arguments.index("--log-file") + 1], "w")
kind = os.environ["FAKE_NCU"]
log.write("==PROF== Connected to process 4711 (gluonc)\\n")
if kind == "refused":
    log.write("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters\\n")
    sys.exit(1)
if kind == "old" and "smsp__inst_executed_pipe_uniform.sum" in metrics:
    log.write("==ERROR== Failed to find metric smsp__inst_executed_pipe_uniform.sum\\n")
    sys.exit(1)
wide = any("[4], [32]" in word for word in arguments)
requests = 32 if wide else 128
values = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": requests,
          "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": requests,
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "512" if wide else "1,024",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "512",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 0,
          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": 0,
          "smsp__inst_executed_pipe_uniform.sum": "n/a"}
names = [name for name in metrics if name in values]
log.write("==PROF== Disconnected from process 4711\\n")
head = ["ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", *names]
line = lambda words: log.write(",".join('"' + str(word) + '"' for word in words) + "\\n")
line(head)
line([""] * 5 + ["sector" for _ in names])
line([0, 4711, "copy", "(128, 1, 1)", "(2, 1, 1)", *(values[name] for name in names)])
'''


def run(options, folder, kind, *more):
    out = folder / f"{kind}.json"
    result = subprocess.run([sys.executable, str(ROOT / "bench/gpu/ncu.py"), "--gluonc", options.gluonc, "--ncu",
                             str(folder / "ncu"), "--out", str(out), *(more or [str(folder / "copies.py")])],
                            capture_output=True, text=True, env={**os.environ, "FAKE_NCU": kind}, timeout=120)
    return result, json.loads(out.read_text())


def expect(condition, what, result):
    if not condition:
        print(f"failed: {what}\n{result.stdout}{result.stderr}")
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "bench/gpu"))
    import ncu
    launches = [("a", "f", 1), ("a", "f", 2), ("a", "g", 3), ("b", "h", 4)]
    if [number for *_, number in ncu.in_turn(launches)] != [1, 4, 3, 2]:
        sys.exit("failed: what is least alike comes first")
    # A load without a line, and an atomic update, which ncu counts apart.
    cost = {"global_loads": {"requests": 3, "sectors": 12}, "global_stores": {"requests": 2, "sectors": 8}}
    atomic = {"ptx": ["atom.global.add.u32"], "global_stores": {"requests": 1, "sectors": 4}}
    figures = ncu.explained({"total": cost, "accesses": [atomic], "resources": {"registers": None}})
    if figures != {"requests, ld": 3, "sectors a request, ld": 4, "requests, st": 1, "sectors a request, st": 4}:
        sys.exit(f"failed: requests of all loads and stores, {figures}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "copies.py").write_text(KERNELS)
        (folder / "ncu").write_text(FAKE)
        (folder / "ncu").chmod(0o755)

        result, report = run(options, folder, "plain")
        expect(result.returncode == 0, "exit status", result)
        loads = [case["figures"]["sectors a request, ld"] for case in report["cases"]]
        expect(loads == [{"explain": 16, "ncu": 16, "near": True}, {"explain": 4, "ncu": 8, "near": False}], "sectors",
               result)
        expect(report["summary"]["sectors a request, ld"] == {"near": 1, "of": 2}, "sums", result)
        expect(report["summary"]["requests, st"] == {"near": 2, "of": 2}, "sums", result)
        expect("shared wavefronts" not in report["summary"], "figures of neither side", result)
        expect("sectors a request, ld       1 of    2   50.0 %" in result.stdout, "summary", result)
        expect("unknown_metrics" not in report, "all metrics known", result)

        result, report = run(options, folder, "old")
        expect(report["unknown_metrics"] == ["smsp__inst_executed_pipe_uniform.sum"], "a metric taken off", result)
        expect(sum("figures" in case for case in report["cases"]) == 2, "both launches", result)

        # A kernel of each file comes first, then others, then further launches; what there is no time for is listed.
        result, report = run(options, folder, "plain", "--budget", "0", str(folder / "copies.py"))
        expect(result.returncode == 0 and not report["cases"] and report["not_run"] == ["copies.py::copy"] * 2, "no time",
               result)
        expect("2 of 2 launches not run, no time:" in result.stdout, "launches that were not run", result)

        result, report = run(options, folder, "refused")
        expect(result.returncode == 3 and "may not read counters" in result.stdout, "refusal", result)
    print("ncu: 4 runs, as they should be")


if __name__ == "__main__":
    main()
