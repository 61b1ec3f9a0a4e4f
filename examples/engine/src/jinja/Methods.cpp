#include "Arguments.h"
#include "Functions.h"
#include "Strings.h"

#include <algorithm>

namespace engine::jinja {

namespace {

/// What a method is called on comes first.
using MethodFn = Value (*)(Arguments);

std::optional<std::string> setOf(Arguments a) {
  return a.size() > 1 && a[1].string() ? std::optional(*a[1].string()) : std::nullopt;
}
bool hasEnd(Arguments a, bool atStart) {
  if (a.size() < 2)
    throw Failure("startswith and endswith take a string");
  const List all = a[1].list() ? *a[1].list() : List{a[1]};
  return std::ranges::any_of(all, [&](const Value &part) {
    if (!part.string())
      throw Failure("startswith and endswith take strings");
    return atStart ? a[0].string()->starts_with(*part.string())
                   : a[0].string()->ends_with(*part.string());
  });
}

const std::map<std::string, MethodFn, std::less<>> stringMethods = {
    {"strip", [](Arguments a) { return Value(strip(*a[0].string(), true, true, setOf(a))); }},
    {"lstrip", [](Arguments a) { return Value(strip(*a[0].string(), true, false, setOf(a))); }},
    {"rstrip", [](Arguments a) { return Value(strip(*a[0].string(), false, true, setOf(a))); }},
    {"upper", [](Arguments a) { return Value(mapped(*a[0].string(), true)); }},
    {"lower", [](Arguments a) { return Value(mapped(*a[0].string(), false)); }},
    {"capitalize", [](Arguments a) { return Value(mapped(*a[0].string(), false, true)); }},
    {"startswith", [](Arguments a) { return Value(hasEnd(a, true)); }},
    {"endswith", [](Arguments a) { return Value(hasEnd(a, false)); }},
    {"split",
     [](Arguments a) {
       return Value(split(*a[0].string(), a.size() > 1 ? a[1] : Value(None()),
                          a.size() > 2 ? a[2].integer() : -1));
     }},
    {"replace",
     [](Arguments a) {
       return Value(replaced(*a[0].string(), textOf("replace", a, 1), textOf("replace", a, 2),
                             a.size() > 3 ? a[3].integer() : -1));
     }},
    {"join",
     [](Arguments a) {
       if (a.size() != 2)
         fail("join", "takes one list");
       return Value(join(a[1].items(), *a[0].string()));
     }},
    {"find",
     [](Arguments a) {
       const size_t found = a[0].string()->find(textOf("find", a, 1));
       return Value(found == std::string::npos
                        ? int64_t(-1)
                        : int64_t(countCharacters(a[0].string()->substr(0, found))));
     }},
    {"isdigit",
     [](Arguments a) {
       return Value(!a[0].string()->empty() && std::ranges::all_of(*a[0].string(), [](char c) {
         return c >= '0' && c <= '9';
       }));
     }},
};

const std::map<std::string, MethodFn, std::less<>> dictMethods = {
    {"get",
     [](Arguments a) {
       const Value found = a[0].find(textOf("get", a, 1));
       return !found.isUndefined() ? found : a.size() > 2 ? a[2] : Value(None());
     }},
    {"items", [](Arguments a) { return Value(entriesOf(*a[0].dict())); }},
    {"keys", [](Arguments a) { return Value(a[0].items()); }},
    {"values",
     [](Arguments a) {
       List made;
       for (const auto &[key, value] : *a[0].dict())
         made.push_back(value);
       return Value(std::move(made));
     }},
};

const std::map<std::string, MethodFn, std::less<>> listMethods = {
    {"append",
     [](Arguments a) {
       if (a.size() != 2)
         fail("append", "takes one item");
       a[0].list()->push_back(a[1]);
       return Value(None());
     }},
};

} // namespace

std::optional<Value> methodOf(const Value &of, const std::string &name) {
  const auto *table = of.string() ? &stringMethods
                      : of.dict() ? &dictMethods
                      : of.list() ? &listMethods
                                  : nullptr;
  const auto found = table ? table->find(name) : dictMethods.end();
  if (!table || found == table->end())
    return std::nullopt;
  return Function([of, method = found->second, name](List arguments, const Dict &named) {
    if (!named.empty())
      fail(name, "named arguments are not supported");
    arguments.insert(arguments.begin(), of);
    return method(arguments);
  });
}

} // namespace engine::jinja
