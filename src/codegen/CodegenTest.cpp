//===- CodegenTest.cpp - From ttg text to PTX ------------------------------------===//
//
// What the PTX of each operation looks like is tested by test/codegen/*.ttgir.
// Here: every one of these files assembles for every target, errors carry their
// place, and a compile stays within its time budget.
//
//===----------------------------------------------------------------------===//
#include "codegen/Backend.h"
#include "codegen/nvidia/Ptx.h"
#include "codegen/nvidia/Ptxas.h"
#include "ir/Dialects.h"

#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

using namespace gluonc;

namespace {

std::string testFolder() { return std::string(GLUONC_SOURCE_DIR) + "/test/codegen"; }

/// The chips that a file of test/codegen is to be assembled for as it stands, in its line
/// "TARGETS:"; none for files that passes prepare first.
std::vector<std::string> targetsOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return {};
  llvm::StringRef line = (*buffer)->getBuffer().split("// TARGETS: ").second.split('\n').first;
  std::vector<std::string> names;
  for (llvm::StringRef name : llvm::split(line, ' '))
    if (!name.empty())
      names.push_back(name.str());
  return names;
}

std::vector<std::string> testFiles() {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(testFolder(), error), end; at != end && !error;
       at.increment(error))
    if (llvm::sys::path::extension(at->path()) == ".ttgir" && !targetsOf(at->path()).empty())
      files.push_back(at->path());
  std::sort(files.begin(), files.end());
  return files;
}

struct Parsed {
  Parsed() : context(mlir::MLIRContext::Threading::DISABLED) { loadAllDialects(context); }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

std::unique_ptr<Parsed> parseFile(const std::string &path) {
  auto parsed = std::make_unique<Parsed>();
  parsed->module = mlir::parseSourceFile<mlir::ModuleOp>(path, &parsed->context);
  return parsed;
}

/// Also for chips that users are refused.
llvm::Expected<codegen::Artifact> compile(mlir::ModuleOp module, const char *target,
                                          const codegen::Options &options = {}) {
  std::unique_ptr<codegen::Backend> backend =
      codegen::nvidia::createBackend(*target::Target::parse(target), options);
  llvm::Expected<codegen::LlvmModule> llvm = backend->makeLlvm(module);
  if (!llvm)
    return llvm.takeError();
  return backend->print(*llvm);
}

std::string ptxOf(const std::string &path, const char *target,
                  const codegen::Options &options = {}) {
  std::unique_ptr<Parsed> parsed = parseFile(path);
  if (!parsed->module)
    return "cannot parse " + path;
  llvm::Expected<codegen::Artifact> result = compile(*parsed->module, target, options);
  return result ? result->bytes : "error: " + llvm::toString(result.takeError());
}

/// Whether ptxas takes the text of `file`, without spilling registers.
void expectAssembles(const char *ptxas, const std::string &file, const char *target) {
  std::string ptx = ptxOf(file, target);
  llvm::Expected<codegen::nvidia::Cubin> cubin =
      codegen::nvidia::assemble(ptxas, ptx, *target::Target::parse(target));
  ASSERT_TRUE(static_cast<bool>(cubin)) << file << " " << target << "\n"
                                        << llvm::toString(cubin.takeError()) << "\n"
                                        << ptx;
  ASSERT_EQ(cubin->resources.size(), 1u);
  // A register at most, where that lets one more program share a multiprocessor.
  EXPECT_LE(cubin->resources[0].spillStoreBytes, cubin->resources[0].spillsByChoice ? 4u : 0u)
      << file;
  EXPECT_GT(cubin->resources[0].registers, 0u) << file;
}

TEST(Codegen, TestFilesAssembleForTheirTargets) {
  const char *ptxas = std::getenv("GLUONC_TEST_PTXAS");
  if (!ptxas)
    GTEST_SKIP() << "GLUONC_TEST_PTXAS does not name an assembler";
  std::vector<std::string> files = testFiles();
  ASSERT_GE(files.size(), 24u);
  for (const std::string &file : files)
    for (const std::string &name : targetsOf(file))
      expectAssembles(ptxas, file, name.c_str());
}

TEST(Backend, OfAChipThatHasNoneIsNull) {
  for (const target::Target &target : target::Target::all())
    EXPECT_EQ(codegen::createBackend(target) != nullptr, target.hasCodegen()) << target.name();
}

TEST(Codegen, KernelInfoFollowsTheModule) {
  std::unique_ptr<Parsed> parsed = parseFile(testFolder() + "/convert-through-shared.ttgir");
  llvm::Expected<codegen::LlvmModule> llvm =
      codegen::createBackend(*target::Target::parse("cuda:90"))->makeLlvm(*parsed->module);
  ASSERT_TRUE(static_cast<bool>(llvm));
  EXPECT_EQ(llvm->kernel.name, "transpose");
  EXPECT_EQ(llvm->kernel.numWarps, 4u);
  EXPECT_EQ(llvm->kernel.sharedBytes, 16384u);
  // Two pointers and the two hidden ones.
  EXPECT_EQ(llvm->module->getFunction("transpose")->arg_size(), 4u);
}

TEST(Codegen, UnsupportedOperationCarriesItsPlace) {
  std::unique_ptr<Parsed> parsed = parseFile(testFolder() + "/unsupported.ttgir");
  llvm::Expected<codegen::Artifact> result = compile(*parsed->module, "cuda:90");
  ASSERT_FALSE(static_cast<bool>(result));
  bool seen = false;
  llvm::handleAllErrors(result.takeError(), [&](const codegen::UnsupportedError &error) {
    seen = true;
    EXPECT_EQ(error.what(), "`math.tan`");
    EXPECT_TRUE(llvm::isa<mlir::FileLineColLoc>(error.location()));
  });
  EXPECT_TRUE(seen);
}

TEST(Codegen, TypeWithoutRegistersIsAnErrorNotACrash) {
  unsigned reached = 0;
  for (const char *type : {"i256", "f128", "vector<4xf32>", "i4", "!tt.ptr<f32, 3>",
                           "memref<4xf32>", "tensor<128xf32>", "tensor<128xi4, #l>"}) {
    Parsed parsed;
    std::string text =
        "#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], "
        "order = [0]}>\n"
        "module attributes {\"ttg.num-warps\" = 4 : i32} {\n"
        "  tt.func public @k(%x: " +
        std::string(type) + ") { tt.return }\n}\n";
    parsed.module = mlir::parseSourceString<mlir::ModuleOp>(text, &parsed.context);
    // What the verifier refuses already is no business of ours.
    if (!parsed.module)
      continue;
    ++reached;
    llvm::Expected<codegen::Artifact> result = compile(*parsed.module, "cuda:90");
    ASSERT_FALSE(static_cast<bool>(result)) << type;
    std::string message = llvm::toString(result.takeError());
    EXPECT_NE(message.find("a value of type"), std::string::npos) << message;
  }
  EXPECT_GE(reached, 5u);
}

TEST(Codegen, FusionIsForbiddenOnRequest) {
  std::string file = testFolder() + "/fusion.ttgir";
  EXPECT_NE(ptxOf(file, "cuda:90").find("fma.rn.f32"), std::string::npos);
  std::string strict = ptxOf(file, "cuda:90", {.fpFusion = false});
  EXPECT_EQ(strict.find("fma.rn.f32"), std::string::npos);
  EXPECT_NE(strict.find("mul.rn.f32"), std::string::npos);
}

TEST(Codegen, LineInfoNamesTheSourceLine) {
  std::string ptx = ptxOf(testFolder() + "/fusion.ttgir", "cuda:90", {.lineInfo = true});
  EXPECT_NE(ptx.find("fusion.ttgir"), std::string::npos);
  EXPECT_NE(ptx.find("\t.loc\t1 "), std::string::npos);
}

TEST(Codegen, RegisterLimitBecomesADirective) {
  std::unique_ptr<Parsed> parsed = parseFile(testFolder() + "/fusion.ttgir");
  mlir::Builder builder(parsed->module->getContext());
  (*parsed->module)->setAttr(ttg::maxRegistersAttr, builder.getI32IntegerAttr(32));
  llvm::Expected<codegen::Artifact> ptx = compile(*parsed->module, "cuda:90");
  ASSERT_TRUE(static_cast<bool>(ptx));
  EXPECT_NE(ptx->bytes.find(".maxnreg 32"), std::string::npos);
}

TEST(Codegen, NewerChipIsNamedInTheHead) {
  std::string ptx = ptxOf(testFolder() + "/fusion.ttgir", "cuda:100");
  EXPECT_NE(ptx.find(".target sm_100a"), std::string::npos);
  EXPECT_NE(ptx.find(".version 8.8"), std::string::npos);
}

/// For AMD's chips, whose passes serve one kernel after the other.
std::string amdgcnOf(const std::string &name, const codegen::Options &options) {
  std::unique_ptr<Parsed> parsed = parseFile(testFolder() + "/" + name + ".ttgir");
  std::unique_ptr<codegen::Backend> backend =
      codegen::createBackend(*target::Target::parse("hip:gfx1100"), options);
  llvm::Expected<codegen::LlvmModule> llvm = backend->makeLlvm(*parsed->module);
  if (!llvm)
    return "error: " + llvm::toString(llvm.takeError());
  llvm::Expected<codegen::Artifact> result = backend->print(*llvm);
  return result ? result->bytes : "error: " + llvm::toString(result.takeError());
}

TEST(Codegen, AssemblyDoesNotDependOnEarlierKernels) {
  for (bool lineInfo : {false, true}) {
    codegen::Options options{.lineInfo = lineInfo};
    std::string first = amdgcnOf("masked-copy", options);
    EXPECT_NE(first.find("s_endpgm"), std::string::npos) << first;
    EXPECT_EQ(first.find(".loc\t1 ") != std::string::npos, lineInfo) << first;
    for (const char *other : {"convert-through-shared", "fusion", "masked-copy"}) {
      std::string text = amdgcnOf(other, options);
      EXPECT_NE(text.find("s_endpgm"), std::string::npos) << text;
    }
    EXPECT_EQ(amdgcnOf("masked-copy", options), first);
    // One with places in the source after one without, and the other way round.
    std::string placed = amdgcnOf("masked-copy", {.lineInfo = !lineInfo});
    EXPECT_EQ(amdgcnOf("masked-copy", options), first);
    EXPECT_EQ(amdgcnOf("masked-copy", {.lineInfo = !lineInfo}), placed);
  }
}

TEST(Codegen, MaskedCopyCompilesWithinBudget) {
  std::unique_ptr<Parsed> parsed = parseFile(testFolder() + "/masked-copy.ttgir");
  double best = 1e9;
  for (int run = 0; run < 30; ++run) {
    // Of the processor: other processes must not count.
    std::clock_t start = std::clock();
    llvm::Expected<codegen::Artifact> result = compile(*parsed->module, "cuda:90");
    ASSERT_TRUE(static_cast<bool>(result));
    best = std::min(best, 1e3 * double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  RecordProperty("milliseconds", std::to_string(best));
  // An eighth of this on an idle machine; the limit catches an O3 pipeline, not noise.
  EXPECT_LT(best, 8.0);
}

TEST(Ptx, HeadIsReplaced) {
  std::string text = codegen::nvidia::withHead(
      "//\n.version 8.0\n.target sm_90a, debug\n.address_size 64\n", 86, "sm_100a");
  EXPECT_EQ(text, "//\n.version 8.6\n.target sm_100a, debug\n.address_size 64\n");
}

TEST(Ptx, NegationsNextToMinimaAreSpelledOut) {
  using codegen::nvidia::withKeptNegations;
  EXPECT_EQ(withKeptNegations("\tneg.s32 \t%r2, %r1;\n\tmax.s32 \t%r3, %r2, %r1;\n"),
            "\tnot.b32 \t%r2, %r1;\n\tadd.s32 \t%r2, %r2, 1;\n\tmax.s32 \t%r3, %r2, %r1;\n");
  EXPECT_EQ(withKeptNegations("\tneg.s16 \t%rs2, %rs1;\n\tmin.s16 \t%rs3, %rs2, %rs1;\n"),
            "\tnot.b16 \t%rs2, %rs1;\n\tadd.s16 \t%rs2, %rs2, 1;\n\tmin.s16 \t%rs3, %rs2, %rs1;\n");
  for (const char *same : {"\tneg.s32 \t%r2, %r1;\n\tmax.u32 \t%r3, %r2, %r1;\n",
                           "\tneg.s64 \t%rd2, %rd1;\n\tmax.s32 \t%r3, %r2, %r1;\n"})
    EXPECT_EQ(withKeptNegations(same), same);
}

TEST(Ptxas, ResourcesAreReadFromTheLog) {
  std::vector<codegen::ResourceUsage> all = codegen::nvidia::parseResources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Function properties for k\n"
      "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 42 registers, used 1 barriers, 1024 bytes smem, 544 bytes cmem[0]\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kernel, "k");
  EXPECT_EQ(all[0].registers, 42u);
  EXPECT_EQ(all[0].stackBytes, 8u);
  EXPECT_EQ(all[0].spillStoreBytes, 12u);
  EXPECT_EQ(all[0].spillLoadBytes, 16u);
  EXPECT_EQ(all[0].sharedBytes, 1024u);
  EXPECT_EQ(all[0].serialization, "");
}

TEST(Ptxas, SerializedProductsAreReadFromTheLog) {
  std::vector<codegen::ResourceUsage> all = codegen::nvidia::parseResources(
      "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized due to insufficient register resources for the wgmma pipeline in the function "
      "'k'\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].serialization, "insufficient register resources for the wgmma pipeline");
  EXPECT_EQ(all[1].serialization, "");
}

TEST(Ptxas, MissingAssemblerIsAnError) {
  llvm::Expected<codegen::nvidia::Cubin> cubin =
      codegen::nvidia::assemble("/nonexistent/ptxas", "", *target::Target::parse("cuda:90"));
  ASSERT_FALSE(static_cast<bool>(cubin));
  EXPECT_TRUE(cubin.errorIsA<codegen::AssemblerError>());
  llvm::consumeError(cubin.takeError());
}

/// What a shell script in the place of ptxas writes to $out behind the head of an ELF file, and
/// whether its code spills by choice; $in is the PTX.
std::string assembledByScript(const std::string &commands, const std::string &ptx,
                              unsigned sharedBytes = 0) {
  llvm::SmallString<64> path;
  int file = -1;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("ptxas", "sh", file, path));
  llvm::raw_fd_ostream script(file, /*shouldClose=*/true);
  script << "#!/bin/sh\n"
            "for word; do case $word in *.ptx) in=$word;; *.cubin) out=$word;; esac; done\n"
         << commands;
  script.close();
  EXPECT_FALSE(llvm::sys::fs::setPermissions(path, llvm::sys::fs::owner_all));
  llvm::Expected<codegen::nvidia::Cubin> cubin =
      codegen::nvidia::assemble(path, ptx, *target::Target::parse("cuda:90"), {}, sharedBytes);
  llvm::sys::fs::remove(path);
  EXPECT_TRUE(static_cast<bool>(cubin));
  if (!cubin)
    return llvm::toString(cubin.takeError());
  return cubin->bytes.substr(4) + (cubin->resources.front().spillsByChoice ? ", by choice" : "");
}

/// Of one that spills `again` bytes with a stated limit, else 900 with `registers`: what it writes
/// says which of the two it was.
std::string assembledBy(const std::string &again, const std::string &ptx,
                        const std::string &registers = "32") {
  return assembledByScript(
      "echo \"ptxas info    : Compiling entry function 'k' for 'sm_90a'\"\n"
      "if grep -q '^.maxnreg 255$' $in; then spills=" +
          again + " used=255; else spills=900 used=" + registers +
          "; fi\n"
          "echo \"    0 bytes stack frame, $spills bytes spill stores, 0 bytes spill loads\"\n"
          "echo \"ptxas info    : Used $used registers\"\n"
          "printf '\\177ELF%s' $used > $out\n",
      ptx);
}

TEST(Ptxas, IsAskedAgainWhereItLeavesRegisters) {
  const std::string head = ".entry k()\n", body = "{ ret; }\n";
  EXPECT_EQ(assembledBy("10", head + ".reqntid 64\n" + body), "255");
  EXPECT_EQ(assembledBy("10", head + ".reqntid 64\n" + body, "128"), "255");
  EXPECT_EQ(assembledBy("10", head + ".reqntid 64\n" + body, "168"), "168");
  // The one that spills less is taken.
  EXPECT_EQ(assembledBy("1000", head + ".reqntid 64\n" + body), "32");
  // A limit of the author's stands, and more threads have fewer registers each.
  EXPECT_EQ(assembledBy("10", head + ".reqntid 64\n.maxnreg 32\n" + body), "32");
  EXPECT_EQ(assembledBy("10", head + ".reqntid 1024\n" + body), "32");
}

/// The same, whose code has `registers`, or as many as a stated number of programs leaves each
/// thread, and then spills: `fewer` bytes where these are fewer, else `more`. What it writes says
/// which number that was, 0 without. With fewer than 72 there is no code.
std::string assembledFor(const std::string &threads, const std::string &registers,
                         const std::string &fewer, const std::string &more,
                         const std::string &stated = "", unsigned sharedBytes = 0) {
  return assembledByScript(
      "echo \"ptxas info    : Compiling entry function 'k' for 'sm_90a'\"\n"
      "n=$(sed -n 's/^.minnctapersm //p' $in) used=" +
          registers +
          " spills=0\n"
          "if [ $n ]; then\n"
          "  used=$((65536 / (n * " +
          threads + ") / 8 * 8)) spills=" + more +
          "\n"
          "  [ $used -gt 255 ] && used=255\n"
          "  [ $used -lt 72 ] && exit 255\n"
          "  [ $used -lt " +
          registers + " ] && spills=" + fewer +
          "\n"
          "fi\n"
          "echo \"    0 bytes stack frame, $spills bytes spill stores, 0 bytes spill loads\"\n"
          "echo \"ptxas info    : Used $used registers\"\n"
          "printf '\\177ELF%s' ${n:-0} > $out\n",
      ".entry k()\n.reqntid " + threads + "\n" + stated + "{ ret; }\n", sharedBytes);
}

TEST(Ptxas, IsAskedAgainWhereProgramsLeaveRegisters) {
  // 65536 / (208 * 128) = 2 programs, whose threads may have 255 each.
  EXPECT_EQ(assembledFor("128", "216", "0", "0"), "2");
  // Code that spills is not taken.
  EXPECT_EQ(assembledFor("128", "216", "0", "8"), "0");
  // 65536 / (110 * 256) = 2, whose threads may have 128 each; of 64 registers 4, which leave none;
  // of 32 registers the threads are the limit.
  EXPECT_EQ(assembledFor("256", "110", "0", "0"), "2");
  EXPECT_EQ(assembledFor("256", "64", "0", "0"), "0");
  EXPECT_EQ(assembledFor("256", "32", "0", "0"), "0");
  // One of twice as many threads. A stated number stands.
  EXPECT_EQ(assembledFor("256", "216", "0", "0"), "1");
  EXPECT_EQ(assembledFor("128", "216", "0", "0", ".minnctapersm 1\n"), "1");
}

TEST(Ptxas, IsAskedAgainWhereFewRegistersKeepAProgramOut) {
  // 168 in place of 176 let three programs share a multiprocessor, not two. Spills of a
  // thirty-second are worth that; where it takes more, two may have 255 registers.
  EXPECT_EQ(assembledFor("128", "176", "0", "0"), "3");
  EXPECT_EQ(assembledFor("128", "176", "20", "0"), "3, by choice");
  EXPECT_EQ(assembledFor("128", "176", "24", "0"), "2");
  EXPECT_EQ(assembledFor("128", "176", "24", "4"), "0");
  // 80 kB of shared memory let two share it, whatever registers they have.
  EXPECT_EQ(assembledFor("128", "176", "0", "0", "", 80 << 10), "2");
  // A fifth fewer, not more: 216 registers would have to be 168, 96 may be 80.
  EXPECT_EQ(assembledFor("128", "216", "0", "8"), "0");
  EXPECT_EQ(assembledFor("256", "96", "0", "8"), "3");
  // ptxas fails where an instruction names more than it may take.
  EXPECT_EQ(assembledFor("256", "80", "0", "0"), "0");
}

TEST(Ptxas, ItsWordsBecomeCauses) {
  using Cause = codegen::AssemblerError::Cause;
  using codegen::nvidia::causeOf;
  EXPECT_EQ(causeOf("ptxas fatal   : (C7600) Register allocation failed\n"
                    "ptxas error   : (C7602) Insufficient registers (128)"),
            Cause::TooFewRegisters);
  EXPECT_EQ(causeOf("ptxas error   : syntax error"), Cause::Unknown);
}

} // namespace
