//===- File.h - What stands around the bodies of functions ----------------------===//
#pragma once

#include "lift/Lift.h"
#include "lift/Text.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <map>

namespace gluonc::lift {

/// Imports, named layouts and functions of the file that is made.
class File {
public:
  explicit File(const Request &request) : request(request) {}

  const Request &request;

  /// An expression for the layout of a tensor or buffer: a name, `gl.SliceLayout(1, name)`.
  std::string layout(mlir::Attribute encoding);
  /// The name of a module of the language, which the file imports: `ampere` of nvidia.
  std::string vendorModule(llvm::StringRef vendor, llvm::StringRef name);
  /// The name of a function that is named and printed once for `key`; `print` takes the name.
  /// Functions with the same text are one. Empty where `print` gives nothing.
  std::string function(const void *key, llvm::StringRef wanted,
                       const std::function<std::optional<std::string>(llvm::StringRef)> &print);
  /// A name of the file's own scope, which no function has.
  std::string fresh(llvm::StringRef wanted) { return names.fresh(wanted, locals); }
  /// A name of a function, beside its `own`.
  std::string freshLocal(Names &own, llvm::StringRef wanted) {
    std::string name = own.fresh(wanted, names.all());
    locals.insert(name);
    return name;
  }

  /// The whole text.
  std::string text() const;

private:
  Names names;
  /// Of all functions.
  llvm::StringSet<> locals;
  std::map<std::string, std::string> imports;
  /// Names by what they stand for.
  std::map<std::string, std::string> layoutKeys;
  std::vector<std::string> layoutLines;
  llvm::DenseMap<const void *, std::string> functionNames;
  std::map<std::string, std::string> functionBodies;
  std::vector<std::string> functions;
};

} // namespace gluonc::lift
