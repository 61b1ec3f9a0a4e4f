//===- RemoteCache.h - Compiled kernels that machines share --------------------===//
//
// Behind the cache on disk: what that lacks is looked for in a storage, believed for its signature,
// and, by who has a key that signs, put there. A storage that fails or is slow costs one call's
// time limit, and is then left alone, by processes that begin meanwhile, too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "remote/Entry.h"
#include "remote/Storage.h"

#include <array>

namespace gluonc::remote {

struct Settings {
  /// What the user calls the place; see kindOfPlace.
  std::string place;
  std::string keyFile;
  /// Nothing is put there, even with a key that signs.
  bool readOnly = false;
  /// In the place of `place`, which then only names it.
  std::shared_ptr<Storage> storage;
  /// A folder of the user's for the log, and for when the storage failed last; empty for none.
  std::string stateFolder;
  Limits limits;
};

struct Statistics {
  uint64_t hits = 0, misses = 0, stores = 0;
  /// The storage did not answer, or not as one.
  uint64_t failures = 0;
  /// By Refusal.
  std::array<uint64_t, refusalCount> refused = {};

  uint64_t allRefused() const;
};

class RemoteCache {
public:
  /// An error: the place is none, or the file of keys is not to be used. Where a library is
  /// missing, the cache is there, off, and `takeProblem` says so.
  static llvm::Expected<std::shared_ptr<RemoteCache>> open(Settings settings);
  ~RemoteCache();

  /// The entry under `name`, where there is one to believe; of any target where that is empty.
  std::optional<Entry> find(const std::string &name, llvm::StringRef build, llvm::StringRef target);
  bool canStore() const;
  /// False where it cannot, or did not succeed.
  bool store(const std::string &name, const Entry &entry);

  /// As messages name it.
  const std::string &place() const;
  Statistics statistics() const;
  /// The first thing that went wrong in this process: once, to whoever asks first.
  std::optional<std::string> takeProblem();

  /// The log of all processes that had this folder for their state, and its last lines of what was
  /// refused or failed.
  struct Log {
    Statistics total;
    std::vector<std::string> problems;
  };
  static Log readLog(const std::string &stateFolder);

private:
  struct State;
  explicit RemoteCache(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace gluonc::remote
