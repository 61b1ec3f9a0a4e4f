//===- FakeHip.h - What the fake driver recorded, and how it shall answer ---===//
#pragma once

#include "runtime/hip/Types.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

struct FakeHip {
  /// Names of all calls, in order, those for errors' words excluded.
  std::vector<std::string> calls = {};
  /// The call that fails, with what, and how often it does not before that.
  std::string failing = {};
  gluonc::hip::Result failure = gluonc::hip::errorInvalidValue;
  int successes = 0;

  int devices = 2;
  std::string chip = "gfx942:sramecc+:xnack-";
  int version = 70125424;
  /// Of the (only) thread.
  int current = 0;
  /// Bytes and device of each piece of memory that is not freed.
  struct Piece {
    size_t bytes = 0;
    int device = 0;
    std::shared_ptr<void> owned = nullptr;
  };
  std::map<uintptr_t, Piece> memory = {};
  int pools = 0, modules = 0, events = 0;
  int moduleDevice = -1;
  bool isCapturing = false;
  /// What the kernel did, for whoever waits for it.
  gluonc::hip::Result pending = gluonc::hip::success;

  struct Launch {
    std::string call;
    unsigned grid[3] = {}, block[3] = {};
    unsigned sharedBytes = 0, cluster = 1;
    bool isCooperative = false;
    gluonc::hip::Stream stream = nullptr;
    int device = -1;
    /// The kernel's argument memory without hidden arguments, as its code object lays it out.
    std::vector<uint8_t> arguments = {};
  };
  std::vector<Launch> launches = {};
  /// Parameters, each 8 bytes wide, of a kernel whose image is no code object.
  unsigned parametersToRead = 0;
};
