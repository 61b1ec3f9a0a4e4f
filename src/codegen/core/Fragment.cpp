#include "codegen/core/Fragment.h"

#include "codegen/core/Words.h"

#include <set>

using namespace llvm;
using gluonc::layout::Dim;

namespace gluonc::codegen {

Fragment::Fragment(Emitter &emitter, mlir::Value tensor)
    : layout(emitter.types.layoutOf(tensor.getType())), registers(emitter.get(tensor)),
      rank(cast<mlir::RankedTensorType>(tensor.getType()).getRank()) {
  for (uint32_t reg = 0; reg < registers.size(); ++reg)
    byPlace[{coordinate(reg, 2), coordinate(reg, 1), coordinate(reg, 0)}] = reg;
}

uint32_t Fragment::coordinate(uint32_t reg, unsigned fromLast) const {
  if (fromLast >= rank)
    return 0;
  return layout.outComponent(layout.applyPacked(layout.packIn({{Dim::Register, reg}})),
                             Dim::axis(rank - 1 - fromLast));
}

uint32_t Fragment::basis(Dim in, unsigned bit, unsigned fromLast) const {
  return fromLast < rank ? layout.basis(in, bit, Dim::axis(rank - 1 - fromLast)) : 0;
}

std::optional<uint32_t> Fragment::find(Place place) const {
  auto found = byPlace.find(place);
  return found == byPlace.end() ? std::nullopt : std::optional(found->second);
}

Value *Fragment::word(Builder &builder, Place place, unsigned count, Type *word,
                      bool alongRows) const {
  SmallVector<Value *, 4> elements;
  for (unsigned i = 0; i < count; ++i) {
    std::optional<uint32_t> found = find(place);
    if (!found)
      return nullptr;
    elements.push_back(registers[*found]);
    ++(alongRows ? place.row : place.column);
  }
  bool asIs = count == 1 && elements[0]->getType() == word;
  return asIs ? elements[0] : packWords(builder, elements, word)[0];
}

SmallVector<uint32_t> Fragment::columns() const {
  std::set<uint32_t> found;
  for (const auto &[place, reg] : byPlace)
    found.insert(place.column);
  return SmallVector<uint32_t>(found.begin(), found.end());
}

} // namespace gluonc::codegen
