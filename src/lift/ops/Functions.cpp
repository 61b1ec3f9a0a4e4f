//===- Functions.cpp - Functions of the program, of libraries, and output -----------------===//
#include "lift/Body.h"
#include "lift/ops/Handlers.h"

#include "ir/Hint.h"
#include "ir/Scope.h"

using namespace mlir;

namespace gluonc::lift {

/// `a, b` and on.
static std::string nameOfNumber(unsigned number) {
  return number < 26 ? std::string(1, char('a' + number)) : "x" + std::to_string(number);
}

/// A function of the file whose body is the block. Empty after an error.
static std::string functionOf(File &file, Block &block, llvm::StringRef wanted,
                              llvm::StringRef decorator, const std::vector<Facts> &facts) {
  return file.function(&block, wanted, [&](llvm::StringRef name) -> std::optional<std::string> {
    Body body(file);
    std::string parameters;
    for (BlockArgument argument : block.getArguments()) {
      unsigned number = argument.getArgNumber();
      Facts given = number < facts.size() ? facts[number] : Facts();
      parameters += (number ? ", " : "") + body.parameter(argument, nameOfNumber(number), given);
    }
    // Combinations give what they take.
    body.returned = facts;
    if (!body.functionBlock(block))
      return std::nullopt;
    return (decorator + "\ndef " + name + "(" + parameters + "):\n" + body.takeText()).str();
  });
}

/// The one operation by which the block combines its two arguments; null where there is more.
static Operation *onlyOperation(Block &block) {
  if (block.getNumArguments() != 2 || !llvm::hasSingleElement(block.without_terminator()))
    return nullptr;
  Operation *op = &block.front();
  bool combines = op->getNumOperands() == 2 && op->getOperand(0) == block.getArgument(0) &&
                  op->getOperand(1) == block.getArgument(1) && op->getNumResults() == 1 &&
                  block.getTerminator()->getOperand(0) == op->getResult(0);
  return combines ? op : nullptr;
}

/// The reduction of the language that combines so; empty where none does.
static llvm::StringRef builtinFor(Block &block) {
  Operation *op = onlyOperation(block);
  if (!op)
    return "";
  Type type = op->getResult(0).getType();
  // Narrow integers would be widened first, for extrema floats, too.
  bool isWide = type.getIntOrFloatBitWidth() >= 32;
  if (isa<arith::AddFOp>(op) || (isa<arith::AddIOp>(op) && isWide))
    return "gl.sum";
  if (isa<arith::MaxNumFOp, arith::MaxSIOp>(op) && isWide)
    return "gl.max";
  if (isa<arith::MinNumFOp, arith::MinSIOp>(op) && isWide)
    return "gl.min";
  return "";
}

/// Two scalars of each source, with what is known of it.
static std::vector<Facts> factsOfBoth(Tree &tree, ValueRange sources) {
  std::vector<Facts> facts;
  for (int side = 0; side < 2; ++side)
    for (Value source : sources)
      facts.push_back(tree.facts(source));
  return facts;
}

static std::string sourcesText(Tree &tree, ValueRange sources) {
  std::string text;
  for (Value source : sources)
    text += (text.empty() ? "" : ", ") + tree.argument(source);
  return sources.size() == 1 ? text : "(" + text + ")";
}

template <typename Op>
static std::optional<Expr> combine(Tree &tree, Op op, llvm::StringRef function,
                                   llvm::StringRef wanted, llvm::StringRef options) {
  Block &block = op.getCombineOp().front();
  std::string callee =
      functionOf(tree.file(), block, wanted, "@gluon.jit", factsOfBoth(tree, op.getSrcs()));
  if (callee.empty())
    return std::nullopt;
  for (auto [source, result] : llvm::zip(op.getSrcs(), op.getResult()))
    tree.setFacts(result, tree.facts(source));
  std::string sources = sourcesText(tree, op.getSrcs());
  return Expr{
      (function + "(" + sources + ", " + llvm::Twine(op.getAxis()) + ", " + callee + options + ")")
          .str()};
}

static std::optional<Expr> handleReduce(Tree &tree, tt::ReduceOp op) {
  llvm::StringRef builtin = builtinFor(op.getCombineOp().front());
  if (builtin.empty())
    return combine(tree, op, "gl.reduce", "combine", "");
  Value source = op.getSrcs().front();
  bool isSum = builtin == "gl.sum";
  tree.setFacts(op.getResult().front(), isSum ? tree.facts(source) : Facts());
  Call call(tree, builtin);
  return call.add(isSum ? tree.argument(source) : tree.signedArgument(source))
      .add(llvm::Twine(op.getAxis()))
      .end();
}

static std::optional<Expr> handleScan(Tree &tree, tt::ScanOp op) {
  return combine(tree, op, "gl.associative_scan", "combine",
                 op.getReverse() ? ", reverse=True" : "");
}

static std::optional<Expr> handleMap(Tree &tree, tt::MapElementwiseOp op) {
  if (!op.getScalarOp().hasOneBlock())
    return std::nullopt;
  std::vector<Facts> facts;
  for (Value source : op.getSrcs())
    facts.insert(facts.end(), op.getPack(), tree.facts(source));
  std::string callee =
      functionOf(tree.file(), op.getScalarOp().front(), "of_elements", "@gluon.jit", facts);
  if (callee.empty())
    return std::nullopt;
  Call call(tree, "gl.map_elementwise");
  call.add(callee);
  for (Value source : op.getSrcs())
    call.value(source);
  if (op.getPack() == 1)
    return call.end();
  Expr made = call.keyword("pack", llvm::Twine(op.getPack())).end();
  // Several scalars come as a tuple of blocks.
  if (op.getNumResults() == 1)
    made.text += "[0]";
  return made;
}

static std::optional<Expr> handleCall(Tree &tree, tt::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, op.getCalleeAttr());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return std::nullopt;
  llvm::StringRef wanted = op.getCallee();
  wanted = wanted.take_front(wanted.rfind("__"));
  std::string name =
      functionOf(tree.file(), callee.getBody().front(), wanted, "@gluon.jit(noinline=True)", {});
  if (name.empty())
    return std::nullopt;
  Call call(tree, name);
  for (Value operand : op.getOperands())
    call.signedValue(operand);
  return call.end();
}

//===----------------------------------------------------------------------===//
// Libraries and assembly
//===----------------------------------------------------------------------===//

namespace {
struct LibraryRow {
  llvm::StringLiteral name, symbols[4], gives;
};
} // namespace

static constexpr LibraryRow libraryRows[] = {
#define GL_LIBDEVICE(name, arity, f32, f64, i32, i64, gives, what)                                 \
  {#name, {f32, f64, i32, i64}, #gives},
#define GL_LIBDEVICE_OF(name, arity, from, to, what) {#name, {"__nv_" #name, "", "", ""}, ""},
#define GL_LIBDEVICE_CAST(name, from, to, rounding, what) {#name, {"__nv_" #name, "", "", ""}, ""},
#include "ir/tt/Libdevice.def"
};

static std::optional<Expr> handleLibrary(Tree &tree, tt::ExternElementwiseOp op) {
  for (const LibraryRow &row : libraryRows) {
    if (!llvm::is_contained(row.symbols, op.getSymbol()))
      continue;
    Call call(tree, "gl.extra.libdevice." + row.name);
    for (Value source : op.getSrcs())
      call.signedValue(source);
    Expr made = call.end();
    // The language takes its int32 for a bit.
    if (row.gives.ends_with("Predicate"))
      made.text += ".to(gl.int32)";
    return made;
  }
  return std::nullopt;
}

static std::optional<Expr> handleAssembly(Tree &tree, tt::ElementwiseInlineAsmOp op) {
  Call call(tree, "gl.inline_asm_elementwise");
  call.add(quoted(op.getAsmString())).add(quoted(op.getConstraints()));
  std::string arguments, dtypes;
  for (Value argument : op.getArgs())
    arguments += (arguments.empty() ? "" : ", ") + tree.argument(argument);
  for (Value result : op.getResult()) {
    std::optional<std::string> dtype = dtypeText(getElementTypeOrSelf(result.getType()));
    if (!dtype)
      return std::nullopt;
    dtypes += (dtypes.empty() ? "" : ", ") + *dtype;
  }
  call.add("[" + arguments + "]");
  call.add(op.getNumResults() == 1 ? dtypes : "(" + dtypes + ")");
  return call.add(llvm::StringRef(op.getPure() ? "True" : "False"))
      .add(llvm::Twine(op.getPackedElement()))
      .end();
}

//===----------------------------------------------------------------------===//
// Output and promises
//===----------------------------------------------------------------------===//

static std::optional<Expr> handlePrint(Tree &tree, tt::PrintOp op) {
  Call call(tree, "gl.device_print");
  call.add(quoted(op.getPrefix()));
  for (auto [argument, isSigned] : llvm::zip(op.getArgs(), op.getIsSigned()))
    call.add(tree.withSign(argument, !isSigned).text);
  return call.flag("hex", op.getHex()).end();
}

static std::optional<Expr> handleAssert(Tree &tree, tt::AssertOp op) {
  return Call(tree, "gl.device_assert").value(op.getCondition()).add(quoted(op.getMessage())).end();
}

static std::optional<Expr> handleAssume(Tree &tree, llvmir::AssumeOp op) {
  return Call(tree, "gl.assume").value(op.getCondition()).end();
}

/// Its attributes make the calls around it.
static std::optional<Expr> handleHint(Tree &tree, gluon::HintOp op) {
  return Expr{tree.argument(op.getValue())};
}

static std::optional<Expr> handleScope(Tree &tree, gluon::ScopeOp op) {
  return Call(tree, op.getEnds() ? "gl.profiler.exit_scope" : "gl.profiler.enter_scope")
      .add(quoted(op.getName()))
      .end();
}

void addFunctions(HandlerTable &table) {
  on<tt::ReduceOp, handleReduce>(table);
  on<tt::ScanOp, handleScan>(table);
  on<tt::MapElementwiseOp, handleMap>(table);
  on<tt::CallOp, handleCall>(table);
  on<tt::ExternElementwiseOp, handleLibrary>(table);
  on<tt::ElementwiseInlineAsmOp, handleAssembly>(table);
  on<tt::PrintOp, handlePrint>(table);
  on<tt::AssertOp, handleAssert>(table);
  on<llvmir::AssumeOp, handleAssume>(table);
  on<gluon::HintOp, handleHint>(table);
  on<gluon::ScopeOp, handleScope>(table);
}

} // namespace gluonc::lift
