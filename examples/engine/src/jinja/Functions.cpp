#include "Functions.h"

#include "Tree.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utf8proc.h>

namespace engine::jinja {

namespace {

constexpr int64_t longestRange = 100000;

using Arguments = const List &;

[[noreturn]] void fail(std::string_view name, const std::string &why) {
  throw Failure(std::string(name) + ": " + why);
}

const std::string &textOf(std::string_view name, Arguments arguments, size_t number = 0) {
  if (number >= arguments.size() || !arguments[number].string())
    fail(name, "argument " + std::to_string(number) + " is no string");
  return *arguments[number].string();
}

bool isSpace(int32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}
int32_t codePoint(const std::string &character) {
  int32_t c = -1;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t *>(character.data()),
                   utf8proc_ssize_t(character.size()), &c);
  return c;
}

/// Python's strip, of spaces or of any of some characters.
std::string strip(const std::string &text, bool left, bool right,
                  const std::optional<std::string> &set) {
  const std::vector<std::string> all = charactersOf(text);
  const std::vector<std::string> some = set ? charactersOf(*set) : std::vector<std::string>();
  auto goes = [&](const std::string &character) {
    return set ? std::ranges::find(some, character) != some.end() : isSpace(codePoint(character));
  };
  size_t begin = 0, end = all.size();
  while (left && begin != end && goes(all[begin]))
    ++begin;
  while (right && begin != end && goes(all[end - 1]))
    --end;
  std::string made;
  for (size_t i = begin; i != end; ++i)
    made += all[i];
  return made;
}

std::string mapped(const std::string &text, bool toUpper, bool onlyFirst = false) {
  std::string made;
  bool isFirst = true;
  for (const std::string &character : charactersOf(text)) {
    const int32_t c = codePoint(character);
    const bool up = onlyFirst ? isFirst : toUpper;
    utf8proc_uint8_t bytes[4];
    const auto size = utf8proc_encode_char(up ? utf8proc_toupper(c) : utf8proc_tolower(c), bytes);
    if (c < 0)
      made += character;
    else
      made.append(reinterpret_cast<char *>(bytes), size_t(size));
    isFirst = false;
  }
  return made;
}

std::string replaced(const std::string &text, const std::string &from, const std::string &to,
                     int64_t most) {
  if (from.empty())
    throw Failure("replace: an empty string is looked for");
  std::string made;
  size_t at = 0;
  for (size_t found; most-- != 0 && (found = text.find(from, at)) != std::string::npos;
       at = found + from.size())
    made += text.substr(at, found - at) + to;
  return made + text.substr(at);
}

List split(const std::string &text, const Value &by, int64_t most) {
  List made;
  if (!by.string()) {
    std::string word;
    for (const std::string &character : charactersOf(text))
      if (!isSpace(codePoint(character)))
        word += character;
      else if (!word.empty())
        made.emplace_back(std::exchange(word, ""));
    if (!word.empty())
      made.emplace_back(word);
    return made;
  }
  if (by.string()->empty())
    throw Failure("split: an empty separator");
  size_t at = 0;
  for (size_t found; most-- != 0 && (found = text.find(*by.string(), at)) != std::string::npos;
       at = found + by.string()->size())
    made.emplace_back(text.substr(at, found - at));
  made.emplace_back(text.substr(at));
  return made;
}

std::string join(const List &items, const std::string &by) {
  std::string made;
  for (size_t i = 0; i != items.size(); ++i)
    made += (i ? by : "") + items[i].text();
  return made;
}

List entriesOf(const Dict &dict) {
  List made;
  for (const auto &[key, value] : dict)
    made.emplace_back(List{Value(key), value});
  return made;
}

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

std::string indented(const std::string &text, int64_t width, bool first) {
  const std::string space(size_t(std::clamp<int64_t>(width, 0, 1000)), ' ');
  std::string made = first ? space : "";
  for (size_t i = 0; i != text.size(); ++i) {
    made += text[i];
    // Empty lines stay so.
    if (text[i] == '\n' && i + 1 != text.size() && text[i + 1] != '\n')
      made += space;
  }
  return made;
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

bool isFilter(std::string_view name) { return name == "d" || filters.contains(name); }
bool isTest(std::string_view name) { return tests.contains(name); }

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

bool applyTest(std::string_view name, const List &arguments) {
  const auto found = tests.find(name);
  if (found == tests.end())
    fail(name, "is no test");
  return found->second(arguments);
}

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
