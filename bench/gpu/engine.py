#!/usr/bin/env python3
"""examples/engine beside transformers with torch.compile and CUDA graphs, on the same weights.

    engine.py --generate ENGINE_GENERATE --bundle KERNELS.gluonpack --out FILE.json [--layers 32] [--folder FOLDER]
              [--prefills 1x2048,4x2048] [--no-transformers]

Random weights of the shape of Llama 3 8B (fewer layers on request) are made on the GPU and written as a model folder. Then,
one side after the other: prompts of several lengths, prefill and greedy decoding at batch 1, 8 and 64, and how much of a copy's
bandwidth decoding at batch 1 reaches; with two GPUs the engine on both, too. Tokens are compared where both saw the same ones before; where they part, the two
logits of a float32 pass tell whether that is a tie of bfloat16. Exit status 1: a token that is none.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import struct
import subprocess
import sys
import time

import torch

CASES = [(1, 512, 128), (8, 512, 128), (64, 512, 128)]


def make_model(layers):
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(hidden_size=4096, intermediate_size=14336, num_hidden_layers=layers, num_attention_heads=32,
                         num_key_value_heads=8, vocab_size=128256, max_position_embeddings=8320, rope_theta=500000.0,
                         rms_norm_eps=1e-5, tie_word_embeddings=False, dtype="bfloat16", bos_token_id=128000,
                         eos_token_id=128001)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    torch.manual_seed(0)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 2:
                # Larger rows than training has make the logits differ, as those of a trained model do.
                weight.normal_(0, (1.0 if "embed" in name else 1.5) / weight.shape[1]**0.5)
    return model.eval()


def save(model, folder):
    folder.mkdir(parents=True, exist_ok=True)
    config = model.config.to_dict()
    for key in ("rope_parameters", "rope_scaling"):
        config.pop(key, None)
    config.update(rope_theta=500000.0, architectures=["LlamaForCausalLM"], torch_dtype="bfloat16")
    (folder / "config.json").write_text(json.dumps(config, default=str))
    tensors = {name: weight for name, weight in model.state_dict().items() if "rotary" not in name}
    header, at = {}, 0
    for name, weight in tensors.items():
        header[name] = {"dtype": "BF16", "shape": list(weight.shape), "data_offsets": [at, at + weight.nbytes]}
        at += weight.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for weight in tensors.values():
            file.write(weight.contiguous().view(torch.uint8).cpu().numpy().data)


def prompts_of(batch, length):
    generator = torch.Generator().manual_seed(1000 * batch + length)
    return torch.randint(0, 128000, (batch, length), generator=generator)


def run_engine(options, folder, requests):
    done = subprocess.run([options.generate, str(folder), options.bundle], input=json.dumps(requests), capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise SystemExit(f"engine: {done.stderr}")
    return json.loads(done.stdout)


def synchronized(work):
    torch.cuda.synchronize()
    start = time.perf_counter()
    result = work()
    torch.cuda.synchronize()
    return result, time.perf_counter() - start


class Transformers:
    """Static cache; decoding is one CUDA graph that torch.compile makes, prefill compiled without one."""

    def __init__(self, model):
        self.model = model
        self.decode = torch.compile(model.forward, mode="reduce-overhead", fullgraph=True)
        self.first = torch.compile(model.forward, dynamic=False)

    def cache(self, batch, length):
        from transformers import StaticCache
        config = self.model.config
        cache = StaticCache(config=config, max_cache_len=length)
        # Before anything is compiled: a graph that is recorded wants it where it is.
        cache.early_initialization(batch, config.num_key_value_heads, config.hidden_size // config.num_attention_heads,
                                   torch.bfloat16, self.model.device)
        return cache

    @torch.no_grad()
    def prefill(self, prompts, cache):
        position = torch.arange(prompts.shape[1], device="cuda")
        logits = self.first(input_ids=prompts, past_key_values=cache, cache_position=position, position_ids=position[None],
                            logits_to_keep=1, use_cache=True).logits
        return logits[:, -1].argmax(-1)

    @torch.no_grad()
    def generate(self, prompts, count, cache):
        cache.reset()
        tokens = [self.prefill(prompts, cache)]

        def steps():
            for i in range(count - 1):
                position = torch.tensor([prompts.shape[1] + i], device="cuda")
                torch.compiler.cudagraph_mark_step_begin()
                logits = self.decode(input_ids=tokens[-1][:, None].clone(), past_key_values=cache, cache_position=position,
                                     position_ids=position[None], use_cache=True).logits
                tokens.append(logits[:, -1].argmax(-1).clone())

        _, seconds = synchronized(steps)
        return torch.stack(tokens, 1), seconds


@torch.no_grad()
def compare_tokens(model, prompts, ours, theirs):
    """(sequences alike to the end, where others part: ties of bf16, other differences)."""
    alike = ties = others = 0
    for prompt, mine, their in zip(prompts, ours, theirs):
        apart = (mine != their).nonzero()
        if not len(apart):
            alike += 1
            continue
        at = apart[0].item()
        text = torch.cat([prompt.to("cuda"), their[:at].to("cuda")])[None]
        logits = model(input_ids=text, logits_to_keep=1).logits[0, -1].float()
        # bf16 keeps 8 bits; the sums behind it differ by a few of their last places.
        gap = (logits.max() - logits[mine[at]]).abs()
        if gap <= 4 * 2**-8 * logits.abs().max():
            ties += 1
        else:
            others += 1
    return alike, ties, others


def copy_bandwidth():
    source, target = (torch.empty(2 << 30, dtype=torch.int8, device="cuda") for _ in range(2))
    times = [synchronized(lambda: target.copy_(source))[1] for _ in range(12)]
    return 2 * source.nbytes / statistics.median(times) / 1e9


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--generate", required=True)
    parser.add_argument("--bundle", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--layers", type=int, default=32)
    parser.add_argument("--prefills", default="1x2048,4x2048,1x8192,16x256", help="prompts x tokens each")
    parser.add_argument("--folder", default="/tmp/llama-8b")
    parser.add_argument("--no-transformers", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    prefills = [tuple(map(int, each.split("x"))) for each in options.prefills.split(",")]
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(), "torch": torch.__version__,
              "layers": options.layers, "decode": [], "prefill": []}

    start = time.perf_counter()
    model = make_model(options.layers)
    bytes_read = sum(p.nbytes for name, p in model.named_parameters() if "embed" not in name)
    save(model, folder)
    report["copy_gb_s"] = copy_bandwidth()
    print(f"model made and written in {time.perf_counter() - start:.0f} s", flush=True)
    theirs = {}
    if not options.no_transformers:
        side = Transformers(model)
        for batch, length, count in CASES:
            prompts = prompts_of(batch, length).to("cuda")
            cache = side.cache(batch, length + count)
            times = []
            for _ in range(4):
                theirs[batch], seconds = side.generate(prompts, count, cache)
                times.append(seconds)
            report["decode"].append({"batch": batch, "prompt": length, "new": count,
                                     "transformers_tokens_s": batch * (count - 1) / min(times)})
            pathlib.Path(options.out).write_text(json.dumps(report, indent=1))
            print(report["decode"][-1], [round(seconds, 3) for seconds in times], flush=True)
        for batch, length in prefills:
            prompts = prompts_of(batch, length).to("cuda")
            cache, times = side.cache(batch, length + 1), []
            for _ in range(6):
                cache.reset()
                times.append(synchronized(lambda: side.prefill(prompts, cache))[1])
            report["prefill"].append({"batch": batch, "prompt": length,
                                      "transformers_tokens_s": batch * length / statistics.median(times[2:])})
            print(report["prefill"][-1], flush=True)
        del side
        torch._dynamo.reset()
    else:
        report["decode"] = [{"batch": b, "prompt": p, "new": n} for b, p, n in CASES]
        report["prefill"] = [{"batch": b, "prompt": p} for b, p in prefills]
    torch.cuda.empty_cache()

    def requests(devices):
        asked = [{"prompts": prompts_of(b, p).tolist(), "new_tokens": n, "rounds": 3, "max_sequences": 64, "devices": devices}
                 for b, p, n in CASES]
        return asked + [{"prompts": prompts_of(b, p).tolist(), "new_tokens": 1, "rounds": 5} for b, p in prefills]

    answers = run_engine(options, folder, requests(1))
    both = run_engine(options, folder, requests(2)) if torch.cuda.device_count() > 1 else []
    wrong = 0
    for entry, answer in zip(report["decode"], answers):
        seconds = min(answer["decode_seconds"])
        entry["gluonc_tokens_s"] = entry["batch"] * (entry["new"] - 1) / seconds
        entry["gluonc_open_s"] = answer["open_seconds"]
        if entry["batch"] == 1:
            entry["of_copy"] = bytes_read * (entry["new"] - 1) / seconds / 1e9 / report["copy_gb_s"]
        if entry["batch"] in theirs:
            ours = torch.tensor(answer["tokens"])
            entry["alike"], entry["ties"], entry["others"] = compare_tokens(
                model, prompts_of(entry["batch"], entry["prompt"]), ours, theirs[entry["batch"]].cpu())
            wrong += entry["others"]
            entry["speedup"] = entry["gluonc_tokens_s"] / entry["transformers_tokens_s"]
        if both:
            answer2 = both[CASES.index((entry["batch"], entry["prompt"], entry["new"]))]
            entry["two_gpus_tokens_s"] = entry["batch"] * (entry["new"] - 1) / min(answer2["decode_seconds"])
            entry["two_gpus_speedup"] = entry["two_gpus_tokens_s"] / entry["gluonc_tokens_s"]
            entry["two_gpus_alike"], entry["two_gpus_ties"], entry["two_gpus_others"] = compare_tokens(
                model, prompts_of(entry["batch"], entry["prompt"]), torch.tensor(answer2["tokens"]),
                torch.tensor(answer["tokens"]))
            wrong += entry["two_gpus_others"]
        print(entry, flush=True)
        pathlib.Path(options.out).write_text(json.dumps(report, indent=1))
    for entry, answer in zip(report["prefill"], answers[len(CASES):]):
        entry["gluonc_tokens_s"] = entry["batch"] * entry["prompt"] / statistics.median(answer["prefill_seconds"][1:])
        if "transformers_tokens_s" in entry:
            entry["speedup"] = entry["gluonc_tokens_s"] / entry["transformers_tokens_s"]
        print(entry, flush=True)
    pathlib.Path(options.out).write_text(json.dumps(report, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
