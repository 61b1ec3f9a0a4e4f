#include "Session.h"
#include "lsp/Server.h"

#include <unistd.h>

namespace gluonc::tool {

int lspCommand(Session &session) {
  if (!session.line.positional().empty())
    return session.usage("files come from the editor");
  return lsp::serve(STDIN_FILENO, llvm::outs(), session.searchPath());
}

} // namespace gluonc::tool
