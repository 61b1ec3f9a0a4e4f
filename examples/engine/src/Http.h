//===- Http.h - A server of HTTP/1.1 --------------------------------------------===//
//
// Connections are asynchronous: a client that is slow or silent costs memory, no thread. What comes
// too late or is too large is refused, and a client that goes away is noticed while its answer is
// still being made.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Expected.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace engine {

struct HttpRequest {
  std::string method, target, body;
};

/// The answer to one request: either send(), or begin(), some write() and end(). All functions can
/// be called by several threads and never block; what is sent after the end, or to a client that
/// has gone, is dropped.
class HttpReply {
public:
  virtual ~HttpReply() = default;
  virtual void send(int status, const char *type, std::string body) = 0;
  virtual void begin(const char *type) = 0;
  virtual void write(std::string text) = 0;
  virtual void end() = 0;
  /// `callback` runs once if the client goes before the end; then it may run at once. It counts as
  /// gone, too, when it closes its sending side or does not take what is sent.
  virtual void onGone(std::function<void()> callback) = 0;
  /// Runs `callback` after all that was posted before, never two of one connection at the same
  /// time.
  virtual void post(std::function<void()> callback) = 0;
};

struct HttpOptions {
  std::string host = "127.0.0.1";
  /// 0: any that is free.
  uint16_t port = 8000;
  int threads = 2;
  int maxConnections = 1024;
  size_t maxHeader = 16 << 10;
  size_t maxBody = 4 << 20;
  std::chrono::milliseconds headerTime{10'000}, bodyTime{30'000}, writeTime{30'000},
      idleTime{60'000};
  /// The body of responses that the server makes itself; `text` says what is wrong.
  std::function<std::string(int status, const std::string &text)> errorBody;
  /// Told of each response.
  std::function<void(int status)> onResponse;
  /// Told how many connections are open.
  std::function<void(int)> onConnections;
};

using HttpHandler = std::function<void(HttpRequest, std::shared_ptr<HttpReply>)>;

class HttpServer {
public:
  /// Listens; `handler` is called by the server's threads from now on.
  static Expected<std::unique_ptr<HttpServer>> start(HttpOptions options, HttpHandler handler);
  /// Cuts all connections.
  ~HttpServer();

  uint16_t port() const;
  /// Takes no more connections, and closes each after its answer.
  void stopAccepting();
  /// Waits until all answers are sent, until then at most; false where some are not.
  bool waitForAnswers(std::chrono::steady_clock::time_point deadline);

private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace engine
