#include "diag/Source.h"

#include <algorithm>
#include <mutex>

namespace gluonc::diag {
namespace {
bool startsCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Lines may be long, and each of their tokens is asked for its column: the inner sum fits a byte,
/// so that many are counted at once.
uint32_t countCodePoints(std::string_view text) {
  uint32_t count = 0;
  while (!text.empty()) {
    std::string_view part = text.substr(0, 255);
    uint8_t inPart = 0;
    for (char c : part)
      inPart = static_cast<uint8_t>(inPart + startsCodePoint(c));
    count += inPart;
    text.remove_prefix(part.size());
  }
  return count;
}
} // namespace

SourceFile::SourceFile(std::string path, std::string text)
    : filePath(std::move(path)), contents(std::move(text)) {
  starts.push_back(0);
  for (size_t i = 0; i < contents.size(); ++i) {
    if (contents[i] == '\n' ||
        (contents[i] == '\r' && (i + 1 == contents.size() || contents[i + 1] != '\n')))
      starts.push_back(static_cast<uint32_t>(i + 1));
  }
}

LineColumn SourceFile::position(uint32_t offset) const {
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  uint32_t line = static_cast<uint32_t>(next - starts.begin());
  uint32_t end = std::min<uint32_t>(offset, static_cast<uint32_t>(contents.size()));
  uint32_t begin = std::min(starts[line - 1], end);
  return {line, 1 + countCodePoints(text().substr(begin, end - begin))};
}

uint32_t SourceFile::lineStart(uint32_t line) const {
  if (line == 0)
    return 0;
  return line <= starts.size() ? starts[line - 1] : static_cast<uint32_t>(contents.size());
}

std::string_view SourceFile::line(uint32_t line) const {
  uint32_t begin = lineStart(line);
  uint32_t end = lineStart(line + 1);
  std::string_view result = text().substr(begin, end - begin);
  while (!result.empty() && (result.back() == '\n' || result.back() == '\r'))
    result.remove_suffix(1);
  return result;
}

Span Span::to(Span other) const {
  if (!file)
    return other;
  if (other.file != file)
    return *this;
  return {file, std::min(begin, other.begin), std::max(end, other.end)};
}

/// Compilations of one program share its files and may run in several threads. Files are added
/// and looked up so rarely that one lock serves every manager.
static std::mutex filesLock;

static const SourceFile *findLast(const std::vector<std::unique_ptr<SourceFile>> &files,
                                  std::string_view path) {
  for (auto it = files.rbegin(); it != files.rend(); ++it)
    if ((*it)->path() == path)
      return it->get();
  return nullptr;
}

const SourceFile *SourceManager::add(std::string path, std::string text) {
  std::lock_guard guard(filesLock);
  if (const SourceFile *known = findLast(files, path); known && known->text() == text)
    return known;
  files.push_back(std::make_unique<SourceFile>(std::move(path), std::move(text)));
  return files.back().get();
}

const SourceFile *SourceManager::find(std::string_view path) const {
  std::lock_guard guard(filesLock);
  return findLast(files, path);
}

Span SourceManager::spanAt(std::string_view path, uint32_t line, uint32_t column,
                           uint32_t length) const {
  const SourceFile *file = find(path);
  if (!file || line == 0 || line > file->lineCount())
    return {};
  uint32_t offset = file->lineStart(line);
  uint32_t size = static_cast<uint32_t>(file->text().size());
  for (uint32_t left = column; left > 1 && offset < size; --left)
    do
      ++offset;
    while (offset < size && !startsCodePoint(file->text()[offset]));
  offset = std::min(offset, size);
  return {file, offset, std::min(size, offset + length)};
}

} // namespace gluonc::diag
