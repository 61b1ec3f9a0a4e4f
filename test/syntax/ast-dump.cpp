//===- ast-dump.cpp - Trees of many files, for stdlib_test.py ---------------===//
//
//   ast-dump [--python-3.11] [--full] [--spans] < paths
//
// Prints one line per path: the SHA-256 of the dump (or with --full the dump
// itself), or "error: " and the first message. With --spans the dump is the list
// of "Kind begin end;" of the nodes that have a place in CPython too, parents
// first. The last line is the throughput of parsing: "parsed BYTES in SECONDS".
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
  bool spans = false;
};
struct Totals {
  size_t bytes = 0;
  double seconds = 0;
};
} // namespace

static void printSpans(const ast::Node &node, llvm::raw_ostream &out) {
  switch (node.kind) {
  case ast::NodeKind::Module:
  case ast::NodeKind::Arguments:
  case ast::NodeKind::Comprehension:
  case ast::NodeKind::WithItem:
  case ast::NodeKind::MatchCase:
    break;
  default:
    out << ast::name(node.kind) << ' ' << node.span.begin << ' ' << node.span.end << ';';
    break;
  }
  // CPython's places within f-strings changed with every release.
  if (node.kind != ast::NodeKind::JoinedStr)
    ast::forEachChild(node, [&](const ast::Node &child) { printSpans(child, out); });
}

static std::string process(const std::string &path, const Options &options, Totals &totals) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return "error: cannot read";
  diag::SourceFile file(path, (*buffer)->getBuffer().str());
  diag::Collector collector;
  auto start = std::chrono::steady_clock::now();
  std::unique_ptr<ast::Module> module = ast::parse(file, collector);
  totals.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
  if (options.spans)
    printSpans(*module, out);
  else
    ast::dump(*module, out, options.version);
  if (options.full)
    return text;
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), true);
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    options.full |= llvm::StringRef(argv[i]) == "--full";
    options.spans |= llvm::StringRef(argv[i]) == "--spans";
    if (llvm::StringRef(argv[i]) == "--python-3.11")
      options.version = ast::PythonVersion::Python311;
  }
  Totals totals;
  for (std::string path; std::getline(std::cin, path);)
    std::cout << process(path, options, totals) << '\n';
  std::cout << "parsed " << totals.bytes << " in " << totals.seconds << '\n';
  return 0;
}
