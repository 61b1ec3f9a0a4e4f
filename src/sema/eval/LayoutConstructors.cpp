// Layout classes of the language: constructors with their validation, functions of layouts.

#include "sema/names/Language.h"

#include "layout/named/AmdOperands.h"
#include "layout/named/BarrierLayout.h"
#include "layout/named/Inference.h"
#include "layout/named/Views.h"
#include "layout/plan/TensorMemoryAccess.h"

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

  void field(size_t i, int64_t &value) { value = integer(i); }
  void field(size_t i, bool &value) { value = boolean(i); }
  void field(size_t i, layout::Ints &value) { value = ints(i); }
  void field(size_t i, layout::BasisList &value) { value = bases(i); }
  void field(size_t i, layout::Layout &value) { value = layout(i); }

  MaybeValue finish(layout::Layout layout) {
    if (layout::Problem problem = layout.validate()) {
      interpreter.report(Kind::InvalidLayout, call.span, *problem).end();
      return std::nullopt;
    }
    return Value::layout(std::move(layout));
  }
};

/// Arguments in the order of the layout's fields. What is left out keeps its default.
template <typename T> MaybeValue make(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  T value{};
  size_t i = 0;
  T::fields([&](const layout::Field &field, auto member) {
    bool isGiven = field.missing == "None" ? read.isGiven(i) : call.has(i);
    if (isGiven || field.missing.empty())
      read.field(i, value.*member);
    ++i;
  });
  if (!read.ok)
    return std::nullopt;
  if constexpr (requires { value.fillDefaults(); })
    value.fillDefaults();
  return read.finish(std::move(value));
}

/// The parameters of a constructor as rows spell them: the fields of the layout, then `more`.
template <typename T> struct Parameters {
  char text[256] = {};
  size_t size = 0;

  consteval explicit Parameters(llvm::StringRef more = "") {
    T::fields([&](const layout::Field &field, auto member) {
      append(size ? ", " : "");
      append(field.name);
      append(": ");
      append(typeWord(member));
      append(field.missing.empty() ? "" : " = ");
      append(field.missing);
    });
    append(size && !more.empty() ? ", " : "");
    append(more);
  }
  consteval operator Signature() const { return Signature(llvm::StringRef(text, size)); }

private:
  constexpr void append(llvm::StringRef more) {
    for (size_t i = 0; i < more.size(); ++i)
      text[size++] = more.data()[i];
  }
  template <typename M> static constexpr llvm::StringRef typeWord(M T::*) {
    return std::is_same_v<M, int64_t>          ? "int"
           : std::is_same_v<M, bool>           ? "bool"
           : std::is_same_v<M, layout::Ints>   ? "ints"
           : std::is_same_v<M, layout::Layout> ? "layout"
                                               : "value";
  }
};

template <typename T> constexpr Parameters<T> parametersOf{};

/// A class whose constructor takes the fields and nothing else.
template <typename T> consteval Intrinsic row(llvm::StringRef name, llvm::StringRef doc) {
  return {name, parametersOf<T>, make<T>, doc};
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
    // Python gives every parameter: no `reg_bases` are no `instr_shape`.
    bool isPositional = grid == 2 && read.isGiven(3) && read.intsOf(call[3]) != layout::Ints();
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

/// `cga_layout`, or the older `cta_split_num`: into how many CTAs each dim is split. Those that
/// multiply in pairs are neighbours along the first dim; else neighbours are along the last.
layout::BasisList clusterOf(Reader &read, size_t cga, size_t split, bool twoCtas = false) {
  size_t given = read.isGiven(split) ? split : cga;
  std::optional<layout::Ints> counts = read.intsOf(read.call[given]);
  if (!counts || counts->empty())
    return read.bases(cga);
  layout::BasisList bases;
  auto add = [&](size_t dim, int64_t value) {
    bases.emplace_back(counts->size(), 0);
    bases.back()[dim] = value;
  };
  const bool pairs = twoCtas && counts->front() > 1;
  if (pairs)
    add(0, 1);
  for (size_t d = counts->size(); d-- > 0;)
    for (int64_t value = pairs && !d ? 2 : 1; value < std::min<int64_t>((*counts)[d], 16);
         value *= 2)
      add(d, value);
  return bases;
}

MaybeValue makeTensorMemory(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::TensorMemoryLayout layout{read.ints(0), read.integer(1),
                                    clusterOf(read, 2, 5, read.boolean(3)), read.boolean(3),
                                    read.boolean(4)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

MaybeValue makeTensorMemoryScales(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::TensorMemoryScalesLayout layout{clusterOf(read, 0, 1)};
  return read.ok ? read.finish(std::move(layout)) : std::nullopt;
}

/// get_tmem_reg_layout(element_ty, shape, layout, num_warps, instr_variant): the layout in which
/// warps load such a buffer.
MaybeValue tensorMemoryRegisters(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  if (!call[0].is(ValueKind::DType))
    read.bad(0, "a dtype");
  layout::Ints shape = read.ints(1);
  layout::Layout layout = read.layout(2);
  const int64_t warps = read.integer(3);
  if (read.ok && !layout.isTensorMemory())
    read.bad(2, "a layout of tensor memory");
  if (read.ok && call.has(4) && !call[4].is(ValueKind::String))
    read.bad(4, "the name of a variant");
  if (!read.ok)
    return std::nullopt;
  layout::Problem problem = layout.validate();
  if (!problem)
    problem = layout::checkShape(layout, shape);
  std::optional<layout::DistributedLinearLayout> registers;
  std::string why;
  if (!problem) {
    registers = layout::tensorMemoryRegisters(
        layout.toLinear(shape), shape, call[0].dtype().bitWidth(),
        call.has(4) ? llvm::StringRef(call[4].asString()) : "32x32b", warps, why);
    if (!registers)
      problem = why;
  }
  if (problem) {
    interpreter.report(Kind::InvalidLayout, call.span, *problem).end();
    return std::nullopt;
  }
  return Value::layout(layout::Layout(*registers));
}

/// get_mfma_scale_layout(dot_operand_layout, shape, scale_factor) and its like for WMMA.
template <layout::LayoutOrProblem (*find)(const layout::Layout &, llvm::ArrayRef<int64_t>, int64_t)>
MaybeValue scaleLayout(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::Layout operand = read.layout(0);
  layout::Ints shape = read.ints(1);
  int64_t block = read.integer(2, 32);
  if (!read.ok)
    return std::nullopt;
  layout::LayoutOrProblem found = find(operand, shape, block);
  if (const auto *result = std::get_if<layout::Layout>(&found))
    return Value::layout(*result);
  interpreter.report(Kind::InvalidLayout, call.span, std::get<std::string>(found)).end();
  return std::nullopt;
}

/// compute_efficient_padded_shared_layout(dot_operand_layout, shape, dtype, is_k_contig).
MaybeValue paddedForMfma(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::Layout operand = read.layout(0);
  layout::Ints shape = read.ints(1);
  if (!call[2].is(ValueKind::DType))
    read.bad(2, "a dtype");
  bool alongK = call.has(3) ? read.boolean(3) : true;
  const auto *dot = operand.as<layout::DotOperandLayout>();
  const auto *mfma = dot ? dot->parent.as<layout::AMDMFMALayout>() : nullptr;
  if (read.ok && (!mfma || mfma->version != 4))
    read.bad(0, "a DotOperandLayout of an AMDMFMALayout of version 4");
  if (!read.ok)
    return std::nullopt;
  std::optional<layout::PaddedSharedLayout> found =
      layout::mfmaPaddedLayout(*dot, shape, call[2].dtype().bitWidth(), alongK);
  return found ? Value::layout(layout::Layout(std::move(*found))) : Value::none();
}

/// make_partitioned_dot_layouts(…): those of both operands and of the result.
MaybeValue makePartitionedDot(Interpreter &interpreter, const IntrinsicCall &call) {
  Reader read{interpreter, call};
  layout::PartitionedDot dot;
  dot.block = {read.integer(0), read.integer(1)};
  layout::Layout given[2] = {read.layout(2), read.layout(3)};
  dot.warps = read.integer(4);
  dot.instrShape = read.ints(5);
  dot.operandIsTransposed = {read.boolean(6), read.boolean(7)};
  dot.slice = {read.isGiven(8) ? read.integer(8) : dot.block[0],
               read.isGiven(9) ? read.integer(9) : dot.block[1]};
  dot.transposed = !call.has(10) || read.boolean(10);
  for (size_t side : {0, 1})
    if (const auto *padded = given[side].as<layout::PaddedSharedLayout>())
      dot.operands[side] = *padded;
    else
      read.bad(2 + side, "a PaddedSharedLayout");
  if (!read.ok)
    return std::nullopt;
  llvm::SmallVector<layout::Layout, 3> made;
  if (layout::Problem problem = layout::makePartitionedDot(dot, made)) {
    interpreter.report(Kind::InvalidLayout, call.span, *problem).end();
    return std::nullopt;
  }
  std::vector<Value> items;
  for (layout::Layout &each : made)
    items.push_back(Value::layout(std::move(each)));
  return Value::tuple(std::move(items));
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
  if (!layout.isShared() || layout::paddedPart(layout)) {
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
  return read.finish(layout::barrierLayout(ctas, pairs));
}

constexpr llvm::StringLiteral mbarrierDoc = R"(
Of the memory of a barrier.

Gives: a layout of shared memory.
Errors: bases that are none.

    one: gl.constexpr = ampere.mbarrier.MBarrierLayout()
)";
constexpr llvm::StringLiteral ldsBarrierDoc = R"(
Of the memory of a barrier.

Gives: a layout of shared memory.
Errors: bases that are none.

    # hip:gfx1250
    one: gl.constexpr = cdna5.mbarrier.MBarrierLayout()
)";
constexpr llvm::StringLiteral wmmaScaleDoc = R"(
In which layout the scales of an operand of `wmma_scaled` lie.

`shape` is that of the scales, [M, K / scale_factor] or [N, K / scale_factor], of products of three
dims with these in front.

Gives: a `DistributedLinearLayout`.
Errors: what is no layout of operands of WMMA; a factor that is neither 16 nor 32.

    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])
    operand: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
    scales: gl.constexpr = cdna5.get_wmma_scale_layout(operand, [64, 4])
)";
constexpr llvm::StringLiteral multiCtaDoc = R"(
Of the memory of one barrier per CTA of a cluster, or per pair of CTAs.

Gives: a layout of shared memory.
Errors: a number that is no power of two.

    one: gl.constexpr = ampere.mbarrier.MBarrierLayout.multicta(1)
)";
constexpr llvm::StringLiteral tensorMemoryDoc = R"(
Of a buffer in tensor memory, which holds accumulators on Blackwell.

A block of [M, N] is the result of one instruction; blocks of a larger tile stand side by side. An
element takes `col_stride` elements of memory: 2 for 16-bit sums, which have a column each.

Gives: a layout.
Errors: a block that tensor memory cannot hold.

    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
)";
constexpr llvm::StringLiteral scalesDoc = R"(
Of scales in tensor memory, for products of scaled 4-bit and 8-bit floats.

`tcgen05_copy` and stores put them there, `tcgen05_mma_scaled` reads them.

Gives: a layout.

    held: gl.constexpr = blackwell.TensorMemoryScalesLayout()
)";

constexpr Parameters<layout::AMDWMMALayout>
    wmmaParameters("warps_per_cta: ints = None, tiles_per_warp: ints = None");
constexpr Parameters<layout::TensorMemoryLayout>
    tensorMemoryParameters("cta_split_num: ints = None");
constexpr Parameters<layout::TensorMemoryScalesLayout>
    scalesParameters("cta_split_num: ints = None");

constexpr llvm::StringLiteral partitionedDoc = R"(
Of buffers that are cut into pieces, which belong to several partitions of LDS in turn.

The tensor has `num_partitions` times `num_groups` pieces along `partition_dim`, each laid out as
`partition_layout` says. Piece i belongs to partition i modulo `num_partitions`.

Gives: a layout of shared memory.
Errors: numbers that are no powers of two; a dimension that the pieces do not have; pieces that are
neither swizzled nor padded nor linear.

    rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    halves: gl.constexpr = gl.amd.cdna5.PartitionedSharedLayout(2, 4, 0, rows)
)";

constexpr llvm::StringLiteral partitionedDotParameters =
    "block_m: int, block_n: int, original_layout_a: layout, original_layout_b: layout, "
    "num_warps: int, instr_shape: ints, a_transposed: bool = False, b_transposed: bool = False, "
    "slice_m: int = None, slice_n: int = None, transposed: bool = True";

constexpr llvm::StringLiteral partitionedDotDoc = R"(
Layouts for a product by WMMA whose warps read different partitions of LDS at a time.

The buffers of the operands, as the given layouts pad them, are cut along M and N into two
partitions. `slice_m` and `slice_n` are the sizes of what one product multiplies, by default the
whole blocks. In memory K is contiguous for the left and N for the right operand, or the other one
where it is transposed. `transposed` is that of the result's layout.

Gives: a tuple of the layouts of the left operand, the right operand and the result.
Errors: other than 4 or 8 warps; slices of less than 4 instructions along M or 2 along N, or that do
not divide the blocks.

    a: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [128, 64], [1, 0])
    b: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[128, 8]], [64, 128], [1, 0])
    made: gl.constexpr = gl.amd.cdna5.make_partitioned_dot_layouts(
        128, 128, a, b, 4, [16, 16, 32])
)";

const Intrinsic constructors[] = {
    row<layout::AutoLayout>("AutoLayout", R"(
A layout that the compiler finds: the one that the block's uses ask for.

Gives: a layout, which a `set_auto_layout` or another block must decide.

    offsets = gl.set_auto_layout(gl.arange(0, 128, layout=gl.AutoLayout()), layout)
)"),
    row<layout::CoalescedLayout>("CoalescedLayout", R"(
A layout that the compiler chooses so that neighbouring threads access neighbouring memory.

Gives: a layout of blocks of pointers and what they load.

    z = gl.load(p + gl.arange(0, 128, layout=gl.CoalescedLayout()))
)"),
    row<layout::BlockedLayout>("BlockedLayout", R"(
Tiles of consecutive elements, one per thread.

Each list has a number per dimension: the elements of a thread, the threads of a warp, the warps of
the program. `order` names the dimensions, the one that runs fastest first. Larger blocks repeat the
tile, smaller ones are held several times. `cga_layout` says how CTAs of a cluster share the tensor,
one basis per doubling of their number.

Gives: a layout of blocks.
Errors: lists of different lengths, numbers that are no powers of two, other numbers of threads or
warps than the kernel has.

    rows: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
)"),
    row<layout::SliceLayout>("SliceLayout", R"(
A layout with one dimension removed.

What a reduction over `dim` leaves, and what `expand_dims` needs.

Gives: a layout of blocks with one dimension less.
Errors: a dimension that the parent does not have.

    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, tiled))
)"),
    row<layout::DistributedLinearLayout>("DistributedLinearLayout", R"(
Any layout that is linear over bits.

Each list has, per bit of the number of a register, a thread, a warp and a CTA, the coordinates that
the bit adds.

Gives: a layout of blocks of `shape`.
Errors: bases outside of the shape, or that leave elements out.

    same: gl.constexpr = gl.DistributedLinearLayout(
        [], [[1], [2], [4], [8], [16]], [[32], [64]], [], [128])
)"),
    row<layout::NVMMADistributedLayout>("NVMMADistributedLayout", R"(
Of accumulators of NVIDIA's tensor cores.

Version [2, 0] is that of `mma_v2`, with instructions of [16, 8]; version [3, 0] that of
`warpgroup_mma`, with [16, N, K] and warps in multiples of four along the rows.

Gives: a layout of blocks.
Errors: versions and instructions that do not exist.

    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
)"),
    row<layout::DotOperandLayout>("DotOperandLayout", R"(
Of operands of a product that lie in registers.

`operand_index` is 0 for the left and 1 for the right side, `parent` the layout of the accumulator,
`k_width` the number of elements of a register along K: 4 bytes of them on tensor cores, 0 for
`dot_fma`.

Gives: a layout of blocks.
Errors: another operand; a parent that products do not have.

    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 2)
)"),
    row<layout::SwizzledSharedLayout>("SwizzledSharedLayout", R"(
Rows of shared memory whose vectors are exchanged, so that columns are read without bank conflicts.

`vec` elements stay together; `per_phase` rows share a pattern; there are `max_phase` patterns. With
1, 1, 1 elements lie in plain order. `order` names the dimensions, the one that runs fastest first.

Gives: a layout of shared memory.
Errors: numbers that are no powers of two.

    mixed: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
)"),
    {"PaddedSharedLayout",
     "interval_padding_pairs: value, offset_bases: value, cga_layout: value = None, "
     "shape: ints = None, block_bases: value = None",
     makePadded, R"(
Shared memory with gaps: after every interval of elements so many are left out.

`offset_bases` has the coordinates that each bit of an offset adds.

Gives: a layout of shared memory.
Errors: intervals that are no powers of two; bases that leave elements out.

    padded: gl.constexpr = gl.PaddedSharedLayout(
        [[32, 4]], [[1], [2], [4], [8], [16], [32]], [], [64])
)"},
    {"PaddedSharedLayout.with_identity_for",
     "interval_padding_pairs: value, shape: ints, order: ints, cga_layout: value = None",
     makePaddedIdentity, R"(
Shared memory in plain order, with gaps.

After every interval of elements so many are left out.

Gives: a layout of shared memory.
Errors: intervals that are no powers of two; an order that does not fit the shape.

    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [64, 32], [1, 0])
)"},
    row<layout::SharedLinearLayout>("SharedLinearLayout", R"(
Any layout of shared memory that is linear over bits.

`offset_bases` has the coordinates that each bit of an offset adds, `block_bases` those of each bit
of a CTA's number.

Gives: a layout of shared memory.
Errors: bases that depend on each other, or leave elements out.

    plain: gl.constexpr = gl.SharedLinearLayout([[1], [2], [4], [8]])
)"),
    row<layout::NVMMASharedLayout>("NVMMASharedLayout", R"(
Shared memory as the copy engine writes it and `warpgroup_mma` reads it.

Rows of 0, 32, 64 or 128 bytes whose pieces of 16 bytes are exchanged. `transposed` makes the first
dimension the one that runs fastest.

Gives: a layout of shared memory.
Errors: other widths; element widths that are none of 8, 16 and 32 bits.

    wide: gl.constexpr = gl.NVMMASharedLayout(128, 16)
)"),
    {"NVMMASharedLayout.get_default_for",
     "block_shape: ints, dtype: dtype, transposed: bool = False, fp4_padded: bool = False, "
     "cga_layout: value = None",
     makeNvmmaDefault, R"(
The widest such layout that a block of this shape and element type allows.

Gives: an `NVMMASharedLayout`.
Errors: a block whose rows are too short.

    wide: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
)"},
    {"nvidia.blackwell.TensorMemoryLayout", tensorMemoryParameters, makeTensorMemory,
     tensorMemoryDoc},
    {"nvidia.blackwell.TensorMemoryScalesLayout", scalesParameters, makeTensorMemoryScales,
     scalesDoc},
    {"nvidia.blackwell.get_tmem_reg_layout",
     "element_ty: dtype, shape: ints, layout: layout, num_warps: int, "
     "instr_variant: str = '32x32b', cga_layout: value = None",
     tensorMemoryRegisters, R"(
The layout in which warps load a buffer from tensor memory; see `get_reg_layout` of the buffer.

Gives: a layout of blocks.
Errors: a layout that is none of tensor memory; variants and numbers of warps that there are not.

    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    registers: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [128, 64], held, 4)
)"},
    {"nvidia.rubin.TensorMemoryLayout", tensorMemoryParameters, makeTensorMemory, tensorMemoryDoc},
    {"nvidia.rubin.TensorMemoryScalesLayout", scalesParameters, makeTensorMemoryScales, scalesDoc},
    row<layout::AMDMFMALayout>("amd.AMDMFMALayout", R"(
Of accumulators of AMD's MFMA instructions.

Gives: a layout of blocks for warps of 64.
Errors: versions and instructions that do not exist.

    wave: gl.constexpr = gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1])
)"),
    {"amd.AMDWMMALayout", wmmaParameters, makeWmma, R"(
Of accumulators of AMD's WMMA instructions.

Gives: a layout of blocks for warps of 32.
Errors: versions and instructions that do not exist.

    wave: gl.constexpr = gl.amd.AMDWMMALayout(2, True, [[0, 1], [1, 0]])
)"},
    {"amd.cdna4.get_mfma_scale_layout",
     "dot_operand_layout: layout, shape: ints, scale_factor: int = 32",
     scaleLayout<layout::mfmaScaleLayout>, R"(
In which layout the scales of an operand of `mfma_scaled` lie.

`shape` is that of the scales, [M, K / 32] or [N, K / 32].

Gives: a `DistributedLinearLayout`.
Errors: what is no layout of operands of MFMA; another factor than 32.

    mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
    operand: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
    scales: gl.constexpr = cdna4.get_mfma_scale_layout(operand, [64, 4])
)"},
    {"amd.cdna4.compute_efficient_padded_shared_layout",
     "dot_operand_layout: layout, shape: ints, dtype: dtype, is_k_contig: bool = True",
     paddedForMfma, R"(
A padded layout in LDS from which gfx950 reads an operand of MFMA without conflicts of banks.

`is_k_contig` says whether K is contiguous in LDS, or M or N. Of 4-bit floats the element type is
uint8.

Gives: a `PaddedSharedLayout`; None where none is known, as for operands whose `k_width` is none of
4, 8 and 16, and for small shapes.
Errors: what is no layout of operands of MFMA of version 4.

    mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 32], True, [2, 2])
    operand: gl.constexpr = gl.DotOperandLayout(0, mma, 8)
    block: gl.constexpr = [128, 64]
    padded: gl.constexpr = cdna4.compute_efficient_padded_shared_layout(operand, block, gl.float16)
)"},
    {"amd.cdna5.get_wmma_scale_layout",
     "dot_operand_layout: layout, shape: ints, scale_factor: int = 32",
     scaleLayout<layout::wmmaScaleLayout>, wmmaScaleDoc},
    {"amd.gfx1250.get_wmma_scale_layout",
     "dot_operand_layout: layout, shape: ints, scale_factor: int = 32",
     scaleLayout<layout::wmmaScaleLayout>, wmmaScaleDoc},
    row<layout::PartitionedSharedLayout>("amd.cdna5.PartitionedSharedLayout", partitionedDoc),
    row<layout::PartitionedSharedLayout>("amd.gfx1250.PartitionedSharedLayout", partitionedDoc),
    {"amd.cdna5.make_partitioned_dot_layouts", partitionedDotParameters, makePartitionedDot,
     partitionedDotDoc},
    {"amd.gfx1250.make_partitioned_dot_layouts", partitionedDotParameters, makePartitionedDot,
     partitionedDotDoc},
    {"to_linear_layout", "layout: layout, shape: ints", toLinearLayout, R"(
A layout spelled out as bases, for one shape.

Gives: a `DistributedLinearLayout` or a `SharedLinearLayout`.
Errors: a shape that the layout does not fit.

    spelled: gl.constexpr = gl.to_linear_layout(tiled, [64, 32])
)"},
    {"nvidia.ampere.mbarrier.MBarrierLayout", "cga_layout: value = None", makeMBarrier,
     mbarrierDoc},
    {"nvidia.ampere.mbarrier.MBarrierLayout.multicta", "num_ctas: int, two_cta: bool = False",
     makeMultiCtaMBarrier, multiCtaDoc},
    {"nvidia.hopper.mbarrier.MBarrierLayout", "cga_layout: value = None", makeMBarrier,
     mbarrierDoc},
    {"nvidia.hopper.mbarrier.MBarrierLayout.multicta", "num_ctas: int, two_cta: bool = False",
     makeMultiCtaMBarrier, multiCtaDoc},
    {"nvidia.blackwell.mbarrier.MBarrierLayout", "cga_layout: value = None", makeMBarrier,
     mbarrierDoc},
    {"nvidia.blackwell.mbarrier.MBarrierLayout.multicta", "num_ctas: int, two_cta: bool = False",
     makeMultiCtaMBarrier, multiCtaDoc},
    {"amd.cdna5.mbarrier.MBarrierLayout", "cga_layout: value = None", makeMBarrier, ldsBarrierDoc},
    {"amd.gfx1250.mbarrier.MBarrierLayout", "cga_layout: value = None", makeMBarrier,
     ldsBarrierDoc},
    {"nvidia.rubin.mbarrier.MBarrierLayout", "cga_layout: value = None", makeMBarrier, mbarrierDoc},
    {"nvidia.rubin.mbarrier.MBarrierLayout.multicta", "num_ctas: int, two_cta: bool = False",
     makeMultiCtaMBarrier, multiCtaDoc},
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

/// `alignment=16`; lists of bases are left out as empty ones.
template <typename T> static std::string schemaOf() {
  std::string text;
  T::fields([&](const layout::Field &field, auto member) {
    constexpr bool isBases = std::is_same_v<decltype(member), layout::BasisList T::*>;
    text += " " + field.name.str();
    if (!field.missing.empty())
      text += "=" + (isBases ? "()" : field.missing.str());
  });
  return text;
}

std::string layoutSchemas() {
  std::string text;
  auto add = [&]<typename T>() {
    for (const Intrinsic &constructor : constructors)
      if (constructor.name.rsplit('.').second == layout::nameOf(T::kind) ||
          constructor.name == layout::nameOf(T::kind)) {
        text += (constructor.name + schemaOf<T>() + "\n").str();
        break;
      }
  };
#define GL_LAYOUT(Kind, Where) add.operator()<layout::Kind##Layout>();
#include "layout/named/Layouts.def"
  return text;
}

void appendLayoutNames(std::vector<llvm::StringRef> &names) {
  for (const Intrinsic &constructor : constructors)
    names.push_back(constructor.name);
}

} // namespace gluonc::sema
