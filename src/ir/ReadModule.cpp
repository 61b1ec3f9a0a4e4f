#include "ir/ReadModule.h"

#include "ir/CheckText.h"
#include "ir/Dialects.h"
#include "support/File.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Whoever asks for one of these and finds no number takes what is usual: text that has something
/// else there must not get so far.
LogicalResult checkAttributes(ModuleOp module) {
  struct Count {
    llvm::StringRef name;
    int64_t least, most;
  };
  for (auto [name, least, most] :
       {Count{ttg::numWarpsAttr, 1, 64}, Count{ttg::numCtasAttr, 1, 16},
        Count{ttg::threadsPerWarpAttr, 1, 64}, Count{ttg::maxRegistersAttr, 1, 255}}) {
    Attribute attribute = module->getAttr(name);
    auto number = llvm::dyn_cast_or_null<IntegerAttr>(attribute);
    if (attribute && !(number && number.getType().isInteger(32) && number.getInt() >= least &&
                       number.getInt() <= most))
      return module.emitError() << "`" << name << "` is an i32 from " << least << " to " << most;
  }
  return success();
}

} // namespace

OwningOpRef<ModuleOp> readModule(MLIRContext &context, llvm::StringRef text, llvm::StringRef file) {
  if (text.size() > mostSourceBytes) {
    emitError(FileLineColLoc::get(&context, file, 1, 1))
        << "the text is larger than " << (mostSourceBytes >> 20) << " MiB";
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
