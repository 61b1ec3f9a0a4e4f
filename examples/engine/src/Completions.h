//===- Completions.h - POST /v1/completions and /v1/chat/completions ------------===//
#pragma once

#include "ChatTemplate.h"
#include "Engine.h"
#include "Http.h"

namespace engine {

/// An error as OpenAI's API reports it.
struct ApiError {
  int status = 400;
  std::string message;
  /// The field that is wrong, if one is.
  std::string parameter = {};
  std::string code = {};
  std::string body() const;
};

/// What both need to know.
struct ApiContext {
  Engine &engine;
  const Tokenizer &tokenizer;
  const Model &model;
  std::string modelName;
  /// The most answers of one request: prompts by `n`.
  int maxChoices = 128;
  std::chrono::seconds requestTime{600};
  /// Null where the model has none that can be used; then why.
  std::shared_ptr<const ChatTemplate> chat = {};
  std::string whyNoChat = "there is no chat template";
};

/// The body of a request, checked and with encoded prompts.
struct CompletionRequest {
  std::vector<std::vector<int32_t>> prompts;
  /// Of each prompt; empty unless `echo`.
  std::vector<std::string> echoes;
  int choices = 1, maxTokens = 16;
  Sampling sampling;
  std::vector<std::string> stops;
  bool stream = false, includeUsage = false, ignoreEnd = false;
  /// Answered as messages.
  bool isChat = false;
  /// Of chats.
  ToolUse tools;

  static std::expected<CompletionRequest, ApiError> parse(const std::string &body,
                                                          const ApiContext &context);
  static std::expected<CompletionRequest, ApiError> parseChat(const std::string &body,
                                                              const ApiContext &context);
};

/// Runs a request and answers it. Called by the connection of `reply`.
void complete(CompletionRequest request, const ApiContext &context,
              std::shared_ptr<HttpReply> reply);

} // namespace engine
