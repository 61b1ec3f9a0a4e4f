#include "lsp/Layouts.h"
#include "ir/Encoding.h"
#include "picture/Draw.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::lsp {

using layout::Layout;

/// As much as fits beside the code.
static constexpr int64_t mostRows = 8, mostColumns = 8;
static constexpr unsigned registerBits = 32;

/// `8 x 8`.
static std::string times(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(shape, out, " x ");
  return text;
}

static std::string picture(const Layout &layout, llvm::ArrayRef<int64_t> shape, unsigned bytes) {
  // Of a ring of buffers the layout is that of one.
  while (!shape.empty() && layout::checkShape(layout, shape))
    shape = shape.drop_front();
  if (shape.empty() || layout.isPlaceholder() || layout.isTensorMemory())
    return "";
  llvm::SmallVector<int64_t> corner(shape.size(), 1);
  corner.back() = mostColumns;
  if (corner.size() > 1)
    corner[corner.size() - 2] = mostRows;
  for (size_t axis = 0; axis != corner.size(); ++axis)
    corner[axis] = std::min(corner[axis], shape[axis]);
  std::string what = layout.isShared() ? "Offsets" : "Thread and register";
  if (corner != shape)
    what += " of the first " + times(corner) + " elements";
  picture::Picture drawn =
      picture::drawElements({layout, layout::Ints(shape.begin(), shape.end()), bytes * 8}, corner);
  return "\n" + what + ":\n```text\n" + picture::toText(drawn) + "```\n";
}

std::string describeLayout(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    std::optional<Layout> layout;
    if (tensor.getEncoding())
      layout = layoutOf(tensor.getEncoding());
    const layout::LinearLayout *linear = layout ? linearOrNull(tensor) : nullptr;
    if (!linear)
      return "";
    int64_t elements = linear->inSize(layout::Dim::Register);
    uint64_t bits = static_cast<uint64_t>(elements) * elementBits(tensor.getElementType());
    return llvm::formatv("\n{0} elements in each thread: {1} registers of {2} bits.\n", elements,
                         llvm::divideCeil(bits, registerBits), registerBits)
               .str() +
           picture(*layout, tensor.getShape(), elementBytes(tensor.getElementType()));
  }
  if (auto buffer = mlir::dyn_cast<ttg::MemDescType>(type)) {
    std::optional<Layout> layout = layoutOf(buffer.getEncoding());
    if (!layout || layout->isTensorMemory())
      return "";
    unsigned bytes = elementBytes(buffer.getElementType());
    uint64_t count = 1;
    for (int64_t size : buffer.getShape())
      count *= static_cast<uint64_t>(size);
    return llvm::formatv("\n{0} bytes of shared memory.\n", count * bytes).str() +
           picture(*layout, buffer.getShape(), bytes);
  }
  return "";
}

} // namespace gluonc::lsp
