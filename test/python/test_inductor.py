"""torch.compile with kernels that gluonc compiles, on the simulator."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

SCRIPT = """
import torch
import torch._inductor.config as config
from torch._inductor import metrics

config.cpu_backend, config.fx_graph_cache = "triton", False
model = torch.nn.Sequential(torch.nn.LayerNorm(48), torch.nn.GELU(), torch.nn.Softmax(-1))
torch.manual_seed(0)
x = torch.randn(10, 48, requires_grad=True)
y = x.detach().clone().requires_grad_()
weights = torch.randn(10, 48)
(torch.compile(model)(x) * weights).sum().backward()
(model(y) * weights).sum().backward()
torch.testing.assert_close(x.grad, y.grad)
assert metrics.generated_kernel_count, "no kernel was made"
print("right")
"""


def test_a_model_trains_on_the_simulator(tmp_path):
    script = tmp_path / "model.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"TRITON_CPU_BACKEND": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1",
                                "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("GLUONC_SIMULATE", None)
    done = subprocess.run([sys.executable, "-m", "gluonc", "--triton", "own", script],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "right\n"
