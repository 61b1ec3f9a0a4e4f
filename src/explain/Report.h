//===- Report.h - A profile as text and as JSON ----------------------------------===//
#pragma once

#include "explain/Findings.h"

#include "llvm/Support/JSON.h"

namespace gluonc::explain {

/// Totals, the lines that cost something, findings: for a terminal.
void printText(const Profile &profile, llvm::ArrayRef<Finding> findings, llvm::raw_ostream &out);

/// The same for programs; docs/explain.md has the schema.
llvm::json::Object toJson(const Profile &profile, llvm::ArrayRef<Finding> findings);

} // namespace gluonc::explain
