#include "sim/lower/Lowering.h"
#include "sim/lower/PayloadTable.h"

#include "sim/machine/SharedAccess.h"
#include "sim/machine/Taint.h"

#include "ir/SourceLocation.h"
#include "support/Interrupt.h"
#include "support/Recovery.h"

#include "llvm/ADT/ScopeExit.h"

namespace gluonc::sim {

/// Frame offsets are multiples of a cache line, so that host vector loads are aligned.
static constexpr uint64_t kSlotAlignment = 64;
/// Beyond this a kernel holds more than any GPU's registers by orders of magnitude.
static constexpr uint64_t kMaxFrameBytes = uint64_t(1) << 30;
/// Called functions are lowered at each call: a tree of calls may have more than can be lowered.
static constexpr size_t kMaxInstructions = size_t(1) << 18;
/// Room for clusters of 16 CTAs (kCtaSharedStride each) and then some.
static constexpr uint32_t kMaxSharedBytes = 64u << 20;

const OperationTable &operationTable() {
  static const OperationTable table = [] {
    OperationTable all;
    addArithmetic(all);
    addFloatArithmetic(all);
    addCasts(all);
    addMath(all);
    addShape(all);
    addGlobal(all);
    addAtomics(all);
    addBuffers(all);
    addScales(all);
    addLdsBarriers(all);
    addTensorMover(all);
    addPackedLoads(all);
    addShared(all);
    addAsync(all);
    addCombine(all);
    addDot(all);
    addWarpGroupDot(all);
    addTensorMemory(all);
    addBarriers(all);
    addTma(all);
    addDescriptors(all);
    addControl(all);
    addDebug(all);
    addIndexed(all);
    addMap(all);
    addThreadAsm(all);
    addPackedArith(all);
    addLaunchControl(all);
    return all;
  }();
  return table;
}

std::optional<ElementKind> elementKindOf(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    type = tensor.getElementType();
  if (mlir::isa<tt::PointerType>(type))
    return ElementKind::Pointer;
  if (mlir::isa<ttg::MemDescType>(type))
    return ElementKind::Descriptor;
  if (ttng::descriptorOf(type))
    return ElementKind::TensorDescriptor;
  if (type.isInteger(1))
    return ElementKind::I1;
  if (type.isInteger(8))
    return ElementKind::I8;
  if (type.isInteger(16))
    return ElementKind::I16;
  if (type.isInteger(32))
    return ElementKind::I32;
  if (type.isInteger(64))
    return ElementKind::I64;
  if (type.isInteger(128))
    return ElementKind::LaunchAnswer;
  if (llvm::isa<mlir::Float8E4M3FNType>(type))
    return ElementKind::F8E4M3FN;
  if (llvm::isa<mlir::Float8E5M2Type>(type))
    return ElementKind::F8E5M2;
  if (llvm::isa<mlir::Float8E4M3FNUZType>(type))
    return ElementKind::F8E4M3FNUZ;
  if (llvm::isa<mlir::Float8E5M2FNUZType>(type))
    return ElementKind::F8E5M2FNUZ;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

uint32_t Lowering::allocateBytes(uint64_t bytes) {
  uint32_t offset = static_cast<uint32_t>(program.frameBytes);
  // Past the limit slots overlap; lowerKernel reports before anything runs.
  if (program.frameBytes + bytes > kMaxFrameBytes)
    return frameOverflow = true, 0;
  program.frameBytes += (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  return offset;
}

Slot Lowering::allocate(ElementKind kind, uint32_t elements) {
  uint64_t bytes = std::max<uint64_t>(uint64_t(elements) * byteSize(kind), 1);
  bytes = (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  uint32_t offset;
  auto reusable = freeSlots.find(uint32_t(bytes));
  if (reusable != freeSlots.end() && !reusable->second.empty())
    offset = reusable->second.pop_back_val();
  else
    offset = allocateBytes(bytes);
  holds[offset] = {1, uint32_t(bytes)};
  return {offset, elements};
}

void Lowering::free(Slot slot) {
  auto hold = holds.find(slot.offset);
  if (hold == holds.end() || --hold->second.count)
    return;
  freeSlots[hold->second.bytes].push_back(slot.offset);
  holds.erase(hold);
}

void Lowering::addFreeSlots(FreeSlots slots) {
  for (auto &[bytes, offsets] : slots)
    freeSlots[bytes].append(offsets.begin(), offsets.end());
}

Slot Lowering::define(mlir::Value value, uint32_t elements) {
  Slot slot = allocate(kindOf(value), elements);
  slots[value] = slot;
  return slot;
}

void Lowering::bind(mlir::Value value, Slot slot) {
  auto hold = holds.find(slot.offset);
  if (hold != holds.end())
    ++hold->second.count;
  slots[value] = slot;
}

void Lowering::release(mlir::Value value) {
  if (forDebugger)
    return;
  auto at = slots.find(value);
  if (at == slots.end())
    return;
  free(at->second);
  slots.erase(at);
}

Slot Lowering::temporary(ElementKind kind, uint32_t elements) {
  temporaries.push_back(allocate(kind, elements));
  return temporaries.back();
}

Slot Lowering::constant(std::string bytes, uint32_t elements) {
  uint32_t offset = allocateBytes(bytes.size());
  program.constants.push_back({offset, std::move(bytes)});
  return {offset, elements};
}

Slot Lowering::materialize(Slot slot, uint32_t elements, ElementKind kind) {
  if (slot.elements == elements)
    return slot;
  Slot full = temporary(kind, elements);
  emitCopy(slot, full, kind);
  return full;
}

int Lowering::parameterOf(mlir::Value pointer) const {
  auto at = parameters.find(pointer);
  return at == parameters.end() ? -1 : at->second;
}

void Lowering::setParameter(mlir::Value pointer, int parameter) { parameters[pointer] = parameter; }

void Lowering::passParameter(mlir::Value from, mlir::Value to) {
  setParameter(to, parameterOf(from));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Instruction &Lowering::emit(Handler run, Handler taint, Slot result,
                            llvm::ArrayRef<Slot> operands) {
  Instruction &instruction = program.code.emplace_back();
  instruction.run = run;
  instruction.taint = taint;
  instruction.result = result;
  GL_CHECK(operands.size() <= std::size(instruction.operands));
  llvm::copy(operands, instruction.operands);
  instruction.operandCount = static_cast<uint8_t>(operands.size());
  instruction.place = currentPlace;
  return instruction;
}

template <class T> static void runFill(const Instruction &instruction, Cta &cta) {
  T value = *cta.at<T>(instruction.operands[0]);
  T *__restrict result = cta.at<T>(instruction.result);
  for (uint32_t element = 0; element < instruction.result.elements; ++element)
    result[element] = value;
  cta.moveDot(instruction.operands[0].offset, instruction.result.offset);
}

static void runCopy(const Instruction &instruction, Cta &cta) {
  std::memcpy(cta.at<uint8_t>(instruction.result), cta.at<uint8_t>(instruction.operands[0]),
              instruction.immediate);
  cta.moveDot(instruction.operands[0].offset, instruction.result.offset);
}

void Lowering::emitCopy(Slot from, Slot to, ElementKind kind) {
  uint32_t bytes = byteSize(kind);
  Handler handler = runCopy;
  if (from.elements != to.elements)
    handler = bytes == 1   ? runFill<uint8_t>
              : bytes == 2 ? runFill<uint16_t>
              : bytes == 4 ? runFill<uint32_t>
                           : runFill<uint64_t>;
  emit(handler, taintElementwise, to, {from}).immediate = uint64_t(bytes) * to.elements;
}

void Lowering::emitParallelCopy(mlir::ValueRange from, llvm::ArrayRef<Slot> to) {
  llvm::SmallVector<Slot, 8> sources;
  for (auto [index, value] : llvm::enumerate(from)) {
    Slot source = slotOf(value);
    // A source that an earlier copy overwrites must be saved first.
    bool overwritten = llvm::any_of(to.take_front(index), [&](Slot target) {
      return target.elements && target.offset == source.offset;
    });
    if (overwritten) {
      Slot saved = temporary(kindOf(value), source.elements);
      emitCopy(source, saved, kindOf(value));
      source = saved;
    }
    sources.push_back(source);
  }
  for (auto [index, value] : llvm::enumerate(from))
    if (to[index].elements && sources[index].offset != to[index].offset)
      emitCopy(sources[index], to[index], kindOf(value));
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

llvm::SmallVector<diag::Span, 2> Lowering::callersOf(mlir::Location location) const {
  llvm::SmallVector<diag::Span, 2> callers;
  for (diag::Span caller : callChainOf(location, sources))
    callers.push_back(caller);
  for (const auto &[function, call] : llvm::reverse(callStack))
    callers.push_back(spanOf(call, sources));
  return callers;
}

void Lowering::beginPlace(mlir::Operation *operation) {
  Place place;
  place.span = spanOf(operation->getLoc(), sources);
  place.callers = callersOf(operation->getLoc());
  for (const auto &[function, location] : callStack)
    llvm::append_range(place.unrolled, indicesOf(location));
  llvm::append_range(place.unrolled, indicesOf(operation->getLoc()));
  place.loop = currentLoop;
  place.operation = operation->getName().getStringRef().str();
  currentPlace = static_cast<uint32_t>(program.places.size());
  program.places.push_back(std::move(place));
}

void Lowering::setShape(mlir::Type type) {
  Place &place = program.places[currentPlace];
  place.shape.clear();
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type); tensor && copies == 1)
    place.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  place.share = wholeTiles ? nullptr : shareOf(type);
}

bool Lowering::unsupported(mlir::Operation *operation, const llvm::Twine &what) {
  sink.report(diag::Kind::UnsupportedInSimulator, spanOf(operation->getLoc(), sources), what.str())
      .end();
  return false;
}

bool Lowering::checkTypes(mlir::Operation *operation) {
  auto check = [&](mlir::Type type) {
    if (mlir::isa<ttg::AsyncTokenType>(type))
      return true;
    bool divides = !inCluster() || !mlir::isa<mlir::RankedTensorType>(type) || shareOf(type);
    if (elementKindOf(type) && divides)
      return true;
    std::string text;
    llvm::raw_string_ostream(text) << "type " << type;
    return unsupported(operation, text);
  };
  for (mlir::Type type : operation->getResultTypes())
    if (!check(type))
      return false;
  for (mlir::Region &region : operation->getRegions())
    for (mlir::Block &block : region)
      for (mlir::Type type : block.getArgumentTypes())
        if (!check(type))
          return false;
  return true;
}

/// Operands: a tile that a dot may still be writing.
static void runCheckDot(const Instruction &instruction, Cta &cta) {
  for (const AsyncGroup &group : cta.fiber->queue(Queue::Dots))
    for (const std::shared_ptr<AsyncOperation> &dot : group)
      if (llvm::is_contained(dot->results, instruction.operands[0].offset))
        return cta.fail(instruction, diag::Kind::DotNotWaitedFor, {}, -1,
                        FaultNote(dot->place, "the product was started here"));
}

/// Accumulators pass through control flow, further dots and waits as they are; all
/// else has to find them finished.
void Lowering::checkDots(mlir::Operation *operation) {
  if (mlir::isa<ttng::WarpGroupDotWaitOp, ttg::WarpSpecializeOp, tt::CallOp>(operation) ||
      operation->getName().getDialectNamespace() == "scf" ||
      operation->hasTrait<mlir::OpTrait::IsTerminator>())
    return;
  auto dot = mlir::dyn_cast<ttng::WarpGroupDotOp>(operation);
  for (mlir::Value operand : operation->getOperands()) {
    if (dotTypes.contains(operand.getType()) && !(dot && operand == dot.getC()))
      emit(runCheckDot, taintNothing, Slot(), {slotOf(operand)});
  }
}

/// Threads that exchange elements have met.
static void runScratch(const Instruction &instruction, Cta &cta) {
  cta.warpStores.meet();
  const uint64_t base = cta.program.ctas > 1 ? cta.rank() * kCtaSharedStride : 0;
  checkScratch(instruction, cta, base + uint32_t(instruction.immediate),
               uint32_t(instruction.immediate >> 32));
}

/// The simulator has no use for scratch in shared memory, but what machine code overwrites there
/// may still be in use: a buffer is gone with its last view, what was started on it only when it
/// ends.
void Lowering::overwriteScratch(mlir::Operation *operation) {
  auto offset = operation->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr);
  auto size = operation->getAttrOfType<mlir::IntegerAttr>(ttg::allocationSizeAttr);
  if (offset && size && size.getInt() && !mlir::isa<ttg::WarpSpecializeOp>(operation))
    emit(runScratch, taintNothing, Slot(), {}).immediate =
        uint64_t(offset.getInt()) | uint64_t(size.getInt()) << 32;
}

bool Lowering::lowerOperation(mlir::Operation *operation) {
  // What an operation emits after its regions is still its own.
  uint32_t outerPlace = currentPlace;
  beginPlace(operation);
  WorkPlace::current() = {nullptr, 0, 0, operation->getLoc().getAsOpaquePointer()};
  mayStop();
  llvm::scope_exit restore([&] { currentPlace = outerPlace; });
  LowerFunction lower = nullptr;
  if (program.sanitizer == Sanitizer::Fpsan)
    lower = payloadTable().lookup(operation->getName().getStringRef());
  if (!lower)
    lower = operationTable().lookup(operation->getName().getStringRef());
  if (!lower)
    return unsupported(operation, "`" + operation->getName().getStringRef() + "`");
  if (!callStack.empty() && program.code.size() > kMaxInstructions)
    return unsupported(operation, "more than 262,144 instructions, those of noinline functions "
                                  "counted at each call");
  if (!checkTypes(operation))
    return false;
  if (!dotTypes.empty())
    checkDots(operation);
  overwriteScratch(operation);
  unsigned before = sink.errorCount();
  if (inCluster() && mixesShares(*this, operation) ? lowerWhole(operation, lower)
                                                   : lower(*this, operation)) {
    noteVariables(operation, operation->getResults());
    return true;
  }
  if (sink.errorCount() == before)
    return unsupported(operation, "this form of `" + operation->getName().getStringRef() + "`");
  return false;
}

/// Notes for each value of `block` the operation of `block` after which nothing needs it.
/// Values that other blocks of the same region use live for ever.
void Lowering::findDeaths(mlir::Block &block) {
  if (!deathsFound.try_emplace(&block, true).second)
    return;
  for (mlir::Operation &operation : block)
    for (mlir::Value result : operation.getResults()) {
      mlir::Operation *last = &operation;
      for (mlir::Operation *user : result.getUsers()) {
        mlir::Operation *here = block.findAncestorOpInBlock(*user);
        if (!here) {
          last = nullptr;
          break;
        }
        if (last->isBeforeInBlock(here))
          last = here;
      }
      if (last)
        deaths[last].push_back(result);
    }
}

void Lowering::releaseAfter(mlir::Operation *operation) {
  for (Slot slot : temporaries)
    free(slot);
  temporaries.clear();
  auto dying = deaths.find(operation);
  if (dying != deaths.end())
    for (mlir::Value value : dying->second)
      release(value);
}

bool Lowering::lowerBody(mlir::Block &block) {
  // The operation that holds the block keeps its temporaries meanwhile.
  llvm::SmallVector<Slot, 8> outer = std::move(temporaries);
  temporaries.clear();
  findDeaths(block);
  noteVariables(block.getParentOp(), block.getArguments());
  for (mlir::Operation &operation : block.without_terminator()) {
    if (!lowerOperation(&operation))
      return false;
    releaseAfter(&operation);
  }
  temporaries = std::move(outer);
  return true;
}

bool Lowering::lowerRegion(mlir::Region &region) {
  std::vector<Branch> outer = std::move(branches);
  branches.clear();
  llvm::DenseMap<mlir::Block *, uint32_t> starts;
  // Arguments first: branches may go backwards and forwards.
  for (mlir::Block &block : llvm::drop_begin(region))
    for (mlir::BlockArgument argument : block.getArguments()) {
      if (!elementKindOf(argument.getType()))
        return unsupported(region.getParentOp(), "a block argument of this type");
      define(argument, elementCountOf(argument.getType()));
    }
  for (mlir::Block &block : region) {
    starts[&block] = here();
    if (!lowerBody(block))
      return false;
    mlir::Operation *terminator = block.getTerminator();
    if (!lowerOperation(terminator))
      return false;
    releaseAfter(terminator);
  }
  for (const Branch &branch : branches) {
    Instruction &instruction = program.code[branch.position];
    uint64_t target = starts.lookup(branch.target);
    instruction.immediate = branch.second
                                ? (instruction.immediate & 0xffffffffu) | target << 32
                                : (instruction.immediate & ~uint64_t(0xffffffffu)) | target;
  }
  branches = std::move(outer);
  return true;
}

bool Lowering::lowerKernel(tt::FuncOp kernel) {
  program.kernel = kernel.getName().str();
  program.ctas = uint32_t(ttg::numCtasOf(kernel));
  // CTAs reach into each other's memory.
  program.ordersShared = inCluster();
  beginPlace(kernel);
  if (!checkTypes(kernel))
    return false;
  kernel->getParentOp()->walk([&](ttng::WarpGroupDotOp dot) {
    if (dot.getIsAsync())
      dotTypes.insert(dot.getD().getType());
  });
  program.programIds = allocateBytes(6 * sizeof(uint32_t));
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    ElementKind kind = kindOf(argument);
    uint32_t offset = allocateBytes(std::max<uint64_t>(byteSize(kind), sizeof(uint64_t)));
    program.parameters.push_back({kind, offset});
    bind(argument, {offset, 1});
    setParameter(argument, int(index));
  }
  if (!lowerRegion(kernel.getBody()))
    return false;
  program.frameBytes = std::max<uint64_t>(program.frameBytes, kSlotAlignment);
  program.sharedBytes = std::max(program.sharedBytes, nextSharedOffset);
  if (frameOverflow)
    return unsupported(kernel, "a kernel whose live tiles need more than 1 GiB");
  if (program.sharedBytes > kMaxSharedBytes)
    return unsupported(kernel, "a kernel with more than 64 MiB of shared memory");
  return true;
}

} // namespace gluonc::sim
