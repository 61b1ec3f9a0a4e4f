// Rows of builtins document themselves, and their examples compile.

#include "sema/builtins/Reference.h"
#include "sema/TestKernels.h"
#include "sema/builtins/Families.h"
#include "sema/names/Language.h"

#include "gtest/gtest.h"

namespace gluonc::sema {
namespace {

template <typename Fn> void forEachEntry(Fn &&visit) {
  for (const ReferencePage &page : referencePages())
    for (const ReferenceSection &section : page.sections)
      for (const ReferenceEntry &entry : section.entries)
        visit(entry);
}

std::string indented(llvm::StringRef code) {
  std::string text;
  for (llvm::StringRef line : llvm::split(code.rtrim('\n'), '\n'))
    text += ("    " + line + "\n").str();
  return text;
}

/// What is wrong with the example; empty when it compiles.
std::string compileExample(llvm::StringRef example) {
  std::string source = examplePrelude.str();
  llvm::StringRef first = example.split('\n').first;
  bool isCluster = first.ends_with("num_ctas=2"), isAmd = example.starts_with("# hip:");
  // The blocks of the prelude belong to one CTA of 32 threads to a warp, and to NVIDIA.
  if (isCluster || isAmd)
    source = llvm::StringRef(source).split("    layout:").first.str();
  test::Harness harness(source + indented(example));
  harness.options.numCtas = isCluster ? 2 : 1;
  if (first.starts_with("# cuda:") || first.starts_with("# hip:"))
    harness.options.target = *target::Target::parse(first.drop_front(2).split(' ').first);
  auto layoutOf = [&](llvm::StringRef text) {
    return evaluate(harness.program, *harness.module, text, {}, "<layout>", harness.sink);
  };
  auto descriptor = [&](llvm::StringRef text) {
    // These are of NVIDIA's engine.
    if (isAmd)
      return ArgSpec::compileTime(Value::none());
    std::string problem;
    return ArgSpec::parseDescriptor(text, layoutOf, problem).value();
  };
  std::vector<ArgSpec> specs = {
      ArgSpec::parse("*fp32:16").value(),
      ArgSpec::parse("*fp32:16").value(),
      ArgSpec::parse("*i32:16").value(),
      ArgSpec::parse("i32").value(),
      descriptor("tensordesc<fp16[64, 64],gl.NVMMASharedLayout(128, 16, 2)>"),
      descriptor("tensordesc<u32[64, 64],gl.NVMMASharedLayout(128, 32, 2)>"),
      descriptor("tensordesc_im2col<fp16[64, 64],input_rank=4,gl.NVMMASharedLayout(128, 16, 2)>"),
      descriptor("tensordesc<fp16[1, 64],gl.NVMMASharedLayout(128, 16, 2)>"),
      ArgSpec::compileTime(Value::integer(128))};
  if (auto function = harness.program.kernel(*harness.module, "example", harness.sink))
    if (specialize(harness.program, *function, specs, harness.options, harness.context,
                   harness.sink) &&
        harness.sink.errorCount() == 0)
      return "";
  return harness.messages();
}

TEST(Reference, EveryRowIsDocumented) {
  size_t count = 0;
  forEachEntry([&](const ReferenceEntry &entry) {
    ++count;
    EXPECT_TRUE(entry.summary().ends_with("."))
        << entry.path << " has no summary: " << entry.summary().str();
    EXPECT_TRUE(entry.row->doc.contains("\nGives: "))
        << entry.path << " does not say what it gives";
    bool hasArguments = entry.row->signature.count() > 0;
    EXPECT_TRUE(!hasArguments || entry.row->doc.contains("\nErrors: ") || entry.row->traits.needs ||
                !entry.row->emit)
        << entry.path << " does not say what is an error";
    for (llvm::StringRef line : llvm::split(entry.row->doc, '\n'))
      EXPECT_LE(line.size(), 100u) << entry.path << ": " << line.str();
  });
  EXPECT_GT(count, 250u);
}

TEST(Reference, EveryParameterSaysWhatItTakes) {
  for (const ops::Family &family : ops::families())
    for (const Builtin &row : family.rows)
      for (unsigned i = 0; i < row.signature.count(); ++i) {
        Signature::Parameter parameter = row.signature[i];
        EXPECT_TRUE(!parameter.isOptional || !parameter.defaultText.empty())
            << row.name.str() << ": " << parameter.name.str() << " has no default";
      }
}

TEST(Reference, ExamplesCompile) {
  forEachEntry([&](const ReferenceEntry &entry) {
    if (entry.origin)
      return;
    // The host's function, under the name that `gluon` has for it.
    if (entry.path == "gl.next_power_of_2")
      return;
    std::string example = entry.example();
    ASSERT_FALSE(example.empty()) << entry.path << " has no example";
    llvm::StringRef name = llvm::StringRef(entry.path).rsplit('.').second;
    EXPECT_TRUE(llvm::StringRef(example).contains(name) || entry.path == "tensor.item")
        << "the example of " << entry.path << " does not use it";
    EXPECT_EQ(compileExample(example), "") << entry.path << "\n" << example;
  });
}

TEST(Reference, AnExampleThatIsWrongIsNoticed) {
  EXPECT_NE(compileExample("z = gl.load(offsets)\n"), "");
}

TEST(Reference, NamesAreFoundByTheirEnds) {
  auto paths = [](llvm::StringRef name) {
    std::string text;
    for (const ReferenceEntry *entry : findReference(name))
      text += entry->path + " ";
    return text;
  };
  EXPECT_EQ(paths("gl.load"), "gl.load ");
  EXPECT_EQ(paths("load"), "gl.load shared_memory_descriptor.load tensor_memory_descriptor.load ");
  EXPECT_EQ(paths("triton.language.load"),
            "gl.load shared_memory_descriptor.load tensor_memory_descriptor.load ");
  EXPECT_EQ(paths("tensor.sum"), "tensor.sum ");
  // Hopper has Ampere's `init`, and an `arrive` of its own.
  EXPECT_EQ(paths("mbarrier.init"), "gl.amd.cdna5.mbarrier.init gl.nvidia.ampere.mbarrier.init ");
  EXPECT_EQ(paths("mbarrier.arrive"),
            "gl.amd.cdna5.mbarrier.arrive gl.nvidia.ampere.mbarrier.arrive "
            "gl.nvidia.hopper.mbarrier.arrive ");
  EXPECT_EQ(paths("loda"), "");
  EXPECT_EQ(nearestReference("loda"), "load");
  EXPECT_EQ(nearestReference("mbarrier.inti"), "mbarrier.init");
  EXPECT_NE(findReferencePage("nvidia.hopper.tma"), nullptr);
}

TEST(Reference, NewerChipsHaveWhatOlderOnesHave) {
  const Builtin *old = ops::findBuiltin("nvidia.ampere.mbarrier.init");
  const Builtin *inherited = ops::findBuiltin("nvidia.blackwell.mbarrier.init");
  ASSERT_TRUE(old && inherited);
  EXPECT_EQ(inherited->emit, old->emit);
  EXPECT_EQ(inherited->name, "nvidia.blackwell.mbarrier.init");
  // Their own come first, and not everything is passed on.
  EXPECT_NE(ops::findBuiltin("nvidia.hopper.mbarrier.arrive")->emit,
            ops::findBuiltin("nvidia.ampere.mbarrier.arrive")->emit);
  EXPECT_EQ(ops::findBuiltin("nvidia.blackwell.warpgroup_mma"), nullptr);
}

TEST(Reference, SignaturesAreRead) {
  constexpr Signature signature = "x: tensor, *rest: ints, axis: int = -1, other=";
  ASSERT_EQ(signature.count(), 4u);
  EXPECT_EQ(signature[0].type->word, "tensor");
  EXPECT_FALSE(signature[0].isOptional);
  EXPECT_TRUE(signature[1].isVariadic);
  EXPECT_TRUE(signature[2].isKeywordOnly);
  EXPECT_EQ(signature[2].defaultText, "-1");
  EXPECT_TRUE(signature[3].isOptional);
  EXPECT_EQ(signature.find("other"), 3u);
  EXPECT_EQ(signature.find("oter"), 4u);
  EXPECT_TRUE(Signature("...").takesAnything());
}

} // namespace
} // namespace gluonc::sema
