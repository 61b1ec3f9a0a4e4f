//===- ParserFuzz.cpp - Any bytes parse to a tree whose spans nest -----------===//
#include "support/Error.h"
#include "syntax/Dump.h"
#include "syntax/Parser.h"

#include <cstddef>

using namespace gluonc;

/// Bounds of heights and spans hold for trees with and without errors.
static void check(const ast::Node &node, size_t size) {
  GL_CHECK(node.height <= ast::maxHeight);
  GL_CHECK(node.span.begin <= node.span.end && node.span.end <= size);
  ast::forEachChild(node, [&](const ast::Node &child) {
    GL_CHECK(child.height < node.height || node.height == 1 || node.height + 1 >= ast::maxHeight ||
             node.kind == ast::NodeKind::Module);
    check(child, size);
  });
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  diag::SourceFile file("fuzz.py", std::string(reinterpret_cast<const char *>(data), size));
  diag::Collector sink;
  std::unique_ptr<ast::Module> module = ast::parse(file, sink);
  check(*module, size);
  for (const diag::Diagnostic &d : sink.diagnostics)
    GL_CHECK(d.span.begin <= d.span.end && d.span.end <= size);
  std::string text;
  llvm::raw_string_ostream out(text);
  ast::dump(*module, out);
  diag::Collector expressionSink;
  std::unique_ptr<ast::Expression> expression = ast::parseExpression(file, expressionSink);
  GL_CHECK((expression->body == nullptr) == expressionSink.hasErrors());
  return 0;
}
