#include "debug/Lines.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gluonc::debug {

std::string Line::text() const { return file ? std::string(file->line(number)) : ""; }

static Line lineOf(diag::Span span) { return {span.file, span.file->position(span.begin).line}; }

static Trace linesOf(llvm::ArrayRef<diag::Span> callers) {
  Trace trace;
  for (diag::Span caller : llvm::reverse(callers))
    if (caller)
      trace.push_back(lineOf(caller));
  return trace;
}

Trace traceOf(diag::Span span, llvm::ArrayRef<diag::Span> callers) {
  if (!span)
    return {};
  Trace trace = linesOf(callers);
  trace.push_back(lineOf(span));
  return trace;
}

Trace callersOf(const sim::Variable &variable) { return linesOf(variable.callers); }

std::string placeText(Line line) {
  return (llvm::sys::path::filename(line.file->path()) + ":" + llvm::Twine(line.number)).str();
}

std::string functionAround(Line line) {
  auto indentOf = [](llvm::StringRef text) { return text.size() - text.ltrim().size(); };
  size_t indent = indentOf(line.text());
  for (uint32_t number = line.number; number > 0; --number) {
    llvm::StringRef text = line.file->line(number);
    llvm::StringRef rest = text.ltrim();
    if (rest.empty() || (number != line.number && indentOf(text) >= indent))
      continue;
    if (rest.consume_front("def "))
      return rest.take_until([](char c) { return c == '('; }).trim().str();
    indent = number == line.number ? indent : indentOf(text);
  }
  return "?";
}

Lines::Lines(const sim::Program &program) : program(program) {
  for (const sim::Place &place : program.places)
    traces.push_back(traceOf(place.span, place.callers));
}

std::optional<Line> Lines::firstWithCode(Line wanted) const {
  std::optional<Line> found;
  for (const sim::Instruction &instruction : program.code) {
    const Trace &trace = traces[instruction.place];
    if (trace.empty() || sim::variablesAt(instruction))
      continue;
    for (Line line : trace)
      if (line.file == wanted.file && line.number >= wanted.number &&
          (!found || line.number < found->number))
        found = line;
  }
  return found;
}

const diag::SourceFile *Lines::mainFile() const {
  return traces.front().empty() ? nullptr : traces.front().back().file;
}

const diag::SourceFile *Lines::findFile(llvm::StringRef path) const {
  llvm::SmallPtrSet<const diag::SourceFile *, 4> seen;
  for (const Trace &trace : traces) {
    if (trace.empty() || !seen.insert(trace.back().file).second)
      continue;
    llvm::StringRef known = trace.back().file->path();
    if (known == path || llvm::sys::path::filename(known) == path ||
        llvm::sys::fs::equivalent(known, path))
      return trace.back().file;
  }
  return nullptr;
}

} // namespace gluonc::debug
