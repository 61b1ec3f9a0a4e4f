//===- Waits.h - What is started, awaited, done ------------------------------------===//
#pragma once

#include "ir/Dialects.h"
#include "ir/interfaces/Interfaces.h"
#include "transform/analysis/SharedUse.h"

namespace gluonc::driver {

/// What an operation starts, if anything.
std::optional<Completion> startedBy(mlir::Operation *op);

/// The barrier that it uses, if any.
mlir::Value barrierOf(mlir::Operation *op);

std::optional<Completion> awaitedBy(mlir::Operation *op);

/// Whether threads have something to do at `op`: more than calculating places, signalling, starting
/// what runs by itself.
bool isWork(mlir::Operation *op);

/// Reads memory, so what it gives is not known before.
bool reads(mlir::Operation *op);

} // namespace gluonc::driver
