"""engine-generate on small models: every token that it chooses is one that NumPy's logits allow.

    generate_test.py --generate ENGINE_GENERATE --bundle KERNELS.gluonpack --make-model make_model.py [--driver FOLDER]

--driver is a folder whose libcuda.so.1 is loaded in place of the system's: one that executes kernels on the CPU.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from reference import Reference  # noqa: E402

OPTIONS = argparse.Namespace()


def generate(folder, request):
    environment = dict(os.environ)
    if OPTIONS.driver:
        environment["LD_LIBRARY_PATH"] = OPTIONS.driver
    done = subprocess.run([OPTIONS.generate, str(folder), OPTIONS.bundle], input=json.dumps(request), capture_output=True,
                          text=True, env=environment, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["tokens"]


class Generate(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folders, cls.models = {}, {}
        for shape in ("tiny-llama", "tiny-qwen", "tiny-qwen3"):
            folder = pathlib.Path(cls.temporary.name) / shape
            subprocess.run([sys.executable, OPTIONS.make_model, str(folder), "--shape", shape], check=True)
            cls.folders[shape], cls.models[shape] = folder, Reference(folder)

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
        # Within what rounding to bfloat16 between all layers may turn around.
        def near_the_largest(row):
            return np.flatnonzero(row >= row.max() - 0.03 * row.std() - 0.02 * abs(row.max()))

        for shape in self.folders:
            # More and fewer rows than a narrow product has, pages that fill up while decoding.
            prompts = self.prompts([1, 63, 70, 5, 130])
            with self.subTest(shape):
                answers = generate(self.folders[shape], {"prompts": prompts, "new_tokens": 6, "max_sequences": 8})
                self.hold_to_reference(shape, prompts, answers, near_the_largest)

    def test_top_k_and_top_p_leave_the_largest(self):
        prompts = self.prompts([9, 9, 9])
        answers = generate(self.folders["tiny-llama"], {"prompts": prompts, "new_tokens": 5, "temperature": 5.0, "top_k": 4,
                                                        "seed": 7, "max_sequences": 4})
        self.hold_to_reference("tiny-llama", prompts, answers,
                               lambda row: np.flatnonzero(row >= np.sort(row)[-4] - 0.05 * row.std() - 0.02 * abs(row).max()))

    def test_draws_follow_the_softmax(self):
        # One prompt many times with seeds of their own, one token each: the temperature makes a few tokens likely.
        prompt = self.prompts([12])[0]
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
        request = {"prompts": prompts, "new_tokens": 4, "temperature": 3.0, "top_p": 0.9, "seed": 11, "max_sequences": 2}
        first = generate(self.folders["tiny-qwen"], request)
        self.assertEqual(first, generate(self.folders["tiny-qwen"], request))
        self.assertNotEqual(first, generate(self.folders["tiny-qwen"], {**request, "seed": 12}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--generate", "--bundle", "--make-model"):
        parser.add_argument(option, required=True)
    parser.add_argument("--driver")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
