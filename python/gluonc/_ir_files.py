"""Files in the place of a kernel's source text: .ttgir, and .ttir, which leaves layouts to the compiler;
and of what it becomes: .llir, .ptx, .amdgcn."""

import os
import re

from gluonc import _native
from gluonc._engine import engine
from gluonc._options import rare_options
from gluonc.errors import NotSupportedYet, UsageError


class IRSource:
    """A file of IR: what a compiled kernel has as asm["ttgir"] or asm["ttir"], or Triton's."""

    def __init__(self, path, context=None, backend=None):
        self.path = os.fspath(path)
        self.ext = os.path.splitext(self.path)[1][1:]
        if self.ext not in ("ttir", "ttgir", "mlir"):
            raise NotSupportedYet(f"kernels are made from .ttir and .ttgir, not from `{self.path}`",
                                  name=f"a kernel from .{self.ext}")
        with open(self.path, encoding="utf-8", errors="replace") as file:
            # The library says what is wrong with more.
            self.src = file.read((32 << 20) + 1)


# What machine code is made from: the kernel's own text still says which parameters and memory it has.
CODE = ("llir", "ptx", "amdgcn")


def form_of(path):
    """"ptx" for "kernel.ptx"."""
    return os.path.splitext(os.fspath(path))[1][1:]


def replace_code(specialization, path, simulated):
    """Lets machine code be made of a file of CODE."""
    form = form_of(path)
    if simulated:
        raise NotSupportedYet(f"the simulator executes no .{form} in place of a kernel: `{path}` "
                              "needs a GPU", name=f"a kernel from .{form}")
    with open(path, encoding="utf-8") as file:
        specialization.replace_code(form, file.read())
    return specialization


def load(src, options, target):
    """The specialization that an IRSource holds. `options` of a launch say what the file does not, and
    then what it does."""
    text = src.src
    if src.ext == "ttir" and "ttg.num-warps" not in text:
        text = _with_attributes(text, options, target)
    made = engine().load_ir(src.path, text, int(options["maxnreg"] or 0), bool(options["debug"]),
                            bool(options["enable_fp_fusion"]), bool(options["launch_pdl"]),
                            bool(options["launch_cooperative_grid"]), rare_options(options))
    src.name, options["num_warps"], options["num_ctas"], registers = made.info()
    options["maxnreg"] = registers or None
    return made


def _with_attributes(text, options, target):
    """The module with what the front end says of it: lines stay where they are."""
    said = (f"gluon.chooses_layouts, tt.num_stages = {max(int(options['num_stages']), 1)} : i32, "
            f'"ttg.num-ctas" = {int(options["num_ctas"])} : i32, '
            f'"ttg.num-warps" = {int(options["num_warps"])} : i32, '
            f'"ttg.threads-per-warp" = {_native.target_info(target)["warp_size"]} : i32')
    found = re.search(r"^module\b[^{\n]*?(attributes\s*\{|\{)", text, re.MULTILINE)
    if found is None:
        return f"module attributes {{{said}}} {{ {text}\n}}"
    before, opening, after = text[:found.start(1)], found[1], text[found.end(1):]
    if opening == "{":
        return f"{before}attributes {{{said}}} {{{after}"
    return f"{before}attributes {{{said}{', ' * (not after.lstrip().startswith('}'))}{after}"


def check_parameters(specs, executable, path):
    """That launches which specialize for `specs` pass what the executable of a file takes."""
    passed = list(_passed(specs))
    if passed != list(executable.parameter_types):
        raise UsageError(f"the kernel of {path} takes ({', '.join(executable.parameter_types)}), and "
                         f"the launch passes ({', '.join(passed)})")


def _passed(specs):
    from gluonc._signature import TUPLE_KIND, TYPE_KIND
    for kind, value in specs:
        if kind == TUPLE_KIND:
            yield from _passed(value[1])
        elif kind == TYPE_KIND:
            yield value.partition(":")[0]
