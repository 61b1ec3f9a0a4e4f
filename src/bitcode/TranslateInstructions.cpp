//===- TranslateInstructions.cpp - Arithmetic and memory ---------------------------===//
#include "bitcode/Floats.h"
#include "bitcode/TranslateFunction.h"

#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"

namespace gluonc::bitcode {

using llvm::cast, llvm::dyn_cast, llvm::isa, llvm::Instruction;

namespace {

#define GL_INTEGER(name, expression)                                                               \
  Word name(Word a, Word b, Word c, const Step &step, Machine &machine) {                          \
    [[maybe_unused]] const unsigned bits = step.bits;                                              \
    [[maybe_unused]] const int64_t x = signExtended(a, bits), y = signExtended(b, bits);           \
    return masked(Word(expression), bits);                                                         \
  }
GL_INTEGER(sum, a + b)
GL_INTEGER(difference, a - b)
GL_INTEGER(product, a *b)
GL_INTEGER(conjunction, a &b)
GL_INTEGER(disjunction, a | b)
GL_INTEGER(exclusion, a ^ b)
// Shifts by as many bits as there are, and more, are poison.
GL_INTEGER(shiftedLeft, b < bits ? a << b : 0)
GL_INTEGER(shiftedRight, b < bits ? a >> b : 0)
GL_INTEGER(shiftedSign, x >> std::min<Word>(b, bits - 1))
GL_INTEGER(chosen, a & 1 ? b : c)
GL_INTEGER(itself, a)
GL_INTEGER(negative, a ^ Word(1) << (bits - 1))
GL_INTEGER(sourceSigned, signExtended(a, step.fromBits))
/// An index that counts elements of `immediate` bytes.
GL_INTEGER(stepped, a + Word(signExtended(b, unsigned(c))) * step.immediate)
GL_INTEGER(moved, a + step.immediate)
GL_INTEGER(exchanged, b)
GL_INTEGER(inverted, ~(a &b))
GL_INTEGER(signedLeast, x < y ? a : b)
GL_INTEGER(signedLargest, x > y ? a : b)
GL_INTEGER(unsignedLeast, a < b ? a : b)
GL_INTEGER(unsignedLargest, a > b ? a : b)
#undef GL_INTEGER

enum class Quotient : uint8_t { Unsigned, Signed, UnsignedRest, SignedRest };
template <Quotient which> Word quotient(Word a, Word b, Word, const Step &step, Machine &machine) {
  const int64_t x = signExtended(a, step.bits), y = signExtended(b, step.bits);
  if (b == 0) {
    machine.fail("divides by zero");
    return 0;
  }
  switch (which) {
  case Quotient::Unsigned:
    return a / b;
  case Quotient::UnsignedRest:
    return a % b;
  case Quotient::Signed:
    return masked(y == -1 ? 0 - a : Word(x / y), step.bits);
  case Quotient::SignedRest:
    return masked(y == -1 ? 0 : Word(x % y), step.bits);
  }
  return 0;
}

Word comparison(Word a, Word b, Word, const Step &step, Machine &) {
  const int64_t x = signExtended(a, step.fromBits), y = signExtended(b, step.fromBits);
  switch (llvm::CmpInst::Predicate(step.immediate)) {
  case llvm::CmpInst::ICMP_EQ:
    return a == b;
  case llvm::CmpInst::ICMP_NE:
    return a != b;
  case llvm::CmpInst::ICMP_UGT:
    return a > b;
  case llvm::CmpInst::ICMP_UGE:
    return a >= b;
  case llvm::CmpInst::ICMP_ULT:
    return a < b;
  case llvm::CmpInst::ICMP_ULE:
    return a <= b;
  case llvm::CmpInst::ICMP_SGT:
    return x > y;
  case llvm::CmpInst::ICMP_SGE:
    return x >= y;
  case llvm::CmpInst::ICMP_SLT:
    return x < y;
  case llvm::CmpInst::ICMP_SLE:
    return x <= y;
  default:
    return 0;
  }
}

/// Whether the exact result of integers of `fromBits` bits needs more. `immediate`: the operation,
/// twice, plus 1 for signed ones.
Word overflows(Word a, Word b, Word, const Step &step, Machine &) {
  const bool isSigned = step.immediate & 1;
  const unsigned bits = step.fromBits;
  using Wide = __int128;
  Wide x = isSigned ? Wide(signExtended(a, bits)) : Wide(a),
       y = isSigned ? Wide(signExtended(b, bits)) : Wide(b);
  if (step.immediate >> 1 == 2 && !isSigned)
    return bits == 64 ? (unsigned __int128)(a)*b >> 64 != 0 : (x * y) >> bits != 0;
  Wide exact = step.immediate >> 1 == 0 ? x + y : step.immediate >> 1 == 1 ? x - y : x * y;
  Wide end = Wide(1) << (isSigned ? bits - 1 : bits);
  return exact >= end || exact < (isSigned ? -end : 0);
}

Type elementOf(llvm::Type *type) { return typeOf(type->getScalarType()).value_or(Type::I64); }

} // namespace

Step *FunctionTranslator::step(const Instruction &instruction, unsigned operands) {
  auto lanes = lanesOf(instruction.getType());
  std::optional<uint32_t> result = lanes ? place(&instruction) : std::nullopt;
  if (!result)
    return nullptr;
  Step made;
  made.result = *result;
  made.lanes = uint32_t(lanes->size());
  made.bits = lanes->empty() ? 64 : uint8_t(bitsOf(lanes->front().type));
  for (unsigned i = 0; i < operands; ++i) {
    const llvm::Value *operand = instruction.getOperand(i);
    std::optional<uint32_t> at = place(operand);
    auto own = lanesOf(operand->getType());
    if (!at || !own)
      return nullptr;
    made.operands[i] = *at;
    made.perLane[i] = own->size() == made.lanes;
    if (i == 0) {
      made.fromLanes = uint32_t(own->size());
      made.fromBits = own->empty() ? 64 : uint8_t(bitsOf(own->front().type));
    }
  }
  for (unsigned i = operands; i < 3; ++i)
    made.perLane[i] = false;
  code.steps.push_back(made);
  return &code.steps.back();
}

bool FunctionTranslator::compute(const Instruction &instruction, Compute function,
                                 unsigned operands, Word immediate) {
  if (!function)
    return refuse(instruction);
  Step *made = step(instruction, operands);
  if (!made)
    return false;
  made->compute = function;
  made->immediate = immediate;
  return true;
}

bool FunctionTranslator::addBinary(const llvm::BinaryOperator &op) {
  Type type = elementOf(op.getType());
  auto compute = [&](Compute function) { return this->compute(op, function, 2); };
  switch (op.getOpcode()) {
  case Instruction::Add:
    return compute(sum);
  case Instruction::Sub:
    return compute(difference);
  case Instruction::Mul:
    return compute(product);
  case Instruction::UDiv:
    return compute(quotient<Quotient::Unsigned>);
  case Instruction::SDiv:
    return compute(quotient<Quotient::Signed>);
  case Instruction::URem:
    return compute(quotient<Quotient::UnsignedRest>);
  case Instruction::SRem:
    return compute(quotient<Quotient::SignedRest>);
  case Instruction::Shl:
    return compute(shiftedLeft);
  case Instruction::LShr:
    return compute(shiftedRight);
  case Instruction::AShr:
    return compute(shiftedSign);
  case Instruction::And:
    return compute(conjunction);
  case Instruction::Or:
    return compute(disjunction);
  case Instruction::Xor:
    return compute(exclusion);
  case Instruction::FAdd:
    return compute(floatArithmetic(FloatOp::Add, type));
  case Instruction::FSub:
    return compute(floatArithmetic(FloatOp::Subtract, type));
  case Instruction::FMul:
    return compute(floatArithmetic(FloatOp::Multiply, type));
  case Instruction::FDiv:
    return compute(floatArithmetic(FloatOp::Divide, type));
  case Instruction::FRem:
    return compute(floatArithmetic(FloatOp::Remainder, type));
  default:
    return refuse(op);
  }
}

bool FunctionTranslator::addCast(const llvm::CastInst &cast) {
  Type from = elementOf(cast.getSrcTy()), to = elementOf(cast.getDestTy());
  switch (cast.getOpcode()) {
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
  case Instruction::IntToPtr:
  case Instruction::AddrSpaceCast:
    return compute(cast, itself, 1);
  case Instruction::SExt:
    return compute(cast, sourceSigned, 1);
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return compute(cast, floatConversion(from, to), 1);
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return compute(cast, integerFromFloat(from, cast.getOpcode() == Instruction::FPToSI), 1);
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return compute(cast, floatFromInteger(to, cast.getOpcode() == Instruction::SIToFP), 1);
  case Instruction::BitCast: {
    Step *made = step(cast, 1);
    if (!made)
      return false;
    made->compute = itself;
    if (made->lanes != made->fromLanes)
      made->kind = Step::Kind::Repack;
    return true;
  }
  default:
    return refuse(cast);
  }
}

bool FunctionTranslator::addCompare(const llvm::CmpInst &compare) {
  llvm::CmpInst::Predicate predicate = compare.getPredicate();
  if (isa<llvm::ICmpInst>(compare))
    return compute(compare, comparison, 2, predicate);
  // LLVM numbers them by the same bits.
  return compute(compare, floatComparison(elementOf(compare.getOperand(0)->getType())), 2,
                 predicate);
}

bool FunctionTranslator::addVector(const Instruction &instruction) {
  if (auto *shuffle = dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    auto lanes = lanesOf(shuffle->getOperand(0)->getType());
    std::optional<uint32_t> result = place(shuffle), first = place(shuffle->getOperand(0)),
                            second = place(shuffle->getOperand(1));
    if (!lanes || !result || !first || !second)
      return false;
    for (auto [lane, from] : llvm::enumerate(shuffle->getShuffleMask())) {
      if (from < 0)
        continue;
      Step copy;
      copy.kind = Step::Kind::Copy;
      copy.result = *result + uint32_t(lane);
      copy.operands[0] = size_t(from) < lanes->size()
                             ? *first + uint32_t(from)
                             : *second + uint32_t(from) - uint32_t(lanes->size());
      code.steps.push_back(copy);
    }
    return true;
  }
  bool takes = isa<llvm::ExtractElementInst>(instruction);
  Step *made = step(instruction, takes ? 2 : 3);
  if (!made)
    return false;
  made->kind = takes ? Step::Kind::Extract : Step::Kind::Insert;
  return true;
}

bool FunctionTranslator::addAggregate(const Instruction &instruction) {
  auto *extract = dyn_cast<llvm::ExtractValueInst>(&instruction);
  llvm::ArrayRef<unsigned> indices =
      extract ? extract->getIndices() : cast<llvm::InsertValueInst>(instruction).getIndices();
  llvm::Type *type = instruction.getOperand(0)->getType();
  uint32_t begin = 0;
  for (unsigned index : indices) {
    for (unsigned i = 0; i < index; ++i) {
      auto before = lanesOf(llvm::GetElementPtrInst::getTypeAtIndex(type, uint64_t(i)));
      if (!before)
        return false;
      begin += uint32_t(before->size());
    }
    type = llvm::GetElementPtrInst::getTypeAtIndex(type, uint64_t(index));
  }
  auto lanes = lanesOf(type);
  Step *made = lanes ? step(instruction, extract ? 1 : 2) : nullptr;
  if (!made)
    return false;
  made->kind = Step::Kind::Copy;
  if (extract) {
    made->operands[0] += begin;
    return true;
  }
  Step replaced = *made;
  replaced.operands[0] = made->operands[1];
  replaced.result += begin;
  replaced.lanes = uint32_t(lanes->size());
  code.steps.push_back(replaced);
  return true;
}

/// What indices add, one after the other.
bool FunctionTranslator::addAddress(const llvm::GetElementPtrInst &op) {
  if (op.getType()->isVectorTy())
    return refuse(op);
  std::optional<uint32_t> result = place(&op), base = place(op.getPointerOperand());
  if (!result || !base)
    return false;
  auto add = [&](Compute function, Word immediate) -> Step & {
    Step made;
    made.compute = function;
    made.immediate = immediate;
    made.operands[0] = *base;
    made.result = *result;
    code.steps.push_back(made);
    base = result;
    return code.steps.back();
  };
  Word constant = 0;
  for (auto index = llvm::gep_type_begin(op), end = llvm::gep_type_end(op); index != end; ++index) {
    if (llvm::StructType *structure = index.getStructTypeOrNull()) {
      unsigned field = unsigned(cast<llvm::ConstantInt>(index.getOperand())->getZExtValue());
      constant += data.getStructLayout(structure)->getElementOffset(field);
      continue;
    }
    llvm::TypeSize size = index.getSequentialElementStride(data);
    if (size.isScalable())
      return refuse(op);
    if (auto *known = dyn_cast<llvm::ConstantInt>(index.getOperand())) {
      constant += Word(known->getSExtValue()) * size.getFixedValue();
      continue;
    }
    std::optional<uint32_t> at = place(index.getOperand());
    if (!at)
      return false;
    uint32_t bits = reserve(1);
    code.frame[bits] = bitsOf(index.getOperand()->getType());
    Step &made = add(stepped, size.getFixedValue());
    made.operands[1] = *at;
    made.operands[2] = bits;
  }
  add(moved, constant);
  return true;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool FunctionTranslator::addAccess(Step::Kind kind, Value address, llvm::Type *type,
                                   std::optional<uint32_t> value, std::optional<uint32_t> result) {
  auto lanes = lanesOf(type);
  std::optional<uint32_t> at = place(address);
  if (!lanes || !at)
    return false;
  // Neighbours of one width are one step.
  for (uint32_t first = 0; first < lanes->size();) {
    Step made;
    made.kind = kind;
    made.bits = uint8_t(bitsOf((*lanes)[first].type));
    if (made.bits != 1 && made.bits != 8 && made.bits != 16 && made.bits != 32 && made.bits != 64)
      return refuse("integers of " + llvm::Twine(made.bits) + " bits in memory");
    made.operands[0] = *at;
    made.operands[1] = value.value_or(0) + (value ? first : 0);
    made.result = result.value_or(0) + (result ? first : 0);
    made.target = uint32_t(code.offsets.size());
    llvm::SmallVector<uint32_t, 4> &offsets = code.offsets.emplace_back();
    uint32_t next = first;
    for (; next < lanes->size() && bitsOf((*lanes)[next].type) == made.bits; ++next)
      offsets.push_back((*lanes)[next].offset);
    made.lanes = next - first;
    code.steps.push_back(made);
    first = next;
  }
  (kind == Step::Kind::Load ? code.loads : code.stores) = true;
  return true;
}

bool FunctionTranslator::addMemory(const Instruction &instruction) {
  if (auto *load = dyn_cast<llvm::LoadInst>(&instruction)) {
    std::optional<uint32_t> result = place(load);
    return result &&
           addAccess(Step::Kind::Load, load->getPointerOperand(), load->getType(), {}, result);
  }
  if (auto *store = dyn_cast<llvm::StoreInst>(&instruction)) {
    std::optional<uint32_t> value = place(store->getValueOperand());
    return value && addAccess(Step::Kind::Store, store->getPointerOperand(),
                              store->getValueOperand()->getType(), value, {});
  }
  auto &alloca = cast<llvm::AllocaInst>(instruction);
  std::optional<llvm::TypeSize> size = alloca.getAllocationSize(data);
  if (!size || size->isScalable())
    return refuse(instruction);
  Step *made = step(instruction, 0);
  if (!made)
    return false;
  made->kind = Step::Kind::Allocate;
  made->immediate = std::max<uint64_t>(size->getFixedValue(), 1);
  return true;
}

bool FunctionTranslator::addUpdate(const llvm::AtomicRMWInst &update) {
  Type type = elementOf(update.getType());
  Compute function = nullptr;
  switch (update.getOperation()) {
  case llvm::AtomicRMWInst::Xchg:
    function = exchanged;
    break;
  case llvm::AtomicRMWInst::Add:
    function = sum;
    break;
  case llvm::AtomicRMWInst::Sub:
    function = difference;
    break;
  case llvm::AtomicRMWInst::And:
    function = conjunction;
    break;
  case llvm::AtomicRMWInst::Nand:
    function = inverted;
    break;
  case llvm::AtomicRMWInst::Or:
    function = disjunction;
    break;
  case llvm::AtomicRMWInst::Xor:
    function = exclusion;
    break;
  case llvm::AtomicRMWInst::Max:
    function = signedLargest;
    break;
  case llvm::AtomicRMWInst::Min:
    function = signedLeast;
    break;
  case llvm::AtomicRMWInst::UMax:
    function = unsignedLargest;
    break;
  case llvm::AtomicRMWInst::UMin:
    function = unsignedLeast;
    break;
  case llvm::AtomicRMWInst::FAdd:
    function = floatArithmetic(FloatOp::Add, type);
    break;
  case llvm::AtomicRMWInst::FSub:
    function = floatArithmetic(FloatOp::Subtract, type);
    break;
  case llvm::AtomicRMWInst::FMax:
    function = intrinsicNamed("llvm.maxnum", type).compute;
    break;
  case llvm::AtomicRMWInst::FMin:
    function = intrinsicNamed("llvm.minnum", type).compute;
    break;
  default:
    break;
  }
  unsigned bits = bitsOf(update.getType());
  if (!function || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return refuse(update);
  Step *made = step(update, 2);
  if (!made || made->lanes != 1)
    return made && refuse(update);
  made->kind = Step::Kind::Update;
  made->compute = function;
  return code.updates = true;
}

bool FunctionTranslator::addBlockCopy(const llvm::MemIntrinsic &copy) {
  // More than that nobody keeps in registers.
  constexpr uint64_t mostBytes = 4096;
  auto *length = dyn_cast<llvm::ConstantInt>(copy.getLength());
  if (!length || length->getZExtValue() > mostBytes)
    return refuse(copy);
  const uint64_t bytes = length->getZExtValue();
  if (!bytes)
    return true;
  llvm::Type *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(copy.getContext()), bytes);
  uint32_t words = reserve(bytes);
  if (auto *transfer = dyn_cast<llvm::MemTransferInst>(&copy)) {
    if (!addAccess(Step::Kind::Load, transfer->getSource(), type, {}, words))
      return false;
  } else {
    std::optional<uint32_t> value = place(cast<llvm::MemSetInst>(copy).getValue());
    if (!value)
      return false;
    Step fill;
    fill.compute = itself;
    fill.operands[0] = *value;
    fill.perLane[0] = fill.perLane[1] = fill.perLane[2] = false;
    fill.result = words;
    fill.lanes = uint32_t(bytes);
    code.steps.push_back(fill);
  }
  return addAccess(Step::Kind::Store, copy.getDest(), type, words, {});
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

/// The sum, and whether it is one.
bool FunctionTranslator::addWithOverflow(const llvm::CallInst &call, llvm::StringRef name) {
  Step *made = step(call, 2);
  if (!made)
    return false;
  llvm::StringRef what = name.drop_front();
  unsigned number = what == "add" ? 0 : what == "sub" ? 1 : 2;
  Compute functions[] = {sum, difference, product};
  made->lanes /= 2;
  for (bool &each : made->perLane)
    each = made->lanes > 1;
  made->compute = functions[number];
  Step flag = *made;
  flag.result += made->lanes;
  flag.compute = overflows;
  flag.bits = 1;
  flag.immediate = 2 * number + (name.front() == 's' ? 1 : 0);
  code.steps.push_back(flag);
  return true;
}

bool FunctionTranslator::addIntrinsic(const llvm::CallInst &call, llvm::Function &callee) {
  llvm::StringRef name = callee.getName();
  using llvm::Intrinsic::ID;
  switch (callee.getIntrinsicID()) {
  case llvm::Intrinsic::lifetime_start:
  case llvm::Intrinsic::lifetime_end:
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::donothing:
  case llvm::Intrinsic::experimental_noalias_scope_decl:
  case llvm::Intrinsic::dbg_declare:
  case llvm::Intrinsic::dbg_value:
  case llvm::Intrinsic::dbg_label:
    return true;
  case llvm::Intrinsic::trap: {
    Step trap;
    trap.kind = Step::Kind::Unreachable;
    code.steps.push_back(trap);
    return true;
  }
  default:
    break;
  }
  if (auto *copy = dyn_cast<llvm::MemIntrinsic>(&call))
    return addBlockCopy(*copy);
  llvm::StringRef rest = name;
  rest.consume_front("llvm.");
  auto [what, next] = rest.split('.');
  if (next.starts_with("with.overflow") &&
      (what.ends_with("add") || what.ends_with("sub") || what.ends_with("mul")))
    return addWithOverflow(call, what);
  if (call.arg_size() == 0)
    return refuse("it calls `" + name + "`, which the simulator does not have");
  Operation found = intrinsicNamed(name, elementOf(call.getArgOperand(0)->getType()));
  if (!found.compute)
    return refuse("it calls `" + name + "`, which the simulator does not have");
  return compute(call, found.compute, std::min<unsigned>(call.arg_size(), 3), found.immediate);
}

bool FunctionTranslator::add(const Instruction &instruction) {
  if (instruction.isTerminator())
    return addTerminator(instruction);
  if (auto *op = dyn_cast<llvm::BinaryOperator>(&instruction))
    return addBinary(*op);
  if (auto *op = dyn_cast<llvm::CastInst>(&instruction))
    return addCast(*op);
  if (auto *op = dyn_cast<llvm::CmpInst>(&instruction))
    return addCompare(*op);
  if (auto *op = dyn_cast<llvm::GetElementPtrInst>(&instruction))
    return addAddress(*op);
  if (auto *op = dyn_cast<llvm::CallInst>(&instruction))
    return addCall(*op);
  if (auto *op = dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return addUpdate(*op);
  switch (instruction.getOpcode()) {
  case Instruction::PHI:
    // Whoever comes here has set it.
    return place(&instruction).has_value();
  case Instruction::FNeg:
    return compute(instruction, negative, 1);
  case Instruction::Select:
    return compute(instruction, chosen, 3);
  case Instruction::Freeze:
    return compute(instruction, itself, 1);
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
    return addVector(instruction);
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
    return addAggregate(instruction);
  case Instruction::Load:
  case Instruction::Store:
  case Instruction::Alloca:
    return addMemory(instruction);
  case Instruction::Fence:
    return true;
  case Instruction::AtomicCmpXchg: {
    auto &exchange = cast<llvm::AtomicCmpXchgInst>(instruction);
    unsigned bits = bitsOf(exchange.getNewValOperand()->getType());
    Step *made =
        bits == 8 || bits == 16 || bits == 32 || bits == 64 ? step(instruction, 3) : nullptr;
    if (!made)
      return refuse(instruction);
    made->kind = Step::Kind::CompareExchange;
    return code.updates = true;
  }
  default:
    return refuse(instruction);
  }
}

} // namespace gluonc::bitcode
