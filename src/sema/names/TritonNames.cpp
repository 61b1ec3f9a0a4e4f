// Names of `tl` that Gluon does not have: constants, types, questions about the target.

#include "sema/names/Language.h"

#include "ir/Dialects.h"
#include "sema/builtins/Emit.h"
#include "sema/builtins/triton/Extern.h"
#include "sema/value/Repr.h"

namespace gluonc::sema {

using diag::Kind;

/// What `checkBlockShape` admits.
static constexpr int64_t maxElements = int64_t{1} << 20;

static const Options *optionsOf(Interpreter &interpreter, const IntrinsicCall &call) {
  if (Context *context = interpreter.emitContext())
    return &context->options;
  interpreter.report(Kind::NeedsKernel, call.span, call.self.name).end();
  return nullptr;
}

static MaybeValue identity(Interpreter &, const IntrinsicCall &call) { return call[0]; }

static MaybeValue blockType(Interpreter &interpreter, const IntrinsicCall &call) {
  Context *context = interpreter.emitContext();
  if (!context)
    return Value::tuple({call[0], call[1]}, {"element_ty", "shape"});
  std::optional<DType> element = ops::dtypeArgument(*context, call.arguments, "dtype");
  auto shape = ops::intsArgument(*context, call.arguments, "shape");
  if (!element || !shape || !ops::checkBlockShape(*context, *shape, call.arguments.span("shape")))
    return std::nullopt;
  mlir::MLIRContext *mlir = context->mlirContext();
  return Value::blockType(mlir::RankedTensorType::get(*shape, element->toMlir(mlir),
                                                      gluon::AutoEncodingAttr::get(mlir)),
                          *element);
}

Value constexprType(const Value &value) { return Value::tuple({value}, {"value"}); }
Value tupleType(const Value &types) { return Value::tuple({types}, {"types"}); }

static MaybeValue constexprTypeOf(Interpreter &, const IntrinsicCall &call) {
  return constexprType(call[0]);
}

/// Names of fields, if there are any, do not make another type.
static MaybeValue tupleTypeOf(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].is(ValueKind::Tuple) && !call[0].is(ValueKind::List)) {
    interpreter.report(Kind::ArgumentKind, call.span, "types", "a list", call[0].typeName()).end();
    return std::nullopt;
  }
  return tupleType(Value::tuple(call[0].items().vec()));
}

static MaybeValue numThreads(Interpreter &interpreter, const IntrinsicCall &call) {
  Context *context = interpreter.emitContext();
  return optionsOf(interpreter, call)
             ? MaybeValue(
                   Value::integer(context->numWarps() * context->threadsPerWarp()).asWrapped())
             : std::nullopt;
}

/// Backend, architecture and lanes of a warp, as Triton's GPUTarget has them.
static MaybeValue currentTarget(Interpreter &interpreter, const IntrinsicCall &call) {
  const Options *options = optionsOf(interpreter, call);
  if (!options)
    return std::nullopt;
  const target::Target &target = options->target;
  Value arch =
      target.isNvidia() ? Value::integer(target.computeCapability()) : Value::string(target.chip());
  return Value::tuple({Value::string(target.isNvidia() ? "cuda" : "hip"), arch,
                       Value::integer(target.warpSize())},
                      {"backend", "arch", "warp_size"})
      .asWrapped();
}

template <bool isNvidia>
static MaybeValue isBackend(Interpreter &interpreter, const IntrinsicCall &call) {
  const Options *options = optionsOf(interpreter, call);
  if (!options)
    return std::nullopt;
  return Value::boolean(options->target.isNvidia() == isNvidia).asWrapped();
}

static MaybeValue capabilityAtLeast(Interpreter &interpreter, const IntrinsicCall &call) {
  const Options *options = optionsOf(interpreter, call);
  if (!options)
    return std::nullopt;
  std::optional<int64_t> major = call[0].asInt64();
  std::optional<int64_t> minor = call.has(1) ? call[1].asInt64() : 0;
  if (!major || !minor) {
    interpreter.report(Kind::BadArgument, call.span, "a compute capability is two ints").end();
    return std::nullopt;
  }
  const target::Target &target = options->target;
  bool isNew = target.isNvidia() && int64_t(target.computeCapability()) / 10 >= *major &&
               (int64_t(target.computeCapability()) / 10 > *major ||
                int64_t(target.computeCapability()) % 10 >= *minor);
  return Value::boolean(isNew).asWrapped();
}

/// `is_hip_cdna3` and the like: the chip that each of them asks for.
static MaybeValue isChip(Interpreter &interpreter, const IntrinsicCall &call) {
  const Options *options = optionsOf(interpreter, call);
  if (!options)
    return std::nullopt;
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> chips[] = {
      {"target_info.is_hip_cdna3", "gfx942"},
      {"target_info.is_hip_cdna4", "gfx950"},
      {"target_info.is_hip_gfx1250", "gfx1250"}};
  bool isIt = llvm::any_of(chips, [&](const auto &row) {
    return row.first == call.self.name && row.second == options->target.chip();
  });
  return Value::boolean(isIt).asWrapped();
}

/// By the path below `tl`.
static const Intrinsic intrinsics[] = {
    {"_constexpr_to_value", "v", identity},
    {"_unwrap_if_constexpr", "o", identity},
    {"block_type", "dtype, shape", blockType},
    {"const", "*args", typeOnly},
    {"constexpr_type", "value", constexprTypeOf},
    {"dtype", "name", dtypeOf},
    {"slice", "*args", typeOnly},
    {"tuple_type", "types, fields=", tupleTypeOf},
    {"extra.num_threads", "", numThreads},
    {"target_info.current_target", "", currentTarget},
    {"target_info.is_cuda", "", isBackend<true>},
    {"target_info.is_hip", "", isBackend<false>},
    {"target_info.cuda_capability_geq", "major, minor=", capabilityAtLeast},
    {"target_info.is_hip_cdna3", "", isChip},
    {"target_info.is_hip_cdna4", "", isChip},
    {"target_info.is_hip_gfx1250", "", isChip},
    // Of a Triton with more backends; the chips are none of ours.
    {"target_info.is_xpu", "", isChip},
    {"target_info.is_xpu_cri", "", isChip},
};

MaybeValue findTritonMember(llvm::StringRef path) {
  for (const Intrinsic &intrinsic : intrinsics)
    if (intrinsic.name == path)
      return Value::builtin(&intrinsic);
  for (llvm::ArrayRef<Builtin> table : {ops::dotBuiltins(), ops::externBuiltins()})
    for (const Builtin &builtin : table)
      if (builtin.name == path)
        return Value::builtin(&builtin);
  if (path == "TRITON_MAX_TENSOR_NUMEL")
    return Value::integer(maxElements).asWrapped();
  if (path == "CONSTEXPR_0")
    return Value::integer(0).asWrapped();
  if (path == "pi32_t")
    return Value::dtype(DType::pointer(dtypes::int32));
  // Functions in Python that see no IR are what these decorate, as far as kernels are concerned.
  if (path == "builtin" || path == "constexpr_function" || path == "target_info.constexpr_function")
    return Value::builtin(findLanguageIntrinsic("constexpr_function"));
  // What it decorates calls `extern_elementwise`.
  if (path == "extern")
    return Value::builtin(findLanguageIntrinsic("triton.jit"));
  if (path == "extra.num_warps")
    return Value::builtin(findLanguageIntrinsic("num_warps"));
  return std::nullopt;
}

void appendTritonNames(std::vector<llvm::StringRef> &names) {
  for (const Intrinsic &intrinsic : intrinsics)
    if (!intrinsic.name.contains('.') && !intrinsic.name.starts_with("_"))
      names.push_back(intrinsic.name);
  names.push_back("TRITON_MAX_TENSOR_NUMEL");
}

} // namespace gluonc::sema
