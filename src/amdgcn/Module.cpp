//===- Module.cpp - Reads code objects ----------------------------------------===//
//
// Shared objects are laid out as their segments say. Relocatable ones, which no
// driver loads, are laid out section after section: tests assemble them.
//
//===----------------------------------------------------------------------===//
#include "amdgcn/Module.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace gluonc::amdgcn {

using llvm::StringRef;
using Elf = llvm::object::ELF64LE;
using ElfObject = llvm::object::ELFObjectFile<Elf>;

namespace {

constexpr uint64_t imageAlignment = 4096;

class Loader {
public:
  Loader(Module &module, const ElfObject &object) : module(module), object(object) {}
  llvm::Error run();

private:
  llvm::Error layOut();
  llvm::Error relocate();
  llvm::Error readSymbols();
  llvm::Error readNotes();
  void readKernels(llvm::msgpack::DocNode &root);
  void readPrintFormats(llvm::msgpack::DocNode &root);
  void apply(uint64_t type, uint64_t place, uint64_t target);
  uint64_t addressOf(const llvm::object::SymbolRef &symbol);
  bool isRelocatable() const { return object.getELFFile().getHeader().e_type == llvm::ELF::ET_REL; }

  Module &module;
  const ElfObject &object;
  /// Of sections of a relocatable file, by their number.
  std::vector<uint64_t> places;
};

} // namespace

static llvm::Error failure(const llvm::Twine &message) { return llvm::createStringError(message); }

llvm::Error Loader::layOut() {
  const auto &file = object.getELFFile();
  std::vector<std::pair<uint64_t, llvm::ArrayRef<uint8_t>>> parts;
  uint64_t size = 0;
  if (isRelocatable()) {
    auto sections = file.sections();
    if (!sections)
      return sections.takeError();
    for (const auto &section : *sections) {
      places.push_back(0);
      if (!(section.sh_flags & llvm::ELF::SHF_ALLOC))
        continue;
      size = llvm::alignTo(size, std::max<uint64_t>(section.sh_addralign, 1));
      places.back() = size;
      if (section.sh_type != llvm::ELF::SHT_NOBITS) {
        auto contents = file.getSectionContents(section);
        if (!contents)
          return contents.takeError();
        parts.push_back({size, *contents});
      }
      size += section.sh_size;
    }
  } else {
    auto headers = file.program_headers();
    if (!headers)
      return headers.takeError();
    for (const auto &header : *headers) {
      if (header.p_type != llvm::ELF::PT_LOAD)
        continue;
      auto contents = file.getSegmentContents(header);
      if (!contents)
        return contents.takeError();
      parts.push_back({header.p_vaddr, *contents});
      size = std::max<uint64_t>(size, header.p_vaddr + header.p_memsz);
    }
  }
  if (size > (uint64_t(1) << 30))
    return failure("the code object is larger than 1 GiB");
  module.storage.assign(size + 2 * imageAlignment, 0);
  module.image = reinterpret_cast<uint8_t *>(
      llvm::alignTo(reinterpret_cast<uint64_t>(module.storage.data()), imageAlignment));
  module.imageBytes = size;
  for (const auto &[place, contents] : parts) {
    if (place > size || contents.size() > size - place)
      return failure("a segment lies outside of the image");
    std::memcpy(module.image + place, contents.data(), contents.size());
  }
  return llvm::Error::success();
}

uint64_t Loader::addressOf(const llvm::object::SymbolRef &symbol) {
  llvm::object::ELFSymbolRef elf(symbol);
  auto value = elf.getValue();
  if (!value) {
    llvm::consumeError(value.takeError());
    return 0;
  }
  if (!isRelocatable())
    return *value;
  const auto *raw = object.getSymbol(symbol.getRawDataRefImpl()).get();
  return raw->st_shndx < places.size() ? places[raw->st_shndx] + *value : *value;
}

void Loader::apply(uint64_t type, uint64_t place, uint64_t target) {
  using namespace llvm::ELF;
  using namespace llvm::support::endian;
  uint64_t base = reinterpret_cast<uint64_t>(module.image);
  bool isWide = type == R_AMDGPU_ABS64 || type == R_AMDGPU_REL64 || type == R_AMDGPU_RELATIVE64;
  if (place > module.imageBytes || module.imageBytes - place < (isWide ? 8 : 4))
    return;
  uint8_t *at = module.image + place;
  switch (type) {
  case R_AMDGPU_ABS64:
  case R_AMDGPU_RELATIVE64:
    return write64le(at, base + target);
  case R_AMDGPU_REL64:
    return write64le(at, target - place);
  case R_AMDGPU_ABS32_LO:
  case R_AMDGPU_ABS32:
    return write32le(at, static_cast<uint32_t>(base + target));
  case R_AMDGPU_ABS32_HI:
    return write32le(at, static_cast<uint32_t>((base + target) >> 32));
  case R_AMDGPU_REL32:
  case R_AMDGPU_REL32_LO:
    return write32le(at, static_cast<uint32_t>(target - place));
  case R_AMDGPU_REL32_HI:
    return write32le(at, static_cast<uint32_t>((target - place) >> 32));
  }
}

llvm::Error Loader::relocate() {
  auto each = [&](const llvm::object::SectionRef &section, uint64_t base) {
    for (const llvm::object::RelocationRef &relocation : section.relocations()) {
      llvm::object::ELFRelocationRef elf(relocation);
      int64_t addend = 0;
      if (auto got = elf.getAddend())
        addend = *got;
      else
        llvm::consumeError(got.takeError());
      uint64_t target = static_cast<uint64_t>(addend);
      if (relocation.getSymbol() != object.symbol_end())
        target += addressOf(*relocation.getSymbol());
      apply(relocation.getType(), base + relocation.getOffset(), target);
    }
  };
  if (isRelocatable()) {
    for (const llvm::object::SectionRef &section : object.sections()) {
      auto relocated = section.getRelocatedSection();
      if (!relocated)
        return relocated.takeError();
      if (*relocated == object.section_end())
        continue;
      uint64_t index = (*relocated)->getIndex();
      bool isLoaded = llvm::object::ELFSectionRef(**relocated).getFlags() & llvm::ELF::SHF_ALLOC;
      if (isLoaded && index < places.size())
        each(section, places[index]);
    }
  } else {
    for (const llvm::object::SectionRef &section :
         static_cast<const llvm::object::ObjectFile &>(object).dynamic_relocation_sections())
      each(section, 0);
  }
  return llvm::Error::success();
}

static KernelDescriptor readDescriptor(const uint8_t *bytes) {
  using namespace llvm::support::endian;
  KernelDescriptor descriptor;
  descriptor.sharedBytes = read32le(bytes);
  descriptor.privateBytes = read32le(bytes + 4);
  descriptor.kernargBytes = read32le(bytes + 8);
  descriptor.entry = static_cast<int64_t>(read64le(bytes + 16));
  descriptor.rsrc3 = read32le(bytes + 44);
  descriptor.rsrc1 = read32le(bytes + 48);
  descriptor.rsrc2 = read32le(bytes + 52);
  descriptor.properties = read16le(bytes + 56);
  descriptor.preload = read16le(bytes + 58);
  return descriptor;
}

llvm::Error Loader::readSymbols() {
  auto read = [&](const llvm::object::SymbolRef &symbol) -> llvm::Error {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    StringRef kernel = *name;
    if (!kernel.consume_back(".kd"))
      return llvm::Error::success();
    uint64_t place = addressOf(symbol);
    if (place > module.imageBytes || module.imageBytes - place < 64)
      return failure("the descriptor of '" + kernel + "' lies outside of the image");
    Kernel &made = module.kernels[kernel];
    made.descriptor = readDescriptor(module.image + place);
    made.entry = place + static_cast<uint64_t>(made.descriptor.entry);
    made.waveSize = module.chip.generation == 9 || !(made.descriptor.properties & 0x400) ? 64 : 32;
    made.hasDynamicStack = made.descriptor.properties & 0x800;
    return llvm::Error::success();
  };
  for (const llvm::object::SymbolRef &symbol : object.symbols())
    if (llvm::Error error = read(symbol))
      return error;
  for (const llvm::object::SymbolRef &symbol : object.getDynamicSymbolIterators())
    if (llvm::Error error = read(symbol))
      return error;
  return llvm::Error::success();
}

static unsigned numberIn(llvm::msgpack::DocNode &node) {
  return node.getKind() == llvm::msgpack::Type::UInt  ? unsigned(node.getUInt())
         : node.getKind() == llvm::msgpack::Type::Int ? unsigned(node.getInt())
                                                      : 0u;
}

void Loader::readKernels(llvm::msgpack::DocNode &root) {
  if (!root.isMap())
    return;
  llvm::msgpack::DocNode &kernels = root.getMap()["amdhsa.kernels"];
  if (!kernels.isArray())
    return;
  for (llvm::msgpack::DocNode &entry : kernels.getArray()) {
    if (!entry.isMap())
      continue;
    auto &map = entry.getMap();
    llvm::msgpack::DocNode &name = map[".name"];
    auto found = name.isString() ? module.kernels.find(name.getString()) : module.kernels.end();
    if (found == module.kernels.end() || !map[".args"].isArray())
      continue;
    if (llvm::msgpack::DocNode &sizes = map[".cluster_dims"]; sizes.isArray())
      for (unsigned axis = 0; axis != std::min<size_t>(3, sizes.getArray().size()); ++axis)
        found->second.clusterSize[axis] = numberIn(sizes.getArray()[axis]);
    for (llvm::msgpack::DocNode &argument : map[".args"].getArray()) {
      if (!argument.isMap())
        continue;
      auto number = [&](StringRef key) { return numberIn(argument.getMap()[key]); };
      llvm::msgpack::DocNode &kind = argument.getMap()[".value_kind"];
      found->second.arguments.push_back(
          {number(".offset"), number(".size"), kind.isString() ? kind.getString().str() : ""});
    }
  }
}

void Loader::readPrintFormats(llvm::msgpack::DocNode &root) {
  if (!root.isMap() || !root.getMap()["amdhsa.printf"].isArray())
    return;
  for (llvm::msgpack::DocNode &line : root.getMap()["amdhsa.printf"].getArray())
    if (line.isString())
      addPrintFormat(line.getString(), module.printFormats);
}

llvm::Error Loader::readNotes() {
  const auto &file = object.getELFFile();
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file.notes(section, error)) {
      if (note.getName() != "AMDGPU" || note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::msgpack::Document document;
      if (!document.readFromBlob(note.getDescAsStringRef(section.sh_addralign), /*Multi=*/false))
        continue;
      readKernels(document.getRoot());
      readPrintFormats(document.getRoot());
    }
    if (error)
      return error;
  }
  return llvm::Error::success();
}

static bool describeChip(Chip &chip, StringRef name) {
  chip.name = name.str();
  chip.is942 = name == "gfx942";
  chip.is950 = name == "gfx950";
  chip.is1250 = name == "gfx1250" || name == "gfx1251";
  if (chip.is942 || chip.is950)
    chip.generation = 9;
  else if (name.starts_with("gfx11"))
    chip.generation = 11;
  else if (name.starts_with("gfx12"))
    chip.generation = 12;
  return chip.generation != 0;
}

llvm::Error Loader::run() {
  if (llvm::Error error = layOut())
    return error;
  if (llvm::Error error = readSymbols())
    return error;
  if (llvm::Error error = relocate())
    return error;
  // Relocation may have set where kernels begin.
  if (llvm::Error error = readSymbols())
    return error;
  return readNotes();
}

std::shared_ptr<const Module> load(StringRef bytes, std::string &error) {
  auto fail = [&](llvm::Error failed) -> std::shared_ptr<const Module> {
    error = llvm::toString(std::move(failed));
    return nullptr;
  };
  // The reader wants aligned bytes.
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  llvm::MemoryBufferRef buffer(StringRef(reinterpret_cast<char *>(aligned.data()), bytes.size()),
                               "code object");
  auto object = ElfObject::create(buffer);
  if (!object)
    return fail(object.takeError());
  if (object->getELFFile().getHeader().e_machine != llvm::ELF::EM_AMDGPU)
    return fail(failure("the code object is not for an AMD GPU"));
  auto module = std::make_shared<Module>();
  std::optional<StringRef> chip = object->tryGetCPUName();
  if (!chip || !describeChip(module->chip, *chip))
    return fail(failure("code for " + (chip ? *chip : "an unknown chip") + " is not executed"));
  if (llvm::Error failed = Loader(*module, *object).run())
    return fail(std::move(failed));
  return module;
}

std::vector<std::string> kernelNames(const Module &module) {
  std::vector<std::string> names;
  for (const auto &entry : module.kernels)
    names.push_back(entry.getKey().str());
  return names;
}

} // namespace gluonc::amdgcn
