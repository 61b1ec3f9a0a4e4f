//===- TestKernels.h - Specializing source strings in tests -------------------===//
#pragma once

#include "diag/Render.h"
#include "ir/Dialects.h"
#include "sema/Specialize.h"
#include "sema/eval/Evaluator.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace gluonc::sema::test {

inline const char *const prelude = "from triton.experimental import gluon\n"
                                   "from triton.experimental.gluon import language as gl\n";

/// Everything one specialization needs, and what came of it.
struct Harness {
  diag::SourceManager sources;
  diag::Collector sink;
  llvm::StringMap<std::string> siblings;
  Program program{sources, [this](llvm::StringRef path) -> std::optional<std::string> {
                    auto found = siblings.find(path);
                    if (found == siblings.end())
                      return std::nullopt;
                    return found->second;
                  }};
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Options options;
  Module *module = nullptr;

  explicit Harness(std::string source, std::string path = "k.py") {
    loadAllDialects(context);
    options.target = *target::Target::parse("cuda:90");
    module = program.load(std::move(path), std::move(source), sink);
  }

  /// Arguments are type text ("*fp32:16", "i32") or, after `=`, a compile-time expression.
  std::string compile(llvm::StringRef kernel, std::vector<std::string> arguments) {
    std::vector<ArgSpec> specs;
    for (const std::string &argument : arguments) {
      if (argument.starts_with("=")) {
        std::optional<Value> value =
            evaluate(program, *module, argument.substr(1), {}, "<argument>", sink);
        if (!value)
          return "";
        specs.push_back(ArgSpec::compileTime(*value));
      } else
        specs.push_back(ArgSpec::parse(argument).value());
    }
    auto function = program.kernel(*module, kernel, sink);
    if (!function)
      return "";
    auto result = specialize(program, *function, specs, options, context, sink);
    std::string text;
    if (result) {
      llvm::raw_string_ostream os(text);
      result->print(os);
    }
    return text;
  }

  /// "Kind::UnknownName 5:9", one per line.
  std::string problems() const {
    std::string text;
    for (const diag::Diagnostic &diagnostic : sink.diagnostics) {
      text += ("Kind::" + diag::info(diagnostic.kind).name).str();
      if (diagnostic.span) {
        auto place = diagnostic.span.file->position(diagnostic.span.begin);
        text += " " + std::to_string(place.line) + ":" + std::to_string(place.column);
      }
      text += "\n";
    }
    return text;
  }

  std::string messages() const {
    std::string text;
    for (const diag::Diagnostic &diagnostic : sink.diagnostics)
      text += problemText(diagnostic) + "\n";
    return text;
  }

  static std::string problemText(const diag::Diagnostic &diagnostic) {
    std::string text = diagnostic.message;
    for (const diag::Label &label : diagnostic.labels)
      text += "\n  | " + label.text;
    for (const std::string &hint : diagnostic.hints)
      text += "\n  = " + hint;
    return text;
  }
};

/// Compiles the kernel `k` of `body` (behind the usual imports, which take two lines).
struct Result {
  std::string ir, problems, messages;
};
inline Result compileKernel(const std::string &body, std::vector<std::string> arguments = {},
                            const char *kernel = "k") {
  Harness harness(prelude + body);
  Result result;
  result.ir = harness.compile(kernel, std::move(arguments));
  result.problems = harness.problems();
  result.messages = harness.messages();
  return result;
}

} // namespace gluonc::sema::test
