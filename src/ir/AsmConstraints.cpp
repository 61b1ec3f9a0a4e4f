#include "ir/AsmConstraints.h"

#include "ir/Encoding.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

namespace gluonc {

static constexpr llvm::StringLiteral amdClasses = "vsa";

/// Bits of a register class; 0 where the operand says it.
static unsigned bitsOfClass(char registerClass) {
  if (amdClasses.contains(registerClass))
    return 0;
  switch (registerClass) {
  case 'b':
    return 1;
  case 'c':
    return 8;
  case 'h':
    return 16;
  case 'r':
  case 'f':
    return 32;
  default:
    return 64;
  }
}

bool AsmConstraints::isAmd() const {
  auto isAmds = [](AsmRegister each) { return amdClasses.contains(each.kind); };
  return llvm::any_of(results, isAmds) || llvm::any_of(operands, isAmds);
}

unsigned elementsPerAsmOperand(mlir::Type type, unsigned pack) {
  unsigned bits = elementBits(mlir::getElementTypeOrSelf(type));
  return std::min(std::max(32 / bits, 1u), pack);
}

/// Numbers of the operands that the text names; `$$` is a dollar sign.
static bool namesFit(llvm::StringRef text, size_t count, std::string &why) {
  for (size_t at = text.find('$'); at != llvm::StringRef::npos; at = text.find('$', at)) {
    llvm::StringRef rest = text.drop_front(at + 1);
    if (rest.starts_with("$")) {
      at += 2;
      continue;
    }
    llvm::StringRef digits = rest.take_while(llvm::isDigit);
    unsigned number = 0;
    if (digits.empty() || digits.getAsInteger(10, number)) {
      why = "`$` must be followed by the number of an operand, or be written `$$`";
      return false;
    }
    if (number >= count) {
      why = "the text names operand $" + std::to_string(number) + ", but there are " +
            std::to_string(count);
      return false;
    }
    at += 1 + digits.size();
  }
  return true;
}

/// A register of AMD's chips for so many bits: half of one, one or two.
static unsigned amdRegisterBits(unsigned bits) { return bits == 16 ? 16 : bits <= 32 ? 32 : 64; }

/// One operand per register: `pack` elements of `type` in as many as they fill.
static bool fit(llvm::MutableArrayRef<AsmRegister> classes, mlir::TypeRange types, unsigned pack,
                llvm::StringRef what, std::string &why) {
  size_t next = 0;
  for (mlir::Type type : types) {
    unsigned together = elementsPerAsmOperand(type, pack);
    unsigned bits = elementBits(mlir::getElementTypeOrSelf(type)) * together;
    if (pack % together != 0) {
      why = "pack must fill 32-bit registers";
      return false;
    }
    for (unsigned i = 0; i < pack / together; ++i, ++next) {
      if (next >= classes.size())
        continue;
      AsmRegister &each = classes[next];
      if (!each.bits)
        each.bits = amdRegisterBits(bits);
      if (each.bits < bits) {
        why = "a register of class `" + std::string(1, each.kind) + "` cannot hold " +
              std::to_string(bits) + " bits";
        return false;
      }
    }
  }
  if (next == classes.size())
    return true;
  why = "the constraints name " + std::to_string(classes.size()) + " " + what.str() +
        ", but there are " + std::to_string(next);
  return false;
}

std::optional<AsmConstraints> readAsmConstraints(llvm::StringRef text, llvm::StringRef constraints,
                                                 mlir::TypeRange results, mlir::TypeRange operands,
                                                 unsigned pack, std::string &why) {
  AsmConstraints read;
  llvm::SmallVector<llvm::StringRef> parts;
  constraints.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    part = part.trim();
    if (part.starts_with("~{"))
      continue;
    bool isResult = part.consume_front("=");
    if (isResult)
      part.consume_front("&");
    unsigned tied = 0;
    if (!isResult && !part.getAsInteger(10, tied) && tied < read.results.size()) {
      read.ties.push_back({read.operands.size(), tied});
      read.operands.push_back(read.results[tied]);
      continue;
    }
    if (part.size() != 1 ||
        !llvm::StringRef(isResult ? "bchrlfdvsa" : "bchrlfdvsan").contains(part[0])) {
      why = "`" + part.str() +
            "` is not a register class; they are h, r, l, f, d, c and b, of AMD's chips v, s and a";
      return std::nullopt;
    }
    if (isResult && !read.operands.empty()) {
      why = "results come before operands";
      return std::nullopt;
    }
    (isResult ? read.results : read.operands).push_back({part[0], bitsOfClass(part[0])});
  }
  if (!fit(read.results, results, pack, "results", why) ||
      !fit(read.operands, operands, pack, "operands", why) ||
      !namesFit(text, read.results.size() + read.operands.size(), why))
    return std::nullopt;
  return read;
}

std::optional<llvm::SmallVector<mlir::Type>> threadAsmTypes(mlir::TypeRange types) {
  llvm::SmallVector<mlir::Type> each;
  for (mlir::Type type : types) {
    if (mlir::isa<ttg::MemDescType>(type)) {
      each.push_back(mlir::IntegerType::get(type.getContext(), 32));
      continue;
    }
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    const layout::LinearLayout *layout = tensor ? linearOrNull(tensor) : nullptr;
    if (tensor && !layout)
      return std::nullopt;
    each.append(layout ? layout->inSize(layout::Dim::Register) : 1,
                mlir::getElementTypeOrSelf(type));
  }
  return each;
}

} // namespace gluonc
