#include "codegen/core/Emitter.h"

#include "codegen/Backend.h"
#include "codegen/passes/DebugInfo.h"
#include "ir/Dialects.h"
#include "support/Interrupt.h"
#include "support/Recovery.h"

#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace llvm;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

const EmitTable &emitTable() {
  static const EmitTable table = [] {
    EmitTable all;
    addArith(all);
    addMath(all);
    addCasts(all);
    addProgram(all);
    addReshape(all);
    addLoadStore(all);
    addConvertLayout(all);
    addShared(all);
    addDebug(all);
    addScan(all);
    addAtomics(all);
    addReduce(all);
    addAsyncCopy(all);
    addGather(all);
    addIndexed(all);
    addMap(all);
    addLibdevice(all);
    addControlFlow(all);
    addWarpSpecialize(all);
    addCluster(all);
    return all;
  }();
  return table;
}

EmitFunction emitFunctionOf(mlir::OperationName name, const Isa &isa) {
  EmitFunction emit = isa.operations().find(name);
  return emit ? emit : emitTable().find(name);
}

} // namespace

bool Backend::emits(mlir::OperationName name) const { return emitFunctionOf(name, isa()); }

Emitter::Emitter(ModuleState &state, tt::FuncOp source, Function &function)
    : state(state), isa(state.isa), source(source), function(function),
      builder(function.getContext()), types(function.getContext(), isa), values(types, source),
      blocks(builder, types, values, function, isa.carriesWords()),
      threads(state, builder, {.first = 0, .count = unsigned(ttg::numWarpsOf(source))}) {
  FastMathFlags flags;
  flags.setAllowContract(state.options.fpFusion);
  builder.setFastMathFlags(flags);
  blocks.start(blocks.entry);
  threads.startPrologue(blocks.create("body"));
}

LogicalResult Emitter::unsupported(mlir::Operation *op, const Twine &what) {
  if (!state.failure) {
    std::string text = what.str();
    if (text.empty())
      text = "`" + op->getName().getStringRef().str() + "`";
    state.failure.emplace(op->getLoc(), std::move(text));
  }
  return failure();
}

static int64_t moduleAttr(mlir::Operation *op, StringRef name) {
  auto value = op->getParentOfType<mlir::ModuleOp>()->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

static Value *isFirstWarp(Emitter &emitter) {
  return emitter.builder.CreateICmpULT(emitter.threads.id(),
                                       emitter.builder.getInt32(emitter.state.target.warpSize()));
}

void Emitter::beginTensorMemory() {
  const int64_t columns = moduleAttr(source, ttg::tensorMemorySizeAttr);
  if (!columns)
    return;
  // In the entry, by the workers, too: everybody knows the address then.
  Builder::InsertPointGuard guard(builder);
  threads.id();
  builder.SetInsertPoint(blocks.entry->getTerminator());
  Value *place = builder.CreateConstGEP1_32(builder.getInt8Ty(), state.shared,
                                            moduleAttr(source, ttg::tensorMemoryBaseAttr));
  // Both CTAs of a pair allocate, so both must have begun.
  const bool twoCtas = ttg::hasTwoCtas(source);
  if (twoCtas)
    isa.clusterBarrier(builder, /*relaxed=*/true);
  tensorMemory =
      isa.allocateTensorMemory(builder, isFirstWarp(*this), place, columns, twoCtas ? 2 : 1);
}

void Emitter::endTensorMemory() {
  if (!tensorMemory)
    return;
  threads.barrier();
  // Products of the other CTA may use this one's.
  const bool twoCtas = ttg::hasTwoCtas(source);
  if (twoCtas)
    isa.clusterBarrier(builder, /*relaxed=*/false);
  isa.freeTensorMemory(builder, isFirstWarp(*this), tensorMemory,
                       moduleAttr(source, ttg::tensorMemorySizeAttr), twoCtas ? 2 : 1);
}

std::optional<int64_t> Emitter::allocationOf(mlir::Operation *op) {
  if (auto offset = op->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr))
    return offset.getInt();
  (void)unsupported(op, "`" + op->getName().getStringRef() + "` without allocated shared memory");
  return std::nullopt;
}

Value *Emitter::sharedOf(mlir::Operation *op) {
  std::optional<int64_t> offset = allocationOf(op);
  return offset ? builder.CreateConstGEP1_32(builder.getInt8Ty(), state.shared, *offset) : nullptr;
}

LogicalResult Emitter::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block) {
    EmitFunction emit = emitFunctionOf(op.getName(), isa);
    if (!emit)
      return unsupported(&op);
    if (state.debug)
      builder.SetCurrentDebugLocation(state.debug->locationOf(op.getLoc(), function));
    WorkPlace::current() = {nullptr, 0, 0, op.getLoc().getAsOpaquePointer()};
    mayStop();
    if (mlir::failed(emit(*this, &op)))
      return failure();
  }
  return success();
}

LogicalResult Emitter::emitRegion(mlir::Region &region) {
  if (region.hasOneBlock())
    return emitBlock(region.front());
  // Definitions come before their uses in this order, whatever the text's order is.
  ReversePostOrderTraversal<mlir::Region *> order(&region);
  for (mlir::Block *block : order) {
    if (block != &region.front())
      blocks.start(blocks.of(block));
    if (failed(emitBlock(*block)))
      return failure();
  }
  return success();
}

} // namespace gluonc::codegen
