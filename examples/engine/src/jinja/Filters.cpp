#include "Arguments.h"
#include "Functions.h"
#include "Strings.h"
#include "Tree.h"

#include <algorithm>
#include <cmath>

namespace engine::jinja {

namespace {

Value named(Arguments arguments, const Dict &names, size_t number, const char *name,
            Value fallback) {
  for (const auto &[key, value] : names)
    if (key == name)
      return value;
  return number < arguments.size() ? arguments[number] : fallback;
}

/// The attribute "a.b" of an item.
Value attributeOf(Value item, const std::string &path) {
  size_t at = 0;
  while (true) {
    const size_t dot = path.find('.', at);
    item = item.find(path.substr(at, dot - at));
    if (dot == std::string::npos)
      return item;
    at = dot + 1;
  }
}

/// select, reject, selectattr, rejectattr.
Value selected(std::string_view name, Arguments arguments) {
  const bool ofAttribute = name.ends_with("attr"), wanted = name.starts_with("select");
  const size_t first = ofAttribute ? 2 : 1;
  List made;
  for (const Value &item : arguments[0].items()) {
    const Value of = ofAttribute ? attributeOf(item, textOf(name, arguments, 1)) : item;
    bool isGood = of.isTrue();
    if (arguments.size() > first) {
      List tested = {of};
      tested.insert(tested.end(), arguments.begin() + long(first) + 1, arguments.end());
      isGood = applyTest(textOf(name, arguments, first), tested);
    }
    if (isGood == wanted)
      made.push_back(item);
  }
  return made;
}

Value mapFilter(Arguments arguments, const Dict &names) {
  const Value attribute = named({}, names, 0, "attribute", Undefined());
  List made;
  for (const Value &item : arguments[0].items())
    if (attribute.string()) {
      made.push_back(attributeOf(item, *attribute.string()));
    } else {
      List given = {item};
      given.insert(given.end(), arguments.begin() + 2, arguments.end());
      made.push_back(applyFilter(textOf("map", arguments, 1), given, {}));
    }
  return made;
}

Value lengthOf(const Value &of) {
  if (const std::string *text = of.string())
    return int64_t(countCharacters(*text));
  if (of.isUndefined() || of.list() || of.dict())
    return int64_t(of.list() ? of.list()->size() : of.dict() ? of.dict()->size() : 0);
  throw Failure(std::string("length: ") + of.typeName() + " has none");
}

Value toInteger(const Value &of, const Value &fallback) {
  if (of.isInteger())
    return of.integer();
  if (of.isNumber())
    return int64_t(of.number());
  if (const std::string *text = of.string()) {
    char *end = nullptr;
    const std::string digits = strip(*text, true, true, std::nullopt);
    const long long made = std::strtoll(digits.c_str(), &end, 10);
    if (!digits.empty() && !*end)
      return int64_t(made);
  }
  return fallback;
}

Value toFloat(const Value &of, const Value &fallback) {
  if (of.isNumber())
    return of.number();
  if (const std::string *text = of.string()) {
    char *end = nullptr;
    const double made = std::strtod(text->c_str(), &end);
    if (!text->empty() && !*end)
      return made;
  }
  return fallback;
}

/// Filters whose arguments may be named, and the names.
const std::map<std::string, std::vector<std::string>, std::less<>> argumentNames = {
    {"join", {"d"}},        {"default", {"default_value", "boolean"}},
    {"tojson", {"indent"}}, {"int", {"default"}},
    {"float", {"default"}}, {"indent", {"width", "first"}},
    {"map", {"attribute"}},
};

using FilterFn = Value (*)(Arguments, const Dict &);

const std::map<std::string, FilterFn, std::less<>> filters = {
    {"trim",
     [](Arguments a, const Dict &) {
       return Value(strip(a[0].text(), true, true,
                          a.size() > 1 ? std::optional(textOf("trim", a, 1)) : std::nullopt));
     }},
    {"upper", [](Arguments a, const Dict &) { return Value(mapped(a[0].text(), true)); }},
    {"lower", [](Arguments a, const Dict &) { return Value(mapped(a[0].text(), false)); }},
    {"capitalize",
     [](Arguments a, const Dict &) { return Value(mapped(a[0].text(), false, true)); }},
    {"length", [](Arguments a, const Dict &) { return lengthOf(a[0]); }},
    {"count", [](Arguments a, const Dict &) { return lengthOf(a[0]); }},
    {"first",
     [](Arguments a, const Dict &) {
       const List items = a[0].items();
       return items.empty() ? Value(Undefined{"first"}) : items.front();
     }},
    {"last",
     [](Arguments a, const Dict &) {
       const List items = a[0].items();
       return items.empty() ? Value(Undefined{"last"}) : items.back();
     }},
    {"join",
     [](Arguments a, const Dict &n) {
       return Value(join(a[0].items(), named(a, n, 1, "d", "").text()));
     }},
    {"default",
     [](Arguments a, const Dict &n) {
       const bool falsy = named(a, n, 2, "boolean", false).isTrue();
       return a[0].isUndefined() || (falsy && !a[0].isTrue()) ? named(a, n, 1, "default_value", "")
                                                              : a[0];
     }},
    {"tojson",
     [](Arguments a, const Dict &n) {
       const Value indent = named(a, n, 1, "indent", None());
       return Value(
           a[0].json(indent.isInteger() ? int(std::clamp<int64_t>(indent.integer(), 0, 100)) : -1));
     }},
    {"string", [](Arguments a, const Dict &) { return Value(a[0].text()); }},
    {"safe", [](Arguments a, const Dict &) { return a[0]; }},
    {"int", [](Arguments a,
               const Dict &n) { return toInteger(a[0], named(a, n, 1, "default", int64_t(0))); }},
    {"float",
     [](Arguments a, const Dict &n) { return toFloat(a[0], named(a, n, 1, "default", 0.0)); }},
    {"abs",
     [](Arguments a, const Dict &) {
       return a[0].isInteger() ? Value(std::abs(a[0].integer())) : Value(std::abs(a[0].number()));
     }},
    {"list", [](Arguments a, const Dict &) { return Value(a[0].items()); }},
    {"reverse",
     [](Arguments a, const Dict &) {
       List items = a[0].items();
       std::ranges::reverse(items);
       return a[0].string() ? Value(join(items, "")) : Value(std::move(items));
     }},
    {"sort",
     [](Arguments a, const Dict &) {
       if (a.size() > 1)
         fail("sort", "arguments are not supported");
       List items = a[0].items();
       std::ranges::sort(items, isLess);
       return Value(std::move(items));
     }},
    {"unique",
     [](Arguments a, const Dict &) {
       List made;
       for (const Value &item : a[0].items())
         if (std::ranges::find(made, item) == made.end())
           made.push_back(item);
       return Value(std::move(made));
     }},
    {"items", [](Arguments a,
                 const Dict &) { return Value(a[0].dict() ? entriesOf(*a[0].dict()) : List()); }},
    {"dictsort",
     [](Arguments a, const Dict &) {
       if (!a[0].dict())
         fail("dictsort", "no mapping");
       List made = entriesOf(*a[0].dict());
       std::ranges::sort(made, isLess);
       return Value(std::move(made));
     }},
    {"replace",
     [](Arguments a, const Dict &) {
       return Value(replaced(a[0].text(), textOf("replace", a, 1), textOf("replace", a, 2),
                             a.size() > 3 ? a[3].integer() : -1));
     }},
    {"indent",
     [](Arguments a, const Dict &n) {
       return Value(indented(a[0].text(), named(a, n, 1, "width", int64_t(4)).integer(),
                             named(a, n, 2, "first", false).isTrue()));
     }},
    {"select", [](Arguments a, const Dict &) { return selected("select", a); }},
    {"reject", [](Arguments a, const Dict &) { return selected("reject", a); }},
    {"selectattr", [](Arguments a, const Dict &) { return selected("selectattr", a); }},
    {"rejectattr", [](Arguments a, const Dict &) { return selected("rejectattr", a); }},
    {"map", [](Arguments a, const Dict &n) { return mapFilter(a, n); }},
};

} // namespace

bool isFilter(std::string_view name) { return name == "d" || filters.contains(name); }

Value applyFilter(std::string_view name, const List &arguments, const Dict &names) {
  const auto found = filters.find(name == "d" ? "default" : name);
  if (found == filters.end())
    fail(name, "is no filter");
  const auto allowed = argumentNames.find(found->first);
  for (const auto &[key, value] : names)
    if (allowed == argumentNames.end() ||
        std::ranges::find(allowed->second, key) == allowed->second.end())
      fail(name, "the argument `" + key + "` is not supported");
  return found->second(arguments, names);
}

} // namespace engine::jinja
