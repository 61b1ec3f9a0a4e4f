//===- StoreOperands.cpp - Operands of products that stay in shared memory ---------===//
//
// Conversions to operands of products go through shared memory. The block may stay there:
//
// - where several operands come from it, it is stored once;
// - where a loop needs more registers than there are, it reads operands that it does not
//   change in every iteration;
// - where warps exchange 16-bit operands of tensor cores, which `ldmatrix` reads four registers at
//   a time;
// - where the chip reads columns of shared memory, which a conversion would put together from
//   halves of registers; the product's other operand with them, so that threads meet once for both;
// - where both operands of a product by scalar multiplications would fill a thread's registers:
//   threads meet once before both, so that they are read as the product goes.
//
//   %a = ttg.convert_layout %x             %b = ttg.local_alloc %x
//   for …:                           =>    for …:
//     tt.dot %a, …                           %a = ttg.local_load %b
//                                            tt.dot %a, …
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Costs.h"
#include "assign/Fetch.h"
#include "assign/Products.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"
#include "target/Features.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Registers of a multiprocessor, and of a thread at most.
constexpr int64_t allRegisters = 65536, mostRegisters = 255;

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * elementBytes(type.getElementType());
}

layout::Ints orderOfSource(RankedTensorType type) {
  layout::Ints order;
  for (unsigned axis : layout::orderOf(toLinear(type)))
    order.push_back(axis);
  return order;
}

/// Whether a conversion gives neighbours along the depth of a product by matrix instructions of
/// AMD's where neighbours lie along the other dim, and the chip reads such from shared memory.
bool readsColumns(ttg::ConvertLayoutOp conversion, const target::Target &target) {
  if (!target::has(target, target::Feature::TransposedLdsLoad))
    return false;
  layout::Layout to = toLayout(conversion.getType().getEncoding());
  const auto *operand = to.as<layout::DotOperandLayout>();
  RankedTensorType type = conversion.getSrc().getType();
  if (!operand || !operand->parent.as<layout::AMDMFMALayout>() || type.getRank() != 2 ||
      type.getElementTypeBitWidth() != 16)
    return false;
  return orderOfSource(type)[0] != (operand->operandIndex == 0 ? 1 : 0);
}

/// Whether the only use is a product in whose other operand columns are read: with both in buffers
/// threads meet once for the two.
bool isBesideColumns(ttg::ConvertLayoutOp conversion, const target::Target &target) {
  auto dot = conversion->hasOneUse() ? dyn_cast<tt::DotOp>(*conversion->user_begin()) : tt::DotOp();
  if (!dot || dot->getBlock() != conversion->getBlock() || dot.getC() == conversion.getResult())
    return false;
  Value other = dot.getA() == conversion.getResult() ? dot.getB() : dot.getA();
  auto beside = other.getDefiningOp<ttg::ConvertLayoutOp>();
  return beside && beside->getBlock() == dot->getBlock() && readsColumns(beside, target);
}

/// Whether warps exchange what `ldmatrix` reads as a tensor core wants it.
bool readsMatrices(ttg::ConvertLayoutOp conversion) {
  RankedTensorType from = conversion.getSrc().getType(), type = conversion.getType();
  layout::Layout to = toLayout(type.getEncoding());
  const auto *operand = to.as<layout::DotOperandLayout>();
  if (!operand || !operand->parent.as<layout::NVMMADistributedLayout>() || type.getRank() != 2 ||
      type.getElementTypeBitWidth() != 16)
    return false;
  layout::ConversionPlan plan = layout::planConversion(toLinear(from), toLinear(type), 16);
  const auto *shared = std::get_if<layout::SharedPlan>(&plan);
  return shared && shared->sync == layout::SyncScope::Cta;
}

/// Of a conversion to an operand that goes through shared memory.
std::optional<layout::DotOperandLayout>
operandOf(ttg::ConvertLayoutOp conversion, assign::Costs &costs, const target::Target &target) {
  Attribute encoding = conversion.getType().getEncoding();
  layout::Layout to = toLayout(encoding);
  const auto *operand = to.as<layout::DotOperandLayout>();
  if (!operand || costs.ofConversion(conversion.getSrc().getType(), encoding, conversion) == 0)
    return std::nullopt;
  const auto *matrix = operand->parent.as<layout::NVMMADistributedLayout>();
  bool suits = matrix ? matrix->version[0] == 2 || readsMatrices(conversion)
                      : operand->parent.as<layout::BlockedLayout>() ||
                            readsColumns(conversion, target) || isBesideColumns(conversion, target);
  return suits ? std::optional(*operand) : std::nullopt;
}

/// Whether its only use is a product by scalar multiplications, the other operand of which is
/// converted, too, and both take more than half of a thread's registers.
bool fillsRegisters(ttg::ConvertLayoutOp conversion, assign::Costs &costs,
                    const target::Target &target) {
  auto isScalar = [&](ttg::ConvertLayoutOp each) {
    std::optional<layout::DotOperandLayout> operand = operandOf(each, costs, target);
    return operand && operand->parent.as<layout::BlockedLayout>() && each->hasOneUse();
  };
  auto dot = isScalar(conversion) ? dyn_cast<tt::DotOp>(*conversion->user_begin()) : tt::DotOp();
  if (!dot || dot->getBlock() != conversion->getBlock())
    return false;
  auto a = dot.getA().getDefiningOp<ttg::ConvertLayoutOp>();
  auto b = dot.getB().getDefiningOp<ttg::ConvertLayoutOp>();
  if (!a || !b || a->getBlock() != b->getBlock() || !isScalar(a) || !isScalar(b))
    return false;
  return assign::registersOf(a.getType()) + assign::registersOf(b.getType()) > mostRegisters / 2;
}

/// A buffer for the operand of a product.
layout::Layout bufferOf(RankedTensorType type, const layout::DotOperandLayout &operand) {
  bool isOfTensorCore = operand.parent.as<layout::NVMMADistributedLayout>();
  if (operand.parent.as<layout::AMDMFMALayout>() ||
      (isOfTensorCore && type.getElementTypeBitWidth() == 16))
    return assign::bufferFor(type, operand, orderOfSource(type));
  layout::Ints order = rowMajorOrder(unsigned(type.getRank()));
  if (!isOfTensorCore || type.getElementTypeBitWidth() > 32)
    return layout::SwizzledSharedLayout{1, 1, 1, order, {}};
  return assign::bufferFor(type, operand, order);
}

/// The loops whose products alone take what is converted before them; none where others do, too.
SmallVector<scf::ForOp> loopsOf(ttg::ConvertLayoutOp conversion) {
  llvm::SetVector<scf::ForOp> loops;
  for (OpOperand &use : conversion->getUses()) {
    auto around = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (!around || around->isAncestor(conversion) || !assign::isProduct(use.getOwner()) ||
        use.getOperandNumber() > 1)
      return {};
    loops.insert(around);
  }
  return loops.takeVector();
}

/// Bytes of the buffers that a loop uses.
int64_t bytesIn(scf::ForOp loop) {
  llvm::SetVector<Operation *> buffers;
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto alloc = operand.getDefiningOp<ttg::LocalAllocOp>())
        buffers.insert(alloc);
  });
  int64_t bytes = 0;
  for (Operation *alloc : buffers) {
    ttg::MemDescType type = cast<ttg::LocalAllocOp>(alloc).getType();
    bytes += ShapedType::getNumElements(type.getAllocShape()) * elementBytes(type.getElementType());
  }
  return bytes;
}

class StoreOperandsPass : public PassWrapper<StoreOperandsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StoreOperandsPass)

  explicit StoreOperandsPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-store-operands"; }
  llvm::StringRef getDescription() const override {
    return "Keep operands of products in shared memory where that saves work or registers";
  }

  void runOnOperation() override {
    if (choosesLayouts(getOperation()))
      for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
        // Buffers are made for one CTA.
        if (!function.isExternal() && ThreadCounts::at(function).ctas == 1)
          run(function);
  }

private:
  using Conversions = SmallVector<ttg::ConvertLayoutOp>;

  void run(tt::FuncOp function) {
    // Half of it is for what is there only now and then.
    int64_t taken = 0;
    function.walk([&](scf::ForOp loop) { taken = std::max(taken, bytesIn(loop)); });
    left = int64_t(target.maxSharedBytes()) / 2 - taken;
    llvm::MapVector<std::pair<Value, Block *>, Conversions> groups;
    llvm::MapVector<Operation *, Conversions> beforeLoops;
    llvm::DenseSet<Operation *> isStored, isRead;
    function.walk([&](ttg::ConvertLayoutOp conversion) {
      if (!operandOf(conversion, costs, target))
        return;
      // Behind the other one is stored.
      bool isLate =
          isBesideColumns(conversion, target) || fillsRegisters(conversion, costs, target);
      if (isLate || readsColumns(conversion, target) || readsMatrices(conversion))
        isStored.insert(conversion);
      if (isLate)
        isRead.insert(conversion);
      groups[{conversion.getSrc(), conversion->getBlock()}].push_back(conversion);
      for (scf::ForOp loop : loopsOf(conversion))
        beforeLoops[loop].push_back(conversion);
    });
    for (auto &[loop, conversions] : beforeLoops)
      if (needsRegisters(cast<scf::ForOp>(loop), conversions))
        isRead.insert(conversions.begin(), conversions.end());
    for (auto &[place, conversions] : groups) {
      bool isOfLoop = llvm::any_of(conversions, [&](auto each) { return isRead.contains(each); });
      bool isOneStored =
          llvm::any_of(conversions, [&](auto each) { return isStored.contains(each); });
      if (conversions.size() > 1 || isOfLoop || isOneStored)
        store(conversions, isRead);
    }
  }

  /// Whether what the loop carries and these operands leave too few registers for the rest.
  static bool needsRegisters(scf::ForOp loop, ArrayRef<ttg::ConvertLayoutOp> conversions) {
    int64_t registers = 0;
    for (Value carried : loop.getRegionIterArgs())
      if (auto type = dyn_cast<RankedTensorType>(carried.getType()))
        registers += assign::registersOf(type);
    for (ttg::ConvertLayoutOp conversion : conversions)
      registers += assign::registersOf(conversion.getType());
    ThreadCounts threads = ThreadCounts::at(loop);
    int64_t available = std::min(mostRegisters, allRegisters / (threads.lanes * threads.warps));
    return registers > available * 5 / 8;
  }

  void store(ArrayRef<ttg::ConvertLayoutOp> conversions,
             const llvm::DenseSet<Operation *> &isRead) {
    ttg::ConvertLayoutOp first = conversions.front();
    Value source = first.getSrc();
    auto type = cast<RankedTensorType>(source.getType());
    layout::Layout to = toLayout(first.getType().getEncoding());
    Attribute encoding =
        fromLayout(type.getContext(), bufferOf(type, *to.as<layout::DotOperandLayout>()));
    // One that is read at once takes no more than the conversion would.
    bool stays = conversions.size() > 1 || isRead.contains(first);
    if ((stays && bytesOf(type) > left) || !encoding)
      return;
    left -= stays ? bytesOf(type) : 0;
    OpBuilder builder(first);
    auto buffer = ttg::MemDescType::get(type.getShape(), type.getElementType(), encoding,
                                        ttg::SharedMemorySpaceAttr::get(type.getContext()),
                                        /*mutableMemory=*/false, type.getShape());
    Value stored = ttg::LocalAllocOp::create(builder, source.getLoc(), buffer, source);
    for (ttg::ConvertLayoutOp conversion : conversions) {
      auto load = [&](Operation *place) {
        builder.setInsertionPoint(place);
        return ttg::LocalLoadOp::create(builder, conversion.getLoc(), conversion.getType(), stored);
      };
      if (isRead.contains(conversion))
        for (OpOperand &use : llvm::make_early_inc_range(conversion->getUses()))
          use.set(load(use.getOwner()));
      else
        conversion.replaceAllUsesWith(load(conversion).getResult());
      conversion.erase();
    }
  }

  target::Target target;
  assign::Costs costs;
  /// Bytes of shared memory for more buffers.
  int64_t left = 0;
};

} // namespace

std::unique_ptr<Pass> createStoreOperandsPass(const target::Target &target) {
  return std::make_unique<StoreOperandsPass>(target);
}

} // namespace gluonc
