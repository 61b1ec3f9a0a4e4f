#include "ir/text/ReadModule.h"

#include "ir/Dialects.h"
#include "ir/Report.h"
#include "ir/text/CheckText.h"
#include "support/File.h"
#include "target/Limits.h"
#include "target/nvidia/Registers.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Whoever asks for one of these and finds no number takes what is usual: text that has something
/// else there must not get so far.
LogicalResult checkAttributes(ModuleOp module) {
  auto lanes = module->getAttrOfType<IntegerAttr>(ttg::threadsPerWarpAttr);
  bool isWide = lanes && lanes.getType().isInteger(32) && lanes.getInt() == target::maxWarpSize;
  const int64_t mostWarps =
      target::maxWarpsPerCta(isWide ? target::maxWarpSize : target::minWarpSize);
  struct Count {
    llvm::StringRef name;
    int64_t least, most;
  };
  for (auto [name, least, most] :
       {Count{ttg::numWarpsAttr, 1, mostWarps},
        Count{ttg::numCtasAttr, 1, target::maxCtasPerCluster},
        Count{ttg::threadsPerWarpAttr, 1, target::maxWarpSize},
        Count{ttg::maxRegistersAttr, 1, target::nvidia::maxRegistersPerThread}}) {
    Attribute attribute = module->getAttr(name);
    auto number = llvm::dyn_cast_or_null<IntegerAttr>(attribute);
    if (attribute && !(number && number.getType().isInteger(32) && number.getInt() >= least &&
                       number.getInt() <= most))
      return report(diag::Kind::LaunchAttribute, module.getLoc(), name, least, most);
  }
  return success();
}

} // namespace

OwningOpRef<ModuleOp> readModule(MLIRContext &context, llvm::StringRef text, llvm::StringRef file) {
  if (text.size() > mostSourceBytes) {
    report(diag::Kind::IrTooLarge, FileLineColLoc::get(&context, file, 1, 1),
           mostSourceBytes >> 20);
    return nullptr;
  }
  if (std::optional<TextProblem> problem = checkText(text)) {
    llvm::StringRef head(text.data(), problem->where - text.data());
    size_t line = head.rfind('\n') + 1;
    emitError(FileLineColLoc::get(&context, file, head.count('\n') + 1, head.size() - line + 1))
        << problem->what;
    return nullptr;
  }
  // Between operations the parser goes on behind a string without an end.
  bool hasErrors = false;
  ScopedDiagnosticHandler watch(&context, [&](Diagnostic &diagnostic) {
    hasErrors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context), file);
  if (hasErrors || (module && failed(checkAttributes(*module))))
    return nullptr;
  return module;
}

} // namespace gluonc
