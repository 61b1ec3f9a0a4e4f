//===- Interfaces.td - What operations answer about themselves -------------===//
#ifndef GLUONC_IR_INTERFACES
#define GLUONC_IR_INTERFACES

include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

def OnChipMemoryOpInterface : OpInterface<"OnChipMemoryOpInterface"> {
  let cppNamespace = "::gluonc";
  let description = [{
    What an operation does to memories on the chip, by what path and until when; see Interfaces.h
    for the words. Every operation of our dialects answers: by this interface, or by
    `NoOnChipMemory`. One that does neither is taken to do anything.
  }];
  let methods = [
    InterfaceMethod<"Shared memory that the operation needs for itself while it runs.",
      "::gluonc::Scratch", "getScratch", (ins), "", "return {};">,
    InterfaceMethod<"Its accesses, but those to scratch.",
      "void", "getAccesses",
      (ins "::llvm::SmallVectorImpl<::gluonc::MemoryAccess> &":$accesses), "", "(void)accesses;">,
    InterfaceMethod<"Whether the threads of a partition synchronize before it accesses anything.",
      "bool", "synchronizesThreads", (ins), "", "return false;">,
    InterfaceMethod<"Of what accesses it awaits the completion, if of any.",
      "std::optional<::gluonc::Completion>", "getAwaited", (ins), "", "return std::nullopt;">,
    InterfaceMethod<[{
      Whether it accesses the memory of other CTAs of the cluster, itself or by an asynchronous
      unit, or has them access its own; scratch apart. Asked only where there are several CTAs.
    }], "bool", "accessesPeers", (ins), "", "return false;">,
    InterfaceMethod<"Bytes that it announces or brings to a barrier.",
      "std::optional<::gluonc::BarrierBytes>", "getBarrierBytes", (ins), "",
      "return std::nullopt;">,
    InterfaceMethod<"The box of a tensor in global memory that it starts to copy, if it does.",
      "std::optional<::gluonc::BoxCopy>", "getBoxCopy", (ins), "", "return std::nullopt;">,
    InterfaceMethod<"Whether what asynchronous units wrote to global memory is there behind it.",
      "bool", "awaitsGlobalWrites", (ins), "", "return false;">,
    InterfaceMethod<"What it does of a barrier of the cluster, if anything.",
      "std::optional<::gluonc::ClusterSync>", "getClusterSync", (ins), "",
      "return std::nullopt;">,
  ];
}

/// The methods named are the operation's own, the others say no.
class OnChip<list<string> methods> : DeclareOpInterfaceMethods<OnChipMemoryOpInterface, methods>;

/// Neither accesses memory on the chip nor synchronizes threads.
def NoOnChip : NativeOpTrait<"NoOnChipMemory"> { let cppNamespace = "::gluonc"; }

/// Its memory effects say what may not move across it; it leaves nothing in memory.
def OnlyOrders : NativeOpTrait<"OnlyOrdersMemory"> { let cppNamespace = "::gluonc"; }

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

def ElementFlowOpInterface : OpInterface<"ElementFlowOpInterface"> {
  let cppNamespace = "::gluonc";
  let description = [{
    Which elements of its tensors belong together, so that a CTA that has some of a result knows
    which of the operands it needs. Every operation of our dialects with tensors answers: by this
    interface, or by `Pointwise`. One that does neither is taken to need any for any.
  }];
  let methods = [
    InterfaceMethod<"Adds what belongs together to `flow`.",
      "void", "flowElements", (ins "::gluonc::ElementFlow &":$flow), "", "flow.isMixed = true;">,
  ];
}

def ElementFlow : DeclareOpInterfaceMethods<ElementFlowOpInterface, ["flowElements"]>;
/// Any element of a result may need any of the operands.
def MixesElements : DeclareOpInterfaceMethods<ElementFlowOpInterface>;
/// Elements belong together that are at one place of tensors with one layout; to others they get
/// through memory only.
def Pointwise : NativeOpTrait<"Pointwise"> { let cppNamespace = "::gluonc"; }

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def LayoutFlowOpInterface : OpInterface<"LayoutFlowOpInterface"> {
  let cppNamespace = "::gluonc";
  let description = [{
    How the layout of one tensor decides those of others. Through an operation that does not
    answer nothing travels: a layout that is left open there is an error.
  }];
  let methods = [
    InterfaceMethod<"What follows if `from`, an operand or result, has the layout of `implied`.",
      "void", "implyLayouts",
      (ins "mlir::Value":$from, "::gluonc::ImpliedLayouts &":$implied), "", [{
        (void)from;
        implied.same($_op->getOperands());
        implied.same($_op->getResults());
      }]>,
  ];
}

def LayoutFlow : DeclareOpInterfaceMethods<LayoutFlowOpInterface, ["implyLayouts"]>;
/// All tensors have one layout.
def SameLayout : DeclareOpInterfaceMethods<LayoutFlowOpInterface>;
/// Each tensor has a layout of its own.
def OwnLayouts : NativeOpTrait<"OwnLayouts"> { let cppNamespace = "::gluonc"; }

#endif
