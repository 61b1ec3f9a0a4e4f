// Arrivals at a barrier that two CTAs have in common. Where threads write what other CTAs may read,
// they publish it; where all that is told is that a buffer is empty, they do not wait for the memory.
// All threads meet before the first of two arrivals in a row.
// RUN: split-file %s %t
// RUN: gluonc compile %t/silent.ttgir --target cuda:90a --emit ptx | FileCheck %s --check-prefix=SILENT
// RUN: gluonc compile %t/writes.ttgir --target cuda:90a --emit ptx | FileCheck %s --check-prefix=WRITES
// RUN: gluon-opt %t/silent.ttgir -gluonc-insert-cluster-barriers | FileCheck %s --check-prefix=MARK
// RUN: gluon-opt %t/writes.ttgir -gluonc-insert-cluster-barriers | FileCheck %s --check-prefix=NONE
// RUN: gluon-opt %t/waits.ttgir -gluonc-insert-cluster-barriers | FileCheck %s --check-prefix=NONE
// RUN: %if ptxas %{ gluonc compile %t/silent.ttgir --target cuda:90a --emit cubin -o %t.cubin %}

// MARK: module attributes {{.*}}"ttg.cluster-publishes-nothing"
// NONE-NOT: ttg.cluster-publishes-nothing

// SILENT: bar.sync 0;
// SILENT: mbarrier.arrive.shared::cta.b64 _
// SILENT-NOT: bar.sync
// SILENT: mbarrier.arrive.shared::cluster.b64 _
// SILENT: mbarrier.try_wait.parity.shared::cta.b64 done

// WRITES: st.global
// WRITES: mbarrier.arrive.release.cluster.shared::cluster.b64 _
// WRITES: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done

//--- silent.ttgir
#own = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#smem = #ttg.shared_memory
!own = !ttg.memdesc<2xi64, #own, #smem, mutable>
!one = !ttg.memdesc<1xi64, #one, #smem, mutable>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @silent() {
    %c0 = arith.constant 0 : i32
    %own = ttg.local_alloc : () -> !own
    %one = ttg.local_alloc : () -> !one
    ttng.init_barrier %own, 1 : !own
    ttng.init_barrier %one, 1 : !one
    ttng.arrive_barrier %own, 1 : !own
    ttng.arrive_barrier %one, 1 : !one
    ttng.wait_barrier %one, %c0 : !one
    ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
    tt.return
  }
}

//--- writes.ttgir
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
!one = !ttg.memdesc<1xi64, #one, #smem, mutable>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @writes(%p: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %one = ttg.local_alloc : () -> !one
    ttng.init_barrier %one, 1 : !one
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %base = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #l>
    %ptrs = tt.addptr %base, %i : tensor<256x!tt.ptr<i32>, #l>, tensor<256xi32, #l>
    tt.store %ptrs, %i : tensor<256x!tt.ptr<i32>, #l>
    ttng.arrive_barrier %one, 1 : !one
    ttng.wait_barrier %one, %c0 : !one
    tt.return
  }
}

//--- waits.ttgir
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @waits() {
    ttng.async_tma_store_wait {pendings = 0 : i32}
    tt.return
  }
}
