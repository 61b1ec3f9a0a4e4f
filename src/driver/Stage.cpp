#include "driver/Stage.h"

namespace gluonc::driver {

llvm::ArrayRef<StageInfo> allStages() {
  static constexpr StageInfo stages[] = {
      {Stage::Tokens, "tokens", true}, {Stage::Ast, "ast", true},
      {Stage::Ttgir, "ttgir", true},   {Stage::TtgirOpt, "ttgir-opt", true},
      {Stage::Llir, "llir", true},     {Stage::Assembly, "ptx", true},
      {Stage::Binary, "cubin", false},
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
    if (entry.name == name)
      return entry.stage;
  return std::nullopt;
}

} // namespace gluonc::driver
