#include "support/Error.h"

#include "support/Recovery.h"

#include <atomic>
#include <cstdlib>

namespace gluonc {
namespace {
std::atomic<InternalErrorHandler> installed = nullptr;
} // namespace

InternalErrorHandler setInternalErrorHandler(InternalErrorHandler handler) {
  return installed.exchange(handler);
}

void internalError(const char *file, int line, std::string_view what) {
  if (Recovery::isActive())
    throw InternalError{std::string(file) + ":" + std::to_string(line) + ": " + std::string(what)};
  if (InternalErrorHandler handler = installed.exchange(nullptr))
    handler(file, line, what);
  std::abort();
}

} // namespace gluonc
