//===- Bundle.h - A bundle, read where it lies --------------------------------===//
//
// `open` believes nothing: sizes, places, texts and numbers of the whole index are checked
// before anything else is done with them, and the index is held to its digest. So whoever has a
// Bundle asks without checking. Machine code is not touched before it is asked for, and held
// to its digest then.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "bundle/Format.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gluonc::bundle {

class Bundle {
public:
  /// `bytes` lie on a multiple of 8, outlive the bundle and do not change.
  static llvm::Expected<Bundle> open(llvm::StringRef bytes);

  /// 64 hexadecimal digits that stand for everything in it.
  std::string digest() const;

  /// Sorted by name.
  llvm::ArrayRef<format::Kernel> kernels() const { return kernelRecords; }
  /// Null where there is none.
  const format::Kernel *find(llvm::StringRef name) const;
  /// Of a text that ends with a zero.
  llvm::StringRef text(format::Text text) const { return texts.substr(text.first, text.count); }

  llvm::ArrayRef<format::Parameter> parameters(const format::Kernel &kernel) const {
    return slice(parameterRecords, kernel.parameters);
  }
  llvm::ArrayRef<format::Variant> variants(const format::Kernel &kernel) const {
    return slice(variantRecords, kernel.variants);
  }
  llvm::ArrayRef<format::Condition> conditions(const format::Variant &variant) const {
    return slice(conditionRecords, variant.conditions);
  }
  llvm::ArrayRef<format::Argument> arguments(const format::Variant &variant) const {
    return slice(argumentRecords, variant.arguments);
  }
  llvm::ArrayRef<format::Constant> constants(const format::Variant &variant) const {
    return slice(constantRecords, variant.constants);
  }
  const format::Piece &piece(const format::Variant &variant) const {
    return pieces()[variant.piece];
  }
  llvm::ArrayRef<format::Piece> pieces() const { return pieceRecords; }

  /// Fails where it is damaged.
  llvm::Expected<llvm::StringRef> code(const format::Piece &piece) const;

private:
  template <typename Record>
  static llvm::ArrayRef<Record> slice(llvm::ArrayRef<Record> all, format::Range range) {
    return all.slice(range.first, range.count);
  }
  template <typename Record>
  llvm::Error readTable(format::Range range, llvm::ArrayRef<Record> &table, llvm::StringRef index,
                        uint64_t &next);
  llvm::Error readTables(llvm::StringRef index);
  llvm::Error checkKernels() const;
  llvm::Error checkVariants(const format::Kernel &kernel) const;
  llvm::Error checkPieces(uint64_t begin) const;
  llvm::Error checkTexts(llvm::ArrayRef<format::Text> list) const;
  llvm::Error checkVariant(const format::Variant &variant,
                           llvm::ArrayRef<format::Parameter> parameters) const;
  uint64_t endOf(const format::Piece &piece) const;

  llvm::StringRef whole, texts;
  llvm::ArrayRef<format::Kernel> kernelRecords;
  llvm::ArrayRef<format::Parameter> parameterRecords;
  llvm::ArrayRef<format::Variant> variantRecords;
  llvm::ArrayRef<format::Condition> conditionRecords;
  llvm::ArrayRef<format::Argument> argumentRecords;
  llvm::ArrayRef<format::Constant> constantRecords;
  llvm::ArrayRef<format::Piece> pieceRecords;
};

/// "cubin", "ptx", "hsaco".
llvm::StringRef nameOf(format::CodeKind kind);
/// Of machine code, as `--emit` names it; nullopt for other words.
std::optional<format::CodeKind> parseCodeKind(llvm::StringRef name);

} // namespace gluonc::bundle
