#include "diag/Diagnostic.h"

#include "llvm/Support/ErrorHandling.h"

namespace gluonc::diag {
namespace {
const KindInfo table[] = {
#define GL_DIAG(number, name, severity, text) {number, #name, Severity::severity, text},
#include "diag/Kinds.def"
};
} // namespace

llvm::StringRef nameOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  }
  llvm_unreachable("no severity");
}

const KindInfo &info(Kind kind) { return table[static_cast<size_t>(kind)]; }
llvm::ArrayRef<KindInfo> allKinds() { return table; }

std::string format(llvm::StringRef text, llvm::ArrayRef<std::string> arguments) {
  std::string result;
  while (!text.empty()) {
    size_t open = text.find('{');
    result += text.substr(0, open);
    if (open == llvm::StringRef::npos)
      break;
    text = text.substr(open);
    size_t close = text.find('}');
    size_t index;
    if (close == llvm::StringRef::npos || text.substr(1, close - 1).getAsInteger(10, index) ||
        index >= arguments.size()) {
      result += '{';
      text = text.drop_front();
      continue;
    }
    result += arguments[index];
    text = text.substr(close + 1);
  }
  return result;
}

Diagnostic make(Kind kind, Span span, std::vector<std::string> arguments) {
  const KindInfo &kindInfo = info(kind);
  std::string message = format(kindInfo.text, arguments);
  return {kind, kindInfo.severity, span, std::move(message), {}, {}, std::move(arguments)};
}

Builder::~Builder() {
  if (sink)
    sink->submit(std::move(diagnostic));
}

void Sink::submit(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error)
    ++errors;
  handle(std::move(diagnostic));
}

} // namespace gluonc::diag
