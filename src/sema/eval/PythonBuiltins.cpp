// Python's builtin functions and `math`, on compile-time values.

#include "sema/names/Language.h"

#include "ir/Dialects.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Format.h"
#include "sema/value/Numbers.h"
#include "sema/value/Text.h"

#include <cmath>

namespace gluonc::sema {

using diag::Kind;

namespace {

MaybeValue fail(Interpreter &interpreter, const IntrinsicCall &call, size_t i,
                llvm::StringRef expected) {
  interpreter
      .report(
          Kind::BadArgument, call.arguments.span(i),
          ("`" + call.self.name + "` expects " + expected + ", not " + call[i].typeName()).str())
      .end();
  return std::nullopt;
}

MaybeValue len(Interpreter &interpreter, const IntrinsicCall &call) {
  const Value &value = call[0];
  switch (value.kind()) {
  case ValueKind::Tuple:
  case ValueKind::List:
    return Value::integer(int64_t(value.items().size()));
  case ValueKind::Set:
    return Value::integer(int64_t(value.items().size()));
  case ValueKind::Dict:
    return Value::integer(int64_t(value.dictItems().size()));
  case ValueKind::String:
    return Value::integer(int64_t(lengthOf(value.asString())));
  case ValueKind::Range:
    if (std::optional<RangeBounds> bounds = RangeBounds::of(value))
      return Value::integer(llvm::APInt(65, bounds->count));
    return fail(interpreter, call, 0, "a range of compile-time integers");
  case ValueKind::Instance:
    if (const Class::Member *member = value.asClass().findMember("__len__")) {
      CallArguments none;
      none.span = call.span;
      return interpreter.call(Value::boundMethod(member->value, value), none);
    }
    return fail(interpreter, call, 0, "a sequence");
  default:
    return fail(interpreter, call, 0, "a sequence");
  }
}

MaybeValue range(Interpreter &interpreter, const IntrinsicCall &call) {
  for (size_t i = 0; i < 3; ++i)
    if (call.has(i) && call[i].is(ValueKind::Float) && !interpreter.inKernel())
      return fail(interpreter, call, i, "integers");
  bool single = !call.has(1);
  return Value::range(single ? Value::integer(0) : call[0], single ? call[0] : call[1],
                      call.has(2) ? call[2] : Value::integer(1));
}

/// `int("ff", 16)`; base 10 where there is none.
MaybeValue parsedInt(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> base = call.has(1) ? call[1].asInt64() : 10;
  if (!call[0].is(ValueKind::String) || !base || *base < 0 || *base == 1 || *base > 36)
    return fail(interpreter, call, 0, "digits and a base");
  if (std::optional<llvm::APInt> value = parseInteger(call[0].asString(), unsigned(*base)))
    return Value::integer(*value);
  return fail(interpreter, call, 0, "digits of this base");
}

MaybeValue toInt(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call.has(0))
    return Value::integer(0);
  const Value &value = call[0];
  if (call.has(1) || value.is(ValueKind::String))
    return parsedInt(interpreter, call);
  if (value.is(ValueKind::Int) || value.is(ValueKind::Bool))
    return Value::integer(value.asApInt());
  if (value.is(ValueKind::Float) && std::isfinite(value.asDouble()))
    return Value::integer(truncated(value.asDouble()));
  return fail(interpreter, call, 0, "a compile-time number");
}

MaybeValue toFloat(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call.has(0))
    return Value::real(0);
  std::optional<double> number;
  if (call[0].isNumber()) {
    number = doubleOf(call[0]);
    if (!number)
      interpreter.report(Kind::NumberTooLarge, call.span).end();
  } else {
    if (call[0].is(ValueKind::String))
      number = parseFloat(call[0].asString());
    if (!number)
      return fail(interpreter, call, 0, "a compile-time number");
  }
  return number ? MaybeValue(Value::real(*number)) : std::nullopt;
}

MaybeValue toBool(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call.has(0))
    return Value::boolean(false);
  std::optional<bool> holds = interpreter.truth(call[0], call.arguments.span(0));
  return holds ? MaybeValue(Value::boolean(*holds)) : std::nullopt;
}

MaybeValue toStr(Interpreter &interpreter, const IntrinsicCall &call) {
  return interpreter.text(call.has(0) ? call[0].str() : "", call.span);
}

MaybeValue toRepr(Interpreter &interpreter, const IntrinsicCall &call) {
  return interpreter.text(call[0].repr(), call.span);
}

MaybeValue absolute(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber())
    return fail(interpreter, call, 0, "a number");
  bool negative = call[0].is(ValueKind::Float) ? std::signbit(call[0].asDouble())
                                               : call[0].asApInt().isNegative();
  return applyUnary(negative ? ast::UnaryOperator::USub : ast::UnaryOperator::UAdd, call[0]);
}

/// `min` and `max`: of Python values at compile time, of tensors elementwise.
MaybeValue extremum(Interpreter &interpreter, const IntrinsicCall &call, bool isMin) {
  std::vector<Value> items(call[0].items());
  if (items.size() == 1 && !items[0].isIr()) {
    std::optional<std::vector<Value>> unpacked = interpreter.iterate(items[0], call.span);
    if (!unpacked)
      return std::nullopt;
    items = std::move(*unpacked);
  }
  if (items.empty())
    return fail(interpreter, call, 0, "at least one value");
  Value best = items[0];
  for (const Value &item : llvm::ArrayRef(items).drop_front()) {
    if (best.isIr() || item.isIr()) {
      const Builtin *builtin = ops::findBuiltin(isMin ? "minimum" : "maximum");
      CallArguments pair;
      pair.span = call.span;
      pair.add(best, call.span);
      pair.add(item, call.span);
      MaybeValue result = builtin ? interpreter.call(Value::builtin(builtin), pair) : std::nullopt;
      if (!result)
        return std::nullopt;
      best = *result;
      continue;
    }
    MaybeValue less =
        interpreter.compare(isMin ? ast::CompareOperator::Lt : ast::CompareOperator::Gt, item, best,
                            call.span, call.span, call.span);
    if (!less)
      return std::nullopt;
    if (truthOf(*less).value_or(false))
      best = item;
  }
  return best;
}

MaybeValue minimum(Interpreter &interpreter, const IntrinsicCall &call) {
  return extremum(interpreter, call, /*isMin=*/true);
}
MaybeValue maximum(Interpreter &interpreter, const IntrinsicCall &call) {
  return extremum(interpreter, call, /*isMin=*/false);
}

MaybeValue sum(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.span);
  if (!items)
    return std::nullopt;
  Value total = call.has(1) ? call[1] : Value::integer(0);
  for (const Value &item : *items) {
    MaybeValue next =
        interpreter.binary(ast::Operator::Add, total, item, call.span, call.span, call.span);
    if (!next)
      return std::nullopt;
    total = *next;
  }
  return total;
}

MaybeValue quantify(Interpreter &interpreter, const IntrinsicCall &call, bool isAll) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.span);
  if (!items)
    return std::nullopt;
  for (const Value &item : *items) {
    std::optional<bool> holds = interpreter.truth(item, call.span);
    if (!holds)
      return std::nullopt;
    if (*holds != isAll)
      return Value::boolean(!isAll);
  }
  return Value::boolean(isAll);
}

MaybeValue all(Interpreter &interpreter, const IntrinsicCall &call) {
  return quantify(interpreter, call, /*isAll=*/true);
}
MaybeValue any(Interpreter &interpreter, const IntrinsicCall &call) {
  return quantify(interpreter, call, /*isAll=*/false);
}

MaybeValue toSequence(Interpreter &interpreter, const IntrinsicCall &call, ValueKind kind) {
  std::vector<Value> items;
  if (call.has(0)) {
    std::optional<std::vector<Value>> given = interpreter.iterate(call[0], call.span);
    if (!given)
      return std::nullopt;
    items = std::move(*given);
  }
  bool isList = kind == ValueKind::List && !interpreter.inKernel();
  return isList ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

MaybeValue toList(Interpreter &interpreter, const IntrinsicCall &call) {
  return toSequence(interpreter, call, ValueKind::List);
}
MaybeValue toTuple(Interpreter &interpreter, const IntrinsicCall &call) {
  return toSequence(interpreter, call, ValueKind::Tuple);
}

MaybeValue toDict(Interpreter &interpreter, const IntrinsicCall &call) {
  Value result = Value::dict({});
  if (!call.has(0))
    return result;
  if (call[0].is(ValueKind::Dict))
    return Value::dict(call[0].dictItems());
  std::optional<std::vector<Value>> pairs = interpreter.iterate(call[0], call.span);
  if (!pairs)
    return std::nullopt;
  for (const Value &pair : *pairs) {
    std::optional<std::vector<Value>> parts = interpreter.iterate(pair, call.span);
    if (!parts || parts->size() != 2)
      return fail(interpreter, call, 0, "pairs");
    setDictItem(result, (*parts)[0], (*parts)[1]);
  }
  return result;
}

MaybeValue toSet(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call.has(0))
    return Value::set({});
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.span);
  return items ? MaybeValue(Value::set(*items)) : std::nullopt;
}

MaybeValue mapped(Interpreter &interpreter, const IntrinsicCall &call) {
  std::vector<std::vector<Value>> columns;
  size_t length = SIZE_MAX;
  for (const Value &iterable : call[1].items()) {
    std::optional<std::vector<Value>> items = interpreter.iterate(iterable, call.span);
    if (!items)
      return std::nullopt;
    length = std::min(length, items->size());
    columns.push_back(std::move(*items));
  }
  std::vector<Value> results;
  for (size_t i = 0; !columns.empty() && i < length; ++i) {
    CallArguments arguments;
    arguments.span = call.span;
    for (const std::vector<Value> &column : columns)
      arguments.add(column[i], call.span);
    MaybeValue result = interpreter.call(call[0], arguments);
    if (!result)
      return std::nullopt;
    results.push_back(std::move(*result));
  }
  return Value::list(std::move(results));
}

MaybeValue filtered(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[1], call.span);
  if (!items)
    return std::nullopt;
  std::vector<Value> kept;
  for (const Value &item : *items) {
    MaybeValue wanted = item;
    if (!call[0].isNone()) {
      CallArguments arguments;
      arguments.span = call.span;
      arguments.add(item, call.span);
      wanted = interpreter.call(call[0], arguments);
    }
    std::optional<bool> holds = wanted ? interpreter.truth(*wanted, call.span) : std::nullopt;
    if (!holds)
      return std::nullopt;
    if (*holds)
      kept.push_back(item);
  }
  return Value::list(std::move(kept));
}

MaybeValue divmod(Interpreter &interpreter, const IntrinsicCall &call) {
  MaybeValue quotient = interpreter.binary(ast::Operator::FloorDiv, call[0], call[1], call.span,
                                           call.arguments.span(0), call.arguments.span(1));
  if (!quotient)
    return std::nullopt;
  MaybeValue rest = interpreter.binary(ast::Operator::Mod, call[0], call[1], call.span,
                                       call.arguments.span(0), call.arguments.span(1));
  return rest ? MaybeValue(Value::tuple({*quotient, *rest})) : std::nullopt;
}

bool isInteger(const Value &value) { return value.is(ValueKind::Int) || value.is(ValueKind::Bool); }

MaybeValue power(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call.has(2) || call[2].isNone())
    return interpreter.binary(ast::Operator::Pow, call[0], call[1], call.span,
                              call.arguments.span(0), call.arguments.span(1));
  for (size_t i = 0; i < 3; ++i)
    if (!isInteger(call[i]) || (i == 1 && call[i].asApInt().isNegative()))
      return fail(interpreter, call, i, "integers, the second not negative");
  if (call[2].asInt64() != 0)
    return Value::integer(powerModulo(call[0].asApInt(), call[1].asApInt(), call[2].asApInt()));
  interpreter.report(Kind::CompileTimeDivisionByZero, call.span).end();
  return std::nullopt;
}

/// To even at a tie, as Python does.
MaybeValue roundNumber(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber())
    return fail(interpreter, call, 0, "a number");
  bool toInteger = !call.has(1) || call[1].isNone();
  std::optional<int64_t> digits = toInteger ? 0 : call[1].asInt64();
  if (!digits)
    return fail(interpreter, call, 1, "an integer");
  if (isInteger(call[0]))
    return Value::integer(*digits >= 0 ? call[0].asApInt()
                                       : roundToTens(call[0].asApInt(), -uint64_t(*digits)));
  double number = call[0].asDouble();
  if (toInteger)
    return std::isfinite(number) ? MaybeValue(Value::integer(truncated(std::nearbyint(number))))
                                 : fail(interpreter, call, 0, "a finite number");
  if (std::optional<double> rounded = roundToDigits(number, *digits))
    return Value::real(*rounded);
  interpreter.report(Kind::NumberTooLarge, call.span).end();
  return std::nullopt;
}

MaybeValue codePoint(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].is(ValueKind::String) || lengthOf(call[0].asString()) != 1)
    return fail(interpreter, call, 0, "one character");
  return Value::integer(codePointOf(call[0].asString()));
}

MaybeValue character(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> code = call[0].asInt64();
  if (std::optional<std::string> text = code ? characterOf(*code) : std::nullopt)
    return Value::string(std::move(*text));
  return fail(interpreter, call, 0, "the code point of a character");
}

MaybeValue inRadix(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!isInteger(call[0]))
    return fail(interpreter, call, 0, "an int");
  llvm::StringRef spec = call.self.name == "hex" ? "#x" : call.self.name == "oct" ? "#o" : "#b";
  return Value::string(*formatWith(Value::integer(call[0].asApInt()), spec));
}

MaybeValue formatted(Interpreter &interpreter, const IntrinsicCall &call) {
  std::string spec = call.has(1) ? call[1].str() : "";
  if (std::optional<std::string> text = formatWith(call[0], spec))
    return interpreter.text(std::move(*text), call.span);
  return fail(interpreter, call, 0, "a value that the format fits");
}

MaybeValue typeOf(Interpreter &, const IntrinsicCall &call) {
  const Value &value = call[0];
  if (value.is(ValueKind::Instance))
    return Value::classValue(value.sharedClass());
  if (value.is(ValueKind::Layout))
    if (const Intrinsic *cls =
            findLayoutConstructor(llvm::StringRef(value.repr()).split('(').first))
      return Value::builtin(cls);
  llvm::StringRef name = kindName(value.kind());
  if (const Intrinsic *cls = findPythonBuiltin(value.isNone() ? "NoneType" : name))
    return Value::builtin(cls);
  if (const Intrinsic *cls = findLanguageIntrinsic(name))
    return Value::builtin(cls);
  return Value::string(name.str());
}

MaybeValue enumerate(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.span);
  if (!items)
    return std::nullopt;
  std::optional<int64_t> start = call.has(1) ? call[1].asInt64() : 0;
  if (!start)
    return fail(interpreter, call, 1, "an integer of 64 bits");
  llvm::APInt next(65, uint64_t(*start), /*isSigned=*/true);
  for (Value &item : *items)
    item = Value::tuple({Value::integer(next++), item});
  return Value::list(std::move(*items));
}

MaybeValue zip(Interpreter &interpreter, const IntrinsicCall &call) {
  std::vector<std::vector<Value>> columns;
  size_t length = SIZE_MAX;
  for (const Value &iterable : call[0].items()) {
    std::optional<std::vector<Value>> items = interpreter.iterate(iterable, call.span);
    if (!items)
      return std::nullopt;
    length = std::min(length, items->size());
    columns.push_back(std::move(*items));
  }
  std::vector<Value> rows;
  for (size_t i = 0; !columns.empty() && i < length; ++i) {
    std::vector<Value> row;
    for (const std::vector<Value> &column : columns)
      row.push_back(column[i]);
    rows.push_back(Value::tuple(std::move(row)));
  }
  return Value::list(std::move(rows));
}

MaybeValue reversed(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.span);
  if (!items)
    return std::nullopt;
  std::reverse(items->begin(), items->end());
  return Value::list(std::move(*items));
}

MaybeValue sorted(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.span);
  if (!items)
    return std::nullopt;
  // Keys would need calls from inside the sort; evaluate them first.
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value &item : *items) {
    MaybeValue key = item;
    if (call.has(1) && !call[1].isNone()) {
      CallArguments arguments;
      arguments.span = call.span;
      arguments.add(item, call.span);
      key = interpreter.call(call[1], arguments);
      if (!key)
        return std::nullopt;
    }
    keyed.emplace_back(*key, item);
  }
  // Descending order, too, leaves equal items in their order.
  bool isDescending = call.has(2) && truthOf(call[2]).value_or(false), areOrdered = true;
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto &a, const auto &b) {
    std::optional<bool> isLess = isDescending
                                     ? applyCompare(ast::CompareOperator::Lt, b.first, a.first)
                                     : applyCompare(ast::CompareOperator::Lt, a.first, b.first);
    areOrdered &= isLess.has_value();
    return isLess.value_or(false);
  });
  if (!areOrdered)
    return fail(interpreter, call, 0, "items that can be ordered");
  for (size_t i = 0; i < keyed.size(); ++i)
    (*items)[i] = keyed[i].second;
  return Value::list(std::move(*items));
}

} // namespace

static bool isInTensorMemory(mlir::Type type) {
  auto buffer = llvm::dyn_cast<ttg::MemDescType>(type);
  return buffer && buffer.isTensorMemory();
}

static llvm::StringRef descriptorName(mlir::Type type) {
  return ttng::descriptorOf(type).im2col ? "tensor_descriptor_im2col" : "tensor_descriptor";
}

/// Whether `x.type`, for a value of this type, is of the class `name`.
static bool isInstanceOfType(mlir::Type type, llvm::StringRef name) {
  if (ttng::descriptorOf(type))
    return name.consume_back("_type") && name == descriptorName(type);
  if (llvm::isa<mlir::RankedTensorType>(type))
    return name == "dtype" || name == "distributed_type";
  return name == "dtype" || name == (isInTensorMemory(type) ? "tensor_memory_descriptor_type"
                                                            : "shared_memory_descriptor_type");
}

/// Is it of the class that those of all values of kernels derive from?
static bool isValueOfKernels(const Value &value) {
  switch (value.kind()) {
  case ValueKind::Instance:
    return value.asClass().kind == ClassKind::Aggregate;
  case ValueKind::Tuple:
  case ValueKind::FloatPairs:
  case ValueKind::LaunchAnswer:
    return true;
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::Float:
  case ValueKind::String:
  case ValueKind::None:
  case ValueKind::Layout:
    // These are constexprs in Triton.
    return true;
  default:
    return value.isIr();
  }
}

bool isInstance(const Value &value, const Value &type) {
  if (type.is(ValueKind::Tuple))
    return llvm::any_of(type.items(), [&](const Value &item) { return isInstance(value, item); });
  if (type.is(ValueKind::Class))
    return value.is(ValueKind::Instance) && value.asClass().isOrDerivesFrom(type.asClass());
  if (!type.is(ValueKind::Builtin))
    return false;
  // Types of vendor modules go by their full names.
  llvm::StringRef name = type.asBuiltin().name;
  name = name.substr(name.rfind('.') + 1);
  if (name == "base_value")
    return isValueOfKernels(value);
  if (name == "base_type")
    return value.is(ValueKind::DType) || value.is(ValueKind::BlockType);
  switch (value.kind()) {
  case ValueKind::Bool:
    return name == "bool" || name == "int" || name == "constexpr";
  case ValueKind::Int:
    return name == "int" || name == "constexpr";
  case ValueKind::Float:
    return name == "float" || name == "constexpr";
  case ValueKind::String:
    return name == "str" || name == "constexpr";
  case ValueKind::Tuple:
    // Such types are named tuples.
    if (name == "constexpr_type")
      return value.fieldNames().size() == 1 && value.fieldNames()[0] == "value";
    return name == "tuple";
  case ValueKind::List:
    return name == "list";
  case ValueKind::Dict:
    return name == "dict";
  case ValueKind::Set:
    return name == "set" || name == "frozenset";
  case ValueKind::None:
    return name == "NoneType" || name == "constexpr";
  case ValueKind::DType:
    return name == "dtype" || name == "constexpr" ||
           (name == "pointer_type" && value.dtype().isPointer());
  case ValueKind::BlockType:
    return isInstanceOfType(value.irType(), name);
  case ValueKind::Tensor:
    return name == "tensor";
  case ValueKind::MemDesc:
    return name == (isInTensorMemory(value.irType()) ? "tensor_memory_descriptor"
                                                     : "shared_memory_descriptor");
  case ValueKind::Accumulator:
    return name == "warpgroup_mma_accumulator";
  case ValueKind::FloatPairs:
  case ValueKind::LaunchAnswer:
    return name == kindName(value.kind());
  case ValueKind::Descriptor:
    return name == descriptorName(value.irType());
  case ValueKind::Layout:
    return name == "constexpr" || llvm::StringRef(value.repr()).split('(').first == name;
  default:
    return name == "constexpr" && value.isCompileTime();
  }
}

namespace {

MaybeValue isinstance(Interpreter &, const IntrinsicCall &call) {
  return Value::boolean(isInstance(call[0], call[1]));
}

/// Attribute access whose failure is an answer, not an error.
MaybeValue quietAttribute(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[1].is(ValueKind::String))
    return std::nullopt;
  diag::Collector ignored;
  Interpreter::SinkScope quiet(interpreter, ignored);
  return interpreter.attribute(call[0], call[1].asString(), call.span);
}

MaybeValue getattr(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[1].is(ValueKind::String))
    return fail(interpreter, call, 1, "an attribute name");
  if (!call.has(2))
    return interpreter.attribute(call[0], call[1].asString(), call.span);
  MaybeValue value = quietAttribute(interpreter, call);
  return value ? value : call[2];
}

MaybeValue hasattr(Interpreter &interpreter, const IntrinsicCall &call) {
  return Value::boolean(quietAttribute(interpreter, call).has_value());
}

MaybeValue print(Interpreter &interpreter, const IntrinsicCall &call) {
  const Builtin *builtin = ops::findBuiltin("device_print");
  if (!interpreter.inKernel() || !builtin)
    return Value::none();
  CallArguments arguments;
  arguments.span = call.span;
  for (const Value &value : call[0].items())
    arguments.add(value, call.span);
  return interpreter.call(Value::builtin(builtin), arguments);
}

MaybeValue isCallable(Interpreter &, const IntrinsicCall &call) {
  ValueKind kind = call[0].kind();
  return Value::boolean(kind == ValueKind::Function || kind == ValueKind::Builtin ||
                        kind == ValueKind::BoundMethod || kind == ValueKind::Class);
}

MaybeValue notCallable(Interpreter &interpreter, const IntrinsicCall &call) {
  interpreter.report(Kind::NotCallable, call.span, call.self.name).end();
  return std::nullopt;
}

constexpr Visibility everywhere = Visibility::Everywhere, hostOnly = Visibility::HostOnly;

const Intrinsic builtins[] = {
    {"len", "object", len, everywhere},
    {"list", "iterable=", toList, everywhere},
    {"range", "start, stop=, step=", range, everywhere},
    {"float", "x=", toFloat, everywhere},
    {"int", "x=, base=", toInt, everywhere},
    {"isinstance", "object, classinfo", isinstance, everywhere},
    {"getattr", "object, name, default=", getattr, everywhere},
    {"hasattr", "object, name", hasattr, everywhere},
    {"print", "*values, sep=, end=, file=, flush=", print, everywhere},
    {"min", "*values", minimum, everywhere},
    {"max", "*values", maximum, everywhere},
    {"bool", "x=", toBool, hostOnly},
    {"str", "object=", toStr, hostOnly},
    {"repr", "object", toRepr, hostOnly},
    {"tuple", "iterable=", toTuple, hostOnly},
    {"dict", "iterable=", toDict, hostOnly},
    {"set", "iterable=", toSet, hostOnly},
    {"frozenset", "iterable=", toSet, hostOnly},
    {"map", "function, *iterables", mapped, hostOnly},
    {"filter", "function, iterable", filtered, hostOnly},
    {"divmod", "a, b", divmod, hostOnly},
    {"pow", "base, exp, mod=", power, hostOnly},
    {"round", "number, ndigits=", roundNumber, hostOnly},
    {"ord", "c", codePoint, hostOnly},
    {"chr", "i", character, hostOnly},
    {"hex", "x", inRadix, hostOnly},
    {"oct", "x", inRadix, hostOnly},
    {"bin", "x", inRadix, hostOnly},
    {"format", "value, format_spec=", formatted, hostOnly},
    {"type", "object", typeOf, hostOnly},
    {"NoneType", "", notCallable, hostOnly},
    {"abs", "x", absolute, hostOnly},
    {"sum", "iterable, start=", sum, hostOnly},
    {"all", "iterable", all, hostOnly},
    {"any", "iterable", any, hostOnly},
    {"enumerate", "iterable, start=", enumerate, hostOnly},
    {"zip", "*iterables, strict=", zip, hostOnly},
    {"reversed", "sequence", reversed, hostOnly},
    {"sorted", "iterable, *, key=, reverse=", sorted, hostOnly},
    {"callable", "object", isCallable, hostOnly},
    // What an operator's method returns to pass; never called.
    {"NotImplemented", "", notCallable, hostOnly},
};

} // namespace

const Intrinsic *findPythonBuiltin(llvm::StringRef name) {
  for (const Intrinsic &builtin : builtins)
    if (builtin.name == name)
      return &builtin;
  return nullptr;
}

} // namespace gluonc::sema
