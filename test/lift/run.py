#!/usr/bin/env python3
"""Lifts kernels of the Triton language, and holds what is printed against the kernel itself.

For each `# RUN:` line of the kernel files (test/exec/run.py says what those are) and each target:

  - `gluonc lift` prints the file, or fails: it compares the assembly of both kernels.
  - The lifted kernel gives the results that the line expects, on the simulator.
  - IR of both after all passes is compared, up to names and SAYS_NOTHING. Where it differs, that is
    counted apart: the assembly is the same.

    run.py --gluonc build/release/bin/gluonc [--target CHIP]... [--verbose] [FILE...]

Prints what fails, and counts. Exit status 1 where something does.
"""

import argparse
import ast
import collections
import concurrent.futures
import difflib
import functools
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXEC = HERE.parent / "exec"

# Another script of the name `run`.
_spec = importlib.util.spec_from_file_location("execution", EXEC / "run.py")
execution = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(execution)

TARGETS = ("cuda:80", "cuda:90a", "cuda:100a", "hip:gfx942", "hip:gfx1250")
INCLUDE = ("-I", str(HERE.parents[1] / "examples"))


def call(command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return 124, "timed out"
    return result.returncode, result.stdout + result.stderr


def without(words, options):
    """A command line without these options, each of which has a value."""
    kept, skip = [], False
    for word in words:
        if skip or word in options:
            skip = not skip
        else:
            kept.append(word)
    return kept


@functools.cache
def parameters_of(path, kernel):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == kernel:
            rest = [node.args.vararg] if node.args.vararg else []
            return {argument.arg for argument in node.args.args + node.args.kwonlyargs + rest}
    return set()


def constants_of(path):
    """Names of a kernel file that arguments and expectations use, as they are defined."""
    text = path.read_text(encoding="utf-8")
    nodes = [node for node in ast.parse(text).body
             if isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Constant))]
    return "\n".join(["", "import triton.language as tl", *(ast.get_source_segment(text, node) for node in nodes), ""])


def normal(ir):
    """IR with constants and layouts in the place of their names, other values numbered in order."""
    aliases, constants, lines, numbers = {}, {}, [], {}
    for line in ir.splitlines():
        if match := re.match(r"(#\w+) = (#.*)$", line):
            aliases[match[1]] = match[2]
        elif match := re.match(r"\s*(%[\w-]+) = arith.constant (.*)$", line):
            constants[match[1]] = f"<{match[2]}>"
        else:
            lines.append(line)

    def number(match):
        return constants.get(match[0]) or f"%{numbers.setdefault(match[0], len(numbers))}"

    text = re.sub(r"%[\w-]+", number, "\n".join(lines))
    text = re.sub(r"#\w+", lambda match: aliases.get(match[0], match[0]), text)
    functions = {}
    text = re.sub(r"@\w+__\d+", lambda match: functions.setdefault(match[0], f"@f{len(functions)}"), text)
    for pattern, replacement in SAYS_NOTHING:
        text = re.sub(pattern, replacement, text)
    return text


# What passes that are over have read, and what can be said in several ways.
SAYS_NOTHING = (
    (r"tt\.num_stages = \d+ : i32, ", ""),
    (r" \{tt\.num_stages = \d+ : i32\}", ""),
    # Only warpgroups sum with fewer bits.
    (r"(tt\.dot .*) \{maxNumImpreciseAcc = \d+ : i32\}", r"\1"),
    # cp.async leaves zeros where nothing else is asked for.
    (r"(async_copy_global_to_local .* mask \S+) other <dense<0(?:\.0+e\+00)?> : tensor<.*?>>> ", r"\1 "),
    (r"(async_commit_group) tokens .*", r"\1"),
    (r", mutable", ""),
    # Of other elements than float32 there is one product.
    (r"(tt\.dot .*), inputPrecision = \w+( : tensor<\w+x(?!f32))", r"\1\2"),
)


SAME = "same results, same IR"
# Where the language infers a layout, the compiler may have chosen one that says the same otherwise:
# then there is a conversion, which moves nothing.
SAME_ASSEMBLY = "same results, same assembly, other IR"
NOT_FOR_CHIP = "kernels that do not compile for the chip"
UNSAYABLE = "known not to be lifted"
FINE = (SAME, SAME_ASSEMBLY, NOT_FOR_CHIP, UNSAYABLE)
# Targets and kernels (all where none is named), and what is said there.
NOT_LIFTED = (
    # MFMA of float32 cut to tf32 has no spelling.
    ("hip:gfx942", "", "`lifting tt.dot`"),
    # Nor has a choice between descriptors, which a loop around it carries.
    ("cuda:90a", "carried_descriptor", "for where"),
    ("cuda:100a", "carried_descriptor", "for where"),
    # A descriptor that a function takes which stays a function.
    ("cuda:90a", "through_function", "compiles to other code"),
    ("cuda:100a", "through_function", "compiles to other code"),
    # Products in tensor memory beside others, for which it has no room: what both need folds otherwise.
    ("cuda:100a", "crowded", "compiles to other code"),
    ("cuda:100a", "many_sums", "compiles to other code"),
    # Partitions.
    ("cuda:90a", "", "`lifting ttg.warp_specialize`"),
    # Rows by number.
    ("cuda:100a", "", "`lifting ttng.async_tma_gather`"),
    # CTAs of a cluster that get parts of a block which Gluon's copies do not know.
    *(("cuda:90a", kernel, "block shape, element type and layout must be equal") for kernel in ("matmul", "plain", "hosted")),
    # Without TMA a kernel takes pointers where the host gives descriptors.
    ("cuda:80", "copy_rows", "has no parameter"),
    # A debug build checks what the checks compute, too.
    ("", "arithmetic", "compiles to other code"),
    ("", "operators", "compiles to other code"),
    # Elements in any order, of which a loop reduces a part.
    ("", "running_sums", "`lifting tt.reshape`"),
)


class Case:
    """A RUN line on a target."""

    def __init__(self, gluonc, folder, path, test, target):
        self.gluonc, self.path, self.target = gluonc, path, target
        self.line, (self.kernel, *words), self.kind, self.expectation = test
        self.words = without(words, ("--target",))
        self.lifted = folder / f"{path.stem}_{self.line}_{target.replace(':', '_')}.py"

    def arguments(self):
        """What the kernel is specialized for, without what only the expectation needs."""
        words = without(self.words, ("--grid", "--expect", "--rtol", "--atol", "--races", "--masked-off", "--unknown-reads",
                                     "--schedule-seed"))
        parameters = parameters_of(self.path, self.kernel)
        needed, values = [], ""
        for word in reversed(words):
            name, _, value = word.partition("=")
            if word.startswith("--") or name in parameters or re.search(rf"\b{name}\b", values) or "=" not in word:
                needed.insert(0, word)
                values += " " + value
        return needed

    def lift(self, *options):
        return call([self.gluonc, "lift", f"{self.path}::{self.kernel}", *self.arguments(), "--values",
                     "--target", self.target, "-o", str(self.lifted), *INCLUDE, *options])

    def types(self):
        """The arguments as `gluonc compile` takes them: types, as the head of the file says, and values."""
        values = dict(word.split("=", 1) for word in self.arguments() if "=" in word)
        words = []
        for line in self.lifted.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"#     (\w+): (.*)$", line):
                name, text = match.groups()
                if not text.startswith("constexpr("):
                    words.append(f"{name}={text}")
                elif name in values:
                    words.append(f"{name}={values[name]}")
        options = self.arguments()
        return words + [word for i, word in enumerate(options) if word.startswith("--") or
                        i and options[i - 1].startswith("--") and "=" not in options[i - 1]]

    def compiled(self, path):
        """IR after all passes."""
        return call([self.gluonc, "compile", f"{path}::{self.kernel}", *self.types(), "--target", self.target,
                     "--emit", "ttgir-opt", *INCLUDE])

    def run(self, path):
        """On the simulator. Exit status 0 where it does what the line expects."""
        command = [self.gluonc, "run", f"{path}::{self.kernel}", *self.words, "--target", self.target,
                   "--device", "cpu", "--no-cache", *INCLUDE]
        if self.kind == "EXPECT":
            return call([*command, "--expect", self.expectation])
        status, output = call([*command, "--diagnostics=json"])
        return (0 if status == 3 and f'"kind":"{self.expectation}"' in output else status or 1), output

    def name(self):
        return f"{self.path.name}:{self.line} {self.kernel} {self.target}"


def read_cases(gluonc, folder, files, targets):
    """Every RUN line on every target, or on the one that it names; of all files where none is given."""
    own = [path for path in sorted(HERE.glob("*.py")) if path.name != "run.py"]
    cases = []
    for path in files or [*sorted(EXEC.glob("triton_*.py")), *own]:
        for test in execution.read_tests(path.resolve()):
            wanted = execution.target_of(test)
            cases += [Case(gluonc, folder, path.resolve(), test, target)
                      for target in ([wanted] if wanted else targets)]
    return cases


def is_known(case, output):
    return any(target in ("", case.target) and kernel in ("", case.kernel) and message in output
               for target, kernel, message in NOT_LIFTED)


def check(case):
    """(outcome, more about it)."""
    status, output = case.lift()
    has_no_code = re.match(rf"{re.escape(str(case.path))}:.*UnsupportedInCodegen", output)
    if status and (has_no_code or case.run(case.path)[0] == 1):
        return NOT_FOR_CHIP, ""
    if status:
        return UNSAYABLE if is_known(case, output) else "not lifted", output
    # Names that arguments and expectations use.
    with case.lifted.open("a", encoding="utf-8") as file:
        file.write(constants_of(case.path))
    status, output = case.run(case.lifted)
    if status:
        return UNSAYABLE if is_known(case, output) else "other results", output
    results = [case.compiled(path) for path in (case.path, case.lifted)]
    if any(status for status, _ in results):
        return "IR not compared", "".join(output for _, output in results)
    one, two = (normal(ir) for _, ir in results)
    if one == two:
        return SAME, ""
    return SAME_ASSEMBLY, "\n".join(
        difflib.unified_diff(one.splitlines(), two.splitlines(), "kernel", "lifted", lineterm="", n=0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--target", action="append")
    parser.add_argument("--verbose", action="store_true", help="say how IR differs")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = read_cases(options.gluonc, pathlib.Path(folder), options.files, options.target or TARGETS)
        counts, failures = collections.Counter(), []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, (outcome, output) in zip(cases, pool.map(check, cases)):
                counts[case.target, outcome] += 1
                if outcome not in FINE or options.verbose and outcome == SAME_ASSEMBLY:
                    failures.append((case, outcome, output))
    for case, outcome, output in failures:
        print(f"{case.name()}: {outcome}")
        print("\n".join("  " + line for line in output.splitlines()[:20]))
    for (target, outcome), count in sorted(counts.items()):
        print(f"{target}: {count} {outcome}")
    return 1 if any(outcome not in FINE for _, outcome in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
