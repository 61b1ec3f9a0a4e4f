//===- EmitDescriptors.cpp - Descriptors that a kernel makes ----------------------===//
//
// The first warp clears 128 bytes of shared memory, one of its threads sets the
// fields, the warp copies the bytes to their place in global memory and releases
// them there, and all threads synchronize. Whoever starts copies through the descriptor
// acquires it first: the copy engine has a cache (a proxy) of its own for descriptors.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/EmitHopper.h"

#include "codegen/nvidia/InlineAsm.h"
#include "ir/Dialects.h"
#include "target/nvidia/BoxCopies.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {

namespace tma = target::nvidia::tma;

namespace {

/// The bytes of this CTA in the memory that the launch brought. Hidden parameters are the last two.
Value *scratchOfCta(Emitter &emitter) {
  Builder &builder = emitter.builder;
  // CTAs, not programs: those of a cluster have memory each.
  auto read = [&](Intrinsic::ID id) {
    return builder.CreateZExt(builder.CreateIntrinsic(builder.getInt32Ty(), id, {}),
                              builder.getInt64Ty());
  };
  Value *row = builder.CreateAdd(builder.CreateMul(read(Intrinsic::nvvm_read_ptx_sreg_ctaid_z),
                                                   read(Intrinsic::nvvm_read_ptx_sreg_nctaid_y)),
                                 read(Intrinsic::nvvm_read_ptx_sreg_ctaid_y));
  Value *number =
      builder.CreateAdd(builder.CreateMul(row, read(Intrinsic::nvvm_read_ptx_sreg_nctaid_x)),
                        read(Intrinsic::nvvm_read_ptx_sreg_ctaid_x));
  Value *bytes = builder.getInt64(emitter.state.kernel.globalScratchBytes);
  Value *base = emitter.function.getArg(emitter.function.arg_size() - 2);
  return builder.CreateGEP(builder.getInt8Ty(), base, builder.CreateMul(number, bytes));
}

LogicalResult emitAllocation(Emitter &emitter, ttg::GlobalScratchAllocOp op) {
  auto offset = op->getAttrOfType<mlir::IntegerAttr>(ttg::globalScratchOffsetAttr);
  if (!offset)
    return emitter.unsupported(op, "`ttg.global_scratch_alloc` without an offset");
  Builder &builder = emitter.builder;
  emitter.set(op.getResult(), {builder.CreateGEP(builder.getInt8Ty(), scratchOfCta(emitter),
                                                 builder.getInt64(offset.getInt()))});
  return success();
}

/// Sets fields of the descriptor in shared memory at $0, where $1 says so.
class Fields {
public:
  Fields(Emitter &emitter, Value *place, Value *isWriter)
      : emitter(emitter), place(place), isWriter(isWriter) {}

  /// All bytes are zero before: a field of zero is left out.
  void set(StringRef field, uint32_t code) {
    if (code)
      write(field, "b32", "", Twine(code).str(), {});
  }
  void set(StringRef field, Value *value) { write(field, widthOf(value), "", "$2", {value}); }
  void set(StringRef field, unsigned dim, Value *value) {
    write(field, widthOf(value), std::to_string(dim) + ", ", "$2", {value});
  }

private:
  static StringRef widthOf(Value *value) {
    return value->getType()->isIntegerTy(64) ? "b64" : "b32";
  }

  void write(StringRef field, StringRef type, const std::string &dim, const std::string &value,
             ArrayRef<Value *> operand) {
    SmallVector<Value *> operands = {place, isWriter};
    append_range(operands, operand);
    emitOrdered(emitter,
                "@$1 tensormap.replace.tile." + field + ".shared::cta.b1024." + type + " [$0], " +
                    dim + value + ";",
                operands);
  }

  Emitter &emitter;
  Value *place, *isWriter;
};

void setFields(Emitter &emitter, ttng::TensormapCreateOp op, Value *place, Value *isWriter) {
  Builder &builder = emitter.builder;
  Fields fields(emitter, place, isWriter);
  fields.set("global_address",
             builder.CreatePtrToInt(emitter.scalar(op.getGlobalAddress()), builder.getInt64Ty()));
  // The field counts from one.
  fields.set("rank", uint32_t(op.getBoxDim().size() - 1));
  for (auto [dim, length] : enumerate(op.getBoxDim()))
    fields.set("box_dim", dim, emitter.scalar(length));
  for (auto [dim, extent] : enumerate(op.getGlobalDim()))
    fields.set("global_dim", dim, emitter.scalar(extent));
  // In bytes. Assemblers before PTX 8.6 take the number for units of 16; see printPtx.
  for (auto [dim, stride] : enumerate(op.getGlobalStride()))
    fields.set("global_stride", dim, emitter.scalar(stride));
  for (auto [dim, stride] : enumerate(op.getElementStride()))
    fields.set("element_stride", dim, emitter.scalar(stride));
  fields.set("elemtype", op.getElemType());
  fields.set("interleave_layout", op.getInterleaveLayout());
  fields.set("swizzle_mode", op.getSwizzleMode());
  fields.set("fill_mode", op.getFillMode());
}

LogicalResult emitCreate(Emitter &emitter, ttng::TensormapCreateOp op) {
  Value *place = emitter.sharedOf(op);
  if (!place)
    return failure();
  Builder &builder = emitter.builder;
  Value *thread = emitter.threads.id();
  Value *isFirstWarp =
      builder.CreateICmpULT(thread, builder.getInt32(emitter.state.target.warpSize()));
  Value *isFirst = builder.CreateICmpEQ(thread, builder.getInt32(0));
  // Of each thread four bytes.
  emitOrdered(emitter, "@$1 st.shared.b32 [$0], 0;",
              {builder.CreateGEP(builder.getInt32Ty(), place, thread), isFirstWarp});
  emitter.isa.warpBarrier(builder);
  setFields(emitter, op, place, isFirst);
  emitter.isa.warpBarrier(builder);
  emitOrdered(emitter,
              "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
              "aligned [$0], [$1], " +
                  Twine(tma::descriptorBytes) + ";",
              {emitter.scalar(op.getDescPtr()), place, isFirstWarp});
  // The copy is done with the shared bytes, and everyone comes behind the release.
  emitter.threads.barrier();
  return success();
}

LogicalResult emitAcquire(Emitter &emitter, ttng::TensormapFenceproxyAcquireOp op) {
  emitOrdered(emitter,
              "fence.proxy.tensormap::generic.acquire.gpu [$0], " + Twine(tma::descriptorBytes) +
                  ";",
              {emitter.scalar(op.getDescPtr())});
  // ptxas may start copies ahead of the fence; it never moves them across a wait for groups.
  emitOrdered(emitter, "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;", {});
  return success();
}

LogicalResult emitReinterpret(Emitter &emitter, ttng::ReinterpretTensorDescOp op) {
  // Descriptors are found by generic address.
  Builder &builder = emitter.builder;
  emitter.set(op.getResult(),
              {builder.CreateAddrSpaceCast(emitter.scalar(op.getRawDesc()), builder.getPtrTy())});
  return success();
}

} // namespace

void addDescriptors(EmitTable &table) {
  table.add<emitAllocation>();
  table.add<emitCreate>();
  table.add<emitAcquire>();
  table.add<emitReinterpret>();
}

} // namespace gluonc::codegen::nvidia
