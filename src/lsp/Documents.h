//===- Documents.h - Files that an editor has open -------------------------------===//
#pragma once

#include "lsp/Analysis.h"
#include "lsp/Positions.h"

#include <map>

namespace gluonc::lsp {

struct Document {
  protocol::URIForFile uri;
  std::string text;
  int64_t version = 0;
  /// Other files are none of the server's business.
  bool hasKernels = false;
  /// Of this text; null until somebody asks.
  std::unique_ptr<Analysis> analysis = nullptr;
  /// Whether the client knows what is wrong with it.
  bool isPublished = false;
  /// An internal error came of this text.
  bool isBroken = false;
};

class Documents {
public:
  explicit Documents(std::vector<std::string> searchPath);

  /// Opens a file, or changes its text.
  void set(const protocol::URIForFile &uri, std::string text, int64_t version);
  void close(llvm::StringRef path);
  /// Null where the file is not open.
  Document *find(llvm::StringRef path);
  Analysis &analysisOf(Document &document);
  /// The open file whose analysis knows most of `document`: its own, or, where it asks for no
  /// kernel itself, that of one that imports it and does.
  Document &viewerOf(Document &document);
  /// After an internal error while `document` was worked on: no analysis is used again, nor
  /// destroyed, as it may have been in use.
  void abandon(Document &document);
  /// An open file that is not published, or null.
  Document *nextUnpublished();

  /// Calls `visit` for open files and for those below `folders` that import the language, where
  /// they hold `word`.
  void forEachHolding(llvm::StringRef word, llvm::ArrayRef<std::string> folders,
                      llvm::function_ref<void(const View &)> visit);

private:
  std::optional<std::string> read(llvm::StringRef path) const;
  /// Analyses that have read the file at `path` are made again.
  void forget(llvm::StringRef path);

  Files files;
  std::map<std::string, Document, std::less<>> open;
};

} // namespace gluonc::lsp
