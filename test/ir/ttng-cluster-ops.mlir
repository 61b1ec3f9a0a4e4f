// The operations that need a cluster print as they were read.
// RUN: gluon-opt %s | FileCheck %s
// RUN: gluon-opt %s | gluon-opt -mlir-print-op-generic | gluon-opt | FileCheck %s

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<2xi64, #s, #smem, mutable>

module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<256xf32, #l>, %p: i1) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !ttg.memdesc<256xf32, #s, #smem, mutable>
    // CHECK: ttng.fence_mbarrier_init_release_cluster
    ttng.fence_mbarrier_init_release_cluster
    // CHECK: ttng.cluster_barrier {relaxed = true}
    ttng.cluster_barrier {relaxed = true}
    // CHECK: ttng.cluster_barrier
    ttng.cluster_barrier
    // CHECK: ttng.cluster_arrive {relaxed = false}
    ttng.cluster_arrive {relaxed = false}
    // CHECK: ttng.cluster_wait
    ttng.cluster_wait
    // CHECK: ttng.barrier_expect %{{.*}}, 1024 {fromCTA = 0 : i32}, %arg1 : !ttg.memdesc<2xi64
    ttng.barrier_expect %bar, 1024 {fromCTA = 0 : i32}, %p : !bar
    // CHECK: ttng.arrive_barrier %{{.*}}, 1 {fromCTA = 0 : i32} : !ttg.memdesc<2xi64
    ttng.arrive_barrier %bar, 1 {fromCTA = 0 : i32} : !bar
    // CHECK: ttng.async_shared_store %arg0, %{{.*}}, %{{.*}} : tensor<256xf32, #blocked> -> !ttg.memdesc<256xf32, #shared, #smem, mutable>, !ttg.memdesc<2xi64
    ttng.async_shared_store %x, %buf, %bar : tensor<256xf32, #l> -> !ttg.memdesc<256xf32, #s, #smem, mutable>, !bar
    tt.return
  }
}
