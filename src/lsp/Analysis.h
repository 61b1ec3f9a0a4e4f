//===- Analysis.h - One version of a file, and all that is known of it --------===//
#pragma once

#include "driver/CheckFile.h"
#include "explain/Facts.h"
#include "lsp/Mentions.h"
#include "lsp/Values.h"
#include "sema/names/ProgramState.h"

namespace gluonc::lsp {

/// Where analyses find other files.
struct Files {
  /// Their text, unsaved changes included.
  sema::FileReader reader;
  /// Of imports, behind a file's own folder.
  std::vector<std::string> searchPath;
};

/// A kernel compiled as a comment above it asks.
struct AnalyzedKernel {
  std::shared_ptr<const sema::Function> kernel;
  sema::Options options;
  /// Nullopt where the kernel has errors.
  std::optional<uint64_t> sharedBytes;
  explain::Facts facts;
};

class Analysis {
  // In this order: what comes later names what comes earlier.
  std::unique_ptr<driver::Compiler> compiler = std::make_unique<driver::Compiler>();
  diag::SourceManager sources;
  diag::Collector sink;

public:
  /// Parses, resolves, compiles what is asked for. `path` is absolute.
  Analysis(const Files &files, std::string path, std::string text);

  sema::Program program;
  sema::SourceModule &module;
  Values values;
  std::vector<AnalyzedKernel> kernels;

  llvm::ArrayRef<diag::Diagnostic> diagnostics() const { return sink.diagnostics; }
  /// The file at `path`, the one that is analyzed or one that it imports; null where it is neither.
  sema::SourceModule *find(llvm::StringRef path);
  const Mentions &mentionsOf(const sema::SourceModule &file);

private:
  sema::SourceModule &load(const Files &files, std::string path, std::string text);

  std::map<const sema::SourceModule *, Mentions> mentions;
};

/// A file as an analysis sees it, which is that of the file itself or of one that imports it.
struct View {
  View(Analysis &analysis, sema::SourceModule &module)
      : analysis(analysis), module(module), mentions(analysis.mentionsOf(module)),
        values(analysis.values) {}

  Analysis &analysis;
  sema::SourceModule &module;
  const Mentions &mentions;
  const Values &values;

  const diag::SourceFile &file() const { return module.file; }
  const ast::Module &tree() const { return *module.tree; }

  /// The value of `text` at the top level of the file; nullopt where it has none.
  std::optional<sema::Value> evaluate(llvm::StringRef text) const;
  /// What `expr`, in `scope`, was found to be when kernels were compiled (see KnownValue::value),
  /// else its value at the top level.
  std::optional<sema::Value> valueOf(const ast::Expr &expr, unsigned scope) const;
  /// What the variable `name` of `scope` was found to be last before `offset`, or null.
  const KnownValue *variable(llvm::StringRef name, unsigned scope, uint32_t offset) const;
};

} // namespace gluonc::lsp
