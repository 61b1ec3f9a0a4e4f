#!/usr/bin/env python3
"""Random kernels against NumPy, on the simulator or on a GPU.

    run.py [--count 200] [--seed 0] [--length 14] [--device cpu|cuda] [--form ptx]
           [--batch 40] [--keep DIR]

Needs the package gluonc (and PyTorch for a GPU). A program that the compiler refuses, that faults
or whose result is wrong is shrunk: to the first wrong step, then by reading its operands from
memory instead of computing them. What is left is printed, kernel and all.

Exit status: 0 all right, 1 something failed, 77 the package is missing.
"""

import argparse
import collections
import importlib.util
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

HEAD = '''import gluonc as gluon
from gluonc import language as gl

'''


class Runner:
    def __init__(self, device, folder, form=None):
        from gluonc import errors
        self.errors, self.device, self.folder, self.count = errors, device, folder, 0
        # A form of machine code to make of every kernel.
        self.form = form

    def load(self, programs):
        """A module with one kernel a program: k0, k1, …"""
        import program
        import steps
        self.count += 1
        path = pathlib.Path(self.folder) / f"random_{self.count}.py"
        path.write_text(HEAD + steps.HELPERS + "\n\n" + "\n\n".join(
            program.source(p, f"k{i}") for i, p in enumerate(programs)))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def outcome(self, kernel, program):
        """None where every output is right, else what is wrong."""
        import numpy as np
        stored = [np.full(program.steps[i].shape, 85, self.memory_type(program.steps[i]))
                  for i in program.outputs]
        loaded = [program.steps[i].value.astype(self.memory_type(program.steps[i]))
                  for i in program.inputs()]
        arguments = [self.to_device(a) for a in [*loaded, *stored]]
        try:
            compiled = kernel[(1,)](*arguments, *program.scalars, num_warps=program.num_warps,
                                    enable_fp_fusion=False)
            if self.form:
                compiled.asm[self.form]
        except self.errors.GluonError as error:
            return str(error).strip()
        for i, result in zip(program.outputs, arguments[len(loaded):]):
            expected = program.steps[i].value
            result = self.to_host(result).astype(expected.dtype)
            if not np.array_equal(result, expected, equal_nan=expected.dtype.kind == "f"):
                wrong = np.flatnonzero(result.ravel() != expected.ravel())
                return (f"v{i} is wrong at {len(wrong)} of {expected.size} places, first at "
                        f"{wrong[0]}: {result.ravel()[wrong[0]]} for {expected.ravel()[wrong[0]]}")
        return None

    @staticmethod
    def memory_type(step):
        import numpy as np
        return np.int8 if step.dtype == "int1" else step.value.dtype

    def to_device(self, array):
        if self.device == "cpu":
            return array
        import torch
        return torch.from_numpy(array.copy()).cuda()

    def to_host(self, array):
        return array if self.device == "cpu" else array.cpu().numpy()

    def check(self, program):
        return self.outcome(self.load([program]).k0, program)


def as_input(program, i):
    """The program with step i read from memory."""
    from program import Step
    step = program.steps[i]
    steps = list(program.steps)
    layout = step.layout or ("gl.BlockedLayout({0}, {1}, {2}, {3})".format(
        [1] * len(step.shape), [1] * (len(step.shape) - 1) + [32],
        [1] * (len(step.shape) - 1) + [program.num_warps], list(reversed(range(len(step.shape))))))
    steps[i] = Step("", [], step.value, step.dtype, layout, True)
    changed = type(program)(program.num_warps, steps, program.outputs, program.scalars)
    return changed.only(changed.outputs)


def shrink(runner, program, budget=200):
    """A smaller program that still fails, and how."""
    for i in range(len(program.steps)):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--length", type=int, default=14)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--form", choices=["llir", "ptx", "cubin"],
                        help="also make this of every kernel, whether a GPU is there or not")
    parser.add_argument("--batch", type=int, default=40, help="kernels in a file")
    parser.add_argument("--keep", help="folder for the failing kernels")
    parser.add_argument("--show", type=int, default=10, help="failures to print")
    options = parser.parse_args()
    try:
        import gluonc  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as error:
        print("skipped:", error)
        return 77
    import program
    import steps
    failures = collections.Counter()
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.device, folder, options.form)
        while done < options.count:
            batch = [steps.make(random.Random(options.seed + done + i), options.length)
                     for i in range(min(options.batch, options.count - done))]
            module = runner.load(batch)
            for i, item in enumerate(batch):
                problem = runner.outcome(getattr(module, f"k{i}"), item)
                if problem is None:
                    continue
                small, problem = shrink(runner, item)
                # Without the place.
                failures[problem.splitlines()[0].split(": ", 1)[-1][:70]] += 1
                if sum(failures.values()) <= options.show:
                    text = program.source(small, "k")
                    print(f"== seed {options.seed + done + i}: {problem}\n{text}\n", flush=True)
                    if options.keep:
                        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                        name = f"seed_{options.seed + done + i}.py"
                        (pathlib.Path(options.keep) / name).write_text(HEAD + steps.HELPERS + text)
            done += len(batch)
    for key, count in failures.most_common():
        print(f"{count:6d}  {key}")
    print(f"{done - sum(failures.values())} of {done} random kernels are right "
          f"({options.device}, seeds {options.seed} to {options.seed + done - 1})")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
