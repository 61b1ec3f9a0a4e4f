//===- OwnFiles.h - Files that only this user can have written ---------------===//
//
// What lies in the cache runs as the user. It is believed only where nobody else can have
// written it: folders and files belong to the user or to root, and neither group nor
// others may write them (an ACL that lets somebody write shows as the group's permission).
// A folder with the set-group-ID bit that its group may write, and others may not, is shared: its
// members believe each other. Only a member can have set that bit, and root. Where neither root
// nor the user owns it, it counts outside of folders that everybody writes, such as /tmp.
// Below the outermost folder no links are followed. What is checked is what is open, so
// nothing can be exchanged between the check and the use.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "support/File.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <sys/stat.h>

namespace gluonc {

struct OwnFile {
  OpenFile file;
  struct stat status = {};
  /// Why it is not believed; empty where it is open, or not there.
  std::string refusal;
  /// Of a shared folder: whose members may have written what is in it.
  std::optional<gid_t> group;

  explicit operator bool() const { return bool(file); }
};

/// A folder; links on the way to it are the user's own.
OwnFile openOwnFolder(const std::string &path);
OwnFile openOwnFolderIn(const OwnFile &folder, const std::string &name);
/// A regular file that stands for itself; links on the way to it and to it are the user's own.
OwnFile openOwnFile(const std::string &path);
/// A regular file; never waits.
OwnFile openOwnFileIn(const OwnFile &folder, const std::string &name);

/// Makes `path` for this user alone, and what is missing above it as the umask says.
void makeOwnFolder(const std::string &path);
/// What is made in a shared folder is its group's, whatever the umask.
void makeOwnFolderIn(const OwnFile &folder, const std::string &name);
/// Writes a file under a name of its own, then renames it, so that a reader
/// sees it whole or not at all.
llvm::Error writeOwnFileIn(const OwnFile &folder, const std::string &name, llvm::StringRef bytes);
/// The same in any folder: made with `mode`, as far as the umask lets it, and then `finally`.
llvm::Error writeWholeFileIn(const OpenFile &folder, const std::string &name, llvm::StringRef bytes,
                             mode_t mode, std::optional<mode_t> finally = std::nullopt);
/// Puts bytes behind those of a file, at once with regard to others who do so.
bool appendToOwnFileIn(const OwnFile &folder, const std::string &name, llvm::StringRef bytes);

/// A folder that is looked through, whoever it belongs to: links are not followed.
OpenFile openFolderIn(const OpenFile &folder, const std::string &name);
OpenFile openFolder(const std::string &path);
void forEachName(const OpenFile &folder, llvm::function_ref<void(const std::string &)> visit);

} // namespace gluonc
