#include "layout/named/Layouts.h"

#include "layout/named/Parts.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace gluonc::layout {

// -- Parts shared by the layout families -------------------------------------------

std::string listText(llvm::ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return text;
}

std::string basesText(const BasisList &bases) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(bases, os, [&](const Ints &basis) { os << listText(basis); });
  os << ']';
  return text;
}

Problem checkOrder(llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<bool, 8> seen(order.size(), false);
  for (int64_t dim : order) {
    if (dim < 0 || dim >= static_cast<int64_t>(order.size()) || seen[dim])
      return "order " + listText(order) + " is not a permutation of the dimensions 0 to " +
             std::to_string(static_cast<int64_t>(order.size()) - 1);
    seen[dim] = true;
  }
  return std::nullopt;
}

Problem checkPowers(const char *what, llvm::ArrayRef<int64_t> values) {
  for (int64_t value : values) {
    if (!isPowerOf2(value))
      return std::string(what) + " must be powers of two, but are " + listText(values);
    if (value > maxDimSize)
      return std::string(what) + " are too large: " + listText(values);
  }
  return std::nullopt;
}

Problem checkBases(const char *what, const BasisList &bases, unsigned rank) {
  for (const Ints &basis : bases) {
    if (basis.size() != rank)
      return std::string(what) + " has the basis " + listText(basis) + ", but the layout has " +
             std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions");
    for (int64_t component : basis)
      if (component < 0 || component >= maxDimSize)
        return std::string(what) + " has the basis " + listText(basis) +
               " with a component out of range";
  }
  if (bases.size() > 24)
    return std::string(what) + " has too many bases: " + std::to_string(bases.size());
  return std::nullopt;
}

Problem checkCga(const BasisList &cga, unsigned rank) {
  if (Problem problem = checkBases("cga_layout", cga, rank))
    return problem;
  if (cga.size() > 16)
    return "cga_layout has too many bases: " + std::to_string(cga.size());
  // Every nonzero basis splits one dim, and each dim is split 1, 2, 4, ... without gaps.
  Ints split(rank, 1), seen(rank, 0);
  for (const Ints &basis : cga) {
    if (llvm::count_if(basis, [](int64_t component) { return component != 0; }) > 1)
      return "cga_layout basis " + listText(basis) + " splits more than one dimension";
    for (auto [d, component] : llvm::enumerate(basis)) {
      if (component == 0)
        continue;
      if (!isPowerOf2(component) || (seen[d] & component))
        return "cga_layout " + basesText(cga) +
               " must consist of distinct powers of two for each dimension";
      seen[d] |= component;
      split[d] *= 2;
    }
  }
  for (auto [bits, size] : llvm::zip_equal(seen, split))
    if (bits != size - 1)
      return "cga_layout " + basesText(cga) + " leaves out some CTAs of a split dimension";
  return std::nullopt;
}

llvm::SmallVector<DimSize, 4> axisSizes(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<DimSize, 4> sizes;
  for (auto [d, size] : llvm::enumerate(shape))
    sizes.push_back({Dim::axis(d), llvm::Log2_64(size)});
  return sizes;
}

llvm::SmallVector<Dim, 4> axes(unsigned rank) {
  llvm::SmallVector<Dim, 4> dims;
  for (unsigned d = 0; d < rank; ++d)
    dims.push_back(Dim::axis(d));
  return dims;
}

LinearLayout fromBases(llvm::ArrayRef<std::pair<Dim, const BasisList *>> ins,
                       llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<LinearLayout::InBases, 4> bases;
  for (auto [dim, list] : ins) {
    LinearLayout::InBases in{dim, {}};
    for (const Ints &basis : *list)
      in.bases.emplace_back(basis.begin(), basis.end());
    bases.push_back(std::move(in));
  }
  std::string why;
  std::optional<LinearLayout> result = LinearLayout::create(bases, axisSizes(shape), &why);
  if (!result)
    GL_ICE(why);
  return *result;
}

Ints shapeOfBases(unsigned rank, llvm::ArrayRef<const BasisList *> lists) {
  Ints shape(rank, 1);
  for (const BasisList *list : lists)
    for (const Ints &basis : *list)
      for (unsigned d = 0; d < rank && d < basis.size(); ++d)
        if (basis[d] > 0)
          shape[d] = std::max<int64_t>(shape[d], int64_t(llvm::NextPowerOf2(basis[d])));
  return shape;
}

Problem inferShape(llvm::ArrayRef<const BasisList *> lists, Ints &shape) {
  const Ints *first = nullptr;
  for (const BasisList *list : lists)
    for (const Ints &basis : *list) {
      first = first ? first : &basis;
      if (basis.size() != first->size())
        return "basis vectors differ in length";
    }
  if (!first)
    return "the encoding needs at least one basis";
  shape = shapeOfBases(first->size(), lists);
  return std::nullopt;
}

// -- Tile and cluster ---------------------------------------------------------------

LinearLayout cgaToLinear(const BasisList &cga, unsigned rank) {
  Ints counts(rank, 1);
  for (const Ints &basis : cga)
    for (auto [d, component] : llvm::enumerate(basis))
      counts[d] = std::max<int64_t>(counts[d], llvm::PowerOf2Ceil(component + 1));
  return fromBases({{Dim::Block, &cga}}, counts);
}

static llvm::SmallVector<DimSize, 4> perCtaSizes(const LinearLayout &cga,
                                                 llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<DimSize, 4> sizes = axisSizes(shape);
  for (DimSize &size : sizes)
    size.log2 -= std::min(size.log2, cga.outLog2(size.dim));
  return sizes;
}

LinearLayout combine(const LinearLayout &tile, const LinearLayout &cga,
                     llvm::ArrayRef<int64_t> shape) {
  LinearLayout cluster = cga.notLarger(axisSizes(shape));
  llvm::SmallVector<DimSize, 4> perCta = perCtaSizes(cluster, shape);
  LinearLayout cta = tile.notSmaller(perCta).notLarger(perCta);
  return (cta * cluster).transposeOuts(axes(shape.size()));
}

Ints shapePerCta(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  Ints result;
  for (const DimSize &size :
       perCtaSizes(cgaToLinear(layout.cga(), shape.size()).notLarger(axisSizes(shape)), shape))
    result.push_back(size.size());
  return result;
}

// -- Layout -------------------------------------------------------------------------

namespace {

/// Overload set for std::visit.
template <typename... Fs> struct Cases : Fs... {
  using Fs::operator()...;
};

struct FieldHash {
  llvm::hash_code code = 0;

  void add(int64_t value) { code = llvm::hash_combine(code, value); }
  void add(const Layout &value) { code = llvm::hash_combine(code, hash_value(value)); }
  void add(const IntervalPadding &pair) {
    code = llvm::hash_combine(code, pair.interval, pair.padding);
  }
  template <typename T, unsigned n> void add(const llvm::SmallVector<T, n> &values) {
    code = llvm::hash_combine(code, values.size());
    for (const T &value : values)
      add(value);
  }
};

llvm::hash_code hashFields(const Layout::Value &value) {
  FieldHash hash;
  std::visit(
      [&](const auto &l) { forEachField(l, [&](const Field &, const auto &v) { hash.add(v); }); },
      value);
  return hash.code;
}

std::string fieldText(int64_t value) { return std::to_string(value); }
std::string fieldText(bool value) { return value ? "True" : "False"; }
std::string fieldText(const Ints &value) { return listText(value); }
std::string fieldText(const BasisList &value) { return basesText(value); }
std::string fieldText(const Layout &value) { return value.toString(); }
std::string fieldText(const llvm::SmallVectorImpl<IntervalPadding> &pairs) {
  BasisList lists;
  for (const IntervalPadding &pair : pairs)
    lists.push_back({pair.interval, pair.padding});
  return basesText(lists);
}

/// Which fields are written with their names: not those of the layouts that everyone knows.
template <typename T>
constexpr bool isWrittenWithNames =
    !std::is_same_v<T, BlockedLayout> && !std::is_same_v<T, SliceLayout>;

/// Whether the constructor is written without this field.
template <typename F> bool isDefault(const Field &field, const F &value) {
  if constexpr (std::is_same_v<F, BasisList>)
    return field.name == "cga_layout" && !field.missing.empty() && value.empty();
  return false;
}

template <typename T> std::string constructorText(const T &layout) {
  std::string text;
  forEachField(layout, [&](const Field &field, const auto &value) {
    if (isDefault(field, value))
      return;
    text += text.empty() ? "" : ", ";
    if (isWrittenWithNames<T> || field.name == "cga_layout")
      text += field.name.str() + "=";
    text += fieldText(value);
  });
  return nameOf(T::kind).str() + "(" + text + ")";
}

} // namespace

llvm::StringRef nameOf(LayoutKind kind) {
  static constexpr llvm::StringLiteral names[] = {
#define GL_LAYOUT(Kind, Where) #Kind "Layout",
#include "layout/named/Layouts.def"
  };
  return names[static_cast<unsigned>(kind)];
}

struct Layout::Storage {
  explicit Storage(Value value)
      : value(std::move(value)),
        hash(llvm::hash_combine(this->value.index(), hashFields(this->value))) {}
  Value value;
  llvm::hash_code hash;
};

Layout::Layout(Value value) : storage(std::make_shared<Storage>(std::move(value))) {}

const Layout::Value &Layout::value() const { return storage->value; }

LayoutKind Layout::kind() const {
  return std::visit([](const auto &layout) { return layout.kind; }, value());
}

namespace {

enum class Place { Registers, SharedMemory, TensorMemory };

constexpr Place placeOf(LayoutKind kind) {
  constexpr Place places[] = {
#define GL_LAYOUT(Kind, Where) Place::Where,
#include "layout/named/Layouts.def"
  };
  return places[static_cast<unsigned>(kind)];
}

} // namespace

bool Layout::isDistributed() const { return placeOf(kind()) == Place::Registers; }
bool Layout::isShared() const { return placeOf(kind()) == Place::SharedMemory; }
bool Layout::isTensorMemory() const { return placeOf(kind()) == Place::TensorMemory; }

bool Layout::isPlaceholder() const {
  return kind() == LayoutKind::Auto || kind() == LayoutKind::Coalesced;
}

std::optional<unsigned> Layout::rank() const {
  return std::visit(
      [](const auto &layout) -> std::optional<unsigned> {
        if constexpr (requires { layout.rank(); })
          return layout.rank();
        return std::nullopt;
      },
      value());
}

Problem Layout::validate() const {
  return std::visit(
      [](const auto &layout) -> Problem {
        if constexpr (requires { layout.validate(); })
          return layout.validate();
        return std::nullopt;
      },
      value());
}

LinearLayout Layout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  return std::visit(
      [&](const auto &layout) -> LinearLayout {
        if constexpr (requires { layout.toLinear(shape); })
          return layout.toLinear(shape);
        else
          GL_ICE("a placeholder layout was asked for its elements");
      },
      value());
}

BasisList Layout::cga() const {
  return std::visit(
      Cases{
          [](const SliceLayout &l) {
            BasisList bases = l.parent.cga();
            for (Ints &basis : bases)
              if (l.dim >= 0 && l.dim < static_cast<int64_t>(basis.size()))
                basis.erase(basis.begin() + l.dim);
            return bases;
          },
          [](const DotOperandLayout &l) {
            // CTAs that differ along the other operand's dim hold the same part of this one.
            BasisList bases = l.parent.cga();
            for (Ints &basis : bases)
              if (l.rank() >= 2 && l.kDim() < basis.size())
                basis[l.kDim()] = 0;
            return bases;
          },
          [](const DistributedLinearLayout &l) { return blockBasesToCga(l.blockBases, l.shape); },
          [](const SharedLinearLayout &l) { return blockBasesToCga(l.blockBases, l.shape()); },
          [](const PartitionedSharedLayout &l) { return l.partitionLayout.cga(); },
          [](const auto &layout) {
            if constexpr (requires { layout.cga; })
              return layout.cga;
            else
              return BasisList();
          },
      },
      value());
}

std::string Layout::toString() const {
  return std::visit([](const auto &layout) { return constructorText(layout); }, value());
}

bool Layout::operator==(const Layout &other) const {
  return storage == other.storage ||
         (storage->hash == other.storage->hash && storage->value == other.storage->value);
}

llvm::hash_code hash_value(const Layout &layout) { return layout.storage->hash; }

// -- A layout in a place ------------------------------------------------------------

Problem checkShape(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!isPowerOf2(size))
      return "dimension " + std::to_string(d) + " of the shape " + listText(shape) + " has size " +
             std::to_string(size) + ", which is not a power of two";
    if (size > maxDimSize || (elements *= size) > maxDimSize)
      return "the shape " + listText(shape) + " has too many elements";
  }
  std::optional<unsigned> rank = layout.rank();
  if (rank && *rank != shape.size())
    return "the layout has rank " + std::to_string(*rank) + ", but the shape " + listText(shape) +
           " has rank " + std::to_string(shape.size());
  if (const auto *padded = layout.as<PaddedSharedLayout>(); padded && padded->shape != Ints(shape))
    return "the padded layout is made for the shape " + listText(padded->shape) + ", not for " +
           listText(shape);
  return std::visit(
      [&](const auto &named) -> Problem {
        if constexpr (requires { named.checkShape(shape); })
          return named.checkShape(shape);
        return std::nullopt;
      },
      layout.value());
}

Owners ownersOf(const Layout &layout) {
  return std::visit(
      [](const auto &named) -> Owners {
        if constexpr (placeOf(std::decay_t<decltype(named)>::kind) == Place::Registers)
          return named.owners();
        else
          return {};
      },
      layout.value());
}

static std::string counted(int64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Problem checkFits(const Layout &layout, int64_t numWarps, int64_t warpSize, int64_t numCtas) {
  Owners owners = ownersOf(layout);
  if (owners.lanes && owners.lanes != warpSize)
    return "the layout has " + counted(owners.lanes, "thread") + " per warp, but the target has " +
           std::to_string(warpSize);
  if (owners.warps && owners.warps != numWarps)
    return "the layout has " + counted(owners.warps, "warp") + ", but the context has " +
           std::to_string(numWarps);
  int64_t ctas = int64_t{1} << layout.cga().size();
  if (ctas != numCtas && !layout.isPlaceholder())
    return "the layout is made for " + counted(ctas, "CTA") + ", but the kernel has " +
           std::to_string(numCtas);
  return std::nullopt;
}

llvm::SmallVector<unsigned, 4> orderOf(const LinearLayout &layout) {
  llvm::SmallVector<unsigned, 4> order;
  for (uint64_t basis : layout.packedBases())
    for (const DimSize &out : layout.outDims())
      if (layout.outComponent(basis, out.dim) && !llvm::is_contained(order, out.dim.axisIndex()))
        order.push_back(out.dim.axisIndex());
  // Dims of size 1 come last, row-major among themselves.
  for (unsigned d = layout.outDims().size(); d-- > 0;)
    if (!llvm::is_contained(order, d))
      order.push_back(d);
  return order;
}

} // namespace gluonc::layout
