#!/usr/bin/env python3
"""Kernels of public libraries of the Triton language, unmodified, built by gluonc and by Triton, on one GPU in one run.

    corpus.py FOLDER --out FILE.json [--only REGEX] [--rounds 2] [--configurations 3] [--jobs N]
    corpus.py FOLDER --out FILE.json --small cuda:90a

FOLDER holds the packages (liger_kernel, fla, attorch, cut_cross_entropy, einops); gluonc and Triton must be installed.
`corpus_cases/` has the workloads. Each side runs in processes of its own (`--side`, which the program calls itself with):
`python -m gluonc --triton own` answers for all of triton. First, in parallel, every workload is compiled, and its results and
gradients are compared with float64. Then, in turns, one side at a time, the profiler gives the time of each kernel: the sum of its
launches in a call, the median of the calls, the L2 cache flushed before each. Both sides autotune, each for itself, among
--configurations of those that a kernel's pruning leaves, spread evenly. Writes JSON; prints a table. Exit status 1 when a
result of gluonc's was wrong. --small runs tiny sizes on a simulated GPU, gluonc alone, without times.
"""

import argparse
import concurrent.futures
import contextlib
import datetime
import json
import math
import os
import pathlib
import queue
import re
import select
import statistics
import subprocess
import sys
import tempfile
import traceback

CALLS = 12
LIMIT = 150  # seconds for an answer


def kernel_names(folder):
    """Names of all functions that the packages mark with triton.jit."""
    pattern = re.compile(r"^@triton\.jit.*?^def (\w+)", re.M | re.S)
    return {name for path in pathlib.Path(folder).rglob("*.py")
            for name in pattern.findall(path.read_text(encoding="utf-8", errors="replace"))}


def shorten_tuning(count, small):
    """Lets both sides' autotuners measure so many configurations, briefly."""
    import triton
    from triton.runtime.autotuner import Autotuner
    pruned = Autotuner.prune_configs

    def prune(self, kwargs):
        configs = list(pruned(self, kwargs))
        if not small and self._do_bench is None:
            self._do_bench = lambda call, quantiles: triton.testing.do_bench(call, warmup=2, rep=10, quantiles=quantiles)
        kept = min(count, len(configs))
        return [configs[at * len(configs) // kept] for at in range(kept)]
    Autotuner.prune_configs = prune


class Workload:
    """A case with its inputs. `step(*fresh())` gives results and gradients."""

    def __init__(self, name, small):
        import torch
        import corpus_cases
        make, self.tolerance = corpus_cases.load()[name]
        self.torch, self.data = torch, corpus_cases.Data(small)
        self.inputs, self.call, self.reference, *part = make(self.data)
        self.part = part[0] if part else None
        self.upstream = None

    def fresh(self):
        """Inputs and gradients of results for one step, which may write to both."""
        return ([x.detach().clone().requires_grad_(x.is_floating_point()) for x in self.inputs],
                [x.clone() for x in self.upstream or self._upstream()])

    def _upstream(self):
        with self.torch.no_grad():
            found = self.call(*[x.clone() for x in self.inputs])
        self.upstream = [self.data.normal(*x.shape, dtype=x.dtype) for x in (found if isinstance(found, (tuple, list)) else [found])]
        return self.upstream

    def _run(self, call, inputs, upstream):
        found = call(*inputs)
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        wanted = [at for at, x in enumerate(found) if x.requires_grad]
        if not wanted:
            return found, []
        leaves = [x for x in inputs if x.requires_grad]
        return found, list(self.torch.autograd.grad([found[at] for at in wanted], leaves, [upstream[at] for at in wanted]))

    def step(self, inputs, upstream):
        found, gradients = self._run(self.call, inputs, upstream)
        return [x.detach() for x in found + gradients]

    def _cut(self, x):
        return x if self.part is None else x[:1, :, :self.part]

    def error(self, found):
        """The largest difference from float64, relative to the largest value of that result or gradient."""
        exact = [self._cut(x.detach()).double().requires_grad_() if x.is_floating_point() else x for x in self.inputs]
        results, gradients = self._run(self.reference, exact, [self._cut(x).double() for x in self.upstream])
        worst = 0.0
        for got, wanted in zip(found, results + gradients[:len(found) - len(results)], strict=True):
            got, wanted = self._cut(got).double(), wanted.detach().double()
            apart = (got - wanted).abs().max().item()
            worst = max(worst, apart / max(wanted.abs().max().item(), 1e-30)) if math.isfinite(apart) else math.inf
        return worst


def kernel_times(workload, names):
    """{kernel: {"us": the median of calls, "launches": of one call}} from CUPTI."""
    import torch
    from torch.profiler import ProfilerActivity, profile
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    for _ in range(3):
        workload.step(*workload.fresh())
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(CALLS):
            fresh = workload.fresh()
            flush.zero_()
            workload.step(*fresh)
        torch.cuda.synchronize()
    events = sorted((event.start_ns(), event.name(), event.duration_ns()) for event in profiler.profiler.kineto_results.events()
                    if event.device_type() == torch.autograd.DeviceType.CUDA)
    if not events:
        raise RuntimeError("the profiler saw no kernel: is CUPTI there?")
    launches = {}
    for _, name, duration in events:
        if name in names:
            launches.setdefault(name, []).append(duration / 1e3)
    found = {}
    for name, times in launches.items():
        each, rest = divmod(len(times), CALLS)
        sums = [sum(times[at * each:(at + 1) * each]) for at in range(CALLS)] if not rest else [sum(times) / CALLS]
        found[name] = {"us": statistics.median(sums), "launches": len(times) / CALLS}
    return found


def answer(request, options, names, kept):
    """What a process of one side says of a case: its error, or the times of its kernels."""
    import torch
    name = request["case"]
    try:
        if name not in kept:  # the inputs of another case go
            kept.clear()
            if not options.small:
                torch.cuda.empty_cache()
            kept[name] = Workload(name, options.small)
        if request["do"] == "time":
            return {"kernels": kernel_times(kept[name], names)}
        workload = kept.pop(name)
        report = {"error": workload.error(workload.step(*workload.fresh())), "tolerance": workload.tolerance}
        if options.small:
            from gluonc import _jit
            report["launched"] = sorted({kernel.__name__ for kernel in _jit._launched})
            _jit._launched.clear()
        return report
    except Exception as failure:  # one that fails must not hide the others
        traceback.print_exc()
        kept.clear()
        return {"failure": f"{type(failure).__name__}: {str(failure)[-600:]}"}


def run_side(options):
    """In a process of one side: a line of JSON for each line of stdin, until it ends."""
    sys.path[:0] = [str(pathlib.Path(options.folder).resolve()), str(pathlib.Path(__file__).resolve().parent)]
    sys.modules["transformers"] = None  # Liger Kernel does without, and imports quicker
    shorten_tuning(options.configurations, options.small)
    import torch
    names, kept = kernel_names(options.folder), {}
    with open(options.reply, "w", encoding="utf-8") as replies:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line), options, names, kept)), file=replies, flush=True)
            if not options.small:
                torch.cuda.synchronize()  # ends the process after a fault on the GPU
    return 0


class Side:
    """A process of one side, which is started again after it ended."""

    def __init__(self, side, options, cache):
        self.process = None
        python = [sys.executable, *(["-m", "gluonc", "--triton", "own"] if side == "gluonc" else [])]
        python[3:3] = ["--simulate", options.small] if options.small else []
        self.command = [*python, __file__, options.folder, "--side", side, "--configurations", str(options.configurations),
                        "--small", options.small]
        self.environment = {**os.environ, "TRITON_CACHE_DIR": os.path.join(cache, "triton"), "FLA_CACHE_RESULTS": "0",
                            "GLUONC_CACHE_DIR": os.path.join(cache, "gluonc")}

    def _start(self):
        reply, other = os.pipe()
        self.log = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.process = subprocess.Popen([*self.command, "--reply", str(other)], env=self.environment, stdin=subprocess.PIPE,
                                        text=True, stdout=self.log, stderr=self.log, pass_fds=[other])
        os.close(other)
        self.replies = open(reply, encoding="utf-8")

    def ask(self, do, case):
        if self.process is None:
            self._start()
        try:
            print(json.dumps({"do": do, "case": case}), file=self.process.stdin, flush=True)
        except BrokenPipeError:  # it ended after its last answer
            self.close()
            return self.ask(do, case)
        said = self.replies.readline() if select.select([self.replies], [], [], LIMIT)[0] else ""
        if said:
            return json.loads(said)
        self.process.kill()
        status = self.process.wait()
        self.log.seek(0)
        report = {"failure": f"its process ended with {status}, or took {LIMIT} s: {self.log.read()[-600:]}"}
        self.close()
        return report

    def close(self):
        if self.process is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            self.process.wait()
            self.replies.close()
            self.log.close()
            self.process = None


def check_all(cases, sides, options, cache):
    """{side: {case: ...}}: every case compiled and compared, in parallel. Triton compiles longer and gets more processes."""
    checked = {side: {} for side in sides}

    def work(side, left):
        with contextlib.closing(Side(side, options, cache)) as process, contextlib.suppress(queue.Empty):
            while True:
                case = left.get_nowait()
                checked[side][case] = process.ask("check", case)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        tasks = []
        for side in sides:
            left = queue.SimpleQueue()
            for case in cases:
                left.put(case)
            share = options.jobs if options.small else max(1, options.jobs * (3 if side == "triton" else 1) // 4)
            tasks += [pool.submit(work, side, left) for _ in range(min(share, len(cases)))]
        for task in tasks:
            task.result()
    return {side: {case: said[case] for case in cases} for side, said in checked.items()}


def time_all(cases, sides, options, cache):
    """{side: {case: what each round said}}, one side at a time."""
    timed = {side: {case: [] for case in cases} for side in sides}
    with contextlib.ExitStack() as stack:
        processes = {side: stack.enter_context(contextlib.closing(Side(side, options, cache))) for side in sides}
        for case in cases:
            for _ in range(options.rounds):
                for side, process in processes.items():
                    timed[side][case].append(process.ask("time", case))
    return timed


def is_right(said, other=None):
    """Within the tolerance, or, where the library's own rounding is coarser, as near as what Triton built."""
    return "failure" not in said and said["error"] <= max(said["tolerance"], 1.25 * (other or {}).get("error", 0))


def rows(timed):
    """A row for each kernel that both sides launched, the slowest beside Triton first."""
    found = []
    for case, rounds in timed["gluonc"].items():
        pairs = list(zip(rounds, timed["triton"][case]))
        for name in sorted(set.intersection(*({*each.get("kernels", ())} for pair in pairs for each in pair))):
            ours, theirs = ([each["kernels"][name]["us"] for each in side] for side in zip(*pairs))
            found.append({"case": case, "kernel": name, "gluonc_us": ours, "triton_us": theirs,
                          "launches": [each["kernels"][name]["launches"] for each in pairs[0]],
                          "ratio": statistics.median(ours) / statistics.median(theirs)})
    return sorted(found, key=lambda row: -row["ratio"])


def tell(report):
    for row in report["kernels"]:
        print(f"{row['ratio']:6.3f}  {statistics.median(row['gluonc_us']):9.1f} us  {statistics.median(row['triton_us']):9.1f} us"
              f"  {row['case']:32} {row['kernel']}")
    for side, cases in report["checked"].items():
        for name, said in cases.items():
            if not is_right(said):
                print(f"{side}: {name}: " + said.get("failure", f"differs by {said.get('error')}"))
    beside = report["checked"].get("triton", {})
    right = [name for name, said in report["checked"]["gluonc"].items() if is_right(said, beside.get(name))]
    print(f"right: {len(right)} of {len(report['checked']['gluonc'])} workloads")
    if ratios := [row["ratio"] for row in report["kernels"]]:
        report["geometric_mean"] = math.exp(statistics.fmean(map(math.log, ratios)))
        report["above_1.05"] = sum(ratio > 1.05 for ratio in ratios)
        print(f"{len(ratios)} kernels: geometric mean {report['geometric_mean']:.3f}, {report['above_1.05']} above 1.05")
    return len(right) == len(report["checked"]["gluonc"])


def run(options):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    import corpus_cases
    cases = [name for name in corpus_cases.load() if re.search(options.only, name)]
    sides = ["gluonc"] if options.small else ["gluonc", "triton"]
    report = {"what": "time of each kernel in one forward and backward call, by CUPTI; both sides autotuned",
              "date": datetime.date.today().isoformat(), "configurations": options.configurations, "kernels": []}
    with tempfile.TemporaryDirectory() as cache:
        report["checked"] = check_all(cases, sides, options, cache)
        if not options.small:
            import torch
            import triton
            report.update(device=torch.cuda.get_device_name(), torch=torch.__version__, triton=triton.__version__)
            timed = time_all(cases, sides, options, cache)
            report["kernels"] = rows(timed)
            report["not_timed"] = {side: {name: said["failure"] for name, each in timed[side].items()
                                          for said in each if "failure" in said} for side in sides}
    right = tell(report)
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0 if right else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--out")
    parser.add_argument("--only", default="", help="cases whose name this finds")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--configurations", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=min(16, os.cpu_count()),
                        help="processes that compile and compare at once")
    parser.add_argument("--small", metavar="TARGET", default="")
    parser.add_argument("--side", choices=("gluonc", "triton"), help=argparse.SUPPRESS)
    parser.add_argument("--reply", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    return run_side(options) if options.side else run(options)


if __name__ == "__main__":
    sys.exit(main())
