#include "sema/names/Imports.h"

#include "sema/TestKernels.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::sema;
using namespace gluonc::sema::test;

namespace {

using Files = std::map<std::string, std::string>;

const std::string body = "@gluon.jit\ndef k(p):\n    gl.store(p, f(2))\n";

std::string helper(int by) {
  return "import gluonc as gluon\n@gluon.jit\ndef f(x):\n    return x * " + std::to_string(by) +
         "\n";
}

/// What `k` of a file stores, which begins with `imports`: the factor of the helper that was found,
/// or the messages.
std::string stored(const std::string &path, const std::string &imports, const Files &files,
                   std::vector<std::string> searchPath = {}, const std::string &kernel = body) {
  Harness harness(prelude + imports + kernel, path);
  for (const auto &[name, text] : files)
    harness.siblings[name] = text;
  setSearchPath(harness.program, std::move(searchPath));
  std::string ir = harness.compile("k", {"*i32"});
  for (int by : {10, 20, 30, 40})
    if (ir.find("arith.constant " + std::to_string(2 * by) + " : i32") != std::string::npos)
      return std::to_string(by);
  return ir.empty() ? harness.messages() : ir;
}

TEST(Imports, TheFolderOfTheFileComesBeforeTheSearchPath) {
  Files files = {{"dir/m.py", helper(10)}, {"lib/m.py", helper(20)}, {"more/m.py", helper(30)}};
  EXPECT_EQ(stored("dir/k.py", "from m import f\n", files, {"lib", "more"}), "10");
  files.erase("dir/m.py");
  EXPECT_EQ(stored("dir/k.py", "from m import f\n", files, {"lib", "more"}), "20");
  EXPECT_EQ(stored("dir/k.py", "from m import f\n", files, {"more", "lib"}), "30");
}

TEST(Imports, EveryFormReachesAPackage) {
  Files files = {{"lib/pkg/__init__.py", "from .sub.inner import f as g\n"},
                 {"lib/pkg/sub/__init__.py", ""},
                 {"lib/pkg/sub/inner.py", "from ..base import f\n"},
                 {"lib/pkg/base.py", helper(10)}};
  for (const char *form :
       {"from pkg.sub.inner import f\n", "from pkg import g as f\n",
        "import pkg.sub.inner\nf = pkg.sub.inner.f\n", "import pkg.sub.inner as m\nf = m.f\n",
        "from pkg.sub import inner\nf = inner.f\n", "import pkg\nf = pkg.g\n"})
    EXPECT_EQ(stored("k.py", form, files, {"lib"}), "10") << form;
}

TEST(Imports, APackageImportsItsOwnModules) {
  Files files = {{"lib/pkg/__init__.py", "from . import base, missing\n"},
                 {"lib/pkg/base.py", helper(10)}};
  EXPECT_EQ(stored("k.py", "from pkg import base\nf = base.f\n", files, {"lib"}), "10");
  EXPECT_EQ(stored("k.py", "import pkg\nf = pkg.base.f\n", files, {"lib"}), "10");
  std::string messages = stored("k.py", "import pkg\nf = pkg.missing.f\n", files, {"lib"});
  EXPECT_NE(messages.find("host program"), std::string::npos) << messages;
}

TEST(Imports, FoldersWithoutAnInitArePackages) {
  Files files = {{"lib/pkg/sub/inner.py", helper(10)}, {"lib/pkg/base.py", helper(20)}};
  for (const char *form :
       {"from pkg.sub.inner import f\n", "from pkg.sub import inner\nf = inner.f\n",
        "import pkg.sub.inner\nf = pkg.sub.inner.f\n", "import pkg.sub.inner as m\nf = m.f\n"})
    EXPECT_EQ(stored("k.py", form, files, {"lib"}), "10") << form;
  std::string wrong = "@gluon.jit\ndef k(p):\n    pkg.sub.outer.f(p)\n";
  std::string messages = stored("k.py", "import pkg.sub.inner\n", files, {"lib"}, wrong);
  EXPECT_NE(messages.find("module `pkg.sub` has no attribute `outer`"), std::string::npos)
      << messages;
}

TEST(Imports, RelativeImportsClimbFoldersWithoutAnInit) {
  Files inPackage = {{"lib/pkg/__init__.py", ""}, {"lib/pkg/a/base.py", helper(10)}};
  EXPECT_EQ(stored("lib/pkg/b/k.py", "from ..a.base import f\n", inPackage), "10");
  Files plain = {{"lib/pkg/a/base.py", helper(20)}};
  for (const char *folder : {"lib", "./lib", "lib/"})
    EXPECT_EQ(stored("lib/pkg/b/k.py", "from ..a.base import f\n", plain, {folder}), "20");
  EXPECT_EQ(
      stored("pkg/b/k.py", "from ..a.base import f\n", {{"pkg/a/base.py", helper(30)}}, {"."}),
      "30");
  std::string messages = stored("lib/pkg/b/k.py", "from ..a.base import f\n", plain, {"other"});
  EXPECT_NE(messages.find("cannot be imported from"), std::string::npos) << messages;
  messages = stored("lib/pkg/b/k.py", "from ...pkg.a.base import f\n", plain, {"lib"});
  EXPECT_NE(messages.find("cannot be imported from"), std::string::npos) << messages;
}

// Each `if` asks for names that the ones before it may bind.
TEST(Imports, BranchesOfTheHostAreAskedOnce) {
  std::string text = "import os\nX = os.environ.get('x')\n";
  for (int i = 0; i != 60; ++i)
    text += "if X and not os.environ.get('y'):\n    X = os.environ.get('x')\n"
            "    if X:\n        X = None\n";
  EXPECT_EQ(stored("k.py", text + "if X:\n    f = None\nelse:\n    from m import f\n",
                   {{"m.py", helper(10)}}),
            "10");
}

TEST(Imports, APackageComesBeforeAFileOfItsName) {
  Files files = {{"m.py", helper(10)}, {"m/__init__.py", helper(20)}};
  EXPECT_EQ(stored("k.py", "from m import f\n", files), "20");
}

TEST(Imports, AFileInAPackageIsAModuleOfIt) {
  Files files = {{"site/pkg/__init__.py", ""},
                 {"site/pkg/sub/__init__.py", ""},
                 {"site/pkg/base.py", helper(10)},
                 {"site/other.py", helper(20)},
                 {"site/pkg/sub/other.py", helper(30)}};
  EXPECT_EQ(stored("site/pkg/sub/k.py", "from pkg.base import f\n", files), "10");
  EXPECT_EQ(stored("site/pkg/sub/k.py", "import pkg.base as m\nf = m.f\n", files), "10");
  EXPECT_EQ(stored("site/pkg/sub/plain/k.py", "from pkg.base import f\n", files), "10");
  EXPECT_NE(stored("site/k.py", "from site.pkg.base import f\n", files), "10");
  // What lies beside the package is found where the user says so.
  EXPECT_EQ(stored("site/pkg/sub/k.py", "from other import f\n", files), "30");
  files.erase("site/pkg/sub/other.py");
  std::string messages = stored("site/pkg/sub/k.py", "from other import f\n", files);
  EXPECT_NE(messages.find("looked in site/pkg/sub"), std::string::npos) << messages;
  EXPECT_EQ(stored("site/pkg/sub/k.py", "from other import f\n", files, {"site"}), "20");
}

TEST(Imports, WhatIsImportedLooksWhereItsImporterDoes) {
  Files files = {{"lib/pkg/__init__.py", ""},
                 {"lib/pkg/a.py", "from pkg.b import f\n"},
                 {"lib/pkg/b.py", "from shared import f\n"},
                 {"shared.py", helper(10)}};
  EXPECT_EQ(stored("k.py", "from pkg.a import f\n", files, {"lib"}), "10");
}

TEST(Imports, FunctionsOfModulesRunWhileAKernelIsCompiled) {
  Files files = {{"m.py", "def f(x):\n    return sum([x for _ in range(10)])\n"}};
  std::string call = "@gluon.jit\ndef k(p):\n    x: gl.constexpr = m.f(2)\n    gl.store(p, x)\n";
  EXPECT_EQ(stored("k.py", "import m\n", files, {}, call), "10");
  // Under a name of its own it is no function of kernels, as in Triton.
  std::string messages = stored("k.py", "from m import f\n", files);
  EXPECT_NE(messages.find("`f` is an ordinary Python function"), std::string::npos) << messages;
  messages = stored("k.py", "import m\n", files, {}, "@gluon.jit\ndef k(p):\n    m.f()\n");
  EXPECT_NE(messages.find("`f` needs"), std::string::npos) << messages;
}

TEST(Imports, AStarImportsTheLanguageToo) {
  Files files = {
      {"m.py", "import gluonc as gluon\nfrom gluonc import language as gl\n" + helper(10)}};
  EXPECT_EQ(stored("k.py", "from m import *\n", files), "10");
  // Modules may take all names of each other.
  files = {{"a.py", "from b import *\n" + helper(10)}, {"b.py", "from a import *\n"}};
  EXPECT_EQ(stored("k.py", "from b import *\n", files), "10");
  std::string messages = stored("k.py", "from b import *\n", files, {},
                                "@gluon.jit\ndef k(p):\n    gl.store(p, nothing(2))\n");
  EXPECT_NE(messages.find("`nothing` is not defined"), std::string::npos) << messages;
}

TEST(Imports, AModuleDoesNotImportItself) {
  EXPECT_EQ(stored("pkg/m.py", "from m import f\n", {{"lib/m.py", helper(10)}}, {"lib"}), "10");
  std::string messages = stored("pkg/m.py", "from m import f\n", {});
  EXPECT_NE(messages.find("module `m` was not found"), std::string::npos) << messages;
}

TEST(Imports, HelpersOfPyTorchAndTritonAreFiles) {
  for (const char *module : {"torch._inductor.runtime.triton_helpers",
                             "triton.tools.triton_to_gluon_translator.common_helpers"}) {
    std::string path = module;
    std::replace(path.begin(), path.end(), '.', '/');
    Files files = {{"lib/" + path + ".py", helper(10)}};
    EXPECT_EQ(stored("k.py", std::string("from ") + module + " import f\n", files, {"lib"}), "10");
    EXPECT_EQ(stored("k.py", std::string("import ") + module + " as h\nf = h.f\n", files, {"lib"}),
              "10");
  }
}

// `constexpr` around a Python function makes it one that kernels call.
TEST(Imports, FunctionsMayBeConstexprs) {
  for (const char *form : {"@tl.constexpr\ndef f(x):\n    return 5 * x\n",
                           "def g(x):\n    return 5 * x\nf = tl.constexpr(g)\n",
                           "@tl.constexpr_function\ndef f(x):\n    return 5 * x\n",
                           "@tl.core.constexpr_function\ndef f(x):\n    return 5 * x\n"})
    EXPECT_EQ(stored("k.py", std::string("import triton.language as tl\n") + form, {}, {},
                     "@gluon.jit\ndef k(p):\n    x: gl.constexpr = f(4)\n    gl.store(p, x)\n"),
              "10")
        << form;
}

TEST(Imports, ModulesMayImportEachOther) {
  Files files = {{"a.py", "from b import f\n" + helper(10)},
                 {"b.py", "from a import f\nimport k\n"}};
  EXPECT_EQ(stored("k.py", "from b import f\nimport a\n", files), "10");
}

TEST(Imports, AMissingModuleSaysWhereItWasLookedFor) {
  std::string expected = "`f` is a value of the host program and cannot be used here";
  std::string messages = stored("dir/k.py", "from pkg.m import f\n", {}, {"lib", "/more"});
  EXPECT_NE(messages.find(expected), std::string::npos) << messages;
  EXPECT_NE(messages.find("module `pkg.m` was not found; looked in dir, lib, /more"),
            std::string::npos)
      << messages;
  messages = stored("k.py", "from .m import f\n", {});
  EXPECT_NE(messages.find("module `.m` was not found; looked in ."), std::string::npos) << messages;
  messages = stored("k.py", "from . import f\n", {});
  EXPECT_NE(messages.find("module `.f` was not found"), std::string::npos) << messages;
  // Also where another module wanted it.
  messages = stored("k.py", "from a import f\n", {{"a.py", "from b import f\n"}});
  EXPECT_NE(messages.find("module `b` was not found"), std::string::npos) << messages;
  messages = stored("k.py", "import m.n\n", {}, {}, "@gluon.jit\ndef k(p):\n    m.n.f(p)\n");
  EXPECT_NE(messages.find("module `m.n` was not found"), std::string::npos) << messages;
  messages = stored("k.py", "import m\n", {}, {}, "@gluon.jit\ndef k(p):\n    m.f(p)\n");
  EXPECT_NE(messages.find("module `m` was not found"), std::string::npos) << messages;
  // Where no one looked nothing is said.
  messages = stored("k.py", "from torch import f\n", {{"torch.py", helper(10)}});
  EXPECT_EQ(messages.find("looked in"), std::string::npos) << messages;
}

TEST(Imports, KernelFilesGetNoEnvironment) {
  std::string source = "import os\nif os.environ.get('HOME', '0') == '1':\n    BY = 10\nelse:\n"
                       "    BY = int(os.getenv('PATH', '20'))\n"
                       "if os.getenv('HOME') is None:\n    BY = gl.constexpr(2 * BY)\n";
  std::string kernel = "@gluon.jit\ndef k(p):\n    gl.store(p, BY)\n";
  EXPECT_EQ(stored("k.py", source, {}, {}, kernel), "20");
}

} // namespace
