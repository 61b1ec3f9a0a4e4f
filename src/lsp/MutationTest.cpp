// Files as they are while somebody types: whatever is asked of them is answered. Others than those
// of every day: --gtest_shuffle --gtest_repeat=100.

#include "lsp/Features.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>
#include <random>

using namespace gluonc;
using namespace gluonc::lsp;

static const char *const sample = R"(import helpers
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
import triton.language as tl
LANES = gl.constexpr(32)

@gluon.aggregate
class Pair:
    a: gl.tensor
    b: gl.tensor

    @gluon.jit
    def total(self):
        return self.a + self.b

@gluon.jit
def scaled(x, factor=2.0, *rest):
    """x times factor."""
    return x * factor

# gluonc: src=*fp32:16 dst=*fp32:16 n=i32 BLOCK=256 \
#         --num-warps 4 --target cuda:90a
@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [LANES], [4], [0])
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    for i in range(n):
        tile = gl.load(src + at, mask=at < n)
        pair = Pair(tile, scaled(tile))
        smem = gl.allocate_shared_memory(gl.float32, [BLOCK], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        smem.store(pair.total())
        gl.store(dst + at, smem.load(layout), mask=at < n)

# gluonc: x=*fp16 N=64
@tl.jit
def other(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), tl.load(x + tl.arange(0, N)).to(tl.float16))
)";

/// Answers have a form in JSON.
template <typename Answer> static void isSaid(const Answer &answer) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(answer);
  EXPECT_FALSE(text.empty());
}

static void askEverything(const std::string &text, std::mt19937 &random) {
  Files files;
  files.reader = [](llvm::StringRef) { return std::nullopt; };
  Analysis analysis(files, "/nowhere/k.py", text);
  const View view(analysis, analysis.module);
  const llvm::Expected<protocol::URIForFile> uri = protocol::URIForFile::fromFile("/nowhere/k.py");
  for (int i = 0; i != 12; ++i) {
    const auto offset = static_cast<uint32_t>(random() % (text.size() + 1));
    isSaid(hover(view, offset));
    isSaid(completion(view, offset));
    isSaid(signatureHelp(view, offset));
    isSaid(definition(view, offset));
    protocol::Position at = positionOf(view.file(), offset);
    isSaid(actions(analysis, *uri, {at, at}));
  }
  isSaid(symbols(view));
}

static std::string mutated(std::mt19937 &random) {
  std::string text = sample;
  for (unsigned count = random() % 3 + 1; count; --count) {
    const size_t at = random() % text.size(), length = random() % 12;
    static const char *const pieces[] = {"(",   ")",    "[",    ".",  "\n",          "\"",
                                         "'''", "    ", "def ", "\\", "#",           "\xff",
                                         "gl.", "=",    ",",    ":",  "# gluonc: x", "\U0001d465"};
    switch (random() % 4) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, pieces[random() % std::size(pieces)]);
      break;
    case 2:
      text.insert(at, text.substr(random() % text.size(), length));
      break;
    case 3:
      text.resize(at + 1);
    }
  }
  return text;
}

TEST(Mutation, EveryFileIsAnswered) {
  std::mt19937 random(static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed()));
  askEverything(sample, random);
  askEverything("", random);
  askEverything("\n", random);
  for (int i = 0; i != 150; ++i)
    askEverything(mutated(random), random);
}
