//===- Extern.cpp - tl.core.extern_elementwise -----------------------------------===//
//
// The types of the arguments choose a symbol and the type of what comes out. Which
// library has the symbol shows when machine code is made.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/triton/Extern.h"

#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"

namespace gluonc::sema::ops {
namespace {

constexpr llvm::StringLiteral tableName = "arg_type_symbol_dict";

/// A row of the table: types of arguments, symbol, type of the result.
struct Row {
  llvm::SmallVector<DType> types;
  llvm::StringRef symbol;
  DType result;
};

bool isSequence(const Value &value) {
  return value.is(ValueKind::Tuple) || value.is(ValueKind::List);
}

/// Nullopt where it is none.
std::optional<Row> readRow(const Value &key, const Value &value) {
  auto isType = [](const Value &item) { return item.is(ValueKind::DType); };
  if (!isSequence(key) || !llvm::all_of(key.items(), isType) || !isSequence(value) ||
      value.items().size() != 2 || !value.items()[0].is(ValueKind::String) ||
      !isType(value.items()[1]) || value.items()[1].dtype().isVoid())
    return std::nullopt;
  Row row;
  for (const Value &item : key.items())
    row.types.push_back(item.dtype());
  row.symbol = value.items()[0].asString();
  row.result = value.items()[1].dtype();
  return row;
}

std::optional<llvm::SmallVector<Row, 4>> readTable(Context &context, const BoundArgs &arguments) {
  const Value &table = arguments[tableName];
  llvm::SmallVector<Row, 4> rows;
  if (table.is(ValueKind::Dict))
    for (const auto &[key, value] : table.dictItems())
      if (std::optional<Row> row = readRow(key, value))
        rows.push_back(std::move(*row));
  if (!table.is(ValueKind::Dict) || rows.empty() || rows.size() != table.dictItems().size()) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(tableName), tableName,
                "a dict: tuples of types to (symbol, type of the result)", table.typeName())
        .end();
    return std::nullopt;
  }
  return rows;
}

const Row *rowFor(llvm::ArrayRef<Row> rows, llvm::ArrayRef<Operand> operands) {
  const Row *row = llvm::find_if(rows, [&](const Row &each) {
    return each.types.size() == operands.size() &&
           llvm::all_of_zip(each.types, operands, [](DType type, const Operand &operand) {
             return type == operand.value.dtype();
           });
  });
  return row == rows.end() ? nullptr : row;
}

std::string typesText(const auto &types) {
  std::string text = "(";
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(types, out, [&](const auto &type) { out << type.shortName(); });
  out << ')';
  return text;
}

/// All operands in the type that arithmetic would compute in.
bool promoteAll(Context &context, llvm::MutableArrayRef<Operand> operands) {
  auto isPointer = [](const Operand &operand) { return operand.value.dtype().isPointer(); };
  if (operands.size() < 2 || llvm::any_of(operands, isPointer))
    return true;
  Operand widest = operands[0];
  for (const Operand &operand : operands.drop_front()) {
    std::optional<DType> type =
        promotedType(context, externElementwise, Promotion::Plain, widest, operand);
    if (!type)
      return false;
    if (*type == operand.value.dtype())
      widest = operand;
  }
  for (Operand &operand : operands) {
    Result value = castTensor(context, operand.value, widest.value.dtype(), operand.span);
    if (!value)
      return false;
    operand.value = *value;
  }
  return true;
}

/// The row for the operands, which may be converted for it. Null after a report.
const Row *choose(Context &context, const BoundArgs &arguments, llvm::ArrayRef<Row> rows,
                  llvm::MutableArrayRef<Operand> operands) {
  if (const Row *row = rowFor(rows, operands))
    return row;
  if (!promoteAll(context, operands))
    return nullptr;
  if (const Row *row = rowFor(rows, operands))
    return row;
  std::string known;
  for (const Row &row : rows)
    known += (known.empty() ? "" : ", ") + typesText(row.types);
  auto given =
      llvm::map_to_vector(operands, [](const Operand &each) { return each.value.dtype(); });
  context
      .report(diag::Kind::BadArgument, arguments.span("args"),
              "no symbol is for arguments of the types " + typesText(given))
      .hint("there are symbols for {0}", known);
  return nullptr;
}

/// extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure)
Result emitExtern(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::StringRef> name = stringArgument(context, arguments, "lib_name");
  std::optional<llvm::StringRef> path = stringArgument(context, arguments, "lib_path");
  std::optional<bool> isPure = boolArgument(context, arguments, "is_pure");
  auto rows = readTable(context, arguments);
  if (!name || !path || !isPure || !rows)
    return std::nullopt;
  const Value &given = arguments["args"];
  llvm::SmallVector<Operand, 4> operands;
  if (!isSequence(given)) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("args"), "args", "a list of tensors",
                given.typeName())
        .end();
    return std::nullopt;
  }
  for (const Value &item : given.items()) {
    Operand operand = {item, arguments.span("args")};
    if (!item.isNumber() && !item.isTensor()) {
      context
          .report(diag::Kind::ArgumentKind, operand.span, "args", "a list of tensors",
                  item.typeName())
          .end();
      return std::nullopt;
    }
    Result value = materialize(context, operand);
    if (!value)
      return std::nullopt;
    operand.value = *value;
    operands.push_back(std::move(operand));
  }
  const Row *row = choose(context, arguments, *rows, operands);
  if (!row ||
      (operands.size() > 1 && !broadcast(context, llvm::MutableArrayRef<Operand>(operands))))
    return std::nullopt;
  mlir::Type type = operands.empty()
                        ? row->result.toMlir(context.mlirContext())
                        : typeWithElement(context, operands[0].value.irType(), row->result);
  auto handles = llvm::map_to_vector(operands, [](const Operand &each) { return each.value.ir(); });
  return tensor(tt::ExternElementwiseOp::create(context.builder, context.loc(), type, handles,
                                                *name, *path, row->symbol, *isPure),
                row->result);
}

} // namespace

llvm::ArrayRef<Builtin> externBuiltins() {
  static const Builtin table[] = {
      {externElementwise,
       "lib_name: str, lib_path: str, args: sequence, arg_type_symbol_dict: value, is_pure: bool, "
       "_semantic: value = None, _builder: value = None",
       emitExtern},
  };
  return table;
}

} // namespace gluonc::sema::ops
