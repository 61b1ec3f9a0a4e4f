#include "lsp/Documents.h"
#include "driver/KernelFiles.h"
#include "support/File.h"

namespace gluonc::lsp {

/// Of a workspace that holds more, the others are not looked into.
static constexpr size_t mostFiles = 2000;

Documents::Documents(std::vector<std::string> searchPath) {
  files.searchPath = std::move(searchPath);
  files.reader = [this](llvm::StringRef path) { return read(path); };
}

std::optional<std::string> Documents::read(llvm::StringRef path) const {
  if (auto found = open.find(path.str()); found != open.end())
    return found->second.text;
  llvm::Expected<std::string> text = readFile(path.str(), mostSourceBytes, Accept::RegularFiles);
  if (text)
    return std::move(*text);
  llvm::consumeError(text.takeError());
  return std::nullopt;
}

void Documents::forget(llvm::StringRef path) {
  for (auto &[_, document] : open)
    if (document.analysis && document.analysis->find(path)) {
      document.analysis = nullptr;
      document.isPublished = false;
    }
}

void Documents::set(const protocol::URIForFile &uri, std::string text, int64_t version) {
  const bool hasKernels = driver::importsLanguage(text);
  open[uri.file().str()] = {uri, std::move(text), version, hasKernels};
  forget(uri.file());
}

void Documents::close(llvm::StringRef path) {
  open.erase(path.str());
  forget(path);
}

Document *Documents::find(llvm::StringRef path) {
  auto found = open.find(path.str());
  return found == open.end() ? nullptr : &found->second;
}

Analysis &Documents::analysisOf(Document &document) {
  if (!document.analysis)
    document.analysis = std::make_unique<Analysis>(files, document.uri.file().str(), document.text);
  return *document.analysis;
}

void Documents::abandon(Document &document) {
  for (auto &[_, each] : open)
    (void)each.analysis.release();
  document.isBroken = true;
}

Document &Documents::viewerOf(Document &document) {
  if (!analysisOf(document).kernels.empty())
    return document;
  for (auto &[_, other] : open)
    if (other.analysis && !other.analysis->kernels.empty() &&
        other.analysis->find(document.uri.file()))
      return other;
  return document;
}

Document *Documents::nextUnpublished() {
  for (auto &[_, document] : open)
    if (!document.isPublished)
      return &document;
  return nullptr;
}

void Documents::forEachHolding(llvm::StringRef word, llvm::ArrayRef<std::string> folders,
                               llvm::function_ref<void(const View &)> visit) {
  for (auto &[_, document] : open)
    if (llvm::StringRef(document.text).contains(word))
      visit({analysisOf(document), analysisOf(document).module});
  std::vector<std::string> paths;
  for (const std::string &folder : folders)
    llvm::append_range(paths, driver::pythonFiles(folder));
  paths.resize(std::min(paths.size(), mostFiles));
  for (const std::string &path : paths) {
    if (open.count(path))
      continue;
    std::optional<std::string> text = read(path);
    if (!text || !llvm::StringRef(*text).contains(word) || !driver::importsLanguage(*text))
      continue;
    Analysis analysis(files, path, std::move(*text));
    visit({analysis, analysis.module});
  }
}

} // namespace gluonc::lsp
