#include "TritonLaunch.h"
#include "support/File.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace gluonc::tool {

namespace {

/// Prints what became of the launch in the folder of the first argument: a word and a text.
constexpr llvm::StringLiteral script = R"python(
import importlib.util, json, os, sys, traceback

DTYPES = {"i1": "bool", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
          "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2", "fp8e4b8": "float8_e4m3fnuz",
          "fp8e5b16": "float8_e5m2fnuz", **{f"i{n}": f"int{n}" for n in (8, 16, 32, 64)},
          **{f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)}}

def load(request):
    sys.path[:0] = [os.path.dirname(os.path.abspath(request["file"])), *request["path"]]
    spec = importlib.util.spec_from_file_location("gluonc_verified", request["file"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

def launch(folder):
    try:
        import torch
        has_gpu = torch.cuda.is_available()
        if not has_gpu:
            os.environ.update(TRITON_INTERPRET="1")
        import triton
    except ImportError as error:
        return "absent", f"{sys.executable} has no {error.name}"
    with open(folder + "/request.json") as file:
        request = json.load(file)
    module = load(request)
    kernel = getattr(module, request["kernel"])
    if not has_gpu and type(kernel).__name__ != "InterpretedFunction":
        return "absent", f"Triton {triton.__version__} launches kernels of Gluon on GPUs only, and PyTorch sees none"
    device = "cuda" if has_gpu else "cpu"
    buffers = []
    for i in range(request["buffers"]):
        with open(f"{folder}/{i}.bin", "rb") as file:
            data = bytearray(file.read())
        bytes_of = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
        buffers.append(bytes_of.to(device))
    names, arguments = dict(vars(module)), {}
    for each in request["arguments"]:
        if "tensor" in each:
            tensor = each["tensor"]
            dtype = getattr(torch, DTYPES[tensor["dtype"]])
            value = buffers[tensor["buffer"]].view(dtype).as_strided(
                tensor["shape"], tensor["strides"], tensor["offset"])
        else:
            value = each["value"] if "value" in each else eval(each["text"], names)
        names[each["name"]] = value
        if each["is_parameter"]:
            arguments[each["name"]] = value
    kernel[tuple(request["grid"])](**arguments, **request["options"])
    if has_gpu:
        torch.cuda.synchronize()
    for i, buffer in enumerate(buffers):
        with open(f"{folder}/{i}.bin", "wb") as file:
            file.write(buffer.cpu().numpy().tobytes())
    return "ran", f"Triton {triton.__version__}, " + ("GPU" if has_gpu else "interpreter")

try:
    what, text = launch(sys.argv[1])
except Exception as error:
    traceback.print_exc()
    what, text = "failed", f"{type(error).__name__}: {error}"
with open(sys.argv[1] + "/answer.json", "w") as file:
    json.dump({"what": what, "text": text}, file)
)python";

/// Files of one launch.
class Folder {
public:
  Folder() { error = llvm::sys::fs::createUniqueDirectory("gluonc-verify", path); }
  ~Folder() {
    if (!error)
      llvm::sys::fs::remove_directories(path);
  }

  std::string file(const llvm::Twine &name) const { return (path + "/" + name).str(); }
  bool write(const llvm::Twine &name, llvm::StringRef bytes) {
    if (error)
      return false;
    llvm::raw_fd_ostream out(file(name), error);
    out << bytes;
    out.close();
    if (!error)
      error = out.error();
    out.clear_error();
    return !error;
  }

  llvm::SmallString<64> path;
  std::error_code error;
};

llvm::json::Object describeTensor(const host::Tensor &tensor, size_t buffer) {
  return llvm::json::Object{{"dtype", tensor.dtype().shortName()},
                            {"buffer", buffer},
                            {"offset", tensor.byteOffset() / tensor.dtype().byteSize()},
                            {"shape", llvm::json::Array(tensor.shape())},
                            {"strides", llvm::json::Array(tensor.strides())}};
}

/// What the host's scope has under the name: a tensor, a number, or a text to evaluate.
llvm::json::Object describe(const LoadedKernel &loaded, const driver::ArgumentText &text,
                            llvm::ArrayRef<host::Buffer *> buffers) {
  llvm::json::Object object{{"name", text.name},
                            {"is_parameter", loaded.kernel->findParameter(text.name) != nullptr}};
  if (const host::Array *array = loaded.scope->findTensor(text.name)) {
    const auto *at = llvm::find(buffers, array->tensor.storage().get());
    object["tensor"] = describeTensor(array->tensor, at - buffers.begin());
    return object;
  }
  object["text"] = text.value;
  for (const sema::NamedValue &named : loaded.scope->values) {
    if (named.name != text.name)
      continue;
    if (named.value.is(sema::ValueKind::Bool))
      object["value"] = named.value.asBool();
    else if (named.value.is(sema::ValueKind::Float))
      object["value"] = named.value.asDouble();
    else if (std::optional<int64_t> number =
                 named.value.is(sema::ValueKind::Int) ? named.value.asInt64() : std::nullopt)
      object["value"] = *number;
  }
  return object;
}

std::vector<host::Buffer *> buffersOf(const host::HostScope &scope) {
  std::vector<host::Buffer *> buffers;
  for (const auto &[name, array] : scope.tensors)
    if (!llvm::is_contained(buffers, array.tensor.storage().get()))
      buffers.push_back(array.tensor.storage().get());
  return buffers;
}

TritonAnswer failed(const llvm::Twine &why) { return {TritonAnswer::What::Failed, why.str()}; }

/// What Python says became of it; `complaints` is what it wrote.
TritonAnswer readAnswer(const Folder &folder, llvm::ArrayRef<host::Buffer *> buffers) {
  constexpr uint64_t mostAnswer = 1 << 20;
  llvm::Expected<std::string> text = gluonc::readFile(folder.file("answer.json"), mostAnswer);
  if (!text)
    return failed("Python says nothing: " + llvm::toString(text.takeError()));
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(*text);
  const llvm::json::Object *object = json ? json->getAsObject() : nullptr;
  std::optional<llvm::StringRef> what = object ? object->getString("what") : std::nullopt;
  std::optional<llvm::StringRef> words = object ? object->getString("text") : std::nullopt;
  if (!json)
    return failed(llvm::toString(json.takeError()));
  if (!what || !words)
    return failed("Python says something else");
  if (*what != "ran")
    return {*what == "absent" ? TritonAnswer::What::Absent : TritonAnswer::What::Failed,
            words->str()};
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    llvm::Expected<std::string> bytes =
        gluonc::readFile(folder.file(llvm::Twine(i) + ".bin"), buffer->size() + 1);
    if (!bytes)
      return failed(llvm::toString(bytes.takeError()));
    if (bytes->size() != buffer->size())
      return failed("a buffer came back with another size");
    std::memcpy(buffer->data(), bytes->data(), bytes->size());
    buffer->settle();
  }
  return {TritonAnswer::What::Ran, words->str()};
}

} // namespace

TritonAnswer launchByTriton(const Session &session, llvm::StringRef python,
                            const LoadedKernel &loaded, const Session::Input &input,
                            llvm::ArrayRef<driver::ArgumentText> texts, const BoundLaunch &launch,
                            const sema::Options &options) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(python);
  if (!program || !llvm::sys::fs::can_execute(*program))
    return {TritonAnswer::What::Absent, ("there is no `" + python + "`").str()};
  std::vector<host::Buffer *> buffers = buffersOf(*loaded.scope);
  for (host::Buffer *buffer : buffers)
    if (!buffer->reached.empty())
      return {TritonAnswer::What::Absent, "it is given no addresses of tensors"};
  llvm::json::Array arguments;
  for (const driver::ArgumentText &text : texts)
    arguments.push_back(describe(loaded, text, buffers));
  llvm::json::Object request{{"file", input.path.text},
                             {"path", llvm::json::Array(session.searchPath())},
                             {"kernel", loaded.kernel->name},
                             {"buffers", buffers.size()},
                             {"arguments", std::move(arguments)},
                             {"grid", llvm::json::Array(launch.grid)},
                             {"options", llvm::json::Object{{"num_warps", options.numWarps},
                                                            {"num_ctas", options.numCtas}}}};
  Folder folder;
  folder.write("request.json", llvm::formatv("{0}", llvm::json::Value(std::move(request))).str());
  for (auto [i, buffer] : llvm::enumerate(buffers))
    folder.write(llvm::Twine(i) + ".bin",
                 {reinterpret_cast<const char *>(buffer->data()), buffer->size()});
  if (folder.error)
    return failed("no file can be written: " + folder.error.message());
  std::string output = folder.file("output"), why;
  std::optional<llvm::StringRef> redirects[] = {"", output, output};
  if (llvm::sys::ExecuteAndWait(*program, {*program, "-c", script, folder.path}, std::nullopt,
                                redirects, 0, 0, &why))
    return failed(python + " fails" + (why.empty() ? "" : ": " + why));
  return readAnswer(folder, buffers);
}

} // namespace gluonc::tool
