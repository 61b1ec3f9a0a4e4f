//===- TranslateFunction.cpp - Values, control, calls ----------------------------===//
#include "bitcode/TranslateFunction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"

namespace gluonc::bitcode {

using llvm::cast, llvm::dyn_cast, llvm::isa;

bool FunctionTranslator::refuse(const llvm::Twine &what) {
  if (all.why.empty())
    all.why = ("`" + function.getName() + "`: " + what).str();
  return false;
}

bool FunctionTranslator::refuse(const llvm::Instruction &instruction) {
  std::string text;
  llvm::raw_string_ostream out(text);
  instruction.print(out);
  return refuse(llvm::StringRef(text).trim());
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::optional<llvm::SmallVector<Lane>> FunctionTranslator::lanesOf(llvm::Type *type) {
  llvm::SmallVector<Lane> lanes;
  if (type->isVoidTy() || addLanes(type, data, 0, lanes))
    return lanes;
  std::string text;
  llvm::raw_string_ostream out(text);
  type->print(out);
  refuse("values of the type `" + text + "`");
  return std::nullopt;
}

uint32_t FunctionTranslator::reserve(size_t words) {
  uint32_t at = uint32_t(code.frame.size());
  code.frame.resize(at + words);
  return at;
}

std::optional<uint32_t> FunctionTranslator::place(Value value) {
  auto known = places.find(value);
  if (known != places.end())
    return known->second;
  auto lanes = lanesOf(value->getType());
  if (!lanes)
    return std::nullopt;
  uint32_t at = reserve(lanes->size());
  places[value] = at;
  if (auto *constant = dyn_cast<llvm::Constant>(value); constant && !fill(constant, at))
    return std::nullopt;
  return at;
}

bool FunctionTranslator::fill(const llvm::Constant *constant, uint32_t at) {
  if (isa<llvm::UndefValue>(constant) || constant->isNullValue())
    return true;
  if (auto *integer = dyn_cast<llvm::ConstantInt>(constant);
      integer && !constant->getType()->isVectorTy())
    return code.frame[at] = integer->getZExtValue(), true;
  if (auto *number = dyn_cast<llvm::ConstantFP>(constant);
      number && !constant->getType()->isVectorTy())
    return code.frame[at] = number->getValueAPF().bitcastToAPInt().getZExtValue(), true;
  if (!constant->getType()->isAggregateType() && !constant->getType()->isVectorTy()) {
    std::optional<Word> found = address(constant);
    return found ? (code.frame[at] = *found, true) : false;
  }
  for (unsigned i = 0; const llvm::Constant *element = constant->getAggregateElement(i); ++i) {
    auto lanes = lanesOf(element->getType());
    if (!lanes || !fill(element, at))
      return false;
    at += uint32_t(lanes->size());
  }
  return true;
}

/// Of a place in a global variable.
std::optional<Word> FunctionTranslator::address(const llvm::Constant *constant) {
  if (auto *cast = dyn_cast<llvm::ConstantExpr>(constant);
      cast && (cast->getOpcode() == llvm::Instruction::PtrToInt ||
               cast->getOpcode() == llvm::Instruction::IntToPtr)) {
    if (auto *integer = dyn_cast<llvm::ConstantInt>(cast->getOperand(0)))
      return integer->getZExtValue();
    return address(cast->getOperand(0));
  }
  if (constant->getType()->isPointerTy()) {
    llvm::APInt offset(64, 0);
    const llvm::Value *base = constant;
    while (true) {
      base = base->stripAndAccumulateConstantOffsets(data, offset, /*AllowNonInbounds=*/true);
      auto *cast = dyn_cast<llvm::AddrSpaceCastOperator>(base);
      if (!cast)
        break;
      base = cast->getPointerOperand();
    }
    if (auto *variable = dyn_cast<llvm::GlobalVariable>(base)) {
      std::optional<Word> begin = all.addressOf(*variable);
      if (!begin)
        refuse(llvm::Twine(std::exchange(all.why, "")));
      return begin ? std::optional(*begin + offset.getZExtValue()) : std::nullopt;
    }
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  constant->printAsOperand(out);
  refuse("the constant `" + text + "`");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

bool FunctionTranslator::run() {
  if (function.isVarArg())
    return refuse("any number of arguments");
  for (llvm::Argument &argument : function.args())
    if (!place(&argument))
      return false;
  code.arguments = uint32_t(code.frame.size());
  auto results = lanesOf(function.getReturnType());
  if (!results)
    return false;
  code.resultLanes = uint32_t(results->size());
  // Results take the first words when it returns.
  if (code.frame.size() <= code.resultLanes)
    code.frame.resize(code.resultLanes + 1);
  for (llvm::BasicBlock &block : function) {
    begins[&block] = uint32_t(code.steps.size());
    for (llvm::Instruction &instruction : block)
      if (!add(instruction))
        return false;
  }
  for (auto [edge, block] : llvm::zip_equal(code.edges, leads))
    edge.target = begins.lookup(block);
  return true;
}

std::optional<uint32_t> FunctionTranslator::edge(const llvm::BasicBlock &from,
                                                 const llvm::BasicBlock &to) {
  Edge made;
  for (const llvm::PHINode &phi : to.phis()) {
    std::optional<uint32_t> source = place(phi.getIncomingValueForBlock(&from)), own = place(&phi);
    auto lanes = lanesOf(phi.getType());
    if (!source || !own || !lanes)
      return std::nullopt;
    for (uint32_t i = 0; i < lanes->size(); ++i)
      made.copies.push_back({*source + i, *own + i});
  }
  code.edges.push_back(std::move(made));
  leads.push_back(&to);
  return uint32_t(code.edges.size() - 1);
}

bool FunctionTranslator::addTerminator(const llvm::Instruction &instruction) {
  Step step;
  const llvm::BasicBlock &block = *instruction.getParent();
  auto leadTo = [&](const llvm::BasicBlock *to, uint32_t &number) {
    std::optional<uint32_t> found = edge(block, *to);
    number = found.value_or(0);
    return found.has_value();
  };
  auto reads = [&](Value value) {
    std::optional<uint32_t> at = place(value);
    step.operands[0] = at.value_or(0);
    return at.has_value();
  };
  if (auto *result = dyn_cast<llvm::ReturnInst>(&instruction)) {
    step.kind = Step::Kind::Return;
    step.lanes = code.resultLanes;
    if (result->getReturnValue() && !reads(result->getReturnValue()))
      return false;
  } else if (isa<llvm::UnreachableInst>(instruction)) {
    step.kind = Step::Kind::Unreachable;
  } else if (auto *branch = dyn_cast<llvm::BranchInst>(&instruction)) {
    step.kind = branch->isConditional() ? Step::Kind::Branch : Step::Kind::Jump;
    if (!leadTo(branch->getSuccessor(0), step.target))
      return false;
    if (branch->isConditional() &&
        (!reads(branch->getCondition()) || !leadTo(branch->getSuccessor(1), step.other)))
      return false;
  } else if (auto *choice = dyn_cast<llvm::SwitchInst>(&instruction)) {
    step.kind = Step::Kind::Switch;
    step.target = uint32_t(code.switches.size());
    code.switches.emplace_back();
    if (!reads(choice->getCondition()) || !leadTo(choice->getDefaultDest(), step.other))
      return false;
    for (const auto &each : choice->cases()) {
      uint32_t number = 0;
      if (!leadTo(each.getCaseSuccessor(), number))
        return false;
      code.switches[step.target].push_back({each.getCaseValue()->getZExtValue(), number});
    }
  } else {
    return refuse(instruction);
  }
  code.steps.push_back(step);
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool FunctionTranslator::addReflect(const llvm::CallInst &call) {
  llvm::StringRef question;
  auto *variable = dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  auto *text = variable && variable->hasInitializer()
                   ? dyn_cast<llvm::ConstantDataSequential>(variable->getInitializer())
                   : nullptr;
  if (!text || !text->isCString())
    return refuse(call);
  std::optional<uint32_t> at = place(&call);
  if (at)
    code.frame[*at] = all.context.reflect(text->getAsCString());
  return at.has_value();
}

/// $0 and $1 of $2 * $3 + $4: the lower bits, and the upper ones.
static Word lowerPart(Word a, Word b, Word c, const Step &step, Machine &) {
  return step.bits == 32 ? uint32_t(a * b + c) : a * b;
}
static Word upperPart(Word a, Word b, Word c, const Step &step, Machine &) {
  return step.bits == 32 ? (a * b + c) >> 32 : Word((unsigned __int128)(a)*b >> 64);
}

/// Products of 32 and 64 bits as CUDA's libdevice writes them.
static bool isWideProduct(llvm::StringRef text) {
  return text == "{mad.lo.cc.u32$0,$2,$3,$4;madc.hi.u32$1,$2,$3,0;}" ||
         text == "{.reg.u32r0,r1,r2,r3,alo,ahi,blo,bhi;mov.b64{alo,ahi},$2;mov.b64{blo,bhi},$3;"
                 "mul.lo.u32r0,alo,blo;mul.hi.u32r1,alo,blo;mad.lo.cc.u32r1,alo,bhi,r1;"
                 "madc.hi.u32r2,alo,bhi,0;mad.lo.cc.u32r1,ahi,blo,r1;madc.hi.cc.u32r2,ahi,blo,r2;"
                 "madc.hi.u32r3,ahi,bhi,0;mad.lo.cc.u32r2,ahi,bhi,r2;addc.u32r3,r3,0;"
                 "mov.b64$0,{r0,r1};mov.b64$1,{r2,r3};}";
}

/// One instruction of PTX that is like an intrinsic, and the products above.
bool FunctionTranslator::addAssembly(const llvm::CallInst &call) {
  std::string all;
  for (char c : cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString())
    if (!llvm::isSpace(c))
      all += c;
  llvm::StringRef text = all;
  unsigned operands = unsigned(call.arg_size());
  if (isWideProduct(text) && operands >= 2 && operands <= 3) {
    Step *low = step(call, operands);
    if (!low || low->lanes != 2)
      return low && refuse(call);
    low->lanes = 1;
    low->compute = lowerPart;
    Step high = *low;
    high.result += 1;
    high.compute = upperPart;
    code.steps.push_back(high);
    return true;
  }
  auto [name, rest] = text.split('$');
  std::string expected = "0";
  for (unsigned i = 1; i <= operands; ++i)
    expected += ",$" + std::to_string(i);
  std::optional<Type> type = operands ? typeOf(call.getArgOperand(0)->getType()) : std::nullopt;
  if (!type || operands > 3 || rest != expected + ";")
    return refuse(call);
  return compute(call, intrinsicNamed(("llvm.nvvm." + name).str(), *type).compute, operands);
}

bool FunctionTranslator::addCall(const llvm::CallInst &call) {
  if (call.isInlineAsm())
    return addAssembly(call);
  llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return refuse(call);
  if (callee->getName() == "__nvvm_reflect" || callee->getName() == "llvm.nvvm.reflect")
    return addReflect(call);
  if (callee->isIntrinsic())
    return addIntrinsic(call, *callee);
  llvm::Function *defined = callee;
  if (callee->isDeclaration() && !callee->isMaterializable())
    defined = all.context.find(callee->getName());
  if (!defined)
    return refuse("it calls `" + callee->getName() + "`, which no library has");
  if (defined->getFunctionType() != call.getFunctionType())
    return refuse(call);
  Code::Callee made{all.codeOf(*defined), {}};
  if (!made.code)
    return false;
  for (const llvm::Use &argument : call.args()) {
    std::optional<uint32_t> at = place(argument);
    auto lanes = lanesOf(argument->getType());
    if (!at || !lanes)
      return false;
    for (uint32_t i = 0; i < lanes->size(); ++i)
      made.arguments.push_back(*at + i);
  }
  Step *calls = step(call, 0);
  if (!calls)
    return false;
  calls->kind = Step::Kind::Call;
  calls->target = uint32_t(code.callees.size());
  code.callees.push_back(std::move(made));
  return true;
}

} // namespace gluonc::bitcode
