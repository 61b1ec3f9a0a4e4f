// A CTA whose threads may have more registers than there are cannot be launched, so that the limit
// that a kernel asks for is no higher.
// RUN: gluon-opt %s -split-input-file -gluonc-allocate-warp-groups | FileCheck %s

// CHECK: ttg.maxnreg = 64 : i32
module attributes {"ttg.maxnreg" = 255 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 32 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    tt.return
  }
}

// -----
// CHECK: ttg.maxnreg = 255 : i32
module attributes {"ttg.maxnreg" = 255 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    tt.return
  }
}

// -----
// 12 warps with those of the partitions.
// CHECK: ttg.maxnreg = 168 : i32
module attributes {"ttg.maxnreg" = 255 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24, 24>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    }
    partition1() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}
