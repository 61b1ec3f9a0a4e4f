"""Microbenchmarks in PTX: one kernel for each figure of the performance model.

A kernel gets (out, data, count): `out` receives the cycles that each CTA's timed part took. Parts
are written out many times within a loop of `count` rounds, so that the loop costs nothing.
"""

HEAD = """.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 mem[];
.visible .entry k(.param .u64 po, .param .u64 pd, .param .u32 pn) {
.reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<300>; .reg .b64 %rd<64>; .reg .f32 %f<400>; .reg .f64 %d<16>;
.reg .b64 %out, %data, %begin, %end, %at; .reg .b32 %n, %t, %i, %cta, %warp;
ld.param.u64 %out, [po]; ld.param.u64 %data, [pd]; ld.param.u32 %n, [pn];
mov.u32 %t, %tid.x; mov.u32 %cta, %ctaid.x; shr.u32 %warp, %t, 5;
"""


def kernel(timed, before="", after="", loops=True):
    """PTX of a kernel that times `timed`, `count` times over."""
    loop = ("mov.u32 %i, 0;\nLOOP:\n" + timed + "\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %p15, %i, %n;\n"
            "@%p15 bra LOOP;\n") if loops else timed
    return (HEAD + before + "\nbar.sync 0;\nmov.u64 %begin, %clock64;\n" + loop +
            "\nbar.sync 0;\nmov.u64 %end, %clock64;\nsub.u64 %end, %end, %begin;\n" + after +
            "\nsetp.ne.u32 %p14, %t, 0;\n@%p14 bra DONE;\nmul.wide.u32 %at, %cta, 8;\n"
            "add.u64 %at, %at, %out;\nst.global.u64 [%at], %end;\nDONE:\nret;\n}\n")


EMPTY = HEAD + "ret;\n}\n"

# What each pipe does: an instruction whose result is {d} and whose operand is {s}.
INSTRUCTIONS = {
    "float": ("f", "fma.rn.f32 %f{d}, %f{s}, %f{s}, %f{s};"),
    "add_float": ("f", "add.rn.f32 %f{d}, %f{s}, %f1;"),
    "max_float": ("f", "max.f32 %f{d}, %f{s}, %f1;"),
    "half2": ("r", "fma.rn.f16x2 %r{d}, %r{s}, %r{s}, %r{s};"),
    "integer": ("r", "lop3.b32 %r{d}, %r{s}, %r1, %r2, 0x96;"),
    "multiply_integer": ("r", "mad.lo.s32 %r{d}, %r{s}, %r{s}, %r1;"),
    "special": ("f", "ex2.approx.ftz.f32 %f{d}, %f{s};"),
    "convert": ("r", "mov.b32 %f300, %r{s};\ncvt.rn.f16x2.f32 %r{d}, %f300, %f300;"),
    "double": ("d", "fma.rn.f64 %d{d}, %d{s}, %d{s}, %d{s};"),
    "shuffle": ("r", "shfl.sync.bfly.b32 %r{d}, %r{s}, 1, 31, -1;"),
}
UNROLLED = 64


def _keep(kind, count):
    """Stores what results are, so that they are computed."""
    bits = {"f": "f32", "r": "b32", "d": "f64"}[kind]
    return "".join(f"@%p13 st.global.{bits} [%data], %{kind}{10 + i};\n" for i in range(count))


def _begin(kind, count):
    zero = {"f": "mov.f32 %f{0}, 0f3F800000;", "r": "mov.b32 %r{0}, %t;",
            "d": "mov.f64 %d{0}, 0d3FF0000000000000;"}[kind]
    return ("mov.f32 %f1, 0f3F800000;\nmov.b32 %r1, %t;\nmov.b32 %r2, %n;\nmov.b16 %h1, 1;\n"
            "setp.eq.u32 %p13, %n, 123456;\n" +
            "".join(zero.format(10 + i) + "\n" for i in range(count)))


def chain(name, chains):
    """`chains` independent chains of an instruction; one is for its latency."""
    kind, text = INSTRUCTIONS[name]
    if kind == "d":
        chains = min(chains, 4)
    body = "".join(text.format(d=10 + i % chains, s=10 + i % chains) + "\n" for i in range(UNROLLED))
    return kernel(body, _begin(kind, chains), _keep(kind, chains))


def shared_latency():
    before = ("mov.u32 %r1, mem;\nshl.b32 %r2, %t, 2;\nadd.u32 %r2, %r2, %r1;\nst.shared.u32 [%r2], %r2;\n")
    return kernel("ld.shared.u32 %r2, [%r2];\n" * UNROLLED, before, "@%p13 st.global.u32 [%data], %r2;\n")


def shared_rate():
    """16 bytes a lane, no conflicts."""
    before = "mov.u32 %r1, mem;\nshl.b32 %r2, %t, 4;\nadd.u32 %r2, %r2, %r1;\nmov.b32 %r9, 0;\n"
    body = "".join("ld.volatile.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2];\nxor.b32 %r9, %r9, %r10;\n"
                   for _ in range(16))
    return kernel(body, before, "@%p13 st.global.u32 [%data], %r9;\n")


def pointer_chase(cache):
    """`data` holds addresses of where to go on, of which the first warp follows one."""
    before = "mov.u64 %rd1, %data;\n"
    return kernel(f"ld.global.{cache}.u64 %rd1, [%rd1];\n" * 16, before, "@%p13 st.global.u64 [%data], %rd1;\n")


def atomic_latency():
    return kernel("atom.global.add.u32 %r2, [%data], %r2;\n" * 16, "mov.u32 %r2, 0;\n")


def copy():
    """Each thread copies 16 bytes `count` times, a grid's width apart: `data` to its second half."""
    before = ("mov.u32 %r1, %ntid.x;\nmad.lo.u32 %r2, %cta, %r1, %t;\nmul.wide.u32 %rd1, %r2, 16;\n"
              "add.u64 %rd1, %rd1, %data;\nmov.u32 %r3, %nctaid.x;\nmul.lo.u32 %r3, %r3, %r1;\n"
              "mul.wide.u32 %rd2, %r3, 16;\n"
              "cvt.u64.u32 %rd4, %n;\nmul.lo.u64 %rd4, %rd4, %rd2;\nadd.u64 %rd5, %rd1, %rd4;\n")
    body = ("ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd1];\nst.global.v4.u32 [%rd5], {%r10, %r11, %r12, %r13};\n"
            "add.u64 %rd1, %rd1, %rd2;\nadd.u64 %rd5, %rd5, %rd2;\n")
    return kernel(body, before)


def barrier(warps):
    return kernel("bar.sync 0;\n" * UNROLLED)


MBARRIERS = ("mov.u32 %r1, mem;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra MADE;\n" +
             "".join(f"mbarrier.init.shared.b64 [mem+{8 * i}], 1;\n" for i in range(8)) +
             "fence.proxy.async;\nMADE:\n")


def mbarrier():
    """One thread arrives and asks."""
    body = ""
    for i in range(16):
        body += (f"mbarrier.arrive.shared.b64 %rd9, [mem];\nW{i}:\nmbarrier.try_wait.parity.shared.b64 %p2, [mem], {i % 2};\n"
                 f"@!%p2 bra W{i};\n")
    return kernel(body, MBARRIERS)


def bulk(bytes_each, stages, span, step=None, apart=None):
    """A thread copies `count` * stages pieces with the copy engine, `stages` of them under way; each CTA stays
    within `span` bytes, where pieces are `step` apart, and CTAs begin `apart` bytes apart."""
    step, apart = step or bytes_each, span if apart is None else apart
    pieces = max(span // step, 1)
    body = ""
    for i in range(stages):
        body += (f"W{i}:\nmbarrier.try_wait.parity.shared.b64 %p2, [mem+{8 * i}], %r5;\n@!%p2 bra W{i};\n" +
                 _fetch(bytes_each, i, pieces, step))
    body += "xor.b32 %r5, %r5, 1;\n"
    before = (MBARRIERS + f"mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nmul.wide.u32 %rd1, %cta, {apart};\n"
              "add.u64 %rd1, %rd1, %data;\nmov.u64 %rd2, %rd1;\n" +
              "".join(_fetch(bytes_each, i, pieces, step) for i in range(stages)))
    last = "".join(f"Z{i}:\nmbarrier.try_wait.parity.shared.b64 %p2, [mem+{8 * i}], %r5;\n@!%p2 bra Z{i};\n"
                   for i in range(stages))
    return kernel(body, before, last)


def _fetch(bytes_each, stage, pieces, step):
    place = 1024 + stage * bytes_each
    return (f"mbarrier.arrive.expect_tx.shared.b64 %rd9, [mem+{8 * stage}], {bytes_each};\n"
            f"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [mem+{place}], [%rd2], {bytes_each}, "
            f"[mem+{8 * stage}];\nadd.u64 %rd2, %rd2, {step};\nadd.u32 %r6, %r6, 1;\n"
            f"setp.ge.u32 %p3, %r6, {pieces};\n@%p3 mov.u64 %rd2, %rd1;\n@%p3 mov.u32 %r6, 0;\n")


def mma(chains):
    body = "".join(
        f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f{10 + 4 * c}, %f{11 + 4 * c}, %f{12 + 4 * c}, "
        f"%f{13 + 4 * c}}}, {{%r10, %r11, %r12, %r13}}, {{%r14, %r15}}, {{%f{10 + 4 * c}, %f{11 + 4 * c}, "
        f"%f{12 + 4 * c}, %f{13 + 4 * c}}};\n" for c in (i % chains for i in range(32)))
    before = "".join(f"mov.b32 %r{10 + i}, 0;\n" for i in range(6)) + "".join(
        f"mov.f32 %f{10 + i}, 0f00000000;\n" for i in range(4 * chains))
    keep = "".join(f"@%p13 st.global.f32 [%data], %f{10 + 4 * c};\n" for c in range(chains))
    return kernel(body, before + "setp.eq.u32 %p13, %n, 123456;\n", keep)


def wgmma(columns, types="f32.f16.f16", depth=16, in_registers=False, together=8):
    """`together` products in a group, one group after another."""
    count = columns // 2
    sums = ", ".join(f"%f{10 + i}" for i in range(count))
    a = "{%r10, %r11, %r12, %r13}" if in_registers else "%rd10"
    flags = "1, 1, 1" + ("" if "f16.f16" not in types else (", 0" if in_registers else ", 0, 0"))
    one = (f"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{types} {{{sums}}}, {a}, %rd11, {flags};\n")
    body = "wgmma.fence.sync.aligned;\n" + one * together + \
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    # Rows of 128 bytes with the swizzle of 128, as compilers lay operands out.
    before = ("mov.u32 %r1, mem;\nshr.u32 %r2, %r1, 4;\nand.b32 %r2, %r2, 0x3fff;\ncvt.u64.u32 %rd10, %r2;\n"
              "or.b64 %rd10, %rd10, 0x4000004000010000;\nadd.u64 %rd11, %rd10, 1024;\n" +
              "".join(f"mov.b32 %r{10 + i}, 0;\n" for i in range(4)) +
              "".join(f"mov.f32 %f{10 + i}, 0f00000000;\n" for i in range(count)) +
              "setp.eq.u32 %p13, %n, 123456;\n")
    keep = "".join(f"@%p13 st.global.f32 [%data], %f{10 + i};\n" for i in range(count))
    return kernel(body, before, keep)
