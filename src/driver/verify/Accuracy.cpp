#include "driver/verify/Accuracy.h"
#include "ir/SourceLocation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <set>

namespace gluonc::driver {

namespace {

/// Of one function: how far its float32 and float64 results may be apart, the simulator's error
/// and the promise of machine code (docs/accuracy.md) together.
struct Bound {
  llvm::StringLiteral operation;
  double f32, f64;
};
constexpr Bound bounds[] = {
    {"math.exp", 91, 2}, {"math.exp2", 4, 2},  {"math.log", 3, 2},        {"math.log2", 3, 2},
    {"math.sin", 3, 2},  {"math.cos", 3, 2},   {"math.sqrt", 3, 0},       {"math.rsqrt", 5, 2},
    {"math.erf", 5, 4},  {"arith.divf", 3, 0}, {"tt.precise_divf", 0, 0}, {"tt.precise_sqrt", 0, 0},
};

/// Functions of libdevice: computed in float64 for float32.
constexpr double libraryF32 = 2, libraryF64 = 7;

using Ulp = std::optional<double>;

class Finder {
public:
  Finder(bool fusion, const diag::SourceManager &sources) : fusion(fusion), sources(sources) {}

  std::vector<InexactOperation> found;

  void visit(mlir::Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    mlir::Type type = op->getNumResults() ? elementOf(op->getResult(0)) : mlir::Type();
    if (const Bound *bound =
            llvm::find_if(bounds, [&](const Bound &b) { return b.operation == name; });
        bound != std::end(bounds))
      return note(op, typed(name, type), type.isF32() ? bound->f32 : type.isF64() ? bound->f64 : 1);
    if (auto call = llvm::dyn_cast<tt::ExternElementwiseOp>(op))
      return visitLibrary(call, type);
    if (name.starts_with("math.") && type && llvm::isa<mlir::FloatType>(type) && !isExact(name))
      return note(op, typed(name, type), std::nullopt);
    if (name == "arith.remf")
      return note(op, typed(name, type), std::nullopt);
    if (fusion && llvm::isa<mlir::arith::MulFOp>(op) && isAdded(op))
      return note(op, "a product and a sum that become one fma", std::nullopt);
    if (name == "tt.reduce" || name == "tt.scan")
      return visitCombination(op, name);
    if (name.contains("atomic") && type && llvm::isa<mlir::FloatType>(type))
      return note(op, "`" + name.str() + "`, whose sums have an order of their own", std::nullopt);
    if (name.contains("dot") || name.contains("mma") || name.contains("mfma"))
      return visitProduct(op, name, type);
    if (name == "tt.elementwise_inline_asm" && type && llvm::isa<mlir::FloatType>(type))
      note(op, "inline assembly", std::nullopt);
  }

private:
  static mlir::Type elementOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value); }

  static std::string typed(llvm::StringRef name, mlir::Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << '`' << name << "` of " << type;
    return text;
  }

  static bool isExact(llvm::StringRef name) {
    static constexpr llvm::StringLiteral exact[] = {"math.absf",  "math.floor",     "math.ceil",
                                                    "math.trunc", "math.roundeven", "math.round",
                                                    "math.fma",   "math.copysign",  "math.isnan"};
    return llvm::is_contained(exact, name);
  }

  static bool isAdded(mlir::Operation *product) {
    return llvm::any_of(product->getUsers(), [](mlir::Operation *user) {
      return llvm::isa<mlir::arith::AddFOp, mlir::arith::SubFOp>(user);
    });
  }

  void visitLibrary(tt::ExternElementwiseOp call, mlir::Type type) {
    llvm::StringRef symbol = call.getSymbol();
    if (!llvm::isa<mlir::FloatType>(type))
      return;
    // Those that name a direction round once.
    for (llvm::StringRef direction : {"_rn", "_rz", "_ru", "_rd"})
      if (symbol.contains(direction))
        return;
    if (symbol.contains("bessel") || symbol.contains("_j0") || symbol.contains("_j1") ||
        symbol.contains("_jn") || symbol.contains("_y0") || symbol.contains("_y1") ||
        symbol.contains("_yn") || symbol.contains("rcp64h"))
      return note(call, ("`" + symbol + "`").str(), std::nullopt);
    note(call, ("`" + symbol + "`").str(), type.isF64() ? libraryF64 : libraryF32);
  }

  /// Sums and products of floats depend on their order; maxima do not.
  void visitCombination(mlir::Operation *op, llvm::StringRef name) {
    bool adds = false;
    op->walk([&](mlir::Operation *inner) {
      adds |= llvm::isa<mlir::arith::AddFOp, mlir::arith::MulFOp, mlir::arith::SubFOp>(inner);
    });
    if (adds)
      note(op, "`" + name.str() + "`, which adds in another order", std::nullopt);
  }

  void visitProduct(mlir::Operation *op, llvm::StringRef name, mlir::Type type) {
    bool waits = name.contains("wait") || name.contains("fence") || name.contains("commit");
    if (waits || (type && llvm::isa<mlir::IntegerType>(type)))
      return;
    note(op, "`" + name.str() + "`, which adds in another order", std::nullopt);
  }

  void note(mlir::Operation *op, std::string what, Ulp ulp) {
    diag::Span place = spanOf(op->getLoc(), sources);
    if (ulp != 0.0 && told.insert({place.file, place.begin, what}).second)
      found.push_back({std::move(what), place, ulp});
  }

  bool fusion;
  const diag::SourceManager &sources;
  std::set<std::tuple<const diag::SourceFile *, uint32_t, std::string>> told;
};

} // namespace

std::vector<InexactOperation> inexactOperations(mlir::ModuleOp module, bool fusion,
                                                const diag::SourceManager &sources) {
  Finder finder(fusion, sources);
  module.walk([&](mlir::Operation *op) { finder.visit(op); });
  return std::move(finder.found);
}

AllowedDifference allowedBy(llvm::ArrayRef<InexactOperation> operations, sema::DType dtype) {
  AllowedDifference allowed;
  for (const InexactOperation &operation : operations) {
    if (operation.ulp)
      allowed.ulp = std::max(allowed.ulp, *operation.ulp);
    else
      allowed.close = host::defaultTolerance(dtype, dtype);
  }
  return allowed;
}

} // namespace gluonc::driver
