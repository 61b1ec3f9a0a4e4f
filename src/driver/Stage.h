//===- Stage.h - What `--emit` can stop at ----------------------------------===//
#pragma once

#include "target/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace gluonc::driver {

/// In the order in which a compilation passes them.
enum class Stage : uint8_t {
  Tokens,
  Ast,
  /// As specialization made it.
  Ttgir,
  /// After the transform pipeline: what code generation and the simulator read.
  TtgirOpt,
  Llir,
  /// Text for the vendor's assembler, and what that makes of it. `--emit` and `Artifact::kind` name
  /// the vendor's form.
  Assembly,
  Binary,
};

struct StageInfo {
  Stage stage;
  /// AMD's, where the vendors' forms differ.
  llvm::StringLiteral name, amdName;
  bool isText;
  llvm::StringRef nameFor(const target::Target &target) const {
    return target.isNvidia() ? name : amdName;
  }
};
llvm::ArrayRef<StageInfo> allStages();
const StageInfo &info(Stage stage);
/// By a name of the list, or "assembly" or "binary" whatever the vendor.
std::optional<Stage> parseStage(llvm::StringRef name);

} // namespace gluonc::driver
