#include "lsp/Positions.h"

#include "llvm/Support/Path.h"

#include <algorithm>

namespace gluonc::lsp {

/// UTF-16 units of the code point whose first byte this is; none for other bytes.
static int unitsOf(char byte) {
  const auto bits = static_cast<unsigned char>(byte);
  return (bits & 0xC0) == 0x80 ? 0 : bits >= 0xF0 ? 2 : 1;
}

uint32_t offsetOf(const diag::SourceFile &file, protocol::Position position) {
  const auto line = static_cast<uint32_t>(std::max(position.line, 0)) + 1;
  const std::string_view text = file.line(line);
  int units = 0;
  size_t at = 0;
  for (; at != text.size(); ++at)
    if (int more = unitsOf(text[at]); more && (units += more) > position.character)
      break;
  return file.lineStart(line) + static_cast<uint32_t>(at);
}

protocol::Position positionOf(const diag::SourceFile &file, uint32_t offset) {
  offset = std::min(offset, static_cast<uint32_t>(file.text().size()));
  const uint32_t line = file.position(offset).line;
  int units = 0;
  for (uint32_t at = file.lineStart(line); at < offset; ++at)
    units += unitsOf(file.text()[at]);
  return {static_cast<int>(line) - 1, units};
}

protocol::Range rangeOf(diag::Span span) {
  if (!span)
    return {};
  return {positionOf(*span.file, span.begin), positionOf(*span.file, span.end)};
}

std::optional<protocol::Location> locationOf(diag::Span span) {
  if (!span || !llvm::sys::path::is_absolute(span.file->path()))
    return std::nullopt;
  llvm::Expected<protocol::URIForFile> uri = protocol::URIForFile::fromFile(span.file->path());
  if (!uri) {
    llvm::consumeError(uri.takeError());
    return std::nullopt;
  }
  return protocol::Location(*uri, rangeOf(span));
}

} // namespace gluonc::lsp
