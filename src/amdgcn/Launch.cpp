//===- Launch.cpp - What a kernel finds when it begins ---------------------------===//
#include "amdgcn/Machine.h"

#include "llvm/Support/MathExtras.h"

namespace gluonc::amdgcn {

/// Of each lane where the code object does not say how much private memory a kernel needs.
constexpr uint64_t dynamicStackBytes = 16384;

Machine::Machine(const Module &module, const Kernel &kernel, const Launch &launch)
    : module(module), chip(module.chip), kernel(kernel), launch(launch),
      ranges(launch.memory.begin(), launch.memory.end()) {
  prepareArguments();
  preparePacket();
  auto add = [&](const void *begin, uint64_t bytes) {
    ranges.push_back(
        {reinterpret_cast<uint64_t>(begin), reinterpret_cast<uint64_t>(begin) + bytes});
  };
  add(module.image, module.imageBytes);
  add(kernarg.data(), kernarg.size() * 8);
  add(packet.data(), packet.size() * 8);
  add(printed.memory().data(), printed.memory().size() * 8);
  privateBytes = kernel.descriptor.privateBytes;
  if (kernel.hasDynamicStack || privateBytes)
    privateBytes += dynamicStackBytes;
  hasDisassembler = disassembler.open(chip.name, kernel.waveSize);
  decoded.resize(module.imageBytes / 4 + 1);
}

void Machine::writeHidden(const Argument &argument) {
  llvm::StringRef kind = argument.kind;
  auto put = [&](uint64_t value) {
    std::memcpy(reinterpret_cast<uint8_t *>(kernarg.data()) + argument.offset, &value,
                std::min(argument.size, 8u));
  };
  for (unsigned axis = 0; axis != 3; ++axis) {
    char letter = static_cast<char>('x' + axis);
    if (!kind.ends_with(std::string("_") + letter))
      continue;
    if (kind.starts_with("hidden_block_count"))
      put(launch.grid[axis]);
    else if (kind.starts_with("hidden_group_size"))
      put(axis == 0 ? launch.threads : 1);
  }
  if (kind == "hidden_grid_dims")
    put(launch.grid[2] > 1 ? 3 : launch.grid[1] > 1 ? 2 : 1);
  else if (kind == "hidden_dynamic_lds_size")
    put(launch.sharedBytes);
  else if (kind == "hidden_printf_buffer") {
    printed.open();
    put(reinterpret_cast<uint64_t>(printed.memory().data()));
  } else if (kind == "hidden_private_base")
    put(privateWindow >> 32);
  else if (kind == "hidden_shared_base")
    put(sharedWindow >> 32);
}

void Machine::prepareArguments() {
  uint64_t bytes = kernel.descriptor.kernargBytes;
  for (const Argument &argument : kernel.arguments)
    bytes = std::max<uint64_t>(bytes, argument.offset + argument.size);
  // Preloads read whole pieces, also behind the end.
  kernarg.assign(bytes / 8 + 32, 0);
  size_t next = 0;
  for (const Argument &argument : kernel.arguments) {
    if (llvm::StringRef(argument.kind).starts_with("hidden_")) {
      writeHidden(argument);
      continue;
    }
    // Values of more than eight bytes take several slots.
    for (unsigned done = 0; done < argument.size && next != launch.slots.size(); done += 8)
      std::memcpy(reinterpret_cast<uint8_t *>(kernarg.data()) + argument.offset + done,
                  &launch.slots[next++], std::min(argument.size - done, 8u));
  }
}

/// The packet that a queue holds for a launch (HSA's kernel dispatch packet).
void Machine::preparePacket() {
  packet.assign(8, 0);
  auto *bytes = reinterpret_cast<uint8_t *>(packet.data());
  auto put = [&](unsigned at, uint64_t value, unsigned size) {
    std::memcpy(bytes + at, &value, size);
  };
  put(2, 3, 2);
  put(4, launch.threads, 2);
  put(6, 1, 2);
  put(8, 1, 2);
  put(12, uint64_t(launch.grid[0]) * launch.threads, 4);
  put(16, launch.grid[1], 4);
  put(20, launch.grid[2], 4);
  put(24, privateBytes, 4);
  put(28, kernel.descriptor.sharedBytes + launch.sharedBytes, 4);
  put(40, reinterpret_cast<uint64_t>(kernarg.data()), 8);
}

void Machine::setItems(Wave &wave) {
  uint32_t *items = wave.row(0);
  for (unsigned lane = 0; lane != wave.lanes; ++lane)
    items[lane] = wave.number * wave.lanes + lane;
}

void Machine::setScalars(Workgroup &workgroup, Wave &wave) {
  const KernelDescriptor &descriptor = kernel.descriptor;
  unsigned at = 0;
  auto pair = [&](unsigned bit, uint64_t value) {
    if (!(descriptor.properties >> bit & 1))
      return;
    wave.setWide(at, value);
    at += 2;
  };
  if (descriptor.properties & 1)
    at += 4;
  pair(1, reinterpret_cast<uint64_t>(packet.data()));
  pair(2, 0);
  pair(3, reinterpret_cast<uint64_t>(kernarg.data()));
  pair(4, 0);
  pair(5, 0);
  if (descriptor.properties >> 6 & 1)
    wave.scalars[at++] = static_cast<uint32_t>(privateBytes);
  unsigned length = descriptor.preload & 0x7f, first = descriptor.preload >> 7;
  const auto *words = reinterpret_cast<const uint32_t *>(kernarg.data());
  for (unsigned i = 0; i != length && (first + i) < kernarg.size() * 2 && at < vccSlot; ++i)
    wave.scalars[at++] = words[first + i];
  at = descriptor.rsrc2 >> 1 & (chip.is1250 ? 0x3f : 0x1f);
  if (chip.generation >= 12) {
    std::array<uint32_t, 3> place = workgroup.coordinates;
    unsigned peers = launch.workgroupsPerCluster;
    if (peers > 1)
      place[0] /= peers;
    wave.scalars[ttmpSlot + 9] = place[0];
    wave.scalars[ttmpSlot + 7] = (place[1] & 0xffff) | (place[2] << 16);
    wave.scalars[ttmpSlot + 8] = wave.number << 25;
    wave.scalars[ttmpSlot + 6] = workgroup.rank | (peers - 1) << 12 | (peers - 1) << 24;
    return;
  }
  for (unsigned axis = 0; axis != 3; ++axis)
    if (descriptor.rsrc2 >> (7 + axis) & 1)
      wave.scalars[at++] = workgroup.coordinates[axis];
}

void Machine::startWave(Workgroup &workgroup, Wave &wave) {
  wave.lanes = kernel.waveSize;
  wave.vectors.assign(size_t(chip.is1250 ? 1024 : 512) * wave.lanes, 0x7fc0dead);
  wave.scalars.fill(0xbad0bad0);
  for (unsigned slot = vccSlot; slot != scalarSlots; ++slot)
    wave.scalars[slot] = 0;
  wave.setWide(sharedBaseSlot, sharedWindow);
  wave.setWide(privateBaseSlot, privateWindow);
  wave.setWide(flatScratchSlot, privateWindow);
  unsigned left = launch.threads - wave.number * wave.lanes;
  wave.setWide(execSlot, left >= wave.lanes ? wave.allLanes() : (uint64_t(1) << left) - 1);
  uint32_t rsrc1 = kernel.descriptor.rsrc1;
  wave.mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9 |
              (rsrc1 >> 26 & 1) << 23;
  setScalars(workgroup, wave);
  setItems(wave);
  wave.privateMemory.assign(privateBytes * wave.lanes, 0xdb);
  // Firmware that has loaded arguments leaves out the code that does it.
  wave.pc = kernel.entry + (kernel.descriptor.preload & 0x7f && !chip.is1250 ? 256 : 0);
}

void Machine::startCluster(uint64_t number) {
  unsigned peers = launch.workgroupsPerCluster;
  uint64_t across = launch.grid[0] / peers;
  std::array<uint32_t, 3> place = {static_cast<uint32_t>(number % across) * peers,
                                   static_cast<uint32_t>(number / across % launch.grid[1]),
                                   static_cast<uint32_t>(number / across / launch.grid[1])};
  workgroups.clear();
  workgroups.resize(peers);
  clusterBarrier = {};
  for (unsigned rank = 0; rank != peers; ++rank) {
    Workgroup &workgroup = workgroups[rank];
    workgroup.coordinates = {place[0] + rank, place[1], place[2]};
    workgroup.rank = rank;
    workgroup.shared.assign(kernel.descriptor.sharedBytes + launch.sharedBytes, 0xdb);
    workgroup.waves.resize(llvm::divideCeil(launch.threads, kernel.waveSize));
    for (unsigned i = 0; i != workgroup.waves.size(); ++i) {
      workgroup.waves[i].number = i;
      workgroup.waves[i].order.place = rank * static_cast<unsigned>(workgroup.waves.size()) + i;
      startWave(workgroup, workgroup.waves[i]);
    }
  }
}

} // namespace gluonc::amdgcn
