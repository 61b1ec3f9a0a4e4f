#include "driver/CheckRequest.h"
#include "driver/KernelOptions.h"
#include "syntax/Ast.h"
#include "syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

namespace gluonc::driver {

static constexpr OptionSpec requestOptions[] = {
    {"--target", "TARGET", ""}, {"--num-warps", "N", ""}, {"--num-ctas", "N", ""},
    {"--num-stages", "N", ""},  {"--maxnreg", "N", ""},   {"--debug", "", ""},
};

/// The text of a comment, without what is in front of it; nullopt for other lines.
static std::optional<llvm::StringRef> commentText(llvm::StringRef line) {
  line = line.trim();
  return line.consume_front("#") ? std::optional(line.ltrim()) : std::nullopt;
}

/// Where the word at the start of `text` ends: at white space that no bracket or quote is around.
static size_t wordLength(llvm::StringRef text) {
  unsigned depth = 0;
  char quote = 0;
  for (size_t at = 0; at != text.size(); ++at) {
    char c = text[at];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (llvm::StringRef("([{").contains(c))
      ++depth;
    else if (llvm::StringRef(")]}").contains(c))
      depth -= depth != 0;
    else if (llvm::isSpace(c) && !depth)
      return at;
  }
  return text.size();
}

/// Appends the words of `text`. `'NAME=VALUE'` is what a shell makes of it.
static void splitWords(llvm::StringRef text, std::vector<llvm::StringRef> &words) {
  while (!(text = text.ltrim()).empty()) {
    llvm::StringRef word = text.take_front(wordLength(text));
    text = text.drop_front(word.size());
    if (word.size() > 1 && (word[0] == '\'' || word[0] == '"') && word.back() == word[0])
      word = word.drop_front().drop_back();
    words.push_back(word);
  }
}

/// Of the comment that begins in this line and goes on behind each `\`.
static std::vector<llvm::StringRef> wordsOfRequest(const diag::SourceFile &file, uint32_t line) {
  std::vector<llvm::StringRef> words;
  llvm::StringRef text = *commentText(file.line(line));
  text.consume_front("gluonc:");
  for (;;) {
    const bool goesOn = text.consume_back("\\");
    splitWords(text, words);
    std::optional<llvm::StringRef> next;
    if (goesOn)
      next = commentText(file.line(++line));
    if (!next)
      return words;
    text = *next;
  }
}

static std::optional<CheckRequest> readRequest(const diag::SourceFile &file,
                                               llvm::ArrayRef<llvm::StringRef> words,
                                               diag::Span place, diag::Sink &sink) {
  std::vector<uint32_t> offsets;
  for (llvm::StringRef word : words)
    offsets.push_back(static_cast<uint32_t>(word.data() - file.text().data()));
  CommandLine line;
  CheckRequest request;
  request.span = place;
  std::string problem = line.parse({requestOptions}, words, &file, offsets);
  if (problem.empty() && line.namedValues(0, request.arguments, problem))
    (void)readOptions(line, request.options, problem);
  if (!problem.empty()) {
    sink.report(diag::Kind::InvalidOption, place, problem)
        .hint("as in `# gluonc: x=*fp32:16 n=i32 BLOCK=256 --target cuda:90a --num-warps 4`");
    return std::nullopt;
  }
  request.options.target = *target::Target::parse("cuda:90a");
  if (const Word *word = line.find("--target")) {
    std::optional<target::Target> target = parseTarget(*word, sink);
    if (!target)
      return std::nullopt;
    request.options.target = *target;
  }
  return request;
}

namespace {
struct Lines {
  uint32_t begin, end;
};
} // namespace

/// The comment lines right above a function.
static Lines commentAbove(const sema::Function &function) {
  diag::Span head = function.def ? function.def->span : function.span;
  if (function.def && !function.def->decorator_list.empty())
    head = function.def->decorator_list.front()->span;
  const uint32_t end = head.file->position(head.begin).line;
  uint32_t begin = end;
  while (begin > 1 && commentText(head.file->line(begin - 1)))
    --begin;
  return {begin, end};
}

static bool beginsRequest(const diag::SourceFile &file, uint32_t line) {
  std::optional<llvm::StringRef> text = commentText(file.line(line));
  return text && text->starts_with("gluonc:");
}

std::vector<CheckRequest> requestsAbove(const sema::Function &kernel, diag::Sink &sink) {
  std::vector<CheckRequest> requests;
  const diag::SourceFile &file = *kernel.span.file;
  const Lines lines = commentAbove(kernel);
  for (uint32_t line = lines.begin; line < lines.end; ++line) {
    if (!beginsRequest(file, line))
      continue;
    std::vector<llvm::StringRef> words = wordsOfRequest(file, line);
    diag::Span place{&file, file.lineStart(line), file.lineStart(line)};
    if (!words.empty()) {
      place.begin = static_cast<uint32_t>(words.front().data() - file.text().data());
      place.end = static_cast<uint32_t>(words.back().end() - file.text().data());
    }
    if (std::optional<CheckRequest> request = readRequest(file, words, place, sink))
      requests.push_back(std::move(*request));
  }
  return requests;
}

/// Lines that begin in a string.
static std::set<uint32_t> linesInStrings(const diag::SourceFile &file) {
  std::set<uint32_t> lines;
  diag::Collector ignored;
  const ast::TokenList list = ast::lex(file, ignored);
  for (const ast::Token &token : list.tokens)
    if (token.kind == ast::TokenKind::String || token.kind == ast::TokenKind::FStringMiddle) {
      const diag::Span span = list.source.span(token.begin, token.end);
      for (uint32_t line = file.position(span.begin).line; line < file.position(span.end).line;)
        lines.insert(++line);
    }
  return lines;
}

void reportStrayRequests(const diag::SourceFile &file,
                         llvm::ArrayRef<std::shared_ptr<const sema::Function>> kernels,
                         diag::Sink &sink) {
  std::vector<uint32_t> stray;
  for (uint32_t line = 1; line <= file.lineCount(); ++line)
    if (beginsRequest(file, line) && llvm::none_of(kernels, [&](const auto &kernel) {
          const Lines lines = commentAbove(*kernel);
          return lines.begin <= line && line < lines.end;
        }))
      stray.push_back(line);
  if (stray.empty())
    return;
  const std::set<uint32_t> inStrings = linesInStrings(file);
  for (uint32_t line : stray)
    if (!inStrings.count(line)) {
      const uint32_t begin = file.lineStart(line);
      sink.report(diag::Kind::InvalidOption,
                  {&file, begin, begin + static_cast<uint32_t>(file.line(line).size())},
                  "this comment asks for a kernel, but none is below")
          .hint("it stands right above a function at the top level marked `@gluon.jit` or "
                "`@triton.jit`");
    }
}

} // namespace gluonc::driver
