#include "HttpConnection.h"

#include <thread>

namespace engine {

using net::ip::tcp;

struct HttpServer::State {
  explicit State(HttpOptions options, HttpHandler handler)
      : context(options.threads), acceptor(net::make_strand(context)),
        retry(acceptor.get_executor()) {
    shared.options = std::move(options);
    shared.handler = std::move(handler);
  }
  Expected<void> listen();
  void accept();
  void onAccept(ErrorCode code, tcp::socket socket);

  /// Before `context`, whose end destroys connections.
  HttpShared shared;
  net::io_context context;
  tcp::acceptor acceptor;
  net::steady_timer retry;
  uint16_t port = 0;
  std::vector<std::thread> threads;
};

Expected<void> HttpServer::State::listen() {
  const std::string place = shared.options.host + ":" + std::to_string(shared.options.port);
  ErrorCode code;
  tcp::resolver resolver(context);
  const auto found =
      resolver.resolve(shared.options.host, std::to_string(shared.options.port),
                       tcp::resolver::passive | tcp::resolver::numeric_service, code);
  if (code || found.empty())
    return fail(place + ": " + (code ? code.message() : "there is no such host"));
  const tcp::endpoint endpoint = *found.begin();
  acceptor.open(endpoint.protocol(), code);
  if (!code)
    acceptor.set_option(tcp::acceptor::reuse_address(true), code);
  if (!code)
    acceptor.bind(endpoint, code);
  if (!code)
    acceptor.listen(net::socket_base::max_listen_connections, code);
  if (code)
    return fail(place + ": cannot be listened to: " + code.message());
  port = acceptor.local_endpoint(code).port();
  return {};
}

void HttpServer::State::accept() {
  acceptor.async_accept(net::make_strand(context), [this](ErrorCode code, tcp::socket socket) {
    onAccept(code, std::move(socket));
  });
}

void HttpServer::State::onAccept(ErrorCode code, tcp::socket socket) {
  if (code == net::error::operation_aborted || shared.isStopping)
    return;
  if (code) {
    // Too many open files, for example: some will be closed.
    retry.expires_after(std::chrono::milliseconds(100));
    retry.async_wait([this](ErrorCode cancelled) { cancelled ? void() : accept(); });
    return;
  }
  const bool isFull = shared.connections >= shared.options.maxConnections;
  auto connection = std::make_shared<HttpConnection>(std::move(socket), shared);
  net::post(connection->executor(),
            [connection, isFull] { isFull ? connection->refuse() : connection->start(); });
  accept();
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state(std::move(state)) {}

Expected<std::unique_ptr<HttpServer>> HttpServer::start(HttpOptions options, HttpHandler handler) {
  auto state = std::make_unique<State>(std::move(options), std::move(handler));
  if (Expected<void> listening = state->listen(); !listening)
    return std::unexpected(listening.error());
  state->accept();
  for (int i = 0; i != state->shared.options.threads; ++i)
    state->threads.emplace_back([&context = state->context] { context.run(); });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::~HttpServer() {
  state->context.stop();
  for (std::thread &thread : state->threads)
    thread.join();
}

uint16_t HttpServer::port() const { return state->port; }

void HttpServer::stopAccepting() {
  state->shared.isStopping = true;
  net::post(state->acceptor.get_executor(), [this] {
    ErrorCode ignored;
    state->acceptor.close(ignored);
  });
}

bool HttpServer::waitForAnswers(std::chrono::steady_clock::time_point deadline) {
  while (state->shared.answering > 0) {
    if (std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

} // namespace engine
