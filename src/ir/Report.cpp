#include "ir/Report.h"

#include "ir/SourceLocation.h"

using namespace mlir;

namespace gluonc {

static InFlightDiagnostic emit(diag::Severity severity, Location location) {
  if (severity == diag::Severity::Error)
    return emitError(location);
  return severity == diag::Severity::Warning ? emitWarning(location) : emitRemark(location);
}

InFlightDiagnostic reportText(diag::Kind kind, Location location, std::string text) {
  InFlightDiagnostic diagnostic = emit(diag::info(kind).severity, location);
  diagnostic << text;
  diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(unsigned(kind)));
  return diagnostic;
}

std::optional<diag::Kind> kindOf(Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Unsigned)
      return diag::Kind(argument.getAsUnsigned());
  return std::nullopt;
}

DiagnosticBridge::DiagnosticBridge(MLIRContext *context, const diag::SourceManager &sources,
                                   diag::Sink &sink, diag::Kind error, diag::Span nowhere)
    : sources(sources), sink(sink), error(error), nowhere(nowhere),
      handler(context, [this](Diagnostic &diagnostic) {
        forward(diagnostic);
        return success();
      }) {}

/// The place in the source alone, which iterations of unrolled loops have in common.
static Location placeOf(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(placeOf(call.getCallee()), placeOf(call.getCaller()));
  if (auto name = dyn_cast<NameLoc>(location))
    return placeOf(name.getChildLoc());
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && fused.getLocations().size() == 1 ? placeOf(fused.getLocations().front())
                                                   : location;
}

void DiagnosticBridge::forward(Diagnostic &diagnostic) {
  bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  std::optional<diag::Kind> kind = kindOf(diagnostic);
  if (!isError && !kind && diagnostic.getSeverity() != DiagnosticSeverity::Warning)
    return;
  Location location = diagnostic.getLocation();
  std::string text = diagnostic.str();
  if (!isError && !told.insert({placeOf(location).getAsOpaquePointer(), text}).second)
    return;
  diag::Span span = spanOf(location, sources);
  if (!span)
    span = nowhere;
  diag::Builder report =
      kind ? diag::Builder(sink, {*kind, diag::info(*kind).severity, span, text, {}, {}, {}})
           : sink.report(isError ? error : diag::Kind::KernelWarning, span, text);
  for (Diagnostic &note : diagnostic.getNotes())
    (void)std::move(report).label(spanOf(note.getLocation(), sources), "{0}", note.str());
  for (diag::Span caller : callChainOf(location, sources))
    if (caller.file != span.file || caller.begin != span.begin)
      (void)std::move(report).label(caller, "called from here");
}

} // namespace gluonc
