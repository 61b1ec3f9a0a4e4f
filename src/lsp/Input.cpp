#include "lsp/Input.h"

#include "support/Json.h"

#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <optional>
#include <poll.h>
#include <unistd.h>

namespace gluonc::lsp {

/// More than any file of kernels (sema's own limit is 32 MiB of source).
static constexpr uint64_t longestMessage = uint64_t{256} << 20;
static constexpr size_t longestLine = 4096;

bool Input::fill() {
  pollfd waiting{descriptor, POLLIN, 0};
  while (poll(&waiting, 1, 0) == 0 && whenIdle()) {
  }
  char bytes[1 << 16];
  ssize_t count = -1;
  do
    count = read(descriptor, bytes, sizeof bytes);
  while (count < 0 && errno == EINTR);
  isAtEnd = count <= 0;
  if (!isAtEnd)
    buffer.append(bytes, static_cast<size_t>(count));
  return !isAtEnd;
}

bool Input::readLine(std::string &line) {
  size_t end = 0;
  while ((end = buffer.find('\n', end)) == std::string::npos) {
    // A line without end is no header.
    if (buffer.size() > longestLine)
      buffer.clear();
    end = buffer.size();
    if (!fill())
      return false;
  }
  line = llvm::StringRef(buffer).take_front(end).rtrim('\r').str();
  buffer.erase(0, end + 1);
  return true;
}

bool Input::readBytes(size_t count, std::string &bytes) {
  while (buffer.size() < count)
    if (!fill())
      return false;
  bytes = buffer.substr(0, count);
  buffer.erase(0, count);
  return true;
}

/// LLVM's transport ends with the first message that is none.
static bool isMessage(llvm::StringRef json) {
  llvm::Expected<llvm::json::Value> value = parseJson(json);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object || object->getString("jsonrpc") != llvm::StringRef("2.0"))
    return false;
  return object->getString("method") || object->get("id");
}

llvm::LogicalResult Input::readStandardMessage(std::string &json) {
  for (;;) {
    std::optional<uint64_t> length;
    std::string line;
    do {
      if (!readLine(line))
        return llvm::failure();
      llvm::StringRef header(line);
      uint64_t number = 0;
      if (header.consume_front_insensitive("content-length:") &&
          !header.trim().getAsInteger(10, number))
        length = number;
    } while (!line.empty());
    if (!length || *length > longestMessage)
      continue;
    if (!readBytes(static_cast<size_t>(*length), json))
      return llvm::failure();
    if (isMessage(json))
      return llvm::success();
  }
}

} // namespace gluonc::lsp
