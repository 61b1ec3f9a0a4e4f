// Barriers: none missing, none doubled.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-barriers | FileCheck %s
// Where they stand already, nothing is added.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-barriers -gluonc-insert-barriers | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#s2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A load waits for the stores of other threads.
  // CHECK-LABEL: @read_after_write(
  tt.func public @read_after_write(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // A store waits for the loads of other threads.
  // CHECK-LABEL: @write_after_read(
  tt.func public @write_after_read(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    tt.return
  }

  // Two stores to the same bytes have an order.
  // CHECK-LABEL: @write_after_write(
  tt.func public @write_after_write(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    tt.return
  }

  // Loads do not mind each other.
  // CHECK-LABEL: @read_after_read(
  tt.func public @read_after_read(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    // CHECK-NEXT: ttg.local_load
    %1 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // Two buffers, one barrier.
  // CHECK-LABEL: @one_barrier_serves_all(
  tt.func public @one_barrier_serves_all(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %b : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    // CHECK-NEXT: ttg.local_load
    %1 = ttg.local_load %b : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // Where a barrier stands, none is added.
  // CHECK-LABEL: @barrier_of_the_author(
  tt.func public @barrier_of_the_author(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // A barrier that does not order shared memory is none for it.
  // CHECK-LABEL: @other_barriers_do_not_count(
  tt.func public @other_barriers_do_not_count(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier global_write
    ttg.barrier global_write
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // Another buffer at the same place is the same memory.
  // CHECK-LABEL: @reused_bytes(
  tt.func public @reused_bytes(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    %b = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.local_alloc {allocation.offset = 0 : i32}
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %b : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    tt.return
  }

  // The loop's next iteration stores over what this one still reads; the first needs no barrier, but one place serves all.
  // CHECK-LABEL: @back_edge(
  tt.func public @back_edge(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: scf.for
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_store
      ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_load
      %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    }
    tt.return
  }

  // Loads in a loop need one barrier, before it or at its first iteration, not two.
  // CHECK-LABEL: @loop_invariant(
  tt.func public @loop_invariant(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: scf.for
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_load
      %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
      // CHECK-NEXT: ttg.local_load
      %1 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    }
    tt.return
  }

  // After a loop that may not run, what came before it is pending.
  // CHECK-LABEL: @no_iteration(
  tt.func public @no_iteration(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: scf.for
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK-NEXT: ttg.barrier local
      ttg.barrier local
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // Four pairs meet in this loop, two of them on the way around; two barriers part them all.
  // CHECK-LABEL: @four_hazards(
  tt.func public @four_hazards(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: scf.for
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_load
      %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
      // CHECK-NEXT: ttg.local_store
      ttg.local_store %x, %b : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_store
      ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
      // CHECK-NEXT: ttg.local_load
      %1 = ttg.local_load %b : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: ttg.local_dealloc
    ttg.local_dealloc %a : !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.local_dealloc
    ttg.local_dealloc %b : !ttg.memdesc<512xf32, #s, #smem, mutable>
    tt.return
  }

  // What one branch wrote is pending after the if.
  // CHECK-LABEL: @either_branch(
  tt.func public @either_branch(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %q = arith.cmpi eq, %n, %c0 : i32
    // CHECK: scf.if
    scf.if %q {
      // CHECK-NEXT: ttg.local_store
      ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // Different buffers of a ring at constant indices do not meet.
  // CHECK-LABEL: @constant_buffers_of_a_ring(
  tt.func public @constant_buffers_of_a_ring(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = ttg.local_alloc : () -> !ttg.memdesc<2x512xf32, #s, #smem, mutable>
    %a = ttg.memdesc_index %r[%c0] : !ttg.memdesc<2x512xf32, #s, #smem, mutable> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %b = ttg.memdesc_index %r[%c1] : !ttg.memdesc<2x512xf32, #s, #smem, mutable> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.memdesc_index
    // CHECK-NEXT: ttg.memdesc_index
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %b : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    // CHECK-NEXT: ttg.local_load
    %1 = ttg.local_load %b : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // At an index that is not constant they may.
  // CHECK-LABEL: @dynamic_buffers_of_a_ring(
  tt.func public @dynamic_buffers_of_a_ring(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %r = ttg.local_alloc : () -> !ttg.memdesc<2x512xf32, #s, #smem, mutable>
    %a = ttg.memdesc_index %r[%c0] : !ttg.memdesc<2x512xf32, #s, #smem, mutable> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %b = ttg.memdesc_index %r[%n] : !ttg.memdesc<2x512xf32, #s, #smem, mutable> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.memdesc_index
    // CHECK-NEXT: ttg.memdesc_index
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %b : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    tt.return
  }

  // Buffers that swap places in a loop may be each other.
  // CHECK-LABEL: @carried_buffers(
  tt.func public @carried_buffers(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: scf.for
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (!ttg.memdesc<512xf32, #s, #smem, mutable>, !ttg.memdesc<512xf32, #s, #smem, mutable>) : i32 {
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_store
      ttg.local_store %x, %p : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_load
      %0 = ttg.local_load %q : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
      scf.yield %q, %p : !ttg.memdesc<512xf32, #s, #smem, mutable>, !ttg.memdesc<512xf32, #s, #smem, mutable>
    }
    tt.return
  }

  // Everybody's copies have landed only after a barrier; one serves the copy that follows, too.
  // CHECK-LABEL: @async_wait(
  tt.func public @async_wait(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.async_wait
    %w = ttg.async_wait {num = 0 : i32}
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // The author's barrier is enough.
  // CHECK-LABEL: @async_wait_before_barrier(
  tt.func public @async_wait_before_barrier(%x: tensor<512xf32, #l>, %n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    // CHECK: ttg.async_wait
    %w = ttg.async_wait {num = 0 : i32}
    // CHECK-NEXT: ttg.barrier local
    ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // A ring of buffers: nobody can read what a copy writes before a wait, so a turn has one barrier,
  // although the compiler does not know that the two indices differ.
  // CHECK-LABEL: @ring(
  tt.func public @ring(%p: tensor<512x!tt.ptr<f32>, #l>, %n: i32, %i: i32, %j: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<3x512xf32, #s, #smem, mutable>
    scf.for %k = %c0 to %n step %c1 : i32 {
      // CHECK: ttg.async_wait
      // CHECK: ttg.barrier local
      // CHECK-NOT: ttg.barrier
      %w = ttg.async_wait {num = 1 : i32}
      %to = ttg.memdesc_index %a[%i] : !ttg.memdesc<3x512xf32, #s, #smem, mutable> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
      %t = ttg.async_copy_global_to_local %p, %to : tensor<512x!tt.ptr<f32>, #l> -> <512xf32, #s, #smem, mutable>
      %g = ttg.async_commit_group
      %from = ttg.memdesc_index %a[%j] : !ttg.memdesc<3x512xf32, #s, #smem, mutable> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
      %0 = ttg.local_load %from : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    }
    // CHECK: tt.return
    tt.return
  }

  // Blocks join like branches of an if.
  // CHECK-LABEL: @branches(
  tt.func public @branches(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %q = arith.cmpi eq, %n, %c0 : i32
    cf.cond_br %q, ^left, ^right
    // CHECK: ^bb1:
    ^left:
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    cf.br ^right
    // CHECK: ^bb2:
    ^right:
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem, mutable> -> tensor<512xf32, #l>
    tt.return
  }

  // A conversion synchronizes inside: the next needs a barrier before it, because others still read, but what was stored earlier is visible.
  // CHECK-LABEL: @conversions(
  tt.func public @conversions(%x: tensor<32x32xf32, #m>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #s2, #smem, mutable>
    // CHECK: ttg.local_store
    ttg.local_store %x, %a : tensor<32x32xf32, #m> -> !ttg.memdesc<32x32xf32, #s2, #smem, mutable>
    // CHECK-NEXT: ttg.convert_layout
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #m> -> tensor<32x32xf32, #t>
    // CHECK-NEXT: ttg.local_load
    %1 = ttg.local_load %a : !ttg.memdesc<32x32xf32, #s2, #smem, mutable> -> tensor<32x32xf32, #m>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.convert_layout
    %2 = ttg.convert_layout %0 : tensor<32x32xf32, #t> -> tensor<32x32xf32, #m>
    tt.return
  }

  // Windows that do not overlap do not conflict; the whole overlaps both.
  // CHECK-LABEL: @windows(
  tt.func public @windows(%y: tensor<16x32xf32, #m>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #s2, #smem, mutable>
    %u = ttg.memdesc_subslice %a[0, 0] : !ttg.memdesc<32x32xf32, #s2, #smem, mutable> -> !ttg.memdesc<16x32xf32, #s2, #smem, mutable, 32x32>
    %v = ttg.memdesc_subslice %a[16, 0] : !ttg.memdesc<32x32xf32, #s2, #smem, mutable> -> !ttg.memdesc<16x32xf32, #s2, #smem, mutable, 32x32>
    // CHECK: ttg.local_store
    ttg.local_store %y, %u : tensor<16x32xf32, #m> -> !ttg.memdesc<16x32xf32, #s2, #smem, mutable, 32x32>
    // CHECK-NEXT: ttg.local_load
    %0 = ttg.local_load %v : !ttg.memdesc<16x32xf32, #s2, #smem, mutable, 32x32> -> tensor<16x32xf32, #m>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %1 = ttg.local_load %a : !ttg.memdesc<32x32xf32, #s2, #smem, mutable> -> tensor<32x32xf32, #m>
    tt.return
  }

  // A conversion within a thread touches no shared memory.
  // CHECK-LABEL: @no_scratch(
  tt.func public @no_scratch(%x: tensor<32x32xf32, #m>) {
    // CHECK-NEXT: ttg.convert_layout
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #m> -> tensor<32x32xf32, #m>
    // CHECK-NEXT: ttg.convert_layout
    %1 = ttg.convert_layout %0 : tensor<32x32xf32, #m> -> tensor<32x32xf32, #m>
    // CHECK-NEXT: tt.return
    tt.return
  }
}
