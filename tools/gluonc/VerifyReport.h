//===- VerifyReport.h - What `gluonc verify` has found --------------------------===//
#pragma once

#include "Session.h"
#include "driver/verify/Accuracy.h"
#include "sim/machine/Schedule.h"

#include "llvm/Support/JSON.h"

namespace gluonc::tool {

/// A tensor that a kernel writes, by one execution, beside the first execution.
struct ComparedTensor {
  std::string tensor, execution;
  driver::AllowedDifference allowed;
  driver::TensorDifference difference;
};

struct VerifyReport {
  std::string kernel, target;
  /// The first is what the others are compared with.
  std::vector<std::string> executions;
  /// Those that did not run, each with the reason.
  std::vector<std::pair<std::string, std::string>> absent;
  /// What may round otherwise, of all rounds.
  std::vector<driver::InexactOperation> inexact;
  uint64_t rounds = 0;
  /// Of the round that failed, if one did, else the largest differences of all.
  std::vector<ComparedTensor> tensors;
  /// Of the simulator, in the last round; whether there are no others.
  uint64_t schedules = 0;
  /// Begun, and left where only what had been tried would have come.
  uint64_t cutSchedules = 0;
  bool areAllSchedules = false;
  /// What was done, and chosen, under the schedule that failed.
  std::vector<sim::Schedule::Step> steps;
  std::string schedule;
  /// Executions that stopped at a fault, in the round that failed.
  std::vector<std::string> faulted;
  /// Arguments and command of the round that failed.
  std::vector<driver::ArgumentText> arguments;
  std::string repeat;

  bool failed() const { return !repeat.empty(); }
};

void printText(const VerifyReport &report, llvm::raw_ostream &out);
llvm::json::Value toJson(const VerifyReport &report);

} // namespace gluonc::tool
