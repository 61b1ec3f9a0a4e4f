"""Mutations of kernel files, of IR text and of bytes."""

import re

SOURCE = re.compile(r'"""(?:.|\n)*?"""|"[^"\n]*"|\'[^\'\n]*\'|#[^\n]*|[A-Za-z_]\w*'
                    r'|\d+\.\d*(?:e[+-]?\d+)?|0x[0-9a-fA-F]+|\d+'
                    r'|\*\*|//|<<|>>|==|!=|<=|>=|->|[-+*/%&|^]=|[ \t]+|\n|.')
IR = re.compile(r'"[^"\n]*"|[%#@!]?[\w.\-]+|\n|[^\S\n]+|.')

NUMBERS = ["0", "1", "-1", "2", "3", "7", "16", "31", "32", "33", "63", "64", "65", "128", "255",
           "256", "1024", "4096", "65536", "1 << 20", "1 << 31", "1 << 32", "-(1 << 31)",
           "(1 << 63)", "(1 << 64)", "10**30", "2.5", "0.0", "-0.0", "1e38", "1e400",
           "float('nan')", "float('inf')", "None", "True", "'x'", "()", "(1,)", "[1, 2]",
           "gl.float32", "gl", "gluon"]
DTYPES = ["int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float8e5", "float8e4nv", "float8e4b8", "float8e4b15", "float16", "bfloat16", "float32",
          "float64", "pointer_type(gl.float32)", "void"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=",
             ">", ">=", " and ", " or ", " is ", " in ", "@", ",", ".", "=", ":", " if ", " else "]
LAYOUTS = [
    "gl.BlockedLayout([1], [32], [4], [0])", "gl.BlockedLayout([0], [32], [4], [0])",
    "gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])",
    "gl.BlockedLayout([8, 4], [4, 8], [2, 2], [0, 1])",
    "gl.BlockedLayout([1], [32], [4], [0], [[1]])",
    "gl.SliceLayout(0, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]))",
    "gl.SliceLayout(1, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]))",
    "gl.AutoLayout()", "gl.CoalescedLayout()",
    "gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=[4, 1], instr_shape=[16, 8])",
    "gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, 64, 16])",
    "gl.DotOperandLayout(0, gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=[4, 1], "
    "instr_shape=[16, 8]), 2)",
    "gl.SwizzledSharedLayout(1, 1, 1, [1, 0])", "gl.SwizzledSharedLayout(8, 2, 4, [0])",
    "gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)",
    "gl.NVMMASharedLayout(swizzle_byte_width=0, element_bitwidth=32, rank=1)",
    "gl.PaddedSharedLayout.with_identity_for([[32, 4]], [64, 32], [1, 0])",
    "gl.DistributedLinearLayout([[1]], [[2], [4], [8], [16], [32]], [[64], [128]], [], [256])",
    "gl.SharedLinearLayout([[1], [2], [4]])"]
STATEMENTS = [
    "x = gl.arange(0, 64, layout=gl.AutoLayout())", "for zz in range(3): pass", "return",
    "if gl.program_id(0) == 0: return", "assert False", "gl.static_print(1)",
    "gl.device_print('a', gl.program_id(0))", "gl.barrier()", "gl.static_assert(True)",
    "smem = gl.allocate_shared_memory(gl.float32, [64, 64], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))",
    "a, b = (1, 2)", "a = b = 3", "del x", "import os", "lambda: 0", "x = (yield)",
    "gl.inline_asm_elementwise('mov.u32 $0, 1;', '=r', [], gl.int32, True, 1)",
    "gl.warp_specialize([(f, ())], [], [])", "[i for i in (1, 2, 3)]", "t = (1, (2, (3,)))",
    "gl.store(gl.program_id(0), 1)", "f'{1}'", "break", "continue", "global q",
    "x: gl.constexpr = 3", "gl.assume(0)", "x = 1 if gl.program_id(0) else 2.5",
    "x = gl.full([1 << 20], 0, gl.float64, gl.BlockedLayout([1], [32], [4], [0]))",
    "gl.set_auto_layout(1, 2)", "return (1,)", "gl.to_tensor(1).sum()", "with open('a'): pass",
    "from ...up import x", "gl.atomic_add(gl.program_id(0), 1)", "x = x.reshape([1, -1])",
    "x = gl.sum(x, 0)", "x = x.to(gl.float8e5)", "x = gl.convert_layout(x, gl.AutoLayout())"]
IR_NUMBERS = ["0", "1", "-1", "2", "3", "5", "16", "33", "64", "4096", "1048576", "4294967296",
              "9223372036854775807", "18446744073709551616", "-9223372036854775808", "1.0e40"]
IR_TYPES = ["i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "bf16", "f8E5M2", "f8E4M3FN",
            "index", "i7", "i128", "!tt.ptr<f32>", "tensor<4xf32>", "vector<4xf32>", "none"]


class Tokens:
    """A text in pieces that mutations exchange."""

    def __init__(self, rng, text, pattern):
        self.rng, self.pattern = rng, pattern
        self.pieces = pattern.findall(text)

    def __str__(self):
        return "".join(self.pieces)

    def places(self, wanted=lambda piece: piece.strip() and piece[0] != "#"):
        return [i for i, piece in enumerate(self.pieces) if piece and wanted(piece)]

    def exchange(self, wanted, replacements):
        """Replaces one piece of a kind by another one of the text or by a given one."""
        places = self.places(wanted)
        if places:
            found = [self.pieces[i] for i in places]
            self.pieces[self.rng.choice(places)] = self.rng.choice(
                self.rng.choice([found, replacements or found]))

    def shuffle(self):
        """Deletes, doubles, exchanges or copies single pieces."""
        places = self.places()
        if not places:
            return
        i, j = self.rng.choice(places), self.rng.choice(places)
        how = self.rng.randrange(4)
        if how == 0:
            self.pieces[i] = ""
        elif how == 1:
            self.pieces[i] += " " + self.pieces[i]
        elif how == 2:
            self.pieces[i], self.pieces[j] = self.pieces[j], self.pieces[i]
        else:
            self.pieces[i] = self.pieces[j]

    def move_lines(self, insert=()):
        """Deletes, doubles, exchanges or indents whole lines, or inserts one."""
        lines = str(self).split("\n")
        i, j = self.rng.randrange(len(lines)), self.rng.randrange(len(lines))
        how = self.rng.randrange(6 if insert else 4)
        if how == 0:
            del lines[i]
        elif how == 1:
            lines.insert(j, lines[i])
        elif how == 2:
            lines[i], lines[j] = lines[j], lines[i]
        elif how == 3:
            lines[i] = self.rng.choice(["    ", " ", "\t"]) + lines[i]
        else:
            indent = len(lines[i]) - len(lines[i].lstrip())
            lines.insert(i, " " * indent + self.rng.choice(insert))
        self.pieces = self.pattern.findall("\n".join(lines))


def source(rng, text, count):
    """A kernel file with `count` mutations."""
    tokens = Tokens(rng, text, SOURCE)
    layout = re.compile(r"gl\.\w*Layout\((?:[^()]|\([^()]*\))*\)|\blayout\b")
    for _ in range(count):
        how = rng.random()
        if how < 0.35:
            tokens.shuffle()
        elif how < 0.5:
            tokens.exchange(lambda piece: piece[0].isdigit(), NUMBERS)
        elif how < 0.6:
            tokens.exchange(lambda piece: re.match(r"[A-Za-z_]", piece), None)
        elif how < 0.68:
            tokens.exchange(lambda piece: piece in DTYPES, DTYPES)
        elif how < 0.76:
            tokens.exchange(lambda piece: piece.rstrip("=") in OPERATORS, OPERATORS)
        elif how < 0.84:
            whole = str(tokens)
            found = list(layout.finditer(whole))
            if found:
                at = rng.choice(found)
                whole = whole[:at.start()] + rng.choice(LAYOUTS) + whole[at.end():]
                tokens.pieces = SOURCE.findall(whole)
        else:
            tokens.move_lines(STATEMENTS)
    return str(tokens)


def ir(rng, text, count):
    """IR text with `count` mutations."""
    tokens = Tokens(rng, text, IR)
    word = re.compile(r"(i\d+|f\d+|bf16|f8E\w+|\d+x.*|#\w+)$")
    for _ in range(count):
        how = rng.random()
        if how < 0.4:
            tokens.shuffle()
        elif how < 0.6:
            tokens.exchange(str.isdigit, IR_NUMBERS)
        elif how < 0.75:
            tokens.exchange(lambda piece: re.match(r"%\w", piece), None)
        elif how < 0.87:
            tokens.exchange(word.match, IR_TYPES)
        else:
            tokens.move_lines()
    return str(tokens)


def raw(rng, data, count):
    """Bytes with `count` mutations."""
    data = bytearray(data)
    for _ in range(count):
        if not data:
            break
        i, j = rng.randrange(len(data)), rng.randrange(len(data))
        how = rng.randrange(4)
        if how == 0:
            data[i] = rng.randrange(256)
        elif how == 1:
            del data[i:i + rng.randrange(1, 50)]
        elif how == 2:
            data[i:i] = data[j:j + rng.randrange(1, 200)]
        else:
            del data[max(i, 1):]
    return bytes(data)


def shrink(data, still_fails, tries=80):
    """Lines left out as long as `still_fails(data)`, at most `tries` times asked."""
    lines = data.split(b"\n")
    step = max(len(lines) // 2, 1)
    while tries > 0:
        at, shorter = 0, False
        while at < len(lines) and tries > 0:
            rest = lines[:at] + lines[at + step:]
            tries -= 1
            if rest and still_fails(b"\n".join(rest)):
                lines, shorter = rest, True
            else:
                at += step
        if step == 1 and not shorter:
            break
        step = max(step // 2, 1)
    return b"\n".join(lines)
