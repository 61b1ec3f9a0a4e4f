#include "Operators.h"

#include "Functions.h"

#include <algorithm>
#include <cmath>

namespace engine::jinja {

void failAt(const Node &node, const std::string &why) {
  throw Failure("line " + std::to_string(node.line) + ": " + why);
}

void needDefined(const Node &node, const Value &of) {
  if (of.isUndefined())
    failAt(node, "`" + std::get<Undefined>(of.raw()).name + "` is undefined");
}

Value memberOf(const Node &node, const Value &of) {
  needDefined(node, of);
  // Methods come before keys, as attributes do in Jinja.
  if (std::optional<Value> method = methodOf(of, node.text))
    return *method;
  return of.find(node.text);
}

Value itemOf(const Node &node, const Value &of, const Value &which) {
  needDefined(node, of);
  if (which.string()) {
    const Value found = of.find(*which.string());
    if (const auto method = found.isUndefined() ? methodOf(of, *which.string()) : std::nullopt)
      return *method;
    return found;
  }
  if (!of.list() && !of.string())
    return Undefined{which.repr()};
  const List items = of.items();
  int64_t at = which.integer();
  if (at < 0)
    at += int64_t(items.size());
  return at < 0 || at >= int64_t(items.size()) ? Value(Undefined{which.repr()}) : items[size_t(at)];
}

Value sliceOf(const Node &node, const Value &of,
              const std::array<std::optional<int64_t>, 3> &parts) {
  if (!of.list() && !of.string())
    failAt(node, std::string(of.typeName()) + " cannot be sliced");
  const List items = of.items();
  const auto size = int64_t(items.size());
  const int64_t by = parts[2].value_or(1);
  if (by == 0)
    failAt(node, "a slice with a step of 0");
  auto place = [&](std::optional<int64_t> part, int64_t fallback) {
    if (!part)
      return fallback;
    const int64_t at = *part < 0 ? *part + size : *part;
    return by > 0 ? std::clamp<int64_t>(at, 0, size) : std::clamp<int64_t>(at, -1, size - 1);
  };
  const int64_t first = place(parts[0], by > 0 ? 0 : size - 1),
                last = place(parts[1], by > 0 ? size : -1);
  List made;
  for (int64_t i = first; by > 0 ? i < last : i > last; i += by)
    made.push_back(items[size_t(i)]);
  if (of.list())
    return made;
  std::string text;
  for (const Value &each : made)
    text += *each.string();
  return text;
}

static Value arithmetic(const Node &node, const Value &left, const Value &right) {
  const std::string &sign = node.text;
  const double a = left.number(), b = right.number();
  const bool divides = sign == "/" || sign == "//" || sign == "%";
  if (divides && b == 0)
    failAt(node, "a division by zero");
  double made = 0;
  if (sign == "+")
    made = a + b;
  else if (sign == "-")
    made = a - b;
  else if (sign == "*")
    made = a * b;
  else if (sign == "**")
    made = std::pow(a, b);
  else if (sign == "/")
    return a / b;
  else
    made = sign == "//" ? std::floor(a / b) : a - b * std::floor(a / b);
  if (!left.isInteger() || !right.isInteger() || (sign == "**" && b < 0))
    return made;
  // Integers that doubles have.
  if (std::abs(made) > 9007199254740992.0)
    failAt(node, "a number is too large");
  return int64_t(made);
}

Value binaryOf(const Node &node, const Value &left, const Value &right) {
  const std::string &sign = node.text;
  if (sign == "~")
    return left.text() + right.text();
  if (sign == "+" && left.string() && right.string()) {
    if (left.string()->size() + right.string()->size() > mostText)
      failAt(node, "the text is too long");
    return *left.string() + *right.string();
  }
  if (sign == "+" && left.list() && right.list()) {
    List made = *left.list();
    made.insert(made.end(), right.list()->begin(), right.list()->end());
    return made;
  }
  if (!left.isNumber() || !right.isNumber()) {
    needDefined(node, left);
    needDefined(node, right);
    failAt(node, "`" + sign + "` of " + left.typeName() + " and " + right.typeName());
  }
  return arithmetic(node, left, right);
}

bool holds(const std::string &sign, const Value &left, const Value &right) {
  if (sign == "==" || sign == "!=")
    return (left == right) == (sign == "==");
  if (sign == "in" || sign == "not in")
    return contains(right, left) == (sign == "in");
  if (sign == "<" || sign == ">")
    return sign == "<" ? isLess(left, right) : isLess(right, left);
  return sign == "<=" ? !isLess(right, left) : !isLess(left, right);
}

} // namespace engine::jinja
