#include "sema/value/ArgSpec.h"

#include "layout/plan/TensorBlock.h"
#include "target/Features.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::sema {

ArgSpec ArgSpec::pointer(DType element, bool divisibleBy16, bool isConst) {
  return scalar(DType::pointer(element, isConst), divisibleBy16);
}

ArgSpec ArgSpec::scalar(DType dtype, bool divisibleBy16) {
  ArgSpec spec;
  spec.dtype = dtype;
  spec.divisibleBy16 = divisibleBy16;
  return spec;
}

ArgSpec ArgSpec::compileTime(Value value) {
  ArgSpec spec;
  spec.kind = Kind::Constant;
  spec.constant = std::move(value);
  return spec;
}

ArgSpec ArgSpec::tuple(std::vector<ArgSpec> items, std::vector<std::string> names) {
  ArgSpec spec;
  spec.kind = Kind::Tuple;
  spec.items = std::move(items);
  spec.names = std::move(names);
  return spec;
}

ArgSpec ArgSpec::im2colDescriptor(DType element, std::vector<int64_t> blockShape, unsigned rank,
                                  Value layout) {
  ArgSpec spec;
  spec.kind = Kind::Descriptor;
  spec.dtype = element;
  spec.blockShape = std::move(blockShape);
  spec.constant = std::move(layout);
  spec.isIm2Col = true;
  spec.items.assign(rank, scalar(dtypes::int32));
  spec.items.insert(spec.items.end(), rank, scalar(dtypes::int64));
  return spec;
}

ArgSpec ArgSpec::descriptor(DType element, std::vector<int64_t> blockShape, Value layout) {
  auto rank = static_cast<unsigned>(blockShape.size());
  ArgSpec spec = im2colDescriptor(element, std::move(blockShape), rank, std::move(layout));
  spec.isIm2Col = false;
  return spec;
}

ArgSpec ArgSpec::blockedTensor(DType element, std::vector<int64_t> blockShape, bool padsWithNan,
                               bool roundsToTf32, bool isAligned) {
  ArgSpec spec;
  spec.kind = Kind::BlockedTensor;
  spec.dtype = element;
  spec.constant = Value::string(padsWithNan ? "nan" : "zero");
  spec.roundsToTf32 = roundsToTf32;
  spec.items.push_back(pointer(element));
  spec.items.insert(spec.items.end(), blockShape.size(), scalar(dtypes::int32));
  spec.items.back().divisibleBy16 = spec.divisibleBy16 = isAligned;
  spec.items.insert(spec.items.end(), blockShape.size() - 1, scalar(dtypes::int64));
  spec.blockShape = std::move(blockShape);
  return spec;
}

std::optional<layout::Layout> boxLayout(DType element, llvm::ArrayRef<int64_t> block,
                                        const target::Target &target, unsigned ctas) {
  if (!target::has(target, target::Feature::TensorCopies) || element.isPointer() ||
      element.isVoid() || element.isBool())
    return std::nullopt;
  layout::TensorBlock box;
  box.shape.assign(block.begin(), block.end());
  box.elementBits = element.bitWidth();
  box.isFloat = element.isFloat();
  if (!llvm::all_of(block, layout::isPowerOf2))
    return std::nullopt;
  box.layout = layout::NVMMASharedLayout::defaultFor(
      block, box.elementBits, /*transposed=*/false, /*fp4Padded=*/false,
      layout::sharesOfBox(block, box.elementBits, ctas));
  if (!layout::whyNoBlock(box).empty())
    return std::nullopt;
  return layout::Layout(box.layout);
}

ArgSpec ArgSpec::on(const target::Target &target, unsigned ctas) const {
  ArgSpec spec = *this;
  if (kind == Kind::BlockedTensor) {
    if (std::optional<layout::Layout> layout = boxLayout(dtype, blockShape, target, ctas))
      spec.items = {descriptor(dtype, blockShape, Value::layout(std::move(*layout)))};
    return spec;
  }
  spec.items = onTarget(items, target, ctas);
  return spec;
}

std::vector<ArgSpec> onTarget(llvm::ArrayRef<ArgSpec> arguments, const target::Target &target,
                              unsigned ctas) {
  std::vector<ArgSpec> result;
  for (const ArgSpec &argument : arguments)
    result.push_back(argument.on(target, ctas));
  return result;
}

std::optional<ArgSpec> ArgSpec::parse(llvm::StringRef text) {
  text = text.trim();
  bool divisible = text.consume_back(":16");
  std::optional<DType> dtype = DType::parse(text);
  if (!dtype || dtype->isVoid() || (divisible && !dtype->isPointer() && !dtype->isInt()))
    return std::nullopt;
  return scalar(*dtype, divisible);
}

std::optional<ArgSpec>
ArgSpec::parseDescriptor(llvm::StringRef text,
                         llvm::function_ref<std::optional<Value>(llvm::StringRef)> layoutOf,
                         std::string &problem) {
  auto bad = [&](const llvm::Twine &what) {
    problem = what.str();
    return std::nullopt;
  };
  llvm::StringRef rest = text;
  bool isIm2Col = rest.consume_front("tensordesc_im2col<");
  if ((!isIm2Col && !rest.consume_front("tensordesc<")) || !rest.consume_back(">"))
    return bad("`" + text + "` is no descriptor type");
  auto [element, behind] = rest.split('[');
  bool isPlain = behind.consume_back("]");
  llvm::StringRef block, layoutText;
  std::tie(block, layoutText) = behind.split("],");
  bool padsWithNan = false, rounds = false, isAligned = false;
  if (!isPlain && !isIm2Col) {
    llvm::SmallVector<llvm::StringRef> words;
    layoutText.split(words, ',');
    isPlain = llvm::all_of(words, [&](llvm::StringRef word) {
      bool &flag = word == "nan" ? padsWithNan : word == "tf32" ? rounds : isAligned;
      return flag = true, word == "nan" || word == "tf32" || word == "aligned";
    });
  }
  std::optional<DType> dtype = DType::parse(element);
  std::vector<int64_t> blockShape;
  for (llvm::StringRef length : llvm::split(block, ',')) {
    int64_t value;
    if (length.trim().getAsInteger(10, value) || value <= 0)
      return bad("`" + text + "` is no descriptor type: its block is not a list of lengths");
    blockShape.push_back(value);
  }
  unsigned rank = blockShape.size();
  if (isIm2Col && (!layoutText.consume_front("input_rank=") ||
                   layoutText.consumeInteger(10, rank) || !layoutText.consume_front(",")))
    return bad("`" + text + "` does not tell its input_rank");
  // The copy engine counts to five.
  if (!dtype || rank == 0 || rank > 5)
    return bad("`" + text + "` is no descriptor type: its dims are 1 to 5");
  if (isPlain && !isIm2Col) {
    if ((padsWithNan && !dtype->isFloat()) || (rounds && *dtype != dtypes::float32))
      return bad("`" + text + "` is no descriptor type: its elements have no NaN, or no tf32");
    return blockedTensor(*dtype, std::move(blockShape), padsWithNan, rounds, isAligned);
  }
  std::optional<Value> layout = layoutOf(layoutText);
  if (!layout)
    return std::nullopt;
  if (!layout->is(ValueKind::Layout))
    return bad("`" + layoutText + "` is no layout");
  return isIm2Col ? im2colDescriptor(*dtype, std::move(blockShape), rank, *layout)
                  : descriptor(*dtype, std::move(blockShape), *layout);
}

/// What is the same for every integer that reaches a parameter as a run-time value.
static ArgSpec runtimeInt(DType natural, bool divisible, const Parameter &parameter) {
  DType dtype = parameter.annotatedType.value_or(natural);
  bool keepsKey =
      dtype.isInt() && !dtype.isBool() && !parameter.noSpecialize && !parameter.noAlignment;
  return ArgSpec::scalar(dtype, divisible && keepsKey);
}

ArgSpec ArgSpec::specializeInt(int64_t value, const Parameter &parameter) {
  if (parameter.isConstexpr)
    return compileTime(Value::integer(value));
  // A type annotation fixes the type, so the value 1 stays a run-time argument.
  if (value == 1 && !parameter.noSpecialize && !parameter.annotatedType)
    return compileTime(Value::integer(1));
  DType natural = value == int32_t(value) ? dtypes::int32 : dtypes::int64;
  return runtimeInt(natural, value % 16 == 0, parameter);
}

ArgSpec ArgSpec::specializeUInt64(uint64_t value, const Parameter &parameter) {
  if (value <= uint64_t(INT64_MAX))
    return specializeInt(int64_t(value), parameter);
  if (parameter.isConstexpr)
    return compileTime(Value::integer(llvm::APInt(65, value)));
  return runtimeInt(dtypes::uint64, value % 16 == 0, parameter);
}

ArgSpec ArgSpec::specializeFloat(const Parameter &parameter) {
  return scalar(parameter.annotatedType.value_or(dtypes::float32));
}

ArgSpec ArgSpec::specializeBool() { return scalar(dtypes::int1); }

ArgSpec ArgSpec::specializePointer(DType element, uint64_t address, const Parameter &parameter) {
  bool isConst = parameter.annotatedType && parameter.annotatedType->isConstPointer();
  bool keepsKey = !parameter.noSpecialize && !parameter.noAlignment;
  return pointer(element, keepsKey && address % 16 == 0, isConst);
}

void ArgSpec::flatten(std::vector<const ArgSpec *> &out) const {
  if (kind != Kind::Constant && kind != Kind::Tuple)
    out.push_back(this);
  for (const ArgSpec &item : items)
    item.flatten(out);
}

static std::string descriptorText(const ArgSpec &spec) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << (spec.isIm2Col ? "tensordesc_im2col<" : "tensordesc<") << spec.dtype.shortName() << '[';
  llvm::interleaveComma(spec.blockShape, out);
  out << ']';
  if (spec.isIm2Col)
    out << ",input_rank=" << spec.rank();
  out << ',' << spec.constant << '>';
  return text;
}

static std::string blockedText(const ArgSpec &spec) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "tensordesc<" << spec.dtype.shortName() << '[';
  llvm::interleaveComma(spec.blockShape, out);
  out << ']' << (spec.constant.asString() == "nan" ? ",nan" : "")
      << (spec.roundsToTf32 ? ",tf32" : "") << (spec.divisibleBy16 ? ",aligned" : "") << '>';
  return text;
}

std::string ArgSpec::text() const {
  switch (kind) {
  case Kind::Runtime:
    return dtype.shortName() + (divisibleBy16 ? ":16" : "");
  case Kind::Constant:
    return "constexpr(" + constant.repr() + ")";
  case Kind::Descriptor:
    return descriptorText(*this);
  case Kind::BlockedTensor:
    return blockedText(*this);
  case Kind::Tuple:
    break;
  }
  std::string result = "(";
  for (size_t i = 0; i != items.size(); ++i) {
    result += i ? ", " : "";
    // Field names are part of what a kernel may ask for.
    if (!names.empty())
      result += names[i] + "=";
    result += items[i].text();
  }
  return result + ")";
}

} // namespace gluonc::sema
