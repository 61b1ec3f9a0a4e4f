//===- VerifyTT.cpp - Rules of the tt operations -----------------------------===//
//
// Labels are those of the descriptions in TTOps.td. Rules about shape and
// encoding of load, store and atomics are type constraints in the same file.
//
//===----------------------------------------------------------------------===//
#include "ir/AsmConstraints.h"
#include "ir/Encoding.h"
#include "ir/Owners.h"
#include "ir/tt/CachePolicy.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::tt;

/// Shape and encoding of a tensor type; an empty shape and no encoding for a scalar.
static std::pair<ArrayRef<int64_t>, Attribute> frameOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return {tensor.getShape(), tensor.getEncoding()};
  return {{}, {}};
}

static bool sameFrame(Type a, Type b) {
  return isa<RankedTensorType>(a) == isa<RankedTensorType>(b) && frameOf(a) == frameOf(b);
}

/// elementwise_c1.
static LogicalResult verifyElementwise(Operation *op) {
  Type first = op->getNumOperands() ? op->getOperand(0).getType() : op->getResult(0).getType();
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                            llvm::to_vector(op->getResultTypes())))
    if (!sameFrame(first, type))
      return op->emitOpError("operands and results must agree in shape and encoding, got ")
             << first << " and " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  if (getOperandTypes() != TypeRange(function.getResultTypes())) // return_c1
    return emitOpError("operand types must be the function's result types");
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!function) // call_c1
    return emitOpError("'") << getCallee() << "' is not a function";
  FunctionType type = function.getFunctionType();
  if (TypeRange(type.getInputs()) != TypeRange(getOperandTypes()) ||
      TypeRange(type.getResults()) != TypeRange(getResultTypes())) // call_c2
    return emitOpError("type must be the callee's, which is ") << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Ranges and shapes
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  RankedTensorType type = getType();
  if (type.getRank() != 1 || !type.getElementType().isInteger(32)) // make_range_c1
    return emitOpError("result must have one dimension of i32");
  int64_t size = int64_t(getEndAttr().getInt()) - getStartAttr().getInt();
  if (size <= 0 || type.getShape()[0] != size) // make_range_c2
    return emitOpError("result must have end - start elements");
  return success();
}

LogicalResult SplatOp::verify() {
  if (getSrc().getType() != getType().getElementType()) // splat_c1
    return emitOpError("operand must have the result's element type");
  return success();
}

LogicalResult UnsplatOp::verify() {
  if (cast<RankedTensorType>(getSrc().getType()).getNumElements() != 1) // unsplat_c1
    return emitOpError("operand must have exactly one element");
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = getSrc().getType(), result = getType();
  llvm::SmallVector<int64_t> shape(source.getShape());
  uint32_t axis = getAxis();
  if (axis > shape.size()) // expand_dims_c1
    return emitOpError("axis must be at most the rank of the operand");
  shape.insert(shape.begin() + axis, 1);
  if (result.getShape() != ArrayRef(shape) || source.getElementType() != result.getElementType())
    return emitOpError("result must be the operand's type with a 1 at the axis"); // expand_dims_c1
  const layout::LinearLayout *from = linearOrNull(source), *to = linearOrNull(result);
  if (from && to && !sameOwners(*from, without(*to, axis))) // expand_dims_c2
    return emitOpError("operand must be a slice of the result's layout along the axis");
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSrc().getType(), result = getType();
  if (source.getRank() != result.getRank()) // broadcast_c1
    return emitOpError("operand and result must have equal ranks");
  for (auto [from, to] : llvm::zip(source.getShape(), result.getShape()))
    if (from != to && from != 1) // broadcast_c1
      return emitOpError("only dimensions of size 1 can grow, got ") << from << " to " << to;
  if (source.getEncoding() != result.getEncoding()) // broadcast_c2
    return emitOpError("operand and result must have equal encodings");
  if (source.getElementType() != result.getElementType()) // broadcast_c3
    return emitOpError("operand and result must have equal element types");
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = getSrc().getType(), result = getType();
  if (source.getNumElements() != result.getNumElements() ||
      source.getElementType() != result.getElementType()) // reshape_c1
    return emitOpError("operand and result must agree in number and type of elements");
  if (getAllowReorder())
    return success();
  const layout::LinearLayout *from = linearOrNull(source), *to = linearOrNull(result);
  if (from && to && !sameOwners(rowMajor(*from), rowMajor(*to))) // reshape_c2
    return emitOpError("elements must stay in their threads: the layouts do not agree");
  return success();
}

LogicalResult TransOp::verify() {
  RankedTensorType source = getSrc().getType(), result = getType();
  ArrayRef<int32_t> order = getOrder();
  if (!isPermutation(order, source.getRank())) // trans_c1
    return emitOpError("order must be a permutation of the operand's dimensions");
  bool agree =
      source.getElementType() == result.getElementType() && source.getRank() == result.getRank();
  for (size_t i = 0; agree && i < order.size(); ++i)
    agree = result.getShape()[i] == source.getShape()[order[i]];
  if (!agree) // trans_c2
    return emitOpError("result must be the operand's type permuted by order");
  const layout::LinearLayout *from = linearOrNull(source), *to = linearOrNull(result);
  if (from && to && !sameOwners(permuted(*from, order), *to)) // trans_c3
    return emitOpError("elements must stay in their threads: the layouts do not agree");
  return success();
}

/// join_c1, join_c2 and the same for split: `half` twice makes `whole`.
static LogicalResult verifyPair(Operation *op, RankedTensorType half, RankedTensorType whole) {
  llvm::SmallVector<int64_t> shape(half.getShape());
  shape.push_back(2);
  if (whole.getShape() != ArrayRef(shape) || whole.getElementType() != half.getElementType())
    return op->emitOpError("one type must be the other with a last dimension of 2");
  const layout::LinearLayout *part = linearOrNull(half), *all = linearOrNull(whole);
  if (!part || !all)
    return success();
  std::optional<layout::LinearLayout> rest = halved(*all);
  if (!rest || !sameOwners(*part, *rest))
    return op->emitOpError("both halves must lie in one thread: the layouts do not agree");
  return success();
}

LogicalResult JoinOp::verify() { return verifyPair(*this, getLhs().getType(), getType()); }
LogicalResult SplitOp::verify() {
  return verifyPair(*this, getOutLHS().getType(), getSrc().getType());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult IntToPtrOp::verify() { return verifyElementwise(*this); }
LogicalResult PtrToIntOp::verify() { return verifyElementwise(*this); }
LogicalResult ClampFOp::verify() { return verifyElementwise(*this); }
LogicalResult PreciseSqrtOp::verify() { return verifyElementwise(*this); }
LogicalResult PreciseDivFOp::verify() { return verifyElementwise(*this); }
LogicalResult MulhiUIOp::verify() { return verifyElementwise(*this); }
LogicalResult AddPtrOp::verify() { return verifyElementwise(*this); } // addptr_c1
LogicalResult ExternElementwiseOp::verify() { return verifyElementwise(*this); }

LogicalResult BitcastOp::verify() {
  if (failed(verifyElementwise(*this)))
    return failure();
  Type from = getElementTypeOrSelf(getSrc().getType()), to = getElementTypeOrSelf(getType());
  if (isa<PointerType>(from) != isa<PointerType>(to) || elementBits(from) != elementBits(to))
    return emitOpError("cannot turn ") << from << " into " << to; // bitcast_c1
  return success();
}

LogicalResult FpToFpOp::verify() {
  if (failed(verifyElementwise(*this)))
    return failure();
  unsigned from = elementBits(getElementTypeOrSelf(getSrc().getType()));
  unsigned to = elementBits(getElementTypeOrSelf(getType()));
  if (to < from && !getRounding()) // fp_to_fp_c1
    return emitOpError("a narrowing conversion must name its rounding");
  return success();
}

/// inline_asm_c2, map_elementwise_c2.
static LogicalResult verifyPack(Operation *op, llvm::StringRef name, int64_t pack) {
  auto tensor = op->getNumResults() ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                                    : RankedTensorType();
  const layout::LinearLayout *linear = tensor ? linearOrNull(tensor) : nullptr;
  int64_t registers = linear ? linear->inSize(layout::Dim::Register) : pack;
  if (pack < 1 || registers % pack != 0)
    return op->emitOpError() << name << " must be positive and divide the " << registers
                             << " elements of a thread";
  return success();
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  if (getNumResults() && failed(verifyElementwise(*this))) // inline_asm_c1
    return failure();
  if (failed(verifyPack(*this, "packed_element", getPackedElementAttr().getInt())))
    return failure();
  std::string why;
  if (!readAsmConstraints(getAsmString(), getConstraints(), getResultTypes(), getOperandTypes(),
                          getPackedElement(), why)) // inline_asm_c3
    return emitOpError() << why;
  return success();
}

LogicalResult MapElementwiseOp::verify() {
  if (getSrcs().empty())
    return emitOpError("needs at least one operand");
  if (failed(verifyElementwise(*this))) // map_elementwise_c1
    return failure();
  return verifyPack(*this, "pack", getPackAttr().getInt());
}

LogicalResult MapElementwiseOp::verifyRegions() {
  auto scalars = [&](TypeRange types) {
    llvm::SmallVector<Type> list;
    for (Type type : types)
      list.append(size_t(getPackAttr().getInt()), getElementTypeOrSelf(type));
    return list;
  };
  Region &region = getScalarOp();
  bool fits = !region.empty() &&
              region.front().getArgumentTypes() == TypeRange(scalars(getSrcs().getTypes()));
  for (Block &block : region)
    if (auto last =
            fits && !block.empty() ? dyn_cast<MapElementwiseReturnOp>(block.back()) : nullptr)
      fits = last.getOperandTypes() == TypeRange(scalars(getResultTypes()));
  if (!fits) // map_elementwise_c3
    return emitOpError("region must take and return `pack` scalars of each tensor");
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask()) // load_c4
    return emitOpError("other needs a mask");
  return verifyCachePolicy(*this, CacheUse::Load);
}

LogicalResult StoreOp::verify() { return verifyCachePolicy(*this, CacheUse::Store); }

LogicalResult AtomicRMWOp::verify() {
  Type element = getElementTypeOrSelf(getVal().getType());
  bool isFloat = isa<FloatType>(element), fits = true;
  switch (getAtomicRmwOp()) {
  case RMWOp::FADD:
    fits = isFloat;
    break;
  case RMWOp::MAX:
  case RMWOp::MIN:
  case RMWOp::XCHG:
    break;
  case RMWOp::AND:
  case RMWOp::OR:
  case RMWOp::XOR:
  case RMWOp::ADD:
  case RMWOp::UMAX:
  case RMWOp::UMIN:
    fits = !isFloat;
    break;
  }
  if (!fits) // atomic_rmw_c3
    return emitOpError("cannot ") << stringifyRMWOp(getAtomicRmwOp()) << " elements of type "
                                  << element;
  return success();
}

/// atomic_load_c1 and _c2, atomic_store_c1 and _c2.
static LogicalResult verifyOrdered(Operation *op, Type value, MemSemantic given,
                                   MemSemantic ordered) {
  if (!getElementTypeOrSelf(value).isIntOrFloat())
    return op->emitOpError("needs integers or floats");
  if (given != MemSemantic::RELAXED && given != ordered)
    return op->emitOpError("must be relaxed or ") << stringifyMemSemantic(ordered);
  return success();
}

LogicalResult AtomicLoadOp::verify() {
  return verifyOrdered(*this, getResult().getType(), getSem(), MemSemantic::ACQUIRE);
}

LogicalResult AtomicStoreOp::verify() {
  return verifyOrdered(*this, getValue().getType(), getSem(), MemSemantic::RELEASE);
}

LogicalResult AtomicPollOp::verify() {
  unsigned bits = elementBits(getExpected().getType());
  if (bits != 16 && bits != 32 && bits != 64) // atomic_poll_c1
    return emitOpError("needs an integer of 16, 32 or 64 bits");
  if (getSem() != MemSemantic::RELAXED && getSem() != MemSemantic::ACQUIRE) // atomic_poll_c2
    return emitOpError("must be relaxed or acquire");
  return success();
}

//===----------------------------------------------------------------------===//
// Across elements
//===----------------------------------------------------------------------===//

/// reduce_c1 and scan_c1.
static LogicalResult verifySources(Operation *op, ValueRange sources, int64_t axis) {
  if (sources.empty())
    return op->emitOpError("needs at least one operand");
  for (Type type : sources.getTypes())
    if (!sameFrame(sources.front().getType(), type))
      return op->emitOpError("operands must agree in shape and encoding");
  if (axis < 0 || axis >= cast<RankedTensorType>(sources.front().getType()).getRank())
    return op->emitOpError("axis must be below the rank of the operands");
  if (op->getNumResults() != sources.size())
    return op->emitOpError("needs one result per operand");
  return success();
}

/// reduce_c4 and scan_c3.
static LogicalResult verifyCombine(Operation *op, Region &region, ValueRange sources) {
  llvm::SmallVector<Type> scalars;
  for (Type type : sources.getTypes())
    scalars.push_back(getElementTypeOrSelf(type));
  llvm::SmallVector<Type> twice(scalars);
  llvm::append_range(twice, scalars);
  Block &block = region.front();
  if (block.getArgumentTypes() != TypeRange(twice) || block.empty() ||
      block.back().getOperandTypes() != TypeRange(scalars))
    return op->emitOpError("region must take two scalars per operand and return one");
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifySources(*this, getSrcs(), getAxisAttr().getInt())))
    return failure();
  unsigned axis = getAxis();
  for (auto [source, resultType] : llvm::zip(getSrcs(), getResultTypes())) {
    auto from = cast<RankedTensorType>(source.getType());
    llvm::SmallVector<int64_t> shape(from.getShape());
    shape.erase(shape.begin() + axis);
    auto to = dyn_cast<RankedTensorType>(resultType);
    ArrayRef<int64_t> resultShape = to ? to.getShape() : ArrayRef<int64_t>();
    if (getElementTypeOrSelf(resultType) != from.getElementType() || resultShape != ArrayRef(shape))
      return emitOpError("result must be the operand's type without the axis"); // reduce_c2
    if (!to)
      continue;
    const layout::LinearLayout *all = linearOrNull(from), *rest = linearOrNull(to);
    if (all && rest && !sameOwners(without(*all, axis), *rest)) // reduce_c3
      return emitOpError("result must have the slice of the operand's layout along the axis");
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this, getCombineOp(), getSrcs()); }

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this, getSrcs(), getAxisAttr().getInt())))
    return failure();
  if (getSrcs().getTypes() != getResultTypes()) // scan_c2
    return emitOpError("results must have the operands' types");
  return success();
}

LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this, getCombineOp(), getSrcs()); }

LogicalResult GatherOp::verify() {
  RankedTensorType source = getSrc().getType(), indices = getIndices().getType(),
                   result = getType();
  if (!sameFrame(indices, result) || source.getElementType() != result.getElementType())
    return emitOpError("result must have the operand's element type and the shape and encoding "
                       "of the indices"); // gather_c1
  bool agree = source.getRank() == indices.getRank() && getAxis() < uint64_t(source.getRank());
  for (int64_t d = 0; agree && d < source.getRank(); ++d)
    agree = d == int64_t(getAxis()) || source.getShape()[d] == indices.getShape()[d];
  if (!agree) // gather_c2
    return emitOpError("operand and indices must have equal sizes except along the axis");
  return success();
}

LogicalResult HistogramOp::verify() {
  if (getSrc().getType().getRank() != 1 || getType().getRank() != 1) // histogram_c1
    return emitOpError("operand and result must have one dimension");
  return success();
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = getA().getType().getShape(), b = getB().getType().getShape(),
                    c = getC().getType().getShape();
  size_t rank = c.size();
  bool agree = rank >= 2 && a.size() == rank && b.size() == rank &&
               a.drop_back(2) == c.drop_back(2) && b.drop_back(2) == c.drop_back(2) &&
               a[rank - 2] == c[rank - 2] && b[rank - 1] == c[rank - 1] &&
               a[rank - 1] == b[rank - 2];
  if (!agree) // dot_c1
    return emitOpError("shapes must be [.., M, K], [.., K, N] and [.., M, N]");
  return success();
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size()) // print_c1
    return emitOpError("needs one isSigned flag per value");
  return success();
}

LogicalResult gluon::SetAutoLayoutOp::verify() {
  RankedTensorType source = getSrc().getType(), result = getType();
  if (!isa_and_nonnull<gluon::AutoEncodingAttr>(source.getEncoding()) ||
      isa_and_nonnull<gluon::AutoEncodingAttr>(result.getEncoding())) // set_auto_layout_c1
    return emitOpError("the operand's encoding must be auto, the result's not");
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType()) // set_auto_layout_c2
    return emitOpError("operand and result must agree in shape and element type");
  return success();
}
