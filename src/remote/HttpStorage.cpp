#include "remote/Storage.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace gluonc::remote {

namespace {

/// Of libcurl, whose binary interface is kept since its version 7.16:
/// https://curl.se/libcurl/abi.html.
struct Curl {
  int (*global_init)(long);
  void *(*easy_init)();
  int (*easy_setopt)(void *, int, ...);
  int (*easy_perform)(void *);
  int (*easy_getinfo)(void *, int, ...);
  void (*easy_reset)(void *);
  void (*easy_cleanup)(void *);
  const char *(*easy_strerror)(int);
  void *(*slist_append)(void *, const char *);
  void (*slist_free_all)(void *);
};

/// Numbers of libcurl's options, as its header has them.
enum Option {
  WriteData = 10001,
  Url = 10002,
  Proxy = 10004,
  ReadData = 10009,
  UserAgent = 10018,
  HttpHeader = 10023,
  Upload = 46,
  NoSignal = 99,
  TimeoutMs = 155,
  ConnectTimeoutMs = 156,
  Protocols = 181,
  WriteFunction = 20011,
  ReadFunction = 20012,
  InFileSize = 30115,
};
constexpr int responseCode = 0x200002;
constexpr long httpAndHttps = 3;
constexpr size_t abortRead = 0x10000000;

const Curl *load() {
  static const Curl *loaded = []() -> const Curl * {
    void *library = nullptr;
    for (const char *name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
      if (!library)
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return nullptr;
    static Curl curl;
    bool whole = true;
    auto find = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      whole &= function != nullptr;
    };
    find(curl.global_init, "curl_global_init");
    find(curl.easy_init, "curl_easy_init");
    find(curl.easy_setopt, "curl_easy_setopt");
    find(curl.easy_perform, "curl_easy_perform");
    find(curl.easy_getinfo, "curl_easy_getinfo");
    find(curl.easy_reset, "curl_easy_reset");
    find(curl.easy_cleanup, "curl_easy_cleanup");
    find(curl.easy_strerror, "curl_easy_strerror");
    find(curl.slist_append, "curl_slist_append");
    find(curl.slist_free_all, "curl_slist_free_all");
    constexpr long everything = 3;
    return whole && !curl.global_init(everything) ? &curl : nullptr;
  }();
  return loaded;
}

/// What a request receives and sends.
struct Transfer {
  std::string received;
  uint64_t most = 0;
  llvm::StringRef toSend;
};

size_t receive(char *bytes, size_t size, size_t count, void *user) {
  auto &transfer = *static_cast<Transfer *>(user);
  transfer.received.append(bytes, size * count);
  // Less than all ends the transfer.
  return transfer.received.size() > transfer.most ? 0 : size * count;
}

size_t send(char *bytes, size_t size, size_t count, void *user) {
  auto &transfer = *static_cast<Transfer *>(user);
  size_t length = std::min(size * count, transfer.toSend.size());
  if (length > abortRead)
    return abortRead;
  std::memcpy(bytes, transfer.toSend.data(), length);
  transfer.toSend = transfer.toSend.drop_front(length);
  return length;
}

/// A connection that is kept for the next call.
struct Connection {
  void *easy;
  pid_t process;
};

class HttpStorage : public Storage {
public:
  HttpStorage(const Curl &curl, std::string url, const Limits &limits)
      : curl(curl), url(std::move(url)), limits(limits) {
    // "Expect: 100-continue" waits for servers that do not know it.
    headers = curl.slist_append(nullptr, "Expect:");
  }
  ~HttpStorage() override {
    drop(idle.exchange(nullptr));
    curl.slist_free_all(headers);
  }

  llvm::Expected<std::optional<std::string>> get(const std::string &name, uint64_t most) override {
    Transfer transfer;
    transfer.most = most;
    llvm::Expected<long> status = perform(name, transfer, /*sends=*/false);
    if (transfer.received.size() > most) {
      llvm::consumeError(status.takeError());
      return std::move(transfer.received);
    }
    if (!status)
      return status.takeError();
    if (*status == 404 || *status == 410)
      return std::nullopt;
    if (*status != 200)
      return answered(*status);
    return std::move(transfer.received);
  }

  llvm::Error put(const std::string &name, llvm::StringRef bytes) override {
    Transfer transfer;
    transfer.toSend = bytes;
    constexpr uint64_t mostOfAnAnswer = 1 << 16;
    transfer.most = mostOfAnAnswer;
    llvm::Expected<long> status = perform(name, transfer, /*sends=*/true);
    if (!status)
      return status.takeError();
    return *status >= 200 && *status < 300 ? llvm::Error::success() : answered(*status);
  }

private:
  static llvm::Error answered(long status) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "the server answered %ld",
                                   status);
  }

  void drop(Connection *connection) {
    // One of a parent process is that one's to use.
    if (connection && connection->process == getpid())
      curl.easy_cleanup(connection->easy);
    delete connection;
  }

  Connection *take() {
    Connection *connection = idle.exchange(nullptr);
    if (connection && connection->process == getpid())
      return connection;
    drop(connection);
    void *easy = curl.easy_init();
    return easy ? new Connection{easy, getpid()} : nullptr;
  }

  /// The status of the answer.
  llvm::Expected<long> perform(const std::string &name, Transfer &transfer, bool sends) {
    Connection *connection = take();
    if (!connection)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "libcurl does not begin");
    void *easy = connection->easy;
    // Keeps what is connected.
    curl.easy_reset(easy);
    curl.easy_setopt(easy, Url, (url + "/" + name).c_str());
    curl.easy_setopt(easy, Protocols, httpAndHttps);
    curl.easy_setopt(easy, NoSignal, 1L);
    // Else the environment's, which a library does not read.
    curl.easy_setopt(easy, Proxy, "");
    curl.easy_setopt(easy, UserAgent, "gluonc");
    curl.easy_setopt(easy, HttpHeader, headers);
    curl.easy_setopt(easy, ConnectTimeoutMs, static_cast<long>(limits.connect.count()));
    curl.easy_setopt(easy, TimeoutMs, static_cast<long>(limits.call.count()));
    curl.easy_setopt(easy, WriteFunction, receive);
    curl.easy_setopt(easy, WriteData, &transfer);
    if (sends) {
      curl.easy_setopt(easy, Upload, 1L);
      curl.easy_setopt(easy, ReadFunction, send);
      curl.easy_setopt(easy, ReadData, &transfer);
      curl.easy_setopt(easy, InFileSize, static_cast<int64_t>(transfer.toSend.size()));
    }
    int result = curl.easy_perform(easy);
    long status = 0;
    curl.easy_getinfo(easy, responseCode, &status);
    if (result) {
      drop(connection);
      return llvm::createStringError(llvm::inconvertibleErrorCode(), curl.easy_strerror(result));
    }
    drop(idle.exchange(connection));
    return status;
  }

  const Curl &curl;
  std::string url;
  Limits limits;
  void *headers;
  /// Without a lock, which a child process might inherit locked.
  std::atomic<Connection *> idle = nullptr;
};

} // namespace

llvm::Expected<std::shared_ptr<Storage>> openHttpStorage(std::string url, const Limits &limits) {
  const Curl *curl = load();
  if (!curl)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "libcurl.so.4 is not there");
  while (llvm::StringRef(url).ends_with("/"))
    url.pop_back();
  return std::make_shared<HttpStorage>(*curl, std::move(url), limits);
}

} // namespace gluonc::remote
