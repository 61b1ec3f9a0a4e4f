//===- AmdBackend.cpp - AMDGCN assembly, and code objects of it ----------------===//
#include "codegen/Backend.h"
#include "codegen/amd/AmdEmitters.h"
#include "codegen/amd/AmdIsa.h"
#include "codegen/amd/BytePermutes.h"
#include "codegen/amd/CodeObject.h"
#include "codegen/amd/CopyWaits.h"
#include "codegen/amd/JoinAddresses.h"
#include "codegen/amd/LongFunctions.h"
#include "codegen/amd/Machine.h"
#include "codegen/amd/Refused.h"
#include "codegen/amd/RegisterBanks.h"
#include "codegen/amd/RegisterNeed.h"
#include "codegen/amd/ReleaseWaits.h"
#include "codegen/amd/UnusedInputs.h"
#include "codegen/core/EmitTable.h"
#include "codegen/core/ErrorListener.h"
#include "codegen/passes/Optimize.h"
#include "ir/Dialects.h"
#include "ir/amdg/AmdOps.h"
#include "support/Interrupt.h"
#include "target/Features.h"
#include "target/amd/Chips.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gluonc::codegen::amd {

const EmitTable &AmdIsa::operations() const {
  static const EmitTable table = [] {
    EmitTable all;
    addBuffers(all);
    addClusters(all);
    addCopies(all);
    addTransposedLoads(all);
    addPackedLoads(all);
    addTensorMover(all);
    addTensorRows(all);
    addDot(all);
    addDotScaled(all);
    addHints(all);
    addLdsBarriers(all);
    addScales(all);
    addRefused(all);
    return all;
  }();
  return table;
}

namespace {

/// The number behind `key:` in the metadata at the end of an assembly; 0 where absent.
unsigned metadataOf(StringRef assembly, StringRef key) {
  StringRef value = assembly.split(("." + key + ":").str()).second.ltrim();
  unsigned number = 0;
  return value.consumeInteger(10, number) ? 0 : number;
}

StringRef metadataIn(StringRef assembly) { return assembly.split(".amdgpu_metadata").second; }

/// How many vector registers are spilled, and how many there are.
std::pair<unsigned, unsigned> registersOf(StringRef assembly) {
  StringRef metadata = metadataIn(assembly);
  return {metadataOf(metadata, "vgpr_spill_count"), metadataOf(metadata, "vgpr_count")};
}

ResourceUsage resourcesOf(StringRef assembly) {
  constexpr unsigned bytesOfRegister = 4;
  StringRef metadata = metadataIn(assembly);
  ResourceUsage usage;
  usage.kernel = metadata.split(".name:").second.ltrim().split('\n').first.trim().str();
  usage.registers = metadataOf(metadata, "vgpr_count");
  usage.spillStoreBytes = usage.spillLoadBytes =
      bytesOfRegister * metadataOf(metadata, "vgpr_spill_count");
  usage.stackBytes = metadataOf(metadata, "private_segment_fixed_size");
  usage.sharedBytes = metadataOf(metadata, "group_segment_fixed_size");
  return usage;
}

/// Of atomics on 16 bits what is known of their address. LLVM 22 expands them by words; where it
/// finds out then that the lower bits are zero, it computes the new value only once, before the
/// loop.
void stateAlignment(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *update = dyn_cast<AtomicRMWInst>(&instruction);
          update && update->getType()->getScalarSizeInBits() < 32)
        update->setAlignment(
            std::max(update->getAlign(),
                     getKnownAlignment(update->getPointerOperand(), module.getDataLayout())));
}

/// How many workgroups run together: what their numbers are made of.
void stateCluster(Module &module, unsigned workgroups) {
  std::string dims = workgroups > 1 ? std::to_string(workgroups) + ",1,1" : "0,0,0";
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("amdgpu-cluster-dims", dims);
}

/// gfx11 has halves of registers as registers of their own. Operands of its matrix instructions are
/// made of those with a move for each, where words of two numbers take one; other kernels need
/// fewer registers with them.
void useWholeRegisters(Module &module) {
  auto multiplies = [](const Instruction &instruction) {
    const auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && call->getCalledFunction()->getName().starts_with("llvm.amdgcn.wmma");
  };
  for (Function &function : module)
    if (any_of(instructions(function), multiplies))
      function.addFnAttr("target-features", "-real-true16");
}

/// Lets nothing move across exchanges of a wave through LDS. LLVM puts sums of what is exchanged
/// far behind, which keeps all that they add: half of the registers of an attention.
void pinExchanges(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == Intrinsic::amdgcn_wave_barrier) {
        IRBuilder<> builder(call);
        builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_sched_barrier,
                                {builder.getInt32(0)});
      }
}

/// LLVM's passes, with ours behind the last that takes addresses apart (JoinAddresses.h), and
/// around the one that goes wrong (RegisterBanks.h).
class Passes : public legacy::PassManager {
public:
  explicit Passes(LoopAddresses addresses) : addresses(addresses) {}

  void add(Pass *pass) override {
    // What is there already is deleted.
    const bool choosesBanks = pass->getPassName() == "AMDGPU Lower VGPR Encoding";
    const bool splitsLast = pass->getPassName() == "Nary reassociation";
    const bool takesLong = pass->getPassName() == "Straight line strength reduction";
    auto separators = choosesBanks ? noSeparators() : nullptr;
    if (choosesBanks)
      legacy::PassManager::add(createSeparators(separators));
    if (takesLong)
      legacy::PassManager::add(createOmission());
    legacy::PassManager::add(pass);
    if (takesLong)
      legacy::PassManager::add(createOmissionEnd());
    if (choosesBanks)
      legacy::PassManager::add(createSeparatorErasure(separators));
    if (splitsLast)
      legacy::PassManager::add(createJoinAddresses());
    if (splitsLast && addresses == LoopAddresses::Counters)
      legacy::PassManager::add(createLoopStrengthReducePass());
  }

private:
  LoopAddresses addresses;
};

/// LLVM's passes from a module to assembly. Making them, with the tables that allocators fill for
/// each register of the chip, takes a third of a small kernel's time.
class Printer final : public KeptMachine::Companion {
public:
  static std::unique_ptr<Printer> create(TargetMachine &machine, LoopAddresses addresses) {
    std::unique_ptr<Printer> printer(new Printer(addresses));
    if (machine.addPassesToEmitFile(printer->passes, printer->out, nullptr,
                                    CodeGenFileType::AssemblyFile, /*DisableVerify=*/true))
      return nullptr;
    return printer;
  }

  std::string print(Module &module) {
    text.clear();
    passes.run(module);
    std::string printed(text);
    // Said for the first module only. Assemblers begin there anyway.
    constexpr StringLiteral begin = "\t.text\n";
    if (isNew) {
      size_t place = printed.find(begin);
      if (place < printed.find("\t.section"))
        printed.erase(place, begin.size());
    }
    isNew = false;
    return printed;
  }

private:
  explicit Printer(LoopAddresses addresses) : passes(addresses) {}

  SmallString<0> text;
  raw_svector_ostream out{text};
  Passes passes;
  bool isNew = true;
};

/// Whether a long function needs more than twice the registers that instructions name, and about as
/// many as there are: to spill instead of using them takes LLVM ten times as long, or more. Of
/// short ones it is found out.
bool surelyNeedsMore(const Module &module, unsigned named, unsigned all) {
  constexpr unsigned longest = 4096;
  unsigned most = 0;
  for (const Function &function : module)
    if (function.getInstructionCount() > longest)
      most = std::max(most, registersNeeded(function));
  return most > 2 * named && most <= all + all / 4;
}

bool hasLoop(const Module &module) {
  return any_of(module, [](const Function &function) {
    return any_of(function, [](const BasicBlock &block) { return isa<PHINode>(block.front()); });
  });
}

/// Of assembly that spills. Of longer ones LLVM 22 takes up to half a minute to choose among 1,024
/// registers, since it looks at all of them for each number that has to give way.
constexpr size_t mostLinesWithMore = 4096;

/// Registers whose spills are worth another order of all instructions.
constexpr unsigned manySpills = 64;

class AmdBackend final : public Backend {
public:
  AmdBackend(const target::Target &target, const Options &options)
      : Backend(target, options), amdIsa(target, options) {}

  Error legalize(mlir::ModuleOp module) const override {
    if (Error error = Backend::legalize(module))
      return error;
    mlir::Operation *refused = nullptr;
    std::string what;
    module.walk([&](mlir::Operation *op) {
      what = refusalOf(op);
      if (what.empty())
        return mlir::WalkResult::advance();
      refused = op;
      return mlir::WalkResult::interrupt();
    });
    if (refused)
      return make_error<UnsupportedError>(refused->getLoc(), what);
    return Error::success();
  }

  /// LLVM's, in this process.
  std::optional<Assembler> assembler() const override { return std::nullopt; }

  void optimize(LlvmModule &module) const override {
    Machine machine(target, options);
    runPasses(*module.module, *machine);
    permuteBytes(*module.module);
    waitAtReleases(*module.module, target);
    countCopies(*module.module, !target::has(target, target::Feature::AsyncLds));
    markUnusedInputs(*module.module);
    stateCluster(*module.module, module.kernel.numCtas);
    stateAlignment(*module.module);
    if (target::has(target, target::Feature::WmmaRdna3))
      useWholeRegisters(*module.module);
  }

  /// Only kernels that would spill have more registers than instructions name: of those a mode says
  /// which are meant (RegisterBanks.h), and fewer waves fit.
  Expected<Artifact> print(LlvmModule &module) const override {
    unsigned capacity = registersBeyondNames(module);
    if (!capacity)
      return printWithFewerSpills(*module.module);
    const unsigned named = target.amdChip()->namedRegisters;
    if (surelyNeedsMore(*module.module, named, named + capacity))
      return print(*module.module);
    std::unique_ptr<Module> copy = CloneModule(*module.module);
    for (Function &function : *module.module)
      if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL)
        function.addFnAttr("amdgpu-num-vgpr", std::to_string(named));
    Expected<Artifact> few = print(*module.module);
    if (!few)
      return few;
    unsigned spilled = registersOf(few->bytes).first;
    if (!spilled || StringRef(few->bytes).count('\n') > mostLinesWithMore)
      return few;
    Expected<Artifact> many = printWithFewerSpills(*copy);
    if (!many || registersOf(many->bytes).first < spilled)
      return many;
    return few;
  }

  Expected<Artifact> assemble(const Artifact &assembly, StringRef) const override {
    Expected<std::string> object = assembleObject(assembly.bytes, target);
    if (!object)
      return object.takeError();
    Expected<std::string> linked = linkObject(*object);
    if (!linked)
      return linked.takeError();
    return Artifact{"hsaco", std::move(*linked), resourcesOf(assembly.bytes)};
  }

private:
  const Isa &isa() const override { return amdIsa; }

  /// How many vector registers a wave has beyond those that instructions name by themselves.
  unsigned registersBeyondNames(const LlvmModule &module) const {
    const target::amd::Chip &chip = *target.amdChip();
    if (chip.registers == chip.namedRegisters ||
        any_of(*module.module,
               [](const Function &function) { return function.hasFnAttribute("amdgpu-num-vgpr"); }))
      return 0;
    constexpr unsigned simds = 4;
    unsigned wavesPerSimd = divideCeil(module.kernel.numWarps, simds);
    return std::max(chip.registers / wavesPerSimd, chip.namedRegisters) - chip.namedRegisters;
  }

  /// A loop that spills, or needs more registers than instructions name, is compiled once more:
  /// with counters for its addresses, of which more are kept, but fewer parts of them, and with
  /// `pinExchanges`. What spills a lot then, too: in the order that needs the fewest registers,
  /// which hides least of how long instructions take, and so is taken for half of the spills only.
  Expected<Artifact> printWithFewerSpills(Module &module) const {
    std::unique_ptr<Module> copy = CloneModule(module);
    Expected<Artifact> best = print(module);
    if (!best || StringRef(best->bytes).count('\n') > mostLinesWithMore)
      return best;
    auto found = registersOf(best->bytes);
    if (hasLoop(*copy) && (found.first || found.second > target.amdChip()->namedRegisters)) {
      std::unique_ptr<Module> other = CloneModule(*copy);
      pinExchanges(*other);
      Expected<Artifact> counters = print(*other, LoopAddresses::Counters);
      if (!counters)
        return counters;
      if (registersOf(counters->bytes) < found)
        best = std::move(counters);
    }
    const unsigned spilled = registersOf(best->bytes).first;
    if (spilled < manySpills)
      return best;
    for (Function &function : *copy)
      function.addFnAttr("amdgpu-sched-strategy", "iterative-minreg");
    Expected<Artifact> fewest = print(*copy);
    if (!fewest || 2 * registersOf(fewest->bytes).first < spilled)
      return fewest;
    return best;
  }

  Expected<Artifact> print(Module &module, LoopAddresses addresses = LoopAddresses::Offsets) const {
    Machine machine(target, options, addresses);
    auto *kept = static_cast<Printer *>(machine.companion().release());
    std::unique_ptr<Printer> printer(kept ? kept : Printer::create(*machine, addresses).release());
    if (!printer)
      return createStringError(std::errc::not_supported, "LLVM cannot print AMDGCN");
    // LLVM would print what it cannot select, inline assembly first of all.
    ErrorListener listener(module.getContext());
    std::string text = printer->print(module);
    if (!listener.problem.empty())
      return make_error<AssemblerError>(listener.problem);
    machine.companion() = std::move(printer);
    mayStopHere();
    return Artifact{"amdgcn", std::move(text)};
  }

  /// What an operation asks of the chip that it lacks; empty if nothing.
  std::string refusalOf(mlir::Operation *op) const {
    // AMD's own operations reach no further than the hardware does.
    bool isOwn = mlir::isa_and_present<amdg::AMDGDialect>(op->getDialect());
    if (!isOwn && !mlir::isa<tt::CallOp>(op) && reachesPeers(op))
      return "memory of another workgroup, as `" + op->getName().getStringRef().str() +
             "` accesses it,";
    if (mlir::isa<ttg::WarpSpecializeOp>(op) &&
        !target::has(target, target::Feature::NamedBarriers))
      return "`ttg.warp_specialize`";
    return "";
  }

  AmdIsa amdIsa;
};

} // namespace

std::unique_ptr<Backend> createBackend(const target::Target &target, const Options &options) {
  return std::make_unique<AmdBackend>(target, options);
}

} // namespace gluonc::codegen::amd
