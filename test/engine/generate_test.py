#!/usr/bin/env python3
"""The engine on small models: every token that it chooses is one that NumPy's logits allow.

    generate_test.py --build FOLDER [--driver FOLDER]

--build is where examples/engine was built; --driver a folder whose libcuda.so.1 is loaded in place of the system's: one that
executes kernels on the CPU. Exit status 77: the programs, or the packages tokenizers and numpy, are not there.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples/engine"))
try:
    import make_model
    import numpy as np
    import tokenizers
    import fp8
    from reference import Reference
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

OPTIONS = argparse.Namespace()
SHAPES = ("tiny-llama", "tiny-qwen", "tiny-qwen3")


def run(program, *arguments, given=None, devices=1):
    environment = dict(os.environ, GLUONC_CUDA_CPU_DEVICES=str(devices))
    if OPTIONS.driver:
        environment["LD_LIBRARY_PATH"] = OPTIONS.driver
    done = subprocess.run([OPTIONS.build / program, *map(str, arguments)], input=given, capture_output=True, text=True,
                          env=environment, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def generate_all(folder, request):
    return json.loads(run("engine-generate", folder, given=json.dumps(request), devices=request.get("devices", 1)))


def generate(folder, request):
    return generate_all(folder, request)["tokens"]


def near_the_largest(row):
    """Within what rounding to bfloat16 between all layers may turn around."""
    return np.flatnonzero(row >= row.max() - 0.03 * row.std() - 0.02 * abs(row.max()))


class Generate(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folders, cls.models = {}, {}
        for shape in SHAPES:
            cls.folders[shape] = pathlib.Path(cls.temporary.name) / shape
            make_model.make_model(cls.folders[shape], shape, seed=1)
            cls.models[shape] = Reference(cls.folders[shape])

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def prompts(self, lengths):
        numbers = np.random.default_rng(0)
        return [numbers.integers(0, self.models["tiny-llama"].config["vocab_size"], length).tolist() for length in lengths]

    def hold_to_reference(self, shape, prompts, answers, allowed):
        """`allowed` gives, from a row of logits, which tokens may follow."""
        for prompt, answer in zip(prompts, answers):
            logits = self.models[shape].logits(prompt + answer[:-1])[len(prompt) - 1:]
            for row, token in zip(logits, answer):
                self.assertIn(token, allowed(row))

    def test_greedy_tokens_have_the_largest_logit(self):
        # More rows than a narrow product has, and then fewer; a page that fills up while decoding.
        prompts = self.prompts([1, 63, 5])
        for shape in SHAPES:
            with self.subTest(shape):
                answers = generate(self.folders[shape], {"prompts": prompts, "new_tokens": 4, "max_sequences": 4})
                self.hold_to_reference(shape, prompts, answers, near_the_largest)

    def test_long_prompts_go_in_parts(self):
        # Parts that end inside of pages and of blocks; one that begins beside the end of another prompt.
        prompts = self.prompts([180, 75])
        request = {"prompts": prompts, "new_tokens": 2, "max_sequences": 2}
        whole = generate(self.folders["tiny-llama"], request)
        self.hold_to_reference("tiny-llama", prompts, whole, near_the_largest)
        self.assertEqual(whole, generate(self.folders["tiny-llama"], {**request, "prefill_tokens": 70}))
        # Few rows go through another product.
        self.hold_to_reference("tiny-llama", prompts, generate(self.folders["tiny-llama"], {**request, "prefill_tokens": 37}),
                               near_the_largest)

    def in_fp8(self, shape, kind):
        """The reference whose layers' matrices went through fp8."""
        model = Reference(self.folders[shape])
        for name in filter(fp8.is_of_layer, model.tensors):
            model.tensors[name] = fp8.rounded(model.tensors[name], kind)
        return model

    def test_weights_rounded_to_fp8(self):
        # Rows for the narrow product, and more than are multiplied without widening the matrix.
        prompts = self.prompts([270, 5])
        model, exact = self.in_fp8("tiny-llama", "row"), self.models["tiny-llama"]
        answers = generate(self.folders["tiny-llama"], {"prompts": prompts, "new_tokens": 3, "max_sequences": 2, "weights": "fp8"})
        errors = []
        for prompt, answer in zip(prompts, answers):
            logits, others = (m.logits(prompt + answer[:-1]) for m in (model, exact))
            for row, token in zip(logits[len(prompt) - 1:], answer):
                self.assertIn(token, near_the_largest(row))
            errors.append(np.sqrt(((logits - others)**2).mean()) / others.std())
        # Beside bf16: three bits of a number instead of seven.
        print(f"logits with weights in fp8 differ by {max(errors):.3f} of their deviation", file=sys.stderr)
        self.assertLess(max(errors), 0.15)

    def test_folders_in_fp8(self):
        prompts = self.prompts([70, 3])
        for shape, kind, devices in (("tiny-llama", "block", 2), ("tiny-qwen", "tensor", 1), ("tiny-qwen3", "row", 1)):
            with self.subTest(kind):
                folder = pathlib.Path(self.temporary.name) / f"{shape}-{kind}"
                fp8.write_folder(self.folders[shape], folder, self.models[shape].tensors, kind)
                model = self.in_fp8(shape, kind)
                answers = generate(folder, {"prompts": prompts, "new_tokens": 2, "max_sequences": 2, "devices": devices})
                for prompt, answer in zip(prompts, answers):
                    logits = model.logits(prompt + answer[:-1])[len(prompt) - 1:]
                    for row, token in zip(logits, answer):
                        self.assertIn(token, near_the_largest(row))

    def test_two_gpus_choose_such_tokens_too(self):
        prompts = self.prompts([3, 70])
        answers = generate(self.folders["tiny-llama"], {"prompts": prompts, "new_tokens": 3, "max_sequences": 2, "devices": 2,
                                                        "prefill_tokens": 40})
        self.hold_to_reference("tiny-llama", prompts, answers, near_the_largest)

    def test_log_probabilities_are_those_of_the_softmax(self):
        # Two GPUs have half of the logits each; what was drawn need not be among the likeliest.
        prompts = self.prompts([3, 70])
        for devices, temperature, top_k in ((1, 3.0, 30), (2, 3.0, 0)):
            with self.subTest(devices=devices, temperature=temperature):
                request = {"prompts": prompts, "new_tokens": 2, "max_sequences": 2, "devices": devices, "temperature": temperature,
                           "top_k": top_k, "seed": 5}
                done = generate_all(self.folders["tiny-llama"], request | {"logprobs": 6})
                plain = generate_all(self.folders["tiny-llama"], request)
                self.assertEqual(done["tokens"], plain["tokens"], "they change no token")
                self.assertNotIn("logprobs", plain)
                for prompt, answer, told in zip(prompts, done["tokens"], done["logprobs"]):
                    rows = self.models["tiny-llama"].logits(prompt + answer[:-1])[len(prompt) - 1:]
                    for row, token, entry in zip(rows, answer, told):
                        near, expected = 0.06 * row.std() + 0.02 * abs(row.max()), row - row.max() - np.log(np.exp(row - row.max()).sum())
                        self.assertAlmostEqual(entry["logprob"], expected[token], delta=near)
                        self.assertEqual(len(entry["top"]), 6)
                        self.assertEqual(sorted((-value for _, value in entry["top"])), [-value for _, value in entry["top"]])
                        for rank, (other, value) in enumerate(entry["top"]):
                            self.assertAlmostEqual(value, expected[other], delta=near)
                            self.assertAlmostEqual(value, np.sort(expected)[-1 - rank], delta=near)

    def test_top_k_leaves_the_largest(self):
        prompts = self.prompts([9, 9])
        answers = generate(self.folders["tiny-llama"], {"prompts": prompts, "new_tokens": 4, "temperature": 5.0, "top_k": 4,
                                                        "seed": 7, "max_sequences": 2})
        self.hold_to_reference("tiny-llama", prompts, answers,
                               lambda row: np.flatnonzero(row >= np.sort(row)[-4] - 0.05 * row.std() - 0.02 * abs(row).max()))

    def test_draws_follow_the_softmax(self):
        # One prompt many times with seeds of their own, one token each: the temperature makes a few tokens likely.
        prompt = self.prompts([1])[0]
        row = self.models["tiny-llama"].logits(prompt)[-1]
        temperature = row.std()
        answers = generate(self.folders["tiny-llama"], {"prompts": [prompt] * 64, "new_tokens": 1, "seed": 3,
                                                        "temperature": float(temperature), "max_sequences": 64})
        drawn = np.array(answers)[:, 0]
        p = np.exp((row - row.max()) / temperature)
        p /= p.sum()
        # The likelier half of the mass, give or take four standard deviations.
        order = np.argsort(-p)
        head = order[:np.searchsorted(np.cumsum(p[order]), 0.5) + 1]
        mass = p[head].sum()
        self.assertLess(abs(np.isin(drawn, head).mean() - mass), 4 * (mass * (1 - mass) / len(drawn))**0.5)
        self.assertGreater(len(set(drawn.tolist())), 8)

    def test_seeds_repeat_draws(self):
        prompts = self.prompts([20, 4])
        request = {"prompts": prompts, "new_tokens": 3, "temperature": 3.0, "top_p": 0.9, "seed": 11, "max_sequences": 2}
        first = generate(self.folders["tiny-qwen"], request)
        self.assertEqual(first, generate(self.folders["tiny-qwen"], request))
        self.assertNotEqual(first, generate(self.folders["tiny-qwen"], {**request, "seed": 12}))

    def test_the_program_answers_a_prompt(self):
        folder, text = self.folders["tiny-qwen"], "The pages of a model"
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        prompt = tokenizer.encode(text).ids
        answer = generate(folder, {"prompts": [prompt], "new_tokens": 4, "max_sequences": 1})[0]
        printed = run("engine", folder, "--prompt", text, "--max-tokens", 4, "--max-sequences", 1)
        self.assertEqual(printed.strip(), tokenizer.decode(answer).strip())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--driver")
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.build = OPTIONS.build.resolve()
    if not (OPTIONS.build / "engine-generate").exists():
        print(f"skipped: there is no {OPTIONS.build / 'engine-generate'}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
