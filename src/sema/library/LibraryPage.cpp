// The page of the reference about the library: signatures and docstrings of its files.

#include "sema/library/Library.h"

#include "syntax/Parser.h"

#include "llvm/Support/raw_ostream.h"

namespace gluonc::sema {

namespace {

/// What the string at the beginning of a body says, its lines not indented.
std::string docOf(ast::Stmts body) {
  const auto *first = body.empty() ? nullptr : llvm::dyn_cast<ast::ExprStmt>(body.front());
  const auto *text = first ? llvm::dyn_cast<ast::Constant>(first->value) : nullptr;
  if (!text || !text->isStr())
    return "";
  std::string doc;
  for (llvm::StringRef line : llvm::split(text->text, '\n'))
    doc += (doc.empty() ? "" : "\n") + line.trim().str();
  return doc;
}

/// `sort(x, dim=None, descending=False)`
std::string signatureOf(const ast::FunctionDef &def) {
  const ast::Arguments &arguments = *def.args;
  std::string text;
  size_t firstDefault = arguments.args.size() - arguments.defaults.size();
  for (size_t i = 0; i < arguments.args.size(); ++i) {
    if (arguments.args[i]->arg == "self")
      continue;
    text += (text.empty() ? "" : ", ") + arguments.args[i]->arg.str();
    if (i >= firstDefault)
      text += "=" + std::string(arguments.defaults[i - firstDefault]->span.text());
  }
  if (arguments.vararg)
    text += (text.empty() ? "*" : ", *") + arguments.vararg->arg.str();
  return def.name.str() + "(" + text + ")";
}

void writeFunction(const ast::FunctionDef &def, const LibraryName &name, llvm::raw_ostream &out) {
  out << "\n### `" << (name.path.starts_with("tensor.") ? "" : "tl.") << name.path
      << "`\n\n```python\n"
      << signatureOf(def) << "\n```\n\n"
      << docOf(def.body) << "\n";
  if (name.isMethod)
    out << "\nTensors have it as a method too.\n";
}

/// A class and its methods; properties are plain functions of compile-time code.
void writeClass(const ast::ClassDef &def, const LibraryName &name, llvm::raw_ostream &out) {
  out << "\n### `tl." << name.path << "`\n\n" << docOf(def.body) << "\n\n```python\n";
  for (const ast::Stmt *stmt : def.body)
    if (const auto *method = llvm::dyn_cast<ast::FunctionDef>(stmt);
        method && !method->name.starts_with("_") &&
        method->decorator_list.front()->span.text() != "property")
      out << signatureOf(*method) << "\n";
  out << "```\n";
}

} // namespace

std::string libraryPage() {
  std::string text =
      "# tl\n\n<!-- Made by `./dev reference` from the files in src/sema/library; do not edit. "
      "-->\n\nWhat `triton.language` has and Gluon has not: functions written in the kernel "
      "language. The others are\nthose of [gl](gl.md), without layouts.\n";
  llvm::raw_string_ostream out(text);
  diag::SourceManager sources;
  diag::Collector problems;
  for (const LibraryFile &file : libraryFiles()) {
    const diag::SourceFile *source = sources.add(file.name.str(), file.text.str());
    std::shared_ptr<ast::Module> module = ast::parse(*source, problems);
    out << "\n## " << docOf(module->body) << "\n";
    for (const LibraryName &name : libraryNames()) {
      llvm::StringRef last = name.path.substr(name.path.rfind('.') + 1);
      if (name.file != file.name || last.starts_with("_"))
        continue;
      for (const ast::Stmt *stmt : module->body)
        if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt); def && def->name == last)
          writeFunction(*def, name, out);
        else if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(stmt); cls && cls->name == last)
          writeClass(*cls, name, out);
    }
  }
  return text;
}

} // namespace gluonc::sema
