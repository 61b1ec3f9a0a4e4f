#!/usr/bin/env python3
"""Launches the convert_layout copy once, ours or Triton's, for ncu to count bank conflicts.

    ncu --metrics … conflicts.py --gluonc BIN gluonc|triton
"""

import argparse

import torch

import bench
import cases
import ours

parser = argparse.ArgumentParser()
parser.add_argument("--gluonc", required=True)
parser.add_argument("side", choices=["gluonc", "triton"])
options = parser.parse_args()

src = torch.randn((2048, 2048), device="cuda")
dst = torch.empty((2048, 2048), device="cuda").T
case = cases.case_converted(torch, "convert", src, dst, cases.ROWS, cases.COLUMNS, 128, 128)
if options.side == "gluonc":
    kernel = ours.OurKernel(ours.Driver(), options.gluonc, bench.SOURCE, case)
else:
    kernel = bench.TritonKernel(bench.load_triton_kernels(), case)
kernel.launch(torch.cuda.current_stream().cuda_stream)
torch.cuda.synchronize()
assert case.check(), "wrong result"
