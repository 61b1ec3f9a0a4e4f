#include "remote/RemoteCache.h"
#include "remote/Deadline.h"
#include "support/Hash.h"
#include "support/OwnFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <atomic>
#include <ctime>
#include <fcntl.h>
#include <variant>

namespace gluonc::remote {

using std::chrono::steady_clock;

static constexpr llvm::StringLiteral logName("remote.log");
/// A log that is longer begins anew; the one before it is kept.
static constexpr uint64_t mostLogBytes = 1 << 20;

uint64_t Statistics::allRefused() const {
  uint64_t all = 0;
  for (uint64_t count : refused)
    all += count;
  return all;
}

struct RemoteCache::State {
  Settings settings;
  /// Without a password.
  std::string place;
  KeyRing keys;
  /// Null: off.
  std::shared_ptr<Storage> storage;
  std::atomic<uint64_t> hits = 0, misses = 0, stores = 0, failures = 0;
  std::array<std::atomic<uint64_t>, refusalCount> refused = {};
  /// When the storage is asked again.
  std::atomic<steady_clock::rep> restsUntil = 0;
  /// Milliseconds that were spent on slow answers since the last quick one.
  std::atomic<int64_t> spentOnSlow = 0;
  /// Calls that nobody waits for any more.
  std::shared_ptr<std::atomic<int>> abandoned = std::make_shared<std::atomic<int>>(0);
  /// No lock, which a child process might inherit locked.
  std::atomic<const std::string *> problem = nullptr;
  std::atomic<bool> isProblemTold = false;

  ~State() { delete problem.load(); }

  void noteProblem(std::string text) {
    auto *mine = new std::string(std::move(text));
    const std::string *none = nullptr;
    if (!problem.compare_exchange_strong(none, mine))
      delete mine;
  }

  /// Null where there is none to be had.
  OwnFile openState() const {
    if (settings.stateFolder.empty())
      return OwnFile();
    makeOwnFolder(settings.stateFolder);
    return openOwnFolder(settings.stateFolder);
  }

  /// A line of the log. One that cannot be written is not missed.
  void log(llvm::StringRef event, llvm::StringRef name, llvm::StringRef detail = "") const {
    OwnFile folder = openState();
    if (!folder)
      return;
    struct stat status;
    if (!fstatat(folder.file.get(), logName.data(), &status, AT_SYMLINK_NOFOLLOW) &&
        static_cast<uint64_t>(status.st_size) > mostLogBytes)
      (void)renameat(folder.file.get(), logName.data(), folder.file.get(),
                     (logName + ".old").str().c_str());
    std::string line = std::to_string(std::time(nullptr)) + " " + event.str() + " " + name.str();
    if (!detail.empty())
      line += " " + detail.str();
    llvm::replace(line, '\n', ' ');
    (void)appendToOwnFileIn(folder, logName.str(), line + "\n");
  }

  std::string restFile() const {
    ContentHash hash;
    hash.add(std::string_view(settings.place));
    return "remote-" + hash.hex().substr(0, 16) + ".failed";
  }

  bool rests() const {
    return *abandoned > 0 || steady_clock::now().time_since_epoch().count() < restsUntil;
  }

  void restFor(steady_clock::duration time) {
    restsUntil = (steady_clock::now() + time).time_since_epoch().count();
  }

  /// Where another process met a failure a moment ago.
  void restAsOthers() {
    OwnFile folder = openState();
    struct stat status;
    if (!folder || fstatat(folder.file.get(), restFile().c_str(), &status, AT_SYMLINK_NOFOLLOW))
      return;
    auto since = std::chrono::seconds(std::time(nullptr) - status.st_mtim.tv_sec);
    if (since.count() >= 0 && since < settings.limits.rest)
      restFor(settings.limits.rest - since);
  }

  void noteFailure(llvm::StringRef name, const std::string &why) {
    ++failures;
    restFor(settings.limits.rest);
    noteProblem("`" + place + "` is left alone for " +
                std::to_string(settings.limits.rest.count()) + " s: " + why);
    log("failure", name, why);
    if (OwnFile folder = openState())
      llvm::consumeError(writeOwnFileIn(folder, restFile(), ""));
  }

  std::nullopt_t refuse(const std::string &name, Refusal refusal) {
    ++refused[static_cast<unsigned>(refusal)];
    noteProblem("`" + name + "` of `" + place + "` " + describe(refusal).str());
    log("refused", name, wordOf(refusal));
    return std::nullopt;
  }

  /// A storage that answers, but slowly, is left alone as well.
  void noteTime(const std::string &name, std::chrono::milliseconds took) {
    if (took <= settings.limits.slow) {
      spentOnSlow = 0;
      return;
    }
    int64_t spent = spentOnSlow += took.count();
    if (spent < settings.limits.call.count())
      return;
    spentOnSlow = 0;
    noteFailure(name, "slow answers took " + std::to_string(spent) + " ms");
  }

  /// Calls the storage; false, noted, where that fails or takes too long.
  template <class Result, class Call> bool ask(const std::string &name, Result &result, Call call) {
    struct Answer {
      Result result;
      std::string why;
      std::atomic<bool> isLate = false, isDone = false;
    };
    auto answer = std::make_shared<Answer>();
    auto body = [answer, call, storage = storage, late = abandoned] {
      answer->why = call(*storage, answer->result);
      // One of both sees that the other was first.
      answer->isDone = true;
      if (answer->isLate.exchange(false))
        --*late;
    };
    // What limits calls itself gets the time to say what it met.
    auto limit = settings.limits.call + settings.limits.call / 10;
    auto start = steady_clock::now();
    if (!runWithin(limit, body)) {
      ++*abandoned;
      answer->isLate = true;
      if (answer->isDone && answer->isLate.exchange(false))
        --*abandoned;
      noteFailure(name, "no answer in " + std::to_string(limit.count()) + " ms");
      return false;
    }
    if (!answer->why.empty()) {
      noteFailure(name, answer->why);
      return false;
    }
    result = std::move(answer->result);
    noteTime(name,
             std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start));
    return true;
  }
};

RemoteCache::RemoteCache(std::unique_ptr<State> state) : state(std::move(state)) {}
RemoteCache::~RemoteCache() = default;

static llvm::Error wrongPlace(const Settings &settings) {
  if (kindOfPlace(settings.place) == PlaceKind::Redis)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "only the Python package has a client for `%s`",
                                   shownPlace(settings.place).c_str());
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "`%s` is no remote cache: it is a folder's absolute path or a URL "
                                 "of http:// or https://",
                                 shownPlace(settings.place).c_str());
}

llvm::Expected<std::shared_ptr<RemoteCache>> RemoteCache::open(Settings settings) {
  PlaceKind kind = kindOfPlace(settings.place);
  if (!settings.storage && kind != PlaceKind::Folder && kind != PlaceKind::Http)
    return wrongPlace(settings);
  if (settings.keyFile.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the remote cache `%s` needs a file of keys: nothing of it is "
                                   "believed without",
                                   shownPlace(settings.place).c_str());
  llvm::Expected<KeyRing> keys = KeyRing::read(settings.keyFile);
  if (!keys)
    return keys.takeError();
  auto state = std::make_unique<State>();
  state->settings = std::move(settings);
  state->place = shownPlace(state->settings.place);
  state->keys = std::move(*keys);
  state->storage = state->settings.storage;
  if (!state->storage && kind == PlaceKind::Folder)
    state->storage = openFolderStorage(state->settings.place);
  llvm::Error missing = llvm::Error::success();
  if (!state->storage) {
    auto made = openHttpStorage(state->settings.place, state->settings.limits);
    if (made)
      state->storage = std::move(*made);
    else
      missing = llvm::joinErrors(std::move(missing), made.takeError());
  }
  if (state->keys.needsLibcrypto())
    missing = llvm::joinErrors(std::move(missing), openLibcrypto());
  if (missing) {
    state->storage = nullptr;
    state->noteProblem("`" + state->place + "` is not used: " + llvm::toString(std::move(missing)));
  } else {
    state->restAsOthers();
  }
  return std::shared_ptr<RemoteCache>(new RemoteCache(std::move(state)));
}

std::optional<Entry> RemoteCache::find(const std::string &name, llvm::StringRef build,
                                       llvm::StringRef target) {
  if (!state->storage || state->rests())
    return std::nullopt;
  std::optional<std::string> bytes;
  auto call = [name, most = state->settings.limits.bytes](
                  Storage &storage, std::optional<std::string> &result) -> std::string {
    llvm::Expected<std::optional<std::string>> got = storage.get(name, most);
    if (!got)
      return llvm::toString(got.takeError());
    result = std::move(*got);
    return "";
  };
  if (!state->ask(name, bytes, call))
    return std::nullopt;
  if (!bytes) {
    ++state->misses;
    state->log("miss", name);
    return std::nullopt;
  }
  if (bytes->size() > state->settings.limits.bytes)
    return state->refuse(name, Refusal::Oversized);
  Decoded decoded = decode(*bytes, name, build, target, state->keys);
  if (!decoded.entry)
    return state->refuse(name, decoded.refusal);
  ++state->hits;
  state->log("hit", name);
  return std::move(decoded.entry);
}

bool RemoteCache::canStore() const {
  return state->storage && !state->settings.readOnly && state->keys.signer();
}

bool RemoteCache::store(const std::string &name, const Entry &entry) {
  if (!canStore() || state->rests())
    return false;
  llvm::Expected<std::string> bytes = encode(entry, name, *state->keys.signer());
  if (!bytes) {
    state->noteProblem(llvm::toString(bytes.takeError()));
    return false;
  }
  if (bytes->size() > state->settings.limits.bytes)
    return false;
  auto call = [name, bytes = std::make_shared<std::string>(std::move(*bytes))](
                  Storage &storage, std::monostate &) -> std::string {
    llvm::Error error = storage.put(name, *bytes);
    return error ? llvm::toString(std::move(error)) : "";
  };
  std::monostate nothing;
  if (!state->ask(name, nothing, call))
    return false;
  ++state->stores;
  state->log("store", name);
  return true;
}

const std::string &RemoteCache::place() const { return state->place; }

Statistics RemoteCache::statistics() const {
  Statistics now;
  now.hits = state->hits;
  now.misses = state->misses;
  now.stores = state->stores;
  now.failures = state->failures;
  for (unsigned i = 0; i != refusalCount; ++i)
    now.refused[i] = state->refused[i];
  return now;
}

std::optional<std::string> RemoteCache::takeProblem() {
  const std::string *first = state->problem;
  if (!first || state->isProblemTold.exchange(true))
    return std::nullopt;
  return *first;
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

static void count(llvm::StringRef line, RemoteCache::Log &log) {
  llvm::SmallVector<llvm::StringRef, 4> words;
  line.split(words, ' ', 3);
  if (words.size() < 3)
    return;
  llvm::StringRef event = words[1];
  if (event == "hit") {
    ++log.total.hits;
  } else if (event == "miss") {
    ++log.total.misses;
  } else if (event == "store") {
    ++log.total.stores;
  } else if (event == "failure") {
    ++log.total.failures;
    log.problems.push_back(line.str());
  } else if (event == "refused" && words.size() == 4) {
    for (unsigned i = 0; i != refusalCount; ++i)
      log.total.refused[i] += wordOf(static_cast<Refusal>(i)) == words[3];
    log.problems.push_back(line.str());
  }
}

RemoteCache::Log RemoteCache::readLog(const std::string &stateFolder) {
  Log log;
  constexpr size_t mostProblems = 10;
  OwnFile folder = openOwnFolder(stateFolder);
  for (llvm::StringRef name : {"remote.log.old", "remote.log"}) {
    OwnFile file = folder ? openOwnFileIn(folder, name.str()) : OwnFile();
    if (!file)
      continue;
    llvm::Expected<std::string> text = readRest(file.file, 2 * mostLogBytes);
    if (!text) {
      llvm::consumeError(text.takeError());
      continue;
    }
    for (llvm::StringRef line : llvm::split(*text, '\n'))
      count(line, log);
  }
  if (log.problems.size() > mostProblems)
    log.problems.erase(log.problems.begin(), log.problems.end() - mostProblems);
  return log;
}

} // namespace gluonc::remote
