// RUN: gluon-opt %s -split-input-file -gluonc-legalize-combines | FileCheck %s
// RUN: gluon-opt %s -split-input-file -gluonc-legalize-combines -gluonc-legalize-combines | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// The lowest register bit of `mixed` moves along both dimensions.
#mixed = #ttg.generic_linear<{register = [[1, 1], [2, 0]], lane = [[1, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [[8, 0], [0, 16]], block = []}>
// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[MIXED:.*]] = #ttg.generic_linear
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @two_operands
  tt.func public @two_operands(%x: tensor<16x32xi32, #mixed>, %y: tensor<16x32xf32, #mixed>, %p: tensor<16x32x!tt.ptr<i32>, #mixed>) {
    // CHECK: %[[X:.*]] = ttg.convert_layout {{.*}} tensor<16x32xi32, #[[MIXED]]> -> tensor<16x32xi32, #[[ROWS]]>
    // CHECK: %[[Y:.*]] = ttg.convert_layout {{.*}} tensor<16x32xf32, #[[MIXED]]> -> tensor<16x32xf32, #[[ROWS]]>
    // CHECK: "tt.scan"(%[[X]], %[[Y]])
    // CHECK: (tensor<16x32xi32, #[[ROWS]]>, tensor<16x32xf32, #[[ROWS]]>) -> (tensor<16x32xi32, #[[ROWS]]>, tensor<16x32xf32, #[[ROWS]]>)
    // CHECK: ttg.convert_layout {{.*}} tensor<16x32xi32, #[[ROWS]]> -> tensor<16x32xi32, #[[MIXED]]>
    %r:2 = "tt.scan"(%x, %y) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: f32, %c: i32, %d: f32):
      %e = arith.addi %a, %c : i32
      %f = arith.addf %b, %d : f32
      tt.scan.return %e, %f : i32, f32
    }) : (tensor<16x32xi32, #mixed>, tensor<16x32xf32, #mixed>) -> (tensor<16x32xi32, #mixed>, tensor<16x32xf32, #mixed>)
    tt.store %p, %r#0 : tensor<16x32x!tt.ptr<i32>, #mixed>
    tt.return
  }

  // CHECK-LABEL: @first_axis
  tt.func public @first_axis(%x: tensor<16x32xi32, #mixed>) -> tensor<16x32xi32, #mixed> {
    // CHECK: "tt.scan"
    // CHECK: (tensor<16x32xi32, #[[COLUMNS]]>) -> tensor<16x32xi32, #[[COLUMNS]]>
    %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%a: i32, %b: i32):
      %e = arith.addi %a, %b : i32
      tt.scan.return %e : i32
    }) : (tensor<16x32xi32, #mixed>) -> tensor<16x32xi32, #mixed>
    tt.return %r : tensor<16x32xi32, #mixed>
  }

  // What can be scanned in place stays.
  // CHECK-LABEL: @in_place
  // CHECK-NOT: convert_layout
  tt.func public @in_place(%x: tensor<16x32xi32, #rows>) -> tensor<16x32xi32, #rows> {
    %r = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: i32):
      %e = arith.addi %a, %b : i32
      tt.scan.return %e : i32
    }) : (tensor<16x32xi32, #rows>) -> tensor<16x32xi32, #rows>
    tt.return %r : tensor<16x32xi32, #rows>
  }
}

// -----
// The CTA's number moves both dimensions: all CTAs compute the whole.
// CHECK-DAG: #[[WHOLE:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], {{.*}}CGALayout
#skewed = #ttg.generic_linear<{register = [[1, 0], [0, 4]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [[8, 4]]}>
#split = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @reduced
  tt.func public @reduced(%x: tensor<16x8xi32, #skewed>) -> tensor<8xi32, #ttg.slice<{dim = 0, parent = #skewed}>> {
    // CHECK: ttg.convert_layout
    // CHECK: "tt.reduce"
    // CHECK: (tensor<16x8xi32, #[[WHOLE]]>) -> tensor<8xi32, #ttg.slice<{dim = 0, parent = #[[WHOLE]]}>>
    // CHECK: ttg.convert_layout
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %e = arith.addi %a, %b : i32
      tt.reduce.return %e : i32
    }) : (tensor<16x8xi32, #skewed>) -> tensor<8xi32, #ttg.slice<{dim = 0, parent = #skewed}>>
    tt.return %r : tensor<8xi32, #ttg.slice<{dim = 0, parent = #skewed}>>
  }

  // CHECK-LABEL: @scanned
  tt.func public @scanned(%x: tensor<64xi32, #split>) -> tensor<64xi32, #split> {
    // CHECK: ttg.convert_layout
    // CHECK: "tt.scan"
    // CHECK: ttg.convert_layout
    %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: i32, %b: i32):
      %e = arith.addi %a, %b : i32
      tt.scan.return %e : i32
    }) : (tensor<64xi32, #split>) -> tensor<64xi32, #split>
    tt.return %r : tensor<64xi32, #split>
  }
}
