//===- Api.h - What the server answers to which path ----------------------------===//
#pragma once

#include "Completions.h"

namespace engine {

/// POST /v1/completions and /v1/chat/completions, GET /v1/models, /v1/models/NAME, /health,
/// /metrics. Can be called by several threads.
class Api {
public:
  Api(ApiContext context, const Metrics &metrics) : context(std::move(context)), metrics(metrics) {}
  void handle(HttpRequest request, const std::shared_ptr<HttpReply> &reply) const;
  /// From now on /health says that the server is about to stop.
  void setStopping() { isStopping = true; }

private:
  void answer(const HttpRequest &request, const std::string &path,
              const std::shared_ptr<HttpReply> &reply) const;
  void health(const std::shared_ptr<HttpReply> &reply) const;

  const ApiContext context;
  const Metrics &metrics;
  const int64_t created = time(nullptr);
  std::atomic<bool> isStopping = false;
};

} // namespace engine
