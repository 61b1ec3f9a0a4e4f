// Encodings that make no sense are rejected where they stand.
// RUN: gluon-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{missing key 'order'}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4]}>

// -----
// expected-error @+1 {{unknown key 'rank'}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], rank = 1}>

// -----
// expected-error @+1 {{'order' must be a list of integers}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = 0}>

// -----
// expected-error @+1 {{not a permutation}}
#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 1]}>

// -----
// expected-error @+1 {{powers of two}}
#a = #ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @+1 {{at least two dimensions}}
#b = #ttg.slice<{dim = 0, parent = #a}>

// -----
#a = #ttg.shared_memory
// expected-error @+1 {{'parent' must be a distributed encoding}}
#b = #ttg.slice<{dim = 0, parent = #a}>

// -----
// expected-error @+1 {{basis vectors differ in length}}
#a = #ttg.linear<{register = [[1]], lane = [[2, 1]], warp = [], block = []}>

// -----
// expected-error @+1 {{the encoding needs at least one basis}}
#a = #ttg.linear<{register = [], lane = [], warp = [], block = []}>

// -----
// expected-error @+1 {{does not cover its shape}}
#a = #ttg.linear<{register = [[2]], lane = [], warp = [], block = []}>

// -----
// expected-error @+1 {{must be distinct unit vectors}}
#a = #ttg.linear<{register = [[0, 1]], lane = [[1, 1]], warp = [], block = []}>

// -----
// expected-error @+1 {{'order' must be a permutation}}
#a = #ttg.padded_shared<[4:+1] {order = [0, 0], shape = [8, 8]}>

// -----
// expected-error @+1 {{at least one basis}}
#a = #ttg.shared_linear<{offset = []}, alignment = 16>

// -----
// expected-error @+1 {{instr_shape of a version 2 MMA layout must be}}
#a = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>

// -----
#a = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// expected-error @+1 {{k_width must be a power of two where the parent is an MMA layout}}
#b = #ttg.dot_op<{opIdx = 0, parent = #a}>

// -----
// expected-error @+1 {{'parent' must be a distributed encoding}}
#b = #ttg.dot_op<{opIdx = 0, parent = #ttg.shared_memory}>

// -----
// expected-error @+1 {{swizzle_byte_width must be 0, 32, 64 or 128}}
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 16, transposed = false, elementBitWidth = 16}>

// -----
// expected-error @+1 {{an MFMA instruction has 32 x 32, 16 x 16, 64 x 4 or 4 x 64 results}}
#a = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [8, 8, 16], isTransposed = true}>

// -----
// expected-error @+1 {{'ctaLayout' must have bases of 'register' and 'warp'}}
#a = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {lane = [[0, 1]]}}>

// -----
// expected-error @+1 {{missing key 'blockN'}}
#a = #ttng.tensor_memory_encoding<blockM = 128, colStride = 1>

// -----
// expected-error @+1 {{the block of a tensor memory layout must be}}
#a = #ttng.tensor_memory_encoding<blockM = 96, blockN = 64, colStride = 1>
