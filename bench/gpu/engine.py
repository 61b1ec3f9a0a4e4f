#!/usr/bin/env python3
"""examples/engine beside transformers with torch.compile and CUDA graphs, on the same weights.

    engine.py --generate ENGINE_GENERATE --bundle KERNELS.gluonpack --out FILE.json [--layers 32] [--folder FOLDER]
              [--cases 64x512x128] [--prefills 1x2048,4x2048] [--no-transformers]

Random weights of the shape of Llama 3 8B (fewer layers on request) are made on the GPU and written as a model folder. Then,
one side after the other: prompts of several lengths, prefill and greedy decoding at batch 1, 8 and 64, and how much of a copy's
bandwidth decoding at batch 1 reaches; with two GPUs the engine on both, too. Where tokens part for the first time, a pass in float32
tells whether that is a tie of bfloat16. Exit status 1: one that is none.
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


def partings(entry, name, prompts, ours, theirs):
    """Where two sides choose different tokens for the first time: what came before, and the two tokens."""
    found = []
    for prompt, mine, their in zip(prompts, ours, theirs):
        apart = (mine != their).nonzero()
        if len(apart):
            at = apart[0].item()
            found.append((entry, name, torch.cat([prompt, their[:at]]), mine[at].item(), at))
    entry[name] = {"alike": len(prompts) - len(found), "ties": 0, "others": 0,
                   "tokens_alike": sum(at for *_, at in found) + (len(prompts) - len(found)) * theirs.shape[1]}
    return found


@torch.no_grad()
def judge(model, found):
    """A tie is a token whose logit, in float32, is below the largest by no more than twice what bfloat16 changes in a logit."""
    def logits():
        return [model(input_ids=text[None].to(model.device), logits_to_keep=1).logits[0, -1].float() for _, _, text, _, _ in found]

    rough = logits()
    model.float()
    for (entry, name, _, mine, _), row, exact in zip(found, rough, logits()):
        is_tie = exact.max() - exact[mine] <= 2 * (row - exact).abs().max()
        entry[name]["ties" if is_tie else "others"] += 1
    return sum(entry[name]["others"] for entry, name in {(id(e), n): (e, n) for e, n, *_ in found}.values())


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
    parser.add_argument("--cases", default="1x512x128,8x512x128,64x512x128", help="prompts x tokens each x new ones")
    parser.add_argument("--prefills", default="1x2048,4x2048,1x8192,16x256", help="prompts x tokens each")
    parser.add_argument("--folder", default="/tmp/llama-8b")
    parser.add_argument("--no-transformers", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    cases = [tuple(map(int, each.split("x"))) for each in options.cases.split(",")]
    prefills = [tuple(map(int, each.split("x"))) for each in options.prefills.split(",") if each]
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(), "torch": torch.__version__,
              "layers": options.layers, "decode": [], "prefill": []}

    start = time.perf_counter()
    model = make_model(options.layers)
    bytes_read = sum(p.nbytes for name, p in model.named_parameters() if "embed" not in name)
    save(model, folder)
    report["copy_gb_s"] = copy_bandwidth()
    print(f"model made and written in {time.perf_counter() - start:.0f} s", flush=True)
    torch.cuda.empty_cache()

    def requests(devices, weights="auto"):
        asked = [{"prompts": prompts_of(b, p).tolist(), "new_tokens": n, "rounds": 3, "max_sequences": 64, "devices": devices,
                  "weights": weights} for b, p, n in cases]
        return asked + [{"prompts": prompts_of(b, p).tolist(), "new_tokens": 1, "rounds": 5} for b, p in prefills]

    answers = run_engine(options, folder, requests(1))
    for answer in answers:
        print("engine", [round(t, 4) for t in answer["prefill_seconds"] + answer["decode_seconds"]], flush=True)
    both = run_engine(options, folder, requests(2)) if torch.cuda.device_count() > 1 else []
    for answer in both:
        print("on two", [round(t, 4) for t in answer["prefill_seconds"] + answer["decode_seconds"]], flush=True)
    rounded = run_engine(options, folder, requests(1, "fp8"))
    for answer in rounded:
        print("in fp8", [round(t, 4) for t in answer["prefill_seconds"] + answer["decode_seconds"]], flush=True)
    theirs = {}
    if not options.no_transformers:
        side = Transformers(model)
        for batch, length, count in cases:
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
        report["decode"] = [{"batch": b, "prompt": p, "new": n} for b, p, n in cases]
        report["prefill"] = [{"batch": b, "prompt": p} for b, p in prefills]
    found = []
    for entry, answer, in_fp8 in zip(report["decode"], answers, rounded):
        seconds = min(answer["decode_seconds"])
        entry["fp8_tokens_s"] = entry["batch"] * (entry["new"] - 1) / min(in_fp8["decode_seconds"])
        entry["fp8_speedup"] = seconds / min(in_fp8["decode_seconds"])
        entry["gluonc_tokens_s"] = entry["batch"] * (entry["new"] - 1) / seconds
        entry["gluonc_open_s"] = answer["open_seconds"]
        if entry["batch"] == 1:
            entry["of_copy"] = bytes_read * (entry["new"] - 1) / seconds / 1e9 / report["copy_gb_s"]
        prompts = prompts_of(entry["batch"], entry["prompt"])
        if entry["batch"] in theirs:
            found += partings(entry, "tokens", prompts, torch.tensor(answer["tokens"]), theirs[entry["batch"]].cpu())
            entry["speedup"] = entry["gluonc_tokens_s"] / entry["transformers_tokens_s"]
        if both:
            answer2 = both[cases.index((entry["batch"], entry["prompt"], entry["new"]))]
            entry["two_gpus_tokens_s"] = entry["batch"] * (entry["new"] - 1) / min(answer2["decode_seconds"])
            entry["two_gpus_speedup"] = entry["two_gpus_tokens_s"] / entry["gluonc_tokens_s"]
            found += partings(entry, "two_gpus_tokens", prompts, torch.tensor(answer2["tokens"]), torch.tensor(answer["tokens"]))
        print(entry, flush=True)
        pathlib.Path(options.out).write_text(json.dumps(report, indent=1))
    for entry, answer, in_fp8 in zip(report["prefill"], answers[len(cases):], rounded[len(cases):]):
        entry["fp8_tokens_s"] = entry["batch"] * entry["prompt"] / statistics.median(in_fp8["prefill_seconds"][1:])
        entry["gluonc_tokens_s"] = entry["batch"] * entry["prompt"] / statistics.median(answer["prefill_seconds"][1:])
        if "transformers_tokens_s" in entry:
            entry["speedup"] = entry["gluonc_tokens_s"] / entry["transformers_tokens_s"]
        print(entry, flush=True)
    pathlib.Path(options.out).write_text(json.dumps(report, indent=1))
    wrong = judge(model, found)
    for entry in report["decode"]:
        print({key: entry[key] for key in ("batch", "tokens", "two_gpus_tokens") if key in entry})
    pathlib.Path(options.out).write_text(json.dumps(report, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
