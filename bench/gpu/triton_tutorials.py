#!/usr/bin/env python3
"""Triton's own tutorials of its own language, built by gluonc and by Triton, in one process.

    triton_tutorials.py FOLDER --out FILE.json [--only REGEX] [--seconds 0.2]

FOLDER is python/tutorials of a checkout that the installed Triton runs. Files are imported without
the benchmarks at their ends, and without the modules for cuBLAS and profiles, which are Triton's own. Both sides
tune the same configurations, each for itself. Each result is first compared with float64. Writes
JSON, prints a table with gluonc's time as a part of Triton's. Exit status 1 when a result was wrong.
"""

import argparse
import pathlib
import re
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import sides  # noqa: E402
import triton_language  # noqa: E402

FILES = {"t02": "02-fused-softmax", "t03": "03-matrix-multiplication", "t05": "05-layer-norm",
         "t06": "06-fused-attention", "t08": "08-grouped-gemm", "t09": "09-persistent-matmul"}


def copy(folder, target):
    """The tutorials under names that can be imported."""
    for name, file in FILES.items():
        text = (folder / f"{file}.py").read_text()
        text = re.sub(r"^\w+\.run\(.*\)$", "", text, flags=re.M)
        text = text.replace("from triton._C.libtriton import nvidia", "nvidia = None")
        text = re.sub(r"device_blas = nvidia\..*", "device_blas = None", text)
        text = text.replace("import triton.profiler as proton", "proton = None")
        # What a fork asks for in a file that does not have it.
        if "def is_tileir" not in text:
            text = "def is_tileir():\n    return False\n\n\n" + text
        (target / f"{name}.py").write_text(text)
    for helper in folder.glob("*/*.py"):
        place = target / helper.parent.name
        place.mkdir(exist_ok=True)
        (place / helper.name).write_text(helper.read_text())


def softmax(rows, columns):
    def make(module, torch):
        x = torch.randn(rows, columns, device="cuda")
        return lambda: module.softmax(x), lambda: torch.softmax(x.double(), 1)
    return make


def product(name, m, n, k, transposed=False, *arguments):
    """`transposed`: the function takes b as rows along K."""
    def make(module, torch):
        a, b = (torch.randn(*shape, device="cuda", dtype=torch.float16) for shape in ((m, k), (k, n)))
        given = b.T.contiguous() if transposed else b
        return lambda: getattr(module, name)(a, given, *arguments), lambda: a.double() @ b.double()
    return make


def layer_norm(rows, columns):
    def make(module, torch):
        x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
        weight, bias = (torch.rand(columns, device="cuda", dtype=torch.float16) for _ in range(2))

        def reference():
            return torch.nn.functional.layer_norm(x.double(), (columns,), weight.double(),
                                                  bias.double(), 1e-5)
        return lambda: module.layer_norm(x, (columns,), weight, bias, 1e-5), reference
    return make


def attention(length, depth, causal, backward=False):
    def make(module, torch):
        q, k, v = (torch.randn(4, 32, length, depth, device="cuda", dtype=torch.float16,
                               requires_grad=backward) for _ in range(3))

        def forward():
            return module.attention(q, k, v, causal, 0.5, False)

        def reference():
            # A part, which float64 has room for.
            parts = [x[:1, :2].detach().double().requires_grad_(backward) for x in (q, k, v)]
            scores = parts[0] @ parts[1].transpose(2, 3) * 0.5
            if causal:
                scores = scores.masked_fill(
                    ~torch.ones(length, length, device="cuda", dtype=bool).tril(), float("-inf"))
            out = torch.softmax(scores, -1) @ parts[2]
            if not backward:
                return out
            out.backward(gradient[:1, :2].double())
            return parts[0].grad
        if not backward:
            return lambda: forward(), reference, lambda out: out[:1, :2]
        out, gradient = forward(), torch.randn_like(q)

        def run():
            q.grad = k.grad = v.grad = None
            out.backward(gradient, retain_graph=True)
            return q.grad
        return run, reference, lambda found: found[:1, :2]
    return make


def grouped(name, size, transposed):
    def make(module, torch):
        a, b = ([torch.rand(size, size, device="cuda", dtype=torch.float16) for _ in range(4)]
                for _ in range(2))
        given = [x.T.contiguous() for x in b] if transposed else b
        return (lambda: getattr(module, name)(a, given), lambda: a[3].double() @ b[3].double(),
                lambda found: found[3])
    return make


CASES = [
    *((f"02 softmax 4096x{n}", "t02", softmax(4096, n)) for n in (1024, 4096, 12672)),
    *((f"03 matmul {n}", "t03", product("matmul", n, n, n)) for n in (1024, 2048, 4096, 8192)),
    *((f"05 layer norm 4096x{n}", "t05", layer_norm(4096, n)) for n in (1024, 8192, 15872)),
    *((f"06 attention {'causal ' if causal else ''}4x32x{length}x{depth}", "t06",
       attention(length, depth, causal))
      for depth in (64, 128) for causal in (False, True) for length in (2048, 8192)),
    *((f"06 attention backward causal 4x32x4096x{depth}", "t06", attention(4096, depth, True, True))
      for depth in (64, 128)),
    *((f"08 {name} 4x{n}", "t08", grouped(name, n, "tma" in name))
      for name in ("group_gemm_fn", "group_gemm_tma_fn") for n in (1024, 4096)),
    *((f"09 {name} 8192x8192x{k}", "t09", product(name, 8192, 8192, k, *rest))
      for k in (512, 8192)
      for name, *rest in (("matmul", False), ("matmul_tma", True, False), ("matmul_persistent", False),
                          ("matmul_tma_persistent", True, False),
                          ("matmul_descriptor_persistent", True, False))),
]


def maker(owner, module, make):
    """In the form of triton_language: the run, the reference, the work."""
    def made(torch):
        run, reference, *part = make(owner.tutorials[module], torch)
        return run, reference, part[0] if part else (lambda found: found)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.2)
    options = parser.parse_args()
    cases = [case for case in CASES if re.search(options.only, case[0])]
    with tempfile.TemporaryDirectory() as target:
        copy(options.folder, pathlib.Path(target))
        both = sides.load(target, sorted({module for _, module, _ in cases}))
        return triton_language.compare(
            {name: {side: (owner, maker(owner, module, make)) for side, owner in both.items()}
             for name, module, make in cases}, options)


if __name__ == "__main__":
    sys.exit(main())
