// Loads and stores in order with other threads. A tensor of one element a thread needs nothing but the
// instruction; a release follows a barrier. A scalar is read by one thread, the others get it from there.
// RUN: split-file %s %t
// RUN: gluonc compile %t/scalar.mlir --target cuda:80 --emit ptx | FileCheck %s --check-prefix=SCALAR
// RUN: gluonc compile %t/lanes.mlir --target cuda:80 --emit ptx | FileCheck %s --check-prefix=LANES
// RUN: %if ptxas %{ gluonc compile %t/scalar.mlir --target cuda:80 --emit cubin -o %t.cubin %}
// RUN: %if ptxas %{ gluonc compile %t/lanes.mlir --target cuda:80 --emit cubin -o %t.cubin %}

//--- scalar.mlir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // SCALAR-LABEL: .entry scalar
  tt.func public @scalar(%p: !tt.ptr<i8>, %q: !tt.ptr<i32>) attributes {noinline = false} {
    // SCALAR: @{{%p[0-9]+}} ld.acquire.gpu.global.b8
    // SCALAR: st.shared.b8
    // SCALAR: bar.sync 0
    // SCALAR: ld.shared.{{[bsu]}}8
    %0 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i8>) -> i8
    %1 = arith.extsi %0 : i8 to i32
    // SCALAR: bar.sync 0
    // SCALAR: @{{%p[0-9]+}} st.release.sys.global.b32
    tt.atomic_store release, sys, %q, %1 : !tt.ptr<i32>
    // SCALAR-NOT: bar.sync
    // SCALAR: st.relaxed.gpu.global.b32
    tt.atomic_store relaxed, gpu, %q, %1 : !tt.ptr<i32>
    tt.return
  }
}

//--- lanes.mlir
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // LANES-LABEL: .entry lanes
  tt.func public @lanes(%p: !tt.ptr<f16>, %n: i32) attributes {noinline = false} {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l>
    %s = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #l>
    %a = tt.addptr %s, %i : tensor<128x!tt.ptr<f16>, #l>, tensor<128xi32, #l>
    %l = tt.splat %n : i32 -> tensor<128xi32, #l>
    %m = arith.cmpi slt, %i, %l : tensor<128xi32, #l>
    // LANES-NOT: bar.sync
    // LANES: @{{%p[0-9]+}} ld.relaxed.cta.global.b16
    %x = tt.atomic_load relaxed, cta, %a, %m : (tensor<128x!tt.ptr<f16>, #l>, tensor<128xi1, #l>) -> tensor<128xf16, #l>
    // LANES: bar.sync 0
    // LANES: @{{%p[0-9]+}} st.release.gpu.global.b16
    tt.atomic_store release, gpu, %a, %x, %m : tensor<128x!tt.ptr<f16>, #l>
    tt.return
  }
}
