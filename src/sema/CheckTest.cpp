// `check`: everything decorated is looked through; and how modules find each other.

#include "sema/TestKernels.h"
#include "sema/value/ArgSpec.h"

#include <gtest/gtest.h>

#include <map>

using namespace gluonc;
using namespace gluonc::sema;
using namespace gluonc::sema::test;

static std::string checked(const std::string &source) {
  Harness harness(prelude + source);
  check(harness.program, *harness.module, harness.sink);
  return harness.problems();
}

TEST(Check, HostCodeIsNotLookedAt) {
  EXPECT_EQ(checked(R"(
import pytest, torch
from somewhere import *
@pytest.mark.parametrize("x", [torch.float32, unknown])
def test_it(x):
    with open("f") as g:
        yield undefined
class Holder:
    value = undefined
)"),
            "");
}

// What a host finds out may be good for kernels, and only it knows.
TEST(Check, NothingIsSaidOfWhatTheHostDecides) {
  const std::string use = "@gluon.jit\ndef k(p):\n    gl.store(p, f(X))\n";
  EXPECT_EQ(checked(R"(
import torch
if torch.cuda.is_available():
    X = gl.constexpr(1)
else:
    X = gl.constexpr(2)
@gluon.jit
def f(x):
    return x
)" + use),
            "");
  for (const char *decided :
       {"if torch.version.hip:\n    X = gl.constexpr(1)\nelse:\n    X = gl.constexpr(2)\n",
        "X = gl.constexpr(1 if torch.version.hip else 2)\n",
        "X = gl.constexpr(torch.cuda.device_count())\n",
        "def choose(x):\n    return torch.tune(x)\nX = choose(4)\n",
        "A, B = gl.constexpr(1), gl.constexpr(2)\nX = A if torch.version.hip else B\n"})
    EXPECT_EQ(
        checked("import torch\n@gluon.jit\ndef f(x):\n    return x\n" + std::string(decided) + use),
        "")
        << decided;
  for (const char *known : {"X = torch.cuda.device_count()\n", "X = torch\n", "X = X\n",
                            "import numpy\nX = numpy.int32(4)\n"})
    EXPECT_NE(
        checked("import torch\n@gluon.jit\ndef f(x):\n    return x\n" + std::string(known) + use),
        "")
        << known;
}

TEST(Check, ExceptionsArePythons) {
  EXPECT_EQ(checked(R"(
@gluon.constexpr_function
def f(x):
    if x > 1:
        raise ValueError(f"not {x}")
    return missing
)"),
            "Kind::UnknownName 8:12\n");
}

TEST(Check, ReportsAllErrorsOfAllFunctions) {
  EXPECT_EQ(checked(R"(
@gluon.jit
def a(p, C: gl.constexpr):
    if C:
        gl.store(p, missing)
    else:
        gl.stroe(p, other)
    return [x for x in (1, 2)]

@gluon.constexpr_function
def b(n):
    try:
        return m
    except* ValueError:
        pass

class K:
    @gluon.jit
    def method(self):
        while self.x:
            break
)"),
            "Kind::UnknownName 7:21\nKind::UnknownAttribute 9:12\nKind::UnknownName 9:21\n"
            "Kind::UnsupportedHostConstruct 14:5\nKind::UnsupportedConstruct 23:13\n");
}

TEST(Check, WhatPythonNeverEvaluatesIsNotLookedAt) {
  EXPECT_EQ(checked(R"(
FOUR = gl.constexpr(4)
@gluon.jit
def a(p, C: gl.constexpr):
    x = 0 and undefined
    x = 1 or undefined
    x = FOUR == 4 or undefined
    x = 2 if FOUR > 3 else undefined
    if FOUR < 4:
        undefined()
    elif C:
        return
        gl.store(undefined, 0)
    x = 2 < 1 < undefined
    x = FOUR < C < FOUR < 4 < undefined
    if C is None and FOUR != 4 and undefined:
        undefined()
    for i in gl.static_range(FOUR - 4):
        undefined()
    gl.store(p, x)
)"),
            "");
  EXPECT_EQ(checked("@gluon.jit\ndef a(p, C: gl.constexpr):\n    x = C and other\n"
                    "    x = 0 or third\n    if FOUR:\n        fourth()\n"
                    "    for i in gl.static_range(1):\n        fifth(C < 1 < sixth)\n"),
            "Kind::UnknownName 5:15\nKind::UnknownName 6:14\nKind::UnknownName 7:8\n"
            "Kind::UnknownName 8:9\nKind::UnknownName 10:9\nKind::UnknownName 10:23\n");
}

TEST(Check, WhatDependsOnNoArgumentIsEvaluated) {
  EXPECT_EQ(checked(R"(
N = gl.constexpr(96)
@gluon.constexpr_function
def made(warps):
    return gl.BlockedLayout([1], [32], [warps], [0])
@gluon.jit
def a(p, L: gl.constexpr):
    i = gl.arange(0, 100, layout=L)
    layout = gl.BlockedLayout([1], [32], [4], [0])
    wrong: gl.constexpr = gl.BlockedLayout([1], [32, 1], [4], [0])
    if L:
        gl.zeros([N], gl.float32, L)
    for j in range(L):
        kept: gl.constexpr = made(3)
    good: gl.constexpr = made(8)
    gl.store(p + gl.arange(4, 4, layout=good), i)
    gl.store(p, gl.full([4, 4], 1.0, gl.float32, layout=made(4)))
)"),
            "Kind::ShapeNotPowerOfTwo 10:22\nKind::NeedsConstexpr 11:14\n"
            "Kind::InvalidLayout 12:27\nKind::ShapeNotPowerOfTwo 14:18\n"
            "Kind::InvalidLayout 7:12\nKind::EmptyRange 18:31\nKind::LayoutRankMismatch 19:57\n");
}

TEST(Check, WhatArgumentsOrOptionsDecideIsLeftOpen) {
  EXPECT_EQ(checked(R"(
@gluon.constexpr_function
def made(warps):
    return gl.BlockedLayout([1], [32], [warps], [0])
@gluon.jit
def a(p, N: gl.constexpr, L: gl.constexpr, n):
    i = gl.arange(0, N, layout=L)
    chosen: gl.constexpr = made(gl.num_warps() * 3)
    wide: gl.constexpr = made(64)
    j = gl.arange(0, 4096, layout=wide)
    x = N and gl.arange(0, 100, layout=L)
    y = gl.arange(0, 100, layout=L) if N else 0
    size = 100
    if n:
        size = 128
    gl.store(p, gl.zeros([size], gl.float32, L))
    if gl.constexpr(2) == 3:
        gl.arange(0, 100, layout=L)
    return
    gl.arange(0, 100, layout=L)
)"),
            "");
}

TEST(Check, DecoratorsAreChecked) {
  EXPECT_EQ(checked("@gluon.jti\ndef a(p):\n    pass\n"), "Kind::BadDecorator 3:2\n");
  EXPECT_EQ(checked("@gluon.jit(noinlin=True)\ndef a(p):\n    pass\n"),
            "Kind::UnexpectedArgument 3:12\n");
  EXPECT_EQ(checked("@gluon.jit\nasync def a(p):\n    pass\n"), "Kind::BadDecorator 4:11\n");
  EXPECT_EQ(checked("@gluon.jit(do_not_specialize=['C'])\ndef a(C: gl.constexpr):\n    pass\n"),
            "Kind::BadDecorator 4:7\n");
  EXPECT_EQ(checked("import triton\n@triton.autotune(configs=[triton.Config({})], key=['n'])\n"
                    "@gluon.jit\ndef a(n):\n    pass\n"),
            "");
}

TEST(Check, ImportsFromKnownModulesMustExist) {
  EXPECT_EQ(checked("from gluonc.language import load, laod\nfrom torch import anything\n"
                    "from gluonc.language.nvidia.hopper import tma\n"),
            "Kind::BadModuleImport 3:35\n");
}

TEST(Check, CallsOfKnownFunctionsAreChecked) {
  EXPECT_EQ(checked(R"(
def host(x):
    pass
@gluon.jit
def f(a, b):
    pass
@gluon.jit
def g(a):
    f(a)
    f(a, b=a, c=a)
    f(*a)
    host(a)
    gl.load()
)"),
            "Kind::MissingArgument 11:5\nKind::UnexpectedArgument 12:15\n"
            "Kind::HostFunctionCall 14:5\nKind::MissingArgument 15:5\n");
}

TEST(Modules, EveryImportFormFindsTheLanguage) {
  for (const char *imports :
       {"import triton.experimental.gluon as gluon\n"
        "import triton.experimental.gluon.language as gl\n",
        "import gluonc as gluon\nfrom gluonc import language as gl\n",
        "import triton\ngluon = triton.experimental.gluon\ngl = gluon.language\n",
        "from triton.experimental import gluon\ngl = gluon.language\n",
        "from triton.experimental import gluon as gluon\n"
        "try:\n    from gluonc import language as gl\nexcept ImportError:\n    gl = None\n"}) {
    Harness harness(std::string(imports) + "@gluon.jit\ndef k(p):\n    gl.store(p, 1)\n");
    EXPECT_NE(harness.compile("k", {"*i32"}), "") << imports << harness.messages();
  }
}

TEST(Modules, TritonHasNamesOfItsOwn) {
  Harness harness(std::string(prelude) + "import triton.language as tl\n"
                                         "@gluon.jit\ndef k():\n    tl.debug_barrier()\n"
                                         "@gluon.jit\ndef l():\n    gl.debug_barrier()\n");
  EXPECT_NE(harness.compile("k", {}).find("barrier"), std::string::npos) << harness.messages();
  EXPECT_EQ(harness.compile("l", {}), "");
  EXPECT_EQ(harness.problems(), "Kind::UnknownAttribute 9:8\n");
}

TEST(Modules, SiblingFilesAreImportedLazily) {
  Harness harness(R"(
from triton.experimental import gluon
import helpers
from helpers import double, SIZE as size
from . import helpers as again
from package.sub.inner import triple
@gluon.jit
def k(p, n):
    helpers.gl.store(p, double(n) + size + again.SIZE + triple(n) + helpers.PLAIN)
)",
                  "dir/k.py");
  harness.siblings["dir/helpers.py"] =
      "from gluonc import language as gl\nimport gluonc as gluon\nimport numpy\nimport k\n"
      "SIZE = gl.constexpr(16)\nPLAIN = 3\nBROKEN = numpy.zeros(\n    3)\n"
      "@gluon.jit\ndef double(x):\n    return x * 2\n";
  harness.siblings["dir/package/sub/inner.py"] =
      "from ..names import gluon\n@gluon.jit\ndef triple(x):\n    return x * 3\n";
  harness.siblings["dir/package/names.py"] = "import gluonc as gluon\n";
  EXPECT_NE(harness.compile("k", {"*i32", "i32"}), "") << harness.messages();
  EXPECT_EQ(harness.program.files().size(), 4u);
}

/// The kinds of problems that `check` finds in `path` beside its siblings.
static std::string checkedAt(const std::string &path, const std::string &source,
                             const std::map<std::string, std::string> &siblings) {
  Harness harness(prelude + source, path);
  for (const auto &[sibling, text] : siblings)
    harness.siblings[sibling] = text;
  check(harness.program, *harness.module, harness.sink);
  return harness.problems();
}

TEST(Modules, RelativeImportsStayInTheirPackage) {
  std::map<std::string, std::string> files = {{"secret.py", "X = 1\n"},
                                              {"a/secret.py", "X = 1\n"},
                                              {"a/b/secret.py", "X = 1\n"},
                                              {"a/b/__init__.py", ""},
                                              {"a/b/c/__init__.py", ""}};
  // The packages are b and b.c: a has no __init__.py.
  EXPECT_EQ(checkedAt("a/b/c/k.py", "from ..secret import X\n", files), "");
  EXPECT_EQ(checkedAt("a/b/c/k.py", "from ...secret import X\n", files),
            "Kind::BadModuleImport 3:1\n");
  EXPECT_EQ(checkedAt("a/b/c/k.py", "from ... import secret\n", files),
            "Kind::BadModuleImport 3:1\n");
  EXPECT_EQ(checkedAt("a/b/c/k.py", "from ....secret import *\n", files),
            "Kind::BadModuleImport 3:1\n");
  // What is imported knows its package by the name it was imported by.
  files["a/b/c/inner.py"] = "from ..secret import X\n";
  EXPECT_EQ(checkedAt("a/b/c/k.py", "from .inner import X\n", files), "");
  files["a/b/c/inner.py"] = "from ...secret import X\n";
  EXPECT_EQ(checkedAt("a/b/c/k.py",
                      "from .inner import X\n@gluon.jit\ndef k(p):\n    gl.store(p, X)\n", files),
            "Kind::HostValue 6:17\n");
}

TEST(Modules, NamesMayComeFromElsewhere) {
  std::map<std::string, std::string> files = {
      {"star.py", "from .common import *\n"},
      {"common.py", "import logging\nlogger = logging.getLogger()\n"},
      {"lazy.py", "def __getattr__(name):\n    return find(name)\n"},
      {"host.py", "import torch\nif torch.version.hip:\n    X = 1\nelse:\n    X = 2\n"},
      {"plain.py", "Y = 1\n"}};
  const std::string use = "@gluon.jit\ndef k(p):\n    gl.store(p, X)\n";
  EXPECT_EQ(checkedAt("k.py", "from .star import logger\n", files), "");
  EXPECT_EQ(checkedAt("k.py", "from .lazy import platform\n", files), "");
  EXPECT_EQ(checkedAt("k.py", "from .lazy import X\n" + use, files), "");
  EXPECT_EQ(checkedAt("k.py", "from .host import X\n" + use, files), "");
  EXPECT_EQ(checkedAt("k.py", "from .host import *\n" + use, files), "");
  EXPECT_EQ(checkedAt("k.py", "from .plain import X\n", files), "Kind::BadModuleImport 3:20\n");
}

TEST(Modules, NoneHoldsThePlaceOfWhatAFunctionFindsOut) {
  std::map<std::string, std::string> files = {
      {"backend.py", "chosen = None\ndef choose(x):\n    global chosen\n    chosen = load(x)\n"
                     "def get():\n    return chosen\n"}};
  const std::string use = "f = backend.get().f\n@gluon.jit\ndef k(p):\n    gl.store(p, f(1))\n";
  EXPECT_EQ(checkedAt("k.py", "import backend\nbackend.choose('cuda')\n" + use, files), "");
}

TEST(Modules, MarkersAreWhereTritonDefinesThem) {
  EXPECT_EQ(checkedAt("k.py",
                      "from triton.runtime.jit import constexpr_function, jit\n"
                      "from triton.runtime import autotune\n"
                      "from triton.language.extra.cuda.utils import num_warps, smid\n"
                      "from triton.language.extra.cuda.gdc import gdc_wait\n"
                      "@constexpr_function\ndef f(x):\n    return x\n"
                      "@gluon.jit\ndef k(p):\n    gl.store(p, f(1))\n"
                      "@jit\ndef t(p):\n    missing(p)\n",
                      {}),
            "Kind::UnknownName 15:5\n");
}

TEST(Modules, FilesNamedByABareRelativePathImportAsOthersDo) {
  std::map<std::string, std::string> files = {{"near.py", "X = 1\n"},     {"__init__.py", ""},
                                              {"../__init__.py", ""},     {"../up.py", "X = 1\n"},
                                              {"../../up.py", "X = 1\n"}, {".py", "far = 1\n"}};
  EXPECT_EQ(checkedAt("k.py", "from .near import X\nfrom . import near\n", files), "");
  EXPECT_EQ(checkedAt("k.py", "from ..up import X\nfrom .. import up\n", files), "");
  EXPECT_EQ(checkedAt("./k.py", "from ..up import X\n",
                      {{"./__init__.py", ""}, {"./../__init__.py", ""}, {"./../up.py", "X = 1\n"}}),
            "");
  EXPECT_EQ(checkedAt("k.py", "from ...up import X\n", files), "Kind::BadModuleImport 3:1\n");
  EXPECT_EQ(checkedAt("k.py", "from . import far\n", files), "Kind::BadModuleImport 3:15\n");
}

TEST(Modules, FilesWithoutIdentifierNamesAreImportedByFunction) {
  Harness harness(std::string(prelude) + "import importlib\nt1 = importlib.import_module('01-a')\n"
                                         "@gluon.jit\ndef k(p, n):\n    gl.store(p, t1.f(n))\n");
  harness.siblings["01-a.py"] = "import gluonc as gluon\n@gluon.jit\ndef f(x):\n    return x + 1\n";
  EXPECT_NE(harness.compile("k", {"*i32", "i32"}), "") << harness.messages();
}

TEST(Modules, AggregatesAreLookedThrough) {
  EXPECT_EQ(checked("@gluon.aggregate\nclass A:\n    x: gl.tensor\n"
                    "    @gluon.jit\n    def f(self):\n        return A(missing)\n"
                    "@gluon.jit\ndef k(n):\n    a = A(n)\n    b = A.create(n)\n"
                    "    c = gl.aggregate_replace(a, x=n)\n"),
            "Kind::UnknownName 8:18\nKind::UnknownField 12:11\n");
}

TEST(Modules, LastDefinitionThatRunsWins) {
  Harness harness(std::string(prelude) + R"(
import torch
if __name__ == "__main__":
    W = gl.constexpr(1)
W = gl.constexpr(2)
if torch.cuda.is_available():
    V = gl.constexpr(3)
if 1 > 2:
    W = gl.constexpr(5)
A, (B, C) = gl.constexpr(6), (gl.constexpr(7), 8)
)");
  for (auto [name, expected] : {std::pair{"W", "2"}, {"V", "3"}, {"B", "7"}}) {
    auto value = evaluate(harness.program, *harness.module, name, {}, "<text>", harness.sink);
    ASSERT_TRUE(value) << name;
    EXPECT_EQ(value->repr(), expected) << name;
  }
}

/// What a kernel gets for `X` after these statements of its file: a number, or "" after a report.
static std::string valueOfX(const std::string &statements) {
  Harness harness(std::string(prelude) + "import torch\n" + statements +
                  "\n@gluon.jit\ndef k(p):\n    gl.store(p, X)\n");
  std::string ir = harness.compile("k", {"*i32"});
  llvm::StringRef text = llvm::StringRef(ir).split("arith.constant ").second;
  return text.take_while([](char c) { return llvm::isDigit(c); }).str();
}

TEST(Modules, WhatAFileChangesOtherwiseIsUnknown) {
  const std::string one = "X = gl.constexpr(1)\n";
  EXPECT_EQ(valueOfX(one), "1");
  for (const char *change : {
           "X += 1",
           "(X := gl.constexpr(2))",
           "globals()['X'] = gl.constexpr(2)",
           "globals().update(X=gl.constexpr(2))",
           "exec('X = 2')",
           "def f():\n    global X\n    X = gl.constexpr(2)\nf()",
           "def f():\n    global X\n    X = gl.constexpr(2)\ndef g():\n    f()\n[g() for i in (1, "
           "2)]",
           "class C:\n    def __init__(self):\n        global X\n        X = gl.constexpr(2)\nC()",
           "match 3:\n    case 3:\n        X = gl.constexpr(2)",
           "match gl.constexpr(2):\n    case X:\n        pass",
           "while torch.x:\n    X = gl.constexpr(2)",
           "for i in range(2):\n    X = gl.constexpr(i)",
           "with torch.x() as X:\n    pass",
           "try:\n    pass\nexcept ValueError:\n    X = gl.constexpr(2)",
           "if torch.x:\n    X = gl.constexpr(2)\nelse:\n    X = gl.constexpr(3)",
           "del X",
       })
    EXPECT_EQ(valueOfX(one + change), "") << change;
  // What is not called, or changes something else, changes nothing.
  for (const char *other : {
           "def f():\n    global X\n    X = gl.constexpr(2)",
           "def f():\n    X = 2\nf()",
           "globals()['Y'] = 2",
           "[X for X in (1, 2)]",
           "Y = lambda X: X",
           "if __name__ == '__main__':\n    X = gl.constexpr(2)",
           "X: gl.constexpr",
       })
    EXPECT_EQ(valueOfX(one + other), "1") << other;
  for (const char *branches :
       {"if torch.x:\n    import triton.experimental.gluon.language as T\nelse:\n    T = None",
        "if torch.x:\n    T = None\nelse:\n    import triton.experimental.gluon.language as T"})
    EXPECT_EQ(valueOfX(std::string(branches) + "\nX = T.constexpr(5)"), "5") << branches;
  EXPECT_EQ(valueOfX(one + "try:\n    X = gl.constexpr(2)\nfinally:\n    X = gl.constexpr(3)"),
            "3");
  EXPECT_EQ(valueOfX(one + "try:\n    X = gl.constexpr(2)\nexcept E:\n    X = gl.constexpr(3)\n"
                           "else:\n    X = gl.constexpr(4)"),
            "4");
}

TEST(Modules, ListsThatAFileChangesAreUnknown) {
  const std::string list = "L = [1, 2]\nD = {'a': L}\n", use = "\nX = gl.constexpr(len(L))";
  EXPECT_EQ(valueOfX(list + use), "2");
  for (const char *change : {"L.append(3)", "L += [3]", "L[0] = 3", "del L[0]", "random.shuffle(L)",
                             "import random\nrandom.shuffle(L)", "def f(l):\n    l.append(1)\nf(L)",
                             "def f():\n    L.append(1)\nf()", "for L[0] in (1, 2):\n    pass"})
    EXPECT_EQ(valueOfX(list + change + use), "") << change;
  for (const char *other :
       {"M = list(L)\nM.append(3)", "len(L)", "torch.tensor(L)", "N = gl.constexpr(sum(L))",
        "print(L)", "def f(l):\n    return l[0]\nf(L)",
        "def f():\n    L = []\n    L.append(1)\nf()"})
    EXPECT_EQ(valueOfX(list + other + use), "2") << other;
  // The other name of a list that changes.
  EXPECT_EQ(valueOfX(list + "K = L\nL.append(3)\nX = gl.constexpr(len(K))"), "");
}

TEST(Modules, AStarImportTakesItsPlaceAmongTheOthers) {
  Harness harness(std::string(prelude) + "X = gl.constexpr(1)\nfrom triton.language import *\n"
                                         "arange = gl.constexpr(3)\n");
  for (auto [name, expected] : {std::pair{"X", "1"}, {"arange", "3"}}) {
    auto value = evaluate(harness.program, *harness.module, name, {}, "<text>", harness.sink);
    ASSERT_TRUE(value) << name;
    EXPECT_EQ(value->repr(), expected) << name;
  }
}

TEST(Modules, ValuesFromOutsideComeFirst) {
  Harness harness(std::string(prelude) + "N = 4\n@gluon.jit\ndef k(p):\n    gl.store(p, N)\n");
  harness.program.define(*harness.module, "N", Value::integer(9).asWrapped());
  EXPECT_NE(harness.compile("k", {"*i32"}).find("arith.constant 9"), std::string::npos);
}

TEST(ArgSpec, TypeTextRoundTrips) {
  for (const char *text : {"*fp32:16", "i32", "i32:16", "fp16", "*kbf16", "u8", "**i64", "*u1"}) {
    std::optional<ArgSpec> spec = ArgSpec::parse(text);
    ASSERT_TRUE(spec) << text;
    EXPECT_EQ(spec->text(), text);
  }
  for (const char *text : {"", "wrong32", "fp32:16", "*", "i32:8", "void", "const i32"})
    EXPECT_FALSE(ArgSpec::parse(text)) << text;
}

TEST(ArgSpec, IntegersSpecializeByValue) {
  Parameter plain;
  EXPECT_EQ(ArgSpec::specializeInt(1, plain).text(), "constexpr(1)");
  EXPECT_EQ(ArgSpec::specializeInt(48, plain).text(), "i32:16");
  EXPECT_EQ(ArgSpec::specializeInt(0, plain).text(), "i32:16");
  EXPECT_EQ(ArgSpec::specializeInt(-7, plain).text(), "i32");
  EXPECT_EQ(ArgSpec::specializeInt(int64_t(1) << 31, plain).text(), "i64:16");
  EXPECT_EQ(ArgSpec::specializeUInt64(UINT64_MAX, plain).text(), "u64");
  Parameter fixed;
  fixed.noSpecialize = true;
  EXPECT_EQ(ArgSpec::specializeInt(1, fixed).text(), "i32");
  EXPECT_EQ(ArgSpec::specializeInt(16, fixed).text(), "i32");
  Parameter unaligned;
  unaligned.noAlignment = true;
  EXPECT_EQ(ArgSpec::specializeInt(1, unaligned).text(), "constexpr(1)");
  EXPECT_EQ(ArgSpec::specializeInt(16, unaligned).text(), "i32");
  Parameter annotated;
  annotated.annotatedType = dtypes::int64;
  EXPECT_EQ(ArgSpec::specializeInt(1, annotated).text(), "i64");
  EXPECT_EQ(ArgSpec::specializePointer(dtypes::float32, 0x1000, plain).text(), "*fp32:16");
  EXPECT_EQ(ArgSpec::specializePointer(dtypes::float32, 0x1004, plain).text(), "*fp32");
}

TEST(ArgSpec, OptionsOfJitReachTheParameters) {
  Harness harness(std::string(prelude) +
                  "@gluon.jit(do_not_specialize=['n', 2])\n"
                  "def k(p: '*fp16', n, m, o: gl.int64, C: 'gl.constexpr' = 3, *rest):\n"
                  "    pass\n");
  auto kernel = harness.program.kernel(*harness.module, "k", harness.sink);
  ASSERT_TRUE(kernel);
  ASSERT_EQ(kernel->parameters.size(), 6u);
  EXPECT_EQ(kernel->parameters[0].annotatedType, DType::pointer(dtypes::float16));
  EXPECT_TRUE(kernel->parameters[1].noSpecialize);
  EXPECT_TRUE(kernel->parameters[2].noSpecialize);
  EXPECT_EQ(kernel->parameters[3].annotatedType, dtypes::int64);
  EXPECT_TRUE(kernel->parameters[4].isConstexpr);
  EXPECT_EQ(kernel->parameters[5].kind, ParameterKind::Variadic);
}

TEST(DType, EverySpellingIsUnderstood) {
  for (const char *text : {"f32", "fp32", "float32", "gl.float32"})
    EXPECT_EQ(DType::parse(text), dtypes::float32) << text;
  for (const char *text : {"u1", "i1", "int1", "bool"})
    EXPECT_EQ(DType::parse(text), dtypes::int1) << text;
  std::optional<DType> pointer = DType::parse("*k*fp8e5");
  ASSERT_TRUE(pointer);
  EXPECT_TRUE(pointer->isConstPointer());
  EXPECT_FALSE(pointer->pointee().isConstPointer());
  EXPECT_TRUE(pointer->pointee().pointee().isFp8());
  EXPECT_EQ(DType::pointer(DType::pointer(dtypes::int8), true).pointee(),
            DType::pointer(dtypes::int8));
}
