#include "sema/kernel/NameBuffers.h"

#include "ir/Dialects.h"
#include "ir/SourceLocation.h"

namespace gluonc::sema {

static void nameItems(const Value &value, llvm::StringRef path) {
  llvm::ArrayRef<std::string> fields = value.fieldNames();
  for (auto [i, item] : llvm::enumerate(value.items()))
    nameBuffers(item, (i < fields.size() ? path + "." + fields[i]
                                         : path + "[" + llvm::Twine(uint64_t(i)) + "]")
                          .str());
}

void nameBuffers(const Value &value, llvm::StringRef variable) {
  if (value.is(ValueKind::Tuple) || value.is(ValueKind::Instance))
    return nameItems(value, variable);
  if (!value.is(ValueKind::MemDesc))
    return;
  auto allocation = value.ir().getDefiningOp<ttg::LocalAllocOp>();
  if (allocation && nameOf(allocation.getLoc()).empty())
    allocation->setLoc(withName(allocation.getLoc(), variable));
}

} // namespace gluonc::sema
