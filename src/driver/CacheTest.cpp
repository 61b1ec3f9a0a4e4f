#include "driver/Cache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "gtest/gtest.h"

#include <atomic>
#include <map>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace gluonc;
using namespace gluonc::driver;

namespace {

class CacheFolder : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gluonc-cache-test", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string file(llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  static void write(llvm::StringRef path, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    ASSERT_FALSE(error);
    out << text;
  }
  static std::string read(llvm::StringRef path) {
    return (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
  }
  std::string key(llvm::StringRef text) { return hashText(text); }

  llvm::SmallString<128> folder;
};

TEST_F(CacheFolder, FindsWhatWasStored) {
  Cache cache(file("c"));
  std::string payload("bytes\0and more", 14);
  llvm::cantFail(cache.store(key("a"), {"", payload}));
  EXPECT_EQ(cache.find(key("a"))->payload, payload);
  EXPECT_FALSE(cache.find(key("b")));
  EXPECT_EQ(cache.usage().entries, 1u);
}

TEST_F(CacheFolder, StoringAgainReplaces) {
  Cache cache(file("c"));
  llvm::cantFail(cache.store(key("a"), {"", "old"}));
  llvm::cantFail(cache.store(key("a"), {"", "new"}));
  EXPECT_EQ(cache.find(key("a"))->payload, "new");
  EXPECT_EQ(cache.usage().entries, 1u);
}

TEST_F(CacheFolder, EveryFlippedByteIsAMiss) {
  Cache cache(file("c"));
  llvm::cantFail(cache.store(key("a"), {"", "payload"}));
  std::string path = cache.fileOf(key("a")), good = read(path);
  for (size_t i = 0; i != good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    write(path, bad);
    EXPECT_FALSE(cache.find(key("a"))) << "byte " << i;
  }
  write(path, good);
  EXPECT_TRUE(cache.find(key("a")));
}

TEST_F(CacheFolder, EveryTruncationIsAMiss) {
  Cache cache(file("c"));
  llvm::cantFail(cache.store(key("a"), {"", "payload"}));
  std::string path = cache.fileOf(key("a")), good = read(path);
  for (size_t length = 0; length != good.size(); ++length) {
    write(path, llvm::StringRef(good).take_front(length));
    EXPECT_FALSE(cache.find(key("a"))) << length << " bytes";
  }
}

TEST_F(CacheFolder, EntryUnderAnotherNameIsAMiss) {
  Cache cache(file("c"));
  llvm::cantFail(cache.store(key("a"), {"", "payload"}));
  std::string other = cache.fileOf(key("b"));
  llvm::sys::fs::create_directories(llvm::sys::path::parent_path(other));
  write(other, read(cache.fileOf(key("a"))));
  EXPECT_FALSE(cache.find(key("b")));
}

TEST_F(CacheFolder, StoreLeavesNoTemporaryFiles) {
  Cache cache(file("c"));
  llvm::cantFail(cache.store(key("a"), {"", "payload"}));
  std::error_code error;
  unsigned files = 0;
  for (llvm::sys::fs::recursive_directory_iterator it(file("c"), error), end; it != end && !error;
       it.increment(error))
    files += it->type() == llvm::sys::fs::file_type::regular_file;
  EXPECT_EQ(files, 1u);
}

TEST_F(CacheFolder, FolderThatCannotBeMadeIsAnErrorOnStoreAndAMissOnFind) {
  write(file("c"), "a file in the way");
  Cache cache(file("c"));
  EXPECT_FALSE(cache.find(key("a")));
  llvm::Error error = cache.store(key("a"), {"", "payload"});
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
}

TEST_F(CacheFolder, OffWithoutAFolder) {
  Cache cache("");
  llvm::cantFail(cache.store(key("a"), {"", "payload"}));
  EXPECT_FALSE(cache.find(key("a")));
}

TEST_F(CacheFolder, ReadersSeeWholeEntriesWhileWritersReplaceThem) {
  Cache cache(file("c"));
  std::string small(100, 'a'), large(1 << 18, 'b');
  llvm::cantFail(cache.store(key("a"), {"", small}));
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0, missed = 0;
  std::vector<std::thread> threads;
  for (int reader = 0; reader != 2; ++reader)
    threads.emplace_back([&] {
      while (!done) {
        std::optional<CacheEntry> entry = cache.find(key("a"));
        if (!entry)
          ++missed;
        else if (entry->payload != small && entry->payload != large)
          ++wrong;
      }
    });
  std::vector<std::thread> writers;
  for (int writer = 0; writer != 2; ++writer)
    writers.emplace_back([&, writer] {
      for (int i = 0; i != 50; ++i)
        llvm::cantFail(cache.store(key("a"), {"", writer ? small : large}));
    });
  for (std::thread &thread : writers)
    thread.join();
  done = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(missed, 0);
}

TEST_F(CacheFolder, TellsWholeAndDamagedEntriesApart) {
  Cache cache(file("c"));
  llvm::cantFail(cache.store(key("a"), {"first", "payload"}));
  llvm::cantFail(cache.store(key("b"), {"second", "payload"}));
  write(cache.fileOf(key("b")), "torn");
  std::map<std::string, std::optional<std::string>> seen;
  for (const Cache::Item &item : cache.items())
    seen[item.key] = cache.inspect(item).label;
  EXPECT_EQ(seen[key("a")], "first");
  EXPECT_EQ(seen[key("b")], std::nullopt);
}

TEST_F(CacheFolder, PruneRemovesWhatWasUsedLongestAgo) {
  using namespace std::chrono;
  Cache cache(file("c"));
  auto now = system_clock::now();
  const char *names[] = {"new", "old", "older"};
  for (int i = 0; i != 3; ++i) {
    llvm::cantFail(cache.store(key(names[i]), {"", std::string(1000, 'x')}));
    int fd;
    ASSERT_FALSE(llvm::sys::fs::openFileForRead(cache.fileOf(key(names[i])), fd));
    ASSERT_FALSE(llvm::sys::fs::setLastAccessAndModificationTime(fd, now - hours(48) * i));
    llvm::sys::Process::SafelyCloseFileDescriptor(fd);
  }
  std::string working = file("c/ab/fresh.entry.1.tmp");
  llvm::sys::fs::create_directories(file("c/ab"));
  write(working, "a writer at work");
  EXPECT_EQ(cache.prune(now - hours(72), UINT64_MAX).entries, 1u);
  EXPECT_FALSE(cache.find(key("older")));
  EXPECT_EQ(cache.prune(now - hours(72), 1500).entries, 1u);
  EXPECT_TRUE(cache.find(key("new")));
  EXPECT_EQ(cache.prune(llvm::sys::TimePoint<>::max(), 0).entries, 1u);
  EXPECT_EQ(cache.usage().entries, 0u);
  EXPECT_EQ(read(working), "a writer at work");
}

TEST_F(CacheFolder, AHitCountsAsUse) {
  using namespace std::chrono;
  Cache cache(file("c"));
  llvm::cantFail(cache.store(key("a"), {"", "payload"}));
  int fd;
  ASSERT_FALSE(llvm::sys::fs::openFileForRead(cache.fileOf(key("a")), fd));
  auto old = system_clock::now() - hours(100);
  ASSERT_FALSE(llvm::sys::fs::setLastAccessAndModificationTime(fd, old));
  llvm::sys::Process::SafelyCloseFileDescriptor(fd);
  ASSERT_TRUE(cache.find(key("a")));
  EXPECT_GT(cache.items().front().lastUse, system_clock::now() - hours(1));
}

/// A cache in which one entry is stored, and its parts.
class StoredEntry : public CacheFolder {
protected:
  void SetUp() override {
    CacheFolder::SetUp();
    mode_t before = umask(0);
    cache = Cache(file("c"));
    llvm::cantFail(cache.store(key("a"), {"", "payload"}));
    umask(before);
    entry = cache.fileOf(key("a"));
    inner = llvm::sys::path::parent_path(entry).str();
    ASSERT_TRUE(cache.find(key("a")));
  }
  static mode_t modeOf(const std::string &path) {
    struct stat status;
    return lstat(path.c_str(), &status) ? 0 : status.st_mode & 07777;
  }
  /// A miss, for this reason, which is told once.
  void expectRefused(const std::string &path, const std::string &why) {
    Cache fresh(file("c"));
    EXPECT_FALSE(fresh.find(key("a"))) << why;
    EXPECT_EQ(fresh.takeRefusal(), "`" + path + "` " + why);
    EXPECT_FALSE(fresh.find(key("a")));
    EXPECT_EQ(fresh.takeRefusal(), std::nullopt);
  }

  Cache cache{""};
  std::string entry, inner;
};

TEST_F(StoredEntry, IsForItsOwnerAloneWhateverTheUmask) {
  EXPECT_EQ(modeOf(file("c")), 0700u);
  EXPECT_EQ(modeOf(inner), 0700u);
  EXPECT_EQ(modeOf(entry), 0600u);
  EXPECT_EQ(cache.takeRefusal(), std::nullopt);
}

TEST_F(StoredEntry, IsRefusedWhereOthersMayWrite) {
  for (const std::string &path : {file("c"), inner, entry})
    for (mode_t others : {S_IWGRP, S_IWOTH}) {
      mode_t before = modeOf(path);
      ASSERT_EQ(chmod(path.c_str(), before | others), 0);
      expectRefused(path, "may be written by others than its owner");
      ASSERT_EQ(chmod(path.c_str(), before), 0);
    }
  EXPECT_TRUE(cache.find(key("a")));
}

TEST_F(StoredEntry, IsRefusedWhereAnotherUserOwnsIt) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  for (const std::string &path : {file("c"), inner, entry}) {
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    expectRefused(path, "belongs to another user");
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
}

TEST_F(StoredEntry, OfRootIsForAll) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can be somebody else";
  for (const std::string &path : {folder.str().str(), file("c"), inner})
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  ASSERT_EQ(chmod(entry.c_str(), 0644), 0);
  ASSERT_EQ(seteuid(65534), 0);
  EXPECT_TRUE(cache.find(key("a")));
  llvm::Error error = cache.store(key("b"), {"", "payload"});
  EXPECT_EQ(seteuid(0), 0);
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
  EXPECT_EQ(cache.takeRefusal(), std::nullopt);
}

/// A folder that its group shares, with an entry.
class SharedEntry : public StoredEntry {
protected:
  void SetUp() override {
    CacheFolder::SetUp();
    ASSERT_EQ(mkdir(file("c").c_str(), 0700), 0);
    share(file("c"));
    mode_t before = umask(077);
    cache = Cache(file("c"));
    llvm::cantFail(cache.store(key("a"), {"", "payload"}));
    umask(before);
    entry = cache.fileOf(key("a"));
    inner = llvm::sys::path::parent_path(entry).str();
  }
  static void share(const std::string &path) {
    ASSERT_EQ(chown(path.c_str(), uid_t(-1), getegid()), 0);
    ASSERT_EQ(chmod(path.c_str(), 02770), 0);
  }
};

TEST_F(SharedEntry, IsForTheGroupWhateverTheUmask) {
  EXPECT_EQ(modeOf(inner), 02770u);
  EXPECT_EQ(modeOf(entry), 0660u);
  EXPECT_TRUE(cache.find(key("a")));
  EXPECT_EQ(cache.takeRefusal(), std::nullopt);
}

TEST_F(SharedEntry, IsRefusedWhereOthersMayWrite) {
  for (const std::string &path : {file("c"), inner, entry}) {
    mode_t before = modeOf(path);
    ASSERT_EQ(chmod(path.c_str(), before | S_IWOTH), 0);
    expectRefused(path, "may be written by others than its owner");
    ASSERT_EQ(chmod(path.c_str(), before), 0);
  }
  // Not shared any more, without the bit.
  ASSERT_EQ(chmod(file("c").c_str(), 0770), 0);
  expectRefused(file("c"), "may be written by others than its owner");
}

TEST_F(SharedEntry, CountsWhoeverOfTheGroupWroteIt) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  for (const std::string &path : {entry, inner, file("c")}) {
    ASSERT_EQ(chown(path.c_str(), 65534, gid_t(-1)), 0);
    ASSERT_EQ(chmod(path.c_str(), path == entry ? 0660 : 02770), 0);
    EXPECT_TRUE(Cache(file("c")).find(key("a"))) << path;
  }
  // Where everybody could have made the folder, its owner counts.
  ASSERT_EQ(chmod(folder.c_str(), 01777), 0);
  expectRefused(file("c"), "belongs to another user");
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
  EXPECT_TRUE(cache.find(key("a")));
}

TEST_F(SharedEntry, IsRefusedWhereTheGroupIsAnother) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  // Root is of no such group.
  constexpr gid_t strangers = 54321;
  for (const std::string &path : {entry, inner, file("c")}) {
    mode_t before = modeOf(path);
    ASSERT_EQ(chown(path.c_str(), 0, strangers), 0);
    ASSERT_EQ(chmod(path.c_str(), before), 0);
    expectRefused(path, "may be written by others than its owner");
    share(path);
    ASSERT_EQ(chmod(path.c_str(), before), 0);
  }
}

TEST_F(StoredEntry, IsRefusedBehindALink) {
  std::string elsewhere = file("elsewhere");
  ASSERT_EQ(rename(entry.c_str(), elsewhere.c_str()), 0);
  ASSERT_EQ(symlink(elsewhere.c_str(), entry.c_str()), 0);
  expectRefused(entry, "is a link");
  ASSERT_EQ(rename(elsewhere.c_str(), entry.c_str()), 0);
  ASSERT_EQ(rename(inner.c_str(), elsewhere.c_str()), 0);
  ASSERT_EQ(symlink(elsewhere.c_str(), inner.c_str()), 0);
  expectRefused(inner, "is not a folder");
}

TEST_F(StoredEntry, APipeInItsPlaceDoesNotWait) {
  ASSERT_EQ(unlink(entry.c_str()), 0);
  ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
  expectRefused(entry, "is not a regular file");
  // Storing puts an entry into the place of whatever is there.
  llvm::cantFail(cache.store(key("a"), {"", "payload"}));
  EXPECT_TRUE(cache.find(key("a")));
}

TEST_F(StoredEntry, OfAnyOtherSizeIsAMissAndCostsNoMemory) {
  ASSERT_EQ(truncate(entry.c_str(), off_t(3) << 40), 0);
  EXPECT_FALSE(cache.find(key("a")));
  EXPECT_EQ(cache.inspect(cache.items().front()).label, std::nullopt);
}

TEST_F(StoredEntry, IsNotStoredWhereOthersMayWrite) {
  ASSERT_EQ(chmod(file("c").c_str(), 0777), 0);
  llvm::Error error = cache.store(key("b"), {"", "payload"});
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
  EXPECT_EQ(cache.usage().entries, 1u);
  EXPECT_EQ(cache.inspect(cache.items().front()).refusal,
            "`" + file("c") + "` may be written by others than its owner");
}

TEST_F(StoredEntry, PruningFollowsNoLinks) {
  std::string outside = file("outside"), precious = outside + "/precious.entry";
  ASSERT_FALSE(llvm::sys::fs::create_directory(outside));
  write(precious, "of no cache");
  ASSERT_EQ(symlink(outside.c_str(), file("c/ff").c_str()), 0);
  ASSERT_EQ(symlink(outside.c_str(), (inner + "/link").c_str()), 0);
  ASSERT_EQ(symlink(precious.c_str(), (inner + "/link.entry").c_str()), 0);
  // The entry and the link; what that leads to stays.
  EXPECT_EQ(cache.prune(llvm::sys::TimePoint<>::max(), 0).entries, 2u);
  EXPECT_EQ(read(precious), "of no cache");
}

TEST(Record, ReadsBackWhatWasWrittenAndFailsPastTheEnd) {
  std::string bytes = RecordWriter().add("one").add(uint64_t(7)).add("").take();
  RecordReader reader(bytes);
  EXPECT_EQ(reader.text(), "one");
  EXPECT_EQ(reader.number(), 7u);
  EXPECT_EQ(reader.text(), "");
  EXPECT_TRUE(reader.atEnd());
  EXPECT_FALSE(reader.failed());
  reader.number();
  EXPECT_TRUE(reader.failed());
}

TEST(Record, LengthBeyondTheEndFails) {
  std::string bytes = RecordWriter().add(uint64_t(1) << 60).take();
  RecordReader reader(bytes);
  EXPECT_EQ(reader.text(), "");
  EXPECT_TRUE(reader.failed());
}

} // namespace
