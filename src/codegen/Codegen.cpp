#include "codegen/Backend.h"
#include "codegen/CheckTypes.h"
#include "codegen/core/Emitter.h"
#include "codegen/core/Libraries.h"
#include "codegen/passes/DebugInfo.h"
#include "ir/Dialects.h"
#include "ir/SourceLocation.h"
#include "support/Error.h"
#include "target/Features.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gluonc::codegen {

char UnsupportedError::ID = 0;

void UnsupportedError::log(raw_ostream &out) const { out << text << " has no machine code yet"; }

std::error_code UnsupportedError::convertToErrorCode() const {
  return std::make_error_code(std::errc::not_supported);
}

std::string LlvmModule::print() const {
  std::string text;
  raw_string_ostream out(text);
  module->print(out, nullptr);
  return text;
}

namespace {

unsigned integerAttribute(mlir::ModuleOp module, StringRef name, unsigned otherwise) {
  mlir::IntegerAttr value = module->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? value.getInt() : otherwise;
}

KernelInfo kernelInfo(mlir::ModuleOp module, tt::FuncOp kernel) {
  KernelInfo info;
  info.name = kernel.getSymName().str();
  info.numWarps = integerAttribute(module, "ttg.total-num-warps", ttg::numWarpsOf(kernel));
  info.numCtas = ttg::numCtasOf(kernel);
  info.sharedBytes = integerAttribute(module, ttg::sharedAttr, 0);
  info.globalScratchBytes = integerAttribute(module, ttg::globalScratchAttr, 0);
  info.globalScratchAlignment = integerAttribute(module, ttg::globalScratchAlignmentAttr, 1);
  return info;
}

/// Declares and fills the functions of one module.
class ModuleEmitter {
public:
  ModuleEmitter(ModuleState &state) : state(state), context(state.module.getContext()) {}

  void declare(tt::FuncOp op, bool isKernel) {
    FunctionType *type = signature(op, isKernel);
    Function *function =
        Function::Create(type, isKernel ? Function::ExternalLinkage : Function::InternalLinkage,
                         op.getSymName(), state.module);
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(op.isNoInline() && !isKernel ? Attribute::NoInline
                                                     : Attribute::AlwaysInline);
    if (isKernel)
      annotate(op, *function);
    if (state.debug)
      state.debug->declare(*function, op.getLoc());
    state.functions[op] = function;
  }

  mlir::LogicalResult fill(tt::FuncOp op) {
    Emitter emitter(state, op, *state.functions.lookup(op));
    SmallVector<Value *> arguments;
    for (Argument &argument : emitter.function.args())
      arguments.push_back(&argument);
    if (op.isPublic()) {
      setParameters(emitter, op, arguments);
      emitter.beginTensorMemory();
    } else {
      emitter.values.setFlat(op.getArguments(), arguments);
    }
    return emitter.emitRegion(op.getBody());
  }

private:
  /// What the machine has for a parameter of the kernel.
  SmallVector<Type *> parametersOf(mlir::Type type) {
    if (ttng::Descriptor descriptor = ttng::descriptorOf(type))
      return state.isa.descriptorParameters(context, descriptor.shape.size());
    return RegisterTypes(context, state.isa).ofRegisters(type);
  }

  void setParameters(Emitter &emitter, tt::FuncOp op, ArrayRef<Value *> given) {
    for (mlir::BlockArgument argument : op.getArguments()) {
      ArrayRef<Value *> mine = given.take_front(parametersOf(argument.getType()).size());
      given = given.drop_front(mine.size());
      if (ttng::Descriptor descriptor = ttng::descriptorOf(argument.getType()))
        emitter.set(argument,
                    state.isa.readDescriptor(emitter.builder, mine, descriptor.shape.size()));
      else
        emitter.set(argument, Registers(mine.begin(), mine.end()));
    }
  }

  FunctionType *signature(tt::FuncOp op, bool isKernel) {
    RegisterTypes types(context, state.isa);
    SmallVector<Type *> parameters, results;
    for (mlir::Type type : op.getArgumentTypes())
      append_range(parameters, isKernel ? parametersOf(type) : types.ofRegisters(type));
    for (mlir::Type type : op.getResultTypes())
      append_range(results, types.ofRegisters(type));
    if (isKernel)
      parameters.append(2, PointerType::get(context, GlobalSpace));
    Type *result = results.empty()       ? Type::getVoidTy(context)
                   : results.size() == 1 ? results[0]
                                         : StructType::get(context, results);
    return FunctionType::get(result, parameters, false);
  }

  /// Launch bounds, and what is known of the arguments.
  void annotate(tt::FuncOp op, Function &function) {
    function.removeFnAttr(Attribute::AlwaysInline);
    mlir::ModuleOp module = op->getParentOfType<mlir::ModuleOp>();
    std::optional<unsigned> maxRegisters;
    if (unsigned given = integerAttribute(module, ttg::maxRegistersAttr, 0))
      maxRegisters = given;
    SmallVector<unsigned> descriptors;
    unsigned place = 0;
    for (auto [i, type] : enumerate(op.getArgumentTypes())) {
      if (ttng::descriptorOf(type))
        descriptors.push_back(place);
      mlir::IntegerAttr divisibility = op.getArgAttrOfType<mlir::IntegerAttr>(i, "tt.divisibility");
      if (divisibility && isa<tt::PointerType>(type) && isPowerOf2_64(divisibility.getInt()))
        function.getArg(place)->addAttr(
            Attribute::getWithAlignment(context, Align(divisibility.getInt())));
      place += parametersOf(type).size();
    }
    state.isa.markKernel(function, state.kernel, maxRegisters, descriptors);
  }

  ModuleState &state;
  LLVMContext &context;
};

/// A comment for each partition, which timelines read (driver/predict): "// warps 4 to 7: load".
std::string partitionComments(tt::FuncOp kernel) {
  std::string text;
  raw_string_ostream out(text);
  auto add = [&](unsigned first, unsigned warps, mlir::Region &region) {
    if (StringRef name = nameOf(region.back().getTerminator()->getLoc()); !name.empty())
      out << "// warps " << first << " to " << first + warps - 1 << ": " << name << '\n';
  };
  kernel.walk([&](ttg::WarpSpecializeOp op) {
    add(0, unsigned(ttg::numWarpsOf(kernel)), op.getDefaultRegion());
    if (auto starts = op.getWarpGroupStartIds())
      for (auto [start, warps, region] :
           zip_equal(*starts, op.getPartitionNumWarps(), op.getPartitions()))
        add(unsigned(start), unsigned(warps), region);
  });
  return text;
}

/// The one public function; null, with `error` set, where there is none or more.
tt::FuncOp findKernel(mlir::ModuleOp module, Error &error) {
  tt::FuncOp kernel;
  for (tt::FuncOp function : module.getOps<tt::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (kernel) {
      error = make_error<UnsupportedError>(function.getLoc(), "a module with several kernels");
      return nullptr;
    }
    kernel = function;
  }
  if (!kernel)
    error = make_error<UnsupportedError>(module.getLoc(), "a module without a kernel");
  return kernel;
}

} // namespace

Error Backend::legalize(mlir::ModuleOp module) const {
  Error error = Error::success();
  tt::FuncOp kernel = findKernel(module, error);
  if (!kernel)
    return error;
  cantFail(std::move(error));
  if (unsigned(ttg::numCtasOf(kernel)) > target.maxCtasPerCluster())
    return make_error<UnsupportedError>(kernel.getLoc(), "a cluster of several CTAs");
  if (integerAttribute(module, ttg::tensorMemorySizeAttr, 0) &&
      !target::has(target, target::Feature::TensorMemory))
    return make_error<UnsupportedError>(kernel.getLoc(), "tensor memory");
  for (tt::FuncOp function : module.getOps<tt::FuncOp>())
    if (Error problem = checkTypes(function))
      return problem;
  return Error::success();
}

Expected<LlvmModule> Backend::emit(mlir::ModuleOp module) const {
  Error error = Error::success();
  tt::FuncOp kernel = findKernel(module, error);
  cantFail(std::move(error));

  LlvmModule result;
  result.context = std::make_unique<LLVMContext>();
  result.module = std::make_unique<Module>("gluonc", *result.context);
  result.kernel = kernelInfo(module, kernel);
  isa().prepareModule(*result.module);

  Expected<Libraries> libraries = Libraries::read(options, *result.context);
  if (!libraries)
    return libraries.takeError();

  std::optional<DebugInfo> debug;
  if (options.lineInfo)
    debug.emplace(*result.module, /*hasInlined=*/!target.isNvidia());
  ModuleState state = {.module = *result.module,
                       .isa = isa(),
                       .target = target,
                       .options = options,
                       .kernel = result.kernel,
                       .debug = debug ? &*debug : nullptr,
                       .libraries = *libraries,
                       .shared = isa().sharedMemory(*result.module)};
  ModuleEmitter emitter(state);
  for (tt::FuncOp function : module.getOps<tt::FuncOp>())
    if (!function.isExternal())
      emitter.declare(function, function == kernel);
  for (tt::FuncOp function : module.getOps<tt::FuncOp>())
    if (!function.isExternal() && failed(emitter.fill(function)))
      return make_error<UnsupportedError>(*state.failure);
  if (debug) {
    debug->finish();
    if (target.isNvidia())
      result.module->appendModuleInlineAsm(partitionComments(kernel));
  }
  std::string problem;
  raw_string_ostream out(problem);
  if (verifyModule(*result.module, &out))
    GL_ICE("emitted LLVM IR is not valid: " + problem);
  if (Error failure = libraries->linkInto(*result.module, options.flushesSubnormals))
    return std::move(failure);
  return result;
}

} // namespace gluonc::codegen
