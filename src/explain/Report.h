//===- Report.h - A profile as text, as JSON, as a page --------------------------------===//
#pragma once

#include "explain/Findings.h"

#include "llvm/Support/JSON.h"

namespace gluonc::explain {

/// A launch, and what is found in it.
struct Explained {
  Profile profile;
  std::vector<Finding> findings = findWaste(profile);
};

/// Totals, the lines that cost something, findings: for a terminal.
void printText(const Explained &launch, llvm::raw_ostream &out);

/// Its first part: a line that names the launch, then lines of a name and what it is.
void printTotals(const Profile &profile, llvm::raw_ostream &out);
inline constexpr unsigned totalsNameWidth = 15;

/// Totals, then the source with the costs of each line beside it, and what is found behind a click:
/// a page that loads nothing.
void printPage(const Explained &launch, llvm::raw_ostream &out);

/// A part of it: a picture of who takes shared or tensor memory at which lines. Nothing where it is
/// not used.
void printOnChipPicture(const Facts &facts, bool isTensorMemory, llvm::raw_ostream &out);

/// The totals of two launches side by side, and what is found in each: for a terminal.
void printDiff(const Explained &before, const Explained &after, llvm::raw_ostream &out);

/// What printText prints, for programs; docs/explain.md has the schema.
llvm::json::Object toJson(const Explained &launch);

} // namespace gluonc::explain
