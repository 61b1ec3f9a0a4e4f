#include "runtime/DriverError.h"

#include "llvm/ADT/Twine.h"

namespace gluonc::runtime {

char DriverError::ID = 0;

DriverError::DriverError(int code, llvm::StringRef call, const char *name, const char *description)
    : code(code), text((call + ": " + (name ? name : "unknown error") + " (" + llvm::Twine(code) +
                        ")" + (description ? ": " : "") + (description ? description : ""))
                           .str()) {}

} // namespace gluonc::runtime
