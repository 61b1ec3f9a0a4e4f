#include "syntax/Ast.h"

#include "support/Error.h"

using namespace gluonc;
using namespace gluonc::ast;

StringRef ast::name(NodeKind kind) {
  switch (kind) {
  case NodeKind::ExprStmt:
    return "Expr";
  case NodeKind::Comprehension:
    return "comprehension";
  case NodeKind::Arguments:
    return "arguments";
  case NodeKind::Arg:
    return "arg";
  case NodeKind::Keyword:
    return "keyword";
  case NodeKind::Alias:
    return "alias";
  case NodeKind::WithItem:
    return "withitem";
  case NodeKind::MatchCase:
    return "match_case";
  default:
    break;
  }
  static constexpr llvm::StringLiteral names[] = {
#define GL_NODE(Name, Base, Fields) #Name,
#include "syntax/Nodes.def"
      "Constant", "Module", "Expression"};
  return names[static_cast<unsigned>(kind)];
}

template <size_t N> static StringRef entry(const llvm::StringLiteral (&table)[N], unsigned index) {
  GL_CHECK(index < N);
  return table[index];
}

// Each table is in the order of its enum in Ast.h.
#define GL_TABLE(function, Enum, ...)                                                              \
  StringRef ast::function(Enum value) {                                                            \
    static constexpr llvm::StringLiteral table[] = {__VA_ARGS__};                                  \
    return entry(table, static_cast<unsigned>(value));                                             \
  }
GL_TABLE(name, ExprContext, "Load", "Store", "Del")
GL_TABLE(name, BoolOperator, "And", "Or")
GL_TABLE(name, Operator, "Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift",
         "BitOr", "BitXor", "BitAnd", "FloorDiv")
GL_TABLE(name, UnaryOperator, "Invert", "Not", "UAdd", "USub")
GL_TABLE(name, CompareOperator, "Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In",
         "NotIn")
GL_TABLE(spelling, BoolOperator, "and", "or")
GL_TABLE(spelling, Operator, "+", "-", "*", "@", "/", "%", "**", "<<", ">>", "|", "^", "&", "//")
GL_TABLE(spelling, UnaryOperator, "~", "not", "+", "-")
GL_TABLE(spelling, CompareOperator, "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in",
         "not in")
#undef GL_TABLE

llvm::APInt Constant::integer() const {
  GL_CHECK(isInt());
  unsigned bits = static_cast<unsigned>(words.size()) * 64;
  return llvm::APInt(bits, words).zext(bits + 1);
}

std::optional<int64_t> Constant::smallInteger() const {
  GL_CHECK(isInt());
  if (words.size() > 1 || words[0] > static_cast<uint64_t>(INT64_MAX))
    return std::nullopt;
  return static_cast<int64_t>(words[0]);
}
