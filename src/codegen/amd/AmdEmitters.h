//===- AmdEmitters.h - What AMD's operations become, one function for each file -------===//
#pragma once

#include "codegen/core/EmitTable.h"

namespace gluonc::codegen::amd {

/// Loads, stores and atomics through buffer resources.
void addBuffers(EmitTable &table);
/// Copies between global memory and LDS past the registers.
void addCopies(EmitTable &table);
/// Loads from LDS, by columns where the chip has that.
void addTransposedLoads(EmitTable &table);
/// Loads from LDS that pack numbers of four bits along another dim.
void addPackedLoads(EmitTable &table);
/// Blocks of tensors between global memory and LDS, by the engine that reads descriptors.
void addTensorMover(EmitTable &table);
/// The same row by row, by number, and what it only asks for.
void addTensorRows(EmitTable &table);
/// Matrix products.
void addDot(EmitTable &table);
/// Matrix products whose operands have scales.
void addDotScaled(EmitTable &table);
/// Barriers of a cluster.
void addClusters(EmitTable &table);
/// Barriers in LDS.
void addLdsBarriers(EmitTable &table);
/// Hints to the scheduler.
void addHints(EmitTable &table);
/// Conversions with scales, parts of tensors.
void addScales(EmitTable &table);

} // namespace gluonc::codegen::amd
