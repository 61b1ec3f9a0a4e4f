//===- WarpSpecialize.cpp - Text and rules of ttg.warp_specialize ------------===//
//
//   %r = ttg.warp_specialize(%a, %b) attributes {requestedRegisters = array<i32: 24, 48>}
//   default {
//     ttg.warp_yield %x : i32
//   }
//   partition0(%arg0: i32, %arg1: f32) num_warps(4) {
//     ttg.warp_return
//   }
//   partition1(…) num_warps(1) { … } : (i32, f32) -> i32
//
//===----------------------------------------------------------------------===//
#include "ir/Dialects.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttg;

void WarpSpecializeOp::build(OpBuilder &builder, OperationState &state, TypeRange results,
                             ArrayRef<int32_t> partitionNumWarps, ValueRange captures,
                             ArrayRef<int32_t> requestedRegisters) {
  state.addTypes(results);
  state.addAttribute(getPartitionNumWarpsAttrName(state.name),
                     builder.getDenseI32ArrayAttr(partitionNumWarps));
  if (!requestedRegisters.empty())
    state.addAttribute(getRequestedRegistersAttrName(state.name),
                       builder.getDenseI32ArrayAttr(requestedRegisters));
  OpBuilder::InsertionGuard guard(builder);
  state.addRegion()->emplaceBlock();
  builder.setInsertionPointToStart(&state.addRegion()->emplaceBlock());
  auto holder = WarpSpecializePartitionsOp::create(builder, state.location, captures,
                                                   partitionNumWarps.size());
  for (Region &partition : holder.getPartitionRegions()) {
    Block &entry = partition.emplaceBlock();
    for (Value capture : captures)
      entry.addArgument(capture.getType(), capture.getLoc());
  }
}

WarpSpecializePartitionsOp WarpSpecializeOp::getPartitionOp() {
  return cast<WarpSpecializePartitionsOp>(getPartitionOpHolder().front().getTerminator());
}

MutableArrayRef<Region> WarpSpecializeOp::getPartitions() {
  return getPartitionOp().getPartitionRegions();
}

OperandRange WarpSpecializeOp::getCaptures() { return getPartitionOp().getExplicitCaptures(); }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

struct SpecializeReader {
  OpAsmParser &parser;
  OperationState &result;
  llvm::SmallVector<int32_t> warps;
  llvm::SmallVector<std::unique_ptr<Region>> partitions;

  ParseResult partition() {
    llvm::SmallVector<OpAsmParser::Argument> arguments;
    if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
        parser.parseKeyword("num_warps") || parser.parseLParen() ||
        parser.parseInteger(warps.emplace_back()) || parser.parseRParen() ||
        parser.parseRegion(*partitions.emplace_back(std::make_unique<Region>()), arguments))
      return failure();
    return success();
  }

  /// `default {…} partition0(…) num_warps(N) {…} …`
  ParseResult regions() {
    if (parser.parseKeyword("default") || parser.parseRegion(*result.addRegion()))
      return failure();
    while (succeeded(parser.parseOptionalKeyword("partition" + std::to_string(partitions.size()))))
      if (partition())
        return failure();
    return success();
  }

  void addHolder(ValueRange captures) {
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToStart(&result.addRegion()->emplaceBlock());
    auto holder = WarpSpecializePartitionsOp::create(builder, result.location, captures,
                                                     unsigned(partitions.size()));
    for (auto [target, source] : llvm::zip(holder.getPartitionRegions(), partitions))
      target.takeBody(*source);
    result.addAttribute(WarpSpecializeOp::getPartitionNumWarpsAttrName(result.name),
                        builder.getDenseI32ArrayAttr(warps));
  }
};

} // namespace

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result) {
  SpecializeReader reader{parser, result, {}, {}};
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> names;
  llvm::SMLoc where = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseOperandList(names, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || reader.regions() ||
      parser.parseColonType(type))
    return failure();
  llvm::SmallVector<Value> captures;
  if (parser.resolveOperands(names, type.getInputs(), where, captures))
    return failure();
  result.addTypes(type.getResults());
  reader.addHolder(captures);
  return success();
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  printer << '(';
  printer.printOperands(getCaptures());
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getPartitionNumWarpsAttrName()});
  printer.printNewline();
  printer << "default ";
  printer.printRegion(getDefaultRegion(), /*printEntryBlockArgs=*/false);
  for (auto [index, region, warps] : llvm::enumerate(getPartitions(), getPartitionNumWarps())) {
    printer.printNewline();
    printer << "partition" << index << '(';
    llvm::interleaveComma(region.getArguments(), printer,
                          [&](BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") num_warps(" << warps << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer << " : ";
  printer.printFunctionalType(getCaptures().getTypes(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult WarpSpecializeOp::verify() {
  Block &holder = getPartitionOpHolder().front();
  if (holder.empty() || !isa<WarpSpecializePartitionsOp>(holder.back()))
    return emitOpError("must hold a ttg.warp_specialize.partitions");
  ArrayRef<int32_t> warps = getPartitionNumWarps();
  if (warps.size() != getPartitions().size()) // warp_specialize_c1
    return emitOpError("has ") << getPartitions().size() << " partitions, but numbers of warps for "
                               << warps.size();
  for (int32_t count : warps)
    if (count < 1 || !llvm::isPowerOf2_32(count)) // warp_specialize_c1
      return emitOpError("partition warp counts must be powers of two, got ") << count;
  if (auto registers = getRequestedRegisters();
      registers && registers->size() != warps.size()) // warp_specialize_c2
    return emitOpError("has ") << warps.size() << " partitions, but register requests for "
                               << registers->size();
  if ((*this)->getParentOfType<WarpSpecializeOp>()) // warp_specialize_c3
    return emitOpError("cannot be nested");
  if (auto function = (*this)->getParentOfType<tt::FuncOp>();
      function && function.isNoInline()) // warp_specialize_c3
    return emitOpError("cannot be in a noinline function; only kernels can be warp-specialized");
  for (Block &block : getDefaultRegion())
    if (auto yield = dyn_cast<WarpYieldOp>(block.getTerminator());
        yield && yield.getOperandTypes() != getResultTypes()) // warp_specialize_c4
      return yield.emitOpError("must yield the results of ttg.warp_specialize");
  return success();
}

LogicalResult WarpSpecializePartitionsOp::verify() {
  for (auto [index, region] : llvm::enumerate(getPartitionRegions()))
    if (region.getArgumentTypes() != getExplicitCaptures().getTypes()) // partitions_c1
      return emitOpError("partition ") << index << " must have the captures as its arguments";
  for (Type type : getExplicitCaptures().getTypes())
    if (isa<RankedTensorType>(type)) // partitions_c2
      return emitOpError("cannot capture tensors, got ") << type;
  return success();
}
