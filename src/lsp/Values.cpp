#include "lsp/Values.h"
#include "ir/Encoding.h"
#include "ir/SourceLocation.h"

#include "llvm/Support/Path.h"

namespace gluonc::lsp {

using sema::Value;
using sema::ValueKind;

static bool isOpen(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  std::optional<layout::Layout> layout;
  if (tensor && tensor.getEncoding())
    layout = layoutOf(tensor.getEncoding());
  return layout && layout->isPlaceholder();
}

static KnownValue keep(const Value &value, const diag::SourceManager &sources) {
  if (value.is(ValueKind::BoundMethod))
    return {value.kind(), value.boundCallee()};
  if (value.isCompileTime())
    return {value.kind(), value};
  if (value.isIr() || value.is(ValueKind::Descriptor)) {
    KnownValue known{value.kind(), Value::blockType(value.irType(), value.dtype())};
    if (isOpen(value.irType()))
      known.open = spanOf(value.ir().getLoc(), sources);
    return known;
  }
  if (value.is(ValueKind::Instance))
    return {value.kind(), Value::classValue(value.sharedClass()), value.typeName()};
  return {value.kind(), {}, value.typeName()};
}

std::string KnownValue::text() const {
  if (!parts.empty())
    return parts;
  if (!isIr() || kind == ValueKind::BlockType)
    return value.repr();
  if (kind == ValueKind::Tensor || kind == ValueKind::MemDesc)
    return value.typeName();
  return (sema::kindName(kind) + "<" + value.typeName() + ">").str();
}

void Values::record(diag::Span place, const Value &value) {
  // The library's files have no path.
  if (!place || !llvm::sys::path::is_absolute(place.file->path()))
    return;
  auto [at, isNew] = known.try_emplace({place.file, {place.begin, place.end}});
  if (isNew)
    at->second = keep(value, sources);
}

void Values::addChosenLayouts(mlir::ModuleOp module) {
  if (llvm::none_of(known, [](const auto &entry) { return bool(entry.second.open); }))
    return;
  using Key = std::pair<const void *, uint32_t>;
  // By place and by what the type is without its layout.
  llvm::DenseMap<std::pair<Key, mlir::Type>, mlir::Type> chosen;
  auto keyOf = [](diag::Span place, mlir::RankedTensorType type) {
    auto plain = mlir::RankedTensorType::get(type.getShape(), type.getElementType());
    return std::pair(Key(place.file, place.begin), mlir::Type(plain));
  };
  module.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
          tensor && tensor.getEncoding())
        chosen.try_emplace(keyOf(spanOf(op->getLoc(), sources), tensor), type);
  });
  for (auto &[_, value] : known) {
    if (!value.open)
      continue;
    auto type = mlir::cast<mlir::RankedTensorType>(value.value.irType());
    auto found = chosen.find(keyOf(value.open, type));
    if (found != chosen.end())
      value.value = Value::blockType(found->second, value.value.dtype());
    value.open = {};
  }
}

const KnownValue *Values::find(diag::Span place) const {
  auto found = known.find({place.file, {place.begin, place.end}});
  return found == known.end() ? nullptr : &found->second;
}

} // namespace gluonc::lsp
