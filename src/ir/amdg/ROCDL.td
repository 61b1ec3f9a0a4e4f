//===- ROCDL.td - The rocdl operations in kernels -------------------------------===//
#ifndef GLUONC_IR_ROCDL
#define GLUONC_IR_ROCDL

include "ir/interfaces/Interfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ROCDL_Dialect : Dialect {
  let name = "rocdl";
  let cppNamespace = "::gluonc::rocdl";
  let summary = "What `.ttgir` files hold of MLIR's rocdl dialect";
}

/// Classes of instructions that may cross: none, or all of a kind.
def ROCDL_SchedGroup : I32EnumAttr<"SchedGroup", "", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"NonMemory", 1, "non_mem_non_sideffect">,
  I32EnumAttrCase<"Vector", 2, "valu">, I32EnumAttrCase<"Scalar", 4, "salu">,
  I32EnumAttrCase<"Matrix", 8, "mfma_wmma">, I32EnumAttrCase<"Memory", 16, "all_vmem">,
  I32EnumAttrCase<"MemoryRead", 32, "vmem_read">, I32EnumAttrCase<"MemoryWrite", 64, "vmem_write">,
  I32EnumAttrCase<"Lds", 128, "all_ds">, I32EnumAttrCase<"LdsRead", 256, "ds_read">,
  I32EnumAttrCase<"LdsWrite", 512, "ds_write">,
  I32EnumAttrCase<"Transcendental", 1024, "transcendental">]> {
  let cppNamespace = "::gluonc::rocdl";
}

def ROCDL_SchedBarrierOp : Op<ROCDL_Dialect, "sched.barrier", [MemoryEffects<[MemWrite]>, NoOnChip]> {
  let summary = "Instructions other than those of `mask` are not moved across it";
  let description = [{
    It changes no results. Attributes make it the end of a stage of a warp pipeline:
    `triton.warp_pipeline.border` names the stage, `triton.warp_pipeline.priority` is that of its
    warps, 0 to 3. In a loop that is known to be such a pipeline (`pipelined_for`) it stands where
    a stage begins, and `triton.warp_pipeline.stage` names that.
  }];
  let arguments = (ins ROCDL_SchedGroup:$mask);
  let assemblyFormat = "$mask attr-dict";
}

def ROCDL_SBarrierOp : Op<ROCDL_Dialect, "s.barrier", [MemoryEffects<[MemWrite]>, NoOnChip]> {
  let summary = "Warps wait for each other; accesses to memory before it need not have ended";
  let assemblyFormat = "attr-dict";
}

def ROCDL_SetPrioOp : Op<ROCDL_Dialect, "s.setprio", [MemoryEffects<[MemWrite]>, NoOnChip]> {
  let summary = "Warps issue before those of a SIMD with a lower priority, 0 to 3";
  let arguments = (ins ConfinedAttr<I16Attr, [IntMinValue<0>, IntMaxValue<3>]>:$priority);
  let assemblyFormat = "$priority attr-dict";
}

#endif
