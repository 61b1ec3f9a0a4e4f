//===- Storage.h - Where the bytes of a remote cache are -----------------------===//
//
// Bytes under a name: get and put, no more. Nobody who can write there is believed; what is in the
// bytes decides (Entry.h). Calls may take as long as a network takes (Deadline.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gluonc::remote {

struct Limits {
  /// Of a connection, and of a whole call. Whoever waits gives up at `call`.
  std::chrono::milliseconds connect{500}, call{2000};
  /// Answers that take longer are slow. Once those in succession have taken as long as `call`, the
  /// storage counts as one that failed.
  std::chrono::milliseconds slow{250};
  /// How long a storage that failed is left alone.
  std::chrono::seconds rest{60};
  /// Longer entries are none.
  uint64_t bytes = uint64_t(64) << 20;
};

/// Any thread may call, several at once.
class Storage {
public:
  virtual ~Storage() = default;
  /// Nullopt where there is nothing under `name` (letters and digits, two at least). May stop
  /// behind `most` bytes, one of them more than that. An error: the storage does not answer, or not
  /// as one.
  virtual llvm::Expected<std::optional<std::string>> get(const std::string &name,
                                                         uint64_t most) = 0;
  /// Readers see all of it or what was there before.
  virtual llvm::Error put(const std::string &name, llvm::StringRef bytes) = 0;
};

/// Folders of the first two letters of names, in a folder that all can reach.
std::shared_ptr<Storage> openFolderStorage(std::string folder);
/// GET and PUT of `url`/NAME by libcurl. An error where that is not there.
llvm::Expected<std::shared_ptr<Storage>> openHttpStorage(std::string url, const Limits &limits);

/// What a user calls a place: a folder's absolute path, file://…, http://… or https://….
enum class PlaceKind { Folder, Http, Redis, Unknown };
PlaceKind kindOfPlace(llvm::StringRef place);
/// For messages: without the user and the password of a URL.
std::string shownPlace(llvm::StringRef place);

} // namespace gluonc::remote
