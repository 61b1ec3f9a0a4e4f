#include "bundle/Bundle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace gluonc::bundle {

using namespace format;

static llvm::Error refuse(const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "no valid bundle: " + why);
}

static Digest digestOf(llvm::StringRef bytes) {
  return llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
}

llvm::StringRef nameOf(CodeKind kind) {
  static constexpr llvm::StringLiteral names[] = {"cubin", "ptx", "hsaco"};
  return names[static_cast<uint32_t>(kind)];
}

std::optional<CodeKind> parseCodeKind(llvm::StringRef name) {
  for (CodeKind kind : {CodeKind::Cubin, CodeKind::Ptx, CodeKind::Hsaco})
    if (name == nameOf(kind))
      return kind;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Header and index
//===----------------------------------------------------------------------===//

static llvm::Error checkHeader(const Header &header, uint64_t size) {
  if (header.magic != magic)
    return refuse("it does not begin as one");
  if (header.version != version)
    return refuse("it is of version " + llvm::Twine(header.version) + " of the format, not " +
                  llvm::Twine(version));
  if (header.headerBytes != sizeof(Header))
    return refuse("its header is damaged");
  if (header.fileBytes != size)
    return refuse("it has " + llvm::Twine(size) + " bytes and should have " +
                  llvm::Twine(header.fileBytes));
  if (header.indexBytes > size - sizeof(Header) || header.indexBytes % 8 ||
      header.indexBytes < sizeof(Directory))
    return refuse("its index does not fit into it");
  return llvm::Error::success();
}

llvm::Expected<Bundle> Bundle::open(llvm::StringRef bytes) {
  if (bytes.size() < sizeof(Header))
    return refuse("it is shorter than a header");
  const auto &header = *reinterpret_cast<const Header *>(bytes.data());
  if (llvm::Error error = checkHeader(header, bytes.size()))
    return std::move(error);
  llvm::StringRef index = bytes.substr(sizeof(Header), header.indexBytes);
  if (digestOf(index) != header.digest)
    return refuse("its index is damaged");
  Bundle bundle;
  bundle.whole = bytes;
  if (llvm::Error error = bundle.readTables(index))
    return std::move(error);
  if (llvm::Error error = bundle.checkPieces(sizeof(Header) + header.indexBytes))
    return std::move(error);
  if (llvm::Error error = bundle.checkKernels())
    return std::move(error);
  return bundle;
}

/// Tables lie one behind the other, from `next` on, in bytes.
template <typename Record>
llvm::Error Bundle::readTable(Range range, llvm::ArrayRef<Record> &table, llvm::StringRef index,
                              uint64_t &next) {
  uint64_t bytes = uint64_t(range.count) * sizeof(Record);
  if (range.first != next || bytes > index.size() - next)
    return refuse("a table of its index lies elsewhere");
  table = {reinterpret_cast<const Record *>(index.data() + next), range.count};
  next += bytes;
  return llvm::Error::success();
}

llvm::Error Bundle::readTables(llvm::StringRef index) {
  const auto &directory = *reinterpret_cast<const Directory *>(index.data());
  uint64_t next = sizeof(Directory);
  llvm::ArrayRef<char> characters;
  auto inOrder = [&](auto &&...reads) {
    llvm::Error error = llvm::Error::success();
    (void)((!(error = reads()) && ...));
    return error;
  };
  auto table = [&](Range range, auto &records) {
    return [&, range] { return readTable(range, records, index, next); };
  };
  // By alignment: those of eight bytes first.
  if (llvm::Error error = inOrder(
          table(directory.pieces, pieceRecords), table(directory.conditions, conditionRecords),
          table(directory.kernels, kernelRecords), table(directory.parameters, parameterRecords),
          table(directory.variants, variantRecords), table(directory.constants, constantRecords),
          table(directory.arguments, argumentRecords), table(directory.texts, characters)))
    return error;
  texts = {characters.data(), characters.size()};
  if (next != index.size())
    return refuse("its index is longer than its tables");
  if (texts.empty() || texts.back() != '\0')
    return refuse("its texts have no end");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// What records say
//===----------------------------------------------------------------------===//

template <typename Record> static bool isInside(Range range, llvm::ArrayRef<Record> table) {
  return range.first <= table.size() && range.count <= table.size() - range.first;
}

static bool areZero(llvm::ArrayRef<uint8_t> bytes) {
  return llvm::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

llvm::Error Bundle::checkTexts(llvm::ArrayRef<Text> list) const {
  for (Text text : list) {
    if (text.first >= texts.size() || text.count >= texts.size() - text.first ||
        texts[text.first + text.count] != '\0' || this->text(text).contains('\0'))
      return refuse("a text of its index has no end");
  }
  return llvm::Error::success();
}

static bool isValid(const Parameter &parameter) {
  bool isNumber =
      parameter.kind == ParameterKind::Signed || parameter.kind == ParameterKind::Unsigned;
  bool hasBits = parameter.bits >= 1 && parameter.bits <= 64;
  bool hasRank = parameter.rank >= 1 && parameter.rank <= maxRank;
  return parameter.kind <= ParameterKind::Choice && (isNumber ? hasBits : parameter.bits == 0) &&
         (parameter.kind == ParameterKind::Tensor ? hasRank : parameter.rank == 0) &&
         areZero(parameter.zero);
}

static bool isValid(const Condition &condition, llvm::ArrayRef<Parameter> parameters) {
  if (condition.parameter >= parameters.size() || condition.field > Field::Stride ||
      condition.op > Operator::Multiple || !areZero(condition.zero))
    return false;
  const Parameter &parameter = parameters[condition.parameter];
  if (condition.op == Operator::Multiple && condition.operand <= 0)
    return false;
  if (condition.field == Field::Value)
    return condition.dim == 0 && parameter.kind != ParameterKind::Opaque &&
           parameter.kind != ParameterKind::Tensor;
  return condition.dim < parameter.rank;
}

static bool isValid(const Argument &argument, llvm::ArrayRef<Parameter> parameters) {
  if (argument.parameter >= parameters.size() || argument.kind > ArgumentKind::Expanded ||
      argument.isIm2Col > 1 || !areZero(argument.zero))
    return false;
  const Parameter &parameter = parameters[argument.parameter];
  bool isTensor = parameter.kind == ParameterKind::Tensor;
  if (argument.rank != parameter.rank || isTensor != (argument.kind != ArgumentKind::Slot) ||
      parameter.kind == ParameterKind::Choice)
    return false;
  bool isDescribed = argument.kind == ArgumentKind::Box || argument.kind == ArgumentKind::Words;
  if (isDescribed ? argument.elementBytes < 1 || argument.elementBytes > 16
                  : argument.elementBytes != 0)
    return false;
  // CUtensorMapDataType has values up to 15.
  return argument.type <= 15 && (!argument.isIm2Col || argument.rank >= 3);
}

llvm::Error Bundle::checkVariant(const Variant &variant,
                                 llvm::ArrayRef<Parameter> parameters) const {
  if (!isInside(variant.conditions, conditionRecords) ||
      !isInside(variant.arguments, argumentRecords) ||
      !isInside(variant.constants, constantRecords) || variant.piece >= pieceRecords.size())
    return refuse("a variant refers to what is not there");
  if (llvm::Error error = checkTexts({variant.target, variant.symbol}))
    return error;
  for (const Constant &constant : constants(variant))
    if (llvm::Error error = checkTexts({constant.name, constant.value}))
      return error;
  bool fits = llvm::all_of(conditions(variant), [&](auto &c) { return isValid(c, parameters); }) &&
              llvm::all_of(arguments(variant), [&](auto &a) { return isValid(a, parameters); });
  if (!fits)
    return refuse("a variant asks for what its kernel has not");
  if (variant.threads < 1 || variant.threads > 1024 || variant.ctas < 1 || variant.ctas > 16 ||
      variant.flags > (cooperative | programmaticDependent))
    return refuse("a variant is launched as no kernel is");
  return llvm::Error::success();
}

llvm::Error Bundle::checkKernels() const {
  for (const Kernel &kernel : kernelRecords) {
    if (!isInside(kernel.parameters, parameterRecords) ||
        !isInside(kernel.variants, variantRecords))
      return refuse("a kernel refers to what is not there");
    if (llvm::Error error = checkTexts(kernel.name))
      return error;
    for (const Parameter &parameter : parameters(kernel)) {
      if (llvm::Error error = checkTexts({parameter.name, parameter.type}))
        return error;
      if (!isValid(parameter))
        return refuse("a kernel has a parameter of no kind");
    }
    for (const Variant &variant : variants(kernel))
      if (llvm::Error error = checkVariant(variant, parameters(kernel)))
        return error;
  }
  for (size_t i = 1; i < kernelRecords.size(); ++i)
    if (text(kernelRecords[i - 1].name) >= text(kernelRecords[i].name))
      return refuse("its kernels are not sorted by name");
  return llvm::Error::success();
}

/// They fill the file from `begin` on, in their order.
llvm::Error Bundle::checkPieces(uint64_t begin) const {
  uint64_t next = begin;
  for (const Piece &piece : pieceRecords) {
    if (piece.offset != next || piece.bytes == 0 || piece.bytes > whole.size() - next ||
        piece.kind > CodeKind::Hsaco || piece.zero)
      return refuse("a piece of machine code lies outside of it");
    next = endOf(piece);
    if (next > whole.size())
      return refuse("a piece of machine code lies outside of it");
  }
  return next == whole.size() ? llvm::Error::success()
                              : refuse("something follows its machine code");
}

//===----------------------------------------------------------------------===//
// What it is asked
//===----------------------------------------------------------------------===//

std::string Bundle::digest() const {
  return llvm::toHex(reinterpret_cast<const Header *>(whole.data())->digest, /*LowerCase=*/true);
}

const Kernel *Bundle::find(llvm::StringRef name) const {
  const Kernel *at = llvm::partition_point(
      kernelRecords, [&](const Kernel &kernel) { return text(kernel.name) < name; });
  return at != kernelRecords.end() && text(at->name) == name ? at : nullptr;
}

uint64_t Bundle::endOf(const Piece &piece) const {
  return piece.offset + (piece.bytes + alignment - 1) / alignment * alignment;
}

llvm::Expected<llvm::StringRef> Bundle::code(const Piece &piece) const {
  llvm::StringRef padded = whole.slice(piece.offset, endOf(piece));
  if (digestOf(padded) != piece.digest)
    return refuse("machine code at byte " + llvm::Twine(piece.offset) + " is damaged");
  return padded.take_front(piece.bytes);
}

} // namespace gluonc::bundle
