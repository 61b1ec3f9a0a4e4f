#include "driver/Stage.h"

namespace gluonc::driver {

llvm::ArrayRef<StageInfo> allStages() {
  static constexpr StageInfo stages[] = {
      {Stage::Tokens, "tokens", "tokens", true}, {Stage::Ast, "ast", "ast", true},
      {Stage::Ttgir, "ttgir", "ttgir", true},    {Stage::TtgirOpt, "ttgir-opt", "ttgir-opt", true},
      {Stage::Llir, "llir", "llir", true},       {Stage::Assembly, "ptx", "amdgcn", true},
      {Stage::Binary, "cubin", "hsaco", false},
  };
  return stages;
}

const StageInfo &info(Stage stage) { return allStages()[static_cast<size_t>(stage)]; }

std::optional<Stage> parseStage(llvm::StringRef name) {
  if (name == "assembly")
    return Stage::Assembly;
  if (name == "binary")
    return Stage::Binary;
  for (const StageInfo &entry : allStages())
    if (entry.name == name || entry.amdName == name)
      return entry.stage;
  return std::nullopt;
}

} // namespace gluonc::driver
