//===- ChatRequest.cpp - What a body of /v1/chat/completions asks for -----------===//
#include "RequestBody.h"

#include <algorithm>

namespace engine {

namespace {

constexpr size_t mostTools = 128, longestName = 64;

const Names fieldsOfChat = {"messages",        "max_completion_tokens", "top_logprobs",
                            "tools",           "tool_choice",           "parallel_tool_calls",
                            "response_format", "chat_template_kwargs"};

/// The value of a key; null where there is none.
OrderedJson at(const OrderedJson &object, const std::string &key) {
  const auto found = object.find(key);
  return found == object.end() ? OrderedJson() : *found;
}

/// Why an object has a key, with another value than null, that is none of `known`.
void refuseOthers(const OrderedJson &object, const Names &known, const char *of, Fields &fields) {
  for (const auto &[key, value] : object.items())
    if (!known.contains(key) && !value.is_null())
      fields.refuse(of, "have the field " + key + ", which is not supported");
}

/// A string, or a list of parts that are texts. Null where the message may do without.
OrderedJson contentOf(const OrderedJson &message, bool mayLack, Fields &fields) {
  const OrderedJson content = at(message, "content");
  if (content.is_string() || (content.is_null() && mayLack))
    return content;
  std::string made;
  bool isGood = content.is_array() && !content.empty();
  for (const OrderedJson &part : isGood ? content : OrderedJson::array()) {
    isGood &= part.is_object() && part.size() == 2 && at(part, "type") == "text" &&
              at(part, "text").is_string();
    if (isGood)
      made += (made.empty() ? "" : "\n") + part["text"].get<std::string>();
  }
  if (!isGood)
    fields.refuse("messages", "must have strings, or lists of texts, as content");
  return made;
}

/// Calls of a message, with arguments as the object that templates want.
OrderedJson callsOf(const OrderedJson &calls, Fields &fields) {
  OrderedJson made = OrderedJson::array();
  if (!calls.is_array() || calls.empty()) {
    fields.refuse("messages", "must have a list of calls as tool_calls");
    return made;
  }
  for (const OrderedJson &call : calls) {
    const OrderedJson function = call.is_object() ? at(call, "function") : OrderedJson();
    const bool isGood = function.is_object() && at(call, "id").is_string() &&
                        at(call, "type") == "function" && at(function, "name").is_string() &&
                        at(function, "arguments").is_string();
    const std::optional<OrderedJson> arguments =
        isGood ? parseOrdered(function["arguments"].get_ref<const std::string &>()) : std::nullopt;
    if (!arguments || !arguments->is_object()) {
      fields.refuse("messages", "must have tool_calls with id, type \"function\" and function: its "
                                "name, and arguments as a string with a JSON object");
      return made;
    }
    made.push_back({{"id", call["id"]},
                    {"type", "function"},
                    {"function", {{"name", function["name"]}, {"arguments", *arguments}}}});
  }
  return made;
}

OrderedJson messageOf(const OrderedJson &message, Fields &fields) {
  if (!message.is_object() || !at(message, "role").is_string() ||
      !(at(message, "name").is_null() || at(message, "name").is_string())) {
    fields.refuse("messages", "must be objects with role and content");
    return {};
  }
  const bool isAssistant = message["role"] == "assistant", isTool = message["role"] == "tool";
  Names known = {"role", "content", "name"};
  if (isAssistant)
    known.insert({"tool_calls", "refusal"});
  if (isTool)
    known.insert("tool_call_id");
  refuseOthers(message, known, "messages", fields);
  const bool calls = isAssistant && !at(message, "tool_calls").is_null();
  OrderedJson made = {{"role", message["role"]}, {"content", contentOf(message, calls, fields)}};
  if (at(message, "name").is_string() && message["name"] != "")
    made["name"] = message["name"];
  if (calls)
    made["tool_calls"] = callsOf(message["tool_calls"], fields);
  if (isTool && !at(message, "tool_call_id").is_string())
    fields.refuse("messages", "of the role tool must have a tool_call_id");
  else if (isTool)
    made["tool_call_id"] = message["tool_call_id"];
  return made;
}

OrderedJson readMessages(const OrderedJson &body, Fields &fields) {
  const OrderedJson found = at(body, "messages");
  OrderedJson made = OrderedJson::array();
  if (!found.is_array() || found.empty())
    fields.refuse("messages", "must be a list of messages");
  else
    for (const OrderedJson &message : found)
      made.push_back(messageOf(message, fields));
  return made;
}

/// Objects in it are variables of the chat template.
OrderedJson readVariables(const OrderedJson &body, Fields &fields) {
  OrderedJson found = at(body, "chat_template_kwargs");
  if (found.is_null())
    return OrderedJson::object();
  if (!found.is_object())
    fields.refuse("chat_template_kwargs", "must be an object");
  return found;
}

bool isName(const OrderedJson &name) {
  if (!name.is_string())
    return false;
  const std::string &text = name.get_ref<const std::string &>();
  return !text.empty() && text.size() <= longestName && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

/// The list as the request has it; null where there is none.
OrderedJson readTools(const OrderedJson &body, Fields &fields) {
  OrderedJson found = at(body, "tools");
  if (found.is_null())
    return found;
  if (!found.is_array() || found.empty() || found.size() > mostTools) {
    fields.refuse("tools", "must be a list of 1 to " + std::to_string(mostTools) + " tools");
    return {};
  }
  for (size_t i = 0; i != found.size(); ++i) {
    const std::string place = "tools[" + std::to_string(i) + "]";
    const OrderedJson function = found[i].is_object() ? at(found[i], "function") : OrderedJson();
    const OrderedJson description =
        at(function.is_object() ? function : OrderedJson::object(), "description");
    if (!found[i].is_object() || at(found[i], "type") != "function")
      fields.refuse((place + ".type").c_str(), "must be \"function\"");
    else if (!function.is_object())
      fields.refuse((place + ".function").c_str(), "must be an object");
    else if (!isName(at(function, "name")))
      fields.refuse((place + ".function.name").c_str(),
                    "must have 1 to " + std::to_string(longestName) +
                        " letters, digits, underscores and dashes");
    else if (!description.is_null() && !description.is_string())
      fields.refuse((place + ".function.description").c_str(), "must be a string");
    else if (const OrderedJson parameters = at(function, "parameters");
             !parameters.is_null() && !parameters.is_object())
      fields.refuse((place + ".function.parameters").c_str(), "must be an object");
  }
  return found;
}

/// What of `tools` may be called: auto, none, required, or the name of a function behind a colon.
std::string readChoice(const OrderedJson &body, const OrderedJson &tools, Fields &fields) {
  const OrderedJson choice = at(body, "tool_choice");
  if (choice.is_null())
    return tools.is_null() ? "none" : "auto";
  if (choice == "none")
    return "none";
  if (tools.is_null()) {
    fields.refuse("tool_choice", "is only allowed when tools are specified");
    return "none";
  }
  if (choice == "auto" || choice == "required")
    return choice.get<std::string>();
  const OrderedJson function = choice.is_object() ? at(choice, "function") : OrderedJson();
  const OrderedJson name = function.is_object() ? at(function, "name") : OrderedJson();
  if (!choice.is_object() || at(choice, "type") != "function" || !name.is_string()) {
    fields.refuse("tool_choice", "must be none, auto, required, or {\"type\": \"function\", "
                                 "\"function\": {\"name\": …}}");
    return "none";
  }
  if (std::ranges::none_of(tools, [&](const OrderedJson &tool) {
        return tool.is_object() && at(tool, "function").is_object() &&
               at(tool["function"], "name") == name;
      }))
    fields.refuse("tool_choice", "names a function that tools do not have");
  return ":" + name.get<std::string>();
}

void readLikely(Fields &fields, CompletionRequest &request) {
  const bool isWanted = fields.boolean("logprobs", false);
  const auto count = int(fields.integer("top_logprobs", 0, mostLikely, 0));
  if (fields.find("top_logprobs") && !isWanted)
    fields.refuse("top_logprobs", "is for requests with logprobs");
  request.sampling.likely = isWanted ? count : -1;
}

std::optional<ApiError> useTools(const std::string &choice, bool isParallel,
                                 const ChatTemplate &chat, CompletionRequest &request) {
  const ToolFormat format = chat.toolFormat();
  if (format == ToolFormat::None)
    return ApiError{400,
                    "The model's chat template has no tools, or has calls of them in a form that "
                    "the engine does not know",
                    "tools", "tools_not_supported"};
  const bool isNamed = choice.starts_with(':');
  request.tools = {format, "", isNamed || !isParallel};
  // The rest would be left out.
  if (request.tools.onlyOne && format == ToolFormat::Hermes)
    request.stops.emplace_back(endOfHermesCall);
  if (choice != "auto")
    request.tools.begin = beginOfCall(format, isNamed ? choice.substr(1) : "");
  return std::nullopt;
}

std::expected<std::vector<int32_t>, ApiError>
encodeChat(const Expected<std::string> &text, const std::string &begin, const ApiContext &context) {
  auto refuse = [](const std::string &why) {
    return std::unexpected(ApiError{400, "messages: " + why, "messages"});
  };
  if (!text)
    return refuse(text.error().text);
  Expected<std::vector<int32_t>> tokens = context.tokenizer.encode(*text + begin, false);
  if (!tokens)
    return refuse(tokens.error().text);
  if (tokens->empty())
    return refuse("the chat template makes no text of them");
  return std::move(*tokens);
}

} // namespace

std::expected<CompletionRequest, ApiError> CompletionRequest::parseChat(const std::string &body,
                                                                        const ApiContext &context) {
  std::expected<Json, ApiError> json = parseBody(body, fieldsOfChat);
  if (!json)
    return std::unexpected(json.error());
  // What templates print has the order of the request.
  const OrderedJson ordered = parseOrdered(body).value_or(OrderedJson::object());
  Fields fields(*json);
  CompletionRequest request;
  request.isChat = true;
  if (std::optional<ApiError> error = checkModel(fields, context))
    return std::unexpected(*error);
  readBoth(fields, request);
  readLikely(fields, request);
  if (const Json *format = fields.find("response_format");
      format && *format != Json{{"type", "text"}})
    fields.refuse("response_format", "must be {\"type\": \"text\"}");
  const char *const most =
      fields.find("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  const bool isLimited = fields.find(most) != nullptr;
  if (isLimited)
    request.maxTokens = int(fields.integer(most, 1, INT32_MAX));
  const OrderedJson messages = readMessages(ordered, fields);
  const OrderedJson variables = readVariables(ordered, fields);
  OrderedJson tools = readTools(ordered, fields);
  const std::string choice = readChoice(ordered, tools, fields);
  const bool isParallel = fields.boolean("parallel_tool_calls", true);
  if (fields.failed())
    return std::unexpected(ApiError{400, fields.message(), fields.wrongKey()});
  if (!context.chat)
    return std::unexpected(
        ApiError{400, "This model has no chat: " + context.whyNoChat, "model", "no_chat_template"});
  if (choice == "none")
    tools = nullptr;
  else if (std::optional<ApiError> error = useTools(choice, isParallel, *context.chat, request))
    return std::unexpected(*error);
  std::expected<std::vector<int32_t>, ApiError> tokens =
      encodeChat(context.chat->render(messages, tools, variables), request.tools.begin, context);
  if (!tokens)
    return std::unexpected(tokens.error());
  // Else to the end of the context.
  if (!isLimited)
    request.maxTokens =
        int(std::max<int64_t>(1, Scheduler::limit(context.model) - int64_t(tokens->size())));
  if (std::optional<ApiError> error = checkLength(tokens->size(), request.maxTokens, context.model))
    return std::unexpected(*error);
  request.prompts.push_back(std::move(*tokens));
  return request;
}

} // namespace engine
