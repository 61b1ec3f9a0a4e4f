// The modules of the language: which names each of them has.

#include "sema/names/Language.h"

#include "sema/library/Library.h"
#include "sema/names/ProgramState.h"

#include <cmath>

namespace gluonc::sema {

using diag::Kind;

/// Names under which the same modules are imported, longest first.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> canonical[] = {
    {"triton.experimental.gluon.language", "gl"},
    {"triton.experimental.gluon", "gluon"},
    {"gluonc.language", "gl"},
    {"gluonc", "gluon"},
    {"triton.language.extra.hip.libdevice", "gl.extra.libdevice"},
    {"triton.language.extra.hip.utils", "gl.extra.hip"},
    {"triton.language.extra.cuda.gdc", "gl.extra"},
    {"triton.language.extra.cuda.utils", "gl.extra"},
    {"triton.language.extra.cuda", "gl.extra"},
    {"triton.language.extra", "gl.extra"},
    {"triton.language", "tl"},
    {"triton.profiler.language", "gl.profiler"},
};

static std::string canonicalPath(llvm::StringRef dotted) {
  for (auto [prefix, path] : canonical) {
    llvm::StringRef rest = dotted;
    if (rest.consume_front(prefix) && (rest.empty() || rest.starts_with(".")))
      return (path + rest).str();
  }
  return dotted.str();
}

/// Modules that exist; everything below `gl.nvidia` and `gl.amd` is found by its builtins too.
static constexpr llvm::StringLiteral modulePaths[] = {
    "triton",
    "triton.experimental",
    "triton.language",
    "triton.profiler",
    "triton.runtime",
    "triton.runtime.autotuner",
    "triton.runtime.jit",
    "gluon",
    "gluon.nvidia",
    "gluon.nvidia.ampere",
    "gluon.nvidia.hopper",
    "gluon.nvidia.blackwell",
    "gluon.amd",
    "gl",
    "tl",
    "tl.core",
    "tl.math",
    "tl.standard",
    "tl.random",
    "tl.target_info",
    "gl.math",
    "gl.extra",
    "gl.extra.hip",
    "gl.extra.libdevice",
    "gl.fpsan",
    "gl.profiler",
    "gl.nvidia",
    "gl.nvidia.ampere",
    "gl.nvidia.ampere.async_copy",
    "gl.nvidia.ampere.mbarrier",
    "gl.nvidia.hopper",
    "gl.nvidia.hopper.async_copy",
    "gl.nvidia.hopper.tma",
    "gl.nvidia.hopper.mbarrier",
    "gl.nvidia.hopper.cluster",
    "gl.nvidia.blackwell",
    "gl.nvidia.blackwell.async_copy",
    "gl.nvidia.blackwell.tma",
    "gl.nvidia.blackwell.mbarrier",
    "gl.nvidia.blackwell.cluster",
    "gl.nvidia.blackwell.clc",
    "gl.nvidia.blackwell.float2",
    "gl.nvidia.rubin",
    "gl.amd",
    "gl.amd.cdna3",
    "gl.amd.cdna4",
    "gl.amd.cdna4.async_copy",
    "gl.amd.cdna5",
    "gl.amd.cdna5.async_copy",
    "gl.amd.cdna5.mbarrier",
    "gl.amd.cdna5.cluster",
    "gl.amd.cdna5.tdm",
    "gl.amd.gfx1250",
    "gl.amd.gfx1250.async_copy",
    "gl.amd.gfx1250.mbarrier",
    "gl.amd.gfx1250.cluster",
    "gl.amd.gfx1250.tdm",
    "gl.amd.hint",
    "gl.amd.rdna3",
    "gl.amd.rdna4",
    "math",
    "importlib",
    "collections",
    "copy",
    "dataclasses",
    "functools",
    "itertools",
    "os",
    "os.environ",
    "typing",
};

/// Modules of Python of which compile-time code uses a few functions; the rest is host code.
static bool isPythonModule(llvm::StringRef path) {
  static constexpr llvm::StringLiteral names[] = {"collections", "copy", "dataclasses", "functools",
                                                  "itertools",   "os",   "os.environ",  "typing"};
  return llvm::is_contained(names, path);
}

Module *findLanguageModule(Program &program, llvm::StringRef dotted) {
  std::string path = canonicalPath(dotted);
  if (!llvm::is_contained(modulePaths, llvm::StringRef(path)))
    return nullptr;
  std::unique_ptr<LanguageModule> &module = program.state().language[path];
  if (!module)
    module = std::make_unique<LanguageModule>(program, path);
  return module.get();
}

static MaybeValue notSupported(Interpreter &interpreter, const IntrinsicCall &call) {
  interpreter.report(Kind::NotSupportedYet, call.span, call.self.name).end();
  return std::nullopt;
}

/// `importlib.import_module("07-persistence")`: for files whose names are no identifiers.
static MaybeValue importByName(Interpreter &interpreter, const IntrinsicCall &call) {
  Module *module = interpreter.frame().module;
  if (!call[0].is(ValueKind::String) || !module || module->isBuiltin())
    return Value::opaque("importlib.import_module");
  return importModule(interpreter.program, static_cast<SourceModule &>(*module), call[0].asString(),
                      /*level=*/0, interpreter);
}

static const Intrinsic importModuleFunction{"import_module", "name, package=", importByName};

static Value stub(Program &program, llvm::StringRef path) {
  auto &entry = *program.state().stubs.try_emplace(path).first;
  if (!entry.second)
    entry.second = std::make_unique<Intrinsic>(entry.first(), Signature("*args"), notSupported);
  return Value::builtin(entry.second.get());
}

bool isStub(const Value &value) {
  const Intrinsic *intrinsic = asIntrinsic(value);
  return intrinsic && intrinsic->evaluate == notSupported;
}

Value stubMember(Program &program, const Value &owner, llvm::StringRef name) {
  return stub(program, (owner.asBuiltin().name + "." + name).str());
}

/// dtypes by the names under which `gl` and `tl` have them.
static MaybeValue findDType(llvm::StringRef name) {
  if (name == "void")
    return Value::dtype(ScalarKind::Void);
  // Short spellings (`i32`, `fp32`) are for signatures, not for source.
  bool isMember = name.starts_with("int") || name.starts_with("uint") ||
                  name.starts_with("float") || name == "bfloat16";
  if (!isMember || name == "float" || name == "int")
    return std::nullopt;
  std::optional<DType> dtype = DType::parse(name);
  return dtype ? MaybeValue(Value::dtype(*dtype)) : std::nullopt;
}

static MaybeValue findLanguageMember(llvm::StringRef name) {
  if (MaybeValue dtype = findDType(name))
    return dtype;
  if (const Intrinsic *intrinsic = findLanguageIntrinsic(name))
    return Value::builtin(intrinsic);
  if (const Intrinsic *constructor = findLayoutConstructor(name))
    return Value::builtin(constructor);
  if (const Intrinsic *policy = findCachePolicy(name))
    return Value::builtin(policy);
  if (const Builtin *builtin = ops::findBuiltin(name))
    return Value::builtin(builtin);
  if (name == "PropagateNan")
    return Value::tuple({Value::integer(0), Value::integer(0xffff)}, {"NONE", "ALL"});
  return std::nullopt;
}

static MaybeValue mathMember(llvm::StringRef name) {
  if (name == "pi")
    return Value::real(M_PI);
  if (name == "e")
    return Value::real(M_E);
  if (name == "inf")
    return Value::real(INFINITY);
  if (name == "nan")
    return Value::real(NAN);
  if (const Intrinsic *function = findMathFunction(name))
    return Value::builtin(function);
  return std::nullopt;
}

/// Members of `triton` and `gluon` that concern kernels; the rest of them is host code.
static bool isHostMarker(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "jit",  "constexpr_function", "aggregate", "must_use_result", "autotune", "heuristics",
      "cdiv", "next_power_of_2",    "constexpr"};
  return llvm::is_contained(names, name);
}

std::vector<llvm::StringRef> LanguageModule::names() const {
  std::vector<llvm::StringRef> result;
  if (name() == "gl" || name() == "tl") {
    appendLanguageNames(result);
    appendLayoutNames(result);
    appendCachePolicyNames(result);
    ops::appendBuiltinNames(result);
  }
  if (name() == "tl") {
    appendTritonNames(result);
    appendLibraryNames(result);
  }
  return result;
}

/// What Triton's modules have and Gluon's have not.
static MaybeValue tritonMember(llvm::StringRef module, llvm::StringRef name,
                               Interpreter &interpreter) {
  // `tl.core`, `tl.standard` and `tl.random` are where the names of `tl` are defined.
  std::string path = name.str();
  if (module == "gl.extra.hip" && name.starts_with("num_"))
    path = ("extra." + name).str();
  else if (module == "tl.target_info" || module.starts_with("gl.extra"))
    path = (module.split('.').second + "." + name).str();
  if (MaybeValue member = findTritonMember(path))
    return member;
  return findLibraryMember(interpreter, path);
}

std::optional<Value> LanguageModule::lookup(llvm::StringRef memberName, Interpreter &interpreter) {
  llvm::StringRef path = name();
  std::string full = (path + "." + memberName).str();
  // `gluon.language` and its like are modules under another name.
  if (path == "gluon" && memberName == "language")
    full = "gl";
  else if (path == "triton.experimental" && memberName == "gluon")
    full = "gluon";
  else if (path == "triton" && memberName == "language")
    full = "tl";
  else if (path == "triton.profiler" && memberName == "language")
    full = "gl.profiler";
  // A Python process has one module for both languages.
  else if (path == "gl" && memberName == "core")
    full = "tl.core";
  else if (path == "tl" && memberName == "extra")
    full = "gl.extra";
  else if (path == "gl.extra" && llvm::is_contained({"cuda", "gdc", "utils"}, memberName))
    full = path;
  else if (path == "gl.extra.hip" && memberName == "utils")
    full = path;
  else if (path == "gl.extra.hip" && memberName == "libdevice")
    full = "gl.extra.libdevice";
  if (Module *submodule = findLanguageModule(program, full))
    return Value::module(submodule);
  if (path == "math")
    return mathMember(memberName);
  if (const Intrinsic *function = findHostFunction(full))
    return Value::builtin(function);
  if (isPythonModule(path))
    return Value::opaque(full);
  if (path == "importlib")
    return memberName == "import_module" ? Value::builtin(&importModuleFunction)
                                         : Value::opaque(full);
  bool isOfBoth = path == "gl" && (memberName == "block_type" || memberName == "tuple_type");
  if (isOfBoth || path.starts_with("tl") || path.starts_with("gl.extra"))
    if (MaybeValue member = tritonMember(path, memberName, interpreter))
      return member;
  if (path == "gl" || path.starts_with("tl") || path.ends_with(".math")) {
    // The markers belong to `gluon`.
    if (memberName != "constexpr" && memberName != "cdiv" && isHostMarker(memberName))
      return std::nullopt;
    // Triton's name for it, which Gluon does not have.
    if (memberName == "debug_barrier" && path != "gl")
      memberName = "thread_barrier";
    if (MaybeValue member = findLanguageMember(memberName))
      return member;
    return std::nullopt;
  }
  if (path == "gluon" || path.starts_with("gluon.") || path.starts_with("triton")) {
    if (memberName == "jit" && path.starts_with("triton"))
      memberName = "triton.jit";
    else if (!isHostMarker(memberName))
      return Value::opaque(full);
    return Value::builtin(findLanguageIntrinsic(memberName));
  }
  // Vendor modules: implemented builtins by their full name, everything else is still to come.
  llvm::StringRef relative = llvm::StringRef(full).drop_front(llvm::StringRef("gl.").size());
  if (const Builtin *builtin = ops::findBuiltin(relative))
    return Value::builtin(builtin);
  if (const Intrinsic *constructor = findLayoutConstructor(relative))
    return Value::builtin(constructor);
  // Triton's modules of chips import layouts of their vendor, so they can be reached there, too.
  if (memberName.ends_with("Layout")) {
    std::string ofVendor = (relative.split('.').first + "." + memberName).str();
    for (llvm::StringRef other : {llvm::StringRef(ofVendor), memberName})
      if (const Intrinsic *constructor = findLayoutConstructor(other))
        return Value::builtin(constructor);
  }
  if (const Intrinsic *policy = findCachePolicy(relative))
    return Value::builtin(policy);
  if (const Intrinsic *valueClass = findLanguageIntrinsic(relative))
    return Value::builtin(valueClass);
  // Rubin has what Blackwell has, but for the arithmetic of pairs that came before add2.
  if (path == "gl.nvidia.rubin" && memberName != "float2")
    return findLanguageModule(program, "gl.nvidia.blackwell")->lookup(memberName, interpreter);
  return stub(program, relative);
}

} // namespace gluonc::sema
