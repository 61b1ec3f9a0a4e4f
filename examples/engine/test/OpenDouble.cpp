//===- OpenDouble.cpp - A server with the double behind it -----------------------===//
//
// double.json of the model's folder has the double's options.
//
//===----------------------------------------------------------------------===//
#include "DoubleModel.h"
#include "Json.h"
#include "OpenModel.h"

#include <algorithm>

namespace engine {

Expected<std::unique_ptr<Model>> openModel(const ModelOptions &given, const Folder &folder) {
  Expected<Json> json = readJsonObject(folder.path() / "double.json");
  if (!json)
    return std::unexpected(json.error());
  DoubleOptions options;
  options.vocabulary = folder.config().vocabulary;
  options.maxPositions = folder.config().maxPositions;
  options.maxSequences = given.maxSequences;
  Fields fields(*json);
  auto read = [&](const char *key, int &number) {
    number = int(fields.integer(key, -1, 1 << 24, number));
  };
  read("page_size", options.pageSize);
  read("page_count", options.pageCount);
  read("max_prefill_tokens", options.maxPrefillTokens);
  read("step_microseconds", options.stepMicroseconds);
  read("fail_token", options.failToken);
  read("lost_token", options.lostToken);
  read("death_token", options.deathToken);
  for (auto [key, list] : {std::pair("cue", &options.cue), std::pair("script", &options.script)})
    if (const Json *found = fields.find(key)) {
      const auto isToken = [&](const Json &token) {
        return token.is_number_integer() && token >= 0 && token < options.vocabulary;
      };
      if (!found->is_array() || !std::ranges::all_of(*found, isToken))
        fields.refuse(key, "must be a list of tokens");
      else
        *list = found->get<std::vector<int32_t>>();
    }
  if (fields.failed())
    return fail("double.json: " + fields.message());
  return std::make_unique<DoubleModel>(options);
}

} // namespace engine
