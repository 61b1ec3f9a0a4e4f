"""The pages that gluonc makes, one command each: {name: arguments}. `--format html` and where it goes are added."""

PICTURES = {
    "elements": ["layout", "BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])", "--shape", "16,32"],
    "shared": ["layout", "NVMMASharedLayout(64, 16)", "--shape", "16,32", "--element-bits", "16"],
    "swizzle": ["layout", "SwizzledSharedLayout(8, 1, 8, [1, 0])", "--shape", "8,64", "--element-bits", "16",
                "--view", "memory"],
    "padded": ["layout", "PaddedSharedLayout.with_identity_for([[32, 4]], [16, 32], [1, 0])", "--shape", "16,32",
               "--view", "memory"],
    "conversion": ["layout", "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", "--shape", "32,16",
                   "--to", "BlockedLayout([1, 1], [8, 4], [2, 2], [1, 0])"],
    "shuffle": ["layout", "BlockedLayout([4], [32], [1], [0])", "--shape", "128",
                "--to", "BlockedLayout([2], [32], [1], [0])"],
    "banks": ["layout", "BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])", "--shape", "32,32",
              "--to", "SwizzledSharedLayout(1, 1, 1, [1, 0])"],
    "mma": ["layout", "NVMMADistributedLayout([2, 0], [1, 1], [16, 8])", "--shape", "16,8", "--product", "16",
            "--element-bits", "16"],
    "wgmma": ["layout", "NVMMADistributedLayout([3, 0], [4, 1], [16, 16, 16])", "--shape", "64,16", "--product", "16",
              "--element-bits", "16"],
    "mfma": ["layout", "amd.AMDMFMALayout(3, [16, 16, 16], True, [1, 1])", "--shape", "16,16", "--product", "16",
             "--element-bits", "16", "--k-width", "4"],
    "wmma": ["layout", "amd.AMDWMMALayout(2, True, [], [], [16, 16, 16])", "--shape", "16,16", "--product", "16",
             "--element-bits", "16", "--k-width", "8"],
    "tensor_memory": ["layout", "nvidia.blackwell.TensorMemoryLayout([64, 32], 1)", "--shape", "64,32"],
    "tensor_memory_map": ["layout", "nvidia.blackwell.TensorMemoryLayout([64, 32], 1)", "--shape", "64,32",
                          "--view", "memory"],
    "pipeline": ["pipeline", "load <&>@0", "product@2", "store@3"],
    "kernel_pipeline": ["pipeline", "../../examples/tutorial/partitions.py::product", "a=*fp16:16", "b=*fp16:16", "c=*fp32:16",
                        "DEPTH=512", "M=64", "N=64", "K=64", "STAGES=3", "--target", "cuda:90a"],
}

_MEMCPY = ["../../examples/memcpy.py::memcpy", "n=2048", "src=randn(n, f32)", "dst=empty(n, f32)", "BLOCK=512",
           "layout=gl.BlockedLayout([4], [32], [4], [0])", "--grid", "4", "--target", "cuda:90a"]

REPORTS = {
    "trace": ["run", *_MEMCPY],
    "explain": ["explain", "../explain/planted.py::transposed_order", "src=randn((32, 64), f32)",
                "dst=empty((32, 64), f32)", "layout=gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])",
                "--target", "cuda:90a", "--format", "html"],
    "on-chip": ["explain", "../explain/planted.py::product_then_copies", "a=randn((64, 256), f16)", "b=randn((256, 64), f16)",
                "c=empty((64, 64), f32)", "EARLY=False", "--target", "cuda:90a", "--format", "html"],
}
