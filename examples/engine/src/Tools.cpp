#include "Tools.h"

#include "Json.h"

#include <algorithm>

namespace engine {

namespace {

constexpr std::string_view beginTag = "<tool_call>", endTag = endOfHermesCall,
                           pythonTag = "<|python_tag|>", spaces = " \t\r\n";

/// How many bytes at the end of `text` may be the beginning of spaces and a tag behind them.
size_t undecided(std::string_view text) {
  size_t length = std::min(text.size(), beginTag.size() - 1);
  while (length && !text.ends_with(beginTag.substr(0, length)))
    --length;
  const size_t last = text.substr(0, text.size() - length).find_last_not_of(spaces);
  return text.size() - (last == std::string_view::npos ? 0 : last + 1);
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos)
    return "";
  return text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

std::optional<ToolCall> parseCall(std::string_view text) {
  const std::optional<OrderedJson> parsed = parseOrdered(text);
  const OrderedJson json = parsed.value_or(OrderedJson());
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string() ||
      json["name"].get_ref<const std::string &>().empty())
    return std::nullopt;
  OrderedJson arguments = OrderedJson::object();
  for (const char *key : {"arguments", "parameters"})
    if (json.contains(key))
      arguments = json[key];
  if (!arguments.is_object() && !arguments.is_string())
    return std::nullopt;
  return ToolCall{json["name"].get<std::string>(),
                  arguments.is_string()
                      ? arguments.get<std::string>()
                      : arguments.dump(-1, ' ', false, OrderedJson::error_handler_t::replace)};
}

/// The size of the object that `text` begins with; npos where it does not end.
size_t sizeOfObject(std::string_view text) {
  size_t depth = 0;
  bool inString = false;
  for (size_t i = 0; i != text.size(); ++i) {
    const char c = text[i];
    if (inString) {
      i += c == '\\' && i + 1 != text.size();
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// Objects with nothing but spaces and `;` between them; empty where one of them is no call.
std::vector<ToolCall> parseCalls(std::string_view text) {
  std::vector<ToolCall> made;
  while (!(text = trimmed(text)).empty()) {
    const size_t size = text[0] == '{' ? sizeOfObject(text) : std::string_view::npos;
    if (size == std::string_view::npos)
      return {};
    std::optional<ToolCall> call = parseCall(text.substr(0, size));
    if (!call)
      return {};
    made.push_back(std::move(*call));
    text = trimmed(text.substr(size));
    if (text.starts_with(';'))
      text.remove_prefix(1);
  }
  return made;
}

} // namespace

ToolFormat toolFormatOf(std::string_view text) {
  auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (!has("tools"))
    return ToolFormat::None;
  // Others have the tag, too, with something else than JSON in it.
  if (has(beginTag))
    return has("<function=") || has("<arg_key>") ? ToolFormat::None : ToolFormat::Hermes;
  const bool isLlama = has("<|start_header_id|>") && has("\"parameters\"");
  return isLlama || has(pythonTag) ? ToolFormat::Llama3 : ToolFormat::None;
}

std::string beginOfCall(ToolFormat format, std::string_view name) {
  const bool isHermes = format == ToolFormat::Hermes;
  std::string made = (isHermes ? std::string(beginTag) + "\n" : "") + R"({"name": ")";
  if (!name.empty())
    made += std::string(name) + (isHermes ? R"(", "arguments":)" : R"(", "parameters":)");
  return made;
}

void ToolParser::addCall(Piece &piece, ToolCall call) {
  if (++calls == 1 || !onlyOne)
    piece.calls.push_back(std::move(call));
}

void ToolParser::takeText(Piece &piece, size_t size) {
  hasText |= size != 0;
  piece.text += held.substr(0, size);
  held.erase(0, size);
}

/// As far as it is certain.
void ToolParser::takeTagged(Piece &piece) {
  while (true) {
    if (!isInCall) {
      const size_t found = held.find(beginTag);
      if (found == std::string::npos)
        return takeText(piece, held.size() - undecided(held));
      const size_t last = std::string_view(held).substr(0, found).find_last_not_of(spaces);
      takeText(piece, last == std::string::npos ? 0 : last + 1);
      isInCall = true;
    }
    const size_t end = held.find(endTag);
    if (end == std::string::npos)
      return;
    const size_t begin = held.find(beginTag) + beginTag.size();
    const auto call = parseCall(trimmed(std::string_view(held).substr(begin, end - begin)));
    isInCall = false;
    if (!call) {
      takeText(piece, end + endTag.size());
      continue;
    }
    addCall(piece, *call);
    held.erase(0, end + endTag.size());
  }
}

void ToolParser::takeCalls(Piece &piece) {
  std::string_view text = trimmed(held);
  if (text.starts_with(pythonTag))
    text.remove_prefix(pythonTag.size());
  std::vector<ToolCall> found = parseCalls(text);
  if (found.empty())
    return takeText(piece, held.size());
  for (ToolCall &call : found)
    addCall(piece, std::move(call));
  held.clear();
}

ToolParser::Piece ToolParser::put(std::string_view text) {
  held += text;
  Piece piece;
  if (format == ToolFormat::Hermes) {
    takeTagged(piece);
  } else if (format == ToolFormat::None || hasText) {
    takeText(piece, held.size());
  } else {
    const std::string_view begun = trimmed(held);
    const bool mayBeCall = begun.empty() || begun.starts_with('{') ||
                           begun.starts_with(pythonTag) || pythonTag.starts_with(begun);
    if (!mayBeCall)
      takeText(piece, held.size());
  }
  return piece;
}

ToolParser::Piece ToolParser::finish() {
  Piece piece;
  if (format == ToolFormat::Llama3 && !hasText) {
    takeCalls(piece);
    return piece;
  }
  if (isInCall) {
    const size_t begin = held.find(beginTag) + beginTag.size();
    if (const auto call = parseCall(trimmed(std::string_view(held).substr(begin)))) {
      addCall(piece, *call);
      held.clear();
    }
  }
  // Spaces behind a call say nothing.
  if (calls == 0 || trimmed(held) != "")
    takeText(piece, held.size());
  return piece;
}

} // namespace engine
