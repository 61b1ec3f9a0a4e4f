//===- ChatTemplate.h - From messages to the text of a prompt -------------------===//
#pragma once

#include "Expected.h"
#include "Tools.h"
#include "jinja/Template.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace engine {

/// Can be used by several threads.
class ChatTemplate {
public:
  /// Reads FOLDER/chat_template.jinja, or `chat_template` of FOLDER/tokenizer_config.json, where
  /// the one named "default" is taken of several; and the texts of bos_token and eos_token there.
  static Expected<ChatTemplate> open(const std::filesystem::path &folder);

  /// The prompt up to where the assistant's answer begins, with the names of special tokens that
  /// begin it. `messages` are objects as the API has them, but with arguments of calls as objects;
  /// `tools` an array, or null for none; `more` an object of further variables.
  Expected<std::string> render(const nlohmann::ordered_json &messages,
                               const nlohmann::ordered_json &tools,
                               const nlohmann::ordered_json &more) const;
  /// How the template has calls written.
  ToolFormat toolFormat() const { return tools; }

private:
  jinja::Template parsed;
  std::string begin, end;
  ToolFormat tools = ToolFormat::None;
};

} // namespace engine
