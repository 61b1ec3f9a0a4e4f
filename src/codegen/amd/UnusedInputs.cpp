#include "codegen/amd/UnusedInputs.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// An input and what reads it; what no code of ours reads has no intrinsic.
struct Input {
  StringLiteral attribute;
  std::optional<Intrinsic::ID> reader = std::nullopt;
};

constexpr Input inputs[] = {
    {"amdgpu-no-workgroup-id-x", Intrinsic::amdgcn_workgroup_id_x},
    {"amdgpu-no-workgroup-id-y", Intrinsic::amdgcn_workgroup_id_y},
    {"amdgpu-no-workgroup-id-z", Intrinsic::amdgcn_workgroup_id_z},
    {"amdgpu-no-cluster-id-x", Intrinsic::amdgcn_cluster_id_x},
    {"amdgpu-no-cluster-id-y", Intrinsic::amdgcn_cluster_id_y},
    {"amdgpu-no-cluster-id-z", Intrinsic::amdgcn_cluster_id_z},
    {"amdgpu-no-workitem-id-y", Intrinsic::amdgcn_workitem_id_y},
    {"amdgpu-no-workitem-id-z", Intrinsic::amdgcn_workitem_id_z},
    {"amdgpu-no-dispatch-id", Intrinsic::amdgcn_dispatch_id},
    {"amdgpu-no-dispatch-ptr", Intrinsic::amdgcn_dispatch_ptr},
    {"amdgpu-no-implicitarg-ptr", Intrinsic::amdgcn_implicitarg_ptr},
    {"amdgpu-no-queue-ptr", Intrinsic::amdgcn_queue_ptr},
    {"amdgpu-no-lds-kernel-id", Intrinsic::amdgcn_lds_kernel_id},
    {"amdgpu-no-completion-action"},
    {"amdgpu-no-default-queue"},
    {"amdgpu-no-flat-scratch-init"},
    {"amdgpu-no-heap-ptr"},
    {"amdgpu-no-hostcall-ptr"},
    {"amdgpu-no-multigrid-sync-arg"},
};

bool isRead(const Module &module, std::optional<Intrinsic::ID> reader) {
  return reader && any_of(module, [&](const Function &function) {
           return function.getIntrinsicID() == *reader && !function.use_empty();
         });
}

/// The functions that read the thread's number, themselves or by those that they call: others are
/// not handed it in v31, with which a function has 32 registers.
SmallPtrSet<const Function *, 8> readersOfThreads(const Module &module) {
  SmallPtrSet<const Function *, 8> readers;
  SmallVector<const Function *> left;
  for (const Function &function : module)
    if (function.getIntrinsicID() == Intrinsic::amdgcn_workitem_id_x)
      left.push_back(&function);
  while (!left.empty())
    for (const User *user : left.pop_back_val()->users())
      if (const auto *call = dyn_cast<CallBase>(user))
        if (readers.insert(call->getFunction()).second)
          left.push_back(call->getFunction());
  return readers;
}

bool hasAssembly(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->isInlineAsm();
  });
}

} // namespace

void markUnusedInputs(Module &module) {
  SmallVector<StringRef> unused;
  for (const Input &input : inputs)
    if (!isRead(module, input.reader))
      unused.push_back(input.attribute);
  SmallPtrSet<const Function *, 8> readers = readersOfThreads(module);
  bool namesRegisters = any_of(module, hasAssembly);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (StringRef attribute : unused)
      function.addFnAttr(attribute);
    if (!readers.contains(&function))
      function.addFnAttr("amdgpu-no-workitem-id-x");
    // Products leave their sums in ordinary registers.
    if (!namesRegisters)
      function.addFnAttr("amdgpu-agpr-alloc", "0");
  }
}

} // namespace gluonc::codegen::amd
