#include "codegen/nvidia/Caches.h"

#include "codegen/nvidia/InlineAsm.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {

Value *l2Policy(Builder &builder, const tt::CachePolicy::Shares &shares) {
  std::string text = "createpolicy.fractional.L2::";
  text += tt::stringifyEvictionPriority(shares.primary);
  // What PTX takes where it reads nothing else.
  if (shares.secondary != tt::EvictionPriority::UNCHANGED)
    text += (".L2::" + tt::stringifyEvictionPriority(shares.secondary)).str();
  std::string fraction = shares.fraction == 1
                             ? "1.0"
                             : "0f" + utohexstr(bit_cast<uint32_t>(shares.fraction),
                                                /*LowerCase=*/false, /*Width=*/8);
  text += ".b64 $0, " + fraction + ";";
  return emitAsm(builder, text, builder.getInt64Ty(), {}, AsmEffect::Pure);
}

std::string l2Qualifiers(const tt::CachePolicy &policy) {
  std::string text = policy.l2 ? ".L2::cache_hint" : "";
  if (policy.prefetchBytes)
    text += ".L2::" + std::to_string(policy.prefetchBytes) + "B";
  return text;
}

} // namespace gluonc::codegen::nvidia
