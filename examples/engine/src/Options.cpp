#include "Options.h"

#include <charconv>
#include <cstring>

namespace engine {

const char *const usageText = R"(usage: engine MODEL_FOLDER [option…]

  --bundle FILE         the kernels; else those beside the program
  --host HOST           127.0.0.1
  --port N              8000; 0 takes any that is free
  --name NAME           what clients call the model; else the folder's name
  --weights KIND        fp8: matrices of layers are rounded to it; auto: they are as in the folder
  --device N            0
  --devices N           1 or 2: GPUs, from N of --device on, that share the model
  --memory SHARE        of the device's memory that weights and cache may take: 0.9
  --max-sequences N     that are decoded together: 256
  --prefill-tokens N    of prompts that one step reads; longer ones take several: 2048
  --max-waiting N       sequences that wait, before requests are refused with 429: 512
  --max-connections N   1024
  --request-seconds N   that a request may take: 600
  --stop-seconds N      that SIGTERM leaves to the requests which are there: 30
  --prompt TEXT         writes one completion to stdout, greedily, and ends
  --max-tokens N        of that completion: 64
  --supervise           runs the server as a child, and again when it dies
)";

namespace {

template <class Number>
bool parseNumber(const char *text, Number least, Number most, Number &result) {
  const char *end = text + std::strlen(text);
  const auto [stop, code] = std::from_chars(text, end, result);
  return code == std::errc() && stop == end && result >= least && result <= most;
}

/// Sets what an option names; false where the value is none.
bool set(Options &options, std::string_view name, const char *value) {
  constexpr int most = 1 << 20;
  const std::pair<std::string_view, std::string *> texts[] = {
      {"--bundle", &options.model.bundle}, {"--host", &options.host}, {"--name", &options.name}};
  for (auto [key, text] : texts)
    if (name == key)
      return *(*text = value).c_str() != 0;
  struct Row {
    std::string_view key;
    int *number;
    int least, most;
  };
  const Row rows[] = {{"--port", &options.port, 0, 65535},
                      {"--device", &options.model.device, 0, 1024},
                      {"--devices", &options.model.devices, 1, 2},
                      {"--max-sequences", &options.model.maxSequences, 1, most},
                      {"--prefill-tokens", &options.model.prefillTokens, 1, most},
                      {"--max-waiting", &options.maxWaiting, 1, most},
                      {"--max-connections", &options.maxConnections, 1, most},
                      {"--request-seconds", &options.requestTime, 1, most},
                      {"--stop-seconds", &options.stopTime, 0, most},
                      {"--max-tokens", &options.maxTokens, 1, most}};
  for (const Row &row : rows)
    if (name == row.key)
      return parseNumber(value, row.least, row.most, *row.number);
  if (name == "--weights") {
    options.model.fp8Weights = std::string_view(value) == "fp8";
    return options.model.fp8Weights || std::string_view(value) == "auto";
  }
  if (name == "--memory")
    return parseNumber(value, 0.01, 1.0, options.model.memory);
  options.prompt = value;
  return true;
}

bool takesValue(std::string_view name) {
  for (const char *known :
       {"--bundle", "--host", "--name", "--port", "--device", "--devices", "--max-sequences",
        "--prefill-tokens", "--weights", "--max-waiting", "--max-connections", "--request-seconds",
        "--stop-seconds", "--max-tokens", "--memory", "--prompt"})
    if (name == known)
      return true;
  return false;
}

} // namespace

Expected<Options> parseOptions(std::span<const char *const> arguments) {
  Options options;
  for (size_t i = 0; i != arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--help" || name == "-h") {
      options.help = true;
      return options;
    }
    if (name == "--supervise") {
      options.supervise = true;
    } else if (takesValue(name)) {
      if (i + 1 == arguments.size())
        return fail(std::string(name) + " needs a value");
      if (!set(options, name, arguments[++i]))
        return fail(std::string(name) + " cannot be '" + arguments[i] + "'");
    } else if (name.starts_with("-")) {
      return fail("unknown option " + std::string(name));
    } else if (!options.folder.empty()) {
      return fail("more than one folder: " + std::string(name));
    } else {
      options.folder = name;
    }
  }
  if (options.folder.empty())
    return fail("which folder has the model?");
  if (options.prompt && options.supervise)
    return fail("--prompt and --supervise exclude each other");
  return options;
}

} // namespace engine
