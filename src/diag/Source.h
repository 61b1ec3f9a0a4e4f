//===- Source.h - Source files and spans -----------------------------------===//
//
// A SourceFile owns the bytes of one file; a Span is a byte range in it. Lines
// and columns are computed on demand. Lines are 1-based; columns are 1-based
// and count Unicode code points, which is what editors show.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gluonc::diag {

struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

class SourceFile {
public:
  SourceFile(std::string path, std::string text);

  const std::string &path() const { return filePath; }
  std::string_view text() const { return contents; }
  LineColumn position(uint32_t offset) const;
  /// Byte offset of the start of a 1-based line; text().size() past the end.
  uint32_t lineStart(uint32_t line) const;
  /// Text of a 1-based line without its line break; empty past the end.
  std::string_view line(uint32_t line) const;
  uint32_t lineCount() const { return static_cast<uint32_t>(starts.size()); }

private:
  std::string filePath;
  std::string contents;
  std::vector<uint32_t> starts;
};

/// Half-open byte range in a file. A null file means "no place" (command line).
struct Span {
  const SourceFile *file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  explicit operator bool() const { return file != nullptr; }
  std::string_view text() const {
    return file ? file->text().substr(begin, end - begin) : std::string_view();
  }
  /// The smallest span over both; `other` must be of the same file or null.
  Span to(Span other) const;
};

/// Owns every file of a compilation. Addresses are stable for its lifetime.
class SourceManager {
public:
  /// Registers text under a path. The same path with equal text gives the same file.
  const SourceFile *add(std::string path, std::string text);
  /// The file last registered under `path`, or null.
  const SourceFile *find(std::string_view path) const;
  /// The span of `length` bytes at a 1-based line and column of a registered
  /// file (as IR locations carry them); an empty Span where there is none.
  Span spanAt(std::string_view path, uint32_t line, uint32_t column, uint32_t length = 1) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files;
};

} // namespace gluonc::diag
