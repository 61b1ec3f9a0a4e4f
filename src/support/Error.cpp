#include "support/Error.h"

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
  if (InternalErrorHandler handler = installed.exchange(nullptr))
    handler(file, line, what);
  std::abort();
}

} // namespace gluonc
