//===- Tree.h - A parsed template -----------------------------------------------===//
#pragma once

#include "Value.h"

#include <string_view>

namespace engine::jinja {

struct Node;
using NodePtr = std::unique_ptr<Node>;

/// `kids` by kind. Names of kinds with a colon behind say which kids there are.
struct Node {
  enum Kind {
    // Statements.
    Block,    // statements
    Text,     // text
    Output,   // the expression
    For,      // names: what is looped over, body, else body or null, condition or null
    If,       // condition, body, and so on; an odd last one is the else body
    Set,      // names, or text.names[0] of a namespace: the expression
    SetBlock, // names: the body
    Macro,    // text, names: body, defaults of the last parameters
    Break,
    Continue,
    // Expressions.
    Literal,  // value
    Variable, // text
    ListOf,
    DictOf,  // keys and values in turns
    Member,  // text: of what
    Item,    // of what, which
    Slice,   // of what, from, to, step; null where left out
    Call,    // of what, arguments; names are those of the last ones
    Filter,  // text: of what, arguments; names
    Test,    // text: of what, arguments
    Unary,   // text
    Binary,  // text: left, right
    Compare, // names: operands, one more
    Choose,  // condition, then, else or null
  };
  Kind kind;
  int line;
  std::string text = {};
  Value value = {};
  std::vector<std::string> names = {};
  std::vector<NodePtr> kids = {};
};

/// Throws Failure, with a line, for what is no template, or has what is not supported.
NodePtr parse(std::string_view source);

bool isFilter(std::string_view name);
bool isTest(std::string_view name);

} // namespace engine::jinja
