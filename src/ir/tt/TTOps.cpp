//===- TTOps.cpp - Functions, builders, text, effects of tt ------------------===//
#include "ir/Dialects.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::tt;

#define GET_OP_CLASSES
#include "ir/TTOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, llvm::StringRef name,
                   FunctionType type, ArrayRef<NamedAttribute> attrs,
                   ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  state.addRegion();
  if (!argAttrs.empty())
    call_interface_impl::addArgAndResultAttrs(builder, state, argAttrs, /*resultAttrs=*/{},
                                              getArgAttrsAttrName(state.name),
                                              getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto functionType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                         function_interface_impl::VariadicFlag,
                         std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), functionType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

bool FuncOp::isNoInline() {
  auto flag = (*this)->getAttrOfType<BoolAttr>("noinline");
  return flag && flag.getValue();
}

void CallOp::build(OpBuilder &builder, OperationState &state, FuncOp callee, ValueRange operands) {
  build(builder, state, callee.getFunctionType().getResults(), callee.getSymName(), operands,
        /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, CacheModifier cache,
                   EvictionPolicy evict, bool isVolatile) {
  build(builder, state, ptr, Value(), Value(), cache, evict, isVolatile, /*cachePolicy=*/nullptr);
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value value,
                    CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, ptr, value, Value(), cache, evict, /*ignore_cta=*/false,
        /*cachePolicy=*/nullptr);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects = llvm::SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  // A volatile load is neither dropped nor merged.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

void ExternElementwiseOp::getEffects(Effects &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

void ElementwiseInlineAsmOp::getEffects(Effects &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}
