//===- TTNGOps.cpp - Text, types, effects of ttng ----------------------------===//
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/OtherCtas.h"
#include "layout/named/Blocks.h"
#include "target/nvidia/Barriers.h"
#include "target/nvidia/BoxCopies.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttng;

//===----------------------------------------------------------------------===//
// Text of tensor memory
//===----------------------------------------------------------------------===//

using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;

/// Nothing, `[]` or `[%token]`; brackets give a token.
static ParseResult parseToken(OpAsmParser &parser, OptionalOperand &dep, Type &depType,
                              Type &token) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  token = ttg::AsyncTokenType::get(parser.getContext());
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  depType = token;
  return failure(parser.parseOperand(dep.emplace()) || parser.parseRSquare());
}

static void printToken(OpAsmPrinter &printer, Operation *, Value dep, Type, Type token) {
  if (!dep && !token)
    return;
  printer << '[';
  if (dep)
    printer << dep;
  printer << ']';
}

/// `, %barrier[%predicate]` for each.
static ParseResult
parseBarriersAndPreds(OpAsmParser &parser,
                      llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand> &barriers,
                      llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand> &preds) {
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(barriers.emplace_back()) || parser.parseLSquare() ||
        parser.parseOperand(preds.emplace_back()) || parser.parseRSquare())
      return failure();
  return success();
}

static void printBarriersAndPreds(OpAsmPrinter &printer, Operation *, OperandRange barriers,
                                  OperandRange preds) {
  for (auto [barrier, pred] : llvm::zip(barriers, preds))
    printer << ", " << barrier << '[' << pred << ']';
}

#define GET_OP_CLASSES
#include "ir/TTNGOps.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TTNGTypes.cpp.inc"

void TTNGDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/TTNGTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Descriptor text
//===----------------------------------------------------------------------===//

/// `<128x64xf16, #shared>` or, from older compilers, `<tensor<128x64xf16, #shared>>`.
template <typename DescType> static Type parseDescriptor(AsmParser &parser) {
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  llvm::SmallVector<int64_t> shape;
  Type element;
  Attribute layout;
  Type block;
  OptionalParseResult inner = parser.parseOptionalType(block);
  if (inner.has_value()) {
    auto tensor = llvm::dyn_cast_or_null<RankedTensorType>(block);
    if (failed(*inner))
      return {};
    if (!tensor || !tensor.hasStaticShape())
      return parser.emitError(where, "a descriptor's block is a tensor of known sizes"), Type();
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    element = tensor.getElementType();
    layout = tensor.getEncoding();
  } else {
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element))
      return {};
    if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (shape.empty() || !llvm::all_of(shape, layout::isPowerOf2) || !element.isIntOrFloat())
    return parser.emitError(where, "a descriptor's block has dims, whose sizes are powers of two, "
                                   "and numbers as elements"),
           Type();
  return DescType::get(parser.getContext(), shape, element, layout);
}

template <typename DescType> static void printDescriptor(AsmPrinter &printer, DescType type) {
  printer << '<';
  for (int64_t size : type.getShape())
    printer << size << 'x';
  printer << type.getElementType();
  if (type.getSharedLayout())
    printer << ", " << type.getSharedLayout();
  printer << '>';
}

Type tt::TensorDescType::parse(AsmParser &parser) {
  return parseDescriptor<tt::TensorDescType>(parser);
}
void tt::TensorDescType::print(AsmPrinter &printer) const { printDescriptor(printer, *this); }

Type TensorDescIm2ColType::parse(AsmParser &parser) {
  return parseDescriptor<TensorDescIm2ColType>(parser);
}
void TensorDescIm2ColType::print(AsmPrinter &printer) const { printDescriptor(printer, *this); }

Descriptor ttng::descriptorOf(Type type) {
  if (auto tiled = dyn_cast<tt::TensorDescType>(type))
    return {tiled.getShape(), tiled.getElementType(), tiled.getSharedLayout(), false};
  if (auto im2col = dyn_cast<TensorDescIm2ColType>(type))
    return {im2col.getShape(), im2col.getElementType(), im2col.getSharedLayout(), true};
  return {};
}

Type ttng::signless(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? IntegerType::get(element.getContext(), integer.getWidth()) : element;
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

void WarpGroupDotOp::getEffects(
    llvm::SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<ttg::MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, ttg::SharedMemory::get());
}

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

using Accesses = llvm::SmallVectorImpl<MemoryAccess>;

void InitBarrierOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getAlloc(), MemoryAccess::InitBarrier});
}
void InvalBarrierOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getAlloc(), MemoryAccess::InvalBarrier});
}

/// Whether CTAs signal each other's barriers.
template <typename Op> static bool signalsPeers(Op op) {
  return op.getFromCTA() || op.getAlloc().getType().getShape()[0] < ttg::numCtasOf(op);
}

void BarrierExpectOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getAlloc(), MemoryAccess::UseBarrier});
}
bool BarrierExpectOp::synchronizesThreads() { return true; }
bool BarrierExpectOp::accessesPeers() { return signalsPeers(*this); }
std::optional<BarrierBytes> BarrierExpectOp::getBarrierBytes() {
  std::optional<int64_t> bytes;
  if (!getFromCTA())
    bytes = getSize();
  return BarrierBytes{getAlloc(), getPred(), /*announced=*/true, bytes};
}

void WaitBarrierOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getAlloc(), MemoryAccess::UseBarrier});
}
std::optional<Completion> WaitBarrierOp::getAwaited() { return Completion::Mbarrier; }

void ArriveBarrierOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getAlloc(), MemoryAccess::UseBarrier});
}
bool ArriveBarrierOp::synchronizesThreads() { return !getPerWarp(); }
bool ArriveBarrierOp::accessesPeers() { return signalsPeers(*this); }

void AsyncCopyMbarrierArriveOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getBarrier(), MemoryAccess::UseBarrier});
}

bool ClusterBarrierOp::synchronizesThreads() { return true; }
std::optional<ClusterSync> ClusterBarrierOp::getClusterSync() {
  return ClusterSync{/*arrives=*/true, /*waits=*/true, /*ordersMemory=*/!getRelaxed()};
}
std::optional<ClusterSync> ClusterArriveOp::getClusterSync() {
  return ClusterSync{/*arrives=*/true, /*waits=*/false, /*ordersMemory=*/!getRelaxed()};
}
bool ClusterWaitOp::synchronizesThreads() { return true; }
std::optional<ClusterSync> ClusterWaitOp::getClusterSync() {
  return ClusterSync{/*arrives=*/false, /*waits=*/true, /*ordersMemory=*/true};
}

void AsyncSharedStoreOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getMbarrier(), MemoryAccess::UseBarrier});
  // Of this thread, though it takes its time.
  accesses.push_back({getDst(), MemoryAccess::Write, Completion::Mbarrier});
}
bool AsyncSharedStoreOp::accessesPeers() { return true; }
std::optional<BarrierBytes> AsyncSharedStoreOp::getBarrierBytes() {
  return BarrierBytes{getMbarrier(), {}, /*announced=*/false, std::nullopt};
}

void AsyncTMACopyGlobalToLocalOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getBarrier(), MemoryAccess::UseBarrier});
  accesses.push_back({getResult(), MemoryAccess::Write, Completion::Mbarrier, Proxy::Async});
}
bool AsyncTMACopyGlobalToLocalOp::accessesPeers() {
  return getMulticast() || beginsInOtherCta(getResult().getType());
}

/// Of a load into the buffer.
template <typename Op> static BarrierBytes bytesOfLoad(Op op) {
  ttg::MemDescType buffer = op.getResult().getType();
  std::optional<int64_t> bytes;
  if (auto encoding = dyn_cast<ttg::NVMMASharedEncodingAttr>(buffer.getEncoding());
      encoding && !encoding.getValue().fp4Padded) {
    layout::Ints shape =
        layout::shapePerCta(layout::Layout(encoding.getValue()), buffer.getShape());
    bytes = ShapedType::getNumElements(shape) * elementBytes(buffer.getElementType());
  }
  return {op.getBarrier(), op.getPred(), /*announced=*/false, bytes};
}

std::optional<BarrierBytes> AsyncTMACopyGlobalToLocalOp::getBarrierBytes() {
  return bytesOfLoad(*this);
}

std::optional<BoxCopy> AsyncTMACopyGlobalToLocalOp::getBoxCopy() {
  return BoxCopy{getCoord(), getResult(), /*writesTensor=*/false};
}

void AsyncTMACopyLocalToGlobalOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read, Completion::BulkStoreWait, Proxy::Async});
}
std::optional<BoxCopy> AsyncTMACopyLocalToGlobalOp::getBoxCopy() {
  return BoxCopy{getCoord(), getSrc(), /*writesTensor=*/true};
}
void AsyncTMAReduceOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read, Completion::BulkStoreWait, Proxy::Async});
}
std::optional<BoxCopy> AsyncTMAReduceOp::getBoxCopy() {
  return BoxCopy{getCoord(), getSrc(), /*writesTensor=*/true};
}

void AsyncTMAGatherOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getBarrier(), MemoryAccess::UseBarrier});
  accesses.push_back({getResult(), MemoryAccess::Write, Completion::Mbarrier, Proxy::Async});
}
bool AsyncTMAGatherOp::accessesPeers() {
  return getMulticast() || beginsInOtherCta(getResult().getType());
}
std::optional<BarrierBytes> AsyncTMAGatherOp::getBarrierBytes() { return bytesOfLoad(*this); }
/// The columns; of the rows only a run tells.
std::optional<BoxCopy> AsyncTMAGatherOp::getBoxCopy() {
  return BoxCopy{getODSOperands(2), getResult(), /*writesTensor=*/false, /*firstDim=*/1};
}
void AsyncTMAScatterOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read, Completion::BulkStoreWait, Proxy::Async});
}
std::optional<BoxCopy> AsyncTMAScatterOp::getBoxCopy() {
  return BoxCopy{getODSOperands(2), getSrc(), /*writesTensor=*/true, /*firstDim=*/1};
}

std::optional<Completion> TMAStoreWaitOp::getAwaited() { return Completion::BulkStoreWait; }
bool TMAStoreWaitOp::awaitsGlobalWrites() { return !getReadOnly(); }

void CLCTryCancelOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getMbarrier(), MemoryAccess::UseBarrier});
  accesses.push_back({getResult(), MemoryAccess::Write, Completion::Mbarrier, Proxy::Async});
}
/// One of them asks, and all get the answer.
bool CLCTryCancelOp::accessesPeers() { return true; }
std::optional<BarrierBytes> CLCTryCancelOp::getBarrierBytes() {
  return BarrierBytes{getMbarrier(), {}, /*announced=*/false, target::nvidia::answerBytes};
}
void CLCLoadResultOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read});
}

/// A descriptor is put together in shared memory.
Scratch TensormapCreateOp::getScratch() { return {target::nvidia::tma::descriptorBytes}; }

void WarpGroupDotOp::getAccesses(Accesses &accesses) {
  for (Value operand : {Value(getA()), Value(getB())})
    if (isa<ttg::MemDescType>(operand.getType()))
      accesses.push_back({operand, MemoryAccess::Read,
                          getIsAsync() ? Completion::DotWait : Completion::ProgramOrder,
                          Proxy::Async});
}
std::optional<Completion> WarpGroupDotWaitOp::getAwaited() { return Completion::DotWait; }
