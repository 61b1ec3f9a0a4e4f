//===- Library.h - Functions of `tl` written in the kernel language -----------===//
//
// Part of Triton's language is functions that a kernel could define itself. Ours are
// the Python files of this folder, whose text is part of the program. A file is parsed
// when a kernel first names one of its functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/eval/Interpreter.h"

namespace gluonc::sema {

/// A name that the library gives to `tl`; nullopt when it has none such.
MaybeValue findLibraryMember(Interpreter &interpreter, llvm::StringRef name);
/// A function of the library that tensors have as a method.
MaybeValue findLibraryMethod(Interpreter &interpreter, llvm::StringRef name);
/// The method `name` of an instance of one of the library's classes: `tl.load(p)` of a block
/// pointer is `p.load()`. Nullopt for all others.
MaybeValue findLibraryOverload(Interpreter &interpreter, const Value &object, llvm::StringRef name);

/// Is the place in a file of the library?
bool isOfLibrary(diag::Span span);

struct LibraryFile {
  llvm::StringLiteral name, text;
};
/// A name that programs may use.
struct LibraryName {
  /// Below `tl`; what begins with `tensor.` is a method only.
  llvm::StringLiteral path;
  llvm::StringLiteral file;
  /// Tensors have the function as a method too.
  bool isMethod = false;
};
llvm::ArrayRef<LibraryFile> libraryFiles();
llvm::ArrayRef<LibraryName> libraryNames();
/// The library's page of the reference.
std::string libraryPage();
/// Every name that the library gives to `tl`, for "did you mean".
void appendLibraryNames(std::vector<llvm::StringRef> &names);

} // namespace gluonc::sema
