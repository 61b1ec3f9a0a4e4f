// What compile-time code uses of Python's own modules.

#include "sema/names/Language.h"

#include "sema/names/ProgramState.h"

namespace gluonc::sema {

using diag::Kind;

namespace {

MaybeValue bad(Interpreter &interpreter, const IntrinsicCall &call, size_t i,
               const std::string &expected) {
  interpreter
      .report(Kind::BadArgument, call.arguments.span(i),
              "`" + call.self.name.str() + "` expects " + expected + ", not " + call[i].typeName())
      .end();
  return std::nullopt;
}

// -- copy ------------------------------------------------------------------------------

/// Lists and dicts are the only payloads that a copy could tell from the original.
Value deepCopy(const Value &value) {
  Descent descent;
  if (descent.mustEnd())
    return value;
  switch (value.kind()) {
  case ValueKind::Tuple:
  case ValueKind::List: {
    std::vector<Value> items;
    for (const Value &item : value.items())
      items.push_back(deepCopy(item));
    return value.is(ValueKind::List) ? Value::list(std::move(items))
                                     : Value::tuple(std::move(items), value.fieldNames().vec());
  }
  case ValueKind::Dict: {
    std::vector<std::pair<Value, Value>> items;
    for (const auto &[key, item] : value.dictItems())
      items.emplace_back(key, deepCopy(item));
    return Value::dict(std::move(items));
  }
  default:
    return value;
  }
}

MaybeValue deepCopyOf(Interpreter &, const IntrinsicCall &call) { return deepCopy(call[0]); }

MaybeValue copyOf(Interpreter &, const IntrinsicCall &call) {
  const Value &value = call[0];
  if (value.is(ValueKind::List))
    return Value::list(value.items().vec());
  if (value.is(ValueKind::Set))
    return Value::set(value.items());
  if (value.is(ValueKind::Dict))
    return Value::dict(value.dictItems());
  return value;
}

// -- functools, itertools ----------------------------------------------------------------

/// Performed by Interpreter::callPartial, which sees all keywords.
MaybeValue partial(Interpreter &, const IntrinsicCall &call) { return Value::builtin(&call.self); }

MaybeValue reduce(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[1], call.arguments.span(1));
  if (!items)
    return std::nullopt;
  size_t next = call.has(2) ? 0 : 1;
  if (items->size() < next)
    return bad(interpreter, call, 1, "at least one item");
  Value result = call.has(2) ? call[2] : items->front();
  for (; next < items->size(); ++next) {
    CallArguments pair;
    pair.span = call.span;
    pair.add(result, call.span);
    pair.add((*items)[next], call.span);
    MaybeValue combined = interpreter.call(call[0], pair);
    if (!combined)
      return std::nullopt;
    result = *combined;
  }
  return result;
}

MaybeValue product(Interpreter &interpreter, const IntrinsicCall &call) {
  std::vector<std::vector<Value>> rows{{}};
  int64_t repeat = call.has(1) ? call[1].asInt64().value_or(1) : 1;
  if (call[0].items().empty())
    repeat = 0;
  for (int64_t round = 0; round < repeat && !rows.empty(); ++round)
    for (const Value &iterable : call[0].items()) {
      std::optional<std::vector<Value>> items = interpreter.iterate(iterable, call.span);
      if (!items)
        return std::nullopt;
      std::vector<std::vector<Value>> longer;
      for (const std::vector<Value> &row : rows)
        for (const Value &item : *items) {
          if (!interpreter.step(call.span))
            return std::nullopt;
          spend(row.size() * sizeof(Value));
          longer.push_back(row);
          longer.back().push_back(item);
        }
      rows = std::move(longer);
    }
  std::vector<Value> tuples;
  for (std::vector<Value> &row : rows)
    tuples.push_back(Value::tuple(std::move(row)));
  return Value::list(std::move(tuples));
}

MaybeValue chain(Interpreter &interpreter, const IntrinsicCall &call) {
  std::vector<Value> all;
  for (const Value &iterable : call[0].items()) {
    std::optional<std::vector<Value>> items = interpreter.iterate(iterable, call.span);
    if (!items || !interpreter.step(call.span))
      return std::nullopt;
    all.insert(all.end(), items->begin(), items->end());
  }
  return Value::list(std::move(all));
}

MaybeValue accumulate(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.arguments.span(0));
  if (!items)
    return std::nullopt;
  for (size_t i = 1; i < items->size(); ++i) {
    MaybeValue sum;
    if (call.has(1)) {
      CallArguments pair;
      pair.span = call.span;
      pair.add((*items)[i - 1], call.span);
      pair.add((*items)[i], call.span);
      sum = interpreter.call(call[1], pair);
    } else
      sum = interpreter.binary(ast::Operator::Add, (*items)[i - 1], (*items)[i], call.span,
                               call.span, call.span);
    if (!sum)
      return std::nullopt;
    (*items)[i] = *sum;
  }
  return Value::list(std::move(*items));
}

// -- collections -------------------------------------------------------------------------

/// `namedtuple("P", ["x", "y"])`, `namedtuple("P", "x y")`; `NamedTuple("P", [("x", int), …])`.
MaybeValue namedTuple(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].is(ValueKind::String))
    return bad(interpreter, call, 0, "the name of the class");
  std::vector<Value> names;
  if (call[1].is(ValueKind::String)) {
    std::string text = call[1].asString().str();
    std::replace(text.begin(), text.end(), ',', ' ');
    llvm::SmallVector<llvm::StringRef, 8> pieces;
    llvm::SplitString(text, pieces);
    for (llvm::StringRef piece : pieces)
      names.push_back(Value::string(piece.str()));
  } else if (auto items = interpreter.iterate(call[1], call.arguments.span(1)))
    names = std::move(*items);
  else
    return std::nullopt;
  auto cls = std::make_shared<Class>();
  cls->kind = ClassKind::NamedTuple;
  cls->name = call[0].asString().str();
  cls->module = interpreter.frame().module;
  cls->span = call.span;
  for (const Value &entry : names) {
    bool isPair = entry.is(ValueKind::Tuple) && !entry.items().empty();
    const Value &name = isPair ? entry.items()[0] : entry;
    if (!name.is(ValueKind::String))
      return bad(interpreter, call, 1, "names of fields");
    llvm::StringRef kept = interpreter.program.state().names.insert(name.asString()).first->first();
    cls->fields.push_back({kept, call.span});
  }
  if (call.has(2) && !call[2].isNone()) {
    std::optional<std::vector<Value>> defaults = interpreter.iterate(call[2], call.span);
    if (!defaults || defaults->size() > cls->fields.size())
      return bad(interpreter, call, 2, "at most one value for each field");
    size_t first = cls->fields.size() - defaults->size();
    for (size_t i = 0; i < defaults->size(); ++i)
      cls->fields[first + i].constant = (*defaults)[i];
  }
  return Value::classValue(std::move(cls));
}

// -- dataclasses -------------------------------------------------------------------------

/// The class itself: how the fields of a class are found does not depend on the decorator.
MaybeValue dataclass(Interpreter &, const IntrinsicCall &call) {
  return call.has(0) ? call[0] : Value::builtin(&call.self);
}

// -- os ----------------------------------------------------------------------------------

/// Kernel files get no environment: every variable has its default.
MaybeValue environmentVariable(Interpreter &, const IntrinsicCall &call) {
  return call.has(1) ? call[1] : Value::none();
}

const Intrinsic functions[] = {
    {"copy.copy", "x", copyOf},
    {"copy.deepcopy", "x, memo=", deepCopyOf},
    {"functools.partial", "...", partial},
    // What a partial object calls, bound to what is known already.
    {"functools.partial()", "...", partial},
    {"functools.reduce", "function, iterable, initial=", reduce},
    {"os.getenv", "key, default=", environmentVariable},
    {"os.environ.get", "key, default=", environmentVariable},
    {"itertools.product", "*iterables, repeat=", product},
    {"itertools.chain", "*iterables", chain},
    {"itertools.accumulate", "iterable, func=", accumulate},
    {"collections.namedtuple", "typename, field_names, defaults=, rename=, module=", namedTuple},
    {"typing.NamedTuple", "typename, fields, defaults=", namedTuple},
    {"dataclasses.dataclass",
     "cls=, *, frozen=, slots=, eq=, order=, repr=, kw_only=, unsafe_hash=", dataclass},
    // Takes any keywords: performed by Interpreter::replaceFields.
    {"dataclasses.replace", "...", dataclass},
};

} // namespace

const Intrinsic *findHostFunction(llvm::StringRef path) {
  for (const Intrinsic &function : functions)
    if (function.name == path)
      return &function;
  return nullptr;
}

} // namespace gluonc::sema
