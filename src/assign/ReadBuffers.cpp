//===- ReadBuffers.cpp - What lies in shared memory is read there ------------------===//
//
// A block that was copied to shared memory is in registers, and perhaps transposed, only to
// go to shared memory once more: for another buffer, or for a conversion. Both read the
// first buffer instead, through a transposed view:
//
//   %x = ttg.local_load %b
//   %y = tt.trans %x                  =>    %v = ttg.memdesc_trans %b
//   %z = ttg.local_alloc %y
//
// Nothing may write to the buffer before the last one has read it. Two buffers with the same
// contents are one.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Costs.h"
#include "assign/CtaShares.h"
#include "ir/Encoding.h"
#include "layout/named/Inference.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gluonc {
namespace {

/// A block as it lies in shared memory, and how it is turned.
struct Source {
  ttg::LocalLoadOp load;
  SmallVector<int32_t> order;

  bool isTurned() const { return !llvm::is_sorted(order); }
};

std::optional<Source> sourceOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return std::nullopt;
  SmallVector<int32_t> order(type.getRank());
  std::iota(order.begin(), order.end(), 0);
  while (auto trans = value.getDefiningOp<tt::TransOp>()) {
    for (int32_t &dim : order)
      dim = trans.getOrder()[dim];
    value = trans.getSrc();
  }
  auto load = value.getDefiningOp<ttg::LocalLoadOp>();
  return load ? std::optional<Source>({load, order}) : std::nullopt;
}

/// The type of the buffer turned; null where it has no layout for that.
ttg::MemDescType turnedType(Source source) {
  ttg::MemDescType type = source.load.getSrc().getType();
  if (!type.isShared() || type.getShape() != type.getAllocShape().take_back(type.getShape().size()))
    return {};
  SmallVector<int64_t> order(source.order.begin(), source.order.end()), shape;
  for (int64_t dim : order)
    shape.push_back(type.getShape()[dim]);
  layout::Inferred turned =
      layout::transposeLayout(toLayout(type.getEncoding()), type.getShape(), order);
  Attribute encoding = turned ? fromLayout(type.getContext(), *turned.layout) : Attribute();
  return encoding ? ttg::MemDescType::get(shape, type.getElementType(), encoding,
                                          type.getMemorySpace(), type.getMutableMemory(), shape)
                  : ttg::MemDescType();
}

/// Whether it may write to shared memory that was there before.
bool writes(Operation *op) {
  if (isMemoryEffectFree(op) || op->hasTrait<NoOnChipMemory>())
    return false;
  auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
  if (!onChip)
    return true;
  SmallVector<MemoryAccess> accesses;
  onChip.getAccesses(accesses);
  return llvm::any_of(accesses, [&](const MemoryAccess &access) {
    return access.writes() && access.buffer.getDefiningOp() != op;
  });
}

/// Whether nothing writes from the load to `last`, behind it in its block.
bool staysUntil(ttg::LocalLoadOp load, Operation *last) {
  if (last->getBlock() != load->getBlock())
    return false;
  for (Operation *op = load->getNextNode(); op != last; op = op->getNextNode())
    if (!op || writes(op))
      return false;
  return true;
}

/// Whether nothing writes before all products have read the buffer.
bool staysForUsers(ttg::LocalLoadOp load, ttg::LocalAllocOp alloc) {
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    auto dot = dyn_cast<ttng::WarpGroupDotOp>(user);
    if (!dot || !staysUntil(load, dot))
      return false;
    return !dot.getIsAsync() || llvm::any_of(dot->getUsers(), [&](Operation *next) {
      auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(next);
      return wait && wait.getPendings() == 0 && staysUntil(load, wait);
    });
  });
}

Value viewOf(OpBuilder &builder, Source source, ttg::MemDescType type) {
  Value buffer = source.load.getSrc();
  if (!source.isTurned())
    return buffer;
  return ttg::MemDescTransOp::create(builder, source.load.getLoc(), type, buffer, source.order);
}

struct ReadBuffersPass : PassWrapper<ReadBuffersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReadBuffersPass)
  llvm::StringRef getArgument() const override { return "gluonc-read-buffers"; }
  llvm::StringRef getDescription() const override {
    return "Read what lies in shared memory there in place of writing it once more";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    getOperation().walk([](Block *block) { mergeBuffers(*block); });
    SmallVector<Operation *> users;
    getOperation().walk([&](Operation *op) {
      if (isa<ttg::LocalAllocOp, ttg::ConvertLayoutOp>(op) && op->getNumOperands() == 1)
        users.push_back(op);
    });
    for (Operation *user : users) {
      std::optional<Source> source = sourceOf(user->getOperand(0));
      ttg::MemDescType type = source ? turnedType(*source) : ttg::MemDescType();
      if (!type)
        continue;
      if (auto alloc = dyn_cast<ttg::LocalAllocOp>(user))
        replace(alloc, *source, type);
      else
        replace(cast<ttg::ConvertLayoutOp>(user), *source, type);
    }
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      assign::eraseUnused(function);
  }

  static void mergeBuffers(Block &block) {
    llvm::DenseMap<std::pair<Value, Type>, ttg::LocalAllocOp> known;
    for (auto alloc : llvm::make_early_inc_range(block.getOps<ttg::LocalAllocOp>())) {
      if (!alloc.getSrc() || alloc.getType().getMutableMemory() || alloc.getAlignment())
        continue;
      auto [entry, isNew] = known.try_emplace({alloc.getSrc(), alloc.getType()}, alloc);
      if (isNew)
        continue;
      alloc.replaceAllUsesWith(entry->second.getResult());
      alloc.erase();
    }
  }

  static void replace(ttg::LocalAllocOp alloc, const Source &source, ttg::MemDescType type) {
    if (alloc.getType().getEncoding() != type.getEncoding() || alloc.getAlignment() ||
        !staysForUsers(source.load, alloc))
      return;
    OpBuilder builder(alloc);
    alloc.getResult().replaceAllUsesWith(viewOf(builder, source, type));
    alloc.erase();
  }

  void replace(ttg::ConvertLayoutOp conversion, const Source &source, ttg::MemDescType type) {
    Attribute to = conversion.getType().getEncoding();
    if (!isa<ttg::DotOperandEncodingAttr>(to) || !staysUntil(source.load, conversion) ||
        costs.ofConversion(conversion.getSrc().getType(), to, conversion) == 0)
      return;
    // What CTAs of a cluster get from each other a conversion orders.
    if (!assign::areSharedAlike(conversion.getType(), type))
      return;
    OpBuilder builder(conversion);
    Value view = viewOf(builder, source, type);
    conversion.replaceAllUsesWith(
        ttg::LocalLoadOp::create(builder, conversion.getLoc(), conversion.getType(), view)
            .getResult());
    conversion.erase();
  }

  assign::Costs costs;
};

} // namespace

std::unique_ptr<Pass> createReadBuffersPass() { return std::make_unique<ReadBuffersPass>(); }

} // namespace gluonc
