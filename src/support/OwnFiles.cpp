#include "support/OwnFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>
#include <vector>

namespace gluonc {

static bool isMember(gid_t group) {
  if (group == getegid())
    return true;
  int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(static_cast<size_t>(std::max(count, 0)));
  count = getgroups(count, groups.data());
  return llvm::is_contained(llvm::ArrayRef(groups).take_front(size_t(std::max(count, 0))), group);
}

static bool isOwners(const struct stat &status) {
  return status.st_uid == geteuid() || status.st_uid == 0;
}

/// Whether everybody can make things beside an open folder, which may be traps.
static bool isInOpenPlace(const OpenFile &folder) {
  struct stat above;
  return fstatat(folder.get(), "..", &above, 0) || above.st_mode & S_IWOTH;
}

static std::optional<gid_t> sharingGroup(const OwnFile &own) {
  constexpr mode_t mask = S_ISGID | S_IWGRP | S_IWOTH;
  const struct stat &status = own.status;
  if ((status.st_mode & mask) != (S_ISGID | S_IWGRP) || !isMember(status.st_gid))
    return std::nullopt;
  if (!isOwners(status) && isInOpenPlace(own.file))
    return std::nullopt;
  return status.st_gid;
}

/// Why what `status` describes may be the work of somebody who is not of `group`, either; empty
/// where it cannot.
static std::string refusalOf(const struct stat &status, std::optional<gid_t> group) {
  if (group && status.st_gid == *group && !(status.st_mode & S_IWOTH))
    return "";
  if (!isOwners(status))
    return "belongs to another user";
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return "may be written by others than its owner";
  return "";
}

static OwnFile openOwn(int folder, const std::string &name, int flags,
                       std::optional<gid_t> group = std::nullopt) {
  OwnFile own;
  own.file = OpenFile(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags));
  if (!own.file) {
    // What this user may not open is as good as absent.
    if (errno == ELOOP || errno == ENOTDIR)
      own.refusal = flags & O_DIRECTORY ? "is not a folder" : "is a link";
    else if (errno == ENXIO)
      own.refusal = "is not a regular file";
    return own;
  }
  if (fstat(own.file.get(), &own.status)) {
    own.refusal = "cannot be looked at";
  } else if (!(flags & O_DIRECTORY) && !S_ISREG(own.status.st_mode)) {
    own.refusal = "is not a regular file";
  } else {
    own.group = folder == AT_FDCWD && flags & O_DIRECTORY ? sharingGroup(own) : group;
    own.refusal = refusalOf(own.status, own.group);
  }
  if (!own.refusal.empty())
    own.file = OpenFile();
  return own;
}

OwnFile openOwnFolder(const std::string &path) { return openOwn(AT_FDCWD, path, O_DIRECTORY); }

OwnFile openOwnFile(const std::string &path) { return openOwn(AT_FDCWD, path, 0); }

OwnFile openOwnFolderIn(const OwnFile &folder, const std::string &name) {
  return openOwn(folder.file.get(), name, O_DIRECTORY | O_NOFOLLOW, folder.group);
}

OwnFile openOwnFileIn(const OwnFile &folder, const std::string &name) {
  return openOwn(folder.file.get(), name, O_NOFOLLOW, folder.group);
}

void makeOwnFolder(const std::string &path) {
  (void)llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
  (void)mkdir(path.c_str(), 0700);
}

void makeOwnFolderIn(const OwnFile &folder, const std::string &name) {
  if (mkdirat(folder.file.get(), name.c_str(), 0700) || !folder.group)
    return;
  if (OpenFile made = openFolderIn(folder.file, name))
    (void)fchmod(made.get(), S_ISGID | 0770);
}

static llvm::Error cannotWrite(const std::string &name) {
  return llvm::createStringError(std::error_code(errno, std::generic_category()),
                                 "cannot write %s: %s", name.c_str(), std::strerror(errno));
}

static bool writeAll(int file, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), std::min(bytes.size(), size_t(1) << 30));
    if (count < 0 && errno != EINTR)
      return false;
    bytes = bytes.drop_front(count < 0 ? 0 : static_cast<size_t>(count));
  }
  return true;
}

llvm::Error writeWholeFileIn(const OpenFile &folder, const std::string &name, llvm::StringRef bytes,
                             mode_t mode, std::optional<mode_t> finally) {
  uint8_t random[8];
  if (getentropy(random, sizeof random))
    return cannotWrite(name);
  std::string temporary = name + "." + llvm::toHex(random, /*LowerCase=*/true) + ".tmp";
  OpenFile file(openat(folder.get(), temporary.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file)
    return cannotWrite(temporary);
  bool whole = writeAll(file.get(), bytes) && (!finally || !fchmod(file.get(), *finally));
  // Network disks show others what was written once it is closed.
  file = OpenFile();
  if (whole && !renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()))
    return llvm::Error::success();
  llvm::Error error = cannotWrite(name);
  (void)unlinkat(folder.get(), temporary.c_str(), 0);
  return error;
}

llvm::Error writeOwnFileIn(const OwnFile &own, const std::string &name, llvm::StringRef bytes) {
  return writeWholeFileIn(own.file, name, bytes, 0600,
                          own.group ? std::optional<mode_t>(0660) : std::nullopt);
}

bool appendToOwnFileIn(const OwnFile &own, const std::string &name, llvm::StringRef bytes) {
  OpenFile file(openat(own.file.get(), name.c_str(),
                       O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                       own.group ? 0660 : 0600));
  struct stat status;
  if (!file || fstat(file.get(), &status) || !S_ISREG(status.st_mode))
    return false;
  return writeAll(file.get(), bytes);
}

OpenFile openFolderIn(const OpenFile &folder, const std::string &name) {
  return OpenFile(
      openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW));
}

OpenFile openFolder(const std::string &path) {
  return OpenFile(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
}

void forEachName(const OpenFile &folder, llvm::function_ref<void(const std::string &)> visit) {
  // Of its own, since a list of names closes what it reads.
  int copy = openat(folder.get(), ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  DIR *names = copy < 0 ? nullptr : fdopendir(copy);
  if (!names)
    return;
  while (const dirent *entry = readdir(names))
    visit(entry->d_name);
  closedir(names);
}

} // namespace gluonc
