//===- Shape.cpp - Programs, ranges, shapes, layouts --------------------------------===//
#include "lift/ops/Handlers.h"

#include "ir/Encoding.h"
#include "layout/named/Inference.h"

using namespace mlir;

namespace gluonc::lift {

static layout::Layout layoutOfBlock(Value block) {
  return toLayout(cast<RankedTensorType>(block.getType()).getEncoding());
}

static ArrayRef<int64_t> shapeOf(Value block) {
  return cast<RankedTensorType>(block.getType()).getShape();
}

Expr inLayoutOf(Tree &tree, RankedTensorType type, const layout::Layout &inferred, Expr expr) {
  if (fromLayout(type.getContext(), inferred) == type.getEncoding())
    return expr;
  return {"gl.convert_layout(" + expr.text + ", " + tree.file().layout(type.getEncoding()) +
          ", assert_trivial=True)"};
}

/// The same where there may be no layout that follows.
static std::optional<Expr> inLayoutOf(Tree &tree, Value result, const layout::Inferred &inferred,
                                      Expr expr) {
  if (!inferred)
    return std::nullopt;
  return inLayoutOf(tree, cast<RankedTensorType>(result.getType()), *inferred.layout,
                    std::move(expr));
}

static std::optional<Expr> handleProgram(Tree &, tt::GetProgramIdOp op) {
  return Expr{"gl.program_id(" + std::to_string(int(op.getAxis())) + ")"};
}

static std::optional<Expr> handlePrograms(Tree &, tt::GetNumProgramsOp op) {
  return Expr{"gl.num_programs(" + std::to_string(int(op.getAxis())) + ")"};
}

static std::optional<Expr> handleRange(Tree &tree, tt::MakeRangeOp op) {
  Call call(tree, "gl.arange");
  return call.add(llvm::Twine(int32_t(op.getStart())))
      .add(llvm::Twine(int32_t(op.getEnd())))
      .add(tree.file().layout(op.getType().getEncoding()))
      .end();
}

static std::optional<Expr> handleSplat(Tree &tree, tt::SplatOp op) {
  Facts facts = tree.facts(op.getSrc());
  tree.setFacts(op.getResult(), facts);
  auto type = op.getType();
  std::optional<std::string> dtype = dtypeText(type.getElementType(), facts.isUnsigned);
  if (!dtype)
    return std::nullopt;
  Call call(tree, "gl.full");
  return call.add(listText(type.getShape()))
      .value(op.getSrc())
      .add(*dtype)
      .add(tree.file().layout(type.getEncoding()))
      .end();
}

static std::optional<Expr> handleUnsplat(Tree &tree, tt::UnsplatOp op) {
  tree.setFacts(op.getResult(), tree.facts(op.getSrc()));
  return Expr{tree.object(op.getSrc()) + ".reshape([])"};
}

static std::optional<Expr> handleExpandDims(Tree &tree, tt::ExpandDimsOp op) {
  Value source = op.getSrc();
  tree.setFacts(op.getResult(), tree.facts(source));
  unsigned rank = unsigned(shapeOf(source).size());
  std::string subscript;
  for (unsigned i = 0; i <= rank; ++i)
    subscript += (i ? ", " : "") + std::string(i == op.getAxis() ? "None" : ":");
  return inLayoutOf(tree, op.getResult(),
                    layout::expandDimsLayout(layoutOfBlock(source), shapeOf(source), op.getAxis()),
                    Expr{tree.object(source) + "[" + subscript + "]"});
}

static std::optional<Expr> handleBroadcast(Tree &tree, tt::BroadcastOp op) {
  tree.setFacts(op.getResult(), tree.facts(op.getSrc()));
  return Expr{tree.object(op.getSrc()) + ".broadcast_to(" + listText(op.getType().getShape()) +
              ")"};
}

static std::optional<Expr> handleReshape(Tree &tree, tt::ReshapeOp op) {
  if (op.getAllowReorder())
    return std::nullopt;
  Value source = op.getSrc();
  tree.setFacts(op.getResult(), tree.facts(source));
  ArrayRef<int64_t> shape = op.getType().getShape();
  return inLayoutOf(tree, op.getResult(),
                    layout::reshapeLayout(layoutOfBlock(source), shapeOf(source), shape),
                    Expr{tree.object(source) + ".reshape(" + listText(shape) + ")"});
}

static std::optional<Expr> handleTrans(Tree &tree, tt::TransOp op) {
  Value source = op.getSrc();
  tree.setFacts(op.getResult(), tree.facts(source));
  llvm::SmallVector<int64_t> order(op.getOrder());
  return inLayoutOf(tree, op.getResult(),
                    layout::transposeLayout(layoutOfBlock(source), shapeOf(source), order),
                    Expr{tree.object(source) + ".permute(" + listText(order) + ")"});
}

static std::optional<Expr> handleJoin(Tree &tree, tt::JoinOp op) {
  Value left = op.getLhs();
  bool isUnsigned = tree.areUnsigned(left, op.getRhs());
  tree.setFacts(op.getResult(), {.isUnsigned = isUnsigned});
  Call call(tree, "gl.join");
  call.add(tree.withSign(left, isUnsigned).text).add(tree.withSign(op.getRhs(), isUnsigned).text);
  return inLayoutOf(tree, op.getResult(), layout::joinLayout(layoutOfBlock(left), shapeOf(left)),
                    call.end());
}

static std::optional<Expr> handleSplit(Tree &tree, tt::SplitOp op) {
  Value source = op.getSrc();
  for (Value result : op->getResults())
    tree.setFacts(result, tree.facts(source));
  auto type = cast<RankedTensorType>(op.getOutLHS().getType());
  layout::Inferred inferred = layout::splitLayout(layoutOfBlock(source), shapeOf(source));
  if (!inferred || fromLayout(op.getContext(), *inferred.layout) != type.getEncoding())
    return std::nullopt;
  return Call(tree, "gl.split").value(source).end();
}

static std::optional<Expr> handleConvert(Tree &tree, ttg::ConvertLayoutOp op) {
  tree.setFacts(op.getResult(), tree.facts(op.getSrc()));
  Call call(tree, "gl.convert_layout");
  return call.value(op.getSrc()).add(tree.file().layout(op.getType().getEncoding())).end();
}

static std::optional<Expr> handleGather(Tree &tree, tt::GatherOp op) {
  tree.setFacts(op.getResult(), tree.facts(op.getSrc()));
  Call call(tree, "gl.gather");
  return call.value(op.getSrc()).value(op.getIndices()).add(llvm::Twine(op.getAxis())).end();
}

static std::optional<Expr> handleHistogram(Tree &tree, tt::HistogramOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Call call(tree, "gl.histogram");
  call.optional("mask", op.getMask()).keyword("layout", tree.file().layout(type.getEncoding()));
  return call.value(op.getSrc()).add(llvm::Twine(type.getDimSize(0))).end();
}

static std::optional<Expr> handleFp4(Tree &tree, ttg::Fp4ToFpOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Call call(tree, "gl.fp4_to_fp");
  return call.value(op.getSrc())
      .add(*dtypeText(type.getElementType()))
      .add(llvm::Twine(op.getAxis()))
      .end();
}

void addShape(HandlerTable &table) {
  on<tt::GetProgramIdOp, handleProgram>(table);
  on<tt::GetNumProgramsOp, handlePrograms>(table);
  on<tt::MakeRangeOp, handleRange>(table);
  on<tt::SplatOp, handleSplat>(table);
  on<tt::UnsplatOp, handleUnsplat>(table);
  on<tt::ExpandDimsOp, handleExpandDims>(table);
  on<tt::BroadcastOp, handleBroadcast>(table);
  on<tt::ReshapeOp, handleReshape>(table);
  on<tt::TransOp, handleTrans>(table);
  on<tt::JoinOp, handleJoin>(table);
  on<tt::SplitOp, handleSplit>(table);
  on<tt::GatherOp, handleGather>(table);
  on<tt::HistogramOp, handleHistogram>(table);
  on<ttg::ConvertLayoutOp, handleConvert>(table);
  on<ttg::Fp4ToFpOp, handleFp4>(table);
}

} // namespace gluonc::lift
