#include "bundle/Contents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SHA256.h"

#include <map>

namespace gluonc::bundle {

namespace {

uint64_t aligned(uint64_t bytes) {
  return (bytes + format::alignment - 1) / format::alignment * format::alignment;
}

/// The tables of an index as they grow.
class Index {
public:
  void add(const Kernel &kernel) {
    format::Kernel record = {};
    record.name = text(kernel.name);
    record.parameters = begin(parameters, kernel.parameters);
    for (const Parameter &parameter : kernel.parameters) {
      format::Parameter made = {};
      made.name = text(parameter.name);
      made.type = text(parameter.type);
      made.kind = parameter.kind;
      made.bits = parameter.bits;
      made.rank = parameter.rank;
      parameters.push_back(made);
    }
    record.variants = begin(variants, kernel.variants);
    for (const Variant &variant : kernel.variants)
      add(variant);
    kernels.push_back(record);
  }

  /// The whole file; empty where numbers of 32 bits do not hold it.
  std::string finish() {
    padToAlignment();
    uint64_t size = indexBytes();
    if (size > UINT32_MAX)
      return "";
    uint64_t end = sizeof(format::Header) + size;
    for (auto [piece, code] : llvm::zip(pieces, codes)) {
      piece.offset = end;
      end += code.size();
    }
    std::string index = write();
    format::Header header = {
        format::magic, format::version, sizeof(format::Header),
        end,           index.size(),    llvm::SHA256::hash(llvm::arrayRefFromStringRef(index))};
    std::string file;
    file.reserve(end);
    append(file, llvm::ArrayRef(header));
    file += index;
    for (const std::string &code : codes)
      file += code;
    return file;
  }

private:
  template <typename Record, typename Added>
  static format::Range begin(const std::vector<Record> &table, const std::vector<Added> &added) {
    return {static_cast<uint32_t>(table.size()), static_cast<uint32_t>(added.size())};
  }

  template <typename Record>
  static void append(std::string &bytes, llvm::ArrayRef<Record> records) {
    bytes.append(reinterpret_cast<const char *>(records.data()), records.size() * sizeof(Record));
  }

  void add(const Variant &variant) {
    format::Variant record = {};
    record.target = text(variant.target);
    record.symbol = text(variant.symbol);
    record.conditions = begin(conditions, variant.conditions);
    llvm::append_range(conditions, variant.conditions);
    record.arguments = begin(arguments, variant.arguments);
    llvm::append_range(arguments, variant.arguments);
    record.constants = begin(constants, variant.constants);
    for (const Constant &constant : variant.constants)
      constants.push_back({text(constant.name), text(constant.value)});
    record.piece = piece(variant.code);
    record.threads = variant.threads;
    record.ctas = variant.ctas;
    record.sharedBytes = variant.sharedBytes;
    record.scratchBytes = variant.scratchBytes;
    record.flags = variant.flags;
    variants.push_back(record);
  }

  format::Text text(const std::string &text) {
    auto [at, isNew] = placeOfText.try_emplace(text, static_cast<uint32_t>(texts.size()));
    if (isNew)
      texts.append(text.c_str(), text.size() + 1);
    return {at->second, static_cast<uint32_t>(text.size())};
  }

  /// Equal code is kept once.
  uint32_t piece(const Code &code) {
    std::string padded = code.bytes;
    padded.resize(aligned(padded.size()), '\0');
    format::Piece record = {};
    record.bytes = code.bytes.size();
    record.kind = code.kind;
    record.digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(padded));
    auto key = std::make_tuple(record.digest, record.bytes, record.kind);
    auto [at, isNew] = placeOfCode.try_emplace(key, static_cast<uint32_t>(pieces.size()));
    if (isNew) {
      pieces.push_back(record);
      codes.push_back(std::move(padded));
    }
    return at->second;
  }

  /// Calls `visit(range, records)` for each table, in the order in which they lie.
  template <typename Visitor> void forEachTable(format::Directory &directory, Visitor visit) {
    visit(directory.pieces, pieces);
    visit(directory.conditions, conditions);
    visit(directory.kernels, kernels);
    visit(directory.parameters, parameters);
    visit(directory.variants, variants);
    visit(directory.constants, constants);
    visit(directory.arguments, arguments);
    visit(directory.texts, texts);
  }

  uint64_t indexBytes() {
    format::Directory directory = {};
    uint64_t bytes = sizeof directory;
    forEachTable(directory, [&](format::Range &, auto &records) {
      bytes += records.size() * sizeof(records[0]);
    });
    return bytes;
  }

  /// Machine code begins at a multiple of the alignment: zeros behind the texts.
  void padToAlignment() {
    uint64_t bytes = indexBytes();
    texts.append(aligned(bytes) - bytes, '\0');
  }

  std::string write() {
    format::Directory directory = {};
    std::string tables;
    forEachTable(directory, [&](format::Range &range, auto &records) {
      range = {static_cast<uint32_t>(sizeof directory + tables.size()),
               static_cast<uint32_t>(records.size())};
      append(tables, llvm::ArrayRef(records.data(), records.size()));
    });
    std::string index;
    append(index, llvm::ArrayRef(directory));
    return index + tables;
  }

  std::vector<format::Kernel> kernels;
  std::vector<format::Parameter> parameters;
  std::vector<format::Variant> variants;
  std::vector<format::Condition> conditions;
  std::vector<format::Argument> arguments;
  std::vector<format::Constant> constants;
  std::vector<format::Piece> pieces;
  /// The empty text comes first.
  std::string texts = std::string(1, '\0');
  std::vector<std::string> codes;
  llvm::StringMap<uint32_t> placeOfText;
  std::map<std::tuple<format::Digest, uint64_t, format::CodeKind>, uint32_t> placeOfCode;
};

} // namespace

llvm::Expected<std::string> write(Contents contents) {
  llvm::sort(contents.kernels, [](auto &a, auto &b) { return a.name < b.name; });
  Index index;
  for (const Kernel &kernel : contents.kernels)
    index.add(kernel);
  std::string file = index.finish();
  if (file.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "a bundle's index has less than 4 GiB");
  return file;
}

static llvm::Expected<Variant> read(const Bundle &bundle, const format::Variant &record) {
  llvm::Expected<llvm::StringRef> code = bundle.code(bundle.piece(record));
  if (!code)
    return code.takeError();
  Variant variant;
  variant.target = bundle.text(record.target).str();
  variant.symbol = bundle.text(record.symbol).str();
  llvm::append_range(variant.conditions, bundle.conditions(record));
  llvm::append_range(variant.arguments, bundle.arguments(record));
  for (const format::Constant &constant : bundle.constants(record))
    variant.constants.push_back(
        {bundle.text(constant.name).str(), bundle.text(constant.value).str()});
  variant.threads = record.threads;
  variant.ctas = record.ctas;
  variant.sharedBytes = record.sharedBytes;
  variant.scratchBytes = record.scratchBytes;
  variant.flags = record.flags;
  variant.code = {bundle.piece(record).kind, code->str()};
  return variant;
}

llvm::Expected<Contents> read(const Bundle &bundle) {
  Contents contents;
  for (const format::Kernel &record : bundle.kernels()) {
    Kernel &kernel = contents.kernels.emplace_back();
    kernel.name = bundle.text(record.name).str();
    for (const format::Parameter &parameter : bundle.parameters(record))
      kernel.parameters.push_back({bundle.text(parameter.name).str(),
                                   bundle.text(parameter.type).str(), parameter.kind,
                                   parameter.bits, parameter.rank});
    for (const format::Variant &variant : bundle.variants(record)) {
      llvm::Expected<Variant> made = read(bundle, variant);
      if (!made)
        return made.takeError();
      kernel.variants.push_back(std::move(*made));
    }
  }
  return contents;
}

} // namespace gluonc::bundle
