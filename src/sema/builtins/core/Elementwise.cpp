//===- Elementwise.cpp - User code per element -------------------------------===//
//
// `map_elementwise` runs a jit function on scalars and `inline_asm_elementwise` PTX.
// Both see the elements of one thread, `pack` at a time; `inline_asm` sees all at once.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"
#include "sema/builtins/Types.h"
#include "sema/builtins/core/Overflow.h"

#include "ir/AsmConstraints.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"

namespace gluonc::sema::ops {

using Operands = llvm::SmallVector<Operand, 4>;

/// Tensors and numbers as tensors of one shape and layout; each keeps its own element type.
static bool unifyShapes(Context &context, Operands &operands) {
  for (Operand &operand : operands) {
    Result value = materialize(context, operand);
    if (!value)
      return false;
    operand.value = *value;
  }
  return operands.empty() || broadcast(context, llvm::MutableArrayRef<Operand>(operands));
}

static std::optional<int64_t> packArgument(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> pack = intArgument(context, arguments, "pack");
  // More than any thread has registers.
  if (!pack || (*pack >= 1 && *pack <= 1024))
    return pack;
  context.report(diag::Kind::ArgumentKind, arguments.span("pack"), "pack", "from 1 to 1024", *pack)
      .end();
  return std::nullopt;
}

/// The verifier's view of `pack`, which depends on the layout of the tensors.
static Result finishPacked(Context &context, mlir::Operation *op, diag::Span span, int64_t pack,
                           std::vector<Value> results, bool isTuple) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  layout::Layout layout = type ? toLayout(type.getEncoding()) : layout::AutoLayout{};
  if (type && !layout.isPlaceholder() && toLinear(type).inSize(layout::Dim::Register) % pack != 0) {
    context
        .report(diag::Kind::PackDoesNotDivide, span, pack,
                toLinear(type).inSize(layout::Dim::Register))
        .note("layout: {0}", layout.toString());
    op->erase();
    return std::nullopt;
  }
  return isTuple ? Value::tuple(std::move(results)) : results.front();
}

// -- map_elementwise -------------------------------------------------------------

/// Results of a call of the mapped function: scalars, `pack` of each result in a row.
static std::optional<std::vector<Value>> mappedResults(Context &context, const Result &returned,
                                                       const Operand &function, int64_t pack) {
  std::vector<Value> values;
  if (returned->is(ValueKind::Tuple))
    values.assign(returned->items().begin(), returned->items().end());
  else
    values.push_back(*returned);
  bool fits = !values.empty() && values.size() % size_t(pack) == 0;
  for (size_t i = 0; fits && i < values.size(); ++i) {
    if (values[i].isNumber())
      if (Result scalar = materialize(context, {values[i], function.span}))
        values[i] = *scalar;
    fits = values[i].isTensor() && !values[i].isBlock() &&
           values[i].dtype() == values[i - i % size_t(pack)].dtype();
  }
  if (fits)
    return values;
  context
      .report(diag::Kind::ArgumentKind, function.span, "scalar_fn",
              "a function that returns " + std::to_string(pack) + " scalars of each result",
              returned->typeName())
      .end();
  return std::nullopt;
}

/// map_elementwise(scalar_fn, *args, pack=1)
static Result emitMapElementwise(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> pack = packArgument(context, arguments);
  if (!pack)
    return std::nullopt;
  Operands operands;
  for (const Value &item : arguments["args"].items())
    operands.push_back({item, arguments.span("args")});
  if (operands.empty() || llvm::none_of(operands, [](const Operand &o) { return o.isBlock(); })) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("args"), "args",
                "at least one block tensor", arguments["args"].typeName())
        .end();
    return std::nullopt;
  }
  if (!unifyShapes(context, operands))
    return std::nullopt;
  // The body first: its results say what the operation gives.
  mlir::Region region;
  llvm::SmallVector<mlir::Type> scalarTypes;
  llvm::SmallVector<mlir::Value> handles;
  for (const Operand &operand : operands) {
    scalarTypes.append(size_t(*pack), mlir::getElementTypeOrSelf(operand.value.irType()));
    handles.push_back(operand.value.ir());
  }
  std::vector<Value> results;
  std::optional<std::vector<Value>> scalars;
  bool isTuple = false;
  {
    mlir::OpBuilder::InsertionGuard guard(context.builder);
    llvm::SmallVector<mlir::Location> locations(scalarTypes.size(), context.loc());
    mlir::Block *body = context.builder.createBlock(&region, {}, scalarTypes, locations);
    std::vector<Value> parameters;
    for (auto [i, argument] : llvm::enumerate(body->getArguments()))
      parameters.push_back(tensor(argument, operands[i / size_t(*pack)].value.dtype()));
    Result returned = context.call(arguments["scalar_fn"], parameters);
    if (!returned)
      return std::nullopt;
    isTuple = returned->is(ValueKind::Tuple);
    scalars = mappedResults(context, returned, operand(arguments, "scalar_fn"), *pack);
    if (!scalars)
      return std::nullopt;
    llvm::SmallVector<mlir::Value> returnedHandles;
    for (const Value &scalar : *scalars)
      returnedHandles.push_back(scalar.ir());
    tt::MapElementwiseReturnOp::create(context.builder, context.loc(), returnedHandles);
    dropOverflowChecks(region);
  }
  llvm::SmallVector<mlir::Type> types;
  for (size_t i = 0; i < scalars->size(); i += size_t(*pack))
    types.push_back(typeWithElement(context, operands[0].value.irType(), (*scalars)[i].dtype()));
  auto map =
      tt::MapElementwiseOp::create(context.builder, context.loc(), types, handles, uint32_t(*pack));
  map.getScalarOp().takeBody(region);
  for (auto [i, result] : llvm::enumerate(map.getResults()))
    results.push_back(tensor(result, (*scalars)[i * size_t(*pack)].dtype()));
  return finishPacked(context, map, arguments.span("pack"), *pack, std::move(results), isTuple);
}

// -- inline_asm_elementwise --------------------------------------------------------

/// Whether there are constraints, and the chip has the registers that they name.
static bool hasRegisters(Context &context, const std::optional<AsmConstraints> &constraints,
                         std::string &why) {
  if (constraints && constraints->isAmd() && context.options.target.isNvidia()) {
    why = "registers of class v, s and a are those of AMD's chips";
    return false;
  }
  return constraints.has_value();
}

/// inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)
static Result emitInlineAsm(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::StringRef> text = stringArgument(context, arguments, "asm");
  std::optional<llvm::StringRef> constraints = stringArgument(context, arguments, "constraints");
  std::optional<bool> isPure = boolArgument(context, arguments, "is_pure");
  std::optional<int64_t> pack = packArgument(context, arguments);
  if (!text || !constraints || !isPure || !pack)
    return std::nullopt;
  auto isSequence = [](const Value &value) {
    return value.is(ValueKind::Tuple) || value.is(ValueKind::List);
  };
  if (!isSequence(arguments["args"])) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("args"), "args", "a list of tensors",
                arguments["args"].typeName())
        .end();
    return std::nullopt;
  }
  Operands operands;
  for (const Value &item : arguments["args"].items())
    operands.push_back({item, arguments.span("args")});
  if (!unifyShapes(context, operands))
    return std::nullopt;
  bool isTuple = isSequence(arguments["dtype"]);
  llvm::SmallVector<Value> dtypes;
  if (isTuple)
    dtypes.append(arguments["dtype"].items().begin(), arguments["dtype"].items().end());
  else
    dtypes.push_back(arguments["dtype"]);
  bool areTypes = !dtypes.empty() && llvm::all_of(dtypes, [](const Value &dtype) {
    return dtype.is(ValueKind::DType) && !dtype.dtype().isVoid();
  });
  if (!areTypes) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("dtype"), "dtype",
                "an element type or a tuple of them", arguments["dtype"].typeName())
        .end();
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> handles;
  for (const Value &dtype : dtypes)
    types.push_back(operands.empty()
                        ? dtype.dtype().toMlir(context.mlirContext())
                        : typeWithElement(context, operands[0].value.irType(), dtype.dtype()));
  for (const Operand &operand : operands)
    handles.push_back(operand.value.ir());
  std::string why;
  auto read = readAsmConstraints(*text, *constraints, types, mlir::ValueRange(handles).getTypes(),
                                 unsigned(*pack), why);
  if (!hasRegisters(context, read, why)) {
    context.report(diag::Kind::AsmConstraints, arguments.span("constraints"), why).end();
    return std::nullopt;
  }
  auto op = tt::ElementwiseInlineAsmOp::create(context.builder, context.loc(), types, *text,
                                               *constraints, *isPure, uint32_t(*pack), handles);
  std::vector<Value> results;
  for (auto [result, dtype] : llvm::zip(op->getResults(), dtypes))
    results.push_back(tensor(result, dtype.dtype()));
  return finishPacked(context, op, arguments.span("pack"), *pack, std::move(results), isTuple);
}

// -- inline_asm ----------------------------------------------------------------------

namespace {

/// Results and operands of assembly that each thread runs once.
struct ThreadAsm {
  std::vector<Value> resultTypes;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> handles;
  bool hasBuffer = false;
  /// How many registers of the text each of them is.
  llvm::SmallVector<size_t> resultCounts, operandCounts;
};

} // namespace

static std::nullopt_t refuseAsm(Context &context, const BoundArgs &arguments, llvm::StringRef name,
                                llvm::StringRef expected, const Value &got) {
  context.report(diag::Kind::ArgumentKind, arguments.span(name), name, expected, got.typeName())
      .end();
  return std::nullopt;
}

/// 0, after a report, where the type has no registers yet.
static size_t registersOf(Context &context, const BoundArgs &arguments, llvm::StringRef name,
                          const Value &value, mlir::Type type) {
  std::optional<llvm::SmallVector<mlir::Type>> each = threadAsmTypes(type);
  if (!each)
    refuseAsm(context, arguments, name, "of tensors whose layouts are known", value);
  return each ? each->size() : 0;
}

static bool readResultTypes(Context &context, const BoundArgs &arguments, ThreadAsm &code) {
  std::optional<Value> types =
      withTypes(context, arguments["result_types"], arguments.span("result_types"));
  if (!types)
    return false;
  if (types->is(ValueKind::Tuple) || types->is(ValueKind::List))
    code.resultTypes = types->items().vec();
  else if (!types->isAbsent())
    code.resultTypes = {*types};
  for (const Value &result : code.resultTypes) {
    bool isBlock =
        result.is(ValueKind::BlockType) && mlir::isa<mlir::RankedTensorType>(result.irType());
    if (!isBlock && (!result.is(ValueKind::DType) || result.dtype().isVoid())) {
      refuseAsm(context, arguments, "result_types", "element types and types of tensors", result);
      return false;
    }
    code.types.push_back(isBlock ? result.irType() : result.dtype().toMlir(context.mlirContext()));
    code.resultCounts.push_back(
        registersOf(context, arguments, "result_types", result, code.types.back()));
    if (!code.resultCounts.back())
      return false;
  }
  return true;
}

static bool readOperands(Context &context, const BoundArgs &arguments, ThreadAsm &code) {
  const Value &list = arguments["args"];
  if (list.isAbsent())
    return true;
  if (!list.is(ValueKind::Tuple) && !list.is(ValueKind::List)) {
    refuseAsm(context, arguments, "args", "a list of tensors and buffers", list);
    return false;
  }
  for (const Value &item : list.items()) {
    bool isBuffer = item.is(ValueKind::MemDesc);
    Result value = isBuffer ? Result(item) : materialize(context, {item, arguments.span("args")});
    if (!value)
      return false;
    code.hasBuffer |= isBuffer;
    code.handles.push_back(value->ir());
    code.operandCounts.push_back(
        registersOf(context, arguments, "args", *value, value->ir().getType()));
    if (!code.operandCounts.back())
      return false;
  }
  return true;
}

/// "$0", "$1", … in a tuple for each group, from `next` on.
static Value placeholders(llvm::ArrayRef<size_t> counts, size_t &next) {
  std::vector<Value> groups;
  for (size_t count : counts) {
    std::vector<Value> names;
    for (size_t i = 0; i < count; ++i)
      names.push_back(Value::string("$" + std::to_string(next++)));
    groups.push_back(Value::tuple(std::move(names)));
  }
  return Value::tuple(std::move(groups));
}

/// The text, or what a compile-time function makes of the names of results and operands.
static std::optional<std::string> asmText(Context &context, const BoundArgs &arguments,
                                          const ThreadAsm &code) {
  Value text = arguments["asm"];
  if (text.is(ValueKind::Function) || text.is(ValueKind::BoundMethod)) {
    size_t next = 0;
    Value results = placeholders(code.resultCounts, next);
    Result made = context.call(text, {results, placeholders(code.operandCounts, next)});
    if (!made)
      return std::nullopt;
    text = *made;
  }
  if (text.is(ValueKind::String))
    return text.asString().str();
  return refuseAsm(context, arguments, "asm", "a string, or a function that gives one", text);
}

/// A string as it is, or a constraint for each result and operand, repeated for its registers.
static std::optional<std::string> asmConstraints(Context &context, const BoundArgs &arguments,
                                                 const ThreadAsm &code) {
  const Value &given = arguments["constraints"];
  if (given.isAbsent())
    return "";
  if (given.is(ValueKind::String))
    return given.asString().str();
  llvm::SmallVector<size_t> counts(code.resultCounts);
  counts.append(code.operandCounts);
  bool isList = given.is(ValueKind::Tuple) || given.is(ValueKind::List);
  if (!isList || given.items().size() != counts.size() ||
      !llvm::all_of(given.items(), [](const Value &item) { return item.is(ValueKind::String); }))
    return refuseAsm(context, arguments, "constraints",
                     "a string, or one for each result and operand", given);
  std::string all;
  for (auto [item, count] : llvm::zip_equal(given.items(), counts))
    for (size_t i = 0; i < count; ++i)
      all += (all.empty() ? "" : ",") + item.asString().str();
  return all;
}

/// inline_asm(asm, constraints, args, result_types, is_pure)
static Result emitThreadAsm(Context &context, const BoundArgs &arguments) {
  ThreadAsm code;
  std::optional<bool> isPure = boolArgument(context, arguments, "is_pure");
  if (!isPure || !readResultTypes(context, arguments, code) ||
      !readOperands(context, arguments, code))
    return std::nullopt;
  std::optional<std::string> text = asmText(context, arguments, code);
  std::optional<std::string> constraints =
      text ? asmConstraints(context, arguments, code) : std::nullopt;
  if (!constraints)
    return std::nullopt;
  if (*isPure && code.hasBuffer) {
    context
        .report(diag::Kind::BadArgument, arguments.span("is_pure"),
                "assembly that takes buffers is not pure")
        .end();
    return std::nullopt;
  }
  std::string why;
  auto read = readAsmConstraints(*text, *constraints, *threadAsmTypes(code.types),
                                 *threadAsmTypes(mlir::ValueRange(code.handles).getTypes()),
                                 /*pack=*/1, why);
  if (!hasRegisters(context, read, why)) {
    context.report(diag::Kind::AsmConstraints, arguments.span("constraints"), why).end();
    return std::nullopt;
  }
  auto op = ttg::InlineAsmOp::create(context.builder, context.loc(), code.types, *text,
                                     *constraints, *isPure, code.handles);
  std::vector<Value> results;
  for (auto [result, type] : llvm::zip_equal(op.getResult(), code.resultTypes))
    results.push_back(tensor(result, type.dtype()));
  const Value &types = arguments["result_types"];
  bool isOne = types.is(ValueKind::DType) || types.is(ValueKind::BlockType) ||
               (types.is(ValueKind::Tuple) && !types.fieldNames().empty());
  return isOne ? Result(results.front()) : Value::tuple(std::move(results));
}

llvm::ArrayRef<Builtin> elementwiseBuiltins() {
  static const Builtin table[] = {
      {"map_elementwise", "scalar_fn: function, *args: tensor, pack: int = 1", emitMapElementwise,
       asFunction, R"(
Calls a function of the program with the scalars of each element.

The arguments are broadcast to one shape. With `pack` the function sees so many elements of a thread
at once: those of the first argument, then those of the second; it gives as many of each result.

Gives: a block for each value that the function gives: one, or a tuple.
Errors: no block among the arguments; a `pack` that does not divide the elements of a thread.

    z = gl.map_elementwise(add, x, y)
)"},
      {"inline_asm",
       "asm: value, constraints: value = '', args: sequence = (), result_types: value = (), "
       "is_pure: bool = False",
       emitThreadAsm, asFunction, R"(
Runs instructions of the chip, PTX or AMD's, once in each thread, on all elements that it has.

A tensor is as many operands as a thread has registers of it, in the order of the layout, copies
among them; a scalar is one, a buffer its address in shared memory. Elements of less than 32 bits
are not packed. Results come first, then the arguments, `$0` onwards. `asm` may be a
`gluon.constexpr_function` that makes the text: it gets the names of the results and of the
arguments, a tuple for each. `constraints` are those of LLVM, or a tuple with one for each result
and argument.

What the text does to memory is not known to the compiler: barriers, fences and waits are the
program's. With buffers `is_pure` must be False.

Gives: a tensor of the type `result_types` (a dtype or `x.type`), or a tuple for a sequence of them.
Errors: constraints that do not fit the text and the types; tensors whose layout is still open.

    z = gl.inline_asm("add.f32 $0, $1, $2;", "=f,f,f", [x, y], x.type, is_pure=True)
)"},
      {"inline_asm_elementwise",
       "asm: str, constraints: str, args: sequence, dtype: value, is_pure: bool = True, "
       "pack: int = 1",
       emitInlineAsm, asFunction, R"(
Runs instructions of the chip, PTX or AMD's, on each element.

In the text `$0` is the first result, then come the other results and the arguments, as the
constraints name them: "=r" and "r" for 32 bits, "h" 16, "l" 64, "f" float32, "d" float64, "n" an
integer known at compile time that the text has in place of a register. On AMD's chips "v" is a
vector register, "s" a scalar one, "a" one for accumulation, as wide as the operand. With
`pack` one run takes so many elements, four bytes to a register. `is_pure=False` keeps runs whose
result nobody uses. A tuple of dtypes gives several results.

Gives: `dtype` in the shape and layout of the arguments, or a tuple.
Errors: constraints that do not fit the text and the types; a `pack` that does not divide the
elements of a thread.

    z = gl.inline_asm_elementwise("add.f32 $0, $1, $2;", "=f,f,f", [x, y], gl.float32)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
