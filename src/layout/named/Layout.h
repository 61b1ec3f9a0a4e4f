//===- Layout.h - Any named layout of the language -------------------------===//
//
// One cheap value for all layout classes; the classes themselves, and what a
// layout is, are in Layouts.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

#include <concepts>
#include <memory>
#include <variant>

namespace gluonc::layout {

using Ints = llvm::SmallVector<int64_t, 4>;
/// Basis vectors, one per bit; each has one component per tensor dim.
using BasisList = llvm::SmallVector<Ints, 6>;
/// Nullopt when all is well, else what is wrong, as a sentence part without a final period.
using Problem = std::optional<std::string>;

enum class LayoutKind : uint8_t {
#define GL_LAYOUT(Kind, Where) Kind,
#include "layout/named/Layouts.def"
};

#define GL_LAYOUT(Kind, Where) struct Kind##Layout;
#include "layout/named/Layouts.def"

namespace detail {
template <typename, typename... Named> struct VariantOf {
  using Type = std::variant<Named...>;
};
using AnyLayout = VariantOf<void
#define GL_LAYOUT(Kind, Where) , Kind##Layout
#include "layout/named/Layouts.def"
                            >::Type;
} // namespace detail

/// The class of the language: "BlockedLayout".
llvm::StringRef nameOf(LayoutKind kind);

/// A struct of Layouts.h.
template <typename T>
concept NamedLayout = requires {
  { T::kind } -> std::convertible_to<LayoutKind>;
};

/// Any named layout. Copying copies one pointer; equality is by content.
class Layout {
public:
  using Value = detail::AnyLayout;

  template <NamedLayout T> Layout(T value);

  LayoutKind kind() const;
  /// The struct, if this is a `T`; else null. Lives as long as any copy of this Layout.
  template <typename T> const T *as() const;
  const Value &value() const;

  /// Whether it places tensors in registers (placeholders included), in shared memory or in the
  /// tensor memory of sm_100.
  bool isDistributed() const;
  bool isShared() const;
  bool isTensorMemory() const;
  /// AutoLayout and CoalescedLayout: to be resolved before anything asks for elements.
  bool isPlaceholder() const;

  /// Number of tensor dims; nullopt for placeholders.
  std::optional<unsigned> rank() const;
  /// Checks the fields by themselves, without a target or a shape.
  Problem validate() const;
  /// The linear layout of a tensor of this shape.
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// The basis of each bit of the CTA id, empty for one CTA.
  BasisList cga() const;
  /// In the form in which the language constructs it: `BlockedLayout([1], [32], [4], [0])`.
  std::string toString() const;

  bool operator==(const Layout &other) const;
  friend llvm::hash_code hash_value(const Layout &layout);

private:
  struct Storage;
  explicit Layout(Value value);
  std::shared_ptr<const Storage> storage;
};

} // namespace gluonc::layout
