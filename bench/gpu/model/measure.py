#!/usr/bin/env python3
"""Measures the figures that the performance model computes with, by the kernels of kernels.py.

    measure.py --out FILE.json

Cycles are those of a multiprocessor's clock, and of one instruction of a warp where nothing else is said.
"""

import argparse
import ctypes
import datetime
import json
import pathlib
import statistics
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import kernels  # noqa: E402

driver = ctypes.CDLL("libcuda.so.1")
SHARED = 200 * 1024
DYNAMIC_SHARED_SIZE = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def check(status, what):
    if status:
        raise RuntimeError(f"{what}: CUDA error {status}")


class Kernel:
    def __init__(self, ptx):
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(driver.cuModuleLoadData(ctypes.byref(self.module), ptx.encode() + b"\0"), "loading")
        check(driver.cuModuleGetFunction(ctypes.byref(self.function), self.module, b"k"), "finding")
        check(driver.cuFuncSetAttribute(self.function, DYNAMIC_SHARED_SIZE, SHARED), "shared memory")

    def launch(self, grid, threads, out, data, count, shared=SHARED):
        values = (ctypes.c_uint64(out.data_ptr()), ctypes.c_uint64(data.data_ptr()), ctypes.c_uint32(count))
        pointers = (ctypes.c_void_p * 3)(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(driver.cuLaunchKernel(self.function, grid, 1, 1, threads, 1, 1, shared, stream, pointers, None),
              "launching")


class Bench:
    def __init__(self):
        self.processors = torch.cuda.get_device_properties(0).multi_processor_count
        self.out = torch.zeros(1 << 16, dtype=torch.int64, device="cuda")
        self.data = torch.zeros(1 << 28, dtype=torch.int64, device="cuda")  # 2 GiB
        self.cold = torch.empty(64 << 20, dtype=torch.int32, device="cuda")

    def cycles(self, ptx, count, grid=1, threads=32, shared=SHARED, is_cold=False):
        """Of the CTA in the middle, the better of three launches; of cold ones with nothing in the caches."""
        made, best = Kernel(ptx), float("inf")
        for _ in range(3):
            if is_cold:
                self.cold.zero_()
            made.launch(grid, threads, self.out, self.data, count, shared)
            torch.cuda.synchronize()
            best = min(best, statistics.median(self.out[:grid].tolist()))
        return best

    def milliseconds(self, ptx, count, grid, threads, shared=SHARED):
        made, times = Kernel(ptx), []
        for _ in range(5):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            made.launch(grid, threads, self.out, self.data, count, shared)
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        return min(times)

    def launches(self):
        made = Kernel(kernels.EMPTY)

        def launch():
            made.launch(self.processors, 128, self.out, self.data, 1, 1024)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(100):
                launch()
        times, cold = [], []
        for _ in range(20):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 10)
            self.cold.zero_()
            begin.record()
            launch()
            end.record()
            torch.cuda.synchronize()
            cold.append(begin.elapsed_time(end) * 1e3)
        ctas = 1 << 20
        each = self.milliseconds(kernels.EMPTY, 1, ctas, 128, shared=0) * 1e6 * self.processors / ctas
        return {"cta_of_a_multiprocessor_ns": each, "in_a_graph_us": statistics.median(times), "between_events_us": statistics.median(cold)}

    def pipes(self):
        found = {}
        for name in kernels.INSTRUCTIONS:
            rounds = 16
            one = self.cycles(kernels.chain(name, 1), rounds)
            # 32 warps, 8 for each quarter.
            many = self.cycles(kernels.chain(name, 8), rounds, threads=1024)
            found[name] = {"latency": one / (rounds * kernels.UNROLLED),
                           "cycles_of_quarter": many / (rounds * kernels.UNROLLED * 8)}
        return found

    def chase(self, cache, region, stride):
        """Cycles of a load in a region of so many bytes."""
        places = region // stride
        order = torch.randperm(places, generator=torch.Generator().manual_seed(0))
        order = torch.cat([order[order == 0], order[order != 0]])
        addresses = self.data.data_ptr() + order * stride
        values = torch.zeros(region // 8, dtype=torch.int64)
        values[order * stride // 8] = torch.roll(addresses, -1)
        self.data[:region // 8] = values.cuda()
        rounds = 64
        return self.cycles(kernels.pointer_chase(cache), rounds, threads=1, shared=1024,
                           is_cold=region > self.cold.nbytes) / (16 * rounds)

    def memory(self):
        found = {"shared_latency": self.cycles(kernels.shared_latency(), 8) / (8 * kernels.UNROLLED)}
        rounds = 16
        cycles = self.cycles(kernels.shared_rate(), rounds, threads=512)
        found["shared_bytes_per_cycle"] = 512 * 16 * 16 * rounds / cycles
        found["first_level_latency"] = self.chase("ca", 16 << 10, 128)
        found["second_level_latency"] = self.chase("cg", 1 << 20, 128)
        found["second_level_latency_32MiB"] = self.chase("cg", 32 << 20, 4096)
        found["memory_latency"] = self.chase("cg", 1 << 30, 1 << 16)
        found["atomic_latency"] = self.cycles(kernels.atomic_latency(), 4, threads=1) / 64
        grid = self.processors * 2
        rounds = (1 << 29) // (grid * 1024 * 16)
        ms = self.milliseconds(kernels.copy(), rounds, grid, 1024, shared=1024)
        found["copy_gigabytes_per_second"] = 2 * rounds * grid * 1024 * 16 / ms / 1e6
        return found

    def copy_engine(self):
        found = {}
        for size in (1024, 8192, 32768):
            found[f"second_level_latency_{size}"] = self.cycles(kernels.bulk(size, 1, 1 << 16), 64, threads=1) / 64
        # So far apart that no cache has them.
        ptx = kernels.bulk(8192, 1, 1 << 31, step=1 << 20)
        found["memory_latency_8192"] = self.cycles(ptx, 1024, threads=1, is_cold=True) / 1024
        for size, stages in ((4096, 6), (16384, 4), (32768, 4)):
            for name, grid in (("one", 1), ("all", self.processors)):
                cycles = self.cycles(kernels.bulk(size, stages, 1 << 17), 64, grid=grid, threads=1)
                found[f"bytes_per_cycle_{name}_{size}x{stages}"] = 64 * stages * size / cycles
        for sharers in (2, 4, 16):
            # Several multiprocessors read the same.
            ptx = kernels.bulk(16384, 4, 1 << 17, apart=(1 << 17) // sharers)
            cycles = self.cycles(ptx, 64, grid=self.processors, threads=1)
            found[f"bytes_per_cycle_{sharers}_overlap"] = 64 * 4 * 16384 / cycles
        cycles = self.cycles(kernels.bulk(16384, 4, 1 << 17, apart=0), 64, grid=self.processors, threads=1)
        found["bytes_per_cycle_same"] = 64 * 4 * 16384 / cycles
        ms = self.milliseconds(kernels.bulk(16384, 4, 1 << 17), 2048, self.processors, 1)
        found["gigabytes_per_second"] = self.processors * 2048 * 4 * 16384 / ms / 1e6
        return found

    def products(self):
        found = {}
        rounds = 16
        found["mma_latency"] = self.cycles(kernels.mma(1), rounds) / (rounds * 32)
        found["mma_cycles_of_quarter"] = self.cycles(kernels.mma(4), rounds, threads=512) / (rounds * 32 * 4)
        for columns in (8, 16, 32, 64, 128, 256):
            for in_registers in (False, True):
                name = f"n{columns}{'_registers' if in_registers else ''}"
                one = self.cycles(kernels.wgmma(columns, in_registers=in_registers), rounds, threads=128)
                two = self.cycles(kernels.wgmma(columns, in_registers=in_registers), rounds, threads=256)
                single = self.cycles(kernels.wgmma(columns, in_registers=in_registers, together=1), rounds,
                                     threads=128)
                found[name] = {"one_group": one / (rounds * 8), "two_groups": two / (rounds * 16),
                               "alone": single / rounds}
        for name, types, depth in (("tf32", "f32.tf32.tf32", 8), ("fp8", "f32.e4m3.e4m3", 32)):
            found[name] = self.cycles(kernels.wgmma(128, types, depth), rounds, threads=256) / (rounds * 16)
        return found

    def barriers(self):
        found = {f"bar_sync_{warps}_warps": self.cycles(kernels.barrier(warps), 8, threads=32 * warps) /
                 (8 * kernels.UNROLLED) for warps in (1, 4, 8, 16)}
        found["mbarrier"] = self.cycles(kernels.mbarrier(), 8, threads=1) / 128
        return found

    def megahertz(self):
        """The clock while one pipe is at work everywhere."""
        count, ptx = 20000, kernels.chain("float", 8)
        cycles = self.cycles(ptx, count, grid=self.processors, threads=512)
        return cycles / self.milliseconds(ptx, count, self.processors, 512) / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()
    torch.zeros(1, device="cuda")
    bench = Bench()
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat()}
    for name in ("launches", "megahertz", "pipes", "memory", "copy_engine", "products", "barriers"):
        try:
            report[name] = getattr(bench, name)()
        except RuntimeError as failure:
            report[name] = {"failed": str(failure)}
        print(name, json.dumps(report[name], indent=1), flush=True)
        options.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
