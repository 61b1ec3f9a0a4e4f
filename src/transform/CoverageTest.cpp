// Every operation of our dialects answers what passes ask, or is excused here.
#include "ir/Dialects.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

#include <map>

using namespace gluonc;

namespace {

using Reasons = std::map<std::string, std::string>;

/// Operations that do not say what they do to memory on the chip, and why.
const Reasons kSilentOnChip = {
    {"tt.call", "what is called may do anything"},
};

/// Operations of several tensors that do not say how their layouts depend, and why.
const Reasons kSilentOnLayouts = {
    {"tt.call", "a function that stays one says its layouts"},
    {"tt.return", "a function that stays one says its layouts"},
    {"ttng.warp_group_dot_wait", "each result is an operand; see forEachForwarded"},
};

/// One instance of each operation that test/ir shows, and the modules that hold them.
class Instances {
public:
  Instances() {
    loadAllDialects(context);
    std::error_code error;
    std::string folder = std::string(GLUONC_SOURCE_DIR) + "/test/ir";
    for (llvm::sys::fs::directory_iterator at(folder, error), end; at != end && !error;
         at.increment(error))
      if (llvm::StringRef(at->path()).ends_with("-ops.ttgir"))
        modules.push_back(mlir::parseSourceFile<mlir::ModuleOp>(at->path(), &context));
    for (mlir::OwningOpRef<mlir::ModuleOp> &module : modules)
      if (module)
        module->walk([&](mlir::Operation *op) {
          if (isOurs(op))
            all[op->getName().getStringRef().str()].push_back(op);
        });
  }

  mlir::MLIRContext context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::map<std::string, std::vector<mlir::Operation *>> all;
};

std::vector<mlir::RegisteredOperationName> ourOperations(mlir::MLIRContext &context) {
  std::vector<mlir::RegisteredOperationName> ours;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (llvm::is_contained({"tt", "ttg", "ttng", "amdg", "rocdl", "gluon"},
                           name.getDialectNamespace()))
      ours.push_back(name);
  return ours;
}

unsigned tensorsOf(mlir::Operation *op) {
  return llvm::count_if(llvm::concat<const mlir::Type>(llvm::to_vector(op->getOperandTypes()),
                                                       llvm::to_vector(op->getResultTypes())),
                        [](mlir::Type type) { return llvm::isa<mlir::RankedTensorType>(type); });
}

/// What MLIR's own effects say of a buffer in shared memory, our accesses say, too.
void expectAccess(mlir::Operation *op, const mlir::MemoryEffects::EffectInstance &effect) {
  bool writes = llvm::isa<mlir::MemoryEffects::Write>(effect.getEffect());
  if (effect.getResource() != ttg::SharedMemory::get() || !effect.getValue() ||
      !(writes || llvm::isa<mlir::MemoryEffects::Read>(effect.getEffect())))
    return;
  llvm::SmallVector<MemoryAccess> accesses;
  if (auto onChip = llvm::dyn_cast<OnChipMemoryOpInterface>(op))
    onChip.getAccesses(accesses);
  EXPECT_TRUE(llvm::any_of(accesses,
                           [&](const MemoryAccess &access) {
                             return access.buffer == effect.getValue() &&
                                    (access.writes() || !writes);
                           }))
      << op->getName().getStringRef().str() << (writes ? " writes" : " reads")
      << " shared memory, of which getAccesses does not know";
}

} // namespace

TEST(Coverage, EveryOperationSaysWhatItDoesOnChip) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  for (mlir::RegisteredOperationName name : ourOperations(context)) {
    std::string text = name.getStringRef().str();
    bool interface = name.hasInterface<OnChipMemoryOpInterface>();
    bool nothing = name.hasTrait<NoOnChipMemory>(), excused = kSilentOnChip.count(text);
    EXPECT_EQ(int(interface) + int(nothing) + int(excused), 1)
        << text << " takes one of OnChip<[…]> and NoOnChip in its .td line (Interfaces.td)";
  }
}

TEST(Coverage, AccessesAgreeWithEffects) {
  Instances instances;
  for (auto &[name, all] : instances.all)
    for (mlir::Operation *op : all)
      if (auto effects = llvm::dyn_cast<mlir::MemoryEffectOpInterface>(op)) {
        llvm::SmallVector<mlir::MemoryEffects::EffectInstance> list;
        effects.getEffects(list);
        for (const mlir::MemoryEffects::EffectInstance &effect : list)
          expectAccess(op, effect);
      }
}

TEST(Coverage, OperationsOfSeveralTensorsSayHowLayoutsDepend) {
  Instances instances;
  for (auto &[name, all] : instances.all) {
    bool several = llvm::any_of(all, [](mlir::Operation *op) { return tensorsOf(op) > 1; });
    bool answers =
        llvm::isa<LayoutFlowOpInterface>(all.front()) || all.front()->hasTrait<OwnLayouts>();
    bool excused = kSilentOnLayouts.count(name);
    EXPECT_FALSE(answers && excused) << name << " both answers and is excused";
    EXPECT_TRUE(answers || excused || !several)
        << name << " takes SameLayout, LayoutFlow or OwnLayouts in its .td line (Interfaces.td)";
  }
}

TEST(Coverage, OperationsOfTensorsSayWhichElementsBelongTogether) {
  Instances instances;
  for (auto &[name, all] : instances.all) {
    bool hasTensors = llvm::any_of(all, [](mlir::Operation *op) { return tensorsOf(op) > 0; });
    bool interface = llvm::isa<ElementFlowOpInterface>(all.front());
    bool pointwise = all.front()->hasTrait<Pointwise>();
    EXPECT_FALSE(interface && pointwise) << name << " answers twice";
    EXPECT_TRUE(interface || pointwise || !hasTensors)
        << name << " takes Pointwise, ElementFlow or MixesElements in its .td line (Interfaces.td)";
  }
}

TEST(Coverage, ElementMapsNameDimsOfTheirTensors) {
  Instances instances;
  auto rankOf = [](mlir::Value value) -> size_t {
    if (auto buffer = llvm::dyn_cast<ttg::MemDescType>(value.getType()))
      return buffer.getShape().size();
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    return tensor ? tensor.getRank() : 0;
  };
  for (auto &[name, all] : instances.all)
    for (mlir::Operation *op : all)
      if (auto answers = llvm::dyn_cast<ElementFlowOpInterface>(op)) {
        ElementFlow flow;
        answers.flowElements(flow);
        EXPECT_TRUE(flow.isMixed || !flow.maps.empty() || !flow.sameNumbers.empty()) << name;
        for (auto [tensor, dim] : flow.alongDims)
          EXPECT_LT(dim, rankOf(tensor)) << name;
        for (const ElementMap &map : flow.maps) {
          EXPECT_EQ(map.dims.size(), rankOf(map.to)) << name;
          for (std::optional<unsigned> dim : map.dims)
            EXPECT_TRUE(!dim || *dim < rankOf(map.from)) << name;
        }
      }
}

TEST(Coverage, CopiesByDescriptorsSayWhereTheirBoxesBegin) {
  Instances instances;
  for (auto &[name, all] : instances.all) {
    bool copies = llvm::any_of(all.front()->getOperandTypes(), llvm::IsaPred<ttg::MemDescType>) &&
                  llvm::any_of(all.front()->getOperandTypes(),
                               [](mlir::Type type) { return bool(ttng::descriptorOf(type)); });
    // AMD's engine moves blocks from and to any place.
    if (!copies || llvm::StringRef(name).starts_with("amdg."))
      continue;
    auto onChip = llvm::dyn_cast<OnChipMemoryOpInterface>(all.front());
    EXPECT_TRUE(onChip && onChip.getBoxCopy()) << name;
  }
}

TEST(Coverage, EveryOperationIsShownByATest) {
  Instances instances;
  for (mlir::RegisteredOperationName name : ourOperations(instances.context))
    EXPECT_TRUE(instances.all.count(name.getStringRef().str()))
        << name.getStringRef().str() << " is in no test/ir/*-ops.ttgir";
}

TEST(Coverage, NothingIsExcusedThatDoesNotExist) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  for (const Reasons *reasons : {&kSilentOnChip, &kSilentOnLayouts})
    for (const auto &[name, reason] : *reasons)
      EXPECT_TRUE(mlir::RegisteredOperationName::lookup(name, &context)) << name;
}
