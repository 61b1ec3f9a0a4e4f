//===- TestKernel.h - Kernels that tests assemble and run ----------------------------===//
#pragma once

#include "amdgcn/Execute.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace gluonc::amdgcn {

/// A relocatable object; empty if the text is wrong.
inline std::string assemble(const std::string &text, llvm::StringRef chip) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> assembly(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, chip, ""));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &sources);
  std::unique_ptr<llvm::MCObjectFileInfo> file(
      target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(file.get());
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *assembly));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  return parser->Run(/*NoInitialTextSection=*/false) ? "" : std::string(bytes);
}

struct KernelText {
  std::string chip = "gfx942";
  /// Between the loads of the arguments and the store of the result.
  std::string body;
  unsigned sharedBytes = 0;
  std::string directives = {};
  /// Of the metadata: more arguments, and lines of the outermost level.
  std::string arguments = {}, metadata = {};
};

/// The whole text of a kernel that gets the address of `out` in s[0:1] and that of `in` in
/// s[2:3]; v0 is the thread's number. Lines that begin with "result" store v1 at the thread's
/// place.
inline std::string kernelText(const KernelText &kernel) {
  bool isOld = llvm::StringRef(kernel.chip).starts_with("gfx9");
  bool isSplit = llvm::StringRef(kernel.chip).starts_with("gfx12");
  std::string wait = isSplit ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  std::string load =
      isOld ? "s_load_dwordx4 s[0:3], s[0:1], 0x0\n" : "s_load_b128 s[0:3], s[0:1], 0x0\n";
  std::string store =
      isOld ? "global_store_dword v255, v1, s[0:1]\n" : "global_store_b32 v255, v1, s[0:1]\n";
  // Where more arguments are stays in s[4:5].
  if (!kernel.arguments.empty())
    load = "s_mov_b64 s[4:5], s[0:1]\n" + load;
  std::string body = kernel.body;
  for (size_t at; (at = body.find("result\n")) != std::string::npos;)
    body.replace(at, 7, "v_lshlrev_b32_e32 v255, 2, v0\n" + store);
  return ".amdgcn_target \"amdgcn-amd-amdhsa--" + kernel.chip +
         "\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n" + load + wait + body +
         "s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n"
         ".amdhsa_group_segment_fixed_size " +
         std::to_string(kernel.sharedBytes) +
         "\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_user_sgpr_count 2\n" +
         "\n.amdhsa_next_free_vgpr 512\n.amdhsa_next_free_sgpr 96\n" +
         (isOld ? ".amdhsa_accum_offset 256\n" : ".amdhsa_wavefront_size32 1\n") +
         kernel.directives +
         ".end_amdhsa_kernel\n.amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n"
         "  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 32\n"
         "    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n"
         "    .private_segment_fixed_size: 0\n    .wavefront_size: " +
         (isOld ? "64" : "32") +
         "\n    .sgpr_count: 96\n    .vgpr_count: 256\n    .max_flat_workgroup_size: 1024\n"
         "    .args:\n"
         "      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}\n"
         "      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}\n" +
         kernel.arguments + kernel.metadata + "...\n.end_amdgpu_metadata\n";
}

/// Assembles and runs a kernel. With `part`, only those bytes of `in` are memory of its.
class Executed {
public:
  std::vector<uint32_t> out;
  std::string error, printed;
  std::optional<Fault> fault;

  explicit Executed(const KernelText &kernel, std::vector<uint32_t> in = {}, unsigned threads = 64,
                    size_t words = 1024, unsigned workgroups = 1, unsigned clusterSize = 1,
                    std::optional<Range> part = std::nullopt)
      : out(words, 0xdeadbeef) {
    std::string object = assemble(kernelText(kernel), kernel.chip);
    if (object.empty()) {
      error = "the text is wrong";
      return;
    }
    std::shared_ptr<const Module> module = load(object, error);
    if (!module)
      return;
    uint64_t slots[] = {reinterpret_cast<uint64_t>(out.data()),
                        reinterpret_cast<uint64_t>(in.data())};
    Range ranges[] = {{slots[0], slots[0] + 4 * words}, {slots[1], slots[1] + 4 * in.size()}};
    if (part)
      ranges[1] = {slots[1] + part->begin, slots[1] + part->end};
    Launch launch;
    launch.grid[0] = workgroups;
    launch.workgroupsPerCluster = clusterSize;
    launch.threads = threads;
    launch.slots = slots;
    launch.memory = ranges;
    launch.stepLimit = 1000000;
    llvm::raw_string_ostream output(printed);
    launch.output = &output;
    fault = execute(*module, "k", launch);
  }
  std::string message() const { return fault ? fault->message : error; }
};

/// Runs a kernel of gfx942 that leaves a result in v1 of each of 64 threads.
inline std::vector<uint32_t> resultOf(const std::string &body, std::vector<uint32_t> in = {},
                                      const std::string &chip = "gfx942") {
  KernelText kernel;
  kernel.chip = chip;
  kernel.body = body + "result\n";
  kernel.sharedBytes = 4096;
  Executed run(kernel, std::move(in));
  EXPECT_EQ(run.message(), "");
  run.out.resize(64);
  return run.out;
}

} // namespace gluonc::amdgcn
