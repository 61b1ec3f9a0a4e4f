#include "RemoteCache.h"
#include "Session.h"
#include "driver/KernelCache.h"
#include "remote/RemoteCache.h"
#include "support/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <fcntl.h>
#include <unistd.h>

namespace gluonc::tool {

using diag::Kind;

namespace {

/// What a push or a pull came to.
struct Exchange {
  unsigned moved = 0, passedOver = 0;
  std::string names;
};

Exchange pushAll(const driver::Cache &cache, const std::string &assembler) {
  Exchange exchange;
  for (const driver::Cache::Item &item : cache.items()) {
    std::string name;
    if (driver::push(cache, item.key, assembler, name)) {
      ++exchange.moved;
      exchange.names += name + "\n";
    } else {
      ++exchange.passedOver;
    }
  }
  return exchange;
}

Exchange pullAll(const driver::Cache &cache, const std::string &assembler, llvm::StringRef names) {
  Exchange exchange;
  for (llvm::StringRef name : llvm::split(names, '\n')) {
    name = name.trim();
    if (name.empty())
      continue;
    bool isName = name.size() == 64 && llvm::all_of(name, llvm::isHexDigit);
    ++(isName && driver::pull(cache, name.str(), assembler) ? exchange.moved : exchange.passedOver);
  }
  return exchange;
}

/// A file that nobody had before.
bool writeNew(Session &session, const Word &place, const std::string &path, llvm::StringRef text,
              mode_t mode) {
  OpenFile file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()))
    return true;
  session.sink.report(Kind::UnwritableFile, place.span, path, std::strerror(errno)).end();
  return false;
}

} // namespace

int exchangeKernels(Session &session, bool isPush) {
  const Word *list = session.line.find("--list");
  if (!isPush && !list)
    return session.usage("pull takes --list FILE, names as push wrote them");
  std::optional<driver::Cache> cache = session.openCache();
  if (!cache)
    return session.status();
  if (!cache->remote())
    return session.usage("there is no remote cache: GLUONC_REMOTE_CACHE or --remote names one");
  if (isPush && !cache->remote()->canStore())
    return session.usage("there is no key that signs among those of --keys");
  if (!isPush && !cache->isOn())
    return session.usage("the cache is off: pull has no place for what it gets");
  std::optional<std::string> names;
  if (!isPush && !(names = session.readFile(*list)))
    return session.status();
  std::string assembler = findPtxasHere();
  Exchange exchange = isPush ? pushAll(*cache, assembler) : pullAll(*cache, assembler, *names);
  if (isPush && list && !session.writeFile(*list, exchange.names))
    return session.status();
  llvm::outs() << exchange.moved << (isPush ? " pushed, " : " pulled, ") << exchange.passedOver
               << " passed over\n";
  // What is of another build or assembler is passed over; what failed is said.
  if (std::optional<std::string> why = cache->remote()->takeProblem())
    session.sink
        .report(isPush ? Kind::UnwritableFile : Kind::UnreadableFile, {}, cache->remote()->place(),
                *why)
        .end();
  return session.status();
}

static void printJson(const remote::RemoteCache::Log &log) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("hits", int64_t(log.total.hits));
    json.attribute("misses", int64_t(log.total.misses));
    json.attribute("stores", int64_t(log.total.stores));
    json.attribute("failures", int64_t(log.total.failures));
    json.attributeObject("refused", [&] {
      for (unsigned i = 0; i != remote::refusalCount; ++i)
        json.attribute(remote::wordOf(static_cast<remote::Refusal>(i)),
                       int64_t(log.total.refused[i]));
    });
    json.attributeArray("problems", [&] {
      for (const std::string &line : log.problems)
        json.value(llvm::json::fixUTF8(line));
    });
  });
  llvm::outs() << '\n';
}

int remoteStatistics(bool json) {
  remote::RemoteCache::Log log = remote::RemoteCache::readLog(cacheDirectory());
  if (json) {
    printJson(log);
    return 0;
  }
  const remote::Statistics &total = log.total;
  llvm::outs() << "remote cache: " << total.hits << " found, " << total.misses << " not there, "
               << total.stores << " put there, " << total.failures << " failures, "
               << total.allRefused() << " refused\n";
  for (unsigned i = 0; i != remote::refusalCount; ++i)
    if (total.refused[i])
      llvm::outs() << "  " << total.refused[i] << " "
                   << remote::wordOf(static_cast<remote::Refusal>(i)) << ": an entry that "
                   << remote::describe(static_cast<remote::Refusal>(i)) << '\n';
  for (const std::string &line : log.problems)
    llvm::outs() << "  " << line << '\n';
  return 0;
}

int makeKeys(Session &session) {
  const Word &path = session.line.positional()[1];
  bool isShared = session.line.has("--hmac");
  llvm::Expected<remote::KeyFiles> files =
      remote::makeKeyFiles(isShared ? remote::Scheme::HmacSha256 : remote::Scheme::Ed25519);
  if (!files) {
    llvm::consumeError(files.takeError());
    session.sink.report(Kind::ToolMissing, path.span, "libcrypto.so.3")
        .hint("--hmac makes a shared secret, which needs no libcrypto");
    return session.status();
  }
  if (!writeNew(session, path, path.text, files->forWriters, 0600) ||
      (!isShared && !writeNew(session, path, path.text + ".pub", files->forReaders, 0644)))
    return session.status();
  llvm::outs() << path.text << ": for who puts kernels there\n";
  llvm::outs() << (isShared ? "the same for who takes them\n"
                            : path.text + ".pub: for who takes them\n");
  return 0;
}

} // namespace gluonc::tool
