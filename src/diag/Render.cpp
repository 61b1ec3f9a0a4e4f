#include "diag/Render.h"

#include "diag/Facts.h"

#include <algorithm>

namespace gluonc::diag {
namespace {

constexpr size_t widestLine = 160;

size_t codePoints(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

struct Painter {
  llvm::raw_ostream &out;
  bool color;

  void paint(llvm::raw_ostream::Colors which, llvm::StringRef text) {
    if (color)
      out.changeColor(which, /*Bold=*/true);
    out << text;
    if (color)
      out.resetColor();
  }

  void place(Span span) {
    if (!span)
      return;
    LineColumn at = span.file->position(span.begin);
    out << span.file->path() << ':' << at.line << ':' << at.column << ": ";
  }

  /// The line of `span` with a caret under its start and tildes to its end.
  void snippet(Span span) {
    if (!span)
      return;
    LineColumn at = span.file->position(span.begin);
    std::string_view line = span.file->line(at.line);
    uint32_t lineBegin = span.file->lineStart(at.line);
    size_t begin = std::min<size_t>(span.begin - lineBegin, line.size());
    size_t end = std::clamp<size_t>(span.end - lineBegin, begin, line.size());
    // A very long line shows only the neighbourhood of the caret.
    size_t cut = 0;
    if (line.size() > widestLine) {
      cut = begin > widestLine / 2 ? begin - widestLine / 2 : 0;
      while (cut > 0 && (line[cut] & 0xC0) == 0x80)
        --cut;
      line = line.substr(cut, widestLine);
      end = std::min(end, cut + line.size());
    }
    std::string number = std::to_string(at.line);
    size_t margin = std::max<size_t>(number.size(), 4);
    out.indent(static_cast<unsigned>(margin - number.size())) << number << " | ";
    for (char c : line)
      out << (static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
    out << '\n';
    out.indent(static_cast<unsigned>(margin)) << " | ";
    out.indent(static_cast<unsigned>(codePoints(line.substr(0, begin - cut))));
    size_t width = codePoints(line.substr(begin - cut, end - begin));
    paint(llvm::raw_ostream::GREEN, "^" + std::string(width > 1 ? width - 1 : 0, '~'));
    out << '\n';
  }
};

llvm::raw_ostream::Colors colorOf(Severity severity) {
  if (severity == Severity::Error)
    return llvm::raw_ostream::RED;
  return severity == Severity::Warning ? llvm::raw_ostream::MAGENTA : llvm::raw_ostream::BLUE;
}

llvm::json::Object placeObject(Span span) {
  llvm::json::Object object;
  if (!span)
    return object;
  LineColumn begin = span.file->position(span.begin);
  LineColumn end = span.file->position(span.end);
  object["file"] = llvm::json::fixUTF8(span.file->path());
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["end_line"] = end.line;
  object["end_column"] = end.column;
  return object;
}

} // namespace

void renderText(const Diagnostic &diagnostic, llvm::raw_ostream &out, bool color) {
  Painter painter{out, color};
  const KindInfo &kind = info(diagnostic.kind);
  painter.place(diagnostic.span);
  painter.paint(colorOf(diagnostic.severity), (nameOf(diagnostic.severity) + ": ").str());
  out << diagnostic.message << " [GL" << kind.number << ' ' << kind.name << "]\n";
  painter.snippet(diagnostic.span);
  for (const Label &label : diagnostic.labels) {
    painter.place(label.span);
    painter.paint(llvm::raw_ostream::CYAN, "note: ");
    out << label.text << '\n';
    painter.snippet(label.span);
  }
  for (const std::string &hint : diagnostic.hints) {
    painter.paint(llvm::raw_ostream::CYAN, "hint: ");
    out << hint << '\n';
  }
}

void renderJson(const Diagnostic &diagnostic, llvm::raw_ostream &out) {
  const KindInfo &kind = info(diagnostic.kind);
  llvm::json::Object object = placeObject(diagnostic.span);
  object["kind"] = kind.name;
  object["number"] = kind.number;
  object["severity"] = nameOf(diagnostic.severity);
  object["message"] = llvm::json::fixUTF8(diagnostic.message);
  llvm::json::Array labels;
  for (const Label &label : diagnostic.labels) {
    llvm::json::Object entry = placeObject(label.span);
    entry["text"] = llvm::json::fixUTF8(label.text);
    labels.push_back(std::move(entry));
  }
  object["labels"] = std::move(labels);
  llvm::json::Array hints;
  for (const std::string &hint : diagnostic.hints)
    hints.push_back(llvm::json::fixUTF8(hint));
  object["hints"] = std::move(hints);
  if (diagnostic.facts)
    object["facts"] = llvm::json::Object(diagnostic.facts->object);
  out << llvm::json::Value(std::move(object)) << '\n';
}

} // namespace gluonc::diag
