// Layout classes of the language: constructors with their validation.

#include "sema/Language.h"

#include "layout/Layouts.h"

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

} // namespace

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
