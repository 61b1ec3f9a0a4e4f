#include "codegen/amd/BytePermutes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include <array>
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gluonc::codegen::amd {
namespace {

constexpr unsigned bytesOfWord = 4;
/// What v_perm_b32 makes 0.
constexpr unsigned zeroByte = 12;
/// Of shuffles on the way to a byte.
constexpr unsigned longestWay = 16;

/// Byte `place` of element `element` of `words`, an i32, a vector of them, or as many bytes;
/// nothing: undefined.
struct Byte {
  Value *words = nullptr;
  unsigned element = 0, place = 0;
};

bool isWord(Type *type) { return type->isIntegerTy(32); }

/// Words of a vector of bytes; 0 where the type is another.
unsigned wordsOf(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  bool areWords = vector && vector->getElementType()->isIntegerTy(8) &&
                  vector->getNumElements() % bytesOfWord == 0;
  return areWords ? vector->getNumElements() / bytesOfWord : 0;
}

bool moves(const Value *value) { return isa<ShuffleVectorInst, InsertElementInst>(value); }

/// Where element `i` of a vector of bytes comes from. Bytes of a number by itself are left where
/// they are: of scales of WMMA that are made so LLVM 22 makes code that it refuses itself.
std::optional<Byte> byteOf(Value *bytes, unsigned i, unsigned way = 0) {
  if (way > longestWay)
    return std::nullopt;
  if (isa<UndefValue>(bytes))
    return Byte();
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(bytes)) {
    int from = shuffle->getMaskValue(i);
    if (from < 0)
      return Byte();
    auto *type = cast<FixedVectorType>(shuffle->getOperand(0)->getType());
    unsigned width = type->getNumElements(), side = unsigned(from) / width;
    return byteOf(shuffle->getOperand(side), unsigned(from) % width, way + 1);
  }
  if (!moves(bytes))
    return wordsOf(bytes->getType()) ? std::optional(Byte{bytes, i / bytesOfWord, i % bytesOfWord})
                                     : std::nullopt;
  Value *rest = nullptr, *element = nullptr, *source = nullptr;
  uint64_t at = 0;
  if (!match(bytes, m_InsertElt(m_Value(rest), m_Value(element), m_ConstantInt(at))))
    return std::nullopt;
  if (at != i)
    return byteOf(rest, i, way + 1);
  if (match(element, m_ExtractElt(m_Value(source), m_ConstantInt(at))))
    return byteOf(source, unsigned(at), way + 1);
  return std::nullopt;
}

/// A word's bytes, each of one of a few words.
class Permuter {
public:
  explicit Permuter(Instruction &root) : builder(&root) {}

  using Sources = std::array<std::pair<Value *, unsigned>, bytesOfWord>;

  Value *word(const Byte &byte) {
    Value *words = byte.words;
    if (unsigned count = wordsOf(words->getType())) {
      Type *type = builder.getInt32Ty();
      words = builder.CreateBitCast(words, count == 1 ? type : FixedVectorType::get(type, count));
    }
    return isWord(words->getType()) ? words : builder.CreateExtractElement(words, byte.element);
  }

  /// All from at most two words, at the places that the numbers say.
  Value *pick(const Sources &bytes) {
    Value *low = nullptr, *high = nullptr;
    unsigned selector = 0;
    bool isWhole = true;
    for (auto [i, byte] : enumerate(bytes)) {
      auto [source, place] = byte;
      unsigned chosen = zeroByte;
      if (source) {
        if (!low)
          low = source;
        else if (source != low)
          high = source;
        chosen = source == low ? place : bytesOfWord + place;
        isWhole &= source == low && place == i;
      }
      selector |= chosen << 8 * i;
    }
    if (isWhole)
      return low;
    return builder.CreateIntrinsic(Intrinsic::amdgcn_perm, {},
                                   {high ? high : low, low, builder.getInt32(selector)});
  }

  /// Halves whose places agree are two of four that pairs of words give for all of a transposition:
  /// what is computed twice falls together.
  std::pair<Value *, std::array<unsigned, 2>> half(std::pair<Value *, unsigned> first,
                                                   std::pair<Value *, unsigned> second) {
    auto [a, x] = first;
    auto [b, y] = second;
    if (!a || !b || a == b)
      return {a ? a : b, {x, y}};
    if (x == y) {
      unsigned from = x / 2 * 2, at = x % 2 * 2;
      return {pick({{{a, from}, {b, from}, {a, from + 1}, {b, from + 1}}}), {at, at + 1}};
    }
    return {pick({{{a, x}, {b, y}, {}, {}}}), {0, 1}};
  }

  IRBuilder<> builder;
};

using Bytes = std::array<Byte, bytesOfWord>;

/// The bytes of word `word` of `root`.
std::optional<Bytes> bytesOf(Instruction &root, unsigned word) {
  Bytes bytes;
  for (auto [i, byte] : enumerate(bytes)) {
    std::optional<Byte> found = byteOf(&root, word * bytesOfWord + unsigned(i));
    if (!found)
      return std::nullopt;
    byte = *found;
  }
  return bytes;
}

/// Whether they are those of a word, in order.
bool areWhole(const Bytes &bytes) {
  return all_of(enumerate(bytes), [&](auto each) {
    const Byte &byte = each.value();
    return byte.words == bytes[0].words && byte.element == bytes[0].element &&
           byte.place == each.index();
  });
}

Value *made(Permuter &permuter, const Bytes &bytes) {
  Permuter::Sources sources;
  SmallMapVector<std::pair<Value *, unsigned>, Value *, bytesOfWord> words;
  for (auto [byte, source] : zip(bytes, sources)) {
    if (!byte.words)
      continue;
    Value *&word = words[{byte.words, byte.element}];
    if (!word)
      word = permuter.word(byte);
    source = {word, byte.place};
  }
  if (words.empty())
    return PoisonValue::get(permuter.builder.getInt32Ty());
  if (words.size() <= 2)
    return permuter.pick(sources);
  auto [low, lowAt] = permuter.half(sources[0], sources[1]);
  auto [high, highAt] = permuter.half(sources[2], sources[3]);
  return permuter.pick({{{low, lowAt[0]}, {low, lowAt[1]}, {high, highAt[0]}, {high, highAt[1]}}});
}

/// What `root` holds, made word by word; nothing where its bytes are not those of words, or no word
/// has to be made.
Value *permuted(Instruction &root) {
  SmallVector<Bytes> words;
  for (unsigned i = 0; i != wordsOf(root.getType()); ++i) {
    std::optional<Bytes> bytes = bytesOf(root, i);
    if (!bytes)
      return nullptr;
    words.push_back(*bytes);
  }
  if (all_of(words, areWhole))
    return nullptr;
  Permuter permuter(root);
  IRBuilder<> &builder = permuter.builder;
  if (words.size() == 1)
    return builder.CreateBitCast(made(permuter, words.front()), root.getType());
  Value *all = PoisonValue::get(FixedVectorType::get(builder.getInt32Ty(), words.size()));
  for (auto [i, bytes] : enumerate(words))
    all = builder.CreateInsertElement(all, made(permuter, bytes), i);
  return builder.CreateBitCast(all, root.getType());
}

/// Whether something reads it that does not move its bytes on.
bool isUsedWhole(const Instruction &instruction) {
  return any_of(instruction.users(),
                [](const User *user) { return !moves(user) && !isa<ExtractElementInst>(user); });
}

} // namespace

void permuteBytes(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block)) {
        if (!moves(&instruction) || !wordsOf(instruction.getType()) || !isUsedWhole(instruction))
          continue;
        if (Value *words = permuted(instruction)) {
          instruction.replaceAllUsesWith(words);
          RecursivelyDeleteTriviallyDeadInstructions(&instruction);
        }
      }
}

} // namespace gluonc::codegen::amd
