//===- Report.h - Registered kinds for what passes and verifiers say ----------===//
//
// Passes and verifiers speak through MLIR's diagnostics, which know place, text and
// notes. `report` gives such a diagnostic a registered kind besides; DiagnosticBridge
// hands both on to a sink:
//
//   report(Kind::LayoutConflict, value.getLoc()).attachNote(origin) << "asked for here";
//
// Rules that only text can break say what they say by emitOpError: such errors are of
// the kind that the bridge's owner names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"

#include <set>

namespace gluonc {

mlir::InFlightDiagnostic reportText(diag::Kind kind, mlir::Location location, std::string text);

/// MLIR's diagnostic with the kind's severity and text.
template <typename... Args>
mlir::InFlightDiagnostic report(diag::Kind kind, mlir::Location location, const Args &...args) {
  return reportText(kind, location, diag::format(diag::info(kind).text, {diag::toText(args)...}));
}

/// What `report` was given; nullopt for diagnostics that others made.
std::optional<diag::Kind> kindOf(mlir::Diagnostic &diagnostic);

/// Sends MLIR's errors and warnings, and remarks of registered kinds, to a sink for as long as it
/// lives. A warning or remark about a line of which a loop at compile time has made several
/// operations is told once.
class DiagnosticBridge {
public:
  /// `error` is the kind of errors without one; `nowhere` stands for places outside of `sources`.
  DiagnosticBridge(mlir::MLIRContext *context, const diag::SourceManager &sources, diag::Sink &sink,
                   diag::Kind error, diag::Span nowhere = {});

private:
  void forward(mlir::Diagnostic &diagnostic);

  const diag::SourceManager &sources;
  diag::Sink &sink;
  diag::Kind error;
  diag::Span nowhere;
  std::set<std::pair<const void *, std::string>> told;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace gluonc
