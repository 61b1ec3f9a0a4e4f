#!/usr/bin/env python3
"""The judge tells orderly ends from all others, and findings shrink to what shows them."""

import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import judge
import texts


def problem(script, seconds=5, megabytes=300):
    with tempfile.TemporaryDirectory() as folder:
        return judge.run([sys.executable, "-c", script], folder,
                         judge.Limits(seconds, megabytes)).problem


class Judge(unittest.TestCase):
    def test_an_orderly_end_is_no_problem(self):
        self.assertIsNone(problem("pass"))
        self.assertIsNone(problem("raise SystemExit('error: x [GL2000 Name]')"))

    def test_every_other_end_is_one(self):
        self.assertEqual(problem("import os; os.kill(os.getpid(), 11)"), "signal 11")
        self.assertIn("status 70", problem("print('gluonc: internal error: x'); raise SystemExit(70)"))
        self.assertEqual(problem("raise SystemExit(1)"), "status 1 without a word")
        self.assertIn("alarm", problem("print('a.cpp:3:4: runtime error: shift of 64')"))
        self.assertIn("alarm", problem("print('==1==ERROR: AddressSanitizer: heap-buffer-overflow')"))
        self.assertIn("alarm", problem("print('error: x [GL2044 InvalidIr]')"))

    def test_time_and_memory_are_limited(self):
        self.assertEqual(problem("while True: pass", seconds=0.5), "hang")
        self.assertEqual(problem("import time; x = b'x' * (600 << 20); time.sleep(9)"), "memory")

    def test_the_same_bug_at_another_place_is_the_same_problem(self):
        report = "print('k.cpp:{0}:4: runtime error: index {0} of 0x{0}')"
        self.assertEqual(problem(report.format(7)), problem(report.format(123)))


class Texts(unittest.TestCase):
    def test_what_remains_of_a_shrunk_text_is_what_fails(self):
        text = "\n".join(f"line {i}" for i in range(64)).encode()
        self.assertEqual(texts.shrink(text, lambda data: b"line 37" in data), b"line 37")

    def test_mutations_change_the_text_and_depend_on_the_seed_alone(self):
        text = "def k(x, n):\n    gl.store(x + 1, n * 2)\n    return\n"
        for mutate in (texts.source, texts.ir):
            made = [mutate(random.Random(seed), text, 3) for seed in range(100)]
            self.assertEqual(made, [mutate(random.Random(seed), text, 3) for seed in range(100)])
            self.assertGreater(len(set(made)), 80)
            self.assertLess(made.count(text), 10)


if __name__ == "__main__":
    unittest.main()
