#include "runtime/hip/TensorWords.h"

#include "target/amd/TensorMover.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::hip {

namespace tdm = target::amd::tdm;

static llvm::Error refuse(const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
}

llvm::Error check(const TensorBlock &block, const TensorDescription &tensor) {
  if (tensor.base > tdm::maxAddress)
    return refuse("the tensor begins at " + llvm::Twine(tensor.base) +
                  "; the tensor mover has addresses of 57 bits");
  for (unsigned dim = 0; dim != block.rank; ++dim) {
    int64_t extent = tensor.shape[dim], stride = tensor.strides[dim];
    if (extent < 0 || extent > tdm::maxExtent)
      return refuse("dim " + llvm::Twine(dim) + " has " + llvm::Twine(extent) +
                    " elements; the tensor mover knows 0 to " + llvm::Twine(tdm::maxExtent));
    if (dim + 1 != block.rank && (stride < 0 || stride > tdm::maxStride))
      return refuse("dim " + llvm::Twine(dim) + " has stride " + llvm::Twine(stride) +
                    "; the tensor mover knows 0 to " + llvm::Twine(tdm::maxStride));
  }
  if (int64_t last = tensor.strides[block.rank - 1]; last != 1)
    return refuse("the last dim has stride " + llvm::Twine(last) +
                  "; the tensor mover needs stride 1");
  return llvm::Error::success();
}

namespace {

/// Words that are written bit by bit.
class Words {
public:
  explicit Words(unsigned count) : words(count, 0) {}

  /// `bits` of a number from bit `shift` of the word on, and further into the next ones.
  void set(unsigned word, unsigned shift, unsigned bits, uint64_t number) {
    for (unsigned bit = 0; bit != bits; ++bit, ++shift)
      words[word + shift / wordBits] |= uint32_t(number >> bit & 1) << shift % wordBits;
  }

  llvm::SmallVector<uint32_t, 20> words;

private:
  static constexpr unsigned wordBits = 32;
};

/// Where a field begins: its word and bit.
struct Field {
  unsigned word, bit;
};
// By dims from the innermost on; its stride is none.
constexpr Field extents[] = {{5, 16}, {6, 16}, {12, 0}, {13, 0}, {17, 16}};
constexpr Field strides[] = {{0, 0}, {9, 0}, {10, 16}, {14, 0}, {16, 0}};
constexpr unsigned addressBits = 57, extentBits = 32, strideBits = 48;

} // namespace

void appendWords(const TensorBlock &block, const TensorDescription &tensor,
                 llvm::SmallVectorImpl<uint64_t> &slots) {
  Words made(tdm::wordCount(block.rank));
  made.words[0] = tdm::isActive;
  made.set(2, 0, addressBits, tensor.base);
  made.words[3] |= tdm::isDescriptor;
  made.words[4] = llvm::Log2_32(block.elementBytes) << tdm::elementShift;
  for (unsigned i = 0; i != block.rank; ++i) {
    unsigned dim = block.rank - 1 - i;
    made.set(extents[i].word, extents[i].bit, extentBits, uint64_t(tensor.shape[dim]));
    if (i)
      made.set(strides[i].word, strides[i].bit, strideBits, uint64_t(tensor.strides[dim]));
  }
  slots.append(made.words.begin(), made.words.end());
}

} // namespace gluonc::hip
