#include "Value.h"

#include "../Json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace engine::jinja {

namespace {

constexpr int deepest = 64;

std::string floatText(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  char buffer[40];
  char *const end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  std::string made(static_cast<const char *>(buffer), size_t(end - buffer));
  return made.find_first_of(".e") == std::string::npos ? made + ".0" : made;
}

std::string quoted(const std::string &text) {
  const char quote =
      text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string made(1, quote);
  for (const char c : text)
    if (c == '\n')
      made += "\\n";
    else if (c == '\t')
      made += "\\t";
    else if (c == '\r')
      made += "\\r";
    else if (c == '\\' || c == quote)
      made += {'\\', c};
    else
      made += c;
  return made + quote;
}

} // namespace

bool Value::isTrue() const {
  if (isNumber())
    return number() != 0;
  if (const std::string *text = string())
    return !text->empty();
  if (list())
    return !list()->empty();
  if (dict())
    return !dict()->empty();
  return function() != nullptr;
}

double Value::number() const {
  if (const auto *boolean = std::get_if<bool>(&data))
    return *boolean ? 1 : 0;
  if (const auto *integer = std::get_if<int64_t>(&data))
    return double(*integer);
  if (const auto *number = std::get_if<double>(&data))
    return *number;
  throw Failure(std::string("a number is needed, not ") + typeName());
}

int64_t Value::integer() const {
  if (const auto *integer = std::get_if<int64_t>(&data))
    return *integer;
  if (const auto *boolean = std::get_if<bool>(&data))
    return *boolean ? 1 : 0;
  throw Failure(std::string("an integer is needed, not ") + typeName());
}

const char *Value::typeName() const {
  constexpr const char *names[] = {"undefined", "none",   "a boolean", "an integer", "a float",
                                   "a string",  "a list", "a mapping", "a function"};
  return names[data.index()];
}

std::string Value::text() const {
  if (const std::string *text = string())
    return *text;
  return repr();
}

std::string Value::repr(int depth) const {
  if (depth > deepest)
    throw Failure("printed values are nested too deeply");
  if (isUndefined())
    return "";
  if (is<None>())
    return "None";
  if (const auto *boolean = std::get_if<bool>(&data))
    return *boolean ? "True" : "False";
  if (const auto *integer = std::get_if<int64_t>(&data))
    return std::to_string(*integer);
  if (const auto *number = std::get_if<double>(&data))
    return floatText(*number);
  if (const std::string *text = string())
    return quoted(*text);
  std::string made;
  if (const List *items = list()) {
    for (const Value &item : *items)
      made += (made.empty() ? "" : ", ") + item.repr(depth + 1);
    return "[" + made + "]";
  }
  if (const Dict *items = dict()) {
    for (const auto &[key, item] : *items)
      made += (made.empty() ? "" : ", ") + quoted(key) + ": " + item.repr(depth + 1);
    return "{" + made + "}";
  }
  throw Failure("a function is printed");
}

std::string Value::json(int indent) const {
  std::string made;
  writeJson(made, indent, 0);
  return made;
}

void Value::writeJson(std::string &to, int indent, int depth) const {
  if (depth > deepest)
    throw Failure("tojson: nested too deeply");
  auto line = [&](int level) {
    if (indent >= 0)
      to += "\n" + std::string(size_t(indent * level), ' ');
  };
  auto separate = [&](bool isFirst) {
    if (!isFirst)
      to += indent >= 0 ? "," : ", ";
    line(depth + 1);
  };
  bool isFirst = true;
  if (const List *items = list()) {
    to += '[';
    for (const Value &item : *items) {
      separate(std::exchange(isFirst, false));
      item.writeJson(to, indent, depth + 1);
    }
    if (!isFirst)
      line(depth);
    to += ']';
  } else if (const Dict *items = dict()) {
    to += '{';
    for (const auto &[key, item] : *items) {
      separate(std::exchange(isFirst, false));
      to += dump(Json(key)) + ": ";
      item.writeJson(to, indent, depth + 1);
    }
    if (!isFirst)
      line(depth);
    to += '}';
  } else if (const std::string *text = string()) {
    to += dump(Json(*text));
  } else if (const auto *boolean = std::get_if<bool>(&data)) {
    to += *boolean ? "true" : "false";
  } else if (is<None>()) {
    to += "null";
  } else if (isNumber()) {
    to += repr();
  } else {
    throw Failure(std::string("tojson: ") + typeName() + " is no JSON");
  }
}

Value Value::find(const std::string &key) const {
  if (const Dict *items = dict())
    for (const auto &[name, item] : *items)
      if (name == key)
        return item;
  return Undefined{key};
}

void Value::put(const std::string &key, Value value) {
  for (auto &[name, item] : *dict())
    if (name == key) {
      item = std::move(value);
      return;
    }
  dict()->emplace_back(key, std::move(value));
}

List Value::items() const {
  if (const List *found = list())
    return *found;
  List made;
  if (const Dict *found = dict()) {
    for (const auto &[key, item] : *found)
      made.emplace_back(key);
  } else if (const std::string *text = string()) {
    for (std::string &character : charactersOf(*text))
      made.emplace_back(std::move(character));
  } else if (!isUndefined()) {
    throw Failure(std::string("cannot loop over ") + typeName());
  }
  return made;
}

bool operator==(const Value &left, const Value &right) {
  if (left.isNumber() && right.isNumber())
    return left.isInteger() && right.isInteger() ? left.integer() == right.integer()
                                                 : left.number() == right.number();
  if (left.data.index() != right.data.index())
    return false;
  if (left.string())
    return *left.string() == *right.string();
  if (left.list())
    return left.list() == right.list() || *left.list() == *right.list();
  if (left.dict())
    return left.dict() == right.dict() ||
           (left.dict()->size() == right.dict()->size() &&
            std::ranges::all_of(*left.dict(), [&](const auto &entry) {
              return std::ranges::find(*right.dict(), entry) != right.dict()->end();
            }));
  return !left.function();
}

bool isLess(const Value &left, const Value &right) {
  if (left.isNumber() && right.isNumber())
    return left.number() < right.number();
  if (left.string() && right.string())
    return *left.string() < *right.string();
  if (left.list() && right.list())
    return std::ranges::lexicographical_compare(*left.list(), *right.list(), isLess);
  throw Failure(std::string(left.typeName()) + " and " + right.typeName() + " have no order");
}

std::vector<std::string> charactersOf(const std::string &text) {
  std::vector<std::string> made;
  for (const char c : text)
    if (!made.empty() && (static_cast<unsigned char>(c) & 0xC0) == 0x80)
      made.back() += c;
    else
      made.emplace_back(1, c);
  return made;
}

size_t countCharacters(const std::string &text) {
  return size_t(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

} // namespace engine::jinja
