//===- Facts.h - From a kernel's IR to facts about its accesses -------------------===//
#pragma once

#include "driver/Arguments.h"
#include "explain/Facts.h"
#include "ir/Dialects.h"
#include "target/Target.h"

namespace gluonc::driver {

/// What a transformed module, which has one kernel, says of its accesses to memory and its changes
/// of layouts. `arguments` has the names of parameters.
explain::Facts factsOf(mlir::ModuleOp module, const target::Target &target,
                       const KernelArguments &arguments, const diag::SourceManager &sources);

/// Where an operation is, and who called it.
void place(explain::Fact &fact, mlir::Operation *op, const diag::SourceManager &sources);

/// The parts of it.
std::vector<explain::GlobalFact> globalFacts(tt::FuncOp function, const KernelArguments &arguments,
                                             const diag::SourceManager &sources);
/// Of a function of the kernel.
std::vector<explain::SharedFact> sharedFacts(tt::FuncOp function, const target::Target &target,
                                             const diag::SourceManager &sources);
std::vector<explain::ExchangeFact> exchangeFacts(tt::FuncOp function,
                                                 const diag::SourceManager &sources);
std::vector<explain::ConversionFact> conversionFacts(tt::FuncOp kernel,
                                                     const diag::SourceManager &sources);
std::vector<explain::ValueFact> valueFacts(tt::FuncOp kernel, const diag::SourceManager &sources);
std::vector<explain::WaitFact> waitFacts(tt::FuncOp kernel, const diag::SourceManager &sources);
/// Loads of loops for products of the same iteration.
std::vector<explain::WaitFact> loadFacts(tt::FuncOp kernel, const diag::SourceManager &sources);
/// Of kernels with partitions.
std::vector<explain::WaitFact> handOverFacts(tt::FuncOp kernel, const diag::SourceManager &sources);
/// Who takes shared and tensor memory.
void addOnChipFacts(explain::Facts &facts, tt::FuncOp kernel, const diag::SourceManager &sources);

} // namespace gluonc::driver
