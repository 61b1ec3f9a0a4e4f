//===- Backend.h - From ttg to the machine code of one vendor's chips ---------===//
//
//   legalize   refuses what has no machine code
//   emit       verified ttg, after the transform pipeline  ->  LLVM IR
//   optimize   LLVM IR, in place
//   print      LLVM IR -> assembly
//   assemble   assembly -> machine code, by the vendor's assembler
//
// Each vendor's folder has one, and an Isa for the emitters; nothing outside of the
// folder includes its headers. Nothing here prints, reads the environment or keeps
// state that a caller could see. A back end serves one compilation at a time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Codegen.h"
#include "support/Timing.h"

namespace gluonc::codegen {

class Isa;

/// What an assembler says about the kernel that it made code of.
struct ResourceUsage {
  std::string kernel;
  unsigned registers = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  /// It would fit, and spills a little so that one more program shares a multiprocessor.
  bool spillsByChoice = false;
  unsigned stackBytes = 0;
  /// Static shared memory; the dynamic part is KernelInfo::sharedBytes.
  unsigned sharedBytes = 0;
  /// Why ptxas lets each wgmma wait for the one before, in its words; empty: it does not.
  std::string serialization;
};

/// A kernel in one form.
struct Artifact {
  /// "ptx", "cubin", "amdgcn", "hsaco": as `--emit` names it.
  std::string kind;
  std::string bytes;
  /// Of machine code.
  std::optional<ResourceUsage> resources = std::nullopt;
  /// Dynamic shared memory of the kernel, where that is known: the assembler is not told.
  unsigned sharedBytes = 0;
};

/// The vendor's assembler, or what it needs, failed: why, where that is known, and in its own
/// words.
class AssemblerError : public llvm::ErrorInfo<AssemblerError> {
public:
  enum class Cause : uint8_t {
    Unknown,
    /// The kernel needs more registers than its threads may have.
    TooFewRegisters,
  };

  static char ID;
  explicit AssemblerError(std::string reason, Cause cause = Cause::Unknown)
      : text(std::move(reason)), why(cause) {}
  const std::string &reason() const { return text; }
  Cause cause() const { return why; }
  void log(llvm::raw_ostream &out) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string text;
  Cause why;
};

class Backend {
public:
  Backend(const target::Target &target, const Options &options)
      : target(target), options(options) {}
  virtual ~Backend() = default;

  /// The vendor's assembler, and how to come by it.
  struct Assembler {
    llvm::StringLiteral name, hint;
  };
  /// Nullopt where machine code is made in this process.
  virtual std::optional<Assembler> assembler() const = 0;

  /// Fails with UnsupportedError. There must be exactly one public `tt.func`, the kernel.
  virtual llvm::Error legalize(mlir::ModuleOp module) const;
  /// Private functions are emitted as internal ones. Fails with UnsupportedError.
  llvm::Expected<LlvmModule> emit(mlir::ModuleOp module) const;
  virtual void optimize(LlvmModule &module) const = 0;
  /// Leaves `module` in a state that is good for printing only.
  virtual llvm::Expected<Artifact> print(LlvmModule &module) const = 0;
  /// By the program `assembler`, wherever the caller found it, where there is one. Fails with
  /// AssemblerError.
  virtual llvm::Expected<Artifact> assemble(const Artifact &assembly,
                                            llvm::StringRef assembler) const = 0;

  /// Whether it has an emit function for the operation.
  bool emits(mlir::OperationName name) const;
  /// The first three in a row.
  llvm::Expected<LlvmModule> makeLlvm(mlir::ModuleOp module, Timings *timings = nullptr) const;

protected:
  virtual const Isa &isa() const = 0;

  target::Target target;
  Options options;
};

/// Null for a chip that has none yet.
std::unique_ptr<Backend> createBackend(const target::Target &target, const Options &options = {});

// What the folders of vendors define.
namespace nvidia {
std::unique_ptr<Backend> createBackend(const target::Target &target, const Options &options);
}
namespace amd {
std::unique_ptr<Backend> createBackend(const target::Target &target, const Options &options);
}

} // namespace gluonc::codegen
