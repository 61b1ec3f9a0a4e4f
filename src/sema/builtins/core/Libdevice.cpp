//===- Libdevice.cpp - Functions of NVIDIA's device library --------------------===//
//
// A row of ir/tt/Libdevice.def becomes a builtin that calls one of its symbols, by the
// element type of the arguments.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"

namespace gluonc::sema::ops {
namespace {

using Operands = llvm::SmallVector<Operand, 4>;

/// What comes out; see Libdevice.def. `Other`: the type that the row names.
enum class Gives {
  Same,
  Integer,
  Scaled,
  Order,
  Count,
  Exponent,
  Long,
  Predicate,
  WidePredicate,
  Other
};

struct Overload {
  DType type;
  llvm::StringLiteral symbol;
};

struct LibraryFunction {
  llvm::StringLiteral name;
  unsigned arity;
  Gives gives;
  llvm::ArrayRef<Overload> overloads;
  DType other = {};

  bool isOfOneType() const { return gives == Gives::Other; }
  /// The argument that is an int32 whatever the others are.
  std::optional<unsigned> count() const {
    return gives == Gives::Scaled  ? std::optional(1u)
           : gives == Gives::Order ? std::optional(0u)
                                   : std::nullopt;
  }
};

DType resultOf(const LibraryFunction &function, DType type) {
  switch (function.gives) {
  case Gives::Same:
  case Gives::Integer:
  case Gives::Scaled:
  case Gives::Order:
    return type;
  case Gives::Count:
  case Gives::Exponent:
  case Gives::Predicate:
  case Gives::WidePredicate:
    return dtypes::int32;
  case Gives::Long:
    return dtypes::int64;
  case Gives::Other:
    break;
  }
  // Triton's types: the bits of integers without a sign.
  return function.other == dtypes::uint32   ? DType(dtypes::int32)
         : function.other == dtypes::uint64 ? DType(dtypes::int64)
                                            : function.other;
}

/// Numbers and tensors as tensors of one shape, each of the type that it is to have: that of the
/// widest tensor, or an int32.
bool unify(Context &context, const LibraryFunction &function, Operands &operands) {
  std::optional<DType> dtype;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (i != function.count() && operand.value.isTensor() &&
        (!dtype || operand.dtype().bitWidth() > dtype->bitWidth()))
      dtype = operand.dtype();
  if (!dtype && function.isOfOneType())
    dtype = function.overloads.front().type;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::optional<DType> wanted = i == function.count() ? DType(dtypes::int32) : dtype;
    Result value = wanted && !wanted->isPointer() ? toType(context, operand, *wanted, {})
                                                  : materialize(context, operand);
    if (!value)
      return false;
    operand.value = *value;
  }
  return broadcast(context, llvm::MutableArrayRef<Operand>(operands));
}

Result callLibrary(Context &context, const BoundArgs &arguments, const LibraryFunction &function) {
  Operands operands;
  for (unsigned i = 0; i < function.arity; ++i)
    operands.push_back({arguments[i], arguments.span(i)});
  if (!unify(context, function, operands))
    return std::nullopt;
  const Operand &first = operands[function.count() == 0u];
  DType type = first.value.dtype();
  const Overload *overload =
      llvm::find_if(function.overloads, [&](const Overload &each) { return each.type == type; });
  if (overload == function.overloads.end()) {
    context.report(diag::Kind::NoArithmetic, first.span, ("libdevice." + function.name).str(), type)
        .hint("cast with `.to(gl.{0})`",
              numeric::factsOf(function.overloads.front().type.scalarKind()).member);
    return std::nullopt;
  }
  DType resultType = resultOf(function, type);
  llvm::SmallVector<mlir::Value> handles;
  for (const Operand &operand : operands)
    handles.push_back(operand.value.ir());
  Value result = tensor(
      tt::ExternElementwiseOp::create(context.builder, context.loc(),
                                      typeWithElement(context, first.value.irType(), resultType),
                                      handles, "", "", overload->symbol, /*pure=*/true),
      resultType);
  bool isPredicate = function.gives == Gives::Predicate || function.gives == Gives::WidePredicate;
  return isPredicate ? castTensor(context, result, dtypes::int1, context.span) : Result(result);
}

/// Those of `all` that the library has.
llvm::SmallVector<Overload, 6> present(std::initializer_list<Overload> all) {
  return llvm::filter_to_vector<6>(all, [](const Overload &each) { return !each.symbol.empty(); });
}

/// The symbol on integers without a sign; empty where there is none.
constexpr llvm::StringLiteral unsignedSymbol(std::string_view name, bool isLong) {
#define GL_LIBDEVICE_UNSIGNED(row, u32, u64)                                                       \
  if (name == #row)                                                                                \
    return isLong ? llvm::StringLiteral(u64) : llvm::StringLiteral(u32);
#include "ir/tt/Libdevice.def"
  return "";
}

constexpr llvm::StringLiteral signatures[] = {
    "arg0: tensor",
    "arg0: tensor, arg1: tensor",
    "arg0: tensor, arg1: tensor, arg2: tensor",
    "arg0: tensor, arg1: tensor, arg2: tensor, arg3: tensor",
};

} // namespace

// What the rows of the functions say alike.
#define GL_GIVES_Same "the type of the arguments, element by element."
#define GL_GIVES_Count "int32, element by element."
#define GL_GIVES_Predicate "int1, element by element."
#define GL_GIVES_Long "int64, element by element."
#define GL_GIVES_Scaled "the type of `arg0`, element by element."
#define GL_GIVES_Order "the type of `arg1`, element by element."
#define GL_GIVES_Integer GL_GIVES_Same
#define GL_GIVES_Exponent GL_GIVES_Count
#define GL_GIVES_WidePredicate GL_GIVES_Predicate
#define GL_GIVES_float32 "float32, element by element."
#define GL_GIVES_float64 "float64, element by element."
#define GL_GIVES_int32 GL_GIVES_Count
#define GL_GIVES_uint32 GL_GIVES_Count
#define GL_GIVES_int64 GL_GIVES_Long
#define GL_GIVES_uint64 GL_GIVES_Long
#define GL_ARGUMENTS_Same1 "x"
#define GL_ARGUMENTS_Same2 "x, y"
#define GL_ARGUMENTS_Same3 "x, y, x"
#define GL_ARGUMENTS_Same4 "x, y, x, y"
#define GL_ARGUMENTS_Predicate1 "x"
#define GL_ARGUMENTS_Count1 "i"
#define GL_ARGUMENTS_Integer1 "i"
#define GL_ARGUMENTS_Integer2 "i, i"
#define GL_ARGUMENTS_Integer3 "i, i, i"
#define GL_ARGUMENTS_Scaled2 "x, i"
#define GL_ARGUMENTS_Order2 "i, x"
#define GL_ARGUMENTS_Exponent1 "x"
#define GL_ARGUMENTS_Long1 "x"
#define GL_ARGUMENTS_WidePredicate1 "x.to(gl.float64)"
#define GL_ARGUMENTS_float321 "x"
#define GL_ARGUMENTS_float641 "x.to(gl.float64)"
#define GL_ARGUMENTS_int321 "i"
#define GL_ARGUMENTS_int322 "i, i"
#define GL_ARGUMENTS_int641 "i.to(gl.int64)"
#define GL_ARGUMENTS_uint321 "i.to(gl.uint32)"
#define GL_ARGUMENTS_uint641 "i.to(gl.uint64)"
#define GL_TEXT(name, arity, what, gives, arguments)                                               \
  what "\n\nGives: " gives                                                                         \
       "\nErrors: an element type that the function does not have: cast first.\n\n"                \
       "    z = gl.extra.libdevice." #name "(" arguments ")\n"
#define GL_LIBDEVICE(name, arity, f32, f64, i32, i64, gives, what)                                 \
  {"extra.libdevice." #name, signatures[arity - 1],                                                \
   [](Context &context, const BoundArgs &arguments) {                                              \
     static const auto overloads = present({{dtypes::float32, f32},                                \
                                            {dtypes::float64, f64},                                \
                                            {dtypes::int32, i32},                                  \
                                            {dtypes::int64, i64},                                  \
                                            {dtypes::uint32, unsignedSymbol(#name, false)},        \
                                            {dtypes::uint64, unsignedSymbol(#name, true)}});       \
     return callLibrary(context, arguments, {#name, arity, Gives::gives, overloads});              \
   },                                                                                              \
   asFunction, GL_TEXT(name, arity, what, GL_GIVES_##gives, GL_ARGUMENTS_##gives##arity)},
#define GL_LIBDEVICE_OF(name, arity, from, to, what)                                               \
  {"extra.libdevice." #name, signatures[arity - 1],                                                \
   [](Context &context, const BoundArgs &arguments) {                                              \
     static const Overload only[] = {{dtypes::from, "__nv_" #name}};                               \
     return callLibrary(context, arguments, {#name, arity, Gives::Other, only, dtypes::to});       \
   },                                                                                              \
   asFunction, GL_TEXT(name, arity, what, GL_GIVES_##to, GL_ARGUMENTS_##from##arity)},
#define GL_LIBDEVICE_CAST(name, from, to, rounding, what) GL_LIBDEVICE_OF(name, 1, from, to, what)

llvm::ArrayRef<Builtin> libdeviceBuiltins() {
  static const Builtin table[] = {
#include "ir/tt/Libdevice.def"
  };
  return table;
}

} // namespace gluonc::sema::ops
