//===- CommandLine.h - Options and arguments of one command -------------------===//
//
// Words that a text is made of, each with its place in it: the command line of a
// program, or the comment above a kernel (CheckRequest.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"
#include "driver/Arguments.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace gluonc::driver {

struct OptionSpec {
  llvm::StringLiteral name;
  /// What `--help` calls the value; empty for a flag.
  llvm::StringLiteral value;
  llvm::StringLiteral help;
  /// What completion offers, in one text with spaces; empty for names of files and the like.
  llvm::StringLiteral choices = "";
};

/// A word of the text, with its place.
struct Word {
  std::string text;
  diag::Span span;
};

class CommandLine {
public:
  /// Returns what is wrong with the usage, or an empty string.
  /// `offsets` says where each word begins in `file`.
  std::string parse(llvm::ArrayRef<llvm::ArrayRef<OptionSpec>> known,
                    llvm::ArrayRef<llvm::StringRef> words, const diag::SourceFile *file,
                    llvm::ArrayRef<uint32_t> offsets);

  bool has(llvm::StringRef option) const { return find(option) != nullptr; }
  /// The last value given, or null.
  const Word *find(llvm::StringRef option) const;
  std::vector<Word> all(llvm::StringRef option) const;
  /// Words that are no options.
  const std::vector<Word> &positional() const { return words; }
  /// `NAME=VALUE` words after the first `skip` positional ones; false with a message in `problem`.
  bool namedValues(size_t skip, std::vector<ArgumentText> &out, std::string &problem) const;
  /// A non-negative integer option; false with a message where it is none.
  bool integer(llvm::StringRef option, std::optional<uint64_t> &out, std::string &problem) const;
  bool number(llvm::StringRef option, std::optional<double> &out, std::string &problem) const;

private:
  std::vector<std::pair<std::string, Word>> options;
  std::vector<Word> words;
};

} // namespace gluonc::driver
