#include "remote/Deadline.h"
#include "remote/RemoteCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace gluonc::remote;

namespace {

/// 64 letters, as keys are.
const std::string name(64, 'a'), otherName(64, 'b');
const Entry entry = {"build", "cuda:90a", "code", "label", std::string("bytes\0and more", 14)};

KeyRing ringOf(const std::string &text) { return llvm::cantFail(KeyRing::parse(text)); }

class Schemes : public testing::TestWithParam<Scheme> {
protected:
  void SetUp() override {
    if (GetParam() == Scheme::Ed25519) {
      if (llvm::Error error = openLibcrypto()) {
        llvm::consumeError(std::move(error));
        GTEST_SKIP() << "no libcrypto";
      }
    }
    KeyFiles files = llvm::cantFail(makeKeyFiles(GetParam()));
    writers = ringOf(files.forWriters);
    readers = ringOf(files.forReaders);
    strangers = ringOf(llvm::cantFail(makeKeyFiles(GetParam())).forWriters);
    bytes = llvm::cantFail(encode(entry, name, *writers.signer()));
  }

  Decoded read(llvm::StringRef text) { return decode(text, name, "build", "cuda:90a", readers); }

  KeyRing writers, readers, strangers;
  std::string bytes;
};

INSTANTIATE_TEST_SUITE_P(All, Schemes, testing::Values(Scheme::Ed25519, Scheme::HmacSha256));

TEST_P(Schemes, WhatWasSignedIsReadByWhoKnowsTheKey) {
  Decoded found = read(bytes);
  ASSERT_TRUE(found.entry);
  EXPECT_EQ(found.entry->payload, entry.payload);
  EXPECT_EQ(found.entry->label, entry.label);
  EXPECT_EQ(found.entry->code, entry.code);
}

TEST_P(Schemes, EveryFlippedBitIsRefused) {
  for (size_t i = 0; i != bytes.size() * 8; ++i) {
    std::string bad = bytes;
    bad[i / 8] = static_cast<char>(bad[i / 8] ^ (1 << i % 8));
    EXPECT_FALSE(read(bad).entry) << "bit " << i;
  }
}

TEST_P(Schemes, EveryTruncationIsMalformed) {
  for (size_t length = 0; length != bytes.size(); ++length) {
    Decoded found = read(llvm::StringRef(bytes).take_front(length));
    EXPECT_FALSE(found.entry);
    EXPECT_EQ(found.refusal, Refusal::Malformed) << length << " bytes";
  }
  EXPECT_EQ(read(bytes + "x").refusal, Refusal::Malformed);
}

TEST_P(Schemes, WhatAnotherKeySignedIsRefused) {
  std::string theirs = llvm::cantFail(encode(entry, name, *strangers.signer()));
  EXPECT_EQ(read(theirs).refusal, Refusal::UnknownKey);
  // Under the name of a key that is known.
  Key forged = *strangers.signer();
  forged.id = writers.signer()->id;
  theirs = llvm::cantFail(encode(entry, name, forged));
  EXPECT_EQ(read(theirs).refusal, Refusal::WrongSignature);
}

TEST_P(Schemes, AnEntryIsForOneNameBuildAndTarget) {
  EXPECT_EQ(decode(bytes, otherName, "build", "cuda:90a", readers).refusal, Refusal::OtherName);
  EXPECT_EQ(decode(bytes, name, "next", "cuda:90a", readers).refusal, Refusal::OtherBuild);
  EXPECT_EQ(decode(bytes, name, "build", "cuda:80", readers).refusal, Refusal::OtherTarget);
  EXPECT_TRUE(decode(bytes, name, "build", "", readers).entry);
}

TEST(Signatures, Ed25519OfRfc8032) {
  if (llvm::Error error = openLibcrypto()) {
    llvm::consumeError(std::move(error));
    GTEST_SKIP() << "no libcrypto";
  }
  // Section 7.1, test 2.
  KeyRing ring = ringOf("ed25519-private "
                        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
                        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  std::string signature = llvm::cantFail(sign(*ring.signer(), "\x72"));
  EXPECT_EQ(llvm::toHex(signature, true),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  EXPECT_TRUE(isSignature(*ring.signer(), "\x72", signature));
  EXPECT_FALSE(isSignature(*ring.signer(), "\x73", signature));
}

TEST(Signatures, HmacOfRfc4231) {
  // Test case 3's key is shorter than ours may be; with zeros behind it, it is the same key.
  Key key;
  key.secret = std::string(20, '\xaa') + std::string(12, '\0');
  EXPECT_EQ(llvm::toHex(llvm::cantFail(sign(key, std::string(50, '\xdd'))), true),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
}

TEST(Keys, ErrorsSayTheLineAndNotWhatIsInIt) {
  auto why = [](llvm::StringRef text) { return llvm::toString(KeyRing::parse(text).takeError()); };
  const std::string digits(64, '1');
  EXPECT_NE(why("# none\n\nhmac-sha256 12ab").find("line 3 is no key"), std::string::npos);
  EXPECT_EQ(why("hmac-sha256 77ab").find("77ab"), std::string::npos);
  EXPECT_NE(why("ed25519 " + digits).find("line 1"), std::string::npos);
  EXPECT_NE(why("ed25519-private " + digits).find("line 1"), std::string::npos);
  EXPECT_NE(why("ed25519-public " + digits + "1").find("line 1"), std::string::npos);
  EXPECT_NE(why("# nothing\n").find("no key"), std::string::npos);
  EXPECT_FALSE(ringOf("ed25519-public " + digits + " of the farm # x").signer());
}

class Folder : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gluonc-remote-test", folder));
    KeyFiles files = llvm::cantFail(makeKeyFiles(Scheme::HmacSha256));
    write("keys", files.forWriters, 0600);
    strangers = llvm::cantFail(makeKeyFiles(Scheme::HmacSha256)).forWriters;
    ASSERT_FALSE(llvm::sys::fs::create_directory(path("shared")));
    settings.place = path("shared");
    settings.keyFile = path("keys");
    settings.stateFolder = path("state");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef file) {
    llvm::SmallString<128> full(folder);
    llvm::sys::path::append(full, file);
    return full.str().str();
  }
  void write(llvm::StringRef file, llvm::StringRef text, mode_t mode) {
    std::error_code error;
    llvm::raw_fd_ostream out(path(file), error);
    ASSERT_FALSE(error);
    out << text;
    out.close();
    chmod(path(file).c_str(), mode);
  }
  std::string entryPath(const std::string &of) {
    return path("shared/" + of.substr(0, 2) + "/" + of);
  }
  std::string read(const std::string &file) {
    return (*llvm::MemoryBuffer::getFile(file))->getBuffer().str();
  }
  std::shared_ptr<RemoteCache> open() { return llvm::cantFail(RemoteCache::open(settings)); }
  std::string whyNot() { return llvm::toString(RemoteCache::open(settings).takeError()); }
  std::optional<Entry> find(RemoteCache &cache, const std::string &of = name) {
    return cache.find(of, "build", "cuda:90a");
  }

  llvm::SmallString<128> folder;
  std::string strangers;
  Settings settings;
};

TEST_F(Folder, AnotherMachineFindsWhatOnePutThere) {
  EXPECT_TRUE(open()->store(name, entry));
  settings.stateFolder = path("state-of-another");
  auto cache = open();
  EXPECT_EQ(find(*cache)->payload, entry.payload);
  EXPECT_FALSE(find(*cache, otherName));
  EXPECT_EQ(cache->statistics().hits, 1u);
  EXPECT_EQ(cache->statistics().misses, 1u);
  EXPECT_FALSE(cache->takeProblem());
  // No temporary files are left.
  std::error_code error;
  unsigned files = 0;
  for (llvm::sys::fs::recursive_directory_iterator it(path("shared"), error), end; it != end;
       it.increment(error))
    files += it->type() == llvm::sys::fs::file_type::regular_file;
  EXPECT_EQ(files, 1u);
}

TEST_F(Folder, WritersAtOnceLeaveAWholeEntry) {
  std::vector<std::thread> threads;
  std::atomic<unsigned> bad = 0;
  for (unsigned i = 0; i != 4; ++i)
    threads.emplace_back([&] {
      auto cache = open();
      for (unsigned j = 0; j != 50; ++j) {
        bad += !cache->store(name, entry);
        bad += !find(*cache);
      }
      bad += cache->statistics().allRefused() != 0;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(bad, 0u);
}

TEST_F(Folder, RefusalsAreCountedWithTheirReasonAndToldOnce) {
  auto cache = open();
  ASSERT_TRUE(cache->store(name, entry));
  const std::string good = read(entryPath(name));
  auto refused = [&](const std::string &bytes, Refusal reason, const std::string &of = name) {
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(entryPath(of)));
    write(("shared/" + of.substr(0, 2) + "/" + of), bytes, 0644);
    uint64_t before = cache->statistics().refused[unsigned(reason)];
    EXPECT_FALSE(find(*cache, of));
    EXPECT_EQ(cache->statistics().refused[unsigned(reason)], before + 1) << wordOf(reason).str();
  };
  refused(good.substr(0, good.size() / 2), Refusal::Malformed);
  std::string flipped = good;
  flipped.back() ^= 1;
  refused(flipped, Refusal::WrongSignature);
  refused(good, Refusal::OtherName, otherName);
  refused(llvm::cantFail(encode(entry, name, *ringOf(strangers).signer())), Refusal::UnknownKey);
  Entry other = entry;
  other.build = "next";
  KeyRing mine = ringOf(read(path("keys")));
  refused(llvm::cantFail(encode(other, name, *mine.signer())), Refusal::OtherBuild);
  other = entry;
  other.target = "cuda:80";
  refused(llvm::cantFail(encode(other, name, *mine.signer())), Refusal::OtherTarget);
  EXPECT_NE(cache->takeProblem()->find("is cut off"), std::string::npos);
  EXPECT_FALSE(cache->takeProblem());
  RemoteCache::Log log = RemoteCache::readLog(path("state"));
  EXPECT_EQ(log.total.allRefused(), 6u);
  EXPECT_EQ(log.total.refused[unsigned(Refusal::OtherName)], 1u);
  EXPECT_EQ(log.problems.size(), 6u);
}

TEST_F(Folder, WhatIsLargerThanEntriesAreIsRefusedUnread) {
  settings.limits.bytes = 4096;
  llvm::sys::fs::create_directories(llvm::sys::path::parent_path(entryPath(name)));
  write("shared/aa/" + name, "", 0644);
  ASSERT_FALSE(truncate(entryPath(name).c_str(), off_t(1) << 40));
  auto cache = open();
  EXPECT_FALSE(find(*cache));
  EXPECT_EQ(cache->statistics().refused[unsigned(Refusal::Oversized)], 1u);
}

TEST_F(Folder, LinksPipesAndFoldersAreNoEntries) {
  auto cache = open();
  ASSERT_TRUE(cache->store(otherName, entry));
  llvm::sys::fs::create_directories(llvm::sys::path::parent_path(entryPath(name)));
  ASSERT_FALSE(symlink(entryPath(otherName).c_str(), entryPath(name).c_str()));
  EXPECT_FALSE(find(*cache));
  unlink(entryPath(name).c_str());
  ASSERT_FALSE(mkfifo(entryPath(name).c_str(), 0644));
  EXPECT_FALSE(find(*cache));
  unlink(entryPath(name).c_str());
  ASSERT_FALSE(mkdir(entryPath(name).c_str(), 0755));
  EXPECT_FALSE(find(*cache));
  EXPECT_EQ(cache->statistics().misses, 3u);
}

TEST_F(Folder, OneThatIsNotThereIsLeftAloneByLaterProcessesToo) {
  settings.place = path("none");
  auto cache = open();
  EXPECT_FALSE(find(*cache));
  EXPECT_EQ(cache->statistics().failures, 1u);
  EXPECT_FALSE(find(*cache));
  EXPECT_EQ(cache->statistics().failures, 1u);
  EXPECT_NE(cache->takeProblem()->find("left alone for 60 s"), std::string::npos);
  auto next = open();
  EXPECT_FALSE(find(*next));
  EXPECT_EQ(next->statistics().failures, 0u);
  // Until the time is over.
  settings.limits.rest = std::chrono::seconds(0);
  auto later = open();
  EXPECT_FALSE(find(*later));
  EXPECT_EQ(later->statistics().failures, 1u);
}

TEST_F(Folder, ReadersDoNotWrite) {
  settings.readOnly = true;
  auto cache = open();
  EXPECT_FALSE(cache->canStore());
  EXPECT_FALSE(cache->store(name, entry));
  settings.readOnly = false;
  write("keys", "ed25519-public " + std::string(64, '1'), 0644);
  EXPECT_FALSE(open()->canStore());
}

TEST_F(Folder, FilesOfKeysThatOthersWriteOrReadAreRefused) {
  EXPECT_EQ(whyNot(), "");
  chmod(path("keys").c_str(), 0644);
  EXPECT_NE(whyNot().find("may be read by others"), std::string::npos);
  chmod(path("keys").c_str(), 0620);
  EXPECT_NE(whyNot().find("may be written by others than its owner"), std::string::npos);
  chmod(path("keys").c_str(), 0600);
  if (!geteuid()) {
    ASSERT_FALSE(chown(path("keys").c_str(), 12345, gid_t(-1)));
    EXPECT_NE(whyNot().find("belongs to another user"), std::string::npos);
  }
  settings.keyFile = path("none");
  EXPECT_NE(whyNot().find("cannot be read"), std::string::npos);
  settings.keyFile = "";
  EXPECT_NE(whyNot().find("needs a file of keys"), std::string::npos);
}

TEST(Places, PasswordsAreNotShown) {
  EXPECT_EQ(shownPlace("https://me:s@cret@cache:8118/a@b"), "https://cache:8118/a@b");
  EXPECT_EQ(shownPlace("https://me@cache"), "https://cache");
  EXPECT_EQ(shownPlace("http://cache/"), "http://cache/");
  EXPECT_EQ(shownPlace("/net/a@b"), "/net/a@b");
}

TEST_F(Folder, PlacesThatAreNone) {
  settings.place = "shared";
  EXPECT_NE(whyNot().find("is no remote cache"), std::string::npos);
  settings.place = "ftp://host";
  EXPECT_NE(whyNot().find("is no remote cache"), std::string::npos);
  settings.place = "redis://host";
  EXPECT_NE(whyNot().find("only the Python package"), std::string::npos);
}

/// Takes as long as it is told to.
class Slow : public Storage {
public:
  explicit Slow(std::chrono::milliseconds time) : time(time) {}
  llvm::Expected<std::optional<std::string>> get(const std::string &, uint64_t) override {
    ++calls;
    std::this_thread::sleep_for(time.load());
    return std::nullopt;
  }
  llvm::Error put(const std::string &, llvm::StringRef) override { return llvm::Error::success(); }
  std::atomic<std::chrono::milliseconds> time;
  std::atomic<unsigned> calls = 0;
};

TEST_F(Folder, AStorageThatHangsCostsOneLimit) {
  auto slow = std::make_shared<Slow>(std::chrono::milliseconds(600));
  settings.storage = slow;
  settings.limits.call = std::chrono::milliseconds(50);
  // Not its rest keeps it away, but that the first call still runs.
  settings.limits.rest = std::chrono::seconds(0);
  auto cache = open();
  auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i != 100; ++i)
    EXPECT_FALSE(find(*cache));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
  EXPECT_EQ(slow->calls, 1u);
  EXPECT_EQ(cache->statistics().failures, 1u);
  EXPECT_NE(cache->takeProblem()->find("no answer in 55 ms"), std::string::npos);
  // Once it has ended, the storage is asked again.
  slow->time = std::chrono::milliseconds(0);
  while (slow->calls == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(find(*cache));
  }
}

TEST_F(Folder, AStorageThatIsSlowIsLeftAloneSoon) {
  auto slow = std::make_shared<Slow>(std::chrono::milliseconds(40));
  settings.storage = slow;
  settings.limits.call = std::chrono::milliseconds(400);
  settings.limits.slow = std::chrono::milliseconds(10);
  auto cache = open();
  for (unsigned i = 0; i != 100; ++i)
    EXPECT_FALSE(find(*cache));
  EXPECT_LE(slow->calls, 10u);
  EXPECT_EQ(cache->statistics().failures, 1u);
  EXPECT_EQ(cache->statistics().misses, slow->calls);
  EXPECT_NE(cache->takeProblem()->find("slow answers took 4"), std::string::npos);
}

TEST_F(Folder, OneQuickAnswerForgivesSlowOnes) {
  auto storage = std::make_shared<Slow>(std::chrono::milliseconds(0));
  settings.storage = storage;
  settings.limits.call = std::chrono::milliseconds(2000);
  settings.limits.slow = std::chrono::milliseconds(250);
  auto cache = open();
  for (unsigned i = 0; i != 12; ++i) {
    storage->time = std::chrono::milliseconds(i % 3 ? 0 : 300);
    EXPECT_FALSE(find(*cache));
  }
  EXPECT_EQ(storage->calls, 12u);
  EXPECT_EQ(cache->statistics().failures, 0u);
}

/// A server of HTTP that gives each connection one answer.
class Server {
public:
  explicit Server(std::string answer) : answer(std::move(answer)) {
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_FALSE(bind(listener, reinterpret_cast<sockaddr *>(&address), size));
    EXPECT_FALSE(listen(listener, 8));
    EXPECT_FALSE(getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size));
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread = std::thread([this] { serve(); });
  }
  ~Server() {
    shutdown(listener, SHUT_RDWR);
    thread.join();
    close(listener);
  }

  std::string url;

private:
  void serve() {
    for (int client; (client = accept(listener, nullptr, nullptr)) >= 0; close(client)) {
      char request[4096];
      if (read(client, request, sizeof request) > 0 && !answer.empty())
        (void)!send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
      // One without an answer keeps its clients waiting.
      if (answer.empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
      shutdown(client, SHUT_RDWR);
    }
  }

  std::string answer;
  int listener;
  std::thread thread;
};

class Http : public Folder {
protected:
  /// The failure of a look-up at a server that answers so; "" where there was none.
  std::string failureOf(std::string answer) {
    Server server(std::move(answer));
    settings.place = server.url;
    settings.stateFolder = "";
    settings.limits.call = std::chrono::milliseconds(150);
    auto cache = open();
    EXPECT_FALSE(find(*cache));
    last = cache->statistics();
    return cache->takeProblem().value_or("");
  }
  void SetUp() override {
    Folder::SetUp();
    auto storage = openHttpStorage("http://127.0.0.1:1", {});
    if (!storage) {
      llvm::consumeError(storage.takeError());
      GTEST_SKIP() << "no libcurl";
    }
  }
  Statistics last;
};

TEST_F(Http, AnswersThatAreNone) {
  EXPECT_NE(failureOf("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n").find("answered 500"),
            std::string::npos);
  // Another place is not gone to.
  EXPECT_NE(
      failureOf("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
          .find("answered 302"),
      std::string::npos);
  EXPECT_NE(failureOf("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), "");
  EXPECT_EQ(last.failures, 1u);
  EXPECT_NE(failureOf("no HTTP at all\r\n\r\n"), "");
  EXPECT_EQ(failureOf("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"), "");
  EXPECT_EQ(last.misses, 1u);
  EXPECT_NE(failureOf("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnope").find("is cut off"),
            std::string::npos);
  EXPECT_EQ(last.refused[unsigned(Refusal::Malformed)], 1u);
}

TEST_F(Http, AServerThatDoesNotAnswerCostsOneLimit) {
  auto start = std::chrono::steady_clock::now();
  EXPECT_NE(failureOf("").find("left alone"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(1000));
}

TEST_F(Http, AnEndlessAnswerEndsAtTheLimit) {
  settings.limits.bytes = 1000;
  EXPECT_NE(failureOf("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + std::string(5000, 'x'))
                .find("is larger than entries are"),
            std::string::npos);
  EXPECT_EQ(last.refused[unsigned(Refusal::Oversized)], 1u);
}

TEST_F(Http, NobodyListens) {
  settings.place = "http://127.0.0.1:1";
  auto cache = open();
  EXPECT_FALSE(find(*cache));
  EXPECT_EQ(cache->statistics().failures, 1u);
}

} // namespace
