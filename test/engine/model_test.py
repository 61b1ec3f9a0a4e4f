#!/usr/bin/env python3
"""The models that make_model.py makes: greedy answers are no short cycles and depend on the whole prompt.

Exit status 77: the packages tokenizers and numpy are not there.
"""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples/engine"))
try:
    import make_model
    from reference import Reference
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def check(shape):
    with tempfile.TemporaryDirectory() as folder:
        make_model.make_model(folder, shape, seed=1, shard_bytes=1 << 20)
        assert len(list(pathlib.Path(folder).glob("*.safetensors"))) > 1
        model = Reference(folder)
        answer = model.greedy([5, 17, 300, 42], 64)
        other = model.greedy([6, 17, 300, 42], 16)
        assert len(set(answer)) > 32, f"{shape}: {answer}"
        assert not any(answer[-2 * period:-period] == answer[-period:] for period in range(1, 17)), f"{shape}: {answer}"
        assert sum(a != b for a, b in zip(answer, other)) > 8, f"{shape}: the first token does not count"
        print(f"{shape}: {len(set(answer))} of 64 tokens are different ones")


for name in ("tiny-llama", "tiny-qwen", "tiny-qwen3"):
    check(name)
