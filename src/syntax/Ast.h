//===- Ast.h - The syntax tree of Python -----------------------------------===//
//
// One struct per node of CPython 3.12's Python.asdl; Nodes.def lists them with
// their fields. Use llvm::dyn_cast / isa / TypeSwitch, or `visit`:
//
//   if (const auto *call = llvm::dyn_cast<ast::Call>(expr))
//     for (const ast::Expr *arg : call->args) …
//
// Nodes live in the arena of their Module and point into the text of the
// SourceFile where they can, so the file must outlive the tree. They are
// immutable once the parser has returned.
//
// A tree is at most `maxHeight` nodes high, so recursive walks are safe.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

#include <memory>
#include <optional>

namespace gluonc::ast {

using diag::Span;
using llvm::ArrayRef;
using llvm::StringRef;

/// No tree is higher than this; the parser reports NestingTooDeep instead.
inline constexpr unsigned maxHeight = 1000;

enum class NodeKind : uint8_t {
#define GL_NODE(Name, Base, Fields) Name,
#include "syntax/Nodes.def"
  Constant,
  Module,
  Expression,
};

enum class ExprContext : uint8_t { Load, Store, Del };
enum class BoolOperator : uint8_t { And, Or };
enum class Operator : uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  Mod,
  Pow,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
  FloorDiv,
};
enum class UnaryOperator : uint8_t { Invert, Not, UAdd, USub };
enum class CompareOperator : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };
using CompareOperators = ArrayRef<CompareOperator>;
enum class ConstantKind : uint8_t { None, True, False, Ellipsis, Int, Float, Complex, Str, Bytes };

/// The name in the ASDL ("BinOp", "arg", "Expr" for ExprStmt).
StringRef name(NodeKind kind);
/// The name in the ASDL ("Add", "Load", "NotIn").
StringRef name(ExprContext context);
StringRef name(BoolOperator op);
StringRef name(Operator op);
StringRef name(UnaryOperator op);
StringRef name(CompareOperator op);
/// How the operator is written ("+", "not in").
StringRef spelling(BoolOperator op);
StringRef spelling(Operator op);
StringRef spelling(UnaryOperator op);
StringRef spelling(CompareOperator op);

struct Node {
  const NodeKind kind;
  /// Nodes on the longest path down to a leaf, this one included.
  uint16_t height = 1;
  Span span;

protected:
  Node(NodeKind kind, Span span) : kind(kind), span(span) {}
};

struct Stmt : Node {
  static bool classof(const Node *node) { return node->kind <= NodeKind::Continue; }

protected:
  using Node::Node;
};

struct Expr : Node {
  static bool classof(const Node *node) {
    return (node->kind >= NodeKind::BoolOp && node->kind <= NodeKind::Slice) ||
           node->kind == NodeKind::Constant;
  }

protected:
  using Node::Node;
};

struct Pattern : Node {
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::MatchValue && node->kind <= NodeKind::MatchOr;
  }

protected:
  using Node::Node;
};

struct TypeParam : Node {
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::TypeVar && node->kind <= NodeKind::TypeVarTuple;
  }

protected:
  using Node::Node;
};

#define GL_NODE(Name, Base, Fields) struct Name;
#include "syntax/Nodes.def"

using Stmts = ArrayRef<const Stmt *>;
using Exprs = ArrayRef<const Expr *>;
using Patterns = ArrayRef<const Pattern *>;
using TypeParams = ArrayRef<const TypeParam *>;
using Keywords = ArrayRef<const Keyword *>;
using WithItems = ArrayRef<const WithItem *>;
using MatchCases = ArrayRef<const MatchCase *>;
using ExceptHandlers = ArrayRef<const ExceptHandler *>;
using Aliases = ArrayRef<const Alias *>;
using Comprehensions = ArrayRef<const Comprehension *>;
using Args = ArrayRef<const Arg *>;
using Names = ArrayRef<StringRef>;

// Two passes over each field list: once as members, once as calls of `f`, which
// receives the ASDL name and the member of every F and E field in order.
#define F(type, name) type name{};
#define X(type, name) type name{};
#define E(type, name) type name{};
#define GL_NODE(Name, Base, Fields)                                                                \
  struct Name : Base {                                                                             \
    explicit Name(Span span) : Base(NodeKind::Name, span) {}                                       \
    static bool classof(const Node *node) { return node->kind == NodeKind::Name; }                 \
    template <typename Fn> void fields(Fn &&f) const;                                              \
    Fields                                                                                         \
  };
#include "syntax/Nodes.def"
#undef F
#undef X
#undef E
#define F(type, name) f(llvm::StringLiteral(#name), name);
#define X(type, name)
#define E(type, name) F(type, name)
#define GL_NODE(Name, Base, Fields)                                                                \
  template <typename Fn> void Name::fields(Fn &&f) const { Fields }
#include "syntax/Nodes.def"
#undef F
#undef X
#undef E

/// A literal. Exactly one of the value members below is meaningful, by `value`.
struct Constant : Expr {
  explicit Constant(Span span) : Expr(NodeKind::Constant, span) {}
  static bool classof(const Node *node) { return node->kind == NodeKind::Constant; }

  ConstantKind value = ConstantKind::None;
  /// The ASDL's `kind='u'`: the first literal was written with prefix u.
  bool unicodePrefix = false;
  /// Float: the number. Complex: the imaginary part (the real part is zero).
  double number = 0;
  /// Int: magnitude, least significant word first; never empty.
  ArrayRef<uint64_t> words;
  /// Str: UTF-8, where a lone surrogate is its three-byte form. Bytes: the bytes.
  StringRef text;

  bool isNone() const { return value == ConstantKind::None; }
  bool isInt() const { return value == ConstantKind::Int; }
  bool isStr() const { return value == ConstantKind::Str; }
  /// Int: the non-negative value with its top bit zero, so signed use is right too.
  llvm::APInt integer() const;
  /// Int: the value where it fits into int64_t.
  std::optional<int64_t> smallInteger() const;

  template <typename Fn> void fields(Fn &&f) const { f(llvm::StringLiteral("value"), value); }
};

/// A root owns the arena that holds everything below it.
struct Root : Node {
  Root(const Root &) = delete;
  llvm::BumpPtrAllocator arena;
  /// The text that nodes point into where the file is not UTF-8.
  std::shared_ptr<const std::string> converted;

protected:
  using Node::Node;
};

/// A parsed file.
struct Module : Root {
  explicit Module(Span span) : Root(NodeKind::Module, span) {}
  static bool classof(const Node *node) { return node->kind == NodeKind::Module; }
  template <typename Fn> void fields(Fn &&f) const { f(llvm::StringLiteral("body"), body); }
  Stmts body;
};

/// A parsed expression text (CPython's mode "eval").
struct Expression : Root {
  explicit Expression(Span span) : Root(NodeKind::Expression, span) {}
  static bool classof(const Node *node) { return node->kind == NodeKind::Expression; }
  template <typename Fn> void fields(Fn &&f) const { f(llvm::StringLiteral("body"), body); }
  /// Null exactly when the parser reported an error.
  const Expr *body = nullptr;
};

/// Calls `f` with `node` as its own struct: visit(n, [](const auto &node) {…}).
template <typename Fn> decltype(auto) visit(const Node &node, Fn &&f) {
  switch (node.kind) {
#define GL_NODE(Name, Base, Fields)                                                                \
  case NodeKind::Name:                                                                             \
    return f(static_cast<const Name &>(node));
#include "syntax/Nodes.def"
  case NodeKind::Constant:
    return f(static_cast<const Constant &>(node));
  case NodeKind::Module:
    return f(static_cast<const Module &>(node));
  case NodeKind::Expression:
    return f(static_cast<const Expression &>(node));
  }
  __builtin_unreachable();
}

/// Calls `f(const Node &)` for every direct child, in source field order.
template <typename Fn> void forEachChild(const Node &node, Fn &&f) {
  visit(node, [&](const auto &self) {
    self.fields([&](StringRef, const auto &field) {
      using T = std::decay_t<decltype(field)>;
      if constexpr (std::is_convertible_v<T, const Node *>) {
        if (field)
          f(static_cast<const Node &>(*field));
      } else if constexpr (!std::is_arithmetic_v<T> && !std::is_enum_v<T> &&
                           !std::is_same_v<T, StringRef> && !std::is_same_v<T, Names> &&
                           !std::is_same_v<T, CompareOperators>) {
        for (const auto *child : field)
          if (child)
            f(static_cast<const Node &>(*child));
      }
    });
  });
}

} // namespace gluonc::ast
