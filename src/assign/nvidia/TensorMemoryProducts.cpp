//===- TensorMemoryProducts.cpp - Matrix products by tcgen05 ------------------------===//
//
// Operands in shared memory, sums in tensor memory:
//
//   %d = tt.dot %a, %b, %c      ==>    %t = ttng.tmem_alloc %c
//                                      ttng.tc_gen5_mma %a, %b, %t
//                                      %d = ttng.tmem_load %t
//
// The product is over when the next operation begins, until a pass behind says how that is
// awaited. What another product computes stays in the rows of tensor memory where it is, as the
// left operand of the next.
//
//===----------------------------------------------------------------------===//
#include "assign/CtaShares.h"
#include "assign/TensorMemoryProduct.h"
#include "assign/nvidia/Operands.h"
#include "ir/Encoding.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "ir/ttng/TensorMemoryRules.h"
#include "target/Features.h"

using namespace mlir;

namespace gluonc::assign {

namespace tmem = target::nvidia::tmem;
namespace tcgen05 = target::nvidia::tcgen05;

namespace {

/// Where a product's operands and its sum lie.
struct Places {
  ttg::MemDescType a, b, d;
  /// Layouts in which threads load the sum, and store `a` where that is in tensor memory.
  std::optional<layout::Layout> sum, left;
};

ttg::MemDescType inTensorMemory(RankedTensorType type, int64_t rows, int64_t columns,
                                int64_t columnStride, bool isMutable, layout::BasisList cga) {
  layout::Layout layout(layout::TensorMemoryLayout{
      .block = {rows, columns}, .colStride = columnStride, .cga = std::move(cga)});
  MLIRContext *context = type.getContext();
  return ttg::MemDescType::get(type.getShape(), type.getElementType(), fromLayout(context, layout),
                               ttng::TensorMemorySpaceAttr::get(context), isMutable,
                               type.getShape());
}

bool isTransposed(Value operand, bool isLeft) {
  return bitsOf(operand) <= 16 ? isFirstDimContiguous(operand) : !isLeft;
}

/// Columns that buffers around `dot` take at the same time: those of the outermost loop or branch.
int64_t columnsBeside(tt::DotOp dot) { return tensorColumnsOf(outermost(dot)); }

/// Chooses them for one product.
class Chooser {
public:
  Chooser(tt::DotOp dot, const target::Target &target, ThreadCounts threads)
      : dot(dot), target(target), threads(threads) {
    if (shapeOf(dot.getD()).size() == 2)
      cga = sharesOf(dot, threads.ctas);
  }

  std::optional<Places> find();
  /// Why there are none.
  std::string why;
  /// How CTAs share the sum.
  layout::BasisList cga;

private:
  std::nullopt_t no(std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  }
  std::optional<layout::Layout> registersFor(ttg::MemDescType type) {
    auto found = ttng::tensorMemoryRegisters(type, "32x32b", threads.warps, why);
    return found ? std::optional(layout::Layout(*found)) : std::nullopt;
  }
  bool isPossibleHere();
  std::optional<Places> placesFor(int64_t rows, int64_t columns, bool isLeftInTensorMemory);

  tt::DotOp dot;
  const target::Target &target;
  ThreadCounts threads;
};

bool Chooser::isPossibleHere() {
  auto function = dot->getParentOfType<tt::FuncOp>();
  if (!target::has(target, target::Feature::TensorMemory))
    why = "the chip has no tensor memory";
  else if (threads.warps % tmem::warps)
    why = "warps do not come in fours";
  else if (dot->getParentOfType<ttg::WarpSpecializeOp>() || !function.isPublic())
    why = "it is in a partition, or in a function that is called";
  else if (shapeOf(dot.getD()).size() != 2)
    why = "it multiplies several matrices";
  else if (shareOf(shapeOf(dot.getD()), cga)[0] < int64_t(tcgen05::smallRows))
    why = threads.ctas > 1 ? "a CTA has fewer than 64 rows of it" : "it has fewer than 64 rows";
  else if (getElementTypeOrSelf(dot.getA().getType()).isF32() &&
           dot.getInputPrecision() != tt::InputPrecision::TF32)
    why = "float32 would lose bits";
  return why.empty();
}

std::optional<Places> Chooser::find() {
  if (!isPossibleHere())
    return std::nullopt;
  layout::Ints shape = shareOf(shapeOf(dot.getD()), cga);
  int64_t rows = shape[0] < int64_t(tmem::rows) ? tcgen05::smallRows : tmem::rows;
  int64_t columns = std::min<int64_t>(shape[1], tcgen05::maxColumns);
  bool isComputed = rows == int64_t(tmem::rows) && comesFromProduct(dot, dot.getA());
  std::optional<Places> places;
  if (isComputed)
    places = placesFor(rows, columns, /*isLeftInTensorMemory=*/true);
  return places ? places : placesFor(rows, columns, /*isLeftInTensorMemory=*/false);
}

std::optional<Places> Chooser::placesFor(int64_t rows, int64_t columns, bool isLeftInTensorMemory) {
  Places places;
  auto type = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  places.b = bufferType(dot.getB(), isTransposed(dot.getB(), /*isLeft=*/false), true,
                        /*isPadded=*/false, sharesOfOperand(cga, 1));
  places.d = inTensorMemory(type(dot.getD()), rows, columns,
                            tmem::columnBits / std::max(bitsOf(dot.getD()), 1u), true, cga);
  places.a = isLeftInTensorMemory
                 ? inTensorMemory(type(dot.getA()), rows, shapeOf(dot.getA())[1], 1, false,
                                  sharesOfOperand(cga, 0))
                 : bufferType(dot.getA(), isTransposed(dot.getA(), /*isLeft=*/true), true,
                              /*isPadded=*/false, sharesOfOperand(cga, 0));
  why.clear();
  for (ttg::MemDescType each : {places.a, places.d})
    if (each.isTensorMemory() && !(why = ttng::whyNoTensorMemory(each)).empty())
      return std::nullopt;
  auto product = ttng::tensorProduct(places.a, places.b, places.d, why);
  if (!product)
    return std::nullopt;
  if (!tcgen05::has(target, product->form.kind))
    return no("the chip has no such product");
  places.sum = registersFor(places.d);
  if (isLeftInTensorMemory)
    places.left = registersFor(places.a);
  if (!places.sum || (isLeftInTensorMemory && !places.left))
    return std::nullopt;
  int64_t taken = sumBefore(dot, dot.getC(), places.d) ? 0 : ttng::columnsOfBuffer(places.d);
  if (isLeftInTensorMemory)
    taken += ttng::columnsOfBuffer(places.a);
  if (taken + columnsBeside(dot) > int64_t(tmem::columns))
    return no("tensor memory has no room for it");
  return places;
}

} // namespace

std::string whyNoTensorMemoryProduct(tt::DotOp dot, const target::Target &target,
                                     ThreadCounts threads) {
  Chooser chooser(dot, target, threads);
  return chooser.find() ? "tensor memory has no room for it" : chooser.why;
}

ttng::TMEMLoadOp sumBefore(Operation *product, Value c, ttg::MemDescType type) {
  auto convert = c.getDefiningOp<ttg::ConvertLayoutOp>();
  auto load = convert ? convert.getSrc().getDefiningOp<ttng::TMEMLoadOp>() : ttng::TMEMLoadOp();
  bool isFree = load && load->hasOneUse() && convert->hasOneUse() &&
                load->getBlock() == product->getBlock() && load.getSrc().getType() == type;
  return isFree ? load : ttng::TMEMLoadOp();
}

SumPlace placeSum(OpBuilder &builder, Operation *product, Value c, ttg::MemDescType type,
                  const layout::Layout &registers) {
  Location loc = product->getLoc();
  Sum of = sumOf(c);
  Value adds = addsSum(builder, loc, c, of);
  if (!adds)
    adds = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
  ttng::TMEMLoadOp before = sumBefore(product, c, type);
  if (before)
    return {before.getSrc(), adds, registers, before};
  Value init = isZero(c) ? Value() : convertTo(builder, loc, of.value, registers);
  return {ttng::TMEMAllocOp::create(builder, loc, type, init).getResult(), adds, registers, {}};
}

void takeSum(OpBuilder &builder, Operation *product, const SumPlace &sum) {
  Location loc = product->getLoc();
  Type type = product->getResult(0).getType();
  Attribute encoding = fromLayout(builder.getContext(), sum.registers);
  Value loaded =
      ttng::TMEMLoadOp::create(builder, loc, withEncoding(type, encoding), sum.buffer).getResult();
  Value open = ttg::ConvertLayoutOp::create(builder, loc, type, loaded,
                                            /*force_warp_shuffle=*/false);
  product->getResult(0).replaceAllUsesWith(open);
  product->erase();
  if (!sum.before)
    return;
  // Only the product took it.
  ttng::TMEMLoadOp before = sum.before;
  before->user_begin()->erase();
  before->erase();
}

bool chooseTensorMemoryProduct(tt::DotOp dot, const target::Target &target, ThreadCounts threads) {
  Chooser chooser(dot, target, threads);
  std::optional<Places> places = chooser.find();
  if (!places)
    return false;
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  Value a;
  if (places->a.isShared())
    a = inShared(builder, dot, dot.getA(), isTransposed(dot.getA(), /*isLeft=*/true),
                 /*isPadded=*/false, sharesOfOperand(chooser.cga, 0));
  else
    a = ttng::TMEMAllocOp::create(builder, loc, places->a,
                                  convertTo(builder, loc, dot.getA(), *places->left))
            .getResult();
  Value b = inShared(builder, dot, dot.getB(), isTransposed(dot.getB(), /*isLeft=*/false),
                     /*isPadded=*/false, sharesOfOperand(chooser.cga, 1));

  SumPlace sum = placeSum(builder, dot, dot.getC(), places->d, *places->sum);
  Value yes = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
  ttng::TCGen5MMAOp::create(builder, loc, Type(), a, b, sum.buffer, Value(), sum.adds, yes,
                            ValueRange(), ValueRange(), /*is_async=*/false, /*two_ctas=*/false,
                            /*multicast=*/false, /*unsignedA=*/false, /*unsignedB=*/false);
  takeSum(builder, dot, sum);
  return true;
}

} // namespace gluonc::assign
