#include "Json.h"

#include <fstream>
#include <set>

namespace engine {

namespace {

constexpr int mostLevels = 200;

/// Refuses keys that an object has twice, of which nlohmann's parser would keep the last.
class UniqueKeys {
public:
  bool operator()(int level, Json::parse_event_t event, Json &parsed) {
    isTooDeep |= level > mostLevels;
    if (isTooDeep)
      return false;
    if (event == Json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == Json::parse_event_t::key &&
             !keys.back().insert(parsed.get_ref<std::string &>()).second && twice.empty())
      twice = parsed.get<std::string>();
    return true;
  }
  std::string twice;
  bool isTooDeep = false;

private:
  std::vector<std::set<std::string>> keys;
};

std::string formatNumber(double number) {
  if (number == double(int64_t(number)))
    return std::to_string(int64_t(number));
  return Json(number).dump();
}

} // namespace

Expected<Json> parseJson(std::string_view text) {
  UniqueKeys keys;
  try {
    Json parsed = Json::parse(text, std::ref(keys));
    if (keys.isTooDeep)
      return fail("it has more than " + std::to_string(mostLevels) + " levels");
    if (!keys.twice.empty())
      return fail("the key \"" + keys.twice + "\" is there twice");
    return parsed;
  } catch (const Json::exception &exception) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
    std::string message = exception.what();
    const size_t head = message.find("] ");
    return fail(head == std::string::npos ? message : message.substr(head + 2));
  }
}

std::optional<OrderedJson> parseOrdered(std::string_view text) {
  bool isTooDeep = false;
  OrderedJson parsed = OrderedJson::parse(
      text,
      [&](int level, OrderedJson::parse_event_t, OrderedJson &) {
        isTooDeep |= level > mostLevels;
        return !isTooDeep;
      },
      false);
  if (parsed.is_discarded() || isTooDeep)
    return std::nullopt;
  return parsed;
}

Expected<std::string> readFile(const std::filesystem::path &path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    return fail(path.string() + ": there is no such file");
  std::ifstream stream(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream)
    return fail(path.string() + ": cannot be read");
  return text;
}

Expected<Json> readJsonObject(const std::filesystem::path &path) {
  Expected<std::string> text = readFile(path);
  if (!text)
    return std::unexpected(text.error());
  Expected<Json> parsed = parseJson(*text);
  if (!parsed)
    return fail(path.string() + ": " + parsed.error().text);
  if (!parsed->is_object())
    return fail(path.string() + ": is not a JSON object");
  return parsed;
}

std::string dump(const Json &value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json *Fields::find(const char *name) const {
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

void Fields::refuse(const char *name, std::string why) {
  if (failed())
    return;
  key = name;
  text = std::move(why);
}

const Json *Fields::need(const char *name, bool optional) {
  const Json *found = find(name);
  if (!found && !optional)
    refuse(name, "is missing");
  return found;
}

int64_t Fields::integer(const char *name, int64_t least, int64_t most,
                        std::optional<int64_t> fallback) {
  const Json *found = need(name, fallback.has_value());
  if (!found)
    return fallback.value_or(least);
  const bool isHuge = found->is_number_unsigned() && found->get<uint64_t>() > uint64_t(INT64_MAX);
  if (!found->is_number_integer() || isHuge || found->get<int64_t>() < least ||
      found->get<int64_t>() > most) {
    refuse(name,
           "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
    return least;
  }
  return found->get<int64_t>();
}

double Fields::number(const char *name, double least, double most, std::optional<double> fallback) {
  const Json *found = need(name, fallback.has_value());
  if (!found)
    return fallback.value_or(least);
  if (!found->is_number() || !(found->get<double>() >= least && found->get<double>() <= most)) {
    refuse(name, "must be a number from " + formatNumber(least) + " to " + formatNumber(most));
    return least;
  }
  return found->get<double>();
}

bool Fields::boolean(const char *name, bool fallback) {
  const Json *found = find(name);
  if (!found)
    return fallback;
  if (!found->is_boolean()) {
    refuse(name, "must be true or false");
    return fallback;
  }
  return found->get<bool>();
}

std::string Fields::string(const char *name, std::optional<std::string> fallback) {
  const Json *found = need(name, fallback.has_value());
  if (!found)
    return fallback.value_or("");
  if (!found->is_string()) {
    refuse(name, "must be a string");
    return "";
  }
  return found->get<std::string>();
}

} // namespace engine
