//===- FromJson.h - JSON as values of templates ---------------------------------===//
#pragma once

#include "Value.h"

namespace engine::jinja {

/// `Json` is nlohmann::json, or its ordered kind, whose order the dictionaries keep.
template <typename Json> Value fromJson(const Json &json) {
  if (json.is_boolean())
    return json.template get<bool>();
  if (json.is_number_integer())
    return json.template get<int64_t>();
  if (json.is_number())
    return json.template get<double>();
  if (json.is_string())
    return json.template get<std::string>();
  if (json.is_array()) {
    List made;
    for (const Json &item : json)
      made.push_back(fromJson(item));
    return made;
  }
  if (json.is_object()) {
    Dict made;
    for (const auto &[key, item] : json.items())
      made.emplace_back(key, fromJson(item));
    return made;
  }
  return None();
}

} // namespace engine::jinja
