#include "driver/Disassemble.h"

#include "support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

#include <memory>
#include <vector>

namespace gluonc::driver {

static llvm::Error failure(llvm::StringRef program, const llvm::Twine &why) {
  return llvm::createStringError("`" + program + "` " + why);
}

llvm::Expected<std::string> disassemble(llvm::StringRef program,
                                        llvm::ArrayRef<llvm::StringRef> options,
                                        llvm::StringRef cubin) {
  // Its input, what it writes, and what it complains of.
  llvm::SmallString<64> files[3];
  std::vector<std::unique_ptr<llvm::FileRemover>> removers;
  for (auto [file, suffix] :
       {std::pair(&files[0], "cubin"), {&files[1], "sass"}, {&files[2], "txt"}}) {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("gluonc", suffix, *file))
      return failure(program, "has no file: " + error.message());
    removers.push_back(std::make_unique<llvm::FileRemover>(*file));
  }
  std::error_code error;
  llvm::raw_fd_ostream out(files[0], error);
  out << cubin;
  out.close();
  if (error || out.has_error()) {
    out.clear_error();
    return failure(program, "has no input: its file cannot be written");
  }
  llvm::SmallVector<llvm::StringRef> command = {program};
  command.append(options.begin(), options.end());
  command.push_back(files[0]);
  std::optional<llvm::StringRef> redirects[] = {"", files[1].str(), files[2].str()};
  std::string why;
  int status = llvm::sys::ExecuteAndWait(program, command, std::nullopt, redirects, 0, 0, &why);
  constexpr uint64_t mostBytes = uint64_t(1) << 30;
  llvm::Expected<std::string> text = gluonc::readFile(files[status ? 2 : 1].str().str(), mostBytes);
  if (!text)
    return failure(program, "left nothing: " + llvm::toString(text.takeError()));
  if (status)
    return failure(program, "fails: " + (why.empty() ? llvm::StringRef(*text).trim().str() : why));
  return text;
}

} // namespace gluonc::driver
