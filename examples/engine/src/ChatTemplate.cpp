#include "ChatTemplate.h"

#include "Json.h"
#include "jinja/FromJson.h"

namespace engine {

namespace {

constexpr size_t longestTemplate = 1 << 20;

/// The name of a special token: a string, or an object that has it as `content`.
std::string tokenName(const Json &config, const char *key) {
  if (!config.contains(key))
    return "";
  const Json &found = config[key];
  if (found.is_object() && found.contains("content") && found["content"].is_string())
    return found["content"].get<std::string>();
  return found.is_string() ? found.get<std::string>() : "";
}

Expected<std::string> templateOf(const Json &config) {
  const Json found = config.contains("chat_template") ? config["chat_template"] : Json();
  if (found.is_string())
    return found.get<std::string>();
  if (found.is_array())
    for (const Json &each : found)
      if (each.is_object() && each.value("name", Json()) == "default" &&
          each.value("template", Json()).is_string())
        return each["template"].get<std::string>();
  return fail("there is no chat template");
}

} // namespace

Expected<ChatTemplate> ChatTemplate::open(const std::filesystem::path &folder) {
  ChatTemplate made;
  Json config = Json::object();
  if (std::filesystem::exists(folder / "tokenizer_config.json")) {
    Expected<Json> read = readJsonObject(folder / "tokenizer_config.json");
    if (!read)
      return std::unexpected(read.error());
    config = std::move(*read);
  }
  made.begin = tokenName(config, "bos_token");
  made.end = tokenName(config, "eos_token");
  const std::filesystem::path own = folder / "chat_template.jinja";
  const Expected<std::string> text =
      std::filesystem::exists(own) ? readFile(own) : templateOf(config);
  if (!text)
    return std::unexpected(text.error());
  if (text->size() > longestTemplate)
    return fail("the chat template is too long");
  Expected<jinja::Template> parsed = jinja::Template::parse(*text);
  if (!parsed)
    return fail("the chat template, " + parsed.error().text);
  made.parsed = std::move(*parsed);
  made.tools = toolFormatOf(*text);
  return made;
}

Expected<std::string> ChatTemplate::render(const OrderedJson &messages, const OrderedJson &tools,
                                           const OrderedJson &more) const {
  jinja::Dict variables = {{"messages", jinja::fromJson(messages)},
                           {"add_generation_prompt", true},
                           {"tools", jinja::fromJson(tools)},
                           {"documents", jinja::None()},
                           {"bos_token", begin},
                           {"eos_token", end}};
  for (const auto &[key, value] : more.items())
    variables.emplace_back(key, jinja::fromJson(value));
  Expected<std::string> made = parsed.render(variables);
  if (!made)
    return fail("the chat template, " + made.error().text);
  return made;
}

} // namespace engine
