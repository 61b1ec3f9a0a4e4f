#!/usr/bin/env python3
"""Random kernels against NumPy, on the simulator, as executed PTX or on a GPU.

    run.py [--count 200] [--seed 0] [--length 14] [--clusters 1,2,4]
           [--hopper | --blackwell | --amd CHIP | --views | --triton [--defaults BIN]]
           [--device cpu|ptx|cuda|amdgcn] [--form ptx] [--jobs 1] [--batch 40] [--limit SECONDS] [--keep DIR]

Needs the package gluonc (and PyTorch for a GPU). A program that the compiler refuses, that faults
or whose result is wrong is shrunk: to the first wrong step, then by reading its operands from
memory instead of computing them. What is left is printed, kernel and all. With --views the programs
are right and wrong ones of views.py, and a refusal is fine where everybody refuses. On `ptx` each
runs on the simulator, and then as the PTX that a GPU would get. With --amd they are for gfx942, gfx950,
gfx1100, gfx1200 or gfx1250, and `amdgcn` executes that machine code after the simulator. With --triton
they are of the Triton language, each for one of several chips; `ptx` executes what that chip gets, and
with --defaults each also computes the same with the default layout of every shape.

The programs run in other processes, a batch at a time, --jobs of them at once. One that crashes or
hangs its process is a failure of that program; the rest of the batch runs in a new process. After
--limit seconds no batch is started; the summary counts what ran.

Exit status: 0 all right, 1 something failed, 77 the package is missing.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import importlib.util
import json
import os
import pathlib
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

HEAD = '''import gluonc as gluon
from gluonc import language as gl
from gluonc.language.amd import cdna3, cdna4, cdna5, rdna3, rdna4
from gluonc.language.nvidia.blackwell import (TensorMemoryLayout, TensorMemoryScalesLayout,
                                              allocate_tensor_memory, tcgen05_commit, tcgen05_copy,
                                              tcgen05_mma, tcgen05_mma_scaled)
from gluonc.language.nvidia.hopper import (async_store, fence_async_shared, mbarrier, tma,
                                           warpgroup_mma, warpgroup_mma_wait)

'''


def head():
    """What every file of Gluon's kernels begins with."""
    import steps
    return HEAD + steps.HELPERS + steps.GLUON_HELPERS


class Runner:
    # Programs that were not refused.
    accepted = 0
    head = staticmethod(head)

    def __init__(self, options, folder):
        from gluonc import errors
        self.errors, self.options, self.folder, self.count = errors, options, folder, 0
        # A form of machine code to make of every kernel.
        self.device, self.form = options.device, options.form

    def make(self, rng):
        import steps
        chip = "blackwell" if self.options.blackwell else "hopper" if self.options.hopper else self.options.amd
        return steps.make(rng, self.options.length, self.options.clusters, chip,
                          host_describes=self.options.device != "ptx", kinds=self.options.kinds)

    @staticmethod
    def source(program, name):
        from program import source
        return source(program, name)

    def load(self, programs):
        """A module with one kernel a program: k0, k1, …"""
        self.count += 1
        path = pathlib.Path(self.folder) / f"random_{self.count}.py"
        path.write_text(self.head() + "\n\n" + "\n\n".join(
            self.source(p, f"k{i}") for i, p in enumerate(programs)))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def outcome(self, kernel, program):
        """None where every output is right, else what is wrong."""
        loaded = [self.to_device(program.steps[i].value.astype(self.memory_type(program.steps[i])))
                  for i in program.inputs()]
        described = [self.argument(tensor, self.to_device(tensor.memory))
                     for _, tensor in program.tensors()]
        stored = [self.to_device(self.before(program, i)) for i in program.outputs]
        targets = [self.argument(getattr(program.modes.get(i), "tensor", None), memory)
                   for i, memory in zip(program.outputs, stored)]
        try:
            self.compiled = kernel[(1,)](*loaded, *described, *targets, *program.scalars,
                                         enable_fp_fusion=False, **program.launch_options())
            if self.form:
                self.compiled.asm[self.form]
        except self.errors.GluonError as error:
            # How much LDS there is nobody asks when a program is made.
            if program.chip and "SharedMemoryExceeded" in str(error):
                return None
            return str(error).strip()
        return self.difference(program, [self.to_host(result) for result in stored])

    @staticmethod
    def difference(program, results):
        """What of the outputs is wrong, None where nothing is."""
        import numpy as np
        for i, result in zip(program.outputs, results):
            expected = program.expected(i)
            result = result.astype(expected.dtype)
            if not np.array_equal(result, expected, equal_nan=expected.dtype.kind == "f"):
                wrong = np.flatnonzero(result.ravel() != expected.ravel())
                return (f"v{i} is wrong at {len(wrong)} of {expected.size} places, first at "
                        f"{wrong[0]}: {result.ravel()[wrong[0]]} for {expected.ravel()[wrong[0]]}")
        return None

    @staticmethod
    def memory_type(step):
        import numpy as np
        return np.int8 if step.dtype == "int1" else step.value.dtype

    def before(self, program, i):
        """What an output's memory holds at first."""
        import numpy as np
        if hasattr(program.modes.get(i), "tensor"):
            return program.modes[i].tensor.memory.copy()
        return np.full(program.steps[i].shape, 85, self.memory_type(program.steps[i]))

    @staticmethod
    def argument(tensor, memory):
        """The memory, or its descriptor where the host makes one."""
        if not tensor or not tensor.on_host:
            return memory
        from gluonc import language as gl
        from gluonc.nvidia.hopper import TensorDescriptor
        return TensorDescriptor(memory, tensor.shape, tensor.strides, tensor.block,
                                eval(tensor.layout, {"gl": gl}), tensor.padding)

    def to_device(self, array):
        if self.device != "cuda":
            return array
        import torch
        return torch.from_numpy(array.copy()).cuda()

    def to_host(self, array):
        return array if self.device != "cuda" else array.cpu().numpy()

    def check(self, program):
        return self.outcome(self.load([program]).k0, program)

    def shrink(self, program):
        """A smaller program that still fails, and how."""
        return shrink(self, program)


class MachineCodeRunner(Runner):
    """Has `gluonc run` execute the PTX, or AMD's code, of what was right on the simulator."""

    def outcome(self, kernel, program):
        return super().outcome(kernel, program) or self.executed(kernel.fn.__code__, program, self.device)

    def executed(self, code, program, device, *options):
        import numpy as np
        from gluonc._engine import simulated_target
        from gluonc.__main__ import _PROGRAM
        arrays = {f"p{i}": program.steps[i].value.astype(self.memory_type(program.steps[i]))
                  for i in program.inputs()}
        arrays |= {tensor_name: tensor.memory for tensor_name, tensor in program.tensors()}
        arrays |= {f"q{i}": self.before(program, i) for i in program.outputs}
        folder = pathlib.Path(self.folder)
        command = [_PROGRAM, "run", f"{code.co_filename}::{code.co_name}", "--device", device, "--no-cache",
                   "--target", simulated_target(), "--no-fp-fusion", *options,
                   *(f"--{name.replace('_', '-')}={value}" for name, value in program.launch_options().items()),
                   *(f"n{k}={scalar}" for k, scalar in enumerate(program.scalars))]
        for argument, array in arrays.items():
            np.save(folder / f"{argument}.npy", array)
            command.append(f'{argument}=npy("{folder}/{argument}.npy")')
        for i in program.outputs:
            command += ["--save", f"q{i}={folder}/q{i}_after.npy"]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode and program.chip and "SharedMemoryExceeded" in ran.stderr:
            return None
        if ran.returncode:
            return f"executed {device} {' '.join(options)}: " + (ran.stderr or ran.stdout).strip()[:2000]
        wrong = self.difference(program, [np.load(folder / f"q{i}_after.npy") for i in program.outputs])
        return wrong and f"executed {device} {' '.join(options)}: " + wrong


class TritonRunner(MachineCodeRunner):
    """Runs programs of the Triton language, each for the chip that it names."""

    def __init__(self, options, folder):
        import triton_programs
        from gluonc import _aliases
        super().__init__(options, folder)
        self.programs = triton_programs
        _aliases.install("own")

    def make(self, rng):
        return self.programs.make(rng, self.options.length)

    def head(self):
        return self.programs.HEAD + self.programs.HELPERS

    def outcome(self, kernel, program):
        from gluonc._engine import simulated_target
        os.environ["GLUONC_SIMULATE"] = program.target
        # It is asked once a process.
        simulated_target.cache_clear()
        wrong, code = Runner.outcome(self, kernel, program), kernel.fn.__code__
        if not wrong and self.options.defaults:
            wrong = self.with_default_layouts(code, program)
        if not wrong and self.device == "ptx":
            wrong = self.executed(code, program, "amdgcn" if program.target.startswith("hip") else "ptx")
        return wrong

    def with_default_layouts(self, code, program):
        stated, chosen = (pathlib.Path(self.folder) / name for name in ("kernel.ttir", "kernel.ttgir"))
        stated.write_text(self.compiled.asm["ttir"])
        made = subprocess.run([f"{self.options.defaults}/gluon-opt", stated, "-o", chosen,
                               f"-gluonc-assign-default={program.target}"], capture_output=True, text=True)
        if made.returncode:
            return "default layouts: " + made.stderr[:2000]
        return self.executed(code, program, "cpu", "--ttgir", str(chosen))


class ViewRunner(Runner):
    """Runs programs of views.py."""

    def __init__(self, options, folder):
        import views
        super().__init__(options, folder)
        self.views, self.takers = views, views.Takers(options.form)

    def make(self, rng):
        return self.views.make(rng, self.options.clusters)

    @staticmethod
    def source(program, name):
        return program.source(name)

    def outcome(self, kernel, program):
        problem, accepted = self.takers.outcome(kernel, program)
        self.accepted += accepted
        return problem

    def shrink(self, program):
        problem = self.check(program)
        for smaller in program.smaller():
            if self.check(smaller):
                return self.shrink(smaller)
        return program, problem


def as_input(program, i):
    """The program with step i read from memory."""
    from program import Step, rows
    step = program.steps[i]
    steps = list(program.steps)
    layout = step.layout or rows(step.shape, program)
    steps[i] = Step("", [], step.value, step.dtype, layout, True)
    return dataclasses.replace(program, steps=steps).only(program.outputs)


def shrink(runner, program, budget=200):
    """A smaller program that still fails, and how."""
    for i in range(len(program.steps)):
        # What only one step reads has any shape, and is right.
        if program.steps[i].is_private and program.steps[i].is_input:
            continue
        small = program.only([i])
        problem = runner.check(small)
        if problem:
            break
    else:
        return program, runner.check(program)
    progress = True
    while progress and budget > 0:
        progress = False
        for i in range(len(small.steps) - 1):
            if small.steps[i].is_input:
                continue
            smaller = as_input(small, i)
            budget -= 1
            found = runner.check(smaller)
            if found and len(smaller.steps) < len(small.steps) or (
                    found and not smaller.steps[-1].is_input and
                    sum(s.is_input for s in smaller.steps) > sum(s.is_input for s in small.steps)):
                small, problem, progress = smaller, found, True
                break
    return small, problem


def run_batch(runner, seeds, answer):
    """Runs the programs of some seeds and answers how each ended."""
    programs = [runner.make(random.Random(seed)) for seed in seeds]
    module = runner.load(programs)
    before = runner.accepted
    for i, (seed, item) in enumerate(zip(seeds, programs)):
        answer({"seed": seed})
        problem = runner.outcome(getattr(module, f"k{i}"), item)
        if problem is not None:
            accepted = runner.accepted
            small, again = runner.shrink(item)
            runner.accepted = accepted
            if not again:
                # A race, say: the program as it is.
                small, again = item, "not every time: " + problem
            answer({"problem": again, "text": runner.source(small, "k"), "head": runner.head()})
    answer({"done": len(programs), "accepted": runner.accepted - before})


def work(options):
    """The other process: batches from standard input until it closes, an answer a line."""
    answers = sys.stdout
    # What the compiler warns of is no answer.
    sys.stdout = sys.stderr
    with tempfile.TemporaryDirectory() as folder:
        kind = (ViewRunner if options.views else TritonRunner if options.triton else
                MachineCodeRunner if options.device in ("ptx", "amdgcn") else Runner)
        runner = kind(options, folder)
        for line in sys.stdin:
            run_batch(runner, json.loads(line),
                      lambda what: print(json.dumps(what), file=answers, flush=True))


class Worker:
    """A process that runs batches, started again when it dies or says nothing for too long."""

    def __init__(self, arguments, patience):
        self.command = [sys.executable, __file__, "--worker", *arguments]
        self.patience, self.process = patience, None
        # Programs that were not refused.
        self.accepted = 0

    def start(self):
        # What it prints beside the protocol says how it died.
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process, self.lines), daemon=True).start()

    @staticmethod
    def read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def next_line(self):
        """What the process says next; None if it died, "hangs" if it is silent."""
        try:
            return self.lines.get(timeout=self.patience)
        except queue.Empty:
            return "hangs"

    def death(self, line):
        self.process.kill()
        status = self.process.wait()
        self.errors.seek(0)
        last = self.errors.read()[-2000:]
        how = "the process hangs" if line == "hangs" else f"the process died with status {status}"
        return {"problem": how, "text": last, "head": ""}

    def batch(self, seeds):
        """[(seed, {"problem", "text"})] of the programs that failed."""
        failures = []
        while seeds:
            if not self.process:
                self.start()
            self.process.stdin.write(json.dumps(seeds) + "\n")
            self.process.stdin.flush()
            at = None
            while True:
                line = self.next_line()
                if line in (None, "hangs"):
                    failures.append((seeds[0] if at is None else at, self.death(line)))
                    self.process = None
                    seeds = seeds[seeds.index(at) + 1 if at is not None else 1:]
                    break
                said = json.loads(line)
                if "done" in said:
                    self.accepted += said["accepted"]
                    return failures
                if "seed" in said:
                    at = said["seed"]
                else:
                    failures.append((at, said))
        return failures


class Summary:
    """Counts failures by their first line and prints the first few of them."""

    def __init__(self, options):
        self.options, self.kinds = options, collections.Counter()
        self.done, self.last, self.lock = 0, time.monotonic(), threading.Lock()
        self.accepted = 0

    def add(self, count, failures):
        with self.lock:
            self.done += count
            for seed, failure in failures:
                self.failed(seed, failure)
            if time.monotonic() - self.last > 10:
                self.last = time.monotonic()
                print(f"{self.done} of {self.options.count}, {sum(self.kinds.values())} failed",
                      flush=True)

    def failed(self, seed, failure):
        problem, text = failure["problem"], failure["text"]
        # Without the place.
        self.kinds[(problem.splitlines() or [""])[0].split(": ", 1)[-1][:70]] += 1
        if sum(self.kinds.values()) > self.options.show:
            return
        print(f"== seed {seed}: {problem}\n{text}\n", flush=True)
        if self.options.keep:
            pathlib.Path(self.options.keep).mkdir(parents=True, exist_ok=True)
            path = pathlib.Path(self.options.keep) / f"seed_{seed}.py"
            path.write_text(failure["head"] + text)

    def finish(self):
        for key, count in self.kinds.most_common():
            print(f"{count:6d}  {key}")
        first, failed = self.options.seed, sum(self.kinds.values())
        seeds = f"({self.options.device}, seeds {first} to {first + self.done - 1})"
        if self.options.views:
            print(f"{self.accepted} of {self.done} random programs were accepted; {failed} of all "
                  f"failed {seeds}")
            # Who refuses everything is never wrong.
            return 1 if failed or self.accepted < self.done // 4 else 0
        print(f"{self.done - failed} of {self.done} random kernels are right {seeds}")
        return 1 if failed else 0


def share_out(options, summary):
    """Batches for the workers; those of the lowest seeds first."""
    arguments = ["--device", options.device, "--length", str(options.length),
                 "--clusters", ",".join(map(str, options.clusters)),
                 *(["--form", options.form] if options.form else []),
                 *(["--hopper"] if options.hopper else []),
                 *(["--blackwell"] if options.blackwell else []),
                 *(["--amd", options.amd] if options.amd else []),
                 *(["--kinds", ",".join(options.kinds)] if options.kinds else []),
                 *(["--views"] if options.views else []),
                 *(["--triton"] if options.triton else []),
                 *(["--defaults", options.defaults] if options.defaults else [])]
    end = options.seed + options.count
    starts = iter(range(options.seed, end, options.batch))
    started, lock = time.monotonic(), threading.Lock()

    def run():
        worker = Worker(arguments, options.patience)
        try:
            while not options.limit or time.monotonic() - started < options.limit:
                with lock:
                    start = next(starts, None)
                if start is None:
                    break
                seeds = list(range(start, min(start + options.batch, end)))
                summary.add(len(seeds), worker.batch(seeds))
        finally:
            with lock:
                summary.accepted += worker.accepted
            worker.stop()

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for ended in [pool.submit(run) for _ in range(options.jobs)]:
            ended.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--length", type=int, default=14)
    parser.add_argument("--clusters", default=[1], metavar="N,...",
                        type=lambda text: [int(n) for n in text.split(",")],
                        help="CTAs that a program may have, one of these")
    parser.add_argument("--hopper", action="store_true",
                        help="half of the steps use what is new in Hopper: the copy engine, "
                        "mbarriers, partitions, products of warpgroups")
    parser.add_argument("--blackwell", action="store_true",
                        help="the same for Blackwell: tensor memory and its products, for cuda:100a")
    parser.add_argument("--amd", metavar="CHIP", choices=["gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1250"],
                        help="half of the steps use what this chip of AMD's has")
    parser.add_argument("--kinds", default=[], metavar="NAME,...", type=lambda text: text.split(","),
                        help="with --hopper and --blackwell: of what is new, steps of these kinds alone, which "
                        "are functions")
    parser.add_argument("--views", action="store_true",
                        help="buffers and views of them that may be wrong, for the simulator and "
                        "code generation")
    parser.add_argument("--triton", action="store_true", help="kernels of the Triton language")
    parser.add_argument("--defaults", metavar="BIN",
                        help="the folder of gluon-opt: those kernels in default layouts, too")
    parser.add_argument("--device", choices=["cpu", "ptx", "cuda", "amdgcn"], default="cpu")
    parser.add_argument("--form", choices=["llir", "ptx", "cubin", "amdgcn", "hsaco"],
                        help="also make this of every kernel, whether a GPU is there or not")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--batch", type=int, default=40, help="kernels in a file")
    parser.add_argument("--limit", type=float, help="seconds after which no batch is started")
    parser.add_argument("--patience", type=float, default=120,
                        help="seconds that a program may take")
    parser.add_argument("--keep", help="folder for the failing kernels")
    parser.add_argument("--show", type=int, default=10, help="failures to print")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        import gluonc  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as error:
        print("skipped:", error)
        return 77
    if options.blackwell:
        os.environ.setdefault("GLUONC_SIMULATE", "cuda:100a")
    if options.amd:
        os.environ["GLUONC_SIMULATE"] = f"hip:{options.amd}"
    if options.worker:
        work(options)
        return 0
    summary = Summary(options)
    share_out(options, summary)
    return summary.finish()


if __name__ == "__main__":
    sys.exit(main())
