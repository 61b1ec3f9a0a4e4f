//===- TensorMemory.cpp - Tensor memory -----------------------------------------===//
//
// A descriptor of tensor memory is a memory descriptor in another space, with
// methods of its own.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/nvidia/TensorMemory.h"
#include "sema/builtins/nvidia/Hopper.h"
#include "sema/builtins/shared/Views.h"

#include "ir/Encoding.h"
#include "ir/Views.h"
#include "ir/ttng/TensorMemoryRules.h"

namespace gluonc::sema::ops {

static std::nullopt_t bad(Context &context, diag::Span span, llvm::StringRef what,
                          const llvm::Twine &why) {
  context.report(diag::Kind::TensorMemoryOperand, span, what, why.str()).end();
  return std::nullopt;
}

/// One buffer in tensor memory.
static bool tileArgument(Context &context, const BoundArgs &arguments, llvm::StringRef what) {
  const Value &buffer = arguments["tmem"];
  if (!ringDims(bufferType(buffer)))
    return true;
  context
      .report(diag::Kind::ViewForbidden, context.span, what, buffer.typeName(),
              "its first dimension counts buffers")
      .hint("choose one of them with `.index(i)` first");
  return false;
}

//===----------------------------------------------------------------------===//
// Allocation, loads, stores
//===----------------------------------------------------------------------===//

/// The layout in which the warps here load a buffer by a variant of the instruction.
static std::optional<layout::Layout> registerLayout(Context &context, ttg::MemDescType type,
                                                    int64_t warps, llvm::StringRef variant,
                                                    diag::Span span) {
  std::string why;
  auto registers = ttng::tensorMemoryRegisters(type, variant, warps, why);
  if (!registers) {
    bad(context, span, "the layout of \"" + variant.str() + "\"", why);
    return std::nullopt;
  }
  return layout::Layout(*registers);
}

static Result emitRegLayout(Context &context, const BoundArgs &arguments) {
  if (!tileArgument(context, arguments, "get_reg_layout"))
    return std::nullopt;
  std::optional<int64_t> warps = isGiven(arguments["num_warps"])
                                     ? intArgument(context, arguments, "num_warps")
                                     : std::optional<int64_t>(context.numWarps());
  auto variant = stringArgument(context, arguments, "instr_variant");
  if (!warps || !variant)
    return std::nullopt;
  auto layout =
      registerLayout(context, bufferType(arguments["tmem"]), *warps, *variant, context.span);
  return layout ? Result(Value::layout(*layout)) : std::nullopt;
}

/// Whether a tensor moves to or from the buffer as it lies.
static bool checkMoves(Context &context, mlir::RankedTensorType tensor, ttg::MemDescType buffer,
                       diag::Span span, llvm::StringRef what) {
  if (context.numWarps() % target::nvidia::tmem::warps)
    return bad(context, context.span, what,
               "it runs on groups of four warps, but there are " + llvm::Twine(context.numWarps())),
           false;
  std::string problem = ttng::whyNoTensorMemoryAccess(tensor, buffer);
  if (problem.empty())
    return true;
  diag::Builder builder = context.report(diag::Kind::TensorMemoryOperand, span, what, problem);
  std::string why;
  if (auto registers = ttng::tensorMemoryRegisters(buffer, "32x32b", context.numWarps(), why))
    std::move(builder).note("one such layout is {0}", layout::Layout(*registers).toString());
  return false;
}

static bool checkStored(Context &context, const BoundArgs &arguments, ttg::MemDescType buffer,
                        DType dtype, llvm::StringRef what) {
  const Value &value = arguments["value"];
  // Scales are integers of either signedness.
  auto isAlike = [&](DType stored) {
    return stored == dtype ||
           (stored.isInt() && dtype.isInt() && stored.bitWidth() == dtype.bitWidth());
  };
  if (!value.isBlock() || !isAlike(value.dtype()) || value.shape() != buffer.getShape()) {
    context
        .report(diag::Kind::SharedStoreMismatch, arguments.span("value"), value.typeName(), dtype,
                shapeText(buffer.getShape()))
        .end();
    return false;
  }
  return checkMoves(context, value.blockTensorType(), buffer, arguments.span("value"), what);
}

static Result emitAllocate(Context &context, const BoundArgs &arguments) {
  constexpr llvm::StringLiteral name = "allocate_tensor_memory";
  std::optional<DType> dtype = dtypeArgument(context, arguments, "element_ty");
  auto shape = dtype ? intsArgument(context, arguments, "shape") : std::nullopt;
  if (!shape)
    return std::nullopt;
  std::optional<ttg::MemDescType> type = wholeBufferType(
      context, {*dtype, arguments.span("element_ty"), *shape, arguments.span("shape"),
                arguments["layout"], arguments.span("layout"), /*inTensorMemory=*/true});
  if (!type)
    return std::nullopt;
  if (std::string problem = ttng::whyNoTensorMemory(*type); !problem.empty())
    return bad(context, arguments.span("shape"), name, problem);
  mlir::Value initial;
  if (isGiven(arguments["value"])) {
    if (ringDims(*type))
      return bad(context, arguments.span("value"), name,
                 "an initial value fills one buffer, not a ring of them");
    if (!checkStored(context, arguments, *type, *dtype, name))
      return std::nullopt;
    initial = arguments["value"].ir();
  }
  auto alloc = ttng::TMEMAllocOp::create(context.builder, context.loc(), *type, initial);
  return Value::memDesc(alloc.getResult(), *dtype);
}

std::optional<mlir::RankedTensorType> loadedType(Context &context, const BoundArgs &arguments,
                                                 llvm::StringRef what) {
  const Value &buffer = arguments["tmem"];
  if (!tileArgument(context, arguments, what))
    return std::nullopt;
  Value layout = arguments["layout"];
  if (!isGiven(layout)) {
    auto chosen =
        registerLayout(context, bufferType(buffer), context.numWarps(), "32x32b", context.span);
    if (!chosen)
      return std::nullopt;
    layout = Value::layout(*chosen);
  }
  if (!layout.is(ValueKind::Layout)) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("layout"), "layout", "a layout",
                layout.typeName())
        .end();
    return std::nullopt;
  }
  auto type = blockType(context, buffer.shape(), context.span, buffer.dtype(), layout,
                        arguments.span("layout"));
  if (!type || !checkMoves(context, *type, bufferType(buffer), arguments.span("layout"), what))
    return std::nullopt;
  return type;
}

static Result emitLoad(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["tmem"];
  std::optional<mlir::RankedTensorType> type = loadedType(context, arguments, "load");
  if (!type)
    return std::nullopt;
  auto load = ttng::TMEMLoadOp::create(context.builder, context.loc(), *type, buffer.ir());
  return tensor(load.getResult(), buffer.dtype());
}

static Result emitStore(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["tmem"];
  if (!tileArgument(context, arguments, "store") ||
      !checkStored(context, arguments, bufferType(buffer), buffer.dtype(), "store"))
    return std::nullopt;
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments);
  if (!predicate)
    return std::nullopt;
  ttng::TMEMStoreOp::create(context.builder, context.loc(), arguments["value"].ir(), buffer.ir(),
                            predicateOrTrue(context, *predicate));
  return Value::none();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static Result emitIndex(Context &context, const BoundArgs &arguments) {
  return indexBuffer(context, arguments["tmem"], operand(arguments, "index"));
}

static Result emitSlice(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["tmem"];
  ttg::MemDescType type = bufferType(buffer);
  std::optional<SliceArguments> slice = sliceArguments(context, arguments, type);
  if (!slice)
    return std::nullopt;
  const auto [start, length, axis] = *slice;
  const bool isOfBuffers = axis < ringDims(type);
  if (!isOfBuffers && !tileArgument(context, arguments, "slice"))
    return std::nullopt;
  const int64_t size = type.getShape()[axis];
  if ((!isOfBuffers && !layout::isPowerOf2(length)) || length < 1 || start < 0 ||
      start > size - length) {
    context.report(diag::Kind::SliceWindow, context.span, start, length, size, axis)
        .note("the length is a power of two");
    return std::nullopt;
  }
  if (std::string why = ttng::whyNoWindow(type, axis, start, length); !why.empty())
    return bad(context, context.span, "slice", why);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[axis] = length;
  auto result =
      ttg::MemDescType::get(shape, type.getElementType(), type.getEncoding(), type.getMemorySpace(),
                            type.getMutableMemory(), type.getAllocShape());
  return Value::memDesc(ttng::TMEMSubSliceOp::create(context.builder, context.loc(), result,
                                                     buffer.ir(), int32_t(start), int32_t(axis)),
                        buffer.dtype());
}

static Result emitReinterpret(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["tmem"];
  std::optional<Reinterpreted> result = reinterpretArguments(context, arguments, buffer);
  if (!result)
    return std::nullopt;
  std::string problem = ttng::whyNoReinterpretation(bufferType(buffer), result->type);
  if (!problem.empty())
    return bad(context, context.span, "reinterpret", problem);
  return Value::memDesc(
      ttg::MemDescReinterpretOp::create(context.builder, context.loc(), result->type, buffer.ir()),
      result->dtype);
}

static Result emitKeepAlive(Context &context, const BoundArgs &arguments) {
  ttg::LocalDeallocOp::create(context.builder, context.loc(), arguments["tmem"].ir());
  return Value::none();
}

llvm::ArrayRef<Builtin> tensorMemoryBuiltins() {
  static constexpr Traits onTensorMemory = {.needs = target::Feature::TensorMemory};
  static const Builtin table[] = {
      {"nvidia.blackwell.allocate_tensor_memory",
       "element_ty: dtype, shape: ints, layout: layout, value: block = None", emitAllocate,
       onTensorMemory, R"(
A buffer in tensor memory.

It has two dimensions; a third in front counts the buffers of a ring, and may be any number. A
`value` fills the buffer. The memory is taken back after the last use.

Gives: a tensor memory descriptor.
Errors: a layout that is none of tensor memory; elements of other than 8, 16 and 32 bits; more than
512 columns; a value of another type or shape, or that no instruction stores.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
)"},
  };
  return table;
}

llvm::ArrayRef<Builtin> tensorMemoryMethods() {
  static const Builtin table[] = {
      {"load", "tmem: buffer, layout: layout = None", emitLoad, asFunction, R"(
Reads the whole buffer.

Without a `layout` in that of `get_reg_layout()`.

Gives: a block of the buffer's element type and shape.
Errors: a ring of buffers; a layout that no instruction loads; warps that do not come in fours.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    z = acc.load()
)"},
      {"store", "tmem: buffer, value: block, pred: scalar = True", emitStore, asFunction, R"(
Writes the whole buffer; with a false `pred` it does not.

Gives: nothing.
Errors: a ring of buffers; a value of another type or shape, or that no instruction stores.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    acc.store(gl.zeros([128, 64], gl.float32, acc.get_reg_layout()))
)"},
      {"index", "tmem: buffer, index: scalar", emitIndex, asFunction, R"(
One buffer of a ring.

A view: no data moves.

Gives: a tensor memory descriptor without the first dimension.
Errors: a buffer that is no ring; an index that is no int32, or known and out of range.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    ring = blackwell.allocate_tensor_memory(gl.float32, [2, 128, 64], held)
    acc = ring.index(1)
)"},
      {"slice", "tmem: buffer, start: int, length: int, dim: int = 1", emitSlice, asFunction, R"(
A part of a buffer, or of a ring, along one dimension.

A view: no data moves. The length is a power of two, but for buffers of a ring, which dim 0 counts.
`start` is a multiple of the length, unless the elements lie in a row.

Gives: a tensor memory descriptor, `length` long in that dimension.
Errors: a part that is not inside, or that begins within a column of 32 bits.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    right = acc.slice(32, 32)
)"},
      {"reinterpret",
       "tmem: buffer, dtype: dtype = None, shape: ints = None, layout: layout = None",
       emitReinterpret, asFunction, R"(
The same columns seen as another element type, shape or layout.

What is not given stays.

Gives: a tensor memory descriptor.
Errors: more columns than the buffer has; a slice with gaps.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    half = acc.reinterpret(gl.float16, [128, 128], blackwell.TensorMemoryLayout([128, 128], 1))
)"},
      {"_reinterpret",
       "tmem: buffer, dtype: dtype = None, shape: ints = None, layout: layout = None",
       emitReinterpret, asFunction, R"(
The same columns seen as another element type, shape or layout.

What is not given stays.

Gives: a tensor memory descriptor.
Errors: more columns than the buffer has; a slice with gaps.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    half = acc._reinterpret(gl.float16, [128, 128], blackwell.TensorMemoryLayout([128, 128], 1))
)"},
      {"get_reg_layout", "tmem: buffer, num_warps: int = None, instr_variant: str = '32x32b'",
       emitRegLayout, asFunction, R"(
The layout in which warps load the buffer.

`instr_variant` is the shape of the instruction: "32x32b", "16x64b", "16x128b", "16x256b",
"16x32bx2", or "32x32b_splitn", of which the last register bit is the middle of the columns.

Gives: a layout of blocks.
Errors: other variants; warps that are no power of two from 4 on.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    registers: gl.constexpr = acc.get_reg_layout(instr_variant="16x256b")
)"},
      {"_keep_alive", "tmem: buffer", emitKeepAlive, asFunction, R"(
Uses a buffer, so that its memory is not given to another before here.

Gives: nothing.
Errors: what is no buffer.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    acc._keep_alive()
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
