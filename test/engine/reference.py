"""The models that the engine runs, in NumPy: logits in float64 from the weights as the files have them.

    reference.py FOLDER TOKENS TOKEN…      prints TOKENS greedy tokens after those given
"""

import json
import math
import pathlib
import struct
import sys

import numpy as np


def load_tensors(folder):
    tensors = {}
    for path in pathlib.Path(folder).glob("*.safetensors"):
        data = path.read_bytes()
        (length,) = struct.unpack_from("<Q", data)
        for name, entry in json.loads(data[8:8 + length]).items():
            if name == "__metadata__":
                continue
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            if entry["dtype"] == "BF16":
                values = (np.frombuffer(data[begin:end], np.uint16).astype(np.uint32) << 16).view(np.float32)
            else:
                values = np.frombuffer(data[begin:end], {"F16": np.float16, "F32": np.float32}[entry["dtype"]])
            tensors[name] = values.astype(np.float64).reshape(entry["shape"])
    return tensors


class Reference:
    def __init__(self, folder):
        self.config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        self.tensors = load_tensors(folder)

    def linear(self, name, x):
        y = x @ self.tensors[f"{name}.weight"].T
        return y + self.tensors[f"{name}.bias"] if f"{name}.bias" in self.tensors else y

    def norm(self, name, x):
        scale = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + self.config["rms_norm_eps"])
        return x * scale * self.tensors[f"{name}.weight"]

    def frequencies(self):
        dim, scaling = self.config["head_dim"], self.config["rope_scaling"]
        made = self.config["rope_theta"] ** (-np.arange(0, dim, 2) / dim)
        if scaling:
            turns = scaling["original_max_position_embeddings"] * made / (2 * math.pi)
            low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
            kept = np.clip((turns - low) / (high - low), 0, 1)
            made = made * (kept + (1 - kept) / scaling["factor"])
        return made

    def rotate(self, x):
        """x: positions, heads, dim. The first half of a head turns with the second."""
        angles = np.arange(len(x))[:, None] * self.frequencies()
        cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
        left, right = np.split(x, 2, -1)
        return np.concatenate([left * cosine - right * sine, right * cosine + left * sine], -1)

    def attention(self, name, x):
        config, dim = self.config, self.config["head_dim"]
        query, key, value = (self.linear(f"{name}.{part}_proj", x).reshape(len(x), -1, dim) for part in "qkv")
        if f"{name}.q_norm.weight" in self.tensors:
            query, key = self.norm(f"{name}.q_norm", query), self.norm(f"{name}.k_norm", key)
        query, key = self.rotate(query), self.rotate(key)
        group = config["num_attention_heads"] // config["num_key_value_heads"]
        key, value = np.repeat(key, group, 1), np.repeat(value, group, 1)
        scores = np.einsum("qhd,khd->hqk", query, key) / math.sqrt(dim)
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return self.linear(f"{name}.o_proj", np.einsum("hqk,khd->qhd", weights, value).reshape(len(x), -1))

    def logits(self, tokens):
        """Those after each of the tokens."""
        embedding = self.tensors["model.embed_tokens.weight"]
        x = embedding[np.asarray(tokens)]
        for layer in range(self.config["num_hidden_layers"]):
            name = f"model.layers.{layer}"
            x = x + self.attention(f"{name}.self_attn", self.norm(f"{name}.input_layernorm", x))
            y = self.norm(f"{name}.post_attention_layernorm", x)
            gate = self.linear(f"{name}.mlp.gate_proj", y)
            x = x + self.linear(f"{name}.mlp.down_proj", gate / (1 + np.exp(-gate)) * self.linear(f"{name}.mlp.up_proj", y))
        return self.norm("model.norm", x) @ self.tensors.get("lm_head.weight", embedding).T

    def greedy(self, tokens, count):
        tokens = list(tokens)
        for _ in range(count):
            tokens.append(int(self.logits(tokens)[-1].argmax()))
        return tokens[-count:]


if __name__ == "__main__":
    print(*Reference(sys.argv[1]).greedy(map(int, sys.argv[3:]), int(sys.argv[2])))
