//===- Dialects.cpp - Registration, types, module attributes ----------------===//
#include "ir/Dialects.h"

#include "ir/Encoding.h"
#include "ir/InlineAnything.h"
#include "ir/LinearLayoutCache.h"
#include "ir/amdg/AmdOps.h"
#include "ir/tt/DescriptorAccess.h"
#include "ir/tt/DotScaled.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gluonc;

#include "ir/TTDialect.cpp.inc"
#include "ir/TTEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/TTTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TTAttrs.cpp.inc"

#include "ir/TTGDialect.cpp.inc"
#include "ir/TTGEnums.cpp.inc"

#include "ir/TTNGDialect.cpp.inc"
#include "ir/TTNGEnums.cpp.inc"

#include "ir/LLVMDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ir/LLVMOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Dialects
//===----------------------------------------------------------------------===//

namespace {

/// Short names at the top of a listing: `#blocked = #ttg.blocked<…>`.
struct EncodingAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &out) const override {
    llvm::StringRef alias =
        isa<ttg::SharedMemorySpaceAttr>(attribute) ? "smem" : encodingAlias(attribute);
    if (alias.empty())
      return AliasResult::NoAlias;
    out << alias;
    return AliasResult::FinalAlias;
  }
};

} // namespace

void tt::TTDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/TTOps.cpp.inc"
      >();
  addOperations<DotScaledOp, DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/TTTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/TTAttrs.cpp.inc"
      >();
  addInterfaces<InlineAnything>();
}

Operation *tt::TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}

void ttg::TTGDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ir/TTGOps.cpp.inc"
      >();
  registerTypes();
  addInterfaces<EncodingAliases, InlineAnything>();
  layoutCache = std::make_unique<LinearLayoutCache>();
}

ttg::TTGDialect::~TTGDialect() = default;

void ttng::TTNGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/TTNGOps.cpp.inc"
      >();
  registerTypes();
  registerAttributes();
  addInterfaces<InlineAnything>();
}

void llvmir::LLVMDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/LLVMOps.cpp.inc"
      >();
  addInterfaces<InlineAnything>();
}

void gluonc::registerAllDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, cf::ControlFlowDialect,
              ub::UBDialect, tt::TTDialect, ttg::TTGDialect, ttng::TTNGDialect, amdg::AMDGDialect,
              rocdl::ROCDLDialect, gluon::GluonDialect, llvmir::LLVMDialect>();
}

void gluonc::loadAllDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type tt::withScalar(Type type, Type scalar) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), scalar, tensor.getEncoding());
  return scalar;
}

Type tt::pointeeTypeOf(Type pointerLike) {
  auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(pointerLike));
  return pointer ? withScalar(pointerLike, pointer.getPointeeType()) : Type();
}

Type tt::boolTypeLike(Type type) {
  return withScalar(type, IntegerType::get(type.getContext(), 1));
}

//===----------------------------------------------------------------------===//
// Module attributes
//===----------------------------------------------------------------------===//

static int moduleInt(Operation *op, llvm::StringRef name, int otherwise) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  if (module)
    if (auto value = module->getAttrOfType<IntegerAttr>(name))
      return value.getInt();
  return otherwise;
}

int ttg::numWarpsOf(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (auto partitions = dyn_cast_or_null<WarpSpecializePartitionsOp>(at->getParentOp())) {
      // The rules of functions ask before either operation has been verified.
      auto specialize = dyn_cast_or_null<WarpSpecializeOp>(partitions->getParentOp());
      DenseI32ArrayAttr warps = specialize ? specialize.getPartitionNumWarpsAttr() : nullptr;
      unsigned index = at->getParentRegion()->getRegionNumber();
      if (warps && index < warps.size())
        return warps[index];
    } else if (auto function = dyn_cast<tt::FuncOp>(at)) {
      // What partitions call has been made for their number of warps.
      if (auto warps = function->getAttrOfType<IntegerAttr>(numWarpsAttr))
        return warps.getInt();
    }
  return moduleInt(op, numWarpsAttr, 4);
}
int ttg::threadsPerWarpOf(Operation *op) { return moduleInt(op, threadsPerWarpAttr, 32); }
bool ttg::hasTwoCtas(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto flag = module ? module->getAttrOfType<BoolAttr>(twoCtasAttr) : BoolAttr();
  return flag && flag.getValue();
}
int ttg::numCtasOf(Operation *op) { return moduleInt(op, numCtasAttr, 1); }
