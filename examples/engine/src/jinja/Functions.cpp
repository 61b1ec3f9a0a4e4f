#include "Functions.h"

#include "Arguments.h"
#include "Tree.h"

#include <algorithm>
#include <ctime>

namespace engine::jinja {

namespace {

constexpr int64_t longestRange = 100000;

const Value &second(Arguments arguments) {
  if (arguments.size() < 2)
    throw Failure("a test lacks its argument");
  return arguments[1];
}

using TestFn = bool (*)(Arguments);

const std::map<std::string, TestFn, std::less<>> tests = {
    {"defined", [](Arguments a) { return !a[0].isUndefined(); }},
    {"undefined", [](Arguments a) { return a[0].isUndefined(); }},
    {"none", [](Arguments a) { return a[0].is<None>(); }},
    {"string", [](Arguments a) { return a[0].string() != nullptr; }},
    {"number", [](Arguments a) { return a[0].isNumber(); }},
    {"integer", [](Arguments a) { return a[0].is<int64_t>(); }},
    {"float", [](Arguments a) { return a[0].is<double>(); }},
    {"boolean", [](Arguments a) { return a[0].is<bool>(); }},
    {"true", [](Arguments a) { return a[0].is<bool>() && a[0].isTrue(); }},
    {"false", [](Arguments a) { return a[0].is<bool>() && !a[0].isTrue(); }},
    {"mapping", [](Arguments a) { return a[0].dict() != nullptr; }},
    {"sequence",
     [](Arguments a) { return a[0].list() || a[0].dict() || a[0].string() || a[0].isUndefined(); }},
    {"iterable",
     [](Arguments a) { return a[0].list() || a[0].dict() || a[0].string() || a[0].isUndefined(); }},
    {"callable", [](Arguments a) { return a[0].function() != nullptr; }},
    {"odd", [](Arguments a) { return a[0].integer() % 2 != 0; }},
    {"even", [](Arguments a) { return a[0].integer() % 2 == 0; }},
    {"divisibleby",
     [](Arguments a) {
       return second(a).integer() != 0 && a[0].integer() % second(a).integer() == 0;
     }},
    {"in", [](Arguments a) { return contains(second(a), a[0]); }},
    {"equalto", [](Arguments a) { return a[0] == second(a); }},
    {"eq", [](Arguments a) { return a[0] == second(a); }},
    {"ne", [](Arguments a) { return !(a[0] == second(a)); }},
};

Value range(List a, const Dict &) {
  if (a.empty() || a.size() > 3)
    fail("range", "takes one to three integers");
  const int64_t first = a.size() > 1 ? a[0].integer() : 0;
  const int64_t last = a[a.size() > 1 ? 1 : 0].integer(), step = a.size() > 2 ? a[2].integer() : 1;
  if (step == 0)
    fail("range", "a step of 0");
  List made;
  for (int64_t i = first; step > 0 ? i < last : i > last; i += step) {
    if (int64_t(made.size()) == longestRange)
      fail("range", "too long");
    made.emplace_back(i);
  }
  return made;
}

Value timeText(List a, const Dict &) {
  const time_t now = time(nullptr);
  tm parts = {};
  localtime_r(&now, &parts);
  char text[256];
  text[strftime(text, sizeof text, textOf("strftime_now", a).c_str(), &parts)] = 0;
  return text;
}

} // namespace

bool isTest(std::string_view name) { return tests.contains(name); }

bool applyTest(std::string_view name, const List &arguments) {
  const auto found = tests.find(name);
  if (found == tests.end())
    fail(name, "is no test");
  return found->second(arguments);
}

bool contains(const Value &in, const Value &what) {
  if (const std::string *text = in.string()) {
    if (!what.string())
      throw Failure(std::string("`in` a string needs a string, not ") + what.typeName());
    return text->find(*what.string()) != std::string::npos;
  }
  if (in.dict())
    return what.string() && !in.find(*what.string()).isUndefined();
  const List items = in.items();
  return std::ranges::find(items, what) != items.end();
}

const Dict &globals() {
  static const Dict made = {
      {"range", Function(range)},
      {"dict", Function([](List, const Dict &named) { return Value(named); })},
      {"namespace", Function([](List, const Dict &named) { return Value(named); })},
      {"strftime_now", Function(timeText)},
      {"raise_exception", Function([](List a, const Dict &) -> Value {
         throw Failure(a.empty() ? "the template refuses" : a[0].text());
       })},
  };
  return made;
}

} // namespace engine::jinja
