//===- Shared.cpp - Buffers in shared memory ----------------------------------===//
//
// A descriptor's shape has as many dimensions as its layout, or one more: then
// the first one counts the buffers of a ring, and may be any number.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/shared/Shared.h"

#include "ir/Encoding.h"
#include "ir/Views.h"
#include "layout/named/BarrierLayout.h"

namespace gluonc::sema::ops {

/// More than any machine has, and few enough that byte counts stay far from overflow.
static constexpr int64_t maxRingElements = int64_t{1} << 28;

layout::Layout bufferLayout(const Value &buffer) {
  return toLayout(bufferType(buffer).getEncoding());
}

bool bufferArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name) {
  if (arguments[name].is(ValueKind::MemDesc) && bufferType(arguments[name]).isShared())
    return true;
  context
      .report(diag::Kind::ArgumentKind, arguments.span(name), name, "a shared memory descriptor",
              arguments[name].typeName())
      .hint("make one with `gl.allocate_shared_memory`");
  return false;
}

bool checkSingleBuffer(Context &context, const Value &buffer, diag::Span span,
                       llvm::StringRef what) {
  if (buffer.shape().size() == *bufferLayout(buffer).rank())
    return true;
  context
      .report(diag::Kind::ViewForbidden, span, what, buffer.typeName(),
              "its first dimension counts buffers")
      .hint("choose one of them with `.index(i)` first");
  return false;
}

/// Shared memory holds whole bytes.
static bool checkElement(Context &context, DType dtype, diag::Span span) {
  if (!dtype.isPointer() && !dtype.isVoid() && !dtype.isBool())
    return true;
  diag::Builder builder = context.report(diag::Kind::SharedElement, span, dtype);
  if (dtype.isBool())
    std::move(builder).hint("use gl.int8");
  return false;
}

/// The part of a shape that the layout describes, after checking what lies in front of it.
static std::optional<llvm::ArrayRef<int64_t>>
bufferShape(Context &context, const BufferRequest &request, const layout::Layout &layout) {
  llvm::ArrayRef<int64_t> shape = request.shape;
  size_t rank = *layout.rank();
  if (rank == 0 || (shape.size() != rank && shape.size() != rank + 1)) {
    context.report(diag::Kind::SharedRank, request.layoutSpan, rank, shapeText(shape))
        .note("layout: {0}", layout.toString());
    return std::nullopt;
  }
  llvm::ArrayRef<int64_t> buffer = shape.take_back(rank);
  if (!checkBlockShape(context, buffer, request.shapeSpan))
    return std::nullopt;
  int64_t buffers = shape.size() > rank ? shape.front() : 1, elements = 0;
  if (buffers < 1 ||
      llvm::MulOverflow(buffers, mlir::ShapedType::getNumElements(buffer), elements) ||
      elements > maxRingElements) {
    context.report(diag::Kind::RingSize, request.shapeSpan, buffers).end();
    return std::nullopt;
  }
  return buffer;
}

/// Whether the layout is one of the memory that is asked for.
static bool isOfSpace(const BufferRequest &request) {
  if (!request.layout.is(ValueKind::Layout))
    return false;
  const layout::Layout &layout = request.layout.asLayout();
  return request.inTensorMemory ? layout.isTensorMemory() : layout.isShared();
}

/// Whether this is a barrier whose layout is of more CTAs than the kernel has, as Triton 3.6 takes
/// them: it gives each CTA a barrier of its own, whatever the bases say.
static bool isOfAbsentCtas(const BufferRequest &request, int64_t numCtas) {
  const auto *layout = request.layout.asLayout().as<layout::SwizzledSharedLayout>();
  return layout && request.dtype == dtypes::int64 && request.shape == llvm::ArrayRef<int64_t>(1) &&
         (int64_t{1} << layout->cga.size()) > numCtas;
}

std::optional<ttg::MemDescType> wholeBufferType(Context &context, BufferRequest request) {
  if (!checkElement(context, request.dtype, request.dtypeSpan))
    return std::nullopt;
  if (!isOfSpace(request)) {
    std::string got = request.layout.is(ValueKind::Layout) ? request.layout.asLayout().toString()
                                                           : request.layout.typeName();
    if (request.inTensorMemory)
      context
          .report(diag::Kind::TensorMemoryOperand, request.layoutSpan, got,
                  "does not place buffers in tensor memory")
          .hint("it takes a TensorMemoryLayout or a TensorMemoryScalesLayout");
    else
      context.report(diag::Kind::LayoutNotShared, request.layoutSpan, got)
          .hint("a buffer takes a SwizzledSharedLayout, PaddedSharedLayout or SharedLinearLayout");
    return std::nullopt;
  }
  const int64_t numCtas = context.numCtas();
  layout::Layout layout = request.layout.asLayout();
  layout::Problem problem = layout.validate();
  if (!problem) {
    if (isOfAbsentCtas(request, numCtas)) {
      layout = layout::barrierLayout(numCtas, /*pairs=*/false);
      request.shape = numCtas;
    }
    std::optional<llvm::ArrayRef<int64_t>> shape = bufferShape(context, request, layout);
    if (!shape)
      return std::nullopt;
    problem = layout::checkFits(layout, context.numWarps(), context.threadsPerWarp(), numCtas);
    if (!problem)
      problem = layout::checkShape(layout, *shape);
  }
  if (problem) {
    context.report(diag::Kind::LayoutDoesNotFit, request.layoutSpan, *problem)
        .note("layout: {0}", layout.toString());
    return std::nullopt;
  }
  mlir::MLIRContext *mlirContext = context.mlirContext();
  mlir::Attribute space = ttg::SharedMemorySpaceAttr::get(mlirContext);
  if (request.inTensorMemory)
    space = ttng::TensorMemorySpaceAttr::get(mlirContext);
  return ttg::MemDescType::get(request.shape, request.dtype.toMlir(mlirContext),
                               fromLayout(mlirContext, layout), space, /*mutableMemory=*/true);
}

// -- Allocation, loads, stores -------------------------------------------------

/// Whether a tensor can be stored in a buffer of this type as it is.
static bool checkStored(Context &context, const Value &value, diag::Span span,
                        ttg::MemDescType type, DType dtype) {
  if (value.isBlock() && value.dtype() == dtype && value.shape() == type.getShape())
    return true;
  context
      .report(diag::Kind::SharedStoreMismatch, span, value.typeName(), dtype,
              shapeText(type.getShape()))
      .end();
  return false;
}

static Result emitAllocate(Context &context, const BoundArgs &arguments) {
  std::optional<DType> dtype = dtypeArgument(context, arguments, "element_ty");
  std::optional<llvm::SmallVector<int64_t>> shape =
      dtype ? intsArgument(context, arguments, "shape") : std::nullopt;
  if (!shape)
    return std::nullopt;
  std::optional<ttg::MemDescType> type = wholeBufferType(
      context, {*dtype, arguments.span("element_ty"), *shape, arguments.span("shape"),
                arguments["layout"], arguments.span("layout")});
  if (!type)
    return std::nullopt;
  mlir::Value initial;
  if (isGiven(arguments["value"])) {
    if (ringDims(*type)) {
      context
          .report(diag::Kind::SharedRank, arguments.span("layout"),
                  *arguments["layout"].asLayout().rank(), shapeText(*shape))
          .note("an initial value fills one buffer, not a ring of them");
      return std::nullopt;
    }
    if (!checkStored(context, arguments["value"], arguments.span("value"), *type, *dtype))
      return std::nullopt;
    initial = arguments["value"].ir();
  }
  return Value::memDesc(ttg::LocalAllocOp::create(context.builder, context.loc(), *type, initial),
                        *dtype);
}

static Result emitLocalLoad(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["smem"], &layout = arguments["layout"];
  if (!bufferArgument(context, arguments, "smem") ||
      !checkSingleBuffer(context, buffer, context.span, "load"))
    return std::nullopt;
  if (!layout.is(ValueKind::Layout)) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("layout"), "layout", "a layout",
                layout.typeName())
        .end();
    return std::nullopt;
  }
  std::optional<mlir::RankedTensorType> type = blockType(
      context, buffer.shape(), context.span, buffer.dtype(), layout, arguments.span("layout"));
  if (!type)
    return std::nullopt;
  return tensor(ttg::LocalLoadOp::create(context.builder, context.loc(), *type, buffer.ir()),
                buffer.dtype());
}

static Result emitLocalStore(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["smem"], &value = arguments["value"];
  if (!bufferArgument(context, arguments, "smem") ||
      !checkSingleBuffer(context, buffer, context.span, "store") ||
      !checkStored(context, value, arguments.span("value"), bufferType(buffer), buffer.dtype()))
    return std::nullopt;
  ttg::LocalStoreOp::create(context.builder, context.loc(), value.ir(), buffer.ir());
  return Value::none();
}

static Result emitKeepAlive(Context &context, const BoundArgs &arguments) {
  if (!bufferArgument(context, arguments, "smem"))
    return std::nullopt;
  ttg::LocalDeallocOp::create(context.builder, context.loc(), arguments["smem"].ir());
  return Value::none();
}

llvm::ArrayRef<Builtin> sharedBuiltins() {
  static const Builtin table[] = {
      {"allocate_shared_memory",
       "element_ty: dtype, shape: ints, layout: layout, value: block = None", emitAllocate,
       asFunction, R"(
A buffer in shared memory.

Where the shape has one dimension more than the layout, the first counts the buffers of a ring, and
may be any number. A `value` fills the buffer. The memory is taken back after the last use.

Gives: a shared memory descriptor.
Errors: pointers or booleans as elements; a layout that is none of shared memory or does not fit; a
value of another type or shape.

    buffer = gl.allocate_shared_memory(gl.float32, [64, 32], shared, tile)
    ring = gl.allocate_shared_memory(gl.float32, [3, 64, 32], shared)
)"},
  };
  return table;
}

llvm::ArrayRef<Builtin> bufferAccessMethods() {
  static const Builtin table[] = {
      {"load", "smem: buffer, layout: layout", emitLocalLoad, asFunction, R"(
Reads the whole buffer.

Gives: a block of the buffer's element type and shape, in `layout`.
Errors: a ring of buffers; a layout that does not fit shape or kernel.

    tile = smem.load(tiled)
)"},
      {"store", "smem: buffer, value: block", emitLocalStore, asFunction, R"(
Writes the whole buffer.

Gives: nothing.
Errors: a ring of buffers; a value of another type or shape.

    smem.store(tile)
)"},
      {"_keep_alive", "smem: buffer", emitKeepAlive, asFunction, R"(
Uses a buffer, so that its memory is not given to another before here.

Gives: nothing.
Errors: what is no buffer.

    smem._keep_alive()
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
