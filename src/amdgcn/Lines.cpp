#include "amdgcn/Lines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Path.h"

namespace gluonc::amdgcn {

using llvm::DWARFDebugLine;

static void ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

static std::string fileOf(const DWARFDebugLine::LineTable &table, uint64_t number) {
  std::string path;
  // As the compiler was told it: there is no unit, which would have a folder.
  table.getFileNameByIndex(number, "",
                           llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, path);
  return path;
}

/// Null where it is none.
static std::unique_ptr<llvm::object::ObjectFile> open(llvm::StringRef codeObject) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(codeObject, "code object"));
  if (object)
    return std::move(*object);
  llvm::consumeError(object.takeError());
  return nullptr;
}

InlinedFrames::InlinedFrames(llvm::StringRef codeObject) : object(open(codeObject)) {
  if (object)
    context = llvm::DWARFContext::create(*object);
}

InlinedFrames::~InlinedFrames() = default;

std::vector<LineFrame> InlinedFrames::at(uint64_t address) const {
  if (!context)
    return {};
  using Spec = llvm::DILineInfoSpecifier;
  llvm::DIInliningInfo info = context->getInliningInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection},
      Spec(Spec::FileLineInfoKind::AbsoluteFilePath, llvm::DINameKind::ShortName));
  std::vector<LineFrame> frames;
  for (uint32_t i = 0; i != info.getNumberOfFrames(); ++i) {
    const llvm::DILineInfo &frame = info.getFrame(i);
    frames.push_back({frame.FunctionName, frame.FileName, frame.Line, frame.Column});
  }
  return frames;
}

std::vector<LineRow> readLines(llvm::StringRef codeObject) {
  std::unique_ptr<llvm::object::ObjectFile> object = open(codeObject);
  if (!object)
    return {};
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(*object);
  const llvm::DWARFObject &dwarf = context->getDWARFObj();
  llvm::DWARFDataExtractor data(dwarf, dwarf.getLineSection(), /*IsLittleEndian=*/true,
                                /*AddressSize=*/8);
  DWARFDebugLine::SectionParser parser(data, *context, context->normal_units());
  std::vector<LineRow> rows;
  while (!parser.done()) {
    DWARFDebugLine::LineTable table = parser.parseNext(ignore, ignore);
    for (const DWARFDebugLine::Row &row : table.Rows)
      rows.push_back({row.Address.Address, row.EndSequence ? "" : fileOf(table, row.File),
                      row.EndSequence ? 0 : row.Line, row.Column});
  }
  llvm::sort(rows, [](const LineRow &a, const LineRow &b) { return a.address < b.address; });
  return rows;
}

} // namespace gluonc::amdgcn
