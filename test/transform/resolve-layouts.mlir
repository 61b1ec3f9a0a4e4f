// Tensors in AutoLayout and CoalescedLayout take the layouts that their uses ask for.
// RUN: gluon-opt %s -gluonc-resolve-layouts | FileCheck %s --implicit-check-not=gluon.

#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#k = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!auto = tensor<64xi32, #gluon.auto_encoding>
!col = tensor<64x1xi32, #gluon.auto_encoding>
!all = tensor<64x32xi32, #gluon.auto_encoding>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Backwards through expand_dims and broadcast; a constant is born in its layout.
  // CHECK-LABEL: @backward
  tt.func public @backward(%p: tensor<64x32x!tt.ptr<i32>, #m>) {
    // CHECK-DAG: %[[C:.*]] = arith.constant dense<7> : tensor<64x1xi32, #blocked>
    // CHECK-DAG: %[[R:.*]] = tt.make_range {{.*}} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    // CHECK: tt.expand_dims %[[R]] {{.*}} -> tensor<64x1xi32, #blocked>
    // CHECK: arith.addi {{.*}} : tensor<64x1xi32, #blocked>
    // CHECK: %[[B:.*]] = tt.broadcast {{.*}} : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
    // CHECK: tt.store %arg0, %[[B]] : tensor<64x32x!tt.ptr<i32>, #blocked>
    %c = arith.constant dense<7> : !col
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : !auto
    %e = tt.expand_dims %r {axis = 1 : i32} : !auto -> !col
    %s = arith.addi %e, %c : !col
    %b = tt.broadcast %s : !col -> !all
    %x = gluon.set_auto_layout %b : !all -> tensor<64x32xi32, #m>
    tt.store %p, %x : tensor<64x32x!tt.ptr<i32>, #m>
    tt.return
  }

  // One range serves a row and a slice of it, as long as they agree.
  // CHECK-LABEL: @forward
  tt.func public @forward(%p: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #m}>>) {
    // CHECK: %[[R:.*]] = tt.make_range {{.*}} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    // CHECK: tt.store %arg0, %[[R]]
    // CHECK: "tt.reduce"
    // CHECK: (tensor<64x32xi32, #blocked>) -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : !auto
    %x = gluon.set_auto_layout %r : !auto -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #m}>>
    tt.store %p, %x : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #m}>>
    %e = tt.expand_dims %r {axis = 1 : i32} : !auto -> !col
    %b = tt.broadcast %e : !col -> !all
    %sum = "tt.reduce"(%b) <{axis = 1 : i32}> ({
    ^bb0(%a: i32, %c: i32):
      %d = arith.addi %a, %c : i32
      tt.reduce.return %d : i32
    }) : (!all) -> !auto
    %y = gluon.set_auto_layout %sum : !auto -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #m}>>
    tt.store %p, %y : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #m}>>
    tt.return
  }

  // Loops and branches hand their layouts around.
  // CHECK-LABEL: @control
  tt.func public @control(%n: i32, %c: i1, %p: tensor<128x!tt.ptr<i32>, #k>) {
    // CHECK: arith.constant dense<0> : tensor<128xi32, #[[K:.*]]>
    // CHECK: scf.for {{.*}} -> (tensor<128xi32, #[[K]]>)
    // CHECK: scf.if {{.*}} -> (tensor<128xi32, #[[K]]>)
    // CHECK: scf.while {{.*}} : (tensor<128xi32, #[[K]]>, i32) -> tensor<128xi32, #[[K]]>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %start = arith.constant dense<0> : tensor<128xi32, #gluon.auto_encoding>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #gluon.auto_encoding>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (tensor<128xi32, #gluon.auto_encoding>) : i32 {
      %next = scf.if %c -> (tensor<128xi32, #gluon.auto_encoding>) {
        %t = arith.addi %acc, %r : tensor<128xi32, #gluon.auto_encoding>
        scf.yield %t : tensor<128xi32, #gluon.auto_encoding>
      } else {
        scf.yield %acc : tensor<128xi32, #gluon.auto_encoding>
      }
      scf.yield %next : tensor<128xi32, #gluon.auto_encoding>
    }
    %w = scf.while (%a = %sum, %i = %n) : (tensor<128xi32, #gluon.auto_encoding>, i32) -> tensor<128xi32, #gluon.auto_encoding> {
      %more = arith.cmpi sgt, %i, %zero : i32
      scf.condition(%more) %a : tensor<128xi32, #gluon.auto_encoding>
    } do {
    ^bb0(%a: tensor<128xi32, #gluon.auto_encoding>):
      scf.yield %a, %zero : tensor<128xi32, #gluon.auto_encoding>, i32
    }
    %x = gluon.set_auto_layout %w : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #k>
    tt.store %p, %x : tensor<128x!tt.ptr<i32>, #k>
    tt.return
  }

  // A layout that came through a reshape, transpose, join or split gives way to one that did not.
  // CHECK-LABEL: @reshaping
  tt.func public @reshaping(%p: tensor<256x!tt.ptr<i32>, #k>, %q: tensor<128x!tt.ptr<i32>, #k>) {
    // CHECK: %[[R:.*]] = tt.make_range {{.*}} : tensor<256xi32, #[[K:.*]]>
    // CHECK: tt.store %arg0, %[[R]]
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #gluon.auto_encoding>
    %x = gluon.set_auto_layout %r : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #k>
    tt.store %p, %x : tensor<256x!tt.ptr<i32>, #k>
    // CHECK: %[[S:.*]] = tt.make_range {{.*}} : tensor<256xi32, #[[L:.*]]>
    // CHECK: tt.reshape %[[S]] : tensor<256xi32, #[[L]]> -> tensor<128x2xi32, #[[P:.*]]>
    // CHECK: tt.split {{.*}} : tensor<128x2xi32, #[[P]]> -> tensor<128xi32, #[[K]]>
    %s = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #gluon.auto_encoding>
    %t = tt.reshape %s : tensor<256xi32, #gluon.auto_encoding> -> tensor<128x2xi32, #gluon.auto_encoding>
    %a, %b = tt.split %t : tensor<128x2xi32, #gluon.auto_encoding> -> tensor<128xi32, #gluon.auto_encoding>
    %d = arith.subi %b, %a : tensor<128xi32, #gluon.auto_encoding>
    %y = gluon.set_auto_layout %d : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #k>
    tt.store %q, %y : tensor<128x!tt.ptr<i32>, #k>
    tt.return
  }

  // Two rows of 16 floats a thread would not be contiguous: 4 floats of one row are.
  // CHECK-LABEL: @coalesced
  tt.func public @coalesced(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    // CHECK: tt.make_range {{.*}} : tensor<1024xi32, #[[WIDE:.*]]>
    // CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
    // CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #gluon.coalesced_encoding>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>, tensor<1024xi32, #gluon.coalesced_encoding>
    %x = tt.load %a : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %t = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %b = tt.addptr %t, %r : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>, tensor<1024xi32, #gluon.coalesced_encoding>
    tt.store %b, %x : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.return
  }

  // AutoLayout may lead to CoalescedLayout, and what nobody uses needs none.
  // CHECK-LABEL: @both
  tt.func public @both(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    // CHECK-NOT: dense<1.0
    // CHECK: %[[C:.*]] = arith.constant dense<2.0{{.*}}> : tensor<1024xf32, #[[WIDE]]>
    // CHECK: tt.store %{{.*}}, %[[C]] : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
    %unused = arith.constant dense<1.0> : tensor<1024xf32, #gluon.auto_encoding>
    %c = arith.constant dense<2.0> : tensor<1024xf32, #gluon.auto_encoding>
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #gluon.auto_encoding>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding>
    %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding>, tensor<1024xi32, #gluon.auto_encoding>
    %b = gluon.set_auto_layout %a : tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding> -> tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %d = gluon.set_auto_layout %c : tensor<1024xf32, #gluon.auto_encoding> -> tensor<1024xf32, #gluon.coalesced_encoding>
    tt.store %b, %d : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.return
  }

  // Two numbers from each byte: the thread that holds the byte holds both.
  // CHECK-LABEL: @unpacked
  tt.func public @unpacked(%p: tensor<128x!tt.ptr<i8>, #k>) {
    // CHECK: ttg.fp4_to_fp %{{.*}} : tensor<128xi8, #{{.*}}> -> tensor<256xf16, #[[PAIRS:.*]]>
    // CHECK: tt.print {{.*}} : tensor<256xf16, #[[PAIRS]]>
    %c = arith.constant dense<5> : tensor<128xi8, #gluon.auto_encoding>
    %f = ttg.fp4_to_fp %c {axis = 0 : i32} : tensor<128xi8, #gluon.auto_encoding> -> tensor<256xf16, #gluon.auto_encoding>
    %d = gluon.set_auto_layout %c : tensor<128xi8, #gluon.auto_encoding> -> tensor<128xi8, #k>
    tt.store %p, %d : tensor<128x!tt.ptr<i8>, #k>
    tt.print " f: " {hex = false, isSigned = array<i32: 0>} : %f : tensor<256xf16, #gluon.auto_encoding>
    tt.return
  }
}
