#include "Splitter.h"

#include <pcre2.h>

namespace engine {

namespace {

/// Unicode's White_Space as the inside of a class: PCRE2's own \s has U+180E, too.
constexpr std::string_view whiteSpace =
    R"(\t-\r\x20\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
/// Escapes that mean the same to both libraries, beside those of punctuation.
constexpr std::string_view sharedEscapes = "pPdDrntxf";

Expected<std::string> translate(std::string_view pattern) {
  std::string result;
  bool isInClass = false;
  for (size_t i = 0; i != pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '\\') {
      if (c == '[' && isInClass)
        return fail("has nested classes");
      if (!isInClass && (c == '^' || c == '$' || c == '.'))
        return fail(std::string("has '") + c + "'");
      if (c == '[' && pattern.substr(i + 1, 1) == "^")
        result += pattern[i++];
      isInClass = c == '[' || (isInClass && c != ']');
      result += pattern[i];
      continue;
    }
    if (++i == pattern.size())
      return fail("ends in a backslash");
    const char escaped = pattern[i];
    if (escaped == 's')
      result += isInClass ? std::string(whiteSpace) : "[" + std::string(whiteSpace) + "]";
    else if (escaped == 'S' && !isInClass)
      result += "[^" + std::string(whiteSpace) + "]";
    else if (isalnum(static_cast<unsigned char>(escaped)) &&
             sharedEscapes.find(escaped) == std::string_view::npos)
      return fail(std::string("has '\\") + escaped + "'");
    else
      (result += '\\') += escaped;
  }
  return result;
}

struct Free {
  void operator()(pcre2_match_data *data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context *context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_jit_stack *stack) const { pcre2_jit_stack_free(stack); }
};

} // namespace

struct Splitter::Code {
  explicit Code(pcre2_code *code) : code(code) {}
  Code(const Code &) = delete;
  ~Code() { pcre2_code_free(code); }
  pcre2_code *code;
};

Expected<Splitter> Splitter::fromRegex(std::string_view pattern, Behavior behavior, bool invert) {
  Expected<std::string> translated = translate(pattern);
  if (!translated)
    return fail("the regular expression '" + std::string(pattern) + "' is not supported: it " +
                translated.error().text);
  return compile(*translated, PCRE2_UTF | PCRE2_UCP, behavior, invert);
}

Expected<Splitter> Splitter::fromString(std::string_view text, Behavior behavior, bool invert) {
  return compile(text, PCRE2_UTF | PCRE2_LITERAL, behavior, invert);
}

Expected<Splitter> Splitter::compile(std::string_view pattern, unsigned options, Behavior behavior,
                                     bool invert) {
  int number = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code *code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   options, &number, &offset, nullptr);
  if (!code) {
    unsigned char message[256] = {};
    pcre2_get_error_message(number, message, sizeof message);
    return fail("the regular expression '" + std::string(pattern) + "' is wrong at " +
                std::to_string(offset) + ": " + reinterpret_cast<const char *>(message));
  }
  Splitter made;
  made.code = std::make_shared<const Code>(code);
  made.behavior = behavior;
  made.invert = invert;
  uint32_t matchesEmpty = 0;
  pcre2_pattern_info(code, PCRE2_INFO_MATCHEMPTY, &matchesEmpty);
  if (matchesEmpty)
    return fail("the regular expression '" + std::string(pattern) + "' matches the empty string");
  // Where there is no JIT for the processor, pcre2_match() interprets.
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  return made;
}

Expected<std::vector<std::string_view>> Splitter::split(std::string_view text) const {
  std::unique_ptr<pcre2_match_data, Free> data(pcre2_match_data_create(1, nullptr));
  std::unique_ptr<pcre2_match_context, Free> context(pcre2_match_context_create(nullptr));
  std::unique_ptr<pcre2_jit_stack, Free> stack(pcre2_jit_stack_create(32 << 10, 64 << 20, nullptr));
  if (!data || !context)
    return fail("no memory for a regular expression");
  pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  std::vector<std::string_view> parts;
  auto add = [&](size_t begin, size_t end, bool isMatch) {
    if (begin != end && (behavior == Behavior::Isolated || isMatch == invert))
      parts.push_back(text.substr(begin, end - begin));
  };
  size_t done = 0;
  while (done != text.size()) {
    const int found = pcre2_match(code->code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                  text.size(), done, PCRE2_NO_UTF_CHECK, data.get(), context.get());
    if (found == PCRE2_ERROR_NOMATCH)
      break;
    if (found < 0)
      return fail("a regular expression of the tokenizer gives up on the text (PCRE2: " +
                  std::to_string(found) + ")");
    const PCRE2_SIZE *range = pcre2_get_ovector_pointer(data.get());
    add(done, range[0], false);
    add(range[0], range[1], true);
    done = range[1];
  }
  add(done, text.size(), false);
  return parts;
}

} // namespace engine
