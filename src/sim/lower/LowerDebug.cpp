//===- LowerDebug.cpp - print, assert, and what has no meaning here ---------===//
#include "sim/lower/Lowering.h"
#include "sim/machine/Taint.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// print
//===----------------------------------------------------------------------===//

struct PrintData : OpData {
  std::string prefix;
  bool hex = false;
  bool isSigned = true;
  ElementKind kind = ElementKind::I32;
  /// Whole.
  llvm::SmallVector<int64_t, 4> shape;
  const Share *share = nullptr;
  bool hasValue = false;
};

template <class E>
void printInteger(llvm::raw_ostream &out, typename E::Storage value, const PrintData &print) {
  if (print.hex)
    out << llvm::format_hex(value, 2 + (E::kBits + 3) / 4);
  else if (print.isSigned && E::kBits > 1)
    out << int64_t(E::toSigned(value));
  else
    out << uint64_t(value);
}

void printElement(llvm::raw_ostream &out, Cta &cta, Slot slot, uint32_t element,
                  const PrintData &print) {
  uint32_t index = slot.elements == 1 ? 0 : element;
  if (print.kind == ElementKind::Pointer) {
    out << llvm::format_hex(cta.at<uint64_t>(slot)[index], 18);
    return;
  }
  withIntElement(print.kind, [&](auto element) {
    using E = decltype(element);
    printInteger<E>(out, cta.at<typename E::Storage>(slot)[index], print);
  });
  withFloatElement(print.kind, [&](auto element) {
    using E = decltype(element);
    out << llvm::format(print.hex ? "%a" : "%f",
                        double(E::load(cta.at<typename E::Storage>(slot)[index])));
  });
}

/// " idx ( 3, 4)": every index as wide as the greatest of its dim.
void printIndex(llvm::raw_ostream &out, uint32_t element, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<uint32_t, 4> index(shape.size());
  for (size_t dim = index.size(); dim-- > 0; element /= uint32_t(shape[dim]))
    index[dim] = element % uint32_t(shape[dim]);
  out << " idx (";
  for (size_t dim = 0; dim != index.size(); ++dim)
    out << (dim ? ", " : "")
        << llvm::format_decimal(index[dim], std::to_string(shape[dim] - 1).size());
  out << ")";
}

/// One line an element: "pid (0, 0, 0) idx ( 3) prefix: (operand 0) value".
void runPrint(const Instruction &instruction, Cta &cta) {
  const PrintData &print = static_cast<const PrintData &>(*instruction.data);
  std::string text;
  llvm::raw_string_ostream out(text);
  const uint32_t *ids = cta.at<uint32_t>(cta.program.programIds);
  uint32_t elements = 1;
  for (int64_t size : print.shape)
    elements *= uint32_t(size);
  if (print.share)
    elements = print.share->elements;
  for (uint32_t element = 0; element < elements; ++element) {
    out << "pid (" << ids[0] << ", " << ids[1] << ", " << ids[2] << ")";
    if (print.hasValue)
      printIndex(out, print.share ? print.share->toWhole(element, cta.rank()) : element,
                 print.shape);
    out << print.prefix;
    if (print.hasValue)
      printElement(out, cta, instruction.operands[0], element, print);
    out << "\n";
  }
  if (cta.printed.empty() || cta.printed.back().first != cta.programIndex)
    cta.printed.push_back({cta.programIndex, ""});
  cta.printed.back().second += text;
}

bool lowerPrint(Lowering &lowering, mlir::Operation *operation) {
  auto print = mlir::cast<tt::PrintOp>(operation);
  if (print.getArgs().empty()) {
    PrintData *data = lowering.addData<PrintData>();
    data->prefix = print.getPrefix().str();
    lowering.emitOnce(nullptr,
                      [&] { lowering.emit(runPrint, taintNothing, Slot(), {}).data = data; });
    return true;
  }
  for (auto [index, value] : llvm::enumerate(print.getArgs())) {
    PrintData *data = lowering.addData<PrintData>();
    data->prefix = print.getPrefix().str();
    if (print.getArgs().size() > 1)
      data->prefix += "(operand " + std::to_string(index) + ") ";
    data->hex = print.getHex();
    data->isSigned = index >= print.getIsSigned().size() || print.getIsSigned()[index];
    data->kind = lowering.kindOf(value);
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
      data->shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    data->share = lowering.shareOf(value.getType());
    data->hasValue = true;
    // Printing looks at every element, but harms nobody: garbage prints as it is.
    lowering.emitOnce(value.getType(), [&] {
      lowering.emit(runPrint, taintNothing, Slot(), {lowering.slotOf(value)}).data = data;
    });
  }
  return true;
}

//===----------------------------------------------------------------------===//
// assert
//===----------------------------------------------------------------------===//

struct AssertData : OpData {
  std::string message;
};

void runAssert(const Instruction &instruction, Cta &cta) {
  const uint8_t *condition = cta.at<uint8_t>(instruction.operands[0]);
  uint32_t elements = instruction.operands[0].elements;
  const void *failing = std::memchr(condition, 0, elements);
  if (failing)
    cta.fail(instruction, diag::Kind::DeviceAssertFailed,
             {static_cast<const AssertData &>(*instruction.data).message},
             static_cast<const uint8_t *>(failing) - condition);
}

bool lowerAssert(Lowering &lowering, mlir::Operation *operation) {
  auto check = mlir::cast<tt::AssertOp>(operation);
  lowering.setShape(check.getCondition().getType());
  AssertData *data = lowering.addData<AssertData>();
  data->message = check.getMessage().str();
  lowering.emit(runAssert, taintObserve, Slot(), {lowering.slotOf(check.getCondition())}).data =
      data;
  return true;
}

/// What machine code may take for granted holds here, or is reported.
void runAssume(const Instruction &instruction, Cta &cta) {
  if (!*cta.at<uint8_t>(instruction.operands[0]))
    cta.fail(instruction, diag::Kind::AssumptionViolated, {});
}

bool lowerAssume(Lowering &lowering, mlir::Operation *operation) {
  mlir::Value condition = operation->getOperand(0);
  lowering.setShape(condition.getType());
  lowering.emit(runAssume, taintObserve, Slot(), {lowering.slotOf(condition)});
  return true;
}

//===----------------------------------------------------------------------===//
// Machine code
//===----------------------------------------------------------------------===//

bool refuseInlineAsm(Lowering &lowering, mlir::Operation *operation) {
  return lowering.unsupported(operation, "inline assembly");
}

bool refuseExternalFunction(Lowering &lowering, mlir::Operation *operation) {
  return lowering.unsupported(operation,
                              "the external function `" +
                                  mlir::cast<tt::ExternElementwiseOp>(operation).getSymbol() + "`");
}

} // namespace

void addDebug(OperationTable &table) {
  table["tt.print"] = lowerPrint;
  table["tt.assert"] = lowerAssert;
  table["llvm.intr.assume"] = lowerAssume;
  table["gluon.hint"] = table["gluon.scope"] = [](Lowering &, mlir::Operation *) { return true; };
  table["tt.elementwise_inline_asm"] = refuseInlineAsm;
  table["tt.extern_elementwise"] = refuseExternalFunction;
}

} // namespace gluonc::sim
