//===- AtomicUpdate.h - What an atomic makes of the old value --------------===//
#pragma once

#include "sim/machine/Elements.h"

namespace gluonc::sim {

// `Update::apply(old, operand)` on stored values.
struct UpdateAnd {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) { return l & r; }
};
struct UpdateOr {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) { return l | r; }
};
struct UpdateXor {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) { return l ^ r; }
};
struct UpdateAdd {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    if constexpr (E::kKind <= ElementKind::I64)
      return l + r;
    else
      return E::store(E::load(l) + E::load(r));
  }
};
struct UpdateMax {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    return E::toSigned(l) > E::toSigned(r) ? l : r;
  }
};
struct UpdateMin {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    return E::toSigned(l) < E::toSigned(r) ? l : r;
  }
};
struct UpdateUnsignedMax {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) { return l > r ? l : r; }
};
struct UpdateUnsignedMin {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) { return l < r ? l : r; }
};
// A NaN yields to a number.
struct UpdateFloatMax {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    auto left = E::load(l), right = E::load(r);
    return left >= right || right != right ? l : r;
  }
};
struct UpdateFloatMin {
  template <class E> static auto apply(StorageOf<E> l, StorageOf<E> r) {
    auto left = E::load(l), right = E::load(r);
    return left <= right || right != right ? l : r;
  }
};
struct UpdateExchange {
  template <class E> static auto apply(StorageOf<E>, StorageOf<E> r) { return r; }
};

} // namespace gluonc::sim
