#include "host/Npy.h"
#include "support/File.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace gluonc::host {

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

} // namespace

/// "<f4"; raw storage for formats that NumPy does not have: "<V2".
static std::string descriptorOf(DType dtype) {
  const numeric::DTypeFacts &facts = numeric::factsOf(dtype.scalarKind());
  return {facts.bytes() == 1 ? '|' : '<', facts.arrayLetter(), char('0' + facts.bytes())};
}

/// The dtype of a file's elements, given what the caller wants.
static llvm::Expected<DType> elementType(llvm::StringRef descr, DType wanted) {
  for (const numeric::DTypeFacts &facts : numeric::dtypes) {
    DType found(facts.kind);
    if (facts.arrayLetter() == 'V' || descriptorOf(found) != descr)
      continue;
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

namespace {

/// Where the elements of a file are, and what they are.
struct Plan {
  size_t offset = 0;
  uint64_t bytes = 0;
  DType dtype;
  Shape shape;
  bool fortranOrder = false;
};

/// NumPy writes 64 bytes or a little more, and itself refuses to read beyond 10,000.
constexpr size_t mostHeaderBytes = 1 << 16;
/// NumPy's own limit.
constexpr size_t mostDims = 64;

} // namespace

/// `head` are the first bytes of the file, the whole header among them.
static llvm::Expected<Plan> planOf(llvm::StringRef head, DType wanted) {
  llvm::StringRef bytes = head;
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
  if (length > mostHeaderBytes)
    return bad("its header has " + llvm::Twine(length) + " bytes; at most " +
               llvm::Twine(mostHeaderBytes) + " are read");
  if (bytes.size() < length)
    return bad("it ends inside the header");
  std::optional<Header> header = HeaderReader{bytes.take_front(length)}.read();
  if (!header)
    return bad("its header is damaged, or its elements are structured");
  llvm::Expected<DType> dtype = elementType(header->descr, wanted);
  if (!dtype)
    return dtype.takeError();
  if (header->shape.size() > mostDims)
    return bad("it has " + llvm::Twine(header->shape.size()) + " dims; at most " +
               llvm::Twine(mostDims) + " are read");
  std::optional<int64_t> count = elementCount(header->shape);
  if (!count)
    return bad("its shape " + shapeText(header->shape) + " makes no sense");
  Plan plan;
  plan.offset = head.size() - bytes.size() + length;
  plan.bytes = static_cast<uint64_t>(*count) * dtype->byteSize();
  plan.dtype = *dtype;
  plan.shape = std::move(header->shape);
  plan.fortranOrder = header->fortranOrder;
  return plan;
}

/// The tensor of a plan, which `fill(data, size)` gives its elements; `held` is what the file has.
static llvm::Expected<Tensor>
makeTensor(const Plan &plan, uint64_t held,
           llvm::function_ref<llvm::Error(uint8_t *, uint64_t)> fill) {
  // Checked before allocating: a damaged header must not ask for a terabyte.
  if (held < plan.bytes)
    return bad("it holds " + llvm::Twine(held) + " bytes of elements; its shape " +
               shapeText(plan.shape) + " needs " + llvm::Twine(plan.bytes));
  Shape stored = plan.shape;
  if (plan.fortranOrder)
    std::reverse(stored.begin(), stored.end());
  llvm::Expected<Tensor> tensor = Tensor::create(plan.dtype, stored);
  if (!tensor)
    return tensor.takeError();
  if (llvm::Error error = fill(tensor->data(), plan.bytes))
    return std::move(error);
  return plan.fortranOrder ? tensor->transposed() : std::move(*tensor);
}

llvm::Expected<Tensor> parseNpy(llvm::StringRef bytes, DType wanted) {
  llvm::Expected<Plan> plan = planOf(bytes, wanted);
  if (!plan)
    return plan.takeError();
  bytes = bytes.drop_front(plan->offset);
  return makeTensor(*plan, bytes.size(), [&](uint8_t *data, uint64_t size) {
    std::memcpy(data, bytes.data(), size);
    return llvm::Error::success();
  });
}

llvm::Expected<Tensor> readNpy(llvm::StringRef path, DType wanted) {
  llvm::Expected<OpenFile> file = openToRead(path.str(), Accept::RegularFiles);
  if (!file)
    return file.takeError();
  std::string head(magic.size() + 6 + mostHeaderBytes, '\0');
  llvm::Expected<size_t> got = readInto(*file, head.data(), head.size());
  if (!got)
    return got.takeError();
  head.resize(*got);
  llvm::Expected<Plan> plan = planOf(head, wanted);
  if (!plan)
    return plan.takeError();
  llvm::Expected<uint64_t> size = sizeOf(*file);
  if (!size)
    return size.takeError();
  uint64_t held = *size - std::min<uint64_t>(*size, plan->offset);
  return makeTensor(*plan, held, [&](uint8_t *data, uint64_t needed) -> llvm::Error {
    // The first elements came with the header.
    llvm::StringRef first = llvm::StringRef(head).drop_front(plan->offset).take_front(needed);
    std::memcpy(data, first.data(), first.size());
    llvm::Expected<size_t> rest =
        readInto(*file, reinterpret_cast<char *>(data) + first.size(), needed - first.size());
    if (!rest)
      return rest.takeError();
    if (first.size() + *rest != needed)
      return bad("it became shorter while it was read");
    return llvm::Error::success();
  });
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

} // namespace gluonc::host
