#include "HttpConnection.h"

#include <sstream>

namespace engine {

namespace {

/// What may come ahead of the answer to the request before it.
constexpr size_t mostAhead = 64 << 10;
constexpr std::chrono::milliseconds lingerTime{2000};
constexpr size_t mostLingering = 16 << 20;

std::string head(int status, const char *type, unsigned version, bool keepAlive,
                 std::optional<size_t> length) {
  http::response<http::empty_body> response(http::status(status), version);
  response.set(http::field::content_type, type);
  response.keep_alive(keepAlive);
  if (length)
    response.content_length(*length);
  else if (version >= 11)
    response.chunked(true);
  response.set(http::field::cache_control, "no-store");
  std::ostringstream stream;
  stream << response.base();
  return stream.str();
}

} // namespace

/// Hands over to the strand. Inert when its connection has another request, or none.
class HttpConnection::Reply : public HttpReply, public std::enable_shared_from_this<Reply> {
public:
  explicit Reply(const Self &connection) : weak(connection), strand(connection->executor()) {}

  void send(int status, const char *type, std::string body) override {
    whenActive([status, type, body = std::move(body)](HttpConnection &connection) mutable {
      connection.sendWhole(status, type, std::move(body));
    });
  }
  void begin(const char *type) override {
    whenActive([type](HttpConnection &connection) { connection.beginStream(type); });
  }
  void write(std::string text) override {
    whenActive([text = std::move(text)](HttpConnection &connection) {
      if (text.empty())
        return;
      std::ostringstream length;
      length << std::hex << text.size();
      connection.push(connection.isChunked ? length.str() + "\r\n" + text + "\r\n" : text, false);
    });
  }
  void end() override {
    whenActive([](HttpConnection &connection) {
      connection.push(connection.isChunked ? "0\r\n\r\n" : "", true);
    });
  }
  void onGone(std::function<void()> callback) override {
    net::post(strand, [self = shared_from_this(), callback = std::move(callback)]() mutable {
      const Self connection = self->weak.lock();
      if (connection && connection->active == self)
        connection->goneCallback = std::move(callback);
      else if (!self->isAnswered)
        callback();
    });
  }
  void post(std::function<void()> callback) override { net::post(strand, std::move(callback)); }

  /// All was sent.
  bool isAnswered = false;

private:
  template <class Action> void whenActive(Action action) {
    net::post(strand, [self = shared_from_this(), action = std::move(action)]() mutable {
      const Self connection = self->weak.lock();
      if (connection && connection->active == self && !connection->isLast)
        action(*connection);
    });
  }

  const std::weak_ptr<HttpConnection> weak;
  const net::any_io_executor strand;
};

HttpConnection::HttpConnection(net::ip::tcp::socket socket, HttpShared &shared)
    : socket(std::move(socket)), timer(this->socket.get_executor()), shared(shared),
      buffer(1 << 20) {
  const int open = ++shared.connections;
  if (shared.options.onConnections)
    shared.options.onConnections(open);
}

HttpConnection::~HttpConnection() {
  notifyGone();
  const int open = --shared.connections;
  if (shared.options.onConnections)
    shared.options.onConnections(open);
}

void HttpConnection::start() {
  ErrorCode ignored;
  socket.set_option(net::ip::tcp::no_delay(true), ignored);
  awaitRequest();
}

void HttpConnection::refuse() {
  keepAlive = false;
  sendError(503, "there are too many connections");
}

void HttpConnection::watch(std::chrono::milliseconds time) {
  timer.expires_after(time);
  timer.async_wait([self = shared_from_this()](ErrorCode code) {
    if (!code && self->timer.expiry() <= net::steady_timer::clock_type::now())
      self->close();
  });
}

void HttpConnection::close() {
  if (isClosed)
    return;
  isClosed = true;
  ErrorCode ignored;
  socket.close(ignored);
  timer.cancel();
  notifyGone();
}

void HttpConnection::notifyGone() {
  if (!active)
    return;
  --shared.answering;
  active.reset();
  if (std::function<void()> callback = std::exchange(goneCallback, nullptr))
    callback();
}

void HttpConnection::awaitRequest() {
  if (buffer.size())
    return readHeader();
  watch(shared.options.idleTime);
  readSome();
}

/// Waits for the next bytes of the client, or its end. While an answer is made this is how its end
/// is noticed.
void HttpConnection::readSome() {
  if (isReading || isClosed)
    return;
  if (buffer.size() >= mostAhead)
    return close();
  isReading = true;
  socket.async_read_some(
      buffer.prepare(4096),
      [self = shared_from_this()](ErrorCode code, size_t bytes) { self->onRead(code, bytes); });
}

void HttpConnection::onRead(ErrorCode code, size_t bytes) {
  isReading = false;
  if (std::exchange(isNextThere, false) && code == net::error::operation_aborted && !isClosed)
    return readHeader();
  if (code)
    return close();
  if (isLingering)
    return drain(mostLingering);
  buffer.commit(bytes);
  if (active)
    readSome();
  else
    readHeader();
}

void HttpConnection::readHeader() {
  parser.emplace();
  parser->header_limit(std::uint32_t(shared.options.maxHeader));
  parser->body_limit(shared.options.maxBody);
  watch(shared.options.headerTime);
  http::async_read_header(
      socket, buffer, *parser,
      [self = shared_from_this()](ErrorCode code, size_t) { self->onHeader(code); });
}

void HttpConnection::onHeader(ErrorCode code) {
  if (code)
    return refuseRequest(code);
  if (!boost::beast::iequals(parser->get()[http::field::expect], "100-continue") ||
      parser->is_done())
    return readBody();
  static constexpr std::string_view goOn = "HTTP/1.1 100 Continue\r\n\r\n";
  net::async_write(socket, net::buffer(goOn), [self = shared_from_this()](ErrorCode code, size_t) {
    code ? self->close() : self->readBody();
  });
}

void HttpConnection::readBody() {
  watch(shared.options.bodyTime);
  http::async_read(socket, buffer, *parser, [self = shared_from_this()](ErrorCode code, size_t) {
    code ? self->refuseRequest(code) : self->dispatch();
  });
}

void HttpConnection::dispatch() {
  if (isClosed)
    return;
  timer.cancel();
  http::request<http::string_body> &message = parser->get();
  keepAlive = parser->keep_alive();
  isHead = message.method() == http::verb::head;
  isChunked = message.version() >= 11;
  isLast = false;
  active = std::make_shared<Reply>(shared_from_this());
  ++shared.answering;
  HttpRequest request = {std::string(message.method_string()), std::string(message.target()),
                         std::move(message.body())};
  readSome();
  shared.handler(std::move(request), active);
}

void HttpConnection::refuseRequest(ErrorCode code) {
  if (isClosed || code == net::error::operation_aborted || code == http::error::end_of_stream ||
      code == http::error::partial_message ||
      code.category() != make_error_code(http::error::bad_method).category())
    return close();
  keepAlive = false;
  if (code == http::error::body_limit)
    return sendError(413,
                     "the body has more than " + std::to_string(shared.options.maxBody) + " bytes");
  if (code == http::error::header_limit || code == http::error::buffer_overflow)
    return sendError(431, "the header has more than " + std::to_string(shared.options.maxHeader) +
                              " bytes");
  sendError(400, "this is not HTTP/1.1: " + code.message());
}

/// An answer to what is no request.
void HttpConnection::sendError(int status, const std::string &text) {
  active = std::make_shared<Reply>(shared_from_this());
  ++shared.answering;
  isLast = false;
  const auto &body = shared.options.errorBody;
  sendWhole(status, body ? "application/json" : "text/plain",
            body ? body(status, text) : text + "\n");
}

void HttpConnection::sendWhole(int status, const char *type, std::string body) {
  if (shared.options.onResponse)
    shared.options.onResponse(status);
  keepAlive = keepAlive && !shared.isStopping;
  const std::string start = head(status, type, isChunked ? 11 : 10, keepAlive, body.size());
  push(isHead ? start : start + body, true);
}

void HttpConnection::beginStream(const char *type) {
  if (shared.options.onResponse)
    shared.options.onResponse(200);
  keepAlive = keepAlive && isChunked && !shared.isStopping;
  push(head(200, type, isChunked ? 11 : 10, keepAlive, std::nullopt), false);
}

void HttpConnection::push(std::string bytes, bool last) {
  if (!bytes.empty() || last)
    output.push_back(std::move(bytes));
  isLast = last;
  if (!isWriting)
    writeNext();
}

void HttpConnection::writeNext() {
  // All that waits goes out at once.
  std::string bytes;
  for (std::string &piece : output)
    bytes += piece;
  output.assign(1, std::move(bytes));
  isWriting = true;
  watch(shared.options.writeTime);
  net::async_write(socket, net::buffer(output.front()),
                   [self = shared_from_this()](ErrorCode code, size_t) { self->onWritten(code); });
}

void HttpConnection::onWritten(ErrorCode code) {
  isWriting = false;
  if (code || isClosed)
    return close();
  output.pop_front();
  if (!output.empty())
    return writeNext();
  timer.cancel();
  if (isLast)
    finishAnswer();
}

void HttpConnection::finishAnswer() {
  active->isAnswered = true;
  active.reset();
  goneCallback = nullptr;
  isLast = false;
  --shared.answering;
  if (!keepAlive || shared.isStopping)
    return linger();
  if (buffer.size() && !isReading)
    return readHeader();
  watch(shared.options.idleTime);
  if (!buffer.size())
    return readSome();
  ErrorCode ignored;
  isNextThere = true;
  socket.cancel(ignored);
}

/// Ends the sending side and waits for the client's: a close with bytes unread would destroy what
/// it has not read yet.
void HttpConnection::linger() {
  isLingering = true;
  ErrorCode ignored;
  socket.shutdown(net::ip::tcp::socket::shutdown_send, ignored);
  watch(lingerTime);
  if (!isReading)
    drain(mostLingering);
}

void HttpConnection::drain(size_t left) {
  buffer.clear();
  socket.async_read_some(buffer.prepare(std::min<size_t>(left, 16 << 10)),
                         [self = shared_from_this(), left](ErrorCode code, size_t bytes) {
                           if (code || bytes >= left)
                             return self->close();
                           self->drain(left - bytes);
                         });
}

} // namespace engine
