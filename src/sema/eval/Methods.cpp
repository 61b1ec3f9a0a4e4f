// Methods of compile-time values; the object is the first argument.

#include "sema/names/Language.h"

#include "sema/value/Arithmetic.h"
#include "sema/value/Format.h"
#include "sema/value/Text.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::sema {

using diag::Kind;

namespace {

MaybeValue bad(Interpreter &interpreter, const IntrinsicCall &call, const llvm::Twine &what) {
  interpreter.report(Kind::BadArgument, call.span, what.str()).end();
  return std::nullopt;
}

MaybeValue bitLength(Interpreter &, const IntrinsicCall &call) {
  llvm::APInt value = call[0].asApInt();
  value = value.sext(value.getBitWidth() + 1).abs();
  return Value::integer(value.getActiveBits());
}

MaybeValue bitCount(Interpreter &, const IntrinsicCall &call) {
  llvm::APInt value = call[0].asApInt();
  return Value::integer(value.sext(value.getBitWidth() + 1).abs().popcount());
}

MaybeValue join(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[1], call.span);
  if (!items)
    return std::nullopt;
  std::string text;
  for (const Value &item : *items) {
    if (!item.is(ValueKind::String))
      return bad(interpreter, call, "`join` expects strings, not " + item.typeName());
    if (!text.empty() || &item != &items->front())
      text += call[0].asString();
    text += item.asString();
    if (int64_t(text.size()) > maxSequenceLength)
      return bad(interpreter, call, "string too long");
  }
  return Value::string(std::move(text));
}

MaybeValue split(Interpreter &interpreter, const IntrinsicCall &call) {
  std::vector<Value> parts;
  llvm::SmallVector<llvm::StringRef> pieces;
  bool atBlanks = !call.has(1) || call[1].isNone();
  if (!atBlanks && (!call[1].is(ValueKind::String) || call[1].asString().empty()))
    return bad(interpreter, call, "`split` expects a string that is not empty");
  if (atBlanks)
    pieces = wordsOf(call[0].asString());
  else
    call[0].asString().split(pieces, call[1].asString());
  for (llvm::StringRef piece : pieces)
    parts.push_back(Value::string(piece.str()));
  return Value::list(std::move(parts));
}

/// `startswith`, `endswith`: of one string, or of any in a tuple.
MaybeValue hasAffix(Interpreter &interpreter, const IntrinsicCall &call,
                    bool (llvm::StringRef::*test)(llvm::StringRef) const) {
  llvm::ArrayRef<Value> choices(call[1]);
  if (call[1].is(ValueKind::Tuple))
    choices = call[1].items();
  bool holds = false;
  for (const Value &choice : choices) {
    if (!choice.is(ValueKind::String))
      return bad(interpreter, call,
                 "`" + call.self.name + "` expects a string or a tuple of them, not " +
                     call[1].typeName());
    holds |= (call[0].asString().*test)(choice.asString());
  }
  return Value::boolean(holds);
}
MaybeValue startsWith(Interpreter &interpreter, const IntrinsicCall &call) {
  return hasAffix(interpreter, call, &llvm::StringRef::starts_with);
}
MaybeValue endsWith(Interpreter &interpreter, const IntrinsicCall &call) {
  return hasAffix(interpreter, call, &llvm::StringRef::ends_with);
}

/// Letters beyond ASCII have case, too, but there is no table of it here.
template <typename Function>
MaybeValue withCase(Interpreter &interpreter, const IntrinsicCall &call, Function change) {
  if (!isAscii(call[0].asString()))
    return bad(interpreter, call, "`" + call.self.name + "` expects ASCII text");
  return Value::string(change(call[0].asString()));
}
MaybeValue lower(Interpreter &interpreter, const IntrinsicCall &call) {
  return withCase(interpreter, call, [](llvm::StringRef text) { return text.lower(); });
}
MaybeValue upper(Interpreter &interpreter, const IntrinsicCall &call) {
  return withCase(interpreter, call, [](llvm::StringRef text) { return text.upper(); });
}

/// `strip`, `lstrip`, `rstrip`.
MaybeValue strip(Interpreter &interpreter, const IntrinsicCall &call) {
  bool atBlanks = !call.has(1) || call[1].isNone();
  if (!atBlanks && !call[1].is(ValueKind::String))
    return bad(interpreter, call, "`" + call.self.name + "` expects a string");
  auto drops = [&](llvm::StringRef character) {
    return atBlanks ? isBlank(codePointOf(character)) : call[1].asString().contains(character);
  };
  llvm::StringRef text = call[0].asString();
  spend(text.size() * visitCost);
  if (call.self.name != "rstrip")
    text = trimmedLeft(text, drops);
  if (call.self.name != "lstrip")
    text = trimmedRight(text, drops);
  return Value::string(text.str());
}

MaybeValue replaceText(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[1].is(ValueKind::String) || !call[2].is(ValueKind::String) ||
      call[1].asString().empty())
    return bad(interpreter, call, "`replace` expects two strings, the first not empty");
  std::string text;
  llvm::StringRef rest = call[0].asString();
  for (size_t at = rest.find(call[1].asString()); at != llvm::StringRef::npos;
       at = rest.find(call[1].asString())) {
    text += rest.take_front(at);
    text += call[2].asString();
    rest = rest.drop_front(at + call[1].asString().size());
    if (int64_t(text.size()) > maxSequenceLength)
      return bad(interpreter, call, "string too long");
  }
  return Value::string(text + rest.str());
}

MaybeValue findText(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[1].is(ValueKind::String))
    return bad(interpreter, call, "`find` expects a string");
  llvm::StringRef text = call[0].asString();
  spend(text.size());
  size_t at = text.find(call[1].asString());
  return Value::integer(at == llvm::StringRef::npos ? -1 : int64_t(lengthOf(text.take_front(at))));
}

MaybeValue countText(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[1].is(ValueKind::String))
    return bad(interpreter, call, "`count` expects a string");
  if (call[1].asString().empty())
    return Value::integer(int64_t(lengthOf(call[0].asString())) + 1);
  return Value::integer(int64_t(call[0].asString().count(call[1].asString())));
}

/// `rjust`, `ljust`, `center`.
MaybeValue justify(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> width = call[1].asInt64();
  std::string fill = call.has(2) ? call[2].str() : " ";
  if (!width || *width > int64_t(maxFormatWidth) || lengthOf(fill) != 1)
    return bad(interpreter, call, "a width is an int of moderate size, a fill one character");
  size_t wanted = size_t(std::max<int64_t>(*width, 0));
  size_t missing = missingWidth(call[0].asString(), wanted);
  // An odd blank goes to the left of text of odd length.
  size_t left = call.self.name == "ljust"   ? 0
                : call.self.name == "rjust" ? missing
                                            : missing / 2 + (missing & wanted & 1);
  std::string text;
  for (size_t i = 0; i < left; ++i)
    text += fill;
  text += call[0].asString();
  for (size_t i = left; i < missing; ++i)
    text += fill;
  return Value::string(std::move(text));
}

MaybeValue title(Interpreter &interpreter, const IntrinsicCall &call) {
  return withCase(interpreter, call, [](llvm::StringRef given) {
    std::string text = given.lower();
    bool starts = true;
    for (char &c : text) {
      c = starts ? llvm::toUpper(c) : c;
      starts = !llvm::isAlpha(c);
    }
    return text;
  });
}

MaybeValue removePrefix(Interpreter &, const IntrinsicCall &call) {
  llvm::StringRef text = call[0].asString();
  if (call[1].is(ValueKind::String))
    (void)text.consume_front(call[1].asString());
  return Value::string(text.str());
}

MaybeValue removeSuffix(Interpreter &, const IntrinsicCall &call) {
  llvm::StringRef text = call[0].asString();
  if (call[1].is(ValueKind::String))
    (void)text.consume_back(call[1].asString());
  return Value::string(text.str());
}

MaybeValue isDigits(Interpreter &, const IntrinsicCall &call) {
  llvm::StringRef text = call[0].asString();
  return Value::boolean(!text.empty() && llvm::all_of(text, llvm::isDigit));
}

/// Performed by Interpreter::callFormat, which sees all keywords.
MaybeValue formatText(Interpreter &, const IntrinsicCall &call) {
  return Value::builtin(&call.self);
}

MaybeValue sortInPlace(Interpreter &interpreter, const IntrinsicCall &call) {
  CallArguments arguments;
  arguments.span = call.span;
  arguments.add(call[0], call.span);
  for (auto [i, name] : {std::pair(1, "key"), std::pair(2, "reverse")})
    if (call.has(size_t(i)))
      arguments.keywords.push_back({name, call[size_t(i)], call.span});
  MaybeValue sorted = interpreter.call(Value::builtin(findPythonBuiltin("sorted")), arguments);
  if (!sorted)
    return std::nullopt;
  call[0].listItems() = sorted->items().vec();
  return Value::none();
}

MaybeValue removeItem(Interpreter &interpreter, const IntrinsicCall &call) {
  auto &items = call[0].listItems();
  auto found = llvm::find(items, call[1]);
  if (found == items.end())
    return bad(interpreter, call, call[1].repr() + " is not in the sequence");
  items.erase(found);
  return Value::none();
}

MaybeValue clearItems(Interpreter &, const IntrinsicCall &call) {
  call[0].listItems().clear();
  return Value::none();
}

MaybeValue append(Interpreter &interpreter, const IntrinsicCall &call) {
  return extendList(interpreter, call[0], call[1], call.span) ? MaybeValue(Value::none())
                                                              : std::nullopt;
}

MaybeValue extend(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> added = interpreter.iterate(call[1], call.span);
  return added && extendList(interpreter, call[0], *added, call.span) ? MaybeValue(Value::none())
                                                                      : std::nullopt;
}

MaybeValue insert(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> index = call[1].asInt64();
  if (!index)
    return bad(interpreter, call, "`insert` expects an int as index");
  if (holdsPayload(call[2], call[0].rawPayload()))
    return bad(interpreter, call, "a list cannot hold itself");
  auto &items = call[0].listItems();
  int64_t size = int64_t(items.size());
  if (size >= maxSequenceLength)
    return bad(interpreter, call, "list too long");
  int64_t at = std::clamp<int64_t>(*index < 0 ? *index + size : *index, 0, size);
  spend(sizeof(Value) + uint64_t(size - at));
  items.insert(items.begin() + at, call[2]);
  return Value::none();
}

MaybeValue pop(Interpreter &interpreter, const IntrinsicCall &call) {
  auto &items = call[0].listItems();
  int64_t size = int64_t(items.size());
  int64_t at = call.has(1) ? call[1].asInt64().value_or(size) : -1;
  if (at < 0)
    at += size;
  if (at < 0 || at >= size)
    return bad(interpreter, call, "`pop` from an index that the list does not have");
  spend(uint64_t(size - at));
  Value item = items[size_t(at)];
  items.erase(items.begin() + at);
  return item;
}

MaybeValue reverse(Interpreter &, const IntrinsicCall &call) {
  auto &items = call[0].listItems();
  std::reverse(items.begin(), items.end());
  return Value::none();
}

MaybeValue copy(Interpreter &, const IntrinsicCall &call) {
  return Value::list(std::vector<Value>(call[0].items()));
}

MaybeValue copySet(Interpreter &, const IntrinsicCall &call) { return Value::set(call[0].items()); }

MaybeValue index(Interpreter &interpreter, const IntrinsicCall &call) {
  llvm::ArrayRef<Value> items = call[0].items();
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i] == call[1])
      return Value::integer(int64_t(i));
  return bad(interpreter, call, call[1].repr() + " is not in the sequence");
}

MaybeValue count(Interpreter &, const IntrinsicCall &call) {
  return Value::integer(llvm::count(call[0].items(), call[1]));
}

MaybeValue dictGet(Interpreter &, const IntrinsicCall &call) {
  for (const auto &[key, value] : call[0].dictItems())
    if (key == call[1])
      return value;
  return call.has(2) ? call[2] : Value::none();
}

MaybeValue dictParts(const IntrinsicCall &call, bool keys, bool values) {
  std::vector<Value> parts;
  for (const auto &[key, value] : call[0].dictItems())
    parts.push_back(keys && values ? Value::tuple({key, value}) : keys ? key : value);
  return Value::list(std::move(parts));
}
MaybeValue dictKeys(Interpreter &, const IntrinsicCall &call) {
  return dictParts(call, true, false);
}
MaybeValue dictValues(Interpreter &, const IntrinsicCall &call) {
  return dictParts(call, false, true);
}
MaybeValue dictItems(Interpreter &, const IntrinsicCall &call) {
  return dictParts(call, true, true);
}

MaybeValue dictUpdate(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[1].is(ValueKind::Dict))
    return bad(interpreter, call, "`update` expects a dict");
  for (const auto &[key, value] : std::vector(call[1].dictItems())) {
    if (holdsPayload(value, call[0].rawPayload()))
      return bad(interpreter, call, "a dict cannot hold itself");
    setDictItem(call[0], key, value);
  }
  return Value::none();
}

MaybeValue dictSetDefault(Interpreter &interpreter, const IntrinsicCall &call) {
  for (const auto &[key, value] : call[0].dictItems())
    if (key == call[1])
      return value;
  Value value = call.has(2) ? call[2] : Value::none();
  if (holdsPayload(value, call[0].rawPayload()))
    return bad(interpreter, call, "a dict cannot hold itself");
  setDictItem(call[0], call[1], value);
  return value;
}

MaybeValue dictPop(Interpreter &interpreter, const IntrinsicCall &call) {
  auto &items = call[0].dictItems();
  for (auto it = items.begin(); it != items.end(); ++it)
    if (it->first == call[1]) {
      Value value = it->second;
      items.erase(it);
      return value;
    }
  if (call.has(2))
    return call[2];
  interpreter.report(Kind::MissingKey, call.span, call[1].repr()).end();
  return std::nullopt;
}

MaybeValue setAdd(Interpreter &, const IntrinsicCall &call) {
  auto &items = call[0].listItems();
  spend(sizeof(Value));
  if (!llvm::is_contained(items, call[1]))
    items.push_back(call[1]);
  return Value::none();
}

MaybeValue setDiscard(Interpreter &, const IntrinsicCall &call) {
  llvm::erase(call[0].listItems(), call[1]);
  return Value::none();
}

/// `p._replace(x=…)` is performed where all keywords are seen.
MaybeValue tupleReplace(Interpreter &, const IntrinsicCall &call) { return call[0]; }

template <bool (DType::*Predicate)() const>
MaybeValue dtypeIs(Interpreter &, const IntrinsicCall &call) {
  return Value::boolean((call[0].dtype().*Predicate)());
}

template <ScalarKind Kind> MaybeValue dtypeIsKind(Interpreter &, const IntrinsicCall &call) {
  return Value::boolean(call[0].dtype() == DType(Kind));
}

MaybeValue isBlock(Interpreter &, const IntrinsicCall &call) {
  return Value::boolean(call[0].is(ValueKind::BlockType));
}

MaybeValue blockShapes(Interpreter &interpreter, const IntrinsicCall &call) {
  return interpreter.attribute(call[0], "shape", call.span);
}

const Intrinsic intMethods[] = {{"bit_length", "self", bitLength}, {"bit_count", "self", bitCount}};
const Intrinsic stringMethods[] = {{"join", "self, iterable", join},
                                   {"split", "self, sep=", split},
                                   {"startswith", "self, prefix", startsWith},
                                   {"endswith", "self, suffix", endsWith},
                                   {"lower", "self", lower},
                                   {"upper", "self", upper},
                                   {"strip", "self, chars=", strip},
                                   {"lstrip", "self, chars=", strip},
                                   {"rstrip", "self, chars=", strip},
                                   {"replace", "self, old, new", replaceText},
                                   {"find", "self, sub", findText},
                                   {"count", "self, sub", countText},
                                   {"rjust", "self, width, fillchar=", justify},
                                   {"ljust", "self, width, fillchar=", justify},
                                   {"center", "self, width, fillchar=", justify},
                                   {"title", "self", title},
                                   {"removeprefix", "self, prefix", removePrefix},
                                   {"removesuffix", "self, suffix", removeSuffix},
                                   {"isdigit", "self", isDigits},
                                   {"str.format", "...", formatText}};
const Intrinsic listMethods[] = {{"append", "self, item", append},
                                 {"extend", "self, items", extend},
                                 {"insert", "self, index, item", insert},
                                 {"pop", "self, index=", pop},
                                 {"reverse", "self", reverse},
                                 {"copy", "self", copy},
                                 {"sort", "self, *, key=, reverse=", sortInPlace},
                                 {"remove", "self, item", removeItem},
                                 {"clear", "self", clearItems},
                                 {"index", "self, item", index},
                                 {"count", "self, item", count}};
const Intrinsic tupleMethods[] = {{"index", "self, item", index},
                                  {"count", "self, item", count},
                                  {"_replace", "...", tupleReplace}};
const Intrinsic setMethods[] = {{"add", "self, item", setAdd},
                                {"discard", "self, item", setDiscard},
                                {"copy", "self", copySet}};
const Intrinsic dictMethods[] = {{"get", "self, key, default=", dictGet},
                                 {"update", "self, other", dictUpdate},
                                 {"setdefault", "self, key, default=", dictSetDefault},
                                 {"pop", "self, key, default=", dictPop},
                                 {"keys", "self", dictKeys},
                                 {"values", "self", dictValues},
                                 {"items", "self", dictItems}};
const Intrinsic dtypeMethods[] = {
    {"is_int", "self", dtypeIs<&DType::isInt>},
    {"is_floating", "self", dtypeIs<&DType::isFloat>},
    {"is_standard_floating", "self", dtypeIs<&DType::isStandardFloat>},
    {"is_fp8", "self", dtypeIs<&DType::isFp8>},
    {"is_int_signed", "self", dtypeIs<&DType::isSignedInt>},
    {"is_int_unsigned", "self", dtypeIs<&DType::isUnsignedInt>},
    {"is_bool", "self", dtypeIs<&DType::isBool>},
    {"is_ptr", "self", dtypeIs<&DType::isPointer>},
    {"is_void", "self", dtypeIs<&DType::isVoid>},
    {"is_int1", "self", dtypeIsKind<ScalarKind::Int1>},
    {"is_int8", "self", dtypeIsKind<ScalarKind::Int8>},
    {"is_int16", "self", dtypeIsKind<ScalarKind::Int16>},
    {"is_int32", "self", dtypeIsKind<ScalarKind::Int32>},
    {"is_int64", "self", dtypeIsKind<ScalarKind::Int64>},
    {"is_uint8", "self", dtypeIsKind<ScalarKind::UInt8>},
    {"is_uint16", "self", dtypeIsKind<ScalarKind::UInt16>},
    {"is_uint32", "self", dtypeIsKind<ScalarKind::UInt32>},
    {"is_uint64", "self", dtypeIsKind<ScalarKind::UInt64>},
    {"is_fp16", "self", dtypeIsKind<ScalarKind::Float16>},
    {"is_bf16", "self", dtypeIsKind<ScalarKind::BFloat16>},
    {"is_fp32", "self", dtypeIsKind<ScalarKind::Float32>},
    {"is_fp64", "self", dtypeIsKind<ScalarKind::Float64>},
    {"is_fp8e4nv", "self", dtypeIsKind<ScalarKind::Float8E4NV>},
    {"is_fp8e5", "self", dtypeIsKind<ScalarKind::Float8E5>},
    {"is_fp8e5b16", "self", dtypeIsKind<ScalarKind::Float8E5B16>},
    {"is_fp8e4b8", "self", dtypeIsKind<ScalarKind::Float8E4B8>},
    {"is_fp8e4b15", "self", dtypeIsKind<ScalarKind::Float8E4B15>},
    {"is_block", "self", isBlock},
};
const Intrinsic blockTypeMethods[] = {{"get_block_shapes", "self", blockShapes},
                                      {"is_block", "self", isBlock}};

llvm::ArrayRef<Intrinsic> methodsOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Bool:
  case ValueKind::Int:
    return intMethods;
  case ValueKind::String:
    return stringMethods;
  case ValueKind::List:
    return listMethods;
  case ValueKind::Tuple:
    return tupleMethods;
  case ValueKind::Set:
    return setMethods;
  case ValueKind::Dict:
    return dictMethods;
  case ValueKind::DType:
    return dtypeMethods;
  case ValueKind::BlockType:
    return blockTypeMethods;
  case ValueKind::Layout:
    return layoutMethods();
  default:
    return {};
  }
}

} // namespace

bool extendList(Interpreter &interpreter, const Value &list, llvm::ArrayRef<Value> added,
                diag::Span span) {
  auto &items = list.listItems();
  const char *problem = nullptr;
  if (int64_t(items.size() + added.size()) > maxSequenceLength)
    problem = "list too long";
  if (llvm::any_of(added, [&](const Value &item) { return holdsPayload(item, list.rawPayload()); }))
    problem = "a list cannot hold itself";
  if (problem) {
    interpreter.report(Kind::BadArgument, span, problem).end();
    return false;
  }
  spend(added.size() * sizeof(Value));
  items.insert(items.end(), added.begin(), added.end());
  return true;
}

const Intrinsic *findMethod(ValueKind kind, llvm::StringRef name) {
  // `str.format` has its long name because calls of it are told by it.
  if (kind == ValueKind::String && name == "format")
    name = "str.format";
  for (const Intrinsic &method : methodsOf(kind))
    if (method.name == name)
      return &method;
  return nullptr;
}

} // namespace gluonc::sema
