#include "driver/Arguments.h"
#include "driver/LaunchParameters.h"
#include "host/NumberFormat.h"
#include "syntax/Ast.h"
#include "target/Limits.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::driver {

using diag::Kind;
using sema::ArgSpec;
using sema::DType;
using sema::Parameter;
using sema::Value;
using sema::ValueKind;

/// `*fp33`, `i32:17`: what nobody writes for a value.
static bool looksLikeType(llvm::StringRef text) {
  text = text.ltrim('*');
  if (text.empty() || !llvm::isAlpha(text.front()))
    return false;
  auto [name, alignment] = text.split(':');
  return llvm::all_of(name, llvm::isAlnum) && llvm::all_of(alignment, llvm::isDigit);
}

void reportBadType(llvm::StringRef parameter, llvm::StringRef text, const llvm::Twine &what,
                   diag::Span span, diag::Sink &sink) {
  llvm::StringRef name = text.ltrim('*').split(':').first;
  std::string nearest, all;
  for (const numeric::DTypeFacts &facts : numeric::dtypes) {
    if (facts.number == numeric::NumberKind::None)
      continue;
    all += (all.empty() ? "" : ", ") + std::string(facts.signature);
    if (nearest.empty() && name.edit_distance(facts.signature, true, 2) == 1)
      nearest = std::string(name.data() - text.data(), '*') + std::string(facts.signature);
  }
  auto report =
      sink.report(Kind::BadArgumentValue, span, parameter, ("`" + text + "` " + what).str());
  if (!nearest.empty())
    std::move(report).hint("did you mean `{0}`?", nearest);
  std::move(report).hint("types are {0}; `*` in front makes a pointer, `:16` behind says that it "
                         "is divisible by 16",
                         all);
}

namespace {

/// Whether `name` stands in `text` as a word of its own.
bool mentions(llvm::StringRef text, llvm::StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end])))
      return true;
  }
  return false;
}

/// Device memory is aligned to this much; tensors on the host are too.
constexpr uint64_t allocationAlignment = 256;

/// Binds the arguments of one kernel.
class Binder {
public:
  Binder(host::HostScope &scope, const sema::Function &kernel, diag::Sink &sink)
      : scope(scope), kernel(kernel), sink(sink), specs(kernel.parameters.size()) {}

  bool knowsNames(llvm::ArrayRef<ArgumentText> arguments, llvm::ArrayRef<std::string> laterTexts) {
    bool fine = true;
    for (size_t i = 0; i != arguments.size(); ++i) {
      const ArgumentText &argument = arguments[i];
      for (size_t j = 0; j != i; ++j)
        if (arguments[j].name == argument.name) {
          sink.report(Kind::DuplicateValue, argument.nameSpan, argument.name).end();
          fine = false;
          break;
        }
      if (kernel.findParameter(argument.name))
        continue;
      bool helps = llvm::any_of(
          laterTexts, [&](const std::string &text) { return mentions(text, argument.name); });
      for (size_t j = i + 1; j != arguments.size() && !helps; ++j)
        helps = mentions(arguments[j].value, argument.name);
      if (helps)
        continue;
      auto report =
          sink.report(Kind::UnknownParameter, argument.nameSpan, kernel.name, argument.name);
      std::string names;
      for (const Parameter &parameter : kernel.parameters)
        names += (names.empty() ? "" : ", ") + parameter.name.str();
      std::move(report).hint("its parameters are: {0}", names);
      fine = false;
    }
    return fine;
  }

  size_t indexOf(llvm::StringRef name) const {
    size_t i = 0;
    while (i != kernel.parameters.size() && kernel.parameters[i].name != name)
      ++i;
    return i;
  }

  std::nullopt_t bad(const ArgumentText &argument, const llvm::Twine &what) {
    sink.report(Kind::BadArgumentValue, argument.valueSpan, argument.name, what.str()).end();
    return std::nullopt;
  }

  /// What a value becomes as the argument of `parameter`.
  std::optional<ArgSpec> specOf(const Value &value, const Parameter &parameter,
                                const ArgumentText &argument,
                                std::vector<RuntimeArgument> &runtime) {
    if (parameter.isConstexpr || value.isNone())
      return ArgSpec::compileTime(value);
    auto atRunTime = [&](ArgSpec spec) {
      if (spec.kind == ArgSpec::Kind::Runtime)
        runtime.push_back({argument.name, spec.dtype, value});
      return spec;
    };
    switch (value.kind()) {
    case ValueKind::Bool:
      return atRunTime(ArgSpec::specializeBool());
    case ValueKind::Float:
      return atRunTime(ArgSpec::specializeFloat(parameter));
    case ValueKind::Int:
      if (std::optional<int64_t> small = value.asInt64())
        return atRunTime(ArgSpec::specializeInt(*small, parameter));
      if (llvm::APInt wide = value.asApInt(); !wide.isNegative() && wide.getActiveBits() <= 64)
        return atRunTime(ArgSpec::specializeUInt64(wide.getZExtValue(), parameter));
      return bad(argument, value.repr() + " does not fit into 64 bits");
    case ValueKind::Tuple: {
      std::vector<ArgSpec> items;
      for (const Value &item : value.items()) {
        std::optional<ArgSpec> spec = specOf(item, parameter, argument, runtime);
        if (!spec)
          return std::nullopt;
        items.push_back(std::move(*spec));
      }
      return ArgSpec::tuple(std::move(items), value.fieldNames().vec());
    }
    case ValueKind::Function:
      return ArgSpec::compileTime(value);
    default:
      return bad(argument, "a " + sema::kindName(value.kind()) +
                               " can only be given to a constexpr parameter");
    }
  }

  static RuntimeArgument describedArgument(const host::DescribedTensor &value,
                                           const ArgumentText &argument, const ArgSpec &spec) {
    RuntimeArgument made = {argument.name, spec.dtype, value.tensor,
                            launchParameters(spec).visible.front()};
    made.description.rank = static_cast<unsigned>(value.tensor.rank());
    llvm::copy(value.tensor.shape(), made.description.shape.begin());
    llvm::copy(value.tensor.strides(), made.description.strides.begin());
    made.description.nanPadding = value.padsWithNan;
    made.description.roundToTf32 = value.roundsToTf32;
    return made;
  }

  /// One without a layout, of which the target says what it is (describeOn). The rules are those of
  /// Triton's descriptors, on every chip.
  std::optional<ArgSpec> blockedSpecOf(const host::DescribedTensor &value,
                                       const ArgumentText &argument,
                                       std::vector<RuntimeArgument> &runtime) {
    const host::Tensor &tensor = value.tensor;
    constexpr unsigned unit = 16, mostDims = 5;
    const sema::DType dtype = tensor.dtype();
    if (!tensor.rank() || tensor.rank() > mostDims)
      return bad(argument, "a descriptor has 1 to 5 dims");
    if (!llvm::all_of(value.block, [](int64_t size) { return size > 0 && !(size & (size - 1)); }))
      return bad(argument, "the block has other numbers than powers of two");
    if (tensor.strides().back() != 1)
      return bad(argument, "the last dim is not contiguous");
    for (int64_t stride : tensor.strides().drop_back())
      if (stride * int64_t(dtype.byteSize()) % unit)
        return bad(argument, "strides are no multiples of 16 bytes");
    if (tensor.byteOffset() % unit)
      return bad(argument, "the tensor begins at no multiple of 16 bytes");
    if ((value.padsWithNan && !dtype.isFloat()) ||
        (value.roundsToTf32 && dtype != sema::dtypes::float32))
      return bad(argument, "its elements have no NaN to pad with, or no tf32");
    ArgSpec spec = ArgSpec::blockedTensor(
        dtype, std::vector<int64_t>(value.block.begin(), value.block.end()), value.padsWithNan,
        value.roundsToTf32, tensor.shape().back() % unit == 0);
    RuntimeArgument made = describedArgument(value, argument, spec);
    made.blocked = spec;
    runtime.push_back(std::move(made));
    return spec;
  }

  /// What a descriptor becomes, if a copy engine can work with it.
  std::optional<ArgSpec> specOf(const host::DescribedTensor &value, const ArgumentText &argument,
                                std::vector<RuntimeArgument> &runtime) {
    const host::Tensor &tensor = value.tensor;
    if (tensor.rank() != value.block.size())
      return bad(argument, "the tensor has " + llvm::Twine(tensor.rank()) + " dims, the block " +
                               llvm::Twine(value.block.size()));
    if (value.layout.is(ValueKind::None))
      return blockedSpecOf(value, argument, runtime);
    std::string problem, lengths;
    for (int64_t length : value.block)
      lengths += (lengths.empty() ? "" : ", ") + std::to_string(length);
    const std::string text =
        "tensordesc<" + std::string(tensor.dtype().shortName()) + "[" + lengths + "],layout>";
    auto layout = [&](llvm::StringRef) { return std::optional(value.layout); };
    std::optional<ArgSpec> spec = ArgSpec::parseDescriptor(text, layout, problem);
    if (!spec)
      return bad(argument, problem);
    RuntimeArgument made = describedArgument(value, argument, *spec);
    if (llvm::Error failure = runtime::check(made.described, made.descriptionOnHost()))
      return bad(argument, llvm::toString(std::move(failure)));
    runtime.push_back(std::move(made));
    return spec;
  }

  /// Fills what was not given from the defaults in the source.
  bool complete(diag::Span kernelSpan, std::vector<std::vector<RuntimeArgument>> &runtime) {
    bool fine = true;
    for (size_t i = 0; i != specs.size(); ++i) {
      const Parameter &parameter = kernel.parameters[i];
      if (specs[i])
        continue;
      if (parameter.kind == sema::ParameterKind::Variadic ||
          parameter.kind == sema::ParameterKind::KeywordVariadic) {
        specs[i] = ArgSpec::tuple({});
        continue;
      }
      if (!parameter.hasDefault()) {
        sink.report(Kind::MissingValue, kernelSpan, kernel.name, parameter.name)
            .label(parameter.span, "declared here");
        fine = false;
        continue;
      }
      diag::Span text = parameter.defaultValue ? parameter.defaultValue->span : parameter.span;
      ArgumentText argument{parameter.name.str(), "", parameter.span, text};
      std::optional<Value> value = parameter.constant;
      if (!parameter.constant)
        value = sema::evaluate(scope.program, scope.module, llvm::StringRef(text.text()), {},
                               "<default of " + parameter.name.str() + ">", sink);
      std::optional<ArgSpec> spec;
      if (value)
        spec = specOf(*value, parameter, argument, runtime[i]);
      fine &= spec.has_value();
      specs[i] = spec;
    }
    return fine;
  }

  KernelArguments finish(std::vector<std::vector<RuntimeArgument>> runtime) {
    KernelArguments result;
    for (std::optional<ArgSpec> &spec : specs)
      result.specs.push_back(std::move(*spec));
    for (std::vector<RuntimeArgument> &some : runtime)
      llvm::append_range(result.runtime, some);
    return result;
  }

  host::HostScope &scope;
  const sema::Function &kernel;
  diag::Sink &sink;
  std::vector<std::optional<ArgSpec>> specs;
};

} // namespace

TensorDescription RuntimeArgument::descriptionOnHost() const {
  TensorDescription made = description;
  made.base = reinterpret_cast<uintptr_t>(std::get<host::Tensor>(value).data());
  return made;
}

std::optional<KernelArguments> bindValues(host::HostScope &scope, const sema::Function &kernel,
                                          llvm::ArrayRef<ArgumentText> arguments,
                                          llvm::ArrayRef<std::string> laterTexts,
                                          diag::Span kernelSpan, diag::Sink &sink) {
  Binder binder(scope, kernel, sink);
  if (!binder.knowsNames(arguments, laterTexts))
    return std::nullopt;
  std::vector<std::vector<RuntimeArgument>> runtime(kernel.parameters.size());
  bool fine = true;
  for (const ArgumentText &argument : arguments) {
    std::optional<std::variant<Value, host::Array, host::DescribedTensor>> value =
        evaluateArgument(scope, argument.value, "<" + argument.name + ">", sink);
    if (!value) {
      fine = false;
      continue;
    }
    size_t at = binder.indexOf(argument.name);
    if (auto *described = std::get_if<host::DescribedTensor>(&*value)) {
      if (at == kernel.parameters.size())
        binder.bad(argument, "a descriptor is for a parameter of the kernel");
      else
        binder.specs[at] = binder.specOf(*described, argument, runtime[at]);
      fine &= at != kernel.parameters.size() && binder.specs[at].has_value();
      continue;
    }
    host::Array *array = std::get_if<host::Array>(&*value);
    // A computed array becomes a tensor of the dtype that it stands for.
    if (array && array->tensor.dtype() != array->dtype) {
      llvm::Expected<host::Tensor> tensor = convert(*array, array->dtype);
      if (!tensor) {
        binder.bad(argument, llvm::toString(tensor.takeError()));
        fine = false;
        continue;
      }
      *array = host::Array::of(std::move(*tensor));
    }
    scope.bind(argument.name, array ? host::HostValue(*array) : std::get<Value>(*value));
    if (at == kernel.parameters.size())
      continue;
    const Parameter &parameter = kernel.parameters[at];
    if (!array) {
      binder.specs[at] = binder.specOf(std::get<Value>(*value), parameter, argument, runtime[at]);
    } else if (parameter.isConstexpr) {
      binder.bad(argument, "this parameter is a constexpr; a tensor has no compile-time value");
    } else {
      binder.specs[at] = ArgSpec::specializePointer(
          array->dtype, allocationAlignment + array->tensor.byteOffset(), parameter);
      runtime[at].push_back({argument.name, binder.specs[at]->dtype, array->tensor});
    }
    fine &= binder.specs[at].has_value();
  }
  // Missing values are worth telling even where others are wrong, unless they failed themselves.
  if (!fine || !binder.complete(kernelSpan, runtime))
    return std::nullopt;
  return binder.finish(std::move(runtime));
}

std::optional<KernelArguments> bindTypes(host::HostScope &scope, const sema::Function &kernel,
                                         llvm::ArrayRef<ArgumentText> arguments,
                                         diag::Span kernelSpan, diag::Sink &sink) {
  Binder binder(scope, kernel, sink);
  if (!binder.knowsNames(arguments, {}))
    return std::nullopt;
  std::vector<std::vector<RuntimeArgument>> ignored(kernel.parameters.size());
  bool fine = true;
  for (const ArgumentText &argument : arguments) {
    size_t at = binder.indexOf(argument.name);
    bool isParameter = at != kernel.parameters.size();
    if (isParameter && !kernel.parameters[at].isConstexpr) {
      llvm::StringRef text = llvm::StringRef(argument.value).trim(" '\"");
      if (std::optional<ArgSpec> spec = ArgSpec::parse(text)) {
        binder.specs[at] = std::move(spec);
        continue;
      }
      if (text.starts_with("tensordesc")) {
        std::string problem;
        binder.specs[at] = ArgSpec::parseDescriptor(
            text,
            [&](llvm::StringRef layout) -> std::optional<Value> {
              std::optional<host::HostValue> value =
                  evaluate(scope, layout, "<" + argument.name + ">", sink);
              Value *plain = value ? std::get_if<Value>(&*value) : nullptr;
              return plain ? std::optional(*plain) : std::nullopt;
            },
            problem);
        if (!problem.empty())
          binder.bad(argument, problem);
        fine &= binder.specs[at].has_value();
        continue;
      }
    }
    diag::Collector heard;
    std::optional<host::HostValue> value =
        evaluate(scope, argument.value, "<" + argument.name + ">", heard);
    if (!value && isParameter && !kernel.parameters[at].isConstexpr &&
        looksLikeType(argument.value)) {
      reportBadType(argument.name, argument.value, "is neither a type nor a value",
                    argument.valueSpan, sink);
      fine = false;
      continue;
    }
    for (diag::Diagnostic &diagnostic : heard.diagnostics)
      sink.submit(std::move(diagnostic));
    if (!value) {
      fine = false;
      continue;
    }
    scope.bind(argument.name, *value);
    if (!isParameter)
      continue;
    if (const Value *plain = std::get_if<Value>(&*value))
      binder.specs[at] = binder.specOf(*plain, kernel.parameters[at], argument, ignored[at]);
    else
      binder.bad(argument, "give the type of a tensor here, such as *fp32:16");
    fine &= binder.specs[at].has_value();
  }
  if (!fine || !binder.complete(kernelSpan, ignored))
    return std::nullopt;
  return binder.finish({});
}

uint64_t scalarBits(const RuntimeArgument &argument) {
  const Value &value = std::get<Value>(argument.value);
  uint64_t bits = 0;
  if (argument.dtype.isFloat())
    host::encodeElement(argument.dtype, value.asDouble(), &bits);
  else
    bits = value.asApInt().sextOrTrunc(64).getZExtValue();
  return bits;
}

std::optional<std::array<uint32_t, 3>> evaluateGrid(host::HostScope &scope, llvm::StringRef text,
                                                    diag::Span span, diag::Sink &sink) {
  std::optional<host::HostValue> value = evaluate(scope, text, "<grid>", sink);
  if (!value)
    return std::nullopt;
  const Value *plain = std::get_if<Value>(&*value);
  std::array<uint32_t, 3> grid = {1, 1, 1};
  auto store = [&](size_t axis, const Value &size) {
    std::optional<int64_t> count = size.is(ValueKind::Int) ? size.asInt64() : std::nullopt;
    int64_t most = axis == 0 ? target::maxGridX : target::maxGridYZ;
    if (!count || *count < 0 || *count > most)
      return false;
    grid[axis] = static_cast<uint32_t>(*count);
    return true;
  };
  bool fine = false;
  if (plain && (plain->is(ValueKind::Tuple) || plain->is(ValueKind::List))) {
    llvm::ArrayRef<Value> items = plain->items();
    fine = !items.empty() && items.size() <= 3;
    for (size_t i = 0; fine && i != items.size(); ++i)
      fine = store(i, items[i]);
  } else if (plain) {
    fine = store(0, *plain);
  }
  if (fine)
    return grid;
  sink.report(Kind::BadGrid, span, plain ? plain->repr() : "a tensor").end();
  return std::nullopt;
}

bool describeOn(KernelArguments &arguments, const target::Target &target, unsigned ctas,
                diag::Sink &sink) {
  for (RuntimeArgument &argument : arguments.runtime) {
    if (!argument.blocked)
      continue;
    argument.described = launchParameters(argument.blocked->on(target, ctas)).visible.front();
    if (llvm::Error failure = runtime::check(argument.described, argument.descriptionOnHost())) {
      sink.report(Kind::BadArgumentValue, {}, argument.name, llvm::toString(std::move(failure)))
          .end();
      return false;
    }
  }
  return true;
}

} // namespace gluonc::driver
