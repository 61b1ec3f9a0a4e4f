//===- TensorProducts.cpp - What tensor cores do with tensor memory -------------===//
#include "sema/builtins/nvidia/Hopper.h"

#include "ir/Encoding.h"
#include "ir/ttng/TensorMemoryRules.h"
#include "layout/named/Blocks.h"

namespace gluonc::sema::ops {

namespace tcgen05 = target::nvidia::tcgen05;

static std::nullopt_t bad(Context &context, diag::Span span, llvm::StringRef what,
                          const llvm::Twine &why) {
  context.report(diag::Kind::TensorMemoryOperand, span, what, why.str()).end();
  return std::nullopt;
}

/// Each CTA that multiplies tells a barrier of its own, at one place in all of them.
static bool checkBarrier(Context &context, const Value &barrier, diag::Span span,
                         llvm::StringRef what) {
  const int64_t count = bufferType(barrier).getShape().back();
  if (count == context.numCtas())
    return true;
  return bad(context, span, what,
             "a barrier that it tells has an element for each of the " +
                 llvm::Twine(context.numCtas()) + " CTAs, but here are " + llvm::Twine(count)),
         false;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The barriers and predicates that a product tells, as many of each.
static bool readBarriers(Context &context, const BoundArgs &arguments, llvm::StringRef name,
                         llvm::SmallVectorImpl<mlir::Value> &barriers,
                         llvm::SmallVectorImpl<mlir::Value> &predicates) {
  auto itemsOf = [&](llvm::StringRef list) -> std::optional<llvm::ArrayRef<Value>> {
    const Value &items = arguments[list];
    if (!isGiven(items))
      return llvm::ArrayRef<Value>();
    if (items.is(ValueKind::Tuple) || items.is(ValueKind::List))
      return items.items();
    context.report(diag::Kind::ArgumentKind, arguments.span(list), list, "a list", items.typeName())
        .end();
    return std::nullopt;
  };
  auto bars = itemsOf("mbarriers"), preds = itemsOf("mbarrier_preds");
  if (!bars || !preds)
    return false;
  if (isGiven(arguments["mbarrier_preds"]) && preds->size() != bars->size())
    return bad(context, arguments.span("mbarrier_preds"), name,
               llvm::Twine(preds->size()) + " predicates for " + llvm::Twine(bars->size()) +
                   " barriers"),
           false;
  for (auto [i, bar] : llvm::enumerate(*bars)) {
    if (!isBarrier(context, bar, arguments.span("mbarriers"), "mbarriers") ||
        !checkBarrier(context, bar, arguments.span("mbarriers"), name))
      return false;
    mlir::Value predicate;
    if (!preds->empty()) {
      Result read = condition(context, (*preds)[i], arguments.span("mbarrier_preds"));
      if (!read)
        return false;
      predicate = read->ir();
    }
    barriers.push_back(bar.ir());
    predicates.push_back(predicateOrTrue(context, predicate));
  }
  return true;
}

/// Reports why there is no product, at the operand that the reason begins with.
static std::nullopt_t noProduct(Context &context, const BoundArgs &arguments, llvm::StringRef name,
                                llvm::StringRef why) {
  for (llvm::StringRef operand : {"a", "b", "acc", "a_scale", "b_scale"}) {
    if (!why.starts_with(("`" + operand + "`").str()))
      continue;
    context.report(diag::Kind::TensorMemoryOperand, arguments.span(operand), name, why.str())
        .note("it is {0}", arguments[operand].typeName());
    return std::nullopt;
  }
  return bad(context, context.span, name, why);
}

static bool areBuffers(Context &context, const BoundArgs &arguments, llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> operands) {
  for (llvm::StringRef operand : operands)
    if (!arguments[operand].is(ValueKind::MemDesc))
      return bad(context, arguments.span(operand), name,
                 "`" + operand + "` must be a memory descriptor, got " +
                     arguments[operand].typeName()),
             false;
  return true;
}

/// What products with and without scales are told alike.
struct ProductOptions {
  mlir::Value useAcc, predicate;
  bool twoCtas, multicast;
  llvm::SmallVector<mlir::Value> barriers, predicates;
};

static std::optional<ProductOptions> readOptions(Context &context, const BoundArgs &arguments,
                                                 llvm::StringRef name,
                                                 const ttng::TensorProduct &product) {
  if (!tcgen05::has(context.options.target, product.form.kind))
    return bad(context, context.span, name,
               llvm::Twine("the target ") + context.options.target.name() +
                   " has no products of kind " + llvm::StringRef(tcgen05::name(product.form.kind)));
  auto useAcc = predicateArgument(context, arguments, "use_acc");
  auto predicate = predicateArgument(context, arguments);
  auto multicast = boolArgument(context, arguments, "multicast");
  ProductOptions options;
  if (!useAcc || !predicate || !multicast ||
      !readBarriers(context, arguments, name, options.barriers, options.predicates))
    return std::nullopt;
  options.useAcc = predicateOrTrue(context, *useAcc);
  options.predicate = predicateOrTrue(context, *predicate);
  options.twoCtas = product.ctas == 2;
  options.multicast = *multicast && context.numCtas() > 1;
  return options;
}

static Result emitMma(Context &context, const BoundArgs &arguments) {
  constexpr llvm::StringLiteral name = "tcgen05_mma";
  if (!areBuffers(context, arguments, name, {"a", "b", "acc"}))
    return std::nullopt;
  const Value &a = arguments["a"], &b = arguments["b"], &acc = arguments["acc"];
  std::string why;
  auto product = ttng::tensorProduct(bufferType(a), bufferType(b), bufferType(acc), why,
                                     context.options.sanitizesFloats());
  if (!product)
    return noProduct(context, arguments, name, why);
  auto options = readOptions(context, arguments, name, *product);
  if (!options)
    return std::nullopt;
  ttng::TCGen5MMAOp::create(context.builder, context.loc(), mlir::Type(), a.ir(), b.ir(), acc.ir(),
                            mlir::Value(), options->useAcc, options->predicate, options->barriers,
                            options->predicates, /*is_async=*/true, options->twoCtas,
                            options->multicast, a.dtype() == dtypes::uint8,
                            b.dtype() == dtypes::uint8);
  return Value::none();
}

static std::optional<tt::ScaleDotElemType> elementType(Context &context, const BoundArgs &arguments,
                                                       llvm::StringRef argument) {
  auto text = stringArgument(context, arguments, argument);
  if (!text)
    return std::nullopt;
  if (*text == "e2m1" || *text == "e4m3" || *text == "e5m2")
    return tt::symbolizeScaleDotElemType(*text);
  return bad(context, arguments.span(argument), "tcgen05_mma_scaled",
             "`" + argument + "` must be \"e2m1\", \"e4m3\" or \"e5m2\", got \"" + *text + "\"");
}

static Result emitScaledMma(Context &context, const BoundArgs &arguments) {
  constexpr llvm::StringLiteral name = "tcgen05_mma_scaled";
  if (!areBuffers(context, arguments, name, {"a", "b", "acc", "a_scale", "b_scale"}))
    return std::nullopt;
  auto aType = elementType(context, arguments, "a_type");
  auto bType = aType ? elementType(context, arguments, "b_type") : std::nullopt;
  if (!bType)
    return std::nullopt;
  auto type = [&](llvm::StringRef operand) { return bufferType(arguments[operand]); };
  auto ir = [&](llvm::StringRef operand) { return arguments[operand].ir(); };
  std::string why;
  auto product = ttng::tensorProduct(
      {type("a"), type("b"), type("acc"), type("a_scale"), type("b_scale"), *aType, *bType}, why,
      context.options.sanitizesFloats());
  if (!product)
    return noProduct(context, arguments, name, why);
  auto options = readOptions(context, arguments, name, *product);
  if (!options)
    return std::nullopt;
  ttng::TCGen5MMAScaledOp::create(context.builder, context.loc(), mlir::Type(), ir("a"), ir("b"),
                                  ir("acc"), mlir::Value(), ir("a_scale"), ir("b_scale"), *aType,
                                  *bType, options->useAcc, options->predicate, options->barriers,
                                  options->predicates, options->twoCtas, options->multicast,
                                  /*is_async=*/true);
  return Value::none();
}

static Result emitCommit(Context &context, const BoundArgs &arguments) {
  constexpr llvm::StringLiteral name = "tcgen05_commit";
  if (!isBarrier(context, arguments["barrier"], arguments.span("barrier"), "barrier") ||
      !checkBarrier(context, arguments["barrier"], arguments.span("barrier"), name))
    return std::nullopt;
  auto predicate = predicateArgument(context, arguments);
  if (!predicate)
    return std::nullopt;
  llvm::SmallVector<mlir::Value> buffers;
  if (const Value &list = arguments["descs"]; list.is(ValueKind::Tuple) || list.is(ValueKind::List))
    for (const Value &buffer : list.items()) {
      if (!buffer.is(ValueKind::MemDesc))
        return bad(context, arguments.span("descs"), name,
                   "`descs` must be memory descriptors, got " + buffer.typeName());
      if (context.numCtas() > 1)
        buffers.push_back(buffer.ir());
    }
  ttng::TCGen5CommitOp::create(context.builder, context.loc(), arguments["barrier"].ir(),
                               *predicate, buffers);
  return Value::none();
}

static Result emitCopy(Context &context, const BoundArgs &arguments) {
  constexpr llvm::StringLiteral name = "tcgen05_copy";
  if (!areBuffers(context, arguments, name, {"src", "dst"}))
    return std::nullopt;
  std::string why;
  if (!ttng::tensorCopy(bufferType(arguments["src"]), bufferType(arguments["dst"]), why)) {
    llvm::StringRef which = llvm::StringRef(why).starts_with("`src`") ? "src" : "dst";
    context.report(diag::Kind::TensorMemoryOperand, arguments.span(which), name, why)
        .note("`src` is {0}, `dst` is {1}", arguments["src"].typeName(),
              arguments["dst"].typeName());
    return std::nullopt;
  }
  ttng::TMEMCopyOp::create(context.builder, context.loc(), arguments["src"].ir(),
                           arguments["dst"].ir());
  return Value::none();
}

/// How many CTAs (or pairs) commit to a barrier of each: those that hold the same part of some
/// buffer as CTA 0, itself included.
static Result emitBarrierCount(Context &context, const BoundArgs &arguments) {
  auto multicast = boolArgument(context, arguments, "multicast");
  auto twoCtas = multicast ? boolArgument(context, arguments, "two_ctas") : std::nullopt;
  if (!twoCtas)
    return std::nullopt;
  const Value &list = arguments["smems"];
  llvm::SmallVector<mlir::Type> buffers;
  for (const Value &buffer : list.items()) {
    if (!buffer.is(ValueKind::MemDesc))
      return bad(context, arguments.span("smems"), "tcgen05_mma_barrier_count",
                 "`smems` must be memory descriptors, got " + buffer.typeName());
    buffers.push_back(bufferType(buffer));
  }
  if (buffers.empty() || !*multicast)
    return Value::integer(1);
  int64_t count = 0;
  for (uint32_t cta = 0; cta < uint32_t(context.numCtas()); cta += *twoCtas ? 2 : 1)
    count += llvm::any_of(buffers, [&](mlir::Type type) {
      const layout::LinearLayout *memory = linearOrNull(mlir::cast<ttg::MemDescType>(type));
      return memory && !(cta & ~layout::blockCopies(*memory));
    });
  return Value::integer(count);
}

llvm::ArrayRef<Builtin> tensorProductBuiltins() {
  static constexpr Traits onTensorMemory = {.needs = target::Feature::TensorMemory};
  static const Builtin table[] = {
      {"nvidia.blackwell.tcgen05_mma",
       "a: buffer, b: buffer, acc: buffer, *, use_acc: scalar = True, pred: scalar = True, "
       "multicast: bool = False, mbarriers: sequence = None, mbarrier_preds: sequence = None",
       emitMma, onTensorMemory, R"(
Starts a @ b + acc on the tensor cores.

`acc` is in tensor memory, `a` in shared or tensor memory, `b` in shared memory; shapes are [M, K],
[K, N] and [M, N]. With a false `use_acc` the product alone, with a false `pred` nothing. Operands
must stay and `acc` must not be touched until a barrier tells: each of `mbarriers` counts an arrival
when this and all that this partition started before is over. So does `tcgen05_commit`. 16-bit and
8-bit floats, float32 (cut to tf32) and 8-bit integers multiply.

Where the layout of `acc` says `two_ctas`, the CTAs of each pair multiply together: each has half
of the rows of `a` and `acc` and half of the columns of `b`. Barriers of both are told; with
`multicast` those of all CTAs that hold the same part of `a` or `b`.

Gives: nothing.
Errors: other layouts, shapes or element types.

    # cuda:100a
    wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    a = gl.allocate_shared_memory(gl.float16, [128, 64], wide)
    b = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    blackwell.tcgen05_mma(a, b, acc, use_acc=False, mbarriers=[bar])
)"},
      {"nvidia.blackwell.tcgen05_commit",
       "barrier: barrier, pred: scalar = True, descs: sequence = ()", emitCommit, onTensorMemory,
       R"(
Has a barrier count an arrival once the products and copies that this partition started are over.

With `descs`, buffers in shared memory, so do the barriers of all CTAs that hold the same part of
one.

Gives: nothing.
Errors: what is no barrier, or not one for each CTA.

    # cuda:100a
    blackwell.tcgen05_commit(bar)
)"},
      {"nvidia.blackwell.tcgen05_mma_scaled",
       "a: buffer, b: buffer, acc: buffer, a_scale: buffer, b_scale: buffer, a_type: str, "
       "b_type: str, *, use_acc: scalar = True, pred: scalar = True, multicast: bool = False, "
       "mbarriers: sequence = None, mbarrier_preds: sequence = None",
       emitScaledMma, onTensorMemory, R"(
Starts (a * a_scale) @ (b * b_scale) + acc on the tensor cores.

As `tcgen05_mma`, with a scale for each 32 elements along K, or each 16. `a_type` and `b_type` are
"e4m3", "e5m2" or "e2m1", two of which lie in a byte, the first in its low half. Scales are in
tensor memory in a TensorMemoryScalesLayout, [M, K / 32] and [N, K / 32]: uint8, the exponent of a
power of two plus 127, or float8e4nv for each 16 elements where both types are "e2m1". Where only
one is, its buffer has an fp4_padded layout.

Gives: nothing.
Errors: other layouts, shapes or element types; `acc` with 64 rows in a block.

    # cuda:100a
    wide: gl.constexpr = gl.NVMMASharedLayout(128, 8, 2)
    a = gl.allocate_shared_memory(gl.float8e4nv, [128, 128], wide)
    b = gl.allocate_shared_memory(gl.float8e4nv, [64, 128], wide)
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    scales: gl.constexpr = blackwell.TensorMemoryScalesLayout()
    a_scale = blackwell.allocate_tensor_memory(gl.uint8, [128, 4], scales)
    b_scale = blackwell.allocate_tensor_memory(gl.uint8, [64, 4], scales)
    blackwell.tcgen05_mma_scaled(a, b.permute([1, 0]), acc, a_scale, b_scale, "e4m3", "e4m3",
                                 use_acc=False, mbarriers=[bar])
)"},
      {"nvidia.blackwell.tcgen05_copy", "src: buffer, dst: buffer", emitCopy, onTensorMemory, R"(
Starts copying a buffer in shared memory to one in tensor memory.

It is over when a barrier tells that `tcgen05_commit` names; products that this partition starts
behind it find it done. Elements have 32 bits, or `dst` holds scales: then bytes lie in `src` in
blocks of 128 rows and 4 columns, scale (m, k) at (m % 32) * 16 + m // 32 * 4 + k.

Gives: nothing.
Errors: shapes or types that differ; layouts that no instruction copies.

    # cuda:100a
    wide: gl.constexpr = gl.NVMMASharedLayout(128, 32, 2)
    a = gl.allocate_shared_memory(gl.float32, [128, 64], wide)
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    blackwell.tcgen05_copy(a, acc)
)"},
      {"nvidia.blackwell.tcgen05_mma_barrier_count",
       "smems: sequence, multicast: bool, two_ctas: bool", emitBarrierCount, onTensorMemory, R"(
How many arrivals products tell a barrier of each CTA: the count that it begins with.

`smems` are the operands in shared memory. Without `multicast`, 1.

Gives: an int at compile time.
Errors: what is no memory descriptor.

    # cuda:100a
    wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    a = gl.allocate_shared_memory(gl.float16, [128, 64], wide)
    count: gl.constexpr = blackwell.tcgen05_mma_barrier_count([a], False, False)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
