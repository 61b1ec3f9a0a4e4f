#!/usr/bin/env python3
"""Kernels of the Triton language compiled by gluonc and by Triton, without a GPU.

    compile_triton.py --tutorials FOLDER --python PYTHONPATH --ptxas PATH [--target 80,90] [--only REGEX]
                      [--count 5] [--out FILE.json] [--keep FOLDER]

For Python with Triton 3.6, PyTorch and the libraries of triton_cases.py; PYTHONPATH is that of
gluonc's package. Of every kernel, on each side: milliseconds from source to PTX by stages, layout
conversions in the last IR, those of them that move elements between threads and how many bytes
(what is stored into a new buffer moves), instructions of matrices and copies in PTX, registers and
spills that ptxas reports. Each side compiles in a process of its own.
"""

import argparse
import ast
import datetime
import importlib
import importlib.util
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import moves  # noqa: E402
import triton_cases  # noqa: E402


def read_arguments(text):
    """Name -> type or compile-time value of a case's arguments."""
    read = {}
    for words in text.split():
        names, value = words.split("=", 1)
        is_type = re.fullmatch(r"\*?(i|u|fp|bf)\d+(:16)?", value)
        for name in names.split(","):
            read[name] = value if is_type else (ast.literal_eval(value),)
    return read


def signature(fn, arguments):
    """What an ASTSource takes: signature, compile-time values, attributes."""
    types_of, values, attributes = {}, {}, {}
    for i, name in enumerate(fn.arg_names):
        given = arguments[name]
        if isinstance(given, tuple):
            types_of[name], values[(i,)] = "constexpr", given[0]
            continue
        types_of[name], _, aligned = given.partition(":")
        if aligned:
            attributes[(i,)] = [["tt.divisibility", 16]]
    return types_of, values, attributes


def without_host(path, folder):
    """A file with what kernels need of another one, which runs them when it is imported."""
    text, kept = path.read_text(), []
    for node in ast.parse(text).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and re.search(r"triton(?!\.profiler)", ast.unparse(node)):
            kept.append(ast.unparse(node))
        if isinstance(node, ast.FunctionDef) and any("triton.jit" in ast.unparse(d) for d in node.decorator_list):
            kept.append("@triton.jit\n" + ast.get_source_segment(text, node))
    made = pathlib.Path(folder) / (path.stem.replace("-", "_") + "_kernels.py")
    made.write_text("\n\n\n".join(kept) + "\n")
    return made


def kernel_of(place, name, tutorials, folder):
    if place.endswith(".py"):
        path = {"T": pathlib.Path(tutorials), "K": HERE / "gpu/triton_kernels"}[place[0]] / place[2:]
        path = without_host(path, folder)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(place)
    fn = getattr(module, name)
    # Below its decorators.
    while not hasattr(fn, "arg_names") or hasattr(fn.fn, "arg_names"):
        fn = fn.fn
    return fn


class NoGpu:
    """What libraries ask a driver when they are imported."""

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget
        return GPUTarget("cuda", 90, 32)

    def __getattr__(self, name):
        properties = {"max_shared_mem": 232448, "multiprocessor_count": 132}
        return {"utils": types.SimpleNamespace(get_device_properties=lambda *_: properties),
                "get_active_torch_device": lambda *_: "cpu"}.get(name, lambda *_: 0)


def pretend():
    """Libraries ask PyTorch for the GPU, too."""
    import torch
    torch.cuda.is_available = lambda: True
    torch.cuda.device_count = lambda: 1
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_name = lambda *_: "NVIDIA H100"
    torch.cuda.get_device_capability = lambda *_: (9, 0)
    torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(
        multi_processor_count=132, name="NVIDIA H100", total_memory=80 << 30, major=9, minor=0,
        shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472)


class Theirs:
    def __init__(self):
        import triton
        triton.runtime.driver.set_active(NoGpu())
        self.triton, self.times = triton, []
        triton.knobs.compilation.listener = lambda **event: self.times.append(event["times"])

    def compile(self, fn, arguments, target, options):
        from triton.backends.compiler import GPUTarget
        source = self.triton.compiler.ASTSource(fn, *signature(fn, arguments))
        self.times.clear()
        made = self.triton.compile(source, target=GPUTarget("cuda", target, 32), options=options)
        (times,) = self.times
        stages = {"front": times.ir_initialization / 1e3}
        stages |= {name: micros / 1e3 for name, micros in times.lowering_stages if name != "cubin"}
        return stages, made.asm["ttgir"], made.asm["ptx"]


class Ours:
    def __init__(self):
        from gluonc import _aliases, _compile, _compiled, _native
        _aliases.install("own")
        import triton
        self.triton, self.native, self.compiling = triton, _native, _compile

    def compile(self, fn, arguments, target, options):
        # An engine without an assembler stops at PTX.
        engine = self.native.Engine("", "")
        self.compiling.engine = lambda: engine
        fresh = self.triton.jit(fn.fn)
        source = self.triton.compiler.ASTSource(fresh, *signature(fresh, arguments))
        begin = time.perf_counter()
        made = self.triton.compile(source, target=f"cuda:{target}{'a' * (target >= 90)}", options=options)
        ptx = made.asm["ptx"]
        total = (time.perf_counter() - begin) * 1e3
        self.front = made.asm["ttir"]
        return {"total": total}, made.asm["ttgir"], ptx


COUNTED = {"tcgen05.mma": r"tcgen05\.mma\b", "wgmma": r"wgmma\.mma_async", "mma.sync": r"\bmma\.sync", "TMA loads": r"cp\.async\.bulk\.tensor\S*\.shared\S*\.global",
           "cp.async": r"cp\.async\.c[ag]\.", "tcgen05.ld": r"tcgen05\.ld\b", "tcgen05.st": r"tcgen05\.st\b"}


def instructions(ptx):
    """How often the text has them."""
    found = {name: len(re.findall(pattern, ptx)) for name, pattern in COUNTED.items()}
    return {name: count for name, count in found.items() if count}


def assembled(ptx, ptxas, target):
    """Registers and bytes of spills."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.ptx"
        path.write_text(ptx)
        done = subprocess.run([ptxas, "-v", f"-arch=sm_{target}{'a' * (target >= 90)}", path, "-o", os.devnull],
                              capture_output=True, text=True)
    if done.returncode:
        return {"failed": done.stderr[:300]}
    read = lambda pattern: sum(map(int, re.findall(pattern, done.stderr)))  # noqa: E731
    return {"registers": read(r"Used (\d+) registers"), "spills": read(r"(\d+) bytes spill stores"),
            "shared": read(r"(\d+) bytes smem")}


def work(options):
    """One side: a line of JSON for each case."""
    pretend()
    side = Theirs() if options.side == "triton" else Ours()
    folder = tempfile.mkdtemp()
    for number, (place, name, arguments, warps, stages) in enumerate(triton_cases.CASES):
        if not re.search(options.only, f"{place} {name}"):
            continue
        for target in options.targets:
            row = {"number": number, "target": target}
            try:
                fn = kernel_of(place, name, options.tutorials, folder)
                launch = {"num_warps": warps, "num_stages": stages}
                runs = [side.compile(fn, read_arguments(arguments), target, launch) for _ in range(options.count + 1)]
                times = [stages for stages, _, _ in runs[1:]]
                _, ir, ptx = runs[-1]
                row["stages"] = {stage: statistics.median(each[stage] for each in times) for stage in times[0]}
                row["milliseconds"] = statistics.median(sum(each.values()) for each in times)
                row |= moves.conversions(ir)
                row["instructions"] = instructions(ptx)
                row |= assembled(ptx, options.ptxas, target)
                if options.keep:
                    stem = pathlib.Path(options.keep) / f"{number}_{name}_{target}_{options.side}"
                    stem.with_suffix(".ttgir").write_text(ir)
                    stem.with_suffix(".ptx").write_text(ptx)
                    if options.side == "gluonc":
                        stem.with_suffix(".ttir").write_text(side.front)
            except (Exception, SystemExit) as error:
                row["failed"] = f"{type(error).__name__}: {str(error)[-600:]}"
            print(json.dumps(row), flush=True)


def run_side(side, options):
    environment = os.environ | {"TRITON_ALWAYS_COMPILE": "1", "GLUONC_CACHE_DIR": "",
                                "TRITON_CACHE_DIR": tempfile.mkdtemp()}
    environment.pop("PYTHONPATH", None)
    if side == "gluonc":
        environment |= {"PYTHONPATH": options.python, "GLUONC_SIMULATE": "cuda:90a"}
    command = [sys.executable, __file__, "--side", side, *sys.argv[1:]]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    rows = {}
    for line in done.stdout.splitlines():
        if line.startswith('{"number"'):
            row = json.loads(line)
            rows[row.pop("number"), row.pop("target")] = row
    if done.returncode:
        print(side, done.stderr[-1500:])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tutorials", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--target", default="80,90")
    parser.add_argument("--only", default="")
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--out")
    parser.add_argument("--keep")
    parser.add_argument("--sides", default="gluonc,triton")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.targets = [int(word) for word in options.target.split(",")]
    if options.side:
        work(options)
        return
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    sides = {side: run_side(side, options) for side in options.sides.split(",")}
    report(sides, options)


def report(sides, options):
    rows = []
    for key in sorted({key for side in sides.values() for key in side}):
        number, target = key
        place, name, *_ = triton_cases.CASES[number]
        row = {"kernel": f"{place} {name}", "case": number, "target": target, **{side: found.get(key, {}) for side, found in sides.items()}}
        rows.append(row)
        print(f"{number:3d} {target} {name[:44]:44}", *(
            f"| {each['milliseconds']:7.1f} ms {each['conversions']:3d} conv {each['moving']:3d} moving {each['bytes']:7d} B {each.get('registers', 0):3d} r {each.get('spills', 0):4d} sp"
            if "milliseconds" in each else "| " + each.get("failed", "missing").strip().splitlines()[-1][-150:]
            for each in (row[side] for side in sides)), flush=True)
    summary = {}
    both = [row for row in rows if all("registers" in row.get(side, {}) for side in ("gluonc", "triton"))]
    for target in options.targets:
        these = [row for row in both if row["target"] == target]
        if not these:
            continue
        total = lambda side, what: sum(row[side][what] for row in these)  # noqa: E731
        summary[target] = {
            "kernels": len(these),
            "time_ratio": statistics.geometric_mean(row["gluonc"]["milliseconds"] / row["triton"]["milliseconds"] for row in these),
            **{f"{what}_{side}": total(side, what) for what in ("conversions", "moving", "bytes", "spills") for side in sides},
            "registers_ratio": statistics.geometric_mean(row["gluonc"]["registers"] / row["triton"]["registers"] for row in these),
            "more_registers": [row["case"] for row in these if row["gluonc"]["registers"] > row["triton"]["registers"]],
            "more_spills": [row["case"] for row in these if row["gluonc"]["spills"] > row["triton"]["spills"]],
            "more_bytes": [row["case"] for row in these if row["gluonc"]["bytes"] > row["triton"]["bytes"]],
        }
        print(target, json.dumps(summary[target]))
    if options.out:
        about = {"date": datetime.date.today().isoformat(), "triton": "3.6.0", "count": options.count}
        pathlib.Path(options.out).write_text(json.dumps({**about, "summary": summary, "kernels": rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
