//===- Tools.h - Calls of functions in a model's answers ------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// How a model writes that it calls a function.
enum class ToolFormat {
  None,
  /// Hermes and Qwen: <tool_call>{"name": …, "arguments": {…}}</tool_call>, several behind each
  /// other, after text or without.
  Hermes,
  /// Llama 3: the answer is {"name": …, "parameters": {…}}, several with `;` between them.
  Llama3,
};

/// As a chat template tells the model to do it; None where it tells nothing, or another way.
ToolFormat toolFormatOf(std::string_view chatTemplate);

struct ToolCall {
  std::string name;
  /// JSON, as the model wrote it without the spaces between its parts.
  std::string arguments;
};

/// What a request says of tools.
struct ToolUse {
  /// None: it has none, or they are not to be called.
  ToolFormat format = ToolFormat::None;
  /// Text that the answer is made to begin with, so that it has to be a call.
  std::string begin = {};
  /// Calls behind the first are left out.
  bool onlyOne = false;
};

constexpr std::string_view endOfHermesCall = "</tool_call>";

/// The beginning of a call: of any function where `name` is empty.
std::string beginOfCall(ToolFormat format, std::string_view name);

/// Takes an answer in any pieces and tells text from calls. What is no call after all (no JSON, no
/// name) is text. Spaces before and between calls are left out.
class ToolParser {
public:
  explicit ToolParser(const ToolUse &use) : format(use.format), onlyOne(use.onlyOne) {}

  struct Piece {
    std::string text = {};
    std::vector<ToolCall> calls = {};
  };
  /// What more text makes certain.
  Piece put(std::string_view text);
  /// What was held back if no more text comes; a call may lack its end.
  Piece finish();

private:
  void takeTagged(Piece &piece);
  void takeText(Piece &piece, size_t size);
  void takeCalls(Piece &piece);
  void addCall(Piece &piece, ToolCall call);

  ToolFormat format;
  bool onlyOne, hasText = false, isInCall = false;
  size_t calls = 0;
  std::string held;
};

} // namespace engine
