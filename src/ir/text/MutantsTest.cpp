// Kernels whose text was damaged at random: reading them ends in a module or in an error.

#include "ir/Dialects.h"
#include "ir/text/ReadModule.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <random>

using namespace gluonc;

namespace {

std::vector<std::string> kernels() {
  std::vector<std::string> paths, texts;
  for (const char *folder : {"codegen", "transform", "exec/dumps"}) {
    std::error_code error;
    for (llvm::sys::fs::directory_iterator
             at(std::string(GLUONC_SOURCE_DIR) + "/test/" + folder, error),
         end;
         at != end && !error; at.increment(error))
      if (llvm::sys::path::extension(at->path()) == ".ttgir")
        paths.push_back(at->path());
  }
  llvm::sort(paths);
  for (const std::string &path : paths)
    texts.push_back((*llvm::MemoryBuffer::getFile(path))->getBuffer().str());
  return texts;
}

struct Mutants {
  std::mt19937_64 engine{7};
  size_t below(size_t n) { return engine() % n; }

  /// A word at or behind a random place: a name, a number, a bracket.
  llvm::StringRef word(llvm::StringRef text) {
    llvm::StringRef rest = text.drop_front(below(text.size())).ltrim(" \n");
    if (rest.empty())
      return rest;
    size_t length = rest.drop_front().find_if_not(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    return rest.take_front(length == llvm::StringRef::npos ? rest.size() : length + 1);
  }

  /// The line around a random place.
  llvm::StringRef line(llvm::StringRef text) {
    size_t at = below(text.size());
    return text.slice(text.rfind('\n', at) + 1, text.find('\n', at));
  }

  std::string damaged(const std::string &text) {
    llvm::StringRef all(text);
    bool ofLines = below(3) == 0;
    llvm::StringRef part = ofLines ? line(all) : word(all), other = ofLines ? line(all) : word(all);
    std::string replacement;
    switch (below(4)) {
    case 0:
      break;
    case 1:
      replacement = (part + other).str();
      break;
    case 2:
      replacement = part.starts_with("%") ? "%c" : std::to_string(int(below(70)) - 2);
      break;
    default:
      replacement = other.str();
    }
    size_t at = part.data() - all.data();
    return text.substr(0, at) + replacement + text.substr(at + part.size());
  }
};

std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

} // namespace

// GLUONC_TEST_MUTANTS: how many, where the usual number is too small.
TEST(Mutants, AreReadOrRefused) {
  const char *given = std::getenv("GLUONC_TEST_MUTANTS");
  long count = given ? std::atol(given) : 3000, accepted = 0;
  std::vector<std::string> texts = kernels();
  ASSERT_GE(texts.size(), 100u);
  Mutants mutants;
  std::unique_ptr<mlir::MLIRContext> context;
  for (long trial = 0; trial < count; ++trial) {
    // A fresh context from time to time: types are never freed.
    if (trial % 1000 == 0) {
      context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
      loadAllDialects(*context);
    }
    std::string text = texts[mutants.below(texts.size())];
    for (size_t i = 1 + mutants.below(3); i-- > 0 && !text.empty();)
      text = mutants.damaged(text);
    bool hasErrors = false;
    mlir::ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) {
      hasErrors |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
      return mlir::success();
    });
    auto module = readModule(*context, text);
    ASSERT_EQ(!module, hasErrors) << text;
    if (!module)
      continue;
    ++accepted;
    std::string once = printed(*module);
    auto again = readModule(*context, once);
    ASSERT_TRUE(again) << once;
    ASSERT_EQ(printed(*again), once);
  }
  EXPECT_GT(accepted, count / 40);
  EXPECT_LT(accepted, count / 2);
}
