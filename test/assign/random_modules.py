#!/usr/bin/env python3
"""Random modules without layouts: the default and the chosen layouts compute the same.

Each module computes on tensors of i32 (products on small whole numbers of f32, which are
exact), with loops, branches and reshapes, and stores what it has. The simulator runs it
twice, with the default layout of each shape and as `gluonc` compiles it, with what `assign`
chooses. Both must verify behind each pass, pass the pipeline and store the same.

    random_modules.py --bin build/release/bin --count 1000 --seed 7 [--device ptx] [--keep FOLDER]

With another device the chosen layouts' machine code is executed in place of their IR.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

KERNEL = '''
from triton.experimental import gluon

@gluon.jit
def kernel(x, y):
    pass
'''
INPUT = 4096  # elements of x
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def text(shape, element="i32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Module:
    """Text of one function; `pool` holds (name, shape) of tensors of i32 in scope."""

    def __init__(self, seed, warps, ctas, target):
        self.random = random.Random(seed)
        self.warps, self.ctas, self.target = warps, ctas, target
        self.lanes = 64 if target.startswith("hip:gfx9") else 32
        self.lines, self.pool, self.count, self.offset, self.depth = [], [], 0, 0, 1

    def emit(self, line, results=1):
        """Adds `%v = line`; gives the name."""
        name = f"%v{self.count}"
        self.count += 1
        prefix = "" if not results else f"{name} = " if results == 1 else f"{name}:{results} = "
        self.lines.append("  " * (self.depth + 1) + prefix + line)
        return name

    def add(self, name, shape):
        self.pool.append((name, tuple(shape)))
        return name

    def pick(self, want=lambda shape: True):
        found = [entry for entry in self.pool if want(entry[1])]
        return self.random.choice(found) if found else None

    # -- Building blocks ---------------------------------------------------------

    def constant(self, shape, value=None):
        value = self.random.randrange(100) if value is None else value
        return self.emit(f"arith.constant dense<{value}> : {text(shape)}")

    def numbers(self, shape):
        """0, 1, 2 … in row-major order."""
        total, sum_name, stride = 1, None, 1
        for size in shape:
            total *= size
        if len(shape) == 1 or self.random.random() < 0.3:
            name = self.emit(f"tt.make_range {{end = {total} : i32, start = 0 : i32}} : {text([total])}")
            if len(shape) == 1:
                return name
            return self.emit(f"tt.reshape {name} : {text([total])} -> {text(shape)}")
        for dim in range(len(shape) - 1, -1, -1):
            size = shape[dim]
            name = self.emit(f"tt.make_range {{end = {size} : i32, start = 0 : i32}} : {text([size])}")
            scale = self.constant([size], stride)
            name = self.emit(f"arith.muli {name}, {scale} : {text([size])}")
            current = [size]
            for axis in [d for d in range(dim)] + [d for d in range(dim + 1, len(shape))]:
                wider = current[:axis] + [1] + current[axis:]
                name = self.emit(f"tt.expand_dims {name} {{axis = {axis} : i32}} : {text(current)} -> {text(wider)}")
                current = wider
            if tuple(current) != tuple(shape):
                name = self.emit(f"tt.broadcast {name} : {text(current)} -> {text(shape)}")
            sum_name = name if sum_name is None else self.emit(
                f"arith.addi {sum_name}, {name} : {text(shape)}")
            stride *= size
        return sum_name

    def pointers(self, base, shape, index):
        pointer = "!tt.ptr<i32>"
        name = self.emit(f"tt.splat {base} : {pointer} -> {text(shape, pointer)}")
        return self.emit(f"tt.addptr {name}, {index} : {text(shape, pointer)}, {text(shape)}")

    def load(self, shape, index):
        mask = self.constant(shape, INPUT - 1)
        index = self.emit(f"arith.andi {index}, {mask} : {text(shape)}")
        at = self.pointers("%x", shape, index)
        return self.emit(f"tt.load {at} : {text(shape, '!tt.ptr<i32>')}")

    def store(self, name, shape):
        total = 1
        for size in shape:
            total *= size
        base = self.constant(shape, self.offset)
        self.offset += total
        index = self.emit(f"arith.addi {self.numbers(shape)}, {base} : {text(shape)}")
        at = self.pointers("%y", shape, index)
        kind = self.random.random()
        if kind < 0.8:
            self.emit(f"tt.store {at}, {name} : {text(shape, '!tt.ptr<i32>')}", 0)
        else:
            types = f"({text(shape, '!tt.ptr<i32>')}, {text(shape)}) -> {text(shape)}"
            self.emit(f"tt.atomic_rmw add, relaxed, gpu, {at}, {name} : {types}")

    # -- Operations --------------------------------------------------------------

    def small_shape(self):
        rank = self.random.choice((1, 1, 2, 2, 2, 3, 4, 5))
        limit = (256, 256, 64, 16, 8, 4)[rank]
        return tuple(self.random.choice([s for s in SIZES if s <= limit]) for _ in range(rank))

    def op_numbers(self):
        shape = self.small_shape()
        self.add(self.numbers(shape), shape)

    def op_load(self):
        known = self.pick()
        if known and self.random.random() < 0.5:
            name, shape = known
        else:
            shape = self.small_shape()
            name = self.numbers(shape)
        self.add(self.load(shape, name), shape)

    def op_binary(self):
        name, shape = self.pick()
        other = self.pick(lambda s: s == shape)[0]
        op = self.random.choice(("addi", "muli", "xori", "maxsi", "subi"))
        self.add(self.emit(f"arith.{op} {name}, {other} : {text(shape)}"), shape)

    def op_select(self):
        name, shape = self.pick()
        other = self.pick(lambda s: s == shape)[0]
        test = self.emit(f"arith.cmpi slt, {name}, {other} : {text(shape)}")
        self.add(self.emit(f"arith.select {test}, {other}, {name} : {text(shape, 'i1')}, {text(shape)}"), shape)

    def op_constant(self):
        shape = self.pick()[1]
        self.add(self.constant(shape), shape)

    def op_expand(self):
        found = self.pick(lambda s: len(s) < 5)
        if found:
            name, shape = found
            axis = self.random.randrange(len(shape) + 1)
            wider = shape[:axis] + (1,) + shape[axis:]
            self.add(self.emit(f"tt.expand_dims {name} {{axis = {axis} : i32}} : {text(shape)} -> {text(wider)}"), wider)

    def op_broadcast(self):
        found = self.pick(lambda s: 1 in s)
        if found:
            name, shape = found
            wider = tuple(self.random.choice((1, 2, 8, 16)) if size == 1 else size for size in shape)
            total = 1
            for size in wider:
                total *= size
            if wider != shape and total <= 4096:
                self.add(self.emit(f"tt.broadcast {name} : {text(shape)} -> {text(wider)}"), wider)

    def combine(self, kind, name, shape, axis, result):
        extra = ", reverse = " + self.random.choice(("true", "false")) if kind == "scan" else ""
        op = self.random.choice(("addi", "maxsi", "xori"))
        lines = [f'"tt.{kind}"({name}) <{{axis = {axis} : i32{extra}}}> ({{', "^bb0(%a: i32, %b: i32):",
                 f"  %c = arith.{op} %a, %b : i32", f"  tt.{kind}.return %c : i32",
                 f"}}) : ({text(shape)}) -> {result}"]
        return self.emit(("\n" + "  " * (self.depth + 1)).join(lines))

    def op_reduce(self):
        name, shape = self.pick()
        axis = self.random.randrange(len(shape))
        rest = shape[:axis] + shape[axis + 1:]
        name = self.combine("reduce", name, shape, axis, text(rest) if rest else "i32")
        if not rest:
            rest = self.small_shape()
            name = self.emit(f"tt.splat {name} : i32 -> {text(rest)}")
        self.add(name, rest)

    def op_scan(self):
        name, shape = self.pick()
        self.add(self.combine("scan", name, shape, self.random.randrange(len(shape)), text(shape)), shape)

    def op_trans(self):
        name, shape = self.pick()
        order = list(range(len(shape)))
        self.random.shuffle(order)
        result = tuple(shape[dim] for dim in order)
        self.add(self.emit(f"tt.trans {name} {{order = array<i32: {', '.join(map(str, order))}>}} : "
                           f"{text(shape)} -> {text(result)}"), result)

    def op_reshape(self):
        name, shape = self.pick()
        total = 1
        for size in shape:
            total *= size
        result = []
        while total > 1 and len(result) < 4:
            size = self.random.choice([s for s in SIZES if s <= total])
            result.append(size)
            total //= size
        result.append(total)
        self.add(self.emit(f"tt.reshape {name} : {text(shape)} -> {text(result)}"), result)

    def op_join(self):
        found = self.pick(lambda s: len(s) < 5)
        if found:
            name, shape = found
            other = self.pick(lambda s: s == shape)[0]
            result = shape + (2,)
            self.add(self.emit(f"tt.join {name}, {other} : {text(shape)} -> {text(result)}"), result)

    def op_split(self):
        found = self.pick(lambda s: len(s) > 1 and s[-1] == 2)
        if found:
            name, shape = found
            result = self.emit(f"tt.split {name} : {text(shape)} -> {text(shape[:-1])}", 2)
            self.add(result + "#0", shape[:-1])
            self.add(result + "#1", shape[:-1])

    def op_gather(self):
        name, shape = self.pick()
        axis = self.random.randrange(len(shape))
        index, index_shape = self.pick(
            lambda s: len(s) == len(shape) and s[:axis] + s[axis + 1:] == shape[:axis] + shape[axis + 1:])
        limit = self.constant(index_shape, shape[axis] - 1)
        index = self.emit(f"arith.andi {index}, {limit} : {text(index_shape)}")
        self.add(self.emit(f"tt.gather {name}[{index}] {{axis = {axis} : i32}} : "
                           f"({text(shape)}, {text(index_shape)}) -> {text(index_shape)}"), index_shape)

    def op_histogram(self):
        found = self.pick(lambda s: len(s) == 1)
        if found:
            name, shape = found
            bins = self.random.choice((2, 16, 64))
            limit = self.constant(shape, bins - 1)
            name = self.emit(f"arith.andi {name}, {limit} : {text(shape)}")
            self.add(self.emit(f"tt.histogram {name} : {text(shape)} -> {text([bins])}"), [bins])

    def small_floats(self, name, shape):
        limit = self.constant(shape, 7)
        name = self.emit(f"arith.andi {name}, {limit} : {text(shape)}")
        return self.emit(f"arith.sitofp {name} : {text(shape)} to {text(shape, 'f32')}")

    def op_dot(self):
        found = self.pick(lambda s: len(s) in (2, 3) and s[-1] <= 32 and s[-2] <= 128)
        if not found:
            return
        name, shape = found
        rows, depth = shape[-2], shape[-1]
        columns = self.random.choice((1, 2, 8, 16, 32))
        other = shape[:-2] + (depth, columns)
        result = shape[:-2] + (rows, columns)
        right = self.pick(lambda s: s == other)
        right = right[0] if right else self.numbers(other)
        a, b = self.small_floats(name, shape), self.small_floats(right, other)
        c = self.small_floats(self.numbers(result), result)
        # Small whole numbers lose nothing as tf32.
        precision = self.random.choice(("", ", inputPrecision = tf32"))
        d = self.emit(f"tt.dot {a}, {b}, {c}{precision} : {text(shape, 'f32')} * {text(other, 'f32')} -> {text(result, 'f32')}")
        self.add(self.emit(f"arith.fptosi {d} : {text(result, 'f32')} to {text(result)}"), result)

    def op_stated(self):
        """What a Gluon function does in a layout of its own, or in one that it leaves open."""
        if self.ctas > 1:
            return
        name, shape = self.pick()
        if self.random.random() < 0.3:
            encoding = "#gluon.coalesced_encoding"
        else:
            threads, warps = [1] * len(shape), [1] * len(shape)
            for sizes, left in ((threads, self.lanes), (warps, self.warps)):
                while left > 1:
                    sizes[self.random.randrange(len(shape))] *= 2
                    left //= 2
            order = list(range(len(shape)))
            self.random.shuffle(order)
            each = [self.random.choice((1, 1, 2, 4)) for _ in shape]
            encoding = (f"#ttg.blocked<{{sizePerThread = {each}, threadsPerWarp = {threads}, "
                        f"warpsPerCTA = {warps}, order = {order}}}>")
        stated = text(shape, f"i32, {encoding}")
        name = self.emit(f"ttg.convert_layout {name} : {text(shape)} -> {stated}")
        name = self.emit(f"arith.addi {name}, {name} : {stated}")
        self.add(self.emit(f"ttg.convert_layout {name} : {stated} -> {text(shape)}"), shape)

    # -- Control flow ------------------------------------------------------------

    def inside(self, first, arguments):
        """Operations in a region; gives names of values with the shapes of `arguments`."""
        outside = list(self.pool)
        self.pool += first
        self.depth += 1
        self.body(self.random.randrange(1, 6))
        results = []
        for _, shape in arguments:
            results.append(self.pick(lambda s: s == shape)[0])
        self.depth -= 1
        self.pool = outside
        return results

    def arguments(self):
        return [self.pick() for _ in range(self.random.randrange(1, 4))]

    def op_for(self):
        arguments = self.arguments()
        name, self.count = f"%v{self.count}", self.count + 1
        inner = [(f"{name}_a{i}", shape) for i, (_, shape) in enumerate(arguments)]
        types = ", ".join(text(shape) for _, shape in arguments)
        pairs = ", ".join(f"{inner[i][0]} = {value}" for i, (value, _) in enumerate(arguments))
        step = "  " * (self.depth + 1)
        self.lines.append(f"{step}{name}:{len(arguments)} = scf.for {name}_i = %c0 to %c3 step %c1 "
                          f"iter_args({pairs}) -> ({types}) : i32 {{")
        results = self.inside(inner, arguments)
        self.lines.append(f"{step}  scf.yield {', '.join(results)} : {types}")
        self.lines.append(f"{step}}}")
        for i, (_, shape) in enumerate(arguments):
            self.add(f"{name}#{i}", shape)

    def op_walk(self):
        """A loop that steps through memory, and sums what it finds."""
        shape = self.small_shape()
        at, total = self.numbers(shape), self.constant(shape)
        step, count = self.constant(shape), self.random.randrange(1, 3)
        name, self.count = f"%v{self.count}", self.count + 1
        indent, types = "  " * (self.depth + 1), f"{text(shape)}, {text(shape)}"
        self.lines.append(f"{indent}{name}:2 = scf.for {name}_i = %c0 to %c3 step %c1 iter_args("
                          f"{name}_at = {at}, {name}_sum = {total}) -> ({types}) : i32 {{")
        outside = list(self.pool)
        self.depth += 1
        sums = f"{name}_sum"
        for _ in range(count):
            self.pool = [(self.load(shape, f"{name}_at"), shape), (f"{name}_at", shape)]
            if self.random.random() < 0.7:
                self.op_stated()
            sums = self.emit(f"arith.addi {sums}, {self.pool[self.random.randrange(-1, 1)][0]} : {text(shape)}")
        again = self.emit(f"arith.addi {name}_at, {step} : {text(shape)}")
        self.lines.append(f"{indent}  scf.yield {again}, {sums} : {types}")
        self.depth -= 1
        self.pool = outside
        self.lines.append(f"{indent}}}")
        self.add(f"{name}#1", shape)
        if self.random.random() < 0.5:
            self.add(self.load(shape, f"{name}#0"), shape)

    def op_way(self):
        """A branch between addresses, and what is there."""
        shape = self.small_shape()
        at = self.numbers(shape)
        name, self.count = f"%v{self.count}", self.count + 1
        indent = "  " * (self.depth + 1)
        self.lines.append(f"{indent}{name} = scf.if %true -> ({text(shape)}) {{")
        self.depth += 1
        for word in ("} else {", "}"):
            way = self.random.choice((lambda: at, lambda: self.constant(shape), lambda: self.numbers(shape),
                                      lambda: self.load(shape, at),
                                      lambda: self.emit(f"arith.addi {at}, {self.constant(shape)} : {text(shape)}")))()
            self.lines += [f"{indent}  scf.yield {way} : {text(shape)}", indent + word]
        self.depth -= 1
        self.add(name, shape)
        self.add(self.load(shape, name), shape)
        if self.random.random() < 0.5:
            self.op_stated()

    def op_if(self):
        arguments = self.arguments()
        name, self.count = f"%v{self.count}", self.count + 1
        types = ", ".join(text(shape) for _, shape in arguments)
        step = "  " * (self.depth + 1)
        self.lines.append(f"{step}{name}:{len(arguments)} = scf.if %true -> ({types}) {{")
        for word in ("} else {", "}"):
            results = self.inside([], arguments)
            self.lines.append(f"{step}  scf.yield {', '.join(results)} : {types}")
            self.lines.append(step + word)
        for i, (_, shape) in enumerate(arguments):
            self.add(f"{name}#{i}", shape)

    def op_while(self):
        value, shape = self.pick()
        name, self.count = f"%v{self.count}", self.count + 1
        step = "  " * (self.depth + 1)
        self.lines.append(f"{step}{name}:2 = scf.while ({name}_a = {value}, {name}_n = %c0) : "
                          f"({text(shape)}, i32) -> ({text(shape)}, i32) {{")
        passed = self.inside([(f"{name}_a", shape)], [(None, shape)])[0]
        self.lines += [f"{step}  {name}_t = arith.cmpi slt, {name}_n, %c3 : i32",
                       f"{step}  scf.condition({name}_t) {passed}, {name}_n : {text(shape)}, i32",
                       f"{step}}} do {{", f"{step}^bb0({name}_b: {text(shape)}, {name}_m: i32):"]
        again = self.inside([(f"{name}_b", shape)], [(None, shape)])[0]
        self.lines += [f"{step}  {name}_k = arith.addi {name}_m, %c1 : i32",
                       f"{step}  scf.yield {again}, {name}_k : {text(shape)}, i32", f"{step}}}"]
        self.add(f"{name}#0", shape)

    def body(self, count):
        simple = [self.op_numbers, self.op_load, self.op_binary, self.op_binary, self.op_select, self.op_constant,
                  self.op_expand, self.op_broadcast, self.op_broadcast, self.op_reduce, self.op_scan, self.op_trans,
                  self.op_reshape, self.op_join, self.op_split, self.op_gather, self.op_histogram, self.op_dot, self.op_stated]
        nested = [self.op_for, self.op_if, self.op_while, self.op_walk, self.op_walk, self.op_way] if self.depth < 3 else []
        for _ in range(count):
            self.random.choice(simple + nested)()

    def build(self, size):
        for value in (0, 1, 3):
            self.lines.append(f"    %c{value} = arith.constant {value} : i32")
        self.lines.append("    %first = tt.load %x : !tt.ptr<i32>")
        self.lines.append("    %true = arith.cmpi sgt, %first, %c0 : i32")
        self.op_load()
        self.op_numbers()
        self.body(self.random.randrange(3, size))
        for name, shape in self.pool[-4:]:
            self.store(name, shape)
        return "\n".join([
            f'module attributes {{gluon.chooses_layouts, "ttg.num-ctas" = {self.ctas} : i32, '
            f'"ttg.num-warps" = {self.warps} : i32, "ttg.threads-per-warp" = {self.lanes} : i32, '
            f'ttg.target = "{self.target}"}} {{',
            "  tt.func public @kernel(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, "
            "%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {", *self.lines, "    tt.return", "  }", "}", ""])


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)


def check(binaries, folder, seed, device, size):
    """What is wrong with the module of this seed; None if nothing."""
    chooser = random.Random(seed)
    warps, ctas = chooser.choice((1, 2, 4, 8)), chooser.choice((1, 1, 1, 2, 4))
    targets = {"ptx": ("cuda:80", "cuda:90", "cuda:100"), "amdgcn": ("hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1200", "hip:gfx1250")}
    if device == "amdgcn":
        ctas = 1
    target = chooser.choice(("cuda:90", "cuda:100") if ctas > 1 else targets.get(device, ("cuda:80", "hip:gfx942", "cuda:100")))
    module = Module(seed, warps, ctas, target)
    source = folder / "module.ttgir"
    source.write_text(module.build(size))
    kernel = folder / "k.py"
    kernel.write_text(KERNEL)
    results = []
    for way in ("assign-default", "assign"):
        made = folder / f"{way}.ttgir"
        done = run([binaries / "gluon-opt", source, f"-gluonc-{way}={target}", "-o", made])
        if done.returncode:
            return f"{way}: {done.stderr[:800]}"
        done = run([binaries / "gluonc", "run", f"{kernel}::kernel", f"x=randint(-1000, 1000, {INPUT}, i32)",
                    f"y=zeros({module.offset}, i32)", "--ttgir", source if way == "assign" else made, "--device",
                    device if way == "assign" else "cpu", "--target", target,
                    "--num-warps", warps, "--num-ctas", ctas, "--no-cache",
                    *(["--races", "ignore"] if device == "cpu" else []),
                    "--save", f"y={folder / way}.npy"])
        if done.returncode:
            return f"{way}, run: {(done.stderr + done.stdout)[:1500]}"
        results.append((folder / f"{way}.npy").read_bytes())
    return None if results[0] == results[1] else "results differ"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", type=int, default=14)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    failures = 0
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            problem = check(options.bin, folder, seed, options.device, options.size)
            if not problem:
                continue
            failures += 1
            print(f"seed {seed}: {problem}")
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{seed}.ttgir").write_text((folder / "module.ttgir").read_text())
    print(f"random_modules: {options.count} modules, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
