#include "Api.h"

#include "Json.h"

namespace engine {

namespace {

constexpr const char *json = "application/json";
constexpr std::string_view modelPath = "/v1/models/";

void sendError(const ApiError &error, const std::shared_ptr<HttpReply> &reply) {
  reply->send(error.status, json, error.body());
}

} // namespace

void Api::health(const std::shared_ptr<HttpReply> &reply) const {
  if (context.engine.isLost())
    return reply->send(503, json, R"({"status":"device lost"})");
  if (isStopping)
    return reply->send(503, json, R"({"status":"stopping"})");
  reply->send(200, json, R"({"status":"ok"})");
}

void Api::answer(const HttpRequest &request, const std::string &path,
                 const std::shared_ptr<HttpReply> &reply) const {
  if (path == "/health")
    return health(reply);
  if (path == "/metrics")
    return reply->send(200, "text/plain; version=0.0.4", metrics.render());
  const Json model = {{"id", context.modelName},
                      {"object", "model"},
                      {"created", created},
                      {"owned_by", "gluonc"},
                      {"max_model_len", Scheduler::limit(context.model)}};
  if (path == "/v1/models")
    return reply->send(200, json, dump({{"object", "list"}, {"data", Json::array({model})}}));
  const std::string name = path.substr(modelPath.size());
  if (name != context.modelName)
    return sendError({404, "The model `" + name + "` does not exist", "model", "model_not_found"},
                     reply);
  reply->send(200, json, dump(model));
}

void Api::handle(HttpRequest request, const std::shared_ptr<HttpReply> &reply) const {
  const std::string path = request.target.substr(0, request.target.find('?'));
  const bool isChat = path == "/v1/chat/completions";
  const bool isPost = path == "/v1/completions" || isChat;
  const bool isGet = path == "/health" || path == "/metrics" || path == "/v1/models" ||
                     path.starts_with(modelPath);
  if (!isPost && !isGet)
    return sendError(
        {404, "Unknown request URL: " + request.method + " " + path, "", "unknown_url"}, reply);
  if (request.method != (isPost ? "POST" : "GET"))
    return sendError({405, request.method + " is not for " + path, "", "method_not_allowed"},
                     reply);
  if (isGet)
    return answer(request, path, reply);
  std::expected<CompletionRequest, ApiError> parsed =
      isChat ? CompletionRequest::parseChat(request.body, context)
             : CompletionRequest::parse(request.body, context);
  if (!parsed)
    return sendError(parsed.error(), reply);
  complete(std::move(*parsed), context, reply);
}

} // namespace engine
