// Subscripts: tuples and strings at compile time, `x[:, None]` on tensors.

#include "sema/eval/Expressions.h"

#include "sema/names/Language.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Text.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

/// Python's resolution of a slice against a length.
struct SliceRange {
  int64_t start, stop, step, count;
};

static std::optional<SliceRange> resolve(const Value &slice, int64_t length) {
  llvm::ArrayRef<Value> parts = slice.bounds();
  for (const Value &part : parts)
    if (!part.isNone() && !part.asInt64())
      return std::nullopt;
  int64_t step = parts[2].isNone() ? 1 : *parts[2].asInt64();
  if (step == 0)
    return std::nullopt;
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? length : length - 1;
  auto clamp = [&](const Value &part, int64_t missing) {
    if (part.isNone())
      return missing;
    int64_t index = *part.asInt64();
    if (index < 0)
      index = index < -length ? low : index + length;
    return std::clamp(index, low, high);
  };
  int64_t start = clamp(parts[0], step > 0 ? low : high);
  int64_t stop = clamp(parts[1], step > 0 ? high : low);
  int64_t distance = step > 0 ? stop - start : start - stop;
  uint64_t stride = step > 0 ? uint64_t(step) : -uint64_t(step);
  int64_t count = distance > 0 ? int64_t((uint64_t(distance) - 1) / stride + 1) : 0;
  return SliceRange{start, stop, step, count};
}

static Value sliced(const Value &object, const SliceRange &range) {
  if (object.is(ValueKind::Range)) {
    RangeBounds bounds = *RangeBounds::of(object);
    return Value::range(Value::integer(bounds.at(uint64_t(range.start))),
                        Value::integer(bounds.at(uint64_t(range.stop))),
                        Value::integer(int64_t(uint64_t(bounds.step) * uint64_t(range.step))));
  }
  if (object.is(ValueKind::String)) {
    llvm::SmallVector<llvm::StringRef> characters = charactersOf(object.asString());
    std::string text;
    for (int64_t i = 0; i < range.count; ++i)
      text += characters[size_t(range.start + i * range.step)];
    return Value::string(std::move(text));
  }
  std::vector<Value> items;
  for (int64_t i = 0; i < range.count; ++i)
    items.push_back(object.items()[size_t(range.start + i * range.step)]);
  return object.is(ValueKind::List) ? Value::list(std::move(items))
                                    : Value::tuple(std::move(items));
}

/// How many items an index counts; nullopt for what has none.
static std::optional<int64_t> indexedLength(const Value &object) {
  switch (object.kind()) {
  case ValueKind::String:
    return int64_t(lengthOf(object.asString()));
  case ValueKind::Range:
    if (std::optional<RangeBounds> bounds = RangeBounds::of(object);
        bounds && bounds->count <= INT64_MAX)
      return int64_t(bounds->count);
    return std::nullopt;
  case ValueKind::Tuple:
  case ValueKind::List:
    return int64_t(object.items().size());
  default:
    return std::nullopt;
  }
}

static Value itemAt(const Value &object, size_t at) {
  if (object.is(ValueKind::Range))
    return Value::integer(RangeBounds::of(object)->at(at));
  if (!object.is(ValueKind::String))
    return object.items()[at];
  llvm::StringRef text = object.asString();
  spend(text.size());
  return Value::string(prefixOf(text.drop_front(prefixOf(text, at).size()), 1).str());
}

bool assignSlice(Interpreter &interpreter, const Value &list, const Value &slice,
                 const Value &value, Span span) {
  auto &items = list.listItems();
  std::optional<std::vector<Value>> given = interpreter.iterate(value, span);
  std::optional<SliceRange> range = resolve(slice, int64_t(items.size()));
  if (!given)
    return false;
  if (!range || (range->step != 1 && int64_t(given->size()) != range->count)) {
    interpreter.report(Kind::BadIndex, span, "the slice takes another number of items").end();
    return false;
  }
  if (range->step != 1) {
    for (int64_t i = 0; i < range->count; ++i)
      items[size_t(range->start + i * range->step)] = (*given)[size_t(i)];
    return true;
  }
  spend(given->size() * sizeof(Value) + items.size());
  auto first = items.begin() + range->start;
  first = items.erase(first, first + range->count);
  items.insert(first, given->begin(), given->end());
  return true;
}

MaybeValue Interpreter::subscript(const Value &object, const Value &index, Span span) {
  if (object.is(ValueKind::Opaque)) {
    if (frame().isModuleScope)
      return Value::opaque(std::string(span.text()));
    report(Kind::HostValue, span, object.asString()).end();
    return std::nullopt;
  }
  if (object.is(ValueKind::Dict)) {
    for (const auto &item : object.dictItems())
      if (item.first == index)
        return item.second;
    report(Kind::MissingKey, span, index.repr()).end();
    return std::nullopt;
  }
  if (object.is(ValueKind::Instance))
    if (std::optional<MaybeValue> item = callOperator(*this, object, "__getitem__", index, span))
      return *item;
  std::optional<int64_t> length = indexedLength(object);
  if (!length) {
    report(Kind::BadIndex, span, "a " + object.typeName() + " cannot be indexed").end();
    return std::nullopt;
  }
  if (index.is(ValueKind::Slice)) {
    if (std::optional<SliceRange> range = resolve(index, *length))
      return sliced(object, *range);
    report(Kind::BadIndex, span, "slice bounds must be compile-time integers, the step not zero")
        .end();
    return std::nullopt;
  }
  if (index.isIr()) {
    report(Kind::ConstexprRequired, span, "the index of a " + kindName(object.kind()).str(),
           index.typeName())
        .hint("loop with `gl.static_range` to get compile-time indices");
    return std::nullopt;
  }
  std::optional<int64_t> position = index.asInt64();
  if (!position) {
    report(Kind::BadIndex, span, "a " + index.typeName() + " is not an index").end();
    return std::nullopt;
  }
  if (*position < -*length || *position >= *length) {
    report(Kind::IndexOutOfRange, span, *position, *length).end();
    return std::nullopt;
  }
  return itemAt(object, size_t(*position < 0 ? *position + *length : *position));
}

std::optional<bool> Expressions::namesNoBounds(const ast::Slice &range) {
  for (const ast::Expr *bound : {range.lower, range.upper, range.step}) {
    MaybeValue value = bound ? eval(bound) : Value::none();
    if (!value)
      return std::nullopt;
    if (!value->isNone())
      return false;
  }
  return true;
}

MaybeValue Expressions::evalTensorSubscript(const Value &object, const ast::Expr *slice,
                                            Span span) {
  llvm::SmallVector<const ast::Expr *, 4> entries{slice};
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(slice))
    entries.assign(tuple->elts.begin(), tuple->elts.end());
  llvm::SmallVector<bool, 4> isNewAxis;
  for (const ast::Expr *entry : entries) {
    const auto *range = llvm::dyn_cast<ast::Slice>(entry);
    if (range) {
      std::optional<bool> isWhole = namesNoBounds(*range);
      if (!isWhole)
        return std::nullopt;
      if (*isWhole) {
        isNewAxis.push_back(false);
        continue;
      }
    }
    MaybeValue value = range ? Value::slice({}, {}, {}) : eval(entry);
    if (!value)
      return std::nullopt;
    if (!value->isNone()) {
      report(Kind::BadIndex, entry->span, "tensors are indexed with `:` and `None` only")
          .hint("load single elements through pointers, or use `gl.gather`");
      return std::nullopt;
    }
    isNewAxis.push_back(true);
  }
  context->span = span;
  return ops::subscript(*context, object, isNewAxis);
}

MaybeValue Expressions::evalSubscript(const ast::Subscript &node) {
  MaybeValue object = eval(node.value);
  if (!object)
    return std::nullopt;
  if (object->isTensor() && context)
    return evalTensorSubscript(*object, node.slice, node.span);
  MaybeValue index = eval(node.slice);
  if (!index)
    return std::nullopt;
  MaybeValue item = subscript(*object, *index, node.span);
  return item && object->isWrapped() ? item->asWrapped() : item;
}

} // namespace gluonc::sema
