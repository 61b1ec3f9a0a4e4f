//===- Encoding.cpp ---------------------------------------------------------===//
#include "ir/Encoding.h"

#include "ir/LinearLayoutCache.h"
#include "support/Error.h"
#include "target/Features.h"

#include <tuple>

namespace gluonc {

using namespace mlir;

/// `use(Attr *)` for each encoding that wraps a layout, until one answers true.
template <typename... Attrs, typename Use> static bool anyOf(std::tuple<Attrs...> *, Use use) {
  auto tried = [&]<typename Attr>(Attr *type) {
    if constexpr (requires { typename Attr::Named; })
      return use(type);
    return false;
  };
  return (tried(static_cast<Attrs *>(nullptr)) || ...);
}

template <typename Use> static bool anyEncoding(Use use) {
  using Encodings = std::tuple<
#define GET_ATTRDEF_LIST
#include "ir/TTGAttrs.cpp.inc"
      ,
#define GET_ATTRDEF_LIST
#include "ir/TTNGAttrs.cpp.inc"
      >;
  return anyOf(static_cast<Encodings *>(nullptr), use);
}

static Attribute fromLinear(MLIRContext *context, layout::DistributedLinearLayout value) {
  (void)value.inferFromText();
  if (value.isPermutation())
    return ttg::LinearEncodingAttr::get(context, layout::Layout(std::move(value)));
  return ttg::GenericLinearEncodingAttr::get(context, layout::Layout(std::move(value)));
}

Attribute fromLayout(MLIRContext *context, const layout::Layout &layout) {
  if (layout.validate())
    return {};
  if (layout.as<layout::AutoLayout>())
    return gluon::AutoEncodingAttr::get(context);
  if (layout.as<layout::CoalescedLayout>())
    return gluon::CoalescedEncodingAttr::get(context);
  if (const auto *linear = layout.as<layout::DistributedLinearLayout>())
    return fromLinear(context, *linear);
  Attribute result;
  anyEncoding([&]<typename Attr>(Attr *) {
    if (layout.kind() == Attr::Named::kind)
      result = Attr::get(context, layout);
    return bool(result);
  });
  return result;
}

std::optional<layout::Layout> layoutOf(Attribute encoding) {
  std::optional<layout::Layout> result;
  if (!encoding)
    return result;
  anyEncoding([&]<typename Attr>(Attr *) {
    if (auto wrapped = dyn_cast<Attr>(encoding))
      result = wrapped.getLayout();
    return result.has_value();
  });
  if (isa<gluon::AutoEncodingAttr>(encoding))
    result = layout::AutoLayout{};
  if (isa<gluon::CoalescedEncodingAttr>(encoding))
    result = layout::CoalescedLayout{};
  return result;
}

llvm::StringRef encodingAlias(Attribute encoding) {
  llvm::StringRef result;
  anyEncoding([&]<typename Attr>(Attr *) {
    bool found = isa<Attr>(encoding);
    if (found)
      result = Attr::alias;
    return found;
  });
  return result;
}

layout::Layout toLayout(Attribute encoding) {
  std::optional<layout::Layout> layout = layoutOf(encoding);
  if (!layout)
    GL_ICE("an encoding without a layout");
  return *layout;
}

static std::unique_ptr<layout::LinearLayout> compute(Attribute encoding, ArrayRef<int64_t> shape) {
  std::optional<layout::Layout> layout = layoutOf(encoding);
  if (!layout || layout->isPlaceholder())
    return nullptr;
  // A ring of buffers has leading dims that the encoding does not speak of.
  if (!layout->isDistributed() && layout->rank() && *layout->rank() < shape.size())
    shape = shape.take_back(*layout->rank());
  if (checkShape(*layout, shape))
    return nullptr;
  return std::make_unique<layout::LinearLayout>(layout->toLinear(shape));
}

static ttg::LinearLayoutCache &cacheOf(MLIRContext *context) {
  return context->getOrLoadDialect<ttg::TTGDialect>()->linearLayouts();
}

const layout::LinearLayout *linearOrNull(RankedTensorType type) {
  return cacheOf(type.getContext()).get(type, [&] {
    return compute(type.getEncoding(), type.getShape());
  });
}

const layout::LinearLayout *linearOrNull(ttg::MemDescType type) {
  return cacheOf(type.getContext()).get(type, [&] {
    return compute(type.getEncoding(), type.getAllocShape());
  });
}

const layout::LinearLayout &toLinear(RankedTensorType type) {
  const layout::LinearLayout *linear = linearOrNull(type);
  if (!linear)
    GL_ICE("a tensor type without a linear layout");
  return *linear;
}

const layout::LinearLayout &toLinear(ttg::MemDescType type) {
  const layout::LinearLayout *linear = linearOrNull(type);
  if (!linear)
    GL_ICE("a buffer type without a linear layout");
  return *linear;
}

/// A plan that does with `bytes` of scratch, as far as that can be.
static layout::ConversionPlan planWithin(int64_t bytes,
                                         llvm::function_ref<layout::ConversionPlan()> plan,
                                         layout::ConversionOptions &options) {
  options.scratchBudgetBytes = std::min(options.scratchBudgetBytes, bytes);
  layout::ConversionPlan best = plan();
  // Registers that a vector moves are in one pass. Narrower ones leave more passes.
  while (layout::scratchBytes(best) > bytes && options.maxVectorBits > 32) {
    options.maxVectorBits /= 2;
    best = plan();
  }
  return best;
}

static std::optional<target::Target> targetAt(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(ttg::targetAttr) : StringAttr();
  return name ? target::Target::parse(name.getValue()) : std::nullopt;
}

/// How many words each lane has from any other by `plan`: each is an instruction. (Lanes at a
/// distance that all have alike are reached without memory.)
static size_t permutedWords(const layout::ShufflePlan &plan, unsigned elementBits) {
  constexpr unsigned bitsOfWord = 32;
  if (plan.laneMapIsIdentity())
    return 0;
  return plan.rounds.size() * llvm::divideCeil(elementBits, bitsOfWord);
}

/// Permutations of lanes are instructions of LDS on AMD's chips, as stores and loads are. Where
/// these are fewer by far, as where lanes want many elements of few, elements go through memory.
static layout::ConversionPlan withFewerAccesses(layout::ConversionPlan plan,
                                                const layout::LinearLayout &src,
                                                const layout::LinearLayout &dst,
                                                unsigned elementBits) {
  const auto *shuffles = std::get_if<layout::ShufflePlan>(&plan);
  constexpr size_t many = 16;
  const size_t words = shuffles ? permutedWords(*shuffles, elementBits) : 0;
  if (words < many)
    return plan;
  layout::SharedPlan shared = layout::planThroughShared(src, dst, elementBits);
  size_t accesses = 0;
  for (const layout::SharedHalf *half : {&shared.store, &shared.load})
    for (const auto &pass : half->instructions)
      accesses += pass.size();
  // All waves wait where some hold copies of what others do.
  const bool isAlone = shared.sync == layout::SyncScope::Warp;
  if (shared.sync == layout::SyncScope::Cluster || words <= (isAlone ? 2 : 4) * accesses)
    return plan;
  return shared;
}

const layout::ConversionPlan &planOf(ttg::ConvertLayoutOp op) {
  RankedTensorType from = op.getSrc().getType(), to = op.getType();
  bool forced = op.getForceWarpShuffle();
  // Looked up before the cache is locked by `plan`.
  const layout::LinearLayout &src = toLinear(from), &dst = toLinear(to);
  ttg::LinearLayoutCache &cache = cacheOf(op.getContext());
  layout::ConversionOptions options;
  if (forced)
    options.maxSwaps = layout::LinearLayout::maxBits;
  const std::optional<target::Target> target = targetAt(op);
  if (target) {
    options.matrixLoads = has(*target, target::Feature::MatrixLoad);
    options.matrixStores = has(*target, target::Feature::MatrixStore);
  }
  unsigned flags = forced | options.matrixLoads << 1 | options.matrixStores << 2;
  const unsigned bits = 8 * elementBytes(from.getElementType());
  auto plan = [&] {
    return layout::planConversion(src.removeZeroBases(layout::Dim::Register),
                                  dst.removeZeroBases(layout::Dim::Register), bits, options);
  };
  const layout::ConversionPlan *byItself = &cache.plan({from, to}, {flags, 0}, plan);
  // Where no scratch is left, lanes exchange words.
  constexpr int64_t forAmd = -1;
  if (!forced && std::holds_alternative<layout::ShufflePlan>(*byItself) && target &&
      target->amdChip())
    byItself = &cache.plan({from, to}, {flags, forAmd}, [&] {
      return withFewerAccesses(*byItself, src.removeZeroBases(layout::Dim::Register),
                               dst.removeZeroBases(layout::Dim::Register), bits);
    });
  // Where less scratch is allocated, the plan does with that, in more passes.
  auto size = op->getAttrOfType<IntegerAttr>(ttg::allocationSizeAttr);
  if (!size || size.getInt() >= layout::scratchBytes(*byItself))
    return *byItself;
  return cache.plan({from, to}, {flags, size.getInt()},
                    [&] { return planWithin(size.getInt(), plan, options); });
}

unsigned elementBits(Type element) {
  return isa<tt::PointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

unsigned elementBytes(Type element) { return (elementBits(element) + 7) / 8; }

} // namespace gluonc
