//===- Functions.h - Filters, tests and methods ---------------------------------===//
#pragma once

#include "Value.h"

#include <map>
#include <optional>
#include <string_view>

namespace engine::jinja {

/// `arguments` begin with what is filtered or tested.
Value applyFilter(std::string_view name, const List &arguments, const Dict &named);
bool applyTest(std::string_view name, const List &arguments);
/// The method of a string, a list or a dict; nullopt where there is none of that name.
std::optional<Value> methodOf(const Value &of, const std::string &name);
bool contains(const Value &in, const Value &what);
/// range, namespace, dict, raise_exception, strftime_now.
const Dict &globals();

} // namespace engine::jinja
