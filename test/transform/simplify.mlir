// Simplification keeps every layout.
// RUN: gluon-opt %s -gluonc-simplify | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#k = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @true_mask
  tt.func public @true_mask(%p: tensor<512x!tt.ptr<f32>, #l>, %o: tensor<512xf32, #l>) {
    %true = arith.constant true
    %m = tt.splat %true : i1 -> tensor<512xi1, #l>
    // CHECK: %[[V:.*]] = tt.load %arg0 : tensor
    %0 = tt.load %p, %m, %o : tensor<512x!tt.ptr<f32>, #l>
    // CHECK: tt.store %arg0, %[[V]] : tensor
    tt.store %p, %0, %m : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }

  // CHECK-LABEL: @false_mask
  tt.func public @false_mask(%p: tensor<512x!tt.ptr<f32>, #l>, %o: tensor<512xf32, #l>, %n: tensor<512xi1, #l>) {
    %false = arith.constant dense<false> : tensor<512xi1, #l>
    // CHECK-NOT: tt.load
    %0 = tt.load %p, %false, %o : tensor<512x!tt.ptr<f32>, #l>
    // CHECK-NEXT: tt.store %arg0, %arg1, %arg2
    tt.store %p, %0, %n : tensor<512x!tt.ptr<f32>, #l>
    // CHECK-NEXT: tt.return
    tt.store %p, %0, %false : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }

  // CHECK-LABEL: @dead_and_duplicate_loads
  tt.func public @dead_and_duplicate_loads(%p: tensor<512x!tt.ptr<f32>, #l>) -> (tensor<512xf32, #l>, tensor<512xf32, #l>) {
    // CHECK-NEXT: %[[V:.*]] = tt.load %arg0 : tensor
    %0 = tt.load %p : tensor<512x!tt.ptr<f32>, #l>
    %1 = tt.load %p : tensor<512x!tt.ptr<f32>, #l>
    %2 = tt.load %p cacheModifier = ca : tensor<512x!tt.ptr<f32>, #l>
    // CHECK-NEXT: tt.load %arg0 {isVolatile = true}
    %3 = tt.load %p {isVolatile = true} : tensor<512x!tt.ptr<f32>, #l>
    // CHECK-NEXT: tt.return %[[V]], %[[V]]
    tt.return %0, %1 : tensor<512xf32, #l>, tensor<512xf32, #l>
  }

  // CHECK-LABEL: @loads_around_a_store
  tt.func public @loads_around_a_store(%p: !tt.ptr<i32>) -> i32 {
    // CHECK: tt.load
    %0 = tt.load %p : !tt.ptr<i32>
    // CHECK: tt.store
    tt.store %p, %0 : !tt.ptr<i32>
    // CHECK: tt.load
    %1 = tt.load %p : !tt.ptr<i32>
    %2 = arith.addi %0, %1 : i32
    tt.return %2 : i32
  }

  // CHECK-LABEL: @shapes_of_constants
  tt.func public @shapes_of_constants() -> tensor<64x64xi32, #m> {
    // CHECK-NEXT: arith.constant dense<7> : tensor<64x64xi32, #blocked{{[0-9]*}}>
    // CHECK-NEXT: tt.return
    %c = arith.constant 7 : i32
    %0 = tt.splat %c : i32 -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #m}>>
    %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #m}>> -> tensor<64x1xi32, #m>
    %2 = tt.broadcast %1 : tensor<64x1xi32, #m> -> tensor<64x64xi32, #m>
    tt.return %2 : tensor<64x64xi32, #m>
  }

  // CHECK-LABEL: @shapes_of_scalars
  tt.func public @shapes_of_scalars(%x: f32) -> tensor<64x64xf32, #m> {
    // CHECK-NEXT: tt.splat %arg0 : f32 -> tensor<64x64xf32
    // CHECK-NEXT: tt.return
    %0 = tt.splat %x : f32 -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #m}>>
    %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #m}>> -> tensor<64x1xf32, #m>
    %2 = tt.broadcast %1 : tensor<64x1xf32, #m> -> tensor<64x64xf32, #m>
    tt.return %2 : tensor<64x64xf32, #m>
  }

  // Conversions stay, even there and back: the author wrote them.
  // CHECK-LABEL: @conversions
  tt.func public @conversions(%x: tensor<512xf32, #l>) -> tensor<512xf32, #l> {
    // CHECK-NEXT: ttg.convert_layout
    %0 = ttg.convert_layout %x : tensor<512xf32, #l> -> tensor<512xf32, #k>
    // CHECK-NEXT: ttg.convert_layout
    %1 = ttg.convert_layout %0 : tensor<512xf32, #k> -> tensor<512xf32, #l>
    // CHECK-NEXT: tt.return
    %2 = ttg.convert_layout %1 : tensor<512xf32, #l> -> tensor<512xf32, #l>
    tt.return %2 : tensor<512xf32, #l>
  }

  // CHECK-LABEL: @pointers
  tt.func public @pointers(%p: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
    // CHECK-NEXT: tt.return %arg0, %arg0
    %c0 = arith.constant 0 : i32
    %0 = tt.addptr %p, %c0 : !tt.ptr<f32>, i32
    %1 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
    %2 = tt.int_to_ptr %1 : i64 -> !tt.ptr<f32>
    tt.return %0, %2 : !tt.ptr<f32>, !tt.ptr<f32>
  }

  // A buffer that nobody reads goes; one that is stored to stays, and so do barriers.
  // CHECK-LABEL: @shared
  tt.func public @shared(%x: tensor<512xf32, #l>) {
    // CHECK-NEXT: ttg.barrier local
    ttg.barrier local
    %0 = ttg.local_alloc %x : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
    // CHECK-NEXT: ttg.local_alloc :
    %1 = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %1 : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    ttg.barrier local
    %2 = ttg.local_load %1 : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    // CHECK-NEXT: tt.return
    tt.return
  }

  // CHECK-LABEL: @dead_loop_argument
  tt.func public @dead_loop_argument(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for %{{.*}} = %{{.*}} to %arg1 step %{{.*}} : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      tt.store %p, %i : !tt.ptr<i32>
      scf.yield %a : i32
    }
    tt.return
  }
}
