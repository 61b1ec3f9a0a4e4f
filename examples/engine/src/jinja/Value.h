//===- Value.h - What expressions of a template have ----------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace engine::jinja {

class Value;
using List = std::vector<Value>;
/// In the order of insertion.
using Dict = std::vector<std::pair<std::string, Value>>;
using Function = std::function<Value(List arguments, const Dict &named)>;

/// Python's None.
struct None {};
/// A variable or an item that there is not; printed it is nothing, and it has no items.
struct Undefined {
  std::string name;
};

/// Ends parsing or rendering; caught where these begin.
struct Failure : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Lists, dicts and namespaces are shared by their copies, as in Python.
class Value {
public:
  using Data = std::variant<Undefined, None, bool, int64_t, double, std::string,
                            std::shared_ptr<List>, std::shared_ptr<Dict>, Function>;
  Value() = default;
  Value(None none) : data(none) {}
  Value(Undefined undefined) : data(std::move(undefined)) {}
  Value(bool boolean) : data(boolean) {}
  Value(int64_t number) : data(number) {}
  Value(double number) : data(number) {}
  Value(std::string text) : data(std::move(text)) {}
  Value(const char *text) : data(std::string(text)) {}
  Value(List list) : data(std::make_shared<List>(std::move(list))) {}
  Value(Dict dict) : data(std::make_shared<Dict>(std::move(dict))) {}
  Value(Function function) : data(std::move(function)) {}

  template <class T> bool is() const { return std::holds_alternative<T>(data); }
  bool isUndefined() const { return is<Undefined>(); }
  bool isNumber() const { return is<bool>() || is<int64_t>() || is<double>(); }
  bool isInteger() const { return is<bool>() || is<int64_t>(); }
  const std::string *string() const { return std::get_if<std::string>(&data); }
  const Data &raw() const { return data; }
  List *list() const { return pointer<List>(); }
  Dict *dict() const { return pointer<Dict>(); }
  const Function *function() const { return std::get_if<Function>(&data); }

  /// Python's bool().
  bool isTrue() const;
  /// Of booleans and numbers.
  double number() const;
  int64_t integer() const;
  /// Python's str() and repr(); of undefined "".
  std::string text() const;
  std::string repr(int depth = 0) const;
  /// json.dumps without ASCII escapes; lines where `indent` is not negative.
  std::string json(int indent = -1) const;
  const char *typeName() const;
  /// The item of a dict, or undefined.
  Value find(const std::string &key) const;
  void put(const std::string &key, Value value);
  /// What a loop goes over: items, keys, or characters.
  List items() const;

  friend bool operator==(const Value &left, const Value &right);
  /// Python's <; fails for types that have no order.
  friend bool isLess(const Value &left, const Value &right);

private:
  template <class T> T *pointer() const {
    const auto *found = std::get_if<std::shared_ptr<T>>(&data);
    return found ? found->get() : nullptr;
  }
  void writeJson(std::string &to, int indent, int depth) const;

  Data data;
};

bool isLess(const Value &left, const Value &right);

/// The code points of UTF-8, each as its bytes.
std::vector<std::string> charactersOf(const std::string &text);
size_t countCharacters(const std::string &text);

} // namespace engine::jinja
