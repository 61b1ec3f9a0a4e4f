//===- ProxyRegisters.h - Takes out NVPTX's proxy registers --------------------===//
#pragma once

namespace llvm {
class MachineFunctionPass;
} // namespace llvm

namespace gluonc::codegen::nvidia {

/// Does what "NVPTX Proxy Register Instruction Erasure" does: whoever reads a proxy reads its
/// source instead, and the proxies go. LLVM's pass walks the whole function for each of them;
/// this one follows the uses.
llvm::MachineFunctionPass *createProxyRegisterErasure();

} // namespace gluonc::codegen::nvidia
