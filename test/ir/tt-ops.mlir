// Every tt operation prints as it was read.
// RUN: gluon-opt %s | FileCheck %s
// RUN: gluon-opt %s | gluon-opt -mlir-print-op-generic | gluon-opt | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mt = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#j = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #m}>
#col = #ttg.slice<{dim = 1, parent = #m}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func private @callee(%arg0: f32) -> f32 attributes {noinline = true}
  // CHECK: tt.return %arg0 : f32
  tt.func private @callee(%x: f32) -> f32 attributes {noinline = true} {
    tt.return %x : f32
  }

  // CHECK-LABEL: tt.func public @scalars(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32, %arg2: f32) attributes {noinline = false}
  tt.func public @scalars(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %x: f32) attributes {noinline = false} {
    // CHECK: tt.call @callee(%arg2) : (f32) -> f32
    %0 = tt.call @callee(%x) : (f32) -> f32
    // CHECK: tt.get_program_id x : i32
    %1 = tt.get_program_id x : i32
    // CHECK: tt.get_num_programs z : i32
    %2 = tt.get_num_programs z : i32
    // CHECK: tt.addptr %arg0, %arg1 : !tt.ptr<f32>, i32
    %3 = tt.addptr %p, %n : !tt.ptr<f32>, i32
    // CHECK: tt.load %{{.*}} : !tt.ptr<f32>
    %4 = tt.load %3 : !tt.ptr<f32>
    // CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<f32>
    tt.store %3, %4 : !tt.ptr<f32>
    // CHECK: tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
    %5 = tt.ptr_to_int %3 : !tt.ptr<f32> -> i64
    // CHECK: tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
    %6 = tt.int_to_ptr %5 : i64 -> !tt.ptr<f32>
    // CHECK: tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i32>
    %7 = tt.bitcast %6 : !tt.ptr<f32> -> !tt.ptr<i32>
    // CHECK: tt.atomic_cas acq_rel, gpu, %{{.*}}, %arg1, %arg1 : (!tt.ptr<i32>, i32, i32) -> i32
    %8 = tt.atomic_cas acq_rel, gpu, %7, %n, %n : (!tt.ptr<i32>, i32, i32) -> i32
    // CHECK: tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %{{.*}} : i32
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %8 : i32
    tt.return
  }

  // CHECK-LABEL: @elementwise
  tt.func public @elementwise(%p: tensor<512x!tt.ptr<f32>, #l>, %m: tensor<512xi1, #l>, %x: tensor<512xf32, #l>, %i: tensor<512xi32, #l>) {
    // CHECK: tt.load %arg0, %arg1, %arg2 cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : tensor<512x!tt.ptr<f32>, #blocked>
    %0 = tt.load %p, %m, %x cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : tensor<512x!tt.ptr<f32>, #l>
    // CHECK: tt.store %arg0, %{{.*}}, %arg1 cacheModifier = wb evictionPolicy = evict_last {ignore_cta} : tensor<512x!tt.ptr<f32>, #blocked>
    tt.store %p, %0, %m cacheModifier = wb evictionPolicy = evict_last {ignore_cta} : tensor<512x!tt.ptr<f32>, #l>
    // CHECK: tt.atomic_rmw fadd, relaxed, sys, %arg0, %arg2, %arg1 : (tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xf32, #blocked>, tensor<512xi1, #blocked>) -> tensor<512xf32, #blocked>
    %1 = tt.atomic_rmw fadd, relaxed, sys, %p, %x, %m : (tensor<512x!tt.ptr<f32>, #l>, tensor<512xf32, #l>, tensor<512xi1, #l>) -> tensor<512xf32, #l>
    // CHECK: tt.fp_to_fp %arg2, rounding = rtne : tensor<512xf32, #blocked> -> tensor<512xf8E4M3FN, #blocked>
    %2 = tt.fp_to_fp %x, rounding = rtne : tensor<512xf32, #l> -> tensor<512xf8E4M3FN, #l>
    // CHECK: tt.fp_to_fp %{{.*}} : tensor<512xf8E4M3FN, #blocked> -> tensor<512xf16, #blocked>
    %3 = tt.fp_to_fp %2 : tensor<512xf8E4M3FN, #l> -> tensor<512xf16, #l>
    // CHECK: tt.clampf %arg2, %arg2, %arg2, propagateNan = all : tensor<512xf32, #blocked>
    %4 = tt.clampf %x, %x, %x, propagateNan = all : tensor<512xf32, #l>
    // CHECK: tt.precise_sqrt %arg2 : tensor<512xf32, #blocked>
    %5 = tt.precise_sqrt %x : tensor<512xf32, #l>
    // CHECK: tt.precise_divf %arg2, %arg2 : tensor<512xf32, #blocked>
    %6 = tt.precise_divf %x, %x : tensor<512xf32, #l>
    // CHECK: tt.mulhiui %arg3, %arg3 : tensor<512xi32, #blocked>
    %7 = tt.mulhiui %i, %i : tensor<512xi32, #l>
    // CHECK: tt.extern_elementwise %arg2 {libname = "", libpath = "", pure = true, symbol = "__nv_erff"} : (tensor<512xf32, #blocked>) -> tensor<512xf32, #blocked>
    %8 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_erff"} : (tensor<512xf32, #l>) -> tensor<512xf32, #l>
    // CHECK: tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %arg2 : tensor<512xf32, #blocked> -> tensor<512xi32, #blocked>
    %9 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<512xf32, #l> -> tensor<512xi32, #l>
    // CHECK: tt.gather %arg2[%arg3] {axis = 0 : i32} : (tensor<512xf32, #blocked>, tensor<512xi32, #blocked>) -> tensor<512xf32, #blocked>
    %10 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<512xf32, #l>, tensor<512xi32, #l>) -> tensor<512xf32, #l>
    // CHECK: tt.histogram %arg3, %arg1 : tensor<512xi32, #blocked> -> tensor<512xi32, #blocked>
    %11 = tt.histogram %i, %m : tensor<512xi32, #l> -> tensor<512xi32, #l>
    // CHECK: tt.assert %arg1, "bad" : tensor<512xi1, #blocked>
    tt.assert %m, "bad" : tensor<512xi1, #l>
    // CHECK: "tt.scan"(%arg2) <{axis = 0 : i32, reverse = false}> ({
    %12 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      // CHECK: tt.scan.return %{{.*}} : f32
      tt.scan.return %s : f32
    }) : (tensor<512xf32, #l>) -> tensor<512xf32, #l>
    // CHECK: "tt.reduce"(%arg2) <{axis = 0 : i32}> ({
    %13 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      // CHECK: tt.reduce.return %{{.*}} : f32
      tt.reduce.return %s : f32
    }) : (tensor<512xf32, #l>) -> f32
    tt.return
  }

  // CHECK-LABEL: @shapes
  tt.func public @shapes(%s: f32, %x: tensor<64x64xf32, #m>) {
    // CHECK: tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #col>
    // CHECK: tt.splat %arg0 : f32 -> tensor<512xf32, #blocked>
    %1 = tt.splat %s : f32 -> tensor<512xf32, #l>
    // CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %2 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #col> -> tensor<64x1xi32, #m>
    // CHECK: tt.broadcast %{{.*}} : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %3 = tt.broadcast %2 : tensor<64x1xi32, #m> -> tensor<64x64xi32, #m>
    // CHECK: tt.trans %arg1 {order = array<i32: 1, 0>} : tensor<64x64xf32, #blocked1> -> tensor<64x64xf32, #blocked2>
    %4 = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf32, #m> -> tensor<64x64xf32, #mt>
    // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<512xf32, #blocked> -> tensor<512x2xf32, #blocked3>
    %5 = tt.join %1, %1 : tensor<512xf32, #l> -> tensor<512x2xf32, #j>
    // CHECK: tt.split %{{.*}} : tensor<512x2xf32, #blocked3> -> tensor<512xf32, #blocked>
    %6, %7 = tt.split %5 : tensor<512x2xf32, #j> -> tensor<512xf32, #l>
    // CHECK: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<512xf32, #blocked> -> tensor<16x32xf32, #blocked1>
    %8 = tt.reshape %6 allow_reorder efficient_layout : tensor<512xf32, #l> -> tensor<16x32xf32, #m>
    // CHECK: tt.reshape %{{.*}} : tensor<512x2xf32, #blocked3> -> tensor<1024xf32, #linear>
    %9 = tt.reshape %5 : tensor<512x2xf32, #j> -> tensor<1024xf32, #ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]], block = []}>>
    // CHECK: tt.dot %arg1, %arg1, %arg1, inputPrecision = tf32 : tensor<64x64xf32, #blocked1> * tensor<64x64xf32, #blocked1> -> tensor<64x64xf32, #blocked1>
    %10 = tt.dot %x, %x, %x, inputPrecision = tf32 : tensor<64x64xf32, #m> * tensor<64x64xf32, #m> -> tensor<64x64xf32, #m>
    // CHECK: tt.unsplat %{{.*}} : tensor<1xf32, #blocked>
    %11 = tt.splat %s : f32 -> tensor<1xf32, #l>
    %12 = tt.unsplat %11 : tensor<1xf32, #l>
    // CHECK: gluon.set_auto_layout %{{.*}} : tensor<8xf32, #gluon.auto_encoding> -> tensor<8xf32, #blocked>
    %13 = tt.splat %s : f32 -> tensor<8xf32, #gluon.auto_encoding>
    %14 = gluon.set_auto_layout %13 : tensor<8xf32, #gluon.auto_encoding> -> tensor<8xf32, #l>
    tt.return
  }
}
