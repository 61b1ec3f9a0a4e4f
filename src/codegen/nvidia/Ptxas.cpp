#include "codegen/nvidia/Ptxas.h"

#include "support/Forks.h"
#include "support/Interrupt.h"
#include "target/nvidia/Chips.h"
#include "target/nvidia/Occupancy.h"
#include "target/nvidia/Registers.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

/// The number in front of `unit`, as in "Used 12 registers"; 0 where absent.
unsigned numberBefore(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef head = line.take_front(at).rtrim();
  StringRef digits = head.take_back(head.size() - (head.find_last_not_of("0123456789") + 1));
  unsigned value = 0;
  return digits.getAsInteger(10, value) ? 0 : value;
}

constexpr StringLiteral threadsDirective = ".reqntid";

/// A folder that only this user can open, and that disappears with the object: what ptxas puts
/// into it becomes code that runs as the user.
class TemporaryFolder {
public:
  static Expected<TemporaryFolder> create() {
    TemporaryFolder folder;
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder.path);
    sys::path::append(folder.path, "gluonc-XXXXXX");
    if (mkdtemp(const_cast<char *>(folder.path.c_str())))
      return std::move(folder);
    std::error_code error(errno, std::generic_category());
    Error failure = createStringError(error, "cannot create the temporary folder " + folder.path +
                                                 ": " + error.message());
    folder.path.clear();
    return std::move(failure);
  }
  TemporaryFolder(TemporaryFolder &&other) : path(std::move(other.path)) { other.path.clear(); }
  ~TemporaryFolder() {
    if (!path.empty())
      sys::fs::remove_directories(path);
  }
  std::string file(StringRef name) const { return (path + "/" + name).str(); }

private:
  TemporaryFolder() = default;
  SmallString<64> path;
};

Error writeFile(const std::string &path, StringRef text) {
  std::error_code error;
  raw_fd_ostream out(path, error);
  if (!error) {
    out << text;
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (error)
    return createStringError(error, "cannot write " + path + ": " + error.message());
  return Error::success();
}

/// Empty where ptxas made none.
Expected<std::string> readOutput(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (buffer.getError() == std::errc::no_such_file_or_directory)
    return "";
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read " + path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

std::vector<std::string> commandLine(StringRef program, StringRef input, StringRef output,
                                     const target::Target &target, const Options &options) {
  std::vector<std::string> line = {program.str(), "-v", "-arch=" + target.chip(), "-O3"};
  if (options.lineInfo)
    line.push_back("-lineinfo");
  if (!options.fpFusion)
    line.push_back("--fmad=false");
  BumpPtrAllocator words;
  StringSaver saver(words);
  SmallVector<const char *> given;
  cl::TokenizeGNUCommandLine(options.assemblerOptions, saver, given);
  line.insert(line.end(), given.begin(), given.end());
  line.insert(line.end(), {input.str(), "-o", output.str()});
  return line;
}

/// Waits for a process until it ends or the host stops this thread, which ends it.
void waitForEnd(const sys::ProcessInfo &process) {
  Interruptible *host = Interruptible::current();
  if (!host)
    return;
  // Readable at its end. Kernels older than 5.3 have none.
  pollfd ended = {static_cast<int>(syscall(SYS_pidfd_open, process.Pid, 0)), POLLIN, 0};
  if (ended.fd < 0)
    return;
  constexpr int milliseconds = 20;
  while (poll(&ended, 1, milliseconds) <= 0)
    if (host->isStopped()) {
      kill(process.Pid, SIGKILL);
      break;
    }
  close(ended.fd);
}

/// Runs a program to its end. Its exit status; negative where it did not start or was killed.
int execute(StringRef program, ArrayRef<StringRef> arguments,
            ArrayRef<std::optional<StringRef>> redirects, std::string &failure) {
  AtRest waiting;
  bool isNotStarted = false;
  sys::ProcessInfo process = sys::ExecuteNoWait(program, arguments, std::nullopt, redirects,
                                                /*MemoryLimit=*/0, &failure, &isNotStarted);
  if (isNotStarted)
    return -1;
  waitForEnd(process);
  return sys::Wait(process, /*SecondsToWait=*/std::nullopt, &failure).ReturnCode;
}

/// What stood in the way of ptxas.
Error failed(Error error) { return make_error<AssemblerError>(toString(std::move(error))); }

} // namespace

AssemblerError::Cause causeOf(StringRef log) {
  return log.contains("Insufficient registers") ? AssemblerError::Cause::TooFewRegisters
                                                : AssemblerError::Cause::Unknown;
}

std::vector<ResourceUsage> parseResources(StringRef log) {
  std::vector<ResourceUsage> all;
  // ptxas says this before it names the kernel.
  StringMap<std::string> serialized;
  for (StringRef line : split(log, '\n')) {
    if (const StringRef said = line.split("are serialized due to ").second; !said.empty()) {
      const auto [reason, function] = said.split(" in the function '");
      serialized[function.split('\'').first] = reason.str();
      continue;
    }
    if (line.contains("Compiling entry function")) {
      ResourceUsage usage;
      usage.kernel = line.split('\'').second.split('\'').first.str();
      usage.serialization = serialized.lookup(usage.kernel);
      all.push_back(usage);
      continue;
    }
    if (all.empty())
      continue;
    ResourceUsage &usage = all.back();
    if (line.contains("bytes stack frame")) {
      usage.stackBytes = numberBefore(line, " bytes stack frame");
      usage.spillStoreBytes = numberBefore(line, " bytes spill stores");
      usage.spillLoadBytes = numberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ")) {
      usage.registers = numberBefore(line, " registers");
      usage.sharedBytes = numberBefore(line, " bytes smem");
    }
  }
  return all;
}

static Expected<Cubin> assembleOnce(StringRef ptxasPath, StringRef ptx,
                                    const target::Target &target, const Options &options) {
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return failed(folder.takeError());
  const std::string input = folder->file("kernel.ptx"), output = folder->file("kernel.cubin"),
                    messages = folder->file("log");
  if (Error error = writeFile(input, ptx))
    return failed(std::move(error));

  std::vector<std::string> line = commandLine(ptxasPath, input, output, target, options);
  SmallVector<StringRef> arguments(line.begin(), line.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(messages), StringRef(messages)};
  std::string failure;
  int status = execute(ptxasPath, arguments, redirects, failure);
  Expected<std::string> log = readOutput(messages);
  if (!log)
    return failed(log.takeError());
  if (status != 0)
    return make_error<AssemblerError>((ptxasPath + " failed with status " + Twine(status) + ": " +
                                       (failure.empty() ? *log : failure))
                                          .str(),
                                      causeOf(*log));
  Expected<std::string> bytes = readOutput(output);
  if (!bytes)
    return failed(bytes.takeError());
  if (!StringRef(*bytes).starts_with("\x7F"
                                     "ELF"))
    return make_error<AssemblerError>((ptxasPath + " succeeded, but wrote " +
                                       (bytes->empty() ? "nothing" : "something that is no cubin") +
                                       ": " + *log)
                                          .str());
  return Cubin{std::move(*bytes), parseResources(*log), std::move(*log)};
}

static unsigned spillsOf(const Cubin &cubin) {
  unsigned bytes = 0;
  for (const ResourceUsage &usage : cubin.resources)
    bytes += usage.spillStoreBytes;
  return bytes;
}

/// Whether ptxas took far fewer registers than there are, and so spills: with ptxas 12.9 and 13.0 a
/// kernel that does not fit into 255 registers may be left with 32, 96 or 128. `threads` of its
/// program.
static bool gaveUp(const Cubin &cubin, unsigned threads) {
  return cubin.resources.size() == 1 && spillsOf(cubin) != 0 &&
         2 * cubin.resources.front().registers <= target::nvidia::mostRegistersOf(threads) + 1;
}

/// Registers of a thread from which on it is worth the time to ask for more: a unit that it gets
/// them in.
static constexpr unsigned registersToGain = target::nvidia::registerUnit;

/// Part of a thread's registers that it may be asked to do without, so that one more program shares
/// a multiprocessor: on an H200 `_attn_res_bwd_kernel` takes 0.81 of its time with 80 in place
/// of 94.
static constexpr unsigned registersToLose = 5;

/// Part of them that it may spill for that. On an H200 `_swiglu_kernel_backward_dGU` takes 0.88 of
/// its time with 5 of 177 spilled; `_swiglu_backward_kernel` takes 1.08 with 6 of 48, and
/// `chunk_hgrn_fwd_kernel_o` 1.09 with 6 of 92.
static constexpr unsigned registersToSpill = 32;

/// Programs that share a multiprocessor by a number of registers a thread; nothing where that is
/// not what limits them.
static std::optional<target::nvidia::Occupancy> limitedBy(unsigned registers, unsigned threads,
                                                          unsigned sharedBytes,
                                                          const target::Target &target) {
  using namespace target::nvidia;
  std::optional<Occupancy> most = occupancyOf(target, {.warps = std::max(threads / warpSize, 1u),
                                                       .registers = registers,
                                                       .sharedBytes = sharedBytes});
  return most && most->limit == OccupancyLimit::Registers && most->ctas ? most : std::nullopt;
}

/// How many programs would share a multiprocessor if threads had a few registers fewer, where that
/// makes it more than do now.
static std::optional<unsigned> programsWithFewer(unsigned registers, unsigned threads,
                                                 unsigned sharedBytes,
                                                 const target::Target &target) {
  using namespace target::nvidia;
  std::optional<Occupancy> now = limitedBy(registers, threads, sharedBytes, target);
  for (unsigned fewer = 1; now && fewer <= registers / registersToLose; ++fewer)
    if (std::optional<Occupancy> then = occupancyOf(target, {.warps = now->warps / now->ctas,
                                                             .registers = registers - fewer,
                                                             .sharedBytes = sharedBytes});
        then && then->ctas > now->ctas)
      return then->ctas;
  return std::nullopt;
}

/// How many programs share a multiprocessor, where as many could if threads had more registers.
static std::optional<unsigned> programsWithMore(unsigned registers, unsigned threads,
                                                const target::Target &target) {
  using namespace target::nvidia;
  std::optional<Occupancy> now = limitedBy(registers, threads, /*sharedBytes=*/0, target);
  return now && registers + registersToGain <= mostRegistersOf(now->warps * warpSize)
             ? std::optional(now->ctas)
             : std::nullopt;
}

Expected<Cubin> assemble(StringRef ptxasPath, StringRef ptx, const target::Target &target,
                         const Options &options, unsigned sharedBytes) {
  Expected<Cubin> made = assembleOnce(ptxasPath, ptx, target, options);
  auto [head, tail] = ptx.split(threadsDirective);
  unsigned threads = 0;
  if (!made || tail.trim(' ').consumeInteger(10, threads) || threads == 0 ||
      ptx.contains(".maxnreg") || ptx.contains(".minnctapersm"))
    return made;
  auto assembleWith = [&](const Twine &directive) {
    return assembleOnce(ptxasPath, (head + directive + "\n" + threadsDirective + tail).str(),
                        target, options);
  };
  if (gaveUp(*made, threads)) {
    // Where the number of registers is stated, it does not.
    Expected<Cubin> again =
        assembleWith(".maxnreg " + Twine(target::nvidia::mostRegistersOf(threads)));
    return !again || spillsOf(*again) < spillsOf(*made) ? std::move(again) : std::move(made);
  }
  if (made->resources.size() != 1)
    return made;
  const unsigned registers = made->resources.front().registers;
  if (auto programs = programsWithFewer(registers, threads, sharedBytes, target)) {
    Expected<Cubin> again = assembleWith(".minnctapersm " + Twine(*programs));
    // An instruction may name more registers than that leaves.
    if (!again)
      consumeError(again.takeError());
    else if (again->resources.size() == 1 &&
             spillsOf(*again) <= std::max(spillsOf(*made), 4 * registers / registersToSpill) &&
             again->resources.front().serialization == made->resources.front().serialization) {
      again->resources.front().spillsByChoice = spillsOf(*made) == 0 && spillsOf(*again) != 0;
      return again;
    }
  }
  if (auto programs = programsWithMore(registers, threads, target)) {
    Expected<Cubin> again = assembleWith(".minnctapersm " + Twine(*programs));
    return !again || spillsOf(*again) <= spillsOf(*made) ? std::move(again) : std::move(made);
  }
  return made;
}

} // namespace gluonc::codegen::nvidia
