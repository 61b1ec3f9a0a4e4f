//===- RequestBody.h - What requests for texts and for chats have in common -----===//
#pragma once

#include "Completions.h"
#include "Json.h"

#include <set>

namespace engine {

using Names = std::set<std::string, std::less<>>;

/// The body as an object of known fields: those of both and `more`.
std::expected<Json, ApiError> parseBody(const std::string &body, const Names &more);

/// An error unless `model` is the one that is served, or is no string: then `fields` have failed.
std::optional<ApiError> checkModel(Fields &fields, const ApiContext &context);

/// Everything but prompts, messages, tools and probabilities.
void readBoth(Fields &fields, CompletionRequest &request);

std::optional<ApiError> checkLength(size_t prompt, int maxTokens, const Model &model);

} // namespace engine
