#include "layout/linear/LinearLayout.h"

#include "layout/linear/Gf2.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace gluonc::layout {

namespace {

uint64_t lowMask(unsigned bits) { return (uint64_t{1} << bits) - 1; }

const DimSize *findDim(llvm::ArrayRef<DimSize> dims, Dim dim) {
  const DimSize *it = llvm::find_if(dims, [&](const DimSize &size) { return size.dim == dim; });
  return it == dims.end() ? nullptr : it;
}

unsigned log2Of(llvm::ArrayRef<DimSize> dims, Dim dim) {
  const DimSize *size = findDim(dims, dim);
  return size ? size->log2 : 0;
}

unsigned shiftOf(llvm::ArrayRef<DimSize> dims, Dim dim) {
  unsigned shift = 0;
  for (const DimSize &size : dims) {
    if (size.dim == dim)
      return shift;
    shift += size.log2;
  }
  return shift;
}

unsigned totalLog2(llvm::ArrayRef<DimSize> dims) {
  unsigned total = 0;
  for (const DimSize &size : dims)
    total += size.log2;
  return total;
}

/// Moves packed indices from one list of dims to another: each dim keeps its value, shifted left by
/// `scale(dim)`; dims missing in the target are dropped, and so are bits that do not fit.
class Repack {
public:
  template <typename Scale>
  Repack(llvm::ArrayRef<DimSize> from, llvm::ArrayRef<DimSize> to, Scale scale) {
    unsigned shift = 0;
    for (const DimSize &size : from) {
      if (const DimSize *target = findDim(to, size.dim)) {
        unsigned up = scale(size.dim);
        unsigned keep = target->log2 > up ? std::min(size.log2, target->log2 - up) : 0;
        fields.push_back({shift, lowMask(keep), shiftOf(to, size.dim) + up});
      }
      shift += size.log2;
    }
  }
  Repack(llvm::ArrayRef<DimSize> from, llvm::ArrayRef<DimSize> to)
      : Repack(from, to, [](Dim) { return 0u; }) {}

  uint64_t operator()(uint64_t packed) const {
    uint64_t result = 0;
    for (const Field &field : fields)
      result |= ((packed >> field.from) & field.mask) << field.to;
    return result;
  }

private:
  struct Field {
    unsigned from;
    uint64_t mask;
    unsigned to;
  };
  llvm::SmallVector<Field, 4> fields;
};

bool isPermutationOf(llvm::ArrayRef<Dim> order, llvm::ArrayRef<DimSize> dims) {
  return order.size() == dims.size() && llvm::all_of(dims, [&](const DimSize &size) {
           return llvm::is_contained(order, size.dim);
         });
}

std::optional<std::string> checkDims(llvm::ArrayRef<DimSize> dims, const char *what) {
  unsigned total = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    const DimSize &size = dims[i];
    if (findDim(dims.take_front(i), size.dim))
      return std::string(what) + " dimension " + size.dim.name() + " is given twice";
    if (size.log2 > 31)
      return std::string(what) + " dimension " + size.dim.name() + " is too large";
    total += size.log2;
  }
  if (total > LinearLayout::maxBits)
    return std::string("the layout has too many ") + what + " bits";
  return std::nullopt;
}

} // namespace

std::string Dim::name() const {
  if (isAxis())
    return "dim" + std::to_string(axisIndex());
  static constexpr const char *names[] = {"register", "lane", "warp",      "block",     "offset",
                                          "row",      "col",  "partition", "repetition"};
  return id < std::size(names) ? names[id] : "?";
}

// -- Construction ----------------------------------------------------------------

std::optional<LinearLayout> LinearLayout::create(llvm::ArrayRef<InBases> ins,
                                                 llvm::ArrayRef<DimSize> outs, std::string *why) {
  auto refuse = [&](std::string reason) -> std::optional<LinearLayout> {
    if (why)
      *why = std::move(reason);
    return std::nullopt;
  };
  Dims inSizes;
  for (const InBases &in : ins)
    inSizes.push_back({in.dim, static_cast<unsigned>(in.bases.size())});
  if (std::optional<std::string> problem = checkDims(outs, "output"))
    return refuse(std::move(*problem));
  if (std::optional<std::string> problem = checkDims(inSizes, "input"))
    return refuse(std::move(*problem));

  Packed packed;
  for (const InBases &in : ins) {
    for (llvm::ArrayRef<int64_t> basis : in.bases) {
      if (basis.size() != outs.size())
        return refuse("a " + in.dim.name() + " basis has " + std::to_string(basis.size()) +
                      " components, but there are " + std::to_string(outs.size()) + " dimensions");
      uint64_t value = 0;
      unsigned shift = 0;
      for (auto [component, out] : llvm::zip_equal(basis, outs)) {
        if (component < 0 || component >= out.size())
          return refuse("a " + in.dim.name() + " basis has component " + std::to_string(component) +
                        ", outside dimension " + out.dim.name() + " of size " +
                        std::to_string(out.size()));
        value |= static_cast<uint64_t>(component) << shift;
        shift += out.log2;
      }
      packed.push_back(value);
    }
  }
  return LinearLayout(std::move(inSizes), Dims(outs), std::move(packed));
}

LinearLayout LinearLayout::fromPacked(llvm::ArrayRef<DimSize> ins, llvm::ArrayRef<DimSize> outs,
                                      llvm::ArrayRef<uint64_t> bases) {
  GL_CHECK(!checkDims(ins, "input") && !checkDims(outs, "output"));
  GL_CHECK(totalLog2(ins) == bases.size());
  for (uint64_t basis : bases)
    GL_CHECK(basis >> totalLog2(outs) == 0);
  return LinearLayout(Dims(ins), Dims(outs), Packed(bases));
}

LinearLayout LinearLayout::identity1D(unsigned log2, Dim in, Dim out) {
  Packed bases;
  for (unsigned i = 0; i < log2; ++i)
    bases.push_back(uint64_t{1} << i);
  return LinearLayout({{in, log2}}, {{out, log2}}, std::move(bases));
}

LinearLayout LinearLayout::zeros1D(unsigned log2In, Dim in, Dim out, unsigned log2Out) {
  return LinearLayout({{in, log2In}}, {{out, log2Out}}, Packed(log2In, 0));
}

LinearLayout LinearLayout::identityND(Dim in, llvm::ArrayRef<unsigned> log2Shape,
                                      llvm::ArrayRef<unsigned> order) {
  GL_CHECK(log2Shape.size() == order.size());
  Dims outs;
  unsigned total = 0;
  for (unsigned d : order) {
    outs.push_back({Dim::axis(d), log2Shape[d]});
    total += log2Shape[d];
  }
  // Packing in `order` makes the whole product the identity on packed indices.
  return fromPacked({{in, total}}, outs, identity1D(total, in, in).bases);
}

// -- Shape and bases -------------------------------------------------------------

bool LinearLayout::hasIn(Dim dim) const { return findDim(ins, dim); }
bool LinearLayout::hasOut(Dim dim) const { return findDim(outs, dim); }
unsigned LinearLayout::inLog2(Dim dim) const { return log2Of(ins, dim); }
unsigned LinearLayout::outLog2(Dim dim) const { return log2Of(outs, dim); }
unsigned LinearLayout::totalOutLog2() const { return totalLog2(outs); }
unsigned LinearLayout::inShift(Dim dim) const { return shiftOf(ins, dim); }
unsigned LinearLayout::outShift(Dim dim) const { return shiftOf(outs, dim); }

llvm::SmallVector<uint32_t, 4> LinearLayout::basis(Dim in, unsigned pos) const {
  uint64_t packed = packedBasis(in, pos);
  llvm::SmallVector<uint32_t, 4> result;
  for (const DimSize &out : outs) {
    result.push_back(packed & lowMask(out.log2));
    packed >>= out.log2;
  }
  return result;
}

uint32_t LinearLayout::basis(Dim in, unsigned pos, Dim out) const {
  return outComponent(packedBasis(in, pos), out);
}

uint64_t LinearLayout::packedBasis(Dim in, unsigned pos) const {
  GL_CHECK(pos < inLog2(in));
  return bases[inShift(in) + pos];
}

llvm::ArrayRef<uint64_t> LinearLayout::packedBases(Dim in) const {
  return llvm::ArrayRef<uint64_t>(bases).slice(inShift(in), inLog2(in));
}

// -- Application -----------------------------------------------------------------

uint64_t LinearLayout::applyPacked(uint64_t index) const {
  uint64_t result = 0;
  for (; index; index &= index - 1)
    result ^= bases[llvm::countr_zero(index)];
  return result;
}

static uint64_t pack(llvm::ArrayRef<DimSize> dims, llvm::ArrayRef<Coord> index) {
  uint64_t result = 0;
  for (const Coord &coord : index) {
    if (const DimSize *size = findDim(dims, coord.dim)) {
      GL_CHECK(coord.value < size->size());
      result |= static_cast<uint64_t>(coord.value) << shiftOf(dims, coord.dim);
    }
  }
  return result;
}

uint64_t LinearLayout::packIn(llvm::ArrayRef<Coord> index) const { return pack(ins, index); }
uint64_t LinearLayout::packOut(llvm::ArrayRef<Coord> index) const { return pack(outs, index); }

uint32_t LinearLayout::outComponent(uint64_t packed, Dim dim) const {
  return hasOut(dim) ? (packed >> outShift(dim)) & lowMask(outLog2(dim)) : 0;
}

uint32_t LinearLayout::inComponent(uint64_t packed, Dim dim) const {
  return hasIn(dim) ? (packed >> inShift(dim)) & lowMask(inLog2(dim)) : 0;
}

llvm::SmallVector<Coord, 4> LinearLayout::apply(llvm::ArrayRef<Coord> index) const {
  uint64_t packed = applyPacked(packIn(index));
  llvm::SmallVector<Coord, 4> result;
  for (const DimSize &out : outs) {
    result.push_back({out.dim, static_cast<uint32_t>(packed & lowMask(out.log2))});
    packed >>= out.log2;
  }
  return result;
}

// -- Algebra ---------------------------------------------------------------------

LinearLayout LinearLayout::operator*(const LinearLayout &outer) const {
  auto merge = [](Dims left, const Dims &right) {
    for (const DimSize &size : right) {
      DimSize *ours = const_cast<DimSize *>(findDim(left, size.dim));
      if (ours)
        ours->log2 += size.log2;
      else
        left.push_back(size);
    }
    return left;
  };
  Dims newIns = merge(ins, outer.ins);
  Dims newOuts = merge(outs, outer.outs);
  GL_CHECK(totalLog2(newIns) <= maxBits && totalLog2(newOuts) <= maxBits);

  Repack fromUs(outs, newOuts);
  Repack fromOuter(outer.outs, newOuts, [&](Dim dim) { return outLog2(dim); });
  Packed packed;
  for (const DimSize &in : newIns) {
    for (uint64_t basis : packedBases(in.dim))
      packed.push_back(fromUs(basis));
    for (uint64_t basis : outer.packedBases(in.dim))
      packed.push_back(fromOuter(basis));
  }
  return LinearLayout(std::move(newIns), std::move(newOuts), std::move(packed));
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  for (const DimSize &out : outs)
    GL_CHECK(outer.inLog2(out.dim) >= out.log2);
  Repack toOuter(outs, outer.ins);
  Packed packed;
  for (uint64_t basis : bases)
    packed.push_back(outer.applyPacked(toOuter(basis)));
  return LinearLayout(ins, outer.outs, std::move(packed));
}

std::optional<LinearLayout> LinearLayout::invert() const {
  if (totalInLog2() != totalOutLog2())
    return std::nullopt;
  return pseudoInvert();
}

/// The span of the bases, each tagged with its own input bit. Bases in the span of lower ones are
/// left out, so combinations never use free variables: that makes preimages least.
static Gf2Span spanOf(llvm::ArrayRef<uint64_t> bases) {
  Gf2Span span;
  for (auto [i, basis] : llvm::enumerate(bases))
    span.insert(basis, uint64_t{1} << i);
  return span;
}

std::optional<LinearLayout> LinearLayout::pseudoInvert() const {
  Gf2Span span = spanOf(bases);
  unsigned bits = totalOutLog2();
  if (span.dimension() != bits)
    return std::nullopt;
  Packed packed;
  for (unsigned i = 0; i < bits; ++i)
    packed.push_back(span.reduce(uint64_t{1} << i).combination);
  return LinearLayout(outs, ins, std::move(packed));
}

std::optional<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &outer) const {
  for (const DimSize &out : outs)
    GL_CHECK(outer.outLog2(out.dim) == out.log2);
  Repack toOuter(outs, outer.outs);
  Gf2Span span = spanOf(outer.bases);
  Packed packed;
  for (uint64_t basis : bases) {
    Gf2Span::Reduced reduced = span.reduce(toOuter(basis));
    if (reduced.rest)
      return std::nullopt;
    packed.push_back(reduced.combination);
  }
  return LinearLayout(ins, outer.ins, std::move(packed));
}

// -- Restriction and reshaping ---------------------------------------------------

LinearLayout LinearLayout::sublayout(llvm::ArrayRef<Dim> inDims,
                                     llvm::ArrayRef<Dim> outDims) const {
  Dims newIns, newOuts;
  for (Dim dim : outDims) {
    GL_CHECK(hasOut(dim));
    newOuts.push_back({dim, outLog2(dim)});
  }
  Repack repack(outs, newOuts);
  Packed packed;
  for (Dim dim : inDims) {
    GL_CHECK(hasIn(dim));
    newIns.push_back({dim, inLog2(dim)});
    for (uint64_t basis : packedBases(dim))
      packed.push_back(repack(basis));
  }
  return LinearLayout(std::move(newIns), std::move(newOuts), std::move(packed));
}

bool LinearLayout::sublayoutIsZero(llvm::ArrayRef<Dim> inDims, llvm::ArrayRef<Dim> outDims) const {
  uint64_t mask = 0;
  for (Dim dim : outDims)
    mask |= lowMask(outLog2(dim)) << outShift(dim);
  return llvm::all_of(inDims, [&](Dim dim) {
    return llvm::all_of(packedBases(dim), [&](uint64_t basis) { return !(basis & mask); });
  });
}

LinearLayout LinearLayout::reshapeOuts(llvm::ArrayRef<DimSize> newOuts) const {
  GL_CHECK(totalLog2(newOuts) == totalOutLog2());
  return fromPacked(ins, newOuts, bases);
}

LinearLayout LinearLayout::transposeIns(llvm::ArrayRef<Dim> order) const {
  GL_CHECK(isPermutationOf(order, ins));
  Dims newIns;
  Packed packed;
  for (Dim dim : order) {
    newIns.push_back({dim, inLog2(dim)});
    llvm::append_range(packed, packedBases(dim));
  }
  return LinearLayout(std::move(newIns), outs, std::move(packed));
}

LinearLayout LinearLayout::transposeOuts(llvm::ArrayRef<Dim> order) const {
  GL_CHECK(isPermutationOf(order, outs));
  Dims newOuts;
  for (Dim dim : order)
    newOuts.push_back({dim, outLog2(dim)});
  Repack repack(outs, newOuts);
  Packed packed;
  for (uint64_t basis : bases)
    packed.push_back(repack(basis));
  return LinearLayout(ins, std::move(newOuts), std::move(packed));
}

LinearLayout LinearLayout::renameIn(Dim from, Dim to) const {
  GL_CHECK(hasIn(from) && (from == to || !hasIn(to)));
  LinearLayout result = *this;
  for (DimSize &in : result.ins)
    in.dim = in.dim == from ? to : in.dim;
  return result;
}

LinearLayout LinearLayout::resizeOut(Dim dim, unsigned log2) const {
  GL_CHECK(hasOut(dim));
  Dims newOuts = outs;
  for (DimSize &out : newOuts)
    out.log2 = out.dim == dim ? log2 : out.log2;
  GL_CHECK(totalLog2(newOuts) <= maxBits);
  // Masking would alias elements; a component that leaves the dim must vanish as a whole.
  Packed packed;
  Repack repack(outs, newOuts);
  for (uint64_t basis : bases) {
    bool leaves = outComponent(basis, dim) >> log2;
    uint64_t field = lowMask(outLog2(dim)) << outShift(dim);
    packed.push_back(repack(leaves ? basis & ~field : basis));
  }
  return LinearLayout(ins, std::move(newOuts), std::move(packed));
}

LinearLayout LinearLayout::withBases(Dim in, llvm::ArrayRef<uint64_t> packed) const {
  Dims newIns = ins;
  if (!hasIn(in))
    newIns.push_back({in, 0});
  Packed newBases;
  for (DimSize &size : newIns) {
    llvm::ArrayRef<uint64_t> source = size.dim == in ? packed : packedBases(size.dim);
    size.log2 = source.size();
    llvm::append_range(newBases, source);
  }
  return fromPacked(newIns, outs, newBases);
}

LinearLayout LinearLayout::notSmaller(llvm::ArrayRef<DimSize> sizes) const {
  GL_CHECK(!ins.empty());
  Dims targets = outs;
  for (const DimSize &size : sizes)
    if (!hasOut(size.dim))
      targets.push_back({size.dim, 0});
  LinearLayout result = *this;
  for (const DimSize &target : targets) {
    unsigned wanted = log2Of(sizes, target.dim);
    unsigned missing = wanted > target.log2 ? wanted - target.log2 : 0;
    if (missing || !hasOut(target.dim))
      result *= identity1D(missing, ins.front().dim, target.dim);
  }
  return result;
}

LinearLayout LinearLayout::notLarger(llvm::ArrayRef<DimSize> sizes) const {
  LinearLayout result = *this;
  for (const DimSize &size : sizes)
    if (outLog2(size.dim) > size.log2)
      result = result.resizeOut(size.dim, size.log2);
  return result;
}

LinearLayout LinearLayout::removeZeroBases(Dim in) const {
  Packed kept;
  llvm::copy_if(packedBases(in), std::back_inserter(kept), [](uint64_t basis) { return basis; });
  return hasIn(in) ? withBases(in, kept) : *this;
}

// -- Questions -------------------------------------------------------------------

unsigned LinearLayout::rank() const { return spanOf(bases).dimension(); }
bool LinearLayout::isSurjective() const { return rank() == totalOutLog2(); }
bool LinearLayout::isInjective() const { return rank() == totalInLog2(); }
bool LinearLayout::isInvertible() const {
  return totalInLog2() == totalOutLog2() && isSurjective();
}

bool LinearLayout::isTrivialOver(llvm::ArrayRef<Dim> dims) const {
  uint64_t watched = 0;
  for (Dim dim : dims) {
    if (inLog2(dim) != outLog2(dim))
      return false;
    watched |= lowMask(outLog2(dim)) << outShift(dim);
  }
  for (const DimSize &in : ins) {
    bool own = llvm::is_contained(dims, in.dim);
    for (auto [i, basis] : llvm::enumerate(packedBases(in.dim)))
      if (own ? basis != uint64_t{1} << (outShift(in.dim) + i) : (basis & watched) != 0)
        return false;
  }
  return true;
}

uint64_t LinearLayout::freeVariables() const {
  Gf2Span span;
  uint64_t free = 0;
  for (auto [i, basis] : llvm::enumerate(bases))
    if (!span.insert(basis))
      free |= uint64_t{1} << i;
  return free;
}

uint32_t LinearLayout::freeVariableMask(Dim in) const { return inComponent(freeVariables(), in); }

std::string LinearLayout::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const DimSize &in : ins) {
    os << in.dim.name() << ':';
    for (unsigned i = 0; i < in.log2; ++i) {
      os << " [";
      llvm::interleaveComma(basis(in.dim, i), os);
      os << ']';
    }
    os << "; ";
  }
  os << "->";
  llvm::interleave(
      outs, os, [&](const DimSize &out) { os << ' ' << out.dim.name() << ' ' << out.size(); }, ",");
  return text;
}

} // namespace gluonc::layout
