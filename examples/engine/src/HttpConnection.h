//===- HttpConnection.h - One connection of the server --------------------------===//
//
// Everything runs on the connection's strand. One timer watches over whatever it waits for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Http.h"

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <optional>

namespace engine {

namespace net = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;

/// What connections share.
struct HttpShared {
  HttpOptions options;
  HttpHandler handler;
  std::atomic<int> connections = 0;
  /// Requests whose answers are not sent yet.
  std::atomic<int> answering = 0;
  std::atomic<bool> isStopping = false;
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
public:
  HttpConnection(net::ip::tcp::socket socket, HttpShared &shared);
  ~HttpConnection();

  net::any_io_executor executor() { return socket.get_executor(); }
  void start();
  /// Says that there are too many connections.
  void refuse();

private:
  class Reply;
  using Self = std::shared_ptr<HttpConnection>;

  void watch(std::chrono::milliseconds time);
  void close();
  void awaitRequest();
  void readSome();
  void onRead(ErrorCode code, size_t bytes);
  void readHeader();
  void onHeader(ErrorCode code);
  void readBody();
  void dispatch();
  /// What a parser's error is to the client; closes.
  void refuseRequest(ErrorCode code);
  void sendError(int status, const std::string &text);
  void sendWhole(int status, const char *type, std::string body);
  void beginStream(const char *type);
  void push(std::string bytes, bool isLast);
  void writeNext();
  void onWritten(ErrorCode code);
  void finishAnswer();
  void linger();
  void drain(size_t left);
  void notifyGone();

  net::ip::tcp::socket socket;
  net::steady_timer timer;
  HttpShared &shared;
  boost::beast::flat_buffer buffer;
  std::optional<http::request_parser<http::string_body>> parser;
  std::shared_ptr<Reply> active;
  std::function<void()> goneCallback;
  std::deque<std::string> output;
  bool isReading = false, isWriting = false, isLast = false, isClosed = false, isLingering = false;
  /// The read that waits is cancelled for the sake of a request that is there already.
  bool isNextThere = false;
  bool keepAlive = true, isHead = false, isChunked = true;
};

} // namespace engine
