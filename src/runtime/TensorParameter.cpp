#include "runtime/TensorParameter.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace gluonc::runtime {

llvm::Error check(const TensorParameter &parameter, const TensorDescription &tensor) {
  if (parameter.expandedRank)
    return llvm::Error::success();
  return parameter.box ? cuda::check(*parameter.box, tensor) : hip::check(*parameter.block, tensor);
}

llvm::ArrayRef<int64_t> passedStrides(const TensorParameter &parameter,
                                      const TensorDescription &tensor) {
  unsigned rank = parameter.rank();
  return llvm::ArrayRef(tensor.strides).take_front(parameter.expandedRank ? rank - 1 : rank);
}

static void appendDims(const TensorParameter &parameter, const TensorDescription &tensor,
                       Slots &slots) {
  llvm::append_range(slots, llvm::ArrayRef(tensor.shape).take_front(parameter.rank()));
  llvm::append_range(slots, passedStrides(parameter, tensor));
}

llvm::Error append(const cuda::Driver &driver, const TensorParameter &parameter,
                   const TensorDescription &tensor, cuda::TensorMap *&next, Slots &slots) {
  if (parameter.box) {
    slots.push_back(reinterpret_cast<uintptr_t>(next));
    if (llvm::Error error = cuda::encode(driver, *parameter.box, tensor, *next++))
      return error;
  } else {
    slots.push_back(tensor.base);
  }
  appendDims(parameter, tensor, slots);
  return llvm::Error::success();
}

void append(const TensorParameter &parameter, const TensorDescription &tensor, Slots &slots) {
  if (parameter.block)
    hip::appendWords(*parameter.block, tensor, slots);
  else
    slots.push_back(tensor.base);
  appendDims(parameter, tensor, slots);
}

} // namespace gluonc::runtime
