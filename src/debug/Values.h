//===- Values.h - What variables of a stopped program hold ---------------------===//
#pragma once

#include "host/Tensor.h"
#include "sim/machine/SharedView.h"
#include "sim/machine/Variables.h"

namespace gluonc::sim {
class Cta;
}

namespace gluonc::debug {

/// A variable of a CTA of the machine, as it is now.
class VariableValue {
public:
  VariableValue(const sim::Variable &variable, sim::Cta &machine, uint32_t cta)
      : variable(variable), machine(machine), cta(cta) {}

  /// Its elements, or those of the memory that it views. What is not there counts as unwritten:
  /// elements that depend on masked-off ones or that others of the cluster hold, memory that
  /// nobody wrote or that an operation in flight writes. Fails where it holds no numbers.
  llvm::Expected<host::Tensor> tensor() const;
  /// Whether it views memory on the chip; where the elements with these row-major numbers lie
  /// there.
  bool isView() const { return variable.viewed.has_value(); }
  std::vector<uint64_t> placesOf(llvm::ArrayRef<int64_t> elements) const;
  sema::DType dtype() const;
  /// Its bytes, to see whether it changed.
  std::string bytes() const;
  /// Type and value, in one line or more.
  std::string describe() const;
  /// The value alone, as short as may be.
  std::string summary() const;
  /// What a thread of the CTA holds, or each of a warp, register by register.
  llvm::Expected<std::string> ofThread(uint32_t thread) const;
  llvm::Expected<std::string> ofWarp(uint32_t warp) const;

private:
  std::string text() const;
  std::string barriers() const;
  std::string pointerText(uint64_t address) const;
  std::string textOf(const host::Tensor &read, const uint8_t *element) const;
  llvm::Expected<std::string> ofLanes(uint32_t warp, uint32_t firstLane, uint32_t lanes) const;
  sim::Region region() const;
  bool isBarrier() const;
  void readElements(host::Tensor &to, std::vector<bool> &isThere) const;
  void readMemory(host::Tensor &to, std::vector<bool> &isThere) const;

  const sim::Variable &variable;
  sim::Cta &machine;
  uint32_t cta;
};

} // namespace gluonc::debug
