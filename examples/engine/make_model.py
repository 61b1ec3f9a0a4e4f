#!/usr/bin/env python3
"""Writes a model folder with random weights, as Hugging Face lays it out, to try the engine without a download.

    make_model.py --shape tiny-llama|tiny-qwen|tiny-qwen3|llama-8b [--dtype bf16|f16|f32] [--seed N] FOLDER

The weights are drawn so that a greedy answer neither repeats a token nor ends up in a short cycle. Needs numpy and
tokenizers (PyPI).
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import struct
import zlib

import numpy as np
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

# The expressions by which the models' tokenizers cut text.
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
          r"\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")
LLAMA_SPECIAL = ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
QWEN_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
QWEN_ADDED = ("<think>", "</think>", "<tool_call>", "</tool_call>")
# How messages and tools become a prompt, and in which form the models write calls.
CHAT = {"llama": """{{- bos_token }}
{%- if tools %}
    {{- '<|start_header_id|>system<|end_header_id|>\\n\\nCall a function with {"name": ..., "parameters": {...}}, of these:\\n' }}
    {%- for tool in tools %}{{ tool | tojson }}{{ '\\n' }}{% endfor %}
    {{- '<|eot_id|>' }}
{%- endif %}
{%- for message in messages %}
    {{- '<|start_header_id|>' ~ message.role ~ '<|end_header_id|>\\n\\n' }}
    {%- if message.content %}{{ message.content | trim }}{% endif %}
    {%- for call in message.tool_calls or [] %}
        {{- '{"name": "' ~ call.function.name ~ '", "parameters": ' ~ call.function.arguments | tojson ~ '}' }}
    {%- endfor %}
    {{- '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
""", "qwen": """{%- if tools %}
    {{- '<|im_start|>system\\nCall functions with {"name": ..., "arguments": {...}} in <tool_call></tool_call>, of these:\\n' }}
    {%- for tool in tools %}{{ tool | tojson }}{{ '\\n' }}{% endfor %}
    {{- '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {{- '<|im_start|>' ~ message.role ~ '\\n' }}
    {%- if message.content %}{{ message.content }}{% endif %}
    {%- for call in message.tool_calls or [] %}
        {{- '<tool_call>\\n{"name": "' ~ call.function.name ~ '", "arguments": ' ~ call.function.arguments | tojson ~ '}\\n</tool_call>' }}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""}
# Text with words, numbers and letters enough for a vocabulary of 512.
CORPUS = """The engine reads a folder with a model and serves it. A prompt comes in, tokens go out, one after another.
Keys and values of what was said before are kept in pages, so that nothing needs to be computed twice. When the pages
run out, the youngest of those that are being served has to wait, and is computed again when there is room. How many
sequences are served at a time depends on how long they are: a few that are long, or hundreds that are short.
It's what we'd expect; they're waiting, I'll go, you've seen that it doesn't stop. In 2024 there were 365 + 1 days, and
3.14159 is about 22/7. Is this (really) the way to do it? Yes: "the" is the word which the text has most.
Die Größe der Wörter ändert sich; où est la bibliothèque? Это просто текст. 日本語の文章 and 中文 have no spaces.
def add(left, right):
    return left + right  # a sum
for (int i = 0; i != 10; ++i) { total += values[i]; }
"""


def make_tokenizer(family, size, corpus=None):
    """A byte-level BPE like that of Llama 3 or Qwen 2, trained on the texts of `corpus` to `size` tokens at most."""
    is_llama = family == "llama"
    made = Tokenizer(models.BPE(ignore_merges=is_llama))
    if not is_llama:
        made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3 if is_llama else QWEN2), behavior="isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    made.decoder = decoders.ByteLevel()
    special = LLAMA_SPECIAL if is_llama else QWEN_SPECIAL
    added = () if is_llama else QWEN_ADDED
    trainer = trainers.BpeTrainer(vocab_size=size - len(special) - len(added), show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    made.train_from_iterator(corpus or [CORPUS], trainer)
    made.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in special])
    if added:
        made.add_tokens([AddedToken(name, special=False, normalized=False) for name in added])
    if is_llama:
        begin = special[0]
        template = processors.TemplateProcessing(single=f"{begin} $A", pair=f"{begin} $A {begin}:1 $B:1",
                                                 special_tokens=[(begin, made.token_to_id(begin))])
        made.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), template])
    else:
        made.post_processor = processors.ByteLevel(trim_offsets=False)
    return made


def fill_vocabulary(text, size):
    """tokenizer.json with made-up words up to `size` tokens, so that every row of a large embedding has a text."""
    made = json.loads(text)
    vocabulary = made["model"]["vocab"]
    used = len(vocabulary) + sum(token["content"] not in vocabulary for token in made["added_tokens"])
    number = 0
    while used < size:
        digits, word = number, "Ġ"
        while digits or len(word) < 4:
            digits, digit = divmod(digits, 26)
            word += chr(ord("a") + digit)
        number += 1
        if word not in vocabulary:
            vocabulary[word] = used
            used += 1
    return json.dumps(made, ensure_ascii=False)


def config_of(shape):
    tiny = {"hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "head_dim": 64, "intermediate_size": 512, "vocab_size": 512, "max_position_embeddings": 2048,
            "hidden_act": "silu", "attention_bias": False, "tie_word_embeddings": False, "rms_norm_eps": 1e-5,
            "rope_theta": 500000.0, "rope_scaling": None}
    scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 256}
    llama = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "mlp_bias": False}
    qwen = {"rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "use_sliding_window": False}
    return {
        "tiny-llama": tiny | llama | {"rope_scaling": scaling},
        "tiny-qwen": tiny | qwen | {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2",
                                    "tie_word_embeddings": True},
        "tiny-qwen3": tiny | qwen | {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"},
        "llama-8b": tiny | llama | {
            "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
            "head_dim": 128, "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192},
    }[shape]


def tensors_of(config):
    """{name: (shape, mean, standard deviation)} in the order of the files."""
    hidden, inner, dim = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = config["num_attention_heads"] * dim, config["num_key_value_heads"] * dim
    is_tied = config["tie_word_embeddings"]
    # What layers add outweighs the embedding, and attention is sharp: else the next token would depend on the last alone.
    tensors = {"model.embed_tokens.weight": ((config["vocab_size"], hidden), 0, 0.02 if is_tied else 1)}

    def linear(name, rows, columns, gain=1.0, bias=False):
        tensors[f"{name}.weight"] = ((rows, columns), 0, gain / columns ** 0.5)
        if bias:
            tensors[f"{name}.bias"] = ((rows,), 0, 0.5)

    for layer in range(config["num_hidden_layers"]):
        name = f"model.layers.{layer}"
        bias = config["architectures"] == ["Qwen2ForCausalLM"]
        tensors[f"{name}.input_layernorm.weight"] = ((hidden,), 1, 0.1)
        linear(f"{name}.self_attn.q_proj", queries, hidden, 2, bias)
        linear(f"{name}.self_attn.k_proj", keys, hidden, 1, bias)
        linear(f"{name}.self_attn.v_proj", keys, hidden, 1, bias)
        linear(f"{name}.self_attn.o_proj", hidden, queries, 3)
        if config["architectures"] == ["Qwen3ForCausalLM"]:
            tensors[f"{name}.self_attn.q_norm.weight"] = ((dim,), 2, 0.2)
            tensors[f"{name}.self_attn.k_norm.weight"] = ((dim,), 1, 0.1)
        tensors[f"{name}.post_attention_layernorm.weight"] = ((hidden,), 1, 0.1)
        linear(f"{name}.mlp.gate_proj", inner, hidden, 2)
        linear(f"{name}.mlp.up_proj", inner, hidden)
        linear(f"{name}.mlp.down_proj", hidden, inner, 2)
    tensors["model.norm.weight"] = ((hidden,), 1, 0.1)
    if not is_tied:
        linear("lm_head", config["vocab_size"], hidden)
    return tensors


def to_bytes(values, dtype):
    if dtype == "bf16":  # to the nearest, ties to even
        bits = values.view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).tobytes()
    return values.astype({"f16": np.float16, "f32": np.float32}[dtype]).tobytes()


def write_tensor(descriptor, offset, name, spec, dtype, seed):
    """Draws a tensor and writes it, 16 million numbers at a time."""
    shape, mean, deviation = spec
    generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
    left, step = int(np.prod(shape)), 1 << 24
    while left:
        values = generator.standard_normal(min(left, step), dtype=np.float32)
        values *= np.float32(deviation)
        values += np.float32(mean)
        data = to_bytes(values, dtype)
        os.pwrite(descriptor, data, offset)
        offset += len(data)
        left -= values.size


def write_shard(path, tensors, dtype, seed):
    width, offset, header = {"bf16": 2, "f16": 2, "f32": 4}[dtype], 0, {"__metadata__": {"format": "pt"}}
    for name, (shape, _, _) in tensors.items():
        size = int(np.prod(shape)) * width
        header[name] = {"dtype": dtype.upper(), "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
    os.pwrite(descriptor, struct.pack("<Q", len(text)) + text, 0)
    os.ftruncate(descriptor, 8 + len(text) + offset)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(write_tensor, descriptor, 8 + len(text) + header[name]["data_offsets"][0], name,
                                 spec, dtype, seed) for name, spec in tensors.items()]:
            done.result()
    os.close(descriptor)
    return offset


def write_weights(folder, config, dtype, seed, shard_bytes):
    """One model.safetensors, or shards of `shard_bytes` and their index."""
    width = {"bf16": 2, "f16": 2, "f32": 4}[dtype]
    shards, size = [{}], 0
    for name, spec in tensors_of(config).items():
        more = int(np.prod(spec[0])) * width
        if shards[-1] and size + more > shard_bytes:
            shards.append({})
            size = 0
        shards[-1][name] = spec
        size += more
    if len(shards) == 1:
        write_shard(folder / "model.safetensors", shards[0], dtype, seed)
        return
    index, total = {}, 0
    for number, shard in enumerate(shards, 1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors"
        total += write_shard(folder / name, shard, dtype, seed)
        index |= dict.fromkeys(shard, name)
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=1))


def make_model(folder, shape, dtype="bf16", seed=1, shard_bytes=5 << 30):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    config = config_of(shape)
    family = config["model_type"][:5].rstrip("23")
    tokenizer = make_tokenizer(family, min(config["vocab_size"], 512))
    end = ["<|end_of_text|>", "<|eot_id|>"] if family == "llama" else ["<|endoftext|>", "<|im_end|>"]
    config["eos_token_id"] = tokenizer.token_to_id(end[0])
    config["torch_dtype"] = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}[dtype]
    generation = {"eos_token_id": [tokenizer.token_to_id(token) for token in end]}
    (folder / "tokenizer.json").write_text(fill_vocabulary(tokenizer.to_str(), config["vocab_size"]))
    (folder / "chat_template.jinja").write_text(CHAT[family])
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": LLAMA_SPECIAL[0] if family == "llama" else None,
                                                              "eos_token": end[0]}, indent=1))
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    (folder / "generation_config.json").write_text(json.dumps(generation, indent=1))
    write_weights(folder, config, dtype, seed, shard_bytes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--shape", required=True, choices=["tiny-llama", "tiny-qwen", "tiny-qwen3", "llama-8b"])
    parser.add_argument("--dtype", default="bf16", choices=["bf16", "f16", "f32"])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    make_model(arguments.folder, arguments.shape, arguments.dtype, arguments.seed)


if __name__ == "__main__":
    main()
