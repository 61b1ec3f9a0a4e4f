//===- Json.h - Files of JSON, and fields of checked types ----------------------===//
#pragma once

#include "Expected.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace engine {

using Json = nlohmann::json;
/// Keeps the order of keys.
using OrderedJson = nlohmann::ordered_json;

/// Parses one JSON text. Errors name line and column; a key that an object has twice is one, and
/// more than 200 levels are.
Expected<Json> parseJson(std::string_view text);
/// Nullopt for what is no JSON, or has more than 200 levels.
std::optional<OrderedJson> parseOrdered(std::string_view text);

Expected<std::string> readFile(const std::filesystem::path &path);

/// A file with a JSON object; errors begin with the file's path.
Expected<Json> readJsonObject(const std::filesystem::path &path);

/// `value` as text, bytes that are no UTF-8 as U+FFFD.
std::string dump(const Json &value);

/// Reads the fields of an object, and keeps what is wrong with the first that is wrong. A field
/// that is null counts as missing. A field without fallback must be there.
class Fields {
public:
  explicit Fields(const Json &object) : object(object) {}

  /// The field, or null where it is missing or null.
  const Json *find(const char *key) const;
  int64_t integer(const char *key, int64_t least, int64_t most,
                  std::optional<int64_t> fallback = std::nullopt);
  double number(const char *key, double least, double most,
                std::optional<double> fallback = std::nullopt);
  bool boolean(const char *key, bool fallback);
  std::string string(const char *key, std::optional<std::string> fallback = std::nullopt);
  void refuse(const char *key, std::string why);

  bool failed() const { return !text.empty(); }
  /// Which field is wrong, and a sentence without its name: "must be a number from 0 to 2".
  const std::string &wrongKey() const { return key; }
  const std::string &why() const { return text; }
  std::string message() const { return key + " " + text; }

private:
  const Json *need(const char *key, bool optional);

  const Json &object;
  std::string key, text;
};

} // namespace engine
