#include "RemoteCache.h"
#include "Session.h"

#include "llvm/Support/Chrono.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <set>

namespace gluonc::tool {

using driver::Cache;

static void printSize(const Cache::Usage &usage) {
  llvm::outs() << usage.entries << (usage.entries == 1 ? " file, " : " files, ")
               << llvm::format("%.1f", double(usage.bytes) / 1e6) << " MB";
}

static std::string describe(const Cache::Inspection &inspection) {
  return inspection.label.value_or(inspection.refusal.empty() ? "(damaged)" : "(refused)");
}

static int listJson(const Cache &cache) {
  llvm::json::OStream json(llvm::outs());
  json.array([&] {
    for (const Cache::Item &item : cache.items())
      json.object([&] {
        Cache::Inspection inspection = cache.inspect(item);
        json.attribute("key", item.key);
        json.attribute("path", item.path);
        json.attribute("bytes", int64_t(item.bytes));
        json.attribute("last_use", llvm::formatv("{0:%Y-%m-%dT%H:%M:%S}", item.lastUse).str());
        json.attribute("kernel", inspection.label ? llvm::json::Value(*inspection.label)
                                                  : llvm::json::Value(nullptr));
        if (!inspection.refusal.empty())
          json.attribute("refused", inspection.refusal);
      });
  });
  llvm::outs() << '\n';
  return 0;
}

static int list(const Cache &cache) {
  for (const Cache::Item &item : cache.items()) {
    llvm::outs() << llvm::format("%8.1f kB  ", double(item.bytes) / 1e3)
                 << llvm::formatv("{0:%Y-%m-%d %H:%M}", item.lastUse) << "  "
                 << llvm::StringRef(item.key).take_front(12) << "  "
                 << describe(cache.inspect(item)) << '\n';
  }
  return 0;
}

static int verify(const Cache &cache) {
  uint64_t whole = 0, damaged = 0, refused = 0;
  // Where a folder is refused, all its entries are, for one reason.
  std::set<std::string> reasons;
  for (const Cache::Item &item : cache.items()) {
    Cache::Inspection inspection = cache.inspect(item);
    if (inspection.label) {
      ++whole;
    } else if (inspection.refusal.empty()) {
      ++damaged;
      llvm::outs() << "damaged: " << item.path << '\n';
    } else {
      ++refused;
      if (reasons.insert(inspection.refusal).second)
        llvm::outs() << "refused: " << inspection.refusal << '\n';
    }
  }
  llvm::outs() << whole << " whole, " << damaged << " damaged, " << refused << " refused\n";
  return static_cast<int>(damaged || refused ? driver::Outcome::Fault : driver::Outcome::Fine);
}

static int prune(Session &session, const Cache &cache) {
  std::optional<uint64_t> megabytes;
  std::optional<double> days;
  std::string problem;
  if (!session.line.integer("--max-mb", megabytes, problem) ||
      !session.line.number("--older-than", days, problem))
    return session.usage(problem);
  bool all = session.line.has("--all");
  if (!all && !megabytes && !days)
    return session.usage("prune needs --older-than DAYS, --max-mb N or --all");
  // What would overflow asks for nothing to be removed.
  constexpr uint64_t megabyte = 1'000'000;
  uint64_t limit = megabytes.value_or(UINT64_MAX);
  limit = limit > UINT64_MAX / megabyte ? UINT64_MAX : limit * megabyte;
  auto before = llvm::sys::TimePoint<>::min();
  if (days && *days < 36500)
    before = std::chrono::system_clock::now() -
             std::chrono::duration_cast<std::chrono::nanoseconds>(
                 std::chrono::duration<double, std::ratio<86400>>(*days));
  if (all)
    before = llvm::sys::TimePoint<>::max();
  llvm::outs() << "removed ";
  printSize(cache.prune(before, limit));
  llvm::outs() << "; left ";
  printSize(cache.usage());
  llvm::outs() << '\n';
  return 0;
}

int cacheCommand(Session &session) {
  constexpr llvm::StringLiteral actions("list, size, prune, verify, stats, push, pull or keygen");
  if (session.line.positional().empty())
    return session.usage("cache takes one of " + actions);
  llvm::StringRef action = session.line.positional().front().text;
  if (session.line.positional().size() != (action == "keygen" ? 2 : 1))
    return session.usage(action == "keygen" ? llvm::Twine("keygen takes a file to make")
                                            : "cache takes one of " + actions);
  std::optional<bool> json = session.wantsJson();
  if (!json)
    return 2;
  if (*json && action != "list" && action != "stats")
    return session.usage("--format json is for list and stats");
  if (action == "push" || action == "pull")
    return exchangeKernels(session, action == "push");
  if (action == "stats")
    return remoteStatistics(*json);
  if (action == "keygen")
    return makeKeys(session);
  Cache cache(cacheDirectory());
  if (*json)
    return listJson(cache);
  if (!cache.isOn() && action != "prune") {
    llvm::outs() << "the cache is off\n";
    return 0;
  }
  if (action == "list")
    return list(cache);
  if (action == "verify")
    return verify(cache);
  if (action == "prune")
    return prune(session, cache);
  if (action != "size")
    return session.usage("cache takes " + actions + ", not `" + action + "`");
  llvm::outs() << cache.path() << ": ";
  printSize(cache.usage());
  llvm::outs() << '\n';
  return 0;
}

} // namespace gluonc::tool
