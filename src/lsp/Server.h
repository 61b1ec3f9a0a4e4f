//===- Server.h - The editor's server -------------------------------------------===//
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace gluonc::lsp {

/// Talks the Language Server Protocol until the client says `exit` or is gone. Gives the exit
/// status: 0 where the client has asked for a shutdown before. Imports are looked for in
/// `searchPath` behind a file's own folder.
int serve(int input, llvm::raw_ostream &output, std::vector<std::string> searchPath);

} // namespace gluonc::lsp
