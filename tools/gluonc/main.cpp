//===- main.cpp - gluonc ------------------------------------------------------===//
#include "Main.h"
#include "Session.h"

#include "llvm/ADT/StringExtras.h"

#include <fcntl.h>
#include <unistd.h>

using namespace gluonc;
using namespace gluonc::tool;

namespace {

constexpr llvm::StringLiteral verdicts = "ignore warn fault";

constexpr OptionSpec runOptions[] = {
    {"--grid", "X[,Y[,Z]]", "programs to run, an expression (default 1)"},
    {"--device", "DEVICE",
     "cpu, ptx, amdgcn, cuda[:N] or hip[:N] (default: the first GPU, else cpu)",
     "cpu ptx amdgcn cuda hip"},
    {"--target", "TARGET", "chip to specialize for on the CPU (default cuda:90a)"},
    {"--num-warps", "N", "warps of a program (default 4)"},
    {"--num-ctas", "N", "CTAs of a cluster (default 1)"},
    {"--num-stages", "N", "stages of loops in Triton that load ahead (default 3)"},
    {"--maxnreg", "N", "registers that a thread may have"},
    {"--ttgir", "FILE", "run this IR, ours or Triton's, in place of what the source gives"},
    {"--hsaco", "FILE",
     "on amdgcn: execute this code object, with the same parameters, in place of ours"},
    {"--save", "NAME=FILE.npy", "write a tensor after the run; may be repeated"},
    {"--expect", "EXPR", "what must hold after the run; may be repeated"},
    {"--rtol", "X", "relative tolerance of allclose() calls that give none"},
    {"--atol", "X", "absolute tolerance of allclose() calls that give none"},
    {"--schedule-seed", "N", "on the CPU: let partitions take turns at random, as N decides"},
    {"--races", "VERDICT",
     "on the CPU: ignore, warn or fault (default) where programs race for global memory", verdicts},
    {"--masked-off", "VERDICT",
     "on the CPU: the same where masked-off elements of loads decide something (default warn)",
     verdicts},
    {"--unknown-reads", "VERDICT",
     "on the CPU: the same for loads of what nothing has written, or behind a tensor (default "
     "fault)",
     verdicts},
    {"--max-branches", "N", "on the CPU: after which a program counts as endless (default 2^26)"},
    {"--state", "FILE", "on ptx: where a fault writes registers and memory of all threads"},
    {"--trace", "FILE",
     "a timeline, JSON for Perfetto, or a page for FILE.html: on ptx or amdgcn, which it chooses, "
     "by "
     "the performance model, on cuda measured in the kernel"},
    {"--time", "", "measure: on a GPU the median of 20 launches with a cold cache"},
    {"--time-passes", "", "print how long each stage of the compiler took"},
    {"--debug", "", "turn on device_assert and overflow checks"},
    {"--line-info", "", "map instructions to source lines"},
    {"--no-fp-fusion", "", "do not fuse multiplication and addition"},
    {"--library", "FILE",
     "LLVM IR, text or bitcode, with functions that the kernel calls; may be repeated"},
    {"--keep-subnormals", "", "approximations of NVIDIA's chips do not take them for zero"},
    {"--no-cache", "", "neither read nor write the cache of compiled kernels"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec compileOptions[] = {
    {"--target", "TARGET", "cuda:80, cuda:90a, cuda:100a, hip:gfx942, …"},
    {"--emit", "STAGE",
     "tokens, ast, ttgir (before passes), ttgir-opt, llir; ptx, cubin (default) or "
     "sass; amdgcn or hsaco (default)"},
    {"-o", "PATH", "where the result goes; - is the standard output"},
    {"--num-warps", "N", "warps of a program (default 4)"},
    {"--num-ctas", "N", "CTAs of a cluster (default 1)"},
    {"--num-stages", "N", "stages of loops in Triton that load ahead (default 3)"},
    {"--maxnreg", "N", "registers that a thread may have"},
    {"--remarks", "", "say what is chosen for kernels of Triton, and why"},
    {"--time-passes", "", "print how long each stage took"},
    {"--repeat", "N", "compile N times in this process; print medians as JSON"},
    {"--python", "VERSION", "3.11 or 3.12 (default): whose ast.dump `--emit ast` prints",
     "3.11 3.12"},
    {"--debug", "", "turn on device_assert and overflow checks"},
    {"--line-info", "", "map instructions to source lines"},
    {"--no-fp-fusion", "", "do not fuse multiplication and addition"},
    {"--library", "FILE",
     "LLVM IR, text or bitcode, with functions that the kernel calls; may be repeated"},
    {"--keep-subnormals", "", "approximations of NVIDIA's chips do not take them for zero"},
    {"--no-cache", "", "neither read nor write the cache of compiled kernels"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec liftOptions[] = {
    {"--target", "TARGET", "cuda:80, cuda:90a, hip:gfx942, …: the chip to choose for"},
    {"-o", "PATH", "where the file goes; - (default) is the standard output"},
    {"--values", "", "arguments are values, as `gluonc run` takes them, in place of types"},
    {"--unchecked", "", "print it though it may compile to other code"},
    {"--num-warps", "N", "warps of a program (default 4)"},
    {"--num-ctas", "N", "CTAs of a cluster (default 1)"},
    {"--num-stages", "N", "stages of loops in Triton that load ahead (default 3)"},
    {"--maxnreg", "N", "registers that a thread may have"},
    {"--debug", "", "turn on device_assert and overflow checks"},
    {"--no-fp-fusion", "", "do not fuse multiplication and addition"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec explainOptions[] = {
    {"--grid", "X[,Y[,Z]]", "programs to run, an expression (default 1)"},
    {"--target", "TARGET", "cuda:80, cuda:90a, …: the chip to compile for"},
    {"--format", "FORMAT", "text (default), json, or html: a page", "text json html"},
    {"-o", "PATH", "where the report of one kernel goes; - is the standard output"},
    {"--diff", "FILE.py::KERNEL", "compare with this kernel, launched with the same arguments"},
    {"--remarks", "", "say what is chosen for kernels of Triton, and why"},
    {"--trace", "FILE", "a timeline by the performance model, as `gluonc run` writes it"},
    {"--num-warps", "N", "warps of a program (default 4)"},
    {"--num-ctas", "N", "CTAs of a cluster (default 1)"},
    {"--num-stages", "N", "stages of loops in Triton that load ahead (default 3)"},
    {"--maxnreg", "N", "registers that a thread may have"},
    {"--no-fp-fusion", "", "do not fuse multiplication and addition"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec verifyOptions[] = {
    {"--grid", "X[,Y[,Z]]", "programs to run, an expression (default 1)"},
    {"--target", "TARGET", "chip to specialize for (default that of the first GPU, else cuda:90a)"},
    {"--rounds", "N", "so many rounds, each with arguments and data of its own (default 1)"},
    {"--seed", "S", "of the first round; the next have those that follow (default 0)"},
    {"--explore", "N", "try up to N schedules of the simulator: results must not depend on them"},
    {"--all-orders", "",
     "with --explore: operations that do not depend on each other in each order, too"},
    {"--schedule", "C,C,…", "in place of --explore: this one, as a failure names it"},
    {"--odd", "", "random floats are infinite, NaN, zero, subnormal, the largest here and there"},
    {"--ulp", "N", "how far results may be apart (default: what docs/accuracy.md says)"},
    {"--rtol", "X", "with --atol: or so close, as allclose() has it"},
    {"--atol", "X", "absolute part of the same"},
    {"--triton", "PYTHON", "a Python that has Triton (default python3); no: without Triton"},
    {"--format", "FORMAT", "text (default) or json", "text json"},
    {"--num-warps", "N", "warps of a program (default 4)"},
    {"--num-ctas", "N", "CTAs of a cluster (default 1)"},
    {"--num-stages", "N", "stages of loops in Triton that load ahead (default 3)"},
    {"--maxnreg", "N", "registers that a thread may have"},
    {"--schedule-seed", "N", "simulator: let partitions take turns at random, as N decides"},
    {"--races", "VERDICT",
     "simulator: ignore, warn or fault (default) where programs race for global memory", verdicts},
    {"--masked-off", "VERDICT",
     "simulator: the same where masked-off elements of loads decide something (default warn)",
     verdicts},
    {"--unknown-reads", "VERDICT",
     "simulator: the same for loads of what nothing has written, or behind a tensor (default "
     "fault)",
     verdicts},
    {"--max-branches", "N", "simulator: after which a program counts as endless (default 2^26)"},
    {"--debug", "", "turn on device_assert and overflow checks"},
    {"--no-fp-fusion", "", "do not fuse multiplication and addition"},
    {"--no-cache", "", "neither read nor write the cache of compiled kernels"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec debugOptions[] = {
    {"--grid", "X[,Y[,Z]]", "programs to run, an expression (default 1)"},
    {"--target", "TARGET", "chip to specialize for (default cuda:90a)"},
    {"--command", "COMMAND", "do this before what is read; may be repeated"},
    {"--dap", "", "speak the Debug Adapter Protocol, for VS Code and others, which say the rest"},
    {"--num-warps", "N", "warps of a program (default 4)"},
    {"--num-ctas", "N", "CTAs of a cluster (default 1)"},
    {"--num-stages", "N", "stages of loops in Triton that load ahead (default 3)"},
    {"--maxnreg", "N", "registers that a thread may have"},
    {"--schedule-seed", "N", "let partitions take turns at random, as N decides"},
    {"--races", "VERDICT", "ignore, warn or fault (default) where programs race for global memory",
     verdicts},
    {"--masked-off", "VERDICT",
     "the same where masked-off elements of loads decide something (default warn)", verdicts},
    {"--unknown-reads", "VERDICT",
     "the same for loads of what nothing has written, or behind a tensor (default fault)",
     verdicts},
    {"--max-branches", "N", "after which a program counts as endless (default 2^26)"},
    {"--debug", "", "turn on device_assert and overflow checks"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec checkOptions[] = {
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec lspOptions[] = {
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec layoutOptions[] = {
    {"--shape", "M,N,…", "shape of the tensor that is laid out"},
    {"--view", "VIEW", "elements (default): where each is; memory: what lies where",
     "elements memory"},
    {"--to", "LAYOUT",
     "who sends what to whom when the layout changes; with shared memory: bank conflicts"},
    {"--product", "K", "the operands of a matrix product of this depth, beside the result"},
    {"--k-width", "N", "neighbours along K in a thread (default: a register of 32 bits)"},
    {"--format", "FORMAT", "text (default), svg or html", "text svg html"},
    {"--element-bits", "N", "width of an element, for memory (default 32)"},
    {"-o", "PATH", "where the picture goes; - is the standard output"},
};

constexpr OptionSpec pipelineOptions[] = {
    {"--iterations", "N", "of the loop, 1 to 64 (default 6)"},
    {"--format", "FORMAT", "text (default), svg or html", "text svg html"},
    {"-o", "PATH", "where the picture goes; - is the standard output"},
    {"--target", "TARGET", "cuda:80, cuda:90a, …: the chip that a kernel is compiled for"},
    {"--values", "", "arguments are values, as `gluonc run` takes them, in place of types"},
    {"--num-warps", "N", "warps of a program (default 4)"},
    {"--num-ctas", "N", "CTAs of a cluster (default 1)"},
    {"--num-stages", "N", "stages of loops in Triton that load ahead (default 3)"},
    {"--maxnreg", "N", "registers that a thread may have"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec docOptions[] = {
    {"--pages", "FOLDER", "write the pages of docs/reference"},
    {"--stubs", "FOLDER", "write stubs of gluonc.language for Python's tools"},
};

constexpr OptionSpec infoOptions[] = {
    {"--format", "FORMAT", "text (default) or json", "text json"},
};

constexpr OptionSpec cacheOptions[] = {
    {"--format", "FORMAT", "list, stats: text (default) or json", "text json"},
    {"--remote", "PLACE", "push, pull: a folder or a URL, in place of GLUONC_REMOTE_CACHE"},
    {"--keys", "FILE", "push, pull: keys, in place of GLUONC_REMOTE_CACHE_KEYS"},
    {"--list", "FILE", "push: where names of what was put there go; pull: where they are read"},
    {"--hmac", "", "keygen: one shared secret in place of a pair of keys"},
    {"--older-than", "DAYS", "prune: what was not used for so long"},
    {"--max-mb", "N", "prune: what was used longest ago, until N MB are left"},
    {"--all", "", "prune: everything"},
};

constexpr OptionSpec buildOptions[] = {
    {"-o", "FILE", "where the bundle goes"},
    {"--header", "FILE", "where a C++ header goes that has a function for each kernel"},
    {"--target", "TARGET", "a chip, in place of the manifest's `targets`; may be repeated"},
    {"--depfile", "FILE", "where the list of files goes that were read, for make and ninja"},
    {"--variant", "KERNEL:N", "a part of the bundle: this variant alone, counted from 0"},
    {"--graph", "FORMAT", "write what makes the bundle in parts, to the file of -o: ninja or json",
     "ninja json"},
    {"--ptx", "", "PTX in place of cubins: drivers compile it, that for the CPU executes it"},
    {"-j", "N", "kernels to compile at a time (default: one for each processor)"},
    {"--no-cache", "", "neither read nor write the cache of compiled kernels"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec tuneOptions[] = {
    {"-o", "FILE",
     "where the manifest with the variants goes, beside the given one; - is the output"},
    {"--device", "DEVICE", "cuda, cuda:N, hip, hip:N, or model (default: a GPU where there is one)",
     "cuda hip model"},
    {"--target", "TARGET", "the chip that the model is of (default: cuda:90a)"},
    {"--kernel", "NAME", "tune this kernel alone; may be repeated"},
    {"--rounds", "N", "rounds of measuring, of which the time is the median (default 5)"},
    {"--format", "FORMAT", "what was measured: text (default) or json", "text json"},
    {"-j", "N", "candidates to compile at a time (default: one for each processor)"},
    {"--no-cache", "", "neither read nor write the cache of compiled kernels"},
    {"-I", "FOLDER", "where `import` looks behind the file's own folder; may be repeated"},
};

constexpr OptionSpec bundleOptions[] = {
    {"--format", "FORMAT", "inspect: text (default) or json", "text json"},
    {"--target", "TARGET", "strip: keep what is for this chip; may be repeated"},
    {"--kernel", "NAME", "strip: keep this kernel; may be repeated"},
    {"-o", "FILE", "strip, merge: where the bundle goes"},
    {"--parts", "FILE", "merge: paths of parts of one bundle, one a line, in their order"},
    {"--header", "FILE", "merge: where a C++ header goes that has a function for each kernel"},
    {"--namespace", "NAME", "merge: of the header"},
};

constexpr CommandSpec commands[] = {
    {"run", "FILE.py::KERNEL NAME=VALUE… --grid X[,Y[,Z]] [options]",
     "Runs a kernel on a GPU or on the CPU and checks what it did.\n"
     "VALUE is an expression of the kernel language in the scope of the file, with earlier\n"
     "arguments visible. Tensors are made by randn(shape, dtype, seed), rand, randint(low, high,\n"
     "shape, dtype), arange, zeros, ones, full(shape, value), empty (poisoned), zeros_like(x),\n"
     "tensor([...]) and npy(\"in.npy\"), and viewed by slicing and x.T. addresses([x, y]) holds\n"
     "where others are, TensorDescriptor.from_tensor(x, block_shape, layout) describes one. A "
     "NAME\n"
     "that is no parameter of the kernel is a helper for the expressions after it.",
     runOptions, runCommand},
    {"compile",
     "FILE.py::KERNEL NAME=TYPE_OR_VALUE… --target TARGET [options]\n"
     "       gluonc compile FILE.ttgir --target TARGET [options]",
     "Compiles a kernel, or stops at an earlier stage.\n"
     "TYPE is written as in Triton: *fp32:16 (pointer, divisible by 16), i32, fp16.",
     compileOptions, compileCommand},
    {"build", "MANIFEST.toml -o FILE.gluonpack [options]",
     "Compiles kernels ahead of time: all variants for all chips that a manifest names go into "
     "one\n"
     "bundle, which libgluonc_rt launches without a compiler (docs/bundles.md). The same inputs "
     "give\n"
     "the same bytes. No GPU is needed.",
     buildOptions, buildCommand},
    {"tune", "MANIFEST.toml -o TUNED.toml [options]",
     "Measures the candidates that [kernel.tune] tables of a manifest list, on the launches that "
     "they\n"
     "list, and writes the manifest with variants and rules for `gluonc build`. Candidates must "
     "give\n"
     "the same results. Without a GPU, times are the performance model's (docs/tune.md).",
     tuneOptions, tuneCommand},
    {"bundle", "list|inspect|verify|strip|merge FILE.gluonpack… [options]",
     "list shows the kernels of a bundle; inspect their variants, with what each needs; verify "
     "checks\n"
     "all machine code; strip makes a bundle of a part of it; merge one of several.",
     bundleOptions, bundleCommand},
    {"lift", "FILE.py::KERNEL NAME=TYPE_OR_VALUE… --target TARGET [options]",
     "Prints the Gluon source of what the compiler chose for a kernel of Triton: its layouts,\n"
     "products, copies ahead. It compiles to the same code for the same arguments, which is\n"
     "checked before it is printed.",
     liftOptions, liftCommand},
    {"explain", "FILE.py::KERNEL NAME=VALUE… --grid X[,Y[,Z]] --target TARGET [options]",
     "Says what a kernel costs, line by line, and why, without a GPU: it executes the kernel's "
     "PTX\n"
     "on the CPU and counts sectors of global memory, wavefronts of shared memory, instructions.\n"
     "Then come findings, the most expensive one first: what is paid for nothing, why, and how to\n"
     "mend it. VALUEs are those of `gluonc run`.",
     explainOptions, explainCommand},
    {"verify", "FILE.py::KERNEL NAME=VALUE… --grid X[,Y[,Z]] [options]",
     "Runs a kernel on one input by every execution that this machine has: the simulator, the "
     "PTX\n"
     "or AMD machine code on the CPU, a GPU, Triton; and says where their results differ. VALUEs\n"
     "are those of `gluonc run`; `n=0..300` is another integer in each round. Exit status: 0 all\n"
     "agree, 1 they do not or the input has errors (docs/verify.md).",
     verifyOptions, verifyCommand},
    {"debug",
     "FILE.py::KERNEL NAME=VALUE… --grid X[,Y[,Z]] [options]\n"
     "       gluonc debug --dap",
     "Runs a kernel in the simulator under a debugger: breakpoints, steps, steps back, values of\n"
     "variables as tensors, by thread and register, barriers, operations in flight. Commands are\n"
     "gdb's and read from the standard input; `help` lists them. VALUEs are those of `gluonc "
     "run`.\n"
     "`gluonc debug --dap` is a server of the Debug Adapter Protocol (docs/debugger.md).",
     debugOptions, debugCommand},
    {"check", "FILE.py|FOLDER… [options]",
     "Parses files and resolves everything in them that is decorated. Says what is wrong\n"
     "whatever the arguments are: names, constructs, calls, layouts, shapes. Of folders: the\n"
     "files in them, at any depth, that import gluon. A kernel below a comment\n"
     "  # gluonc: x=*fp32:16 n=i32 BLOCK=256 --target cuda:90a --num-warps 4\n"
     "is compiled for these arguments as well, up to where code is generated.\n"
     "Imports are looked for beside a file and in its own package, then in FOLDERs of -I and in\n"
     "those of PYTHONPATH.",
     checkOptions, checkCommand},
    {"lsp", "[options]",
     "Serves an editor: talks the Language Server Protocol on standard input and output. It "
     "reports\n"
     "what `gluonc check` does while one types, tells types, layouts and costs of what the mouse "
     "is\n"
     "on, completes names, and finds definitions and references.",
     lspOptions, lspCommand},
    {"layout", "'BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])' --shape 64,64 [options]",
     "Draws which thread and register, or which place of shared or tensor memory, holds each\n"
     "element; changes of layouts, bank conflicts, operands of matrix products (docs/pictures.md).",
     layoutOptions, layoutCommand},
    {"pipeline",
     "FILE.py::KERNEL NAME=TYPE_OR_VALUE… --target TARGET [options]\n"
     "       gluonc pipeline STEP@STAGE… [options]",
     "Draws what a kernel does beside its threads: the steps of its partitions, who waits for "
     "whom,\n"
     "barriers, buffers, how far loops copy ahead; or a software pipeline that is described:\n"
     "gluonc pipeline load@0 product@2 store@2. Stages are counted in iterations behind the first\n"
     "step (docs/pictures.md).",
     pipelineOptions, pipelineCommand},
    {"doc", "[NAME…]",
     "Explains functions, methods, layouts and modules of the language: load, gl.load, "
     "tensor.sum,\n"
     "mbarrier.init, nvidia.hopper.tma. Without a name: lists the modules.",
     docOptions, docCommand},
    {"cache",
     "list|size|prune|verify|stats [options]\n"
     "       gluonc cache push|pull --list FILE [options]\n"
     "       gluonc cache keygen FILE [--hmac]",
     "Looks after the cache of compiled kernels, and the one behind it that machines share.\n"
     "list shows every kernel, the last used first; size how much there is; prune removes;\n"
     "verify checks every file, and exits with 3 where one is damaged, or refused since others "
     "than\n"
     "its owner could have written it (both are harmless: such a kernel is compiled again). Safe\n"
     "while other processes use the cache. push puts kernels of this machine into the shared one, "
     "pull\n"
     "takes those of a list from there; stats counts what was found there and what was refused; "
     "keygen\n"
     "makes keys (docs/remote-cache.md).",
     cacheOptions, cacheCommand},
    {"info", "", "Prints version, build, targets, devices, tools and cache.", infoOptions,
     infoCommand},
    {"completion",
     "bash|zsh|fish",
     "Prints a script that completes command lines of gluonc in a shell:\n"
     "eval \"$(gluonc completion bash)\"",
     {},
     completionCommand},
    {"man", "", "Prints the manual page: gluonc man | man -l -", {}, manCommand},
};

void printOverview(llvm::raw_ostream &out) {
  out << "gluonc " << GLUONC_VERSION << ": compiles and runs Gluon kernels\n\n";
  for (const CommandSpec &command : commands)
    out << "  gluonc " << command.name << " " << command.usage << "\n";
  out << "\n`gluonc COMMAND --help` explains a command.\n"
         "Exit status: 0 fine; 1 the input has errors, or an output cannot be written; 2 usage;\n"
         "3 an expectation failed or a checker found a fault; 4 a device or tool is not "
         "available;\n"
         "70 a bug of gluonc.\n";
}

} // namespace

llvm::ArrayRef<CommandSpec> gluonc::tool::allCommands() { return commands; }

/// Where a standard stream is closed, the next file opened would take its place and get what was
/// meant for it. Opened for the other direction, so that its use is still an error.
static void occupyStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1)
      (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int gluonc_main(int argc, char **argv) {
  occupyStandardStreams();
  const std::vector<llvm::StringRef> words(argv, argv + argc);
  installCrashHandlers(llvm::join(words, " "));
  if (argc < 2) {
    printOverview(llvm::errs());
    return 2;
  }
  llvm::StringRef name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    printOverview(llvm::outs());
    return Session().finish(0);
  }
  if (name == "--version") {
    llvm::outs() << "gluonc " << GLUONC_VERSION << '\n';
    return Session().finish(0);
  }
  const CommandSpec *command =
      llvm::find_if(commands, [&](const CommandSpec &spec) { return spec.name == name; });
  if (command == std::end(commands)) {
    llvm::errs() << "gluonc: there is no command `" << name << "`; see gluonc --help\n";
    return 2;
  }
  Session session;
  session.command = command;
  std::string problem = session.readLine(words);
  if (session.line.has("--help")) {
    printHelp(*command, llvm::outs());
    return session.finish(0);
  }
  if (const Word *format = session.line.find("--diagnostics")) {
    session.sink.json = format->text == "json";
    if (!session.sink.json && format->text != "text" && problem.empty())
      problem = "--diagnostics takes text or json";
  }
  if (!problem.empty())
    return session.usage(problem);
  return session.finish(command->run(session));
}
