//===- ChatTemplate.h - From messages to the text of a prompt -------------------===//
#pragma once

#include "Expected.h"
#include "jinja/Template.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace engine {

struct ChatMessage {
  std::string role, content;
  /// Of who speaks; may be empty.
  std::string name = {};
};

/// Can be used by several threads.
class ChatTemplate {
public:
  /// Reads FOLDER/chat_template.jinja, or `chat_template` of FOLDER/tokenizer_config.json, where
  /// the one named "default" is taken of several; and the texts of bos_token and eos_token there.
  static Expected<ChatTemplate> open(const std::filesystem::path &folder);

  /// The prompt up to where the assistant's answer begins, with the names of special tokens that
  /// begin it. `more` is an object of further variables.
  Expected<std::string> render(const std::vector<ChatMessage> &messages,
                               const nlohmann::json &more) const;

private:
  jinja::Template parsed;
  std::string begin, end;
};

} // namespace engine
