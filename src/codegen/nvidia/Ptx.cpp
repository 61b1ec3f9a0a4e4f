#include "codegen/nvidia/Ptx.h"

#include "codegen/nvidia/InlinedPlaces.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "codegen/nvidia/ProxyRegisters.h"
#include "codegen/nvidia/SplitBlocks.h"
#include "support/Interrupt.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using namespace llvm;

namespace gluonc::codegen::nvidia {

void NvidiaIsa::prepareModule(Module &module) const {
  Machine machine(target, options);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
}

std::string withHead(StringRef ptx, unsigned version, StringRef chip) {
  std::string text;
  raw_string_ostream out(text);
  auto replaceLine = [&](StringRef directive, const Twine &value) {
    size_t at = ptx.find(directive);
    if (at == StringRef::npos)
      return;
    size_t end = ptx.find('\n', at);
    out << ptx.take_front(at) << directive << value;
    // `.target sm_90a, debug` keeps what follows the chip.
    StringRef line = ptx.slice(at, end);
    if (size_t comma = line.find(','); comma != StringRef::npos)
      out << line.drop_front(comma);
    ptx = ptx.drop_front(end);
  };
  replaceLine(".version ", Twine(version / 10) + "." + Twine(version % 10));
  replaceLine(".target ", chip);
  out << ptx;
  return text;
}

/// One instruction `neg.sN \t%d, %s;` as ~s + 1; what does not look like it stays.
static void printNegation(raw_ostream &out, StringRef line) {
  auto [destination, source] = line.drop_front(StringRef("neg.s32").size()).split(',');
  StringRef bits = line.slice(StringRef("neg.s").size(), StringRef("neg.s32").size());
  out << "not.b" << bits << destination << ',' << source << "\n\tadd.s" << bits << destination
      << ", " << destination.trim() << ", 1;";
}

std::string withKeptNegations(std::string ptx) {
  StringRef rest = ptx;
  if (!any_of(ArrayRef<StringRef>{"max.s32", "min.s32", "max.s16", "min.s16"},
              [&](StringRef name) { return rest.contains(name); }))
    return ptx;
  std::string text;
  raw_string_ostream out(text);
  while (!rest.empty()) {
    size_t at = rest.find("\tneg.s");
    if (at == StringRef::npos)
      break;
    out << rest.take_front(at + 1);
    rest = rest.drop_front(at + 1);
    StringRef line = rest.take_until([](char c) { return c == '\n'; });
    bool narrow = line.starts_with("neg.s32") || line.starts_with("neg.s16");
    if (narrow && line.count(';') == 1 && line.ends_with(";"))
      printNegation(out, line);
    else
      out << line;
    rest = rest.drop_front(line.size());
  }
  out << rest;
  return text;
}

/// The accesses of a block that LLVM looks at in pairs to merge neighbours. Emitters have made
/// vectors of what a tile has in a row; few kernels have a hundred accesses.
constexpr unsigned mostMergedAccesses = 1024;
/// Loads that an address depends on, one after the other. Each is a term of the sums that LLVM
/// compares: 100 take a second, 1,000 half a minute.
constexpr unsigned mostDependentLoads = 32;

/// Blocks of a function between which LLVM moves instructions nearer to their uses, where it looks
/// through all blocks behind a load to move it, and that it prepares for selection, where it begins
/// anew with each block that it joins to another.
constexpr size_t mostPolishedBlocks = 1024;

/// Whether merging neighbouring accesses takes about as long as the rest, not its square.
bool mergesFast(const Function &function) {
  DenseMap<const Value *, unsigned> depths;
  for (const BasicBlock *block : ReversePostOrderTraversal<const Function *>(&function)) {
    unsigned accesses = 0;
    for (const Instruction &instruction : *block) {
      if (const Value *address = getLoadStorePointerOperand(&instruction))
        if (++accesses > mostMergedAccesses || depths.lookup(address) > mostDependentLoads)
          return false;
      unsigned depth = instruction.mayReadFromMemory();
      for (const Value *operand : instruction.operands())
        depth = std::max(depth, depths.lookup(operand) + instruction.mayReadFromMemory());
      if (depth)
        depths[&instruction] = depth;
    }
  }
  return true;
}

/// The widest vector that PTX moves: in global memory on the newest chips, and elsewhere.
constexpr uint64_t widestGlobalBytes = 32, widestBytes = 16;

/// Whether two accesses of a block, of one kind and size, are next to each other by a constant in
/// their addresses, as neighbours are (AddressSplit.h). LLVM finds that out from the sums that all
/// addresses are, which takes longer than the rest of its passes.
bool hasNeighbours(const Function &function) {
  const DataLayout &layout = function.getDataLayout();
  using Place = std::tuple<const Value *, int64_t, uint64_t>;
  DenseSet<Place> places[2];
  for (const BasicBlock &block : function) {
    for (DenseSet<Place> &kind : places)
      kind.clear();
    for (const Instruction &instruction : block) {
      const Value *address = getLoadStorePointerOperand(&instruction);
      const uint64_t size =
          address ? layout.getTypeStoreSize(getLoadStoreType(&instruction)).getFixedValue() : 0;
      if (!size || size >= (address->getType()->getPointerAddressSpace() == 1 ? widestGlobalBytes
                                                                              : widestBytes))
        continue;
      APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
      const Value *base =
          address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
      DenseSet<Place> &kind = places[isa<StoreInst>(instruction)];
      const int64_t at = offset.getSExtValue(), step = int64_t(size);
      if (kind.contains({base, at - step, size}) || kind.contains({base, at + step, size}))
        return true;
      kind.insert({base, at, size});
    }
  }
  return false;
}

/// Uses of a value, each of which may be a copy that LLVM joins with it by looking at all others.
constexpr unsigned mostJoinedUses = 1024;

/// Whether joining copies takes about as long as the rest, not its square. ptxas joins them, too.
bool joinsFast(const Function &function) {
  auto isRare = [](const Value &value) { return !value.hasNUsesOrMore(mostJoinedUses + 1); };
  return all_of(function.args(), isRare) && all_of(instructions(function), isRare);
}

/// Calls of a function through which LLVM looks, at each of them, for whether there are others than
/// calls, which would forbid it to align parameters beyond what their types ask for.
constexpr unsigned mostCheckedCalls = 1024;

/// Functions that many call are aligned as their types ask.
void fixAlignment(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && function.hasLocalLinkage() &&
        function.hasNUsesOrMore(mostCheckedCalls + 1))
      function.setLinkage(GlobalValue::ExternalLinkage);
}

/// Between passes: lets the host stop.
class MayStop : public FunctionPass {
public:
  static char ID;
  MayStop() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Ask whether to go on"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override { usage.setPreservesAll(); }
  bool runOnFunction(Function &) override {
    mayStopHere();
    return false;
  }
};

char MayStop::ID = 0;

/// LLVM's passes for PTX without those that find nothing in what `runPasses` leaves.
class Passes : public legacy::PassManager {
public:
  explicit Passes(const Module &module)
      : merges(all_of(module,
                      [](const Function &function) {
                        return function.isDeclaration() || mergesFast(function);
                      }) &&
               any_of(module, hasNeighbours)),
        polishes(
            all_of(module,
                   [](const Function &function) { return function.size() <= mostPolishedBlocks; })),
        joins(all_of(module, joinsFast)) {}

  void add(Pass *pass) override {
    StringRef name = pass->getPassName();
    if (name == "NVPTX Proxy Register Instruction Erasure") {
      delete pass;
      append(createProxyRegisterErasure());
    } else if (is_contained(superfluous, name) ||
               (!merges && name == "GPU Load and Store Vectorizer") ||
               (!polishes && name == "Machine code sinking") ||
               (!joins && name == "Register Coalescer")) {
      delete pass;
    } else if (name == "CodeGen Prepare") {
      if (polishes)
        append(pass);
      else
        delete pass;
      // Before, blocks would be joined again.
      append(createSplitBlocks());
    } else {
      if (name == "NVPTX Assembly Printer")
        append(createInlinedPlaces());
      append(pass);
    }
  }

private:
  void append(Pass *pass) {
    if (pass->getPassKind() == PT_Function)
      legacy::PassManager::add(new MayStop);
    legacy::PassManager::add(pass);
  }

  bool merges, polishes, joins;
  /// Equal expressions are gone before, and addresses come as base, variable part and constant
  /// (AddressSplit.h), multiples as sums (ProductChains.h). Together these would take a fifth of
  /// the time from source to PTX, most of it in scalar evolution.
  static constexpr StringLiteral superfluous[] = {"Nary reassociation", "Early CSE",
                                                  "Straight line strength reduction"};
};

Expected<std::string> printPtx(Module &module, const target::Target &target,
                               const Options &options) {
  Machine machine(target, options);
  SmallString<0> text;
  raw_svector_ostream out(text);
  fixAlignment(module);
  Passes passes(module);
  if (machine->addPassesToEmitFile(passes, out, nullptr, CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true))
    return createStringError(std::errc::not_supported, "LLVM cannot print PTX");
  passes.run(module);
  unsigned version = ptxVersion(target, options);
  // An older ptxas would put another stride into a descriptor; better that it refuses the text.
  if (StringRef(text).contains("tensormap.replace"))
    version = std::max(version, 86u);
  std::string lined = withInlinedPlaces(std::string(text));
  return withHead(withKeptNegations(std::move(lined)), version, target.chip());
}

} // namespace gluonc::codegen::nvidia
