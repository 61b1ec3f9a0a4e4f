// Renders templates: a line {"template": …, "variables": {…}} in, a line {"text": …} or
// {"error": …} out.
#include "Json.h"
#include "jinja/Template.h"

#include <iostream>

using namespace engine;

static jinja::Value valueOf(const nlohmann::ordered_json &json) {
  if (json.is_boolean())
    return json.get<bool>();
  if (json.is_number_integer())
    return json.get<int64_t>();
  if (json.is_number())
    return json.get<double>();
  if (json.is_string())
    return json.get<std::string>();
  jinja::List list;
  jinja::Dict dict;
  if (json.is_null())
    return jinja::None();
  for (const auto &[key, item] : json.items())
    if (json.is_array())
      list.push_back(valueOf(item));
    else
      dict.emplace_back(key, valueOf(item));
  return json.is_array() ? jinja::Value(std::move(list)) : jinja::Value(std::move(dict));
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto given = nlohmann::ordered_json::parse(line);
    Json answer;
    const auto parsed = jinja::Template::parse(given["template"].get<std::string>());
    if (!parsed) {
      answer["error"] = parsed.error().text;
    } else {
      const auto text = parsed->render(*valueOf(given["variables"]).dict());
      answer[text ? "text" : "error"] = text ? *text : text.error().text;
    }
    std::cout << dump(answer) << std::endl;
  }
}
