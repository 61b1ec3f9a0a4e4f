//===- Input.h - Messages from a file descriptor --------------------------------===//
#pragma once

#include "llvm/Support/LSP/Transport.h"

#include <functional>
#include <string>

namespace gluonc::lsp {

/// Frames of the protocol. What is no frame, or holds no JSON-RPC, is skipped; a process may write
/// what it likes. While nothing has come it calls `whenIdle`, which does a piece of what takes time
/// and says whether there was any.
class Input : public llvm::lsp::JSONTransportInput {
public:
  Input(int descriptor, std::function<bool()> whenIdle)
      : descriptor(descriptor), whenIdle(std::move(whenIdle)) {}

  bool hasError() const override { return false; }
  bool isEndOfInput() const override { return isAtEnd; }
  llvm::LogicalResult readStandardMessage(std::string &json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &) override { return llvm::failure(); }

private:
  /// Reads more into `buffer`; false at the end.
  bool fill();
  /// Up to and without the next line break, also a carriage return in front of it.
  bool readLine(std::string &line);
  bool readBytes(size_t count, std::string &bytes);

  int descriptor;
  std::function<bool()> whenIdle;
  std::string buffer;
  bool isAtEnd = false;
};

} // namespace gluonc::lsp
