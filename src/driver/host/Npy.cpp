#include "driver/host/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace gluonc::driver {

using sema::DType;
using sema::ScalarKind;

static constexpr llvm::StringLiteral magic("\x93NUMPY");

static llvm::Error bad(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

namespace {

/// What the header's dict says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  Shape shape;
};

/// Reads the Python dict literal of a header, which numpy writes in one fixed form; spaces,
/// quotes and the order of keys may differ.
struct HeaderReader {
  llvm::StringRef rest;

  void skipSpace() { rest = rest.ltrim(" \n\t"); }
  bool take(char c) {
    skipSpace();
    return rest.consume_front(llvm::StringRef(&c, 1));
  }
  std::optional<std::string> string() {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    std::string text = rest.substr(1, end - 1).str();
    rest = rest.drop_front(end + 1);
    return text;
  }
  bool shape(Shape &dims) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      int64_t dim = 0;
      if (rest.consumeInteger(10, dim))
        return false;
      rest.consume_front("L");
      dims.push_back(dim);
      if (!take(',') && !(skipSpace(), rest.starts_with(")")))
        return false;
    }
    return true;
  }
  bool entry(Header &header, unsigned &seen) {
    std::optional<std::string> key = string();
    if (!key || !take(':'))
      return false;
    skipSpace();
    if (*key == "descr") {
      std::optional<std::string> text = string();
      header.descr = text.value_or("a structured type");
      ++seen;
      return text.has_value();
    }
    if (*key == "fortran_order") {
      ++seen;
      header.fortranOrder = rest.consume_front("True");
      return header.fortranOrder || rest.consume_front("False");
    }
    if (*key == "shape") {
      ++seen;
      return shape(header.shape);
    }
    return false;
  }
  std::optional<Header> read() {
    Header header;
    unsigned seen = 0;
    if (!take('{'))
      return std::nullopt;
    while (!take('}')) {
      if (!entry(header, seen))
        return std::nullopt;
      if (!take(',') && !(skipSpace(), rest.starts_with("}")))
        return std::nullopt;
    }
    return seen == 3 ? std::optional(header) : std::nullopt;
  }
};

struct Descriptor {
  llvm::StringLiteral text;
  ScalarKind kind;
};
constexpr Descriptor descriptors[] = {
    {"|b1", ScalarKind::Int1},    {"|i1", ScalarKind::Int8},    {"|u1", ScalarKind::UInt8},
    {"<i2", ScalarKind::Int16},   {"<u2", ScalarKind::UInt16},  {"<i4", ScalarKind::Int32},
    {"<u4", ScalarKind::UInt32},  {"<i8", ScalarKind::Int64},   {"<u8", ScalarKind::UInt64},
    {"<f2", ScalarKind::Float16}, {"<f4", ScalarKind::Float32}, {"<f8", ScalarKind::Float64},
};

} // namespace

static std::string descriptorOf(DType dtype) {
  for (const Descriptor &entry : descriptors)
    if (entry.kind == dtype.scalarKind())
      return entry.text.str();
  return dtype.byteSize() == 2 ? "<V2" : "|V1";
}

/// The dtype of a file's elements, given what the caller wants.
static llvm::Expected<DType> elementType(llvm::StringRef descr, DType wanted) {
  for (const Descriptor &entry : descriptors) {
    if (entry.text != descr)
      continue;
    DType found(entry.kind);
    if (wanted.isVoid() || wanted == found)
      return found;
    // Raw storage of formats that NumPy does not have.
    bool raw = found.isUnsignedInt() && !found.isBool() && found.bitWidth() == wanted.bitWidth() &&
               descriptorOf(wanted).find('V') != std::string::npos;
    if (raw)
      return wanted;
    return bad("its elements are " + found.shortName() + ", not " + wanted.shortName());
  }
  if (descr == "<V2" || descr == "|V2" || descr == "|V1" || descr == "<V1") {
    unsigned bytes = descr.back() - '0';
    if (wanted.isVoid())
      return bad("its elements are raw; say what they are, e.g. npy(\"…\", " +
                 llvm::StringRef(bytes == 2 ? "bf16" : "fp8e5") + ")");
    if (wanted.byteSize() != bytes)
      return bad("its elements have " + llvm::Twine(bytes) + " bytes, those of " +
                 wanted.shortName() + " have " + llvm::Twine(wanted.byteSize()));
    return wanted;
  }
  if (descr.starts_with(">"))
    return bad("its elements are big-endian (" + descr + ")");
  return bad("elements of type '" + descr + "' are not supported");
}

llvm::Expected<Tensor> parseNpy(llvm::StringRef bytes, DType wanted) {
  if (!bytes.consume_front(magic))
    return bad("it is not an .npy file");
  if (bytes.size() < 2)
    return bad("it ends inside the header");
  unsigned major = static_cast<unsigned char>(bytes[0]);
  bytes = bytes.drop_front(2);
  if (major < 1 || major > 3)
    return bad("format version " + llvm::Twine(major) + " is not supported");
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < lengthBytes)
    return bad("it ends inside the header");
  uint32_t length = 0;
  std::memcpy(&length, bytes.data(), lengthBytes);
  bytes = bytes.drop_front(lengthBytes);
  if (bytes.size() < length)
    return bad("it ends inside the header");
  std::optional<Header> header = HeaderReader{bytes.take_front(length)}.read();
  if (!header)
    return bad("its header is damaged, or its elements are structured");
  llvm::Expected<DType> dtype = elementType(header->descr, wanted);
  if (!dtype)
    return dtype.takeError();
  bytes = bytes.drop_front(length);
  std::optional<int64_t> count = elementCount(header->shape);
  if (!count)
    return bad("its shape " + shapeText(header->shape) + " makes no sense");
  uint64_t needed = static_cast<uint64_t>(*count) * dtype->byteSize();
  // Checked before allocating: a damaged header must not ask for a terabyte.
  if (bytes.size() < needed)
    return bad("it holds " + llvm::Twine(bytes.size()) + " bytes of elements; its shape " +
               shapeText(header->shape) + " needs " + llvm::Twine(needed));
  Shape stored = header->shape;
  if (header->fortranOrder)
    std::reverse(stored.begin(), stored.end());
  llvm::Expected<Tensor> tensor = Tensor::create(*dtype, stored);
  if (!tensor)
    return tensor.takeError();
  std::memcpy(tensor->data(), bytes.data(), needed);
  return header->fortranOrder ? tensor->transposed() : std::move(*tensor);
}

llvm::Expected<Tensor> readNpy(llvm::StringRef path, DType wanted) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return bad(file.getError().message());
  return parseNpy((*file)->getBuffer(), wanted);
}

std::string formatNpy(const Tensor &tensor) {
  std::string dict = "{'descr': '" + descriptorOf(tensor.dtype()) +
                     "', 'fortran_order': False, 'shape': " + shapeText(tensor.shape()) + ", }";
  // Elements start at a multiple of 64 bytes; the header ends in a newline.
  size_t before = magic.size() + 4;
  size_t padded = (before + dict.size() + 1 + 63) / 64 * 64 - before;
  bool large = padded > 0xFFFF;
  dict.resize(padded - 1, ' ');
  dict += '\n';
  std::string out = magic.str();
  out += large ? '\2' : '\1';
  out += '\0';
  uint32_t length = static_cast<uint32_t>(dict.size());
  out.append(reinterpret_cast<const char *>(&length), large ? 4 : 2);
  out += dict;
  const unsigned bytes = tensor.dtype().byteSize();
  out.reserve(out.size() + static_cast<size_t>(tensor.size()) * bytes);
  tensor.forEach([&](const uint8_t *at) { out.append(reinterpret_cast<const char *>(at), bytes); });
  return out;
}

llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return bad(error.message());
  out << formatNpy(tensor);
  out.close();
  if (out.has_error()) {
    std::string why = out.error().message();
    out.clear_error();
    return bad(why);
  }
  return llvm::Error::success();
}

} // namespace gluonc::driver
