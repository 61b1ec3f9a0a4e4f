//===- ast-dump.cpp - Trees of many files, for stdlib_test.py ---------------===//
//
//   ast-dump [--python-3.11] [--full] < paths
//
// Prints one line per path: the SHA-256 of the dump (or with --full the dump
// itself), or "error: " and the first message. The last line is the throughput
// of parsing alone: "parsed BYTES in SECONDS".
//
//===----------------------------------------------------------------------===//
#include "diag/Render.h"
#include "syntax/Dump.h"
#include "syntax/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

#include <chrono>
#include <iostream>

using namespace gluonc;

namespace {
struct Options {
  ast::PythonVersion version = ast::PythonVersion::Python312;
  bool full = false;
};
struct Totals {
  size_t bytes = 0;
  double seconds = 0;
};
} // namespace

static std::string process(const std::string &path, const Options &options, Totals &totals) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return "error: cannot read";
  diag::SourceFile file(path, (*buffer)->getBuffer().str());
  diag::Collector collector;
  auto start = std::chrono::steady_clock::now();
  std::unique_ptr<ast::Module> module = ast::parse(file, collector);
  totals.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  totals.bytes += file.text().size();
  for (const diag::Diagnostic &d : collector.diagnostics)
    if (d.severity == diag::Severity::Error) {
      std::string text = "error: ";
      diag::LineColumn place = file.position(d.span.begin);
      return text + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " +
             d.message;
    }
  std::string text;
  llvm::raw_string_ostream out(text);
  ast::dump(*module, out, options.version);
  if (options.full)
    return text;
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), true);
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    options.full |= llvm::StringRef(argv[i]) == "--full";
    if (llvm::StringRef(argv[i]) == "--python-3.11")
      options.version = ast::PythonVersion::Python311;
  }
  Totals totals;
  for (std::string path; std::getline(std::cin, path);)
    std::cout << process(path, options, totals) << '\n';
  std::cout << "parsed " << totals.bytes << " in " << totals.seconds << '\n';
  return 0;
}
