//===- Operators.h - What operators of expressions give ---------------------------===//
#pragma once

#include "Tree.h"

#include <array>
#include <optional>

namespace engine::jinja {

/// The most bytes that an expression or a template makes.
constexpr size_t mostText = size_t(16) << 20;

/// With the line of `node`.
[[noreturn]] void failAt(const Node &node, const std::string &why);
/// Fails for a variable or an item that there is not.
void needDefined(const Node &node, const Value &of);

/// `of.name`, where the name is the node's text: a method, or an item of a dict.
Value memberOf(const Node &node, const Value &of);
/// `of[which]`; undefined where there is none.
Value itemOf(const Node &node, const Value &of, const Value &which);
/// `of[from:to:step]`.
Value sliceOf(const Node &node, const Value &of,
              const std::array<std::optional<int64_t>, 3> &parts);
/// `left sign right`, where the sign is the node's text, and neither `and` nor `or`.
Value binaryOf(const Node &node, const Value &left, const Value &right);
/// A comparison.
bool holds(const std::string &sign, const Value &left, const Value &right);

} // namespace engine::jinja
