// Layout classes of the language: constructors with their validation, functions of layouts.

#include "sema/Language.h"

#include "layout/Inference.h"
#include "layout/Views.h"

namespace gluonc::sema {

using diag::Kind;

namespace {

/// Reads constructor arguments; the first bad one is reported and makes `ok` false.
struct Reader {
  Interpreter &interpreter;
  const IntrinsicCall &call;
  bool ok = true;

  void bad(size_t i, llvm::StringRef expected) {
    if (ok)
      interpreter
          .report(Kind::BadArgument, call.arguments.span(i),
                  ("`" + call.self.name + "` expects " + expected + ", not " + call[i].typeName())
                      .str())
          .end();
    ok = false;
  }

  int64_t integer(size_t i, int64_t missing = 0) {
    if (!call.has(i))
      return missing;
    std::optional<int64_t> value = call[i].asInt64();
    if (!value)
      bad(i, "an int");
    return value.value_or(0);
  }

  static bool isSequence(const Value &value) {
    return value.is(ValueKind::Tuple) || value.is(ValueKind::List);
  }

  std::optional<layout::Ints> intsOf(const Value &value) {
    if (!isSequence(value))
      return std::nullopt;
    layout::Ints result;
    for (const Value &item : value.items()) {
      std::optional<int64_t> number = item.asInt64();
      if (!number)
        return std::nullopt;
      result.push_back(*number);
    }
    return result;
  }

  layout::Ints ints(size_t i) {
    std::optional<layout::Ints> result = intsOf(call[i]);
    if (!result)
      bad(i, "a list of ints");
    return result.value_or(layout::Ints());
  }

  bool isGiven(size_t i) const { return call.has(i) && !call[i].isNone(); }

  bool boolean(size_t i) {
    if (!call.has(i) || call[i].isNone())
      return false;
    std::optional<bool> value = interpreter.truth(call[i], call.arguments.span(i));
    ok &= value.has_value();
    return value.value_or(false);
  }

  layout::Layout layout(size_t i) {
    if (call[i].is(ValueKind::Layout))
      return call[i].asLayout();
    bad(i, "a layout");
    return layout::AutoLayout{};
  }

  layout::BasisList bases(size_t i) {
    layout::BasisList result;
    if (!call.has(i) || call[i].isNone())
      return result;
    if (!isSequence(call[i])) {
      bad(i, "a list of lists of ints");
      return result;
    }
    for (const Value &item : call[i].items()) {
      std::optional<layout::Ints> basis = intsOf(item);
      if (!basis)
        bad(i, "a list of lists of ints");
      result.push_back(basis.value_or(layout::Ints()));
    }
    return result;
  }

  llvm::SmallVector<layout::IntervalPadding, 2> paddings(size_t i) {
    llvm::SmallVector<layout::IntervalPadding, 2> result;
    for (const layout::Ints &pair : bases(i)) {
      if (pair.size() != 2)
        bad(i, "a list of pairs [interval, padding]");
      else
        result.push_back({pair[0], pair[1]});
    }
    return result;
  }

  MaybeValue finish(layout::Layout layout) {
    if (layout::Problem problem = layout.validate()) {
      interpreter.report(Kind::InvalidLayout, call.span, *problem).end();
      return std::nullopt;
    }
    return Value::layout(std::move(layout));
  }
};

MaybeValue makeAuto(Interpreter &, const IntrinsicCall &) {
  return Value::layout(layout::AutoLayout{});
}

MaybeValue makeCoalesced(Interpreter &, const IntrinsicCall &) {
  return Value::layout(layout::CoalescedLayout{});
}

MaybeValue makeBlocked(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::BlockedLayout layout{read.ints(0), read.ints(1), read.ints(2), read.ints(3),
                               read.bases(4)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeSlice(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::SliceLayout layout{read.integer(0), read.layout(1)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeLinear(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::DistributedLinearLayout layout{read.bases(0), read.bases(1), read.bases(2), read.bases(3),
                                         read.ints(4)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeMma(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::NVMMADistributedLayout layout{read.ints(0), read.ints(1), read.ints(2), read.bases(3)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeDotOperand(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::DotOperandLayout layout{read.integer(0), read.layout(1), read.integer(2)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeSwizzled(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::SwizzledSharedLayout layout{read.integer(0), read.integer(1), read.integer(2),
                                      read.ints(3), read.bases(4)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makePadded(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  // The third field is called block_bases in older sources, cga_layout in newer ones.
  layout::BasisList cga = call.has(4) ? read.bases(4) : read.bases(2);
  layout::PaddedSharedLayout layout{read.paddings(0), read.bases(1), std::move(cga), read.ints(3)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makePaddedIdentity(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  auto paddings = read.paddings(0);
  layout::Ints shape = read.ints(1), order = read.ints(2);
  layout::BasisList cga = read.bases(3);
  if (!read.ok)
    return std::nullopt;
  // identityFor wants a sound shape and order: check them the way a swizzled layout is checked.
  layout::SwizzledSharedLayout probe{1, 1, 1, order, cga};
  layout::Problem problem = probe.validate();
  if (!problem)
    problem = layout::checkShape(probe, shape);
  if (problem) {
    interpreter.report(Kind::InvalidLayout, call.span, *problem).end();
    return std::nullopt;
  }
  return read.finish(layout::PaddedSharedLayout::identityFor(paddings, shape, order, cga));
}

MaybeValue makeSharedLinear(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::SharedLinearLayout layout{read.bases(0), read.bases(1), read.integer(2, 16)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeNvmmaShared(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::NVMMASharedLayout layout{read.integer(0), read.integer(1), read.integer(2, 2),
                                   read.boolean(3), read.boolean(4), read.bases(5)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeNvmmaDefault(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::Ints shape = read.ints(0);
  if (!call[1].is(ValueKind::DType))
    read.bad(1, "a dtype");
  bool transposed = read.boolean(2), fp4Padded = read.boolean(3);
  layout::BasisList cga = read.bases(4);
  if (!read.ok)
    return std::nullopt;
  // defaultFor wants a sound shape and cluster: check them without a swizzle.
  int64_t bits = call[1].dtype().bitWidth(), rank = shape.size();
  layout::NVMMASharedLayout probe{0, bits, rank, transposed, false, cga};
  layout::Problem problem = probe.validate();
  if (!problem)
    problem = layout::checkShape(probe, shape);
  if (problem) {
    interpreter.report(Kind::InvalidLayout, call.span, *problem).end();
    return std::nullopt;
  }
  return read.finish(
      layout::NVMMASharedLayout::defaultFor(shape, bits, transposed, fp4Padded, cga));
}

MaybeValue makeMfma(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::AMDMFMALayout layout{read.integer(0),
                               read.ints(1),
                               read.boolean(2),
                               read.ints(3),
                               read.isGiven(4) ? read.integer(4) : 32,
                               read.isGiven(5) ? read.ints(5) : layout::Ints(),
                               read.bases(6)};
  if (layout.tilesPerWarp.empty())
    layout.tilesPerWarp.assign(layout.warpsPerCta.size(), 1);
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

/// Older sources give warps and tiles as grids where newer ones give bases:
///   version, transposed, warps_per_cta, instr_shape, tiles_per_warp, cga_layout
///   version, transposed, warp_bases, reg_bases, instr_shape, cga_layout, rank
MaybeValue makeWmma(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  int64_t version = read.integer(0);
  bool transposed = read.boolean(1);
  const layout::Ints square{16, 16, 16};
  size_t grid = read.isGiven(7) ? 7 : 2;
  std::optional<layout::Ints> warps = read.intsOf(call[grid]);
  if (warps && !warps->empty()) {
    bool isPositional = grid == 2 && read.isGiven(3);
    size_t shape = isPositional ? 3 : 4, tiles = isPositional && read.isGiven(4) ? 4 : 8;
    layout::AMDWMMALayout layout = layout::AMDWMMALayout::forWarps(
        version, transposed, *warps, read.isGiven(shape) ? read.ints(shape) : square,
        read.isGiven(tiles) ? read.ints(tiles) : layout::Ints(warps->size(), 1), read.bases(5));
    return read.ok ? read.finish(std::move(layout)) : std::nullopt;
  }
  layout::AMDWMMALayout layout{version,
                               transposed,
                               read.bases(2),
                               read.bases(3),
                               read.isGiven(4) ? read.ints(4) : square,
                               read.bases(5),
                               read.isGiven(6) ? read.integer(6) : 2};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

/// `cga_layout`, or the older `cta_split_num`: into how many CTAs each dim is split.
layout::BasisList clusterOf(Reader &read, size_t cga, size_t split) {
  size_t given = read.isGiven(split) ? split : cga;
  std::optional<layout::Ints> counts = read.intsOf(read.call[given]);
  if (!counts || counts->empty())
    return read.bases(cga);
  layout::BasisList bases;
  for (size_t d = 0; d < counts->size(); ++d)
    for (int64_t value = 1; value < std::min<int64_t>((*counts)[d], 16); value *= 2) {
      bases.emplace_back(counts->size(), 0);
      bases.back()[d] = value;
    }
  return bases;
}

MaybeValue makeTensorMemory(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::TensorMemoryLayout layout{read.ints(0), read.integer(1), clusterOf(read, 2, 5),
                                    read.boolean(3), read.boolean(4)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeTensorMemoryScales(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::TensorMemoryScalesLayout layout{clusterOf(read, 0, 1)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

/// The layout of the first argument, after checking that it can hold the shape of the second.
std::optional<std::pair<layout::Layout, layout::Ints>> layoutAndShape(Interpreter &interpreter,
                                                                      const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::Layout layout = read.layout(0);
  layout::Ints shape = read.ints(1);
  if (!read.ok)
    return std::nullopt;
  if (layout.isPlaceholder())
    return std::pair(layout, shape);
  if (layout::Problem problem = layout::checkShape(layout, shape)) {
    interpreter.report(Kind::InvalidLayout, call.span, *problem).end();
    return std::nullopt;
  }
  return std::pair(layout, shape);
}

/// to_linear_layout(layout, shape): the same as explicit bases.
MaybeValue toLinearLayout(Interpreter &interpreter, const IntrinsicCall &call) {
  auto found = layoutAndShape(interpreter, call);
  if (!found)
    return std::nullopt;
  auto &[layout, shape] = *found;
  if (layout.as<layout::AutoLayout>() || layout.as<layout::DistributedLinearLayout>() ||
      layout.as<layout::SharedLinearLayout>())
    return Value::layout(layout);
  if (layout.isDistributed() && !layout.isPlaceholder())
    return Value::layout(layout::Layout(layout::toExplicit(layout.toLinear(shape))));
  // No layout class has bases for rows and columns: text to look at.
  if (layout.isTensorMemory())
    return Value::string(layout::tensorMemoryBases(layout, shape));
  if (!layout.isShared() || layout.as<layout::PaddedSharedLayout>()) {
    diag::Builder builder =
        interpreter.report(Kind::InvalidLayout, call.span,
                           layout.toString() + " is not linear, so bases cannot describe it");
    if (layout.isShared())
      std::move(builder).hint("its `offset_bases` are its bases without the padding");
    return std::nullopt;
  }
  return Value::layout(layout::Layout(layout::toExplicitShared(layout, shape)));
}

template <std::string (*view)(const layout::Layout &, llvm::ArrayRef<int64_t>)>
MaybeValue formatView(Interpreter &interpreter, const IntrinsicCall &call) {
  auto found = layoutAndShape(interpreter, call);
  if (!found)
    return std::nullopt;
  if (layout::Problem problem = layout::checkViewable(found->first, found->second)) {
    interpreter.report(Kind::InvalidLayout, call.span, *problem).end();
    return std::nullopt;
  }
  return Value::string(view(found->first, found->second));
}

MaybeValue makeMBarrier(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::SwizzledSharedLayout layout{1, 1, 1, {0}, read.bases(0)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

/// One barrier in each CTA, or in the first of each pair.
MaybeValue makeMultiCtaMBarrier(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  int64_t ctas = read.integer(0);
  bool pairs = read.boolean(1);
  if (read.ok && !(layout::isPowerOf2(ctas) && ctas <= 16))
    read.bad(0, "a power of two up to 16");
  if (!read.ok)
    return std::nullopt;
  layout::SwizzledSharedLayout layout{1, 1, 1, {0}, {}};
  if (pairs && ctas > 1)
    layout.cga.push_back({0});
  for (int64_t barrier = 1; barrier < ctas / (pairs ? 2 : 1); barrier *= 2)
    layout.cga.push_back({barrier});
  return read.finish(std::move(layout));
}

const Intrinsic constructors[] = {
    {"AutoLayout", "", makeAuto},
    {"CoalescedLayout", "", makeCoalesced},
    {"BlockedLayout",
     "size_per_thread, threads_per_warp, warps_per_cta, order, cga_layout=", makeBlocked},
    {"SliceLayout", "dim, parent", makeSlice},
    {"DistributedLinearLayout", "reg_bases, lane_bases, warp_bases, block_bases, shape",
     makeLinear},
    {"NVMMADistributedLayout", "version, warps_per_cta, instr_shape, cga_layout=", makeMma},
    {"DotOperandLayout", "operand_index, parent, k_width", makeDotOperand},
    {"SwizzledSharedLayout", "vec, per_phase, max_phase, order, cga_layout=", makeSwizzled},
    {"PaddedSharedLayout",
     "interval_padding_pairs, offset_bases, cga_layout=, shape=, block_bases=", makePadded},
    {"PaddedSharedLayout.with_identity_for",
     "interval_padding_pairs, shape, order, cga_layout=", makePaddedIdentity},
    {"SharedLinearLayout", "offset_bases, block_bases=, alignment=", makeSharedLinear},
    {"NVMMASharedLayout",
     "swizzle_byte_width, element_bitwidth, rank=, transposed=, fp4_padded=, cga_layout=",
     makeNvmmaShared},
    {"NVMMASharedLayout.get_default_for",
     "block_shape, dtype, transposed=, fp4_padded=, cga_layout=", makeNvmmaDefault},
    {"nvidia.blackwell.TensorMemoryLayout",
     "block, col_stride, cga_layout=, two_ctas=, fp4_padded=, cta_split_num=", makeTensorMemory},
    {"nvidia.blackwell.TensorMemoryScalesLayout",
     "cga_layout=, cta_split_num=", makeTensorMemoryScales},
    {"nvidia.rubin.TensorMemoryLayout",
     "block, col_stride, cga_layout=, two_ctas=, fp4_padded=, cta_split_num=", makeTensorMemory},
    {"nvidia.rubin.TensorMemoryScalesLayout",
     "cga_layout=, cta_split_num=", makeTensorMemoryScales},
    {"amd.AMDMFMALayout",
     "version, instr_shape, transposed, warps_per_cta, element_bitwidth=, tiles_per_warp=, "
     "cga_layout=",
     makeMfma},
    {"amd.AMDWMMALayout",
     "version, transposed, warp_bases=, reg_bases=, instr_shape=, cga_layout=, rank=, "
     "warps_per_cta=, tiles_per_warp=",
     makeWmma},
    {"to_linear_layout", "layout, shape", toLinearLayout},
    {"nvidia.ampere.mbarrier.MBarrierLayout", "cga_layout=", makeMBarrier},
    {"nvidia.ampere.mbarrier.MBarrierLayout.multicta", "num_ctas, two_cta=", makeMultiCtaMBarrier},
    {"nvidia.hopper.mbarrier.MBarrierLayout", "cga_layout=", makeMBarrier},
    {"nvidia.hopper.mbarrier.MBarrierLayout.multicta", "num_ctas, two_cta=", makeMultiCtaMBarrier},
    {"nvidia.blackwell.mbarrier.MBarrierLayout", "cga_layout=", makeMBarrier},
    {"nvidia.blackwell.mbarrier.MBarrierLayout.multicta",
     "num_ctas, two_cta=", makeMultiCtaMBarrier},
    {"nvidia.rubin.mbarrier.MBarrierLayout", "cga_layout=", makeMBarrier},
    {"nvidia.rubin.mbarrier.MBarrierLayout.multicta", "num_ctas, two_cta=", makeMultiCtaMBarrier},
};

const Intrinsic methods[] = {
    {"format_tensor_view", "self, shape", formatView<layout::tensorView>},
    {"format_hardware_view", "self, shape", formatView<layout::hardwareView>},
};

} // namespace

llvm::ArrayRef<Intrinsic> layoutMethods() { return methods; }

const Intrinsic *findLayoutConstructor(llvm::StringRef name) {
  for (const Intrinsic &constructor : constructors)
    if (constructor.name == name)
      return &constructor;
  return nullptr;
}

void appendLayoutNames(std::vector<llvm::StringRef> &names) {
  for (const Intrinsic &constructor : constructors)
    names.push_back(constructor.name);
}

} // namespace gluonc::sema
