#include "codegen/CheckTypes.h"

#include "ir/Encoding.h"

using namespace llvm;

namespace gluonc::codegen {
namespace {

bool canHoldScalar(mlir::Type type) {
  if (tt::PointerType pointer = dyn_cast<tt::PointerType>(type))
    return pointer.getAddressSpace() == 1;
  if (type.isIndex())
    return true;
  if (!type.isIntOrFloat())
    return false;
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 8 || width == 16 || width == 32 || width == 64 || type.isInteger(1);
}

bool isSmallFloat(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

/// 8-bit floats are held as bytes: they may be moved, chosen and converted.
bool computesWithSmallFloats(mlir::Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (isa<mlir::arith::ConstantOp, mlir::arith::SelectOp, mlir::arith::BitcastOp>(op))
    return false;
  bool computes = dialect == "arith" || dialect == "math" ||
                  isa<tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp>(op);
  return computes && (any_of(op->getOperandTypes(), isSmallFloat) ||
                      any_of(op->getResultTypes(), isSmallFloat));
}

/// Eight times what a thread of a GPU holds; ptxas takes 15 s for it, and four times as long for
/// twice as much.
constexpr unsigned mostElements = 2048;

/// Elements of a tensor in one thread.
unsigned elementsInThread(mlir::Type type) {
  mlir::RankedTensorType tensor = dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return 1;
  return toLinear(tensor).removeZeroBases(layout::Dim::Register).inSize(layout::Dim::Register);
}

bool canHold(mlir::Type type) {
  if (mlir::RankedTensorType tensor = dyn_cast<mlir::RankedTensorType>(type))
    return canHoldScalar(tensor.getElementType()) && linearOrNull(tensor);
  if (ttg::MemDescType buffer = dyn_cast<ttg::MemDescType>(type))
    return buffer.isShared() || buffer.isTensorMemory();
  // 128 bits are an answer to a request for work.
  return isa<ttg::AsyncTokenType>(type) || ttng::descriptorOf(type) || type.isInteger(128) ||
         canHoldScalar(type);
}

} // namespace

Error checkTypes(tt::FuncOp function) {
  Error error = Error::success();
  auto check = [&](mlir::Type type, mlir::Location location) {
    bool fits = canHold(type);
    unsigned elements = fits ? elementsInThread(type) : 0;
    if (fits && elements <= mostElements)
      return mlir::WalkResult::advance();
    std::string text;
    raw_string_ostream out(text);
    if (fits)
      out << "a tensor of " << elements << " elements a thread, " << mostElements << " at most,";
    else
      out << "a value of type `" << type << "`";
    cantFail(std::move(error));
    error = make_error<UnsupportedError>(location, std::move(text));
    return mlir::WalkResult::interrupt();
  };
  function.getBody().walk([&](mlir::Operation *op) {
    if (computesWithSmallFloats(op)) {
      cantFail(std::move(error));
      error = make_error<UnsupportedError>(
          op->getLoc(), ("`" + op->getName().getStringRef() + "` of 8-bit floats").str());
      return mlir::WalkResult::interrupt();
    }
    for (mlir::Type type : op->getResultTypes())
      if (check(type, op->getLoc()).wasInterrupted())
        return mlir::WalkResult::interrupt();
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::BlockArgument argument : block.getArguments())
          if (check(argument.getType(), argument.getLoc()).wasInterrupted())
            return mlir::WalkResult::interrupt();
    return mlir::WalkResult::advance();
  });
  if (error)
    return error;
  for (mlir::Block &block : function.getBody())
    for (mlir::BlockArgument argument : block.getArguments())
      if (check(argument.getType(), argument.getLoc()).wasInterrupted())
        return error;
  return error;
}

} // namespace gluonc::codegen
