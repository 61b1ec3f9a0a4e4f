//===- Run.cpp - Executes flat code --------------------------------------------===//
#include "bitcode/Floats.h"

#include <cstring>

namespace gluonc::bitcode {
namespace {

constexpr size_t stackBytes = 64 << 10;
constexpr uint32_t mostCalls = 200;
/// Of one call, which is for one element.
constexpr uint64_t mostBranches = uint64_t(1) << 22;

} // namespace

Outcome Function::call(llvm::ArrayRef<uint64_t> arguments, Memory &memory) const {
  return Machine(*code, memory).run(arguments);
}

bool Function::loads() const { return code->loads; }
bool Function::stores() const { return code->stores; }
bool Function::updates() const { return code->updates; }

Outcome Machine::run(llvm::ArrayRef<uint64_t> arguments) {
  words = outermost.frame;
  std::copy(arguments.begin(), arguments.end(), words.begin());
  call(outermost, 0, 0);
  Outcome outcome{words.front(), std::move(problem)};
  if (!outcome.problem.empty())
    outcome.problem = "`" + outermost.name + "` " + outcome.problem;
  return outcome;
}

/// The result is in the first words of the frame then.
void Machine::call(const Code &code, uint32_t frame, uint32_t depth) {
  if (depth > mostCalls)
    return fail("calls functions without end");
  const size_t before = stackUsed;
  for (size_t next = 0; !stopped;) {
    const Step &step = code.steps[next++];
    if (step.kind == Step::Kind::Compute) {
      Word *own = words.data() + frame;
      for (uint32_t i = 0; i < step.lanes; ++i)
        own[step.result + i] =
            step.compute(own[step.operands[0] + (step.perLane[0] ? i : 0)],
                         own[step.operands[1] + (step.perLane[1] ? i : 0)],
                         own[step.operands[2] + (step.perLane[2] ? i : 0)], step, *this);
    } else if (!execute(code, step, frame, depth, next)) {
      break;
    }
  }
  stackUsed = before;
}

/// False behind a return.
bool Machine::execute(const Code &code, const Step &step, uint32_t frame, uint32_t depth,
                      size_t &next) {
  Word *own = words.data() + frame;
  switch (step.kind) {
  case Step::Kind::Compute:
    break;
  case Step::Kind::Copy:
    std::copy_n(own + step.operands[0], step.lanes, own + step.result);
    break;
  case Step::Kind::Repack:
    repack(step, frame);
    break;
  case Step::Kind::Extract:
    if (own[step.operands[1]] >= step.fromLanes)
      fail("takes an element that its vector does not have");
    else
      own[step.result] = own[step.operands[0] + own[step.operands[1]]];
    break;
  case Step::Kind::Insert:
    if (own[step.operands[2]] >= step.lanes) {
      fail("replaces an element that its vector does not have");
      break;
    }
    std::copy_n(own + step.operands[0], step.lanes, own + step.result);
    own[step.result + own[step.operands[2]]] = own[step.operands[1]];
    break;
  case Step::Kind::Load:
  case Step::Kind::Store:
    access(code, step, frame);
    break;
  case Step::Kind::Update:
  case Step::Kind::CompareExchange:
    update(step, frame);
    break;
  case Step::Kind::Allocate:
    if (stack.empty())
      stack.resize(stackBytes);
    if (step.immediate > stackBytes - stackUsed) {
      fail("needs more local memory than the simulator has for it");
      break;
    }
    own[step.result] = reinterpret_cast<uint64_t>(stack.data() + stackUsed);
    stackUsed += (step.immediate + 15) / 16 * 16;
    stackUsed = std::min(stackUsed, stackBytes);
    break;
  case Step::Kind::Call: {
    const Code::Callee &callee = code.callees[step.target];
    const uint32_t inner = uint32_t(words.size());
    words.insert(words.end(), callee.code->frame.begin(), callee.code->frame.end());
    for (auto [i, from] : llvm::enumerate(callee.arguments))
      words[inner + i] = words[frame + from];
    call(*callee.code, inner, depth + 1);
    std::copy_n(words.begin() + inner, callee.code->resultLanes,
                words.begin() + frame + step.result);
    words.resize(inner);
    break;
  }
  case Step::Kind::Jump:
    follow(code, step.target, frame, next);
    break;
  case Step::Kind::Branch:
    follow(code, own[step.operands[0]] & 1 ? step.target : step.other, frame, next);
    break;
  case Step::Kind::Switch: {
    uint32_t edge = step.other;
    for (auto [value, way] : code.switches[step.target])
      if (value == own[step.operands[0]])
        edge = way;
    follow(code, edge, frame, next);
    break;
  }
  case Step::Kind::Return:
    // Arguments and results share words.
    std::memmove(own, own + step.operands[0], step.lanes * sizeof(Word));
    return false;
  case Step::Kind::Unreachable:
    fail("comes to a place that it says is never reached");
    break;
  }
  return true;
}

void Machine::follow(const Code &code, uint32_t edge, uint32_t frame, size_t &next) {
  if (++branches > mostBranches)
    fail("does not end");
  const Edge &way = code.edges[edge];
  Word *own = words.data() + frame;
  llvm::SmallVector<Word, 8> values;
  for (auto [from, to] : way.copies)
    values.push_back(own[from]);
  for (auto [copy, value] : llvm::zip_equal(way.copies, values))
    own[copy.second] = value;
  next = way.target;
}

void Machine::repack(const Step &step, uint32_t frame) {
  Word *own = words.data() + frame;
  llvm::SmallVector<bool, 128> bits;
  for (uint32_t lane = 0; lane < step.fromLanes; ++lane)
    for (unsigned bit = 0; bit < step.fromBits; ++bit)
      bits.push_back(own[step.operands[0] + lane] >> bit & 1);
  for (uint32_t lane = 0; lane < step.lanes; ++lane) {
    Word value = 0;
    for (unsigned bit = 0; bit < step.bits; ++bit)
      value |= Word(bits[lane * step.bits + bit]) << bit;
    own[step.result + lane] = value;
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint8_t *Machine::local(Word address, unsigned bytes) {
  uint64_t offset = address - reinterpret_cast<uint64_t>(stack.data());
  return offset < stackUsed && bytes <= stackUsed - offset ? stack.data() + offset : nullptr;
}

const uint8_t *Machine::inTable(Word address, unsigned bytes) const {
  for (const std::shared_ptr<std::vector<uint64_t>> &table : outermost.tables) {
    uint64_t size = table->size() * sizeof(uint64_t),
             offset = address - reinterpret_cast<uint64_t>(table->data());
    if (offset < size && bytes <= size - offset)
      return reinterpret_cast<const uint8_t *>(table->data()) + offset;
  }
  return nullptr;
}

bool Machine::loadWord(Word address, unsigned bytes, Word &value) {
  value = 0;
  const uint8_t *own = local(address, bytes);
  if (!own)
    own = inTable(address, bytes);
  if (own)
    std::memcpy(&value, own, bytes);
  return own || memory.load(address, bytes, value);
}

bool Machine::storeWord(Word address, unsigned bytes, Word value) {
  if (uint8_t *own = local(address, bytes)) {
    std::memcpy(own, &value, bytes);
    return true;
  }
  if (inTable(address, bytes)) {
    fail("writes to a variable of its library");
    return false;
  }
  return memory.store(address, bytes, value);
}

void Machine::access(const Code &code, const Step &step, uint32_t frame) {
  // Bits of a bool take a byte.
  const unsigned bytes = (step.bits + 7) / 8;
  const Word address = words[frame + step.operands[0]];
  for (uint32_t lane = 0; lane < step.lanes && !stopped; ++lane) {
    Word place = address + code.offsets[step.target][lane];
    bool isFine = false;
    if (step.kind == Step::Kind::Store) {
      isFine = storeWord(place, bytes, words[frame + step.operands[1] + lane]);
    } else {
      Word value = 0;
      isFine = loadWord(place, bytes, value);
      words[frame + step.result + lane] = masked(value, step.bits);
    }
    stopped |= !isFine;
  }
}

void Machine::update(const Step &step, uint32_t frame) {
  const unsigned bytes = step.bits / 8;
  Word *own = words.data() + frame;
  const Word address = own[step.operands[0]], first = own[step.operands[1]],
             second = own[step.operands[2]];
  auto change = [&](Word old) {
    if (step.kind == Step::Kind::CompareExchange)
      return old == first ? second : old;
    return step.compute(old, first, 0, step, *this);
  };
  Word old = 0;
  if (local(address, bytes) || inTable(address, bytes)) {
    if (loadWord(address, bytes, old) && storeWord(address, bytes, change(old)))
      own[step.result] = old;
  } else if (memory.update(address, bytes, change, old)) {
    own[step.result] = old;
  } else {
    stopped = true;
  }
  if (step.kind == Step::Kind::CompareExchange)
    own[step.result + 1] = old == first;
}

} // namespace gluonc::bitcode
