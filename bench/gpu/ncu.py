#!/usr/bin/env python3
"""What `gluonc explain` counts without a GPU, beside what Nsight Compute counts on one.

    ncu.py --gluonc BIN --out FILE.json [--target cuda:90a] [--only REGEX] [--most N]
           [--tutorials FOLDER [--scale N]] [--ncu PROGRAM] [--budget SECONDS] [FILE...]

FILEs are kernel files with RUN lines, as those of test/exec, which are the default and launch the
examples' kernels, too; --tutorials adds the launches of Triton's Gluon tutorials in that folder, their
problems N times smaller along each dim (default 16). Each launch goes to `gluonc explain` and, under
ncu, to `gluonc run --device cuda`, with the same arguments. Compared are sectors for each request of
global memory, wavefronts of shared memory, executed instructions in all and by pipe, registers and
occupancy. The report has both sides of each figure; the summary says how many differ by 2 % at most.
All of it takes SECONDS at most (default 480), if no single launch hangs: what is least alike comes first,
a kernel of each file, then the others, then their further launches, and what there was no time for is
listed as `not_run`. gluonc explains beside, on as many CPUs as there are.

Needs nvdisasm and ptxas in PATH. Tutorials need gluonc's Python package (PYTHONPATH) and PyTorch. Exit
status 3: ncu may not read counters here.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "test/exec"))

import run as tests  # noqa: E402

NEAR = 0.02
# Counts that are as small differ by what the launch itself adds.
FEW = 8

REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
EXECUTED = "smsp__inst_executed.sum"
PIPE = "smsp__inst_executed_pipe_{}.sum"
REGISTERS = "launch__registers_per_thread"
OCCUPANCY = "sm__maximum_warps_per_active_cycle_pct"
PIPES = ("alu", "fma", "lsu", "xu", "tensor", "uniform", "cbu")
METRICS = [*(name.format(op) for name in (REQUESTS, SECTORS, WAVEFRONTS) for op in ("ld", "st")), EXECUTED, REGISTERS,
           OCCUPANCY, *(PIPE.format(pipe) for pipe in PIPES)]

# Which pipe executes an instruction of sm_90, by how its name begins: as Nsight Compute counts them (results of
# 27 November 2026); its documentation describes the pipes. What is missing is of pipes that are not compared: constants,
# branches and barriers are of the address divergence unit.
UNITS = (
    ("tensor", r"[HIQDBO]?G?MMA\b|HMMA|IMMA|[HIQB]GMMA|HFMA2\.MMA"),
    ("uniform", r"U(?!TMA|BLK|CGABAR|LDC|MOV|SETMAXREG)[A-Z]"),
    ("fma", r"FADD|FMUL|FFMA|IMAD|VIADD\b|HADD2|HMUL2|HFMA2|FSWZADD|IDP"),
    ("xu", r"MUFU|I2F\b|F2I|F2F\b|FRND|POPC|FLO|BREV|I2I"),
    ("lsu", r"LD[GSL]|LD\b|LDSM|ST[GSL]|ST\b|STSM|STAS|ATOM|REDG?\b|ARRIVES|MEMBAR|FENCE|SHFL|MATCH|CCTL|S2R SR_(TID|LANEID)"),
    ("cbu", r"EXIT|BSSY|BSYNC|BREAK|CALL|RET|WARPSYNC|KILL|NANOSLEEP|YIELD"),
    ("alu", r"IADD3?|LOP3?|SHF|LEA|ISETP|V?IMNMX|VIADDMNMX|FSETP|FSET|FMNMX|FSEL|SEL|PRMT|MOV|PLOP3|BMSK|SGXT|IABS|CS2R"
            r"|I2FP|F2FP|VOTE(?!U)|HMNMX2|HSETP2|HSET2|P2R|R2P|R2UR|ELECT|FCHK|VABSDIFF"),
)


class NoCounters(Exception):
    """ncu is not allowed to read counters."""


def in_turn(launches):
    """What is least alike first: a kernel of each file, its next kernels, and then their next launches."""
    launches, kernels, files = list(launches), {}, {}
    keys = []
    for file, kernel, _ in launches:
        nth = kernels.get((file, kernel), 0)
        kernels[file, kernel] = nth + 1
        of_file = files.setdefault(file, [])
        if kernel not in of_file:
            of_file.append(kernel)
        keys.append((nth, of_file.index(kernel)))
    return [launches[i] for i in sorted(range(len(launches)), key=lambda i: keys[i])]


def launches_of(file, most, only, target="cuda:90a"):
    """[(file, kernel, arguments)]: each kernel's first launches, `most` of them, that the target can run."""
    count = {}
    for _, (kernel, *arguments), kind, _ in tests.read_tests(file):
        if "--target" in arguments:
            at = arguments.index("--target")
            if arguments[at + 1] != target:
                continue
            arguments = arguments[:at] + arguments[at + 2:]
        if "--schedule-seed" in arguments:
            # Of the simulator.
            at = arguments.index("--schedule-seed")
            arguments = arguments[:at] + arguments[at + 2:]
        if kind != "EXPECT" or not re.search(only, f"{file.name}::{kernel}"):
            continue
        count[kernel] = count.get(kernel, 0) + 1
        if count[kernel] <= most:
            yield file, kernel, arguments


def explain(options, file, kernel, arguments):
    """The report, why there is none, and the arguments without those that only EXPECT lines use: `gluonc run` refuses
    them without one, too."""
    while True:
        command = [options.gluonc, "explain", f"{file}::{kernel}", *arguments, "--target", options.target, "--format",
                   "json", *tests.INCLUDE]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return None, "explain took more than 120 s", arguments
        if not result.returncode:
            return json.loads(result.stdout), "", arguments
        helper = re.search(r"has no parameter `(\w+)`", result.stderr)
        fewer = [word for word in arguments if not helper or not word.startswith(helper[1] + "=")]
        if len(fewer) == len(arguments):
            lines = [line for line in result.stderr.splitlines() if "error" in line]
            return None, (lines or ["explain failed"])[0][-200:], arguments
        arguments = fewer


# -- ncu -------------------------------------------------------------------------------------------

def number(text):
    """Of "1,024", "12.5", "n/a"."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def read_csv(text):
    """{metric: value} of the first launch, of `--page raw` (a column each) or of the default page (a row each)."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        return {}
    head, *rows = csv.reader(line for line in lines[begin:] if line.startswith('"'))
    rows = [dict(zip(head, row)) for row in rows]
    # In front of the launches there may be a row of units.
    rows = [row for row in rows if row.get("ID")]
    if not rows:
        return {}
    first = [row for row in rows if row["ID"] == rows[0]["ID"]]
    if "Metric Name" in head:
        pairs = [(row["Metric Name"], row["Metric Value"]) for row in first]
    else:
        pairs = [(name, first[0][name]) for name in head if "__" in name]
    return {name: value for name, text in pairs if (value := number(text)) is not None}


def profile(options, metrics, file, kernel, arguments):
    """{metric: value} and why there is none. Takes metrics that this ncu does not know off the list."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        for _ in range(len(metrics)):
            command = [options.ncu, "--csv", "--page", "raw", "--print-units", "base", "--log-file", str(log),
                       "--target-processes", "all", "--launch-count", "1", "--kernel-name", f"regex:^{re.escape(kernel)}",
                       "--metrics", ",".join(metrics), options.gluonc, "run", f"{file}::{kernel}", *arguments, "--device",
                       "cuda", *tests.INCLUDE]
            log.write_text("")
            try:
                result = subprocess.run(command, capture_output=True, text=True, timeout=180)
            except subprocess.TimeoutExpired:
                return {}, "ncu took more than 180 s"
            text = log.read_text(errors="replace")
            everything = text + result.stdout + result.stderr
            if "ERR_NVGPUCTRPERM" in everything:
                raise NoCounters
            unknown = set(re.findall(r"Failed to find metric (?:regex:\^)?([\w.]+)", everything)) & set(metrics)
            if unknown:
                metrics[:] = [metric for metric in metrics if metric not in unknown]
                continue
            values = read_csv(text)
            if values:
                return values, ""
            said = [line for line in everything.splitlines() if "rror" in line or "No kernels" in line]
            return {}, (said or ["ncu printed no launch"])[0][-200:]
    return {}, "ncu knows none of the metrics"


# -- Both sides ------------------------------------------------------------------------------------

def explained(report):
    """{figure: value} by explain. Atomic updates are counters of their own in ncu, and what copies past the registers write
    to shared memory is in none of those."""
    figures = {}
    opcodes = report.get("opcodes", {})
    atomic = [access for access in report["accesses"] if any(name.startswith(("atom", "red")) for name in access["ptx"])]

    def total(key, count):
        """Loads that LLVM moved have no line, so the total has more than `accesses`."""
        return sum(sign * cost.get(key, {}).get(count, 0) for sign, cost in ((1, report["total"]), *((-1, cost) for cost in atomic)))

    wavefronts = total("shared", "wavefronts") - total("shared_copies", "wavefronts")
    for op, key in (("ld", "global_loads"), ("st", "global_stores")):
        requests, sectors = total(key, "requests"), total(key, "sectors")
        if requests:
            figures[f"sectors a request, {op}"] = sectors / requests
            figures[f"requests, {op}"] = requests
    if opcodes and not any("unknown_wavefronts" in opcode for opcode in opcodes.values()):
        # ptxas joins accesses, and writes descriptors there.
        wavefronts = sum(opcode.get("wavefronts", 0) for opcode in opcodes.values())
    if wavefronts:
        figures["shared wavefronts"] = wavefronts
    if opcodes:
        figures["instructions"] = sum(opcode["executed"] for opcode in opcodes.values())
        for pipe, pattern in UNITS:
            figures[f"pipe {pipe}"] = 0
        for name, opcode in opcodes.items():
            unit = next((unit for unit, pattern in UNITS if re.match(pattern, name)), None)
            if unit:
                figures[f"pipe {unit}"] += opcode["executed"]
    resources = report["resources"]
    if resources["registers"] is not None:
        # No launch has fewer.
        figures["registers"] = max(resources["registers"], 16)
    if "occupancy" in resources:
        figures["occupancy %"] = 100 * resources["occupancy"]["warps"] / resources["occupancy"]["most_warps"]
    return figures


def counted(values):
    """The same figures of what ncu says."""
    figures = {}
    for op in ("ld", "st"):
        requests, sectors = values.get(REQUESTS.format(op)), values.get(SECTORS.format(op))
        if requests and sectors is not None:
            figures[f"sectors a request, {op}"] = sectors / requests
            figures[f"requests, {op}"] = requests
    waves = [values[name] for op in ("ld", "st") if (name := WAVEFRONTS.format(op)) in values]
    if waves and sum(waves):
        figures["shared wavefronts"] = sum(waves)
    for name, metric in (("instructions", EXECUTED), ("registers", REGISTERS), ("occupancy %", OCCUPANCY),
                         *((f"pipe {pipe}", PIPE.format(pipe)) for pipe in PIPES)):
        if metric in values:
            figures[name] = values[metric]
    return figures


def compare(ours, theirs):
    """{figure: {"explain", "ncu", "near"}} of those that both sides have."""
    rows = {}
    for name in ours:
        if name not in theirs:
            continue
        a, b = ours[name], theirs[name]
        is_count = name.startswith(("pipe", "instructions", "requests", "shared"))
        near = abs(a - b) <= NEAR * abs(b) or is_count and abs(a - b) <= FEW
        rows[name] = {"explain": round(a, 4), "ncu": round(b, 4), "near": near}
    return rows


def summary(cases):
    """{figure: {"near", "of"}} over the launches that both sides have."""
    sums = {}
    for case in cases:
        for name, row in case.get("figures", {}).items():
            entry = sums.setdefault(name, {"near": 0, "of": 0})
            entry["near"] += row["near"]
            entry["of"] += 1
    return sums


def report_of(options, cases, version, not_run=()):
    return {"gpu": version, "target": options.target, "near": NEAR, "summary": summary(cases), "cases": cases,
            "not_run": [f"{file.name}::{kernel}" for file, kernel, _ in not_run]}


def gpu():
    try:
        names = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
        return names.stdout.splitlines()[0].strip() if names.stdout else ""
    except OSError:
        return ""


def all_launches(options):
    files = options.files or sorted(path for path in (ROOT / "test/exec").glob("*.py") if path.name not in tests.SCRIPTS)
    for file in files:
        yield from launches_of(file, options.most, options.only, options.target)
    if options.tutorials:
        # In a process of its own: tensors are simulated there.
        result = subprocess.run([sys.executable, str(HERE / "tutorial_launches.py"), str(options.tutorials), "--scale",
                                 str(options.scale)], capture_output=True, text=True)
        if result.returncode:
            print(f"tutorials: not recorded: {result.stderr.strip().splitlines()[-1:]}")
            return
        for file, kernel, arguments in json.loads(result.stdout):
            if re.search(options.only, f"{pathlib.Path(file).name}::{kernel}"):
                yield pathlib.Path(file), kernel, arguments


def one(options, metrics, launch, explained_launch):
    file, kernel, arguments = launch
    report, why, arguments = explained_launch
    case = {"kernel": f"{file.name}::{kernel}", "arguments": arguments}
    if report is None:
        return {**case, "left_out": why}
    values, why = profile(options, metrics, file, kernel, arguments)
    if not values:
        return {**case, "left_out": why}
    return {**case, "figures": compare(explained(report), counted(values))}


def run_all(options, launches, metrics, cases, save):
    """Appends to `cases` what there is time for, saving after each; the launches that are left."""
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        explanations = [pool.submit(explain, options, *launch) for launch in launches]
        try:
            for i, (launch, explanation) in enumerate(zip(launches, explanations)):
                spent = time.monotonic() - begin
                # The next one takes as long as those before, and some.
                if spent + 1.5 * spent / max(i, 1) > options.budget:
                    return launches[i:]
                case = one(options, metrics, launch, explanation.result())
                cases.append(case)
                far = [f"{name} {row['explain']:g} | {row['ncu']:g}" for name, row in case.get("figures", {}).items()
                       if not row["near"]]
                print(f"{case['kernel']:50} {case.get('left_out') or '; '.join(far) or 'near'}", flush=True)
                # What was counted is kept, whatever happens to the rest.
                save()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--target", default="cuda:90a")
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=2, help="launches of each kernel")
    parser.add_argument("--tutorials", type=pathlib.Path)
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--budget", type=float, default=480, metavar="SECONDS")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which(options.ncu):
        sys.exit(f"ncu.py: there is no {options.ncu}")
    os.environ["GLUONC_CACHE_DIR"] = ""
    cases, metrics, version, not_run = [], list(METRICS), gpu(), []
    launches = in_turn(all_launches(options))

    def save():
        options.out.write_text(json.dumps(report_of(options, cases, version, launches[len(cases):]), indent=1) + "\n")

    status = 0
    try:
        not_run = run_all(options, launches, metrics, cases, save)
    except NoCounters:
        not_run = launches[len(cases):]
        print("ncu may not read counters here (ERR_NVGPUCTRPERM): the driver allows it to root, or to all with "
              "NVreg_RestrictProfilingToAdminUsers=0")
        status = 3
    report = report_of(options, cases, version, not_run)
    if missing := [metric for metric in METRICS if metric not in metrics]:
        report["unknown_metrics"] = missing
    options.out.write_text(json.dumps(report, indent=1) + "\n")
    count = sum("figures" in case for case in cases)
    print(f"{count} launches compared, {len(cases) - count} left out; explain within {100 * NEAR:g} % of ncu:")
    for name, entry in report["summary"].items():
        print(f"  {name:24} {entry['near']:4} of {entry['of']:4}  {100 * entry['near'] / entry['of']:5.1f} %")
    if not_run:
        print(f"{len(not_run)} of {len(launches)} launches not run" + ", no time" * (status == 0) + ":")
        for name in dict.fromkeys(report["not_run"]):
            print(f"  {name} {report['not_run'].count(name)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
