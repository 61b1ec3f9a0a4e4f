// Python's builtin functions and `math`, on compile-time values.

#include "sema/Language.h"

#include "ir/Dialects.h"
#include "sema/Arithmetic.h"
#include "sema/Format.h"

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
  case ValueKind::Range: {
    std::optional<std::vector<Value>> items = interpreter.iterate(value, call.span);
    return items ? MaybeValue(Value::integer(int64_t(items->size()))) : std::nullopt;
  }
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

MaybeValue range(Interpreter &, const IntrinsicCall &call) {
  bool single = !call.has(1);
  return Value::range(single ? Value::integer(0) : call[0], single ? call[0] : call[1],
                      call.has(2) ? call[2] : Value::integer(1));
}

/// `int("ff", 16)`.
MaybeValue parseInt(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> base = call[1].asInt64();
  if (!call[0].is(ValueKind::String) || !base || *base < 0 || *base == 1 || *base > 36)
    return fail(interpreter, call, 0, "digits and a base");
  std::string text = call[0].asString().trim().lower();
  llvm::StringRef digits(text);
  bool negative = digits.consume_front("-");
  for (auto [prefix, radix] : {std::pair("0x", 16), std::pair("0o", 8), std::pair("0b", 2)})
    if ((*base == radix || *base == 0) && digits.consume_front(prefix))
      base = radix;
  int64_t parsed;
  if (digits.getAsInteger(*base ? unsigned(*base) : 10, parsed))
    return fail(interpreter, call, 0, "digits of this base");
  return Value::integer(negative ? -parsed : parsed);
}

MaybeValue toInt(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call.has(0))
    return Value::integer(0);
  if (call.has(1))
    return parseInt(interpreter, call);
  const Value &value = call[0];
  if (value.is(ValueKind::Int) || value.is(ValueKind::Bool))
    return Value::integer(value.asApInt());
  if (value.is(ValueKind::Float)) {
    double number = std::trunc(value.asDouble());
    if (std::fabs(number) < 9.2e18)
      return Value::integer(int64_t(number));
    return fail(interpreter, call, 0, "a float of moderate size");
  }
  int64_t parsed;
  if (value.is(ValueKind::String) && !value.asString().trim().getAsInteger(10, parsed))
    return Value::integer(parsed);
  return fail(interpreter, call, 0, "a compile-time number");
}

MaybeValue toFloat(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call.has(0))
    return Value::real(0);
  if (call[0].isNumber())
    return Value::real(call[0].asDouble());
  if (call[0].is(ValueKind::String)) {
    std::string text = call[0].asString().trim().lower();
    llvm::StringRef digits(text);
    bool negative = digits.consume_front("-");
    if (!negative)
      digits.consume_front("+");
    double number;
    if (digits == "inf" || digits == "infinity")
      return Value::real(negative ? -INFINITY : INFINITY);
    if (digits == "nan")
      return Value::real(NAN);
    if (!digits.getAsDouble(number))
      return Value::real(negative ? -number : number);
  }
  return fail(interpreter, call, 0, "a compile-time number");
}

MaybeValue toBool(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call.has(0))
    return Value::boolean(false);
  std::optional<bool> holds = interpreter.truth(call[0], call.arguments.span(0));
  return holds ? MaybeValue(Value::boolean(*holds)) : std::nullopt;
}

MaybeValue toStr(Interpreter &, const IntrinsicCall &call) {
  return Value::string(call.has(0) ? call[0].str() : "");
}

MaybeValue toRepr(Interpreter &, const IntrinsicCall &call) {
  return Value::string(call[0].repr());
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

MaybeValue power(Interpreter &interpreter, const IntrinsicCall &call) {
  MaybeValue result = interpreter.binary(ast::Operator::Pow, call[0], call[1], call.span,
                                         call.arguments.span(0), call.arguments.span(1));
  if (!result || !call.has(2))
    return result;
  return interpreter.binary(ast::Operator::Mod, *result, call[2], call.span, call.span,
                            call.arguments.span(2));
}

/// To even at a tie, as Python does.
MaybeValue roundNumber(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber())
    return fail(interpreter, call, 0, "a number");
  if (!call[0].is(ValueKind::Float))
    return call[0];
  double number = call[0].asDouble();
  if (!call.has(1) || call[1].isNone()) {
    double rounded = std::nearbyint(number);
    return std::fabs(rounded) < 9e18 ? MaybeValue(Value::integer(int64_t(rounded)))
                                     : fail(interpreter, call, 0, "a number of moderate size");
  }
  // Through the decimal text, which is what makes round(2.675, 2) come out as in Python.
  int digits = int(std::clamp<int64_t>(call[1].asInt64().value_or(0), 0, 30));
  char text[400];
  if (std::fabs(number) > 1e60)
    return call[0];
  snprintf(text, sizeof text, "%.*f", digits, number);
  return Value::real(strtod(text, nullptr));
}

MaybeValue codePoint(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].is(ValueKind::String) || call[0].asString().size() != 1)
    return fail(interpreter, call, 0, "one ASCII character");
  return Value::integer(uint8_t(call[0].asString()[0]));
}

MaybeValue character(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> code = call[0].asInt64();
  if (!code || *code < 0 || *code > 127)
    return fail(interpreter, call, 0, "the code of an ASCII character");
  return Value::string(std::string(1, char(*code)));
}

MaybeValue inRadix(Interpreter &interpreter, const IntrinsicCall &call) {
  llvm::StringRef spec = call.self.name == "hex" ? "#x" : call.self.name == "oct" ? "#o" : "#b";
  if (!call[0].is(ValueKind::Int) && !call[0].is(ValueKind::Bool))
    return fail(interpreter, call, 0, "an int");
  return Value::string(*formatWith(Value::integer(call[0].asApInt()), spec));
}

MaybeValue formatted(Interpreter &interpreter, const IntrinsicCall &call) {
  std::string spec = call.has(1) ? call[1].str() : "";
  std::optional<std::string> text = formatWith(call[0], spec);
  return text ? MaybeValue(Value::string(std::move(*text)))
              : fail(interpreter, call, 0, "a value that the format fits");
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
  int64_t next = call.has(1) ? call[1].asInt64().value_or(0) : 0;
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
  for (const Value &item : *items)
    if (!applyCompare(ast::CompareOperator::Lt, items->front(), item))
      return fail(interpreter, call, 0, "items that can be ordered");
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
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto &a, const auto &b) {
    return applyCompare(ast::CompareOperator::Lt, a.first, b.first).value_or(false);
  });
  if (call.has(2) && truthOf(call[2]).value_or(false))
    std::reverse(keyed.begin(), keyed.end());
  for (size_t i = 0; i < keyed.size(); ++i)
    (*items)[i] = keyed[i].second;
  return Value::list(std::move(*items));
}

} // namespace

static llvm::StringRef descriptorName(mlir::Type type) {
  return ttng::descriptorOf(type).im2col ? "tensor_descriptor_im2col" : "tensor_descriptor";
}

/// Whether `x.type`, for a value of this type, is of the class `name`.
static bool isInstanceOfType(mlir::Type type, llvm::StringRef name) {
  if (ttng::descriptorOf(type))
    return name.consume_back("_type") && name == descriptorName(type);
  return name == "dtype" ||
         name == (llvm::isa<mlir::RankedTensorType>(type) ? "distributed_type"
                                                          : "shared_memory_descriptor_type");
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
    return name == "dtype" || name == "constexpr";
  case ValueKind::BlockType:
    return isInstanceOfType(value.irType(), name);
  case ValueKind::Tensor:
    return name == "tensor";
  case ValueKind::MemDesc:
    return name == "shared_memory_descriptor";
  case ValueKind::Accumulator:
    return name == "warpgroup_mma_accumulator";
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
