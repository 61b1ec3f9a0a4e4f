#include "driver/KernelFiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gluonc::driver {

bool importsLanguage(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    line = line.trim();
    if ((line.starts_with("import ") || line.starts_with("from ")) &&
        (line.contains("gluon") || line.contains("triton.language")))
      return true;
    text = rest;
  }
  return false;
}

std::vector<std::string> pythonFiles(llvm::StringRef folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(folder, error, /*follow_symlinks=*/false),
       end;
       !error && it != end; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    bool isFolder = llvm::sys::fs::is_directory(it->path());
    if (isFolder && (name.starts_with(".") || name == "__pycache__"))
      it.no_push();
    else if (!isFolder && name.ends_with(".py"))
      files.push_back(it->path());
  }
  llvm::sort(files);
  return files;
}

} // namespace gluonc::driver
