//===- Link.cpp - One relocatable object to a shared one -----------------------===//
//
//   segment   holds                                                     memory
//   R         ELF header, program headers, .note, .dynsym, .gnu.hash,   at 0
//             .hash, .dynstr, read-only data (kernel descriptors)
//   R X       .text                                                     a page further
//   R W       .dynamic                                                  another page further
//   -         .comment, line information, .symtab, .strtab, .shstrtab
//
// Each segment begins where the file is; only its page in memory is another.
//
//===----------------------------------------------------------------------===//
#include "codegen/Backend.h"
#include "codegen/amd/CodeObject.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

using File = object::ELFFile<object::ELF64LE>;
using Header = File::Elf_Ehdr;
using Section = File::Elf_Shdr;
using Segment = File::Elf_Phdr;
using Symbol = File::Elf_Sym;
using Relocation = File::Elf_Rela;
using DynamicEntry = File::Elf_Dyn;

constexpr uint64_t page = 0x1000;

Error fail(const Twine &why) { return make_error<AssemblerError>("linking: " + why.str()); }

/// A section of the result. Non-zero `source` is the section of the object that it comes from.
struct Output {
  std::string name;
  Section header = {};
  std::string bytes;
  uint32_t source = 0;
};

/// Strings one after the other, each once.
class StringTable {
public:
  uint32_t add(StringRef text) {
    auto [place, isNew] = places.try_emplace(text, bytes.size());
    if (isNew)
      bytes.append(text.begin(), text.end()).push_back('\0');
    return place->second;
  }
  std::string bytes = std::string(1, '\0');

private:
  StringMap<uint32_t> places = StringMap<uint32_t>({{"", 0}});
};

template <typename Entry> void append(std::string &bytes, const Entry &entry) {
  bytes.append(reinterpret_cast<const char *>(&entry), sizeof(Entry));
}

void appendWord(std::string &bytes, uint32_t word) {
  char raw[4];
  support::endian::write32le(raw, word);
  bytes.append(raw, 4);
}

/// System V ABI, "Hash Table".
uint32_t hashOf(StringRef name) {
  uint32_t hash = 0;
  for (unsigned char c : name) {
    hash = (hash << 4) + c;
    uint32_t top = hash & 0xf0000000;
    hash = (hash ^ top >> 24) & ~top;
  }
  return hash;
}

/// Of the GNU table: Bernstein's.
uint32_t gnuHashOf(StringRef name) {
  uint32_t hash = 5381;
  for (unsigned char c : name)
    hash = hash * 33 + c;
  return hash;
}

class Linker {
public:
  explicit Linker(const File &object) : object(object) {}

  Expected<std::string> link() {
    if (Error error = readSections())
      return std::move(error);
    if (Error error = readSymbols())
      return std::move(error);
    makeTables();
    place();
    fillSymbols();
    fillDynamic();
    if (Error error = relocate())
      return std::move(error);
    return write();
  }

private:
  // -- Reading --------------------------------------------------------------------

  Error readSections() {
    Expected<File::Elf_Shdr_Range> all = object.sections();
    if (!all)
      return all.takeError();
    sections = *all;
    for (auto [number, section] : enumerate(sections)) {
      bool isLoaded = section.sh_flags & ELF::SHF_ALLOC;
      bool isKept = section.sh_type == ELF::SHT_PROGBITS || section.sh_type == ELF::SHT_NOTE;
      if (!section.sh_size)
        continue;
      if (isLoaded && (!isKept || section.sh_flags & ELF::SHF_WRITE))
        return fail("a section that the program may write");
      if (!isKept)
        continue;
      Expected<StringRef> name = object.getSectionName(section);
      Expected<ArrayRef<uint8_t>> bytes = object.getSectionContents(section);
      if (!name || !bytes)
        return joinErrors(name.takeError(), bytes.takeError());
      // What the assembler says about itself: registers of functions, the stack of a host.
      if (!isLoaded && (name->starts_with(".AMDGPU") || name->starts_with(".note")))
        continue;
      Output &output = kept.emplace_back();
      output.name = name->str();
      output.header = section;
      output.bytes = std::string(bytes->begin(), bytes->end());
      output.source = number;
    }
    return Error::success();
  }

  Error readSymbols() {
    const auto *table = find_if(
        sections, [](const Section &section) { return section.sh_type == ELF::SHT_SYMTAB; });
    if (table == sections.end())
      return fail("no symbols");
    Expected<File::Elf_Sym_Range> all = object.symbols(&*table);
    Expected<StringRef> names = object.getStringTableForSymtab(*table);
    if (!all || !names)
      return joinErrors(all.takeError(), names.takeError());
    symbols = *all;
    for (const Symbol &symbol : symbols) {
      Expected<StringRef> name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      symbolNames.push_back(*name);
      bool isMissing = symbol.st_shndx == ELF::SHN_UNDEF && !name->empty();
      if (isMissing && symbol.getBinding() != ELF::STB_WEAK)
        return fail("the symbol " + *name + " is defined nowhere");
    }
    return Error::success();
  }

  bool isExported(const Symbol &symbol) const {
    return symbol.getBinding() == ELF::STB_GLOBAL && symbol.st_shndx != ELF::SHN_UNDEF &&
           symbol.st_shndx != ELF::SHN_ABS && symbol.getVisibility() != ELF::STV_HIDDEN;
  }

  // -- Tables ----------------------------------------------------------------------

  /// Sizes are final afterwards; values are not.
  void makeTables() {
    for (auto [number, symbol] : enumerate(symbols))
      if (isExported(symbol))
        exported.push_back(number);
    // The GNU table wants the symbols of a bucket side by side; there is one bucket.
    dynsym.bytes.assign((exported.size() + 1) * sizeof(Symbol), '\0');
    for (uint32_t number : exported)
      dynamicNames.add(symbolNames[number]);
    dynstr.bytes = dynamicNames.bytes;
    makeGnuHash();
    makeHash();
    dynamic.bytes.assign(7 * sizeof(DynamicEntry), '\0');
  }

  void makeGnuHash() {
    constexpr uint32_t shift = 26, firstSymbol = 1;
    uint64_t filter = 0;
    for (uint32_t number : exported) {
      uint32_t hash = gnuHashOf(symbolNames[number]);
      filter |= uint64_t{1} << hash % 64 | uint64_t{1} << (hash >> shift) % 64;
    }
    std::string &bytes = gnuHash.bytes;
    for (uint32_t word :
         {/*buckets*/ 1u, firstSymbol, /*words of the filter*/ 1u, shift, uint32_t(filter),
          uint32_t(filter >> 32), exported.empty() ? 0u : firstSymbol})
      appendWord(bytes, word);
    for (uint32_t number : exported) {
      bool isLast = number == exported.back();
      appendWord(bytes, (gnuHashOf(symbolNames[number]) & ~1u) | isLast);
    }
  }

  void makeHash() {
    const uint32_t count = exported.size() + 1;
    SmallVector<uint32_t> buckets(count), chains(count);
    for (auto [i, number] : enumerate(exported)) {
      uint32_t &bucket = buckets[hashOf(symbolNames[number]) % count];
      chains[i + 1] = bucket;
      bucket = i + 1;
    }
    appendWord(hash.bytes, count);
    appendWord(hash.bytes, count);
    for (uint32_t word : concat<uint32_t>(buckets, chains))
      appendWord(hash.bytes, word);
  }

  // -- Places ----------------------------------------------------------------------

  void add(Output &output, StringRef name, uint32_t type, uint64_t flags, uint64_t alignment,
           uint64_t entryBytes = 0) {
    output.name = name.str();
    output.header.sh_type = type;
    output.header.sh_flags = flags;
    output.header.sh_addralign = alignment;
    output.header.sh_entsize = entryBytes;
    order.push_back(&output);
  }

  void addKept(function_ref<bool(const Section &)> isWanted) {
    for (Output &output : kept)
      if (isWanted(output.header)) {
        placeOf[output.source] = &output;
        order.push_back(&output);
      }
  }

  void place() {
    auto has = [](const Section &section, uint64_t flags) {
      return (section.sh_flags & (ELF::SHF_ALLOC | ELF::SHF_EXECINSTR)) == flags;
    };
    addKept([&](const Section &section) {
      return has(section, ELF::SHF_ALLOC) && section.sh_type == ELF::SHT_NOTE;
    });
    add(dynsym, ".dynsym", ELF::SHT_DYNSYM, ELF::SHF_ALLOC, 8, sizeof(Symbol));
    add(gnuHash, ".gnu.hash", ELF::SHT_GNU_HASH, ELF::SHF_ALLOC, 8);
    add(hash, ".hash", ELF::SHT_HASH, ELF::SHF_ALLOC, 4, 4);
    add(dynstr, ".dynstr", ELF::SHT_STRTAB, ELF::SHF_ALLOC, 1);
    addKept([&](const Section &section) {
      return has(section, ELF::SHF_ALLOC) && section.sh_type != ELF::SHT_NOTE;
    });
    ends[0] = order.size();
    addKept(
        [&](const Section &section) { return has(section, ELF::SHF_ALLOC | ELF::SHF_EXECINSTR); });
    ends[1] = order.size();
    add(dynamic, ".dynamic", ELF::SHT_DYNAMIC, ELF::SHF_ALLOC | ELF::SHF_WRITE, 8,
        sizeof(DynamicEntry));
    ends[2] = order.size();
    addKept([&](const Section &section) { return has(section, 0); });
    symtab.bytes.assign(symbols.size() * sizeof(Symbol), '\0');
    for (StringRef name : symbolNames)
      staticNames.add(name);
    strtab.bytes = staticNames.bytes;
    add(symtab, ".symtab", ELF::SHT_SYMTAB, 0, 8, sizeof(Symbol));
    add(strtab, ".strtab", ELF::SHT_STRTAB, 0, 1);
    add(shstrtab, ".shstrtab", ELF::SHT_STRTAB, 0, 1);
    for (Output *output : order)
      output->header.sh_name = sectionNames.add(output->name);
    shstrtab.bytes = sectionNames.bytes;
    assignAddresses();
  }

  void assignAddresses() {
    uint64_t offset = sizeof(Header) + segmentCount() * sizeof(Segment), pages = 0;
    for (auto [i, output] : enumerate(order)) {
      Section &header = output->header;
      // A new segment; a file offset that begins a page needs no other one.
      if ((i == ends[0] || i == ends[1]) && offset % page)
        pages += page;
      offset = alignTo(offset, std::max<uint64_t>(header.sh_addralign, 1));
      header.sh_offset = offset;
      header.sh_addr = i < ends[2] ? offset + pages : 0;
      header.sh_size = output->bytes.size();
      offset += output->bytes.size();
    }
    sectionHeaders = alignTo(offset, 8);
    link(dynsym, dynstr, /*locals=*/1);
    link(gnuHash, dynsym);
    link(hash, dynsym);
    link(dynamic, dynstr);
    uint32_t locals = count_if(
        symbols, [](const Symbol &symbol) { return symbol.getBinding() == ELF::STB_LOCAL; });
    link(symtab, strtab, locals);
  }

  void link(Output &from, const Output &to, uint32_t info = 0) {
    from.header.sh_link = numberOf(to);
    from.header.sh_info = info;
  }

  /// Section 0 is none.
  uint32_t numberOf(const Output &output) const { return find(order, &output) - order.begin() + 1; }

  // -- Contents ----------------------------------------------------------------------

  uint64_t addressOf(const Symbol &symbol) const {
    if (symbol.st_shndx == ELF::SHN_ABS)
      return symbol.st_value;
    auto found = placeOf.find(symbol.st_shndx);
    return found == placeOf.end() ? 0 : found->second->header.sh_addr + symbol.st_value;
  }

  Symbol placed(uint32_t number, uint32_t name) const {
    Symbol symbol = symbols[number];
    symbol.st_name = name;
    symbol.st_value = addressOf(symbols[number]);
    auto found = placeOf.find(symbols[number].st_shndx);
    if (found != placeOf.end())
      symbol.st_shndx = numberOf(*found->second);
    else if (symbol.st_shndx < ELF::SHN_LORESERVE)
      symbol.st_shndx = ELF::SHN_UNDEF;
    return symbol;
  }

  void fillSymbols() {
    std::string bytes(sizeof(Symbol), '\0');
    for (uint32_t number : exported)
      append(bytes, placed(number, dynamicNames.add(symbolNames[number])));
    dynsym.bytes = std::move(bytes);
    symtab.bytes.clear();
    for (uint32_t number = 0; number < symbols.size(); ++number)
      append(symtab.bytes, placed(number, staticNames.add(symbolNames[number])));
  }

  void fillDynamic() {
    const std::pair<uint64_t, uint64_t> entries[] = {
        {ELF::DT_SYMTAB, dynsym.header.sh_addr},    {ELF::DT_SYMENT, sizeof(Symbol)},
        {ELF::DT_STRTAB, dynstr.header.sh_addr},    {ELF::DT_STRSZ, dynstr.bytes.size()},
        {ELF::DT_GNU_HASH, gnuHash.header.sh_addr}, {ELF::DT_HASH, hash.header.sh_addr},
    };
    size_t size = dynamic.bytes.size();
    dynamic.bytes.clear();
    for (auto [tag, value] : entries) {
      DynamicEntry entry = {};
      entry.d_tag = tag;
      entry.d_un.d_val = value;
      append(dynamic.bytes, entry);
    }
    dynamic.bytes.resize(size, '\0');
  }

  Error relocate() {
    for (const Section &section : sections) {
      auto target = placeOf.find(section.sh_info);
      if (section.sh_type == ELF::SHT_REL && target != placeOf.end())
        return fail("relocations without addends");
      if (section.sh_type != ELF::SHT_RELA || target == placeOf.end())
        continue;
      Expected<File::Elf_Rela_Range> entries = object.relas(section);
      if (!entries)
        return entries.takeError();
      for (const Relocation &entry : *entries)
        if (Error error = relocate(*target->second, entry))
          return error;
    }
    return Error::success();
  }

  /// LLVM, AMDGPUUsage, "Relocation Records".
  Error relocate(Output &output, const Relocation &entry) {
    const Symbol &symbol = symbols[entry.getSymbol(false)];
    uint64_t absolute = addressOf(symbol) + entry.r_addend;
    uint64_t relative = absolute - (output.header.sh_addr + entry.r_offset);
    auto write = [&](uint64_t value, unsigned bytes) -> Error {
      if (entry.r_offset + bytes > output.bytes.size())
        return fail("a relocation outside of its section");
      for (unsigned i = 0; i < bytes; ++i)
        output.bytes[entry.r_offset + i] = char(value >> 8 * i);
      return Error::success();
    };
    switch (entry.getType(false)) {
    case ELF::R_AMDGPU_ABS32_LO:
    case ELF::R_AMDGPU_ABS32:
      return write(absolute, 4);
    case ELF::R_AMDGPU_ABS64:
      return write(absolute, 8);
    case ELF::R_AMDGPU_REL32:
    case ELF::R_AMDGPU_REL32_LO:
      return write(relative, 4);
    case ELF::R_AMDGPU_REL32_HI:
      return write(relative >> 32, 4);
    case ELF::R_AMDGPU_REL64:
      return write(relative, 8);
    case ELF::R_AMDGPU_REL16:
      return write((int64_t(relative) - 4) / 4, 2);
    default:
      return fail("a relocation of type " + Twine(entry.getType(false)));
    }
  }

  // -- Writing -----------------------------------------------------------------------

  static constexpr unsigned fixedSegments = 7;
  bool hasNotes() const {
    return any_of(kept, [](const Output &output) {
      return output.header.sh_type == ELF::SHT_NOTE && output.header.sh_flags & ELF::SHF_ALLOC;
    });
  }
  unsigned segmentCount() const { return fixedSegments + hasNotes(); }

  /// Everything that is in memory is in the file.
  static Segment loaded(Segment segment) {
    segment.p_paddr = segment.p_vaddr;
    segment.p_filesz = segment.p_memsz;
    return segment;
  }

  Segment segment(uint32_t type, uint32_t flags, uint64_t alignment, const Output *first = nullptr,
                  const Output *last = nullptr) const {
    Segment result = {};
    result.p_type = type;
    result.p_flags = flags;
    result.p_align = alignment;
    if (!first)
      return result;
    result.p_offset = first->header.sh_offset;
    result.p_vaddr = first->header.sh_addr;
    result.p_memsz = last->header.sh_addr + last->header.sh_size - first->header.sh_addr;
    return loaded(result);
  }

  SmallVector<Segment> segments() const {
    Segment headers = segment(ELF::PT_PHDR, ELF::PF_R, 8);
    headers.p_offset = sizeof(Header);
    headers.p_vaddr = sizeof(Header);
    headers.p_memsz = segmentCount() * sizeof(Segment);
    Segment readable = segment(ELF::PT_LOAD, ELF::PF_R, page);
    const Section &last = order[ends[0] - 1]->header;
    readable.p_memsz = last.sh_offset + last.sh_size;
    const Output *text = ends[1] > ends[0] ? order[ends[0]] : &dynamic;
    const Output *textEnd = ends[1] > ends[0] ? order[ends[1] - 1] : &dynamic;
    SmallVector<Segment> result = {
        loaded(headers), loaded(readable),
        segment(ELF::PT_LOAD, ELF::PF_R | ELF::PF_X, page, text, textEnd)};
    result.push_back(segment(ELF::PT_LOAD, ELF::PF_R | ELF::PF_W, page, &dynamic, &dynamic));
    result.push_back(segment(ELF::PT_DYNAMIC, ELF::PF_R | ELF::PF_W, 8, &dynamic, &dynamic));
    result.push_back(segment(ELF::PT_GNU_RELRO, ELF::PF_R, 1, &dynamic, &dynamic));
    result.back().p_memsz =
        alignTo(result.back().p_vaddr + result.back().p_memsz, page) - result.back().p_vaddr;
    result.push_back(segment(ELF::PT_GNU_STACK, ELF::PF_R | ELF::PF_W, 0));
    for (const Output *output : order)
      if (output->header.sh_type == ELF::SHT_NOTE)
        result.push_back(segment(ELF::PT_NOTE, ELF::PF_R, 4, output, output));
    return result;
  }

  std::string write() const {
    Header header = object.getHeader();
    header.e_type = ELF::ET_DYN;
    header.e_phoff = sizeof(Header);
    header.e_phentsize = sizeof(Segment);
    header.e_phnum = segmentCount();
    header.e_shoff = sectionHeaders;
    header.e_shnum = order.size() + 1;
    header.e_shstrndx = numberOf(shstrtab);
    std::string file;
    append(file, header);
    for (const Segment &segment : segments())
      append(file, segment);
    for (const Output *output : order) {
      file.resize(output->header.sh_offset, '\0');
      file += output->bytes;
    }
    file.resize(sectionHeaders, '\0');
    append(file, Section{});
    for (const Output *output : order)
      append(file, output->header);
    return file;
  }

  const File &object;
  ArrayRef<Section> sections;
  ArrayRef<Symbol> symbols;
  SmallVector<StringRef> symbolNames;
  /// Numbers of the symbols that others see.
  SmallVector<uint32_t> exported;
  std::vector<Output> kept;
  Output dynsym, gnuHash, hash, dynstr, dynamic, symtab, strtab, shstrtab;
  StringTable dynamicNames, staticNames, sectionNames;
  SmallVector<Output *> order;
  /// Of the three segments in memory: the number of the first section behind each.
  size_t ends[3] = {};
  DenseMap<uint32_t, Output *> placeOf;
  uint64_t sectionHeaders = 0;
};

} // namespace

Expected<std::string> linkObject(StringRef object) {
  Expected<File> file = File::create(object);
  if (!file)
    return file.takeError();
  return Linker(*file).link();
}

} // namespace gluonc::codegen::amd
