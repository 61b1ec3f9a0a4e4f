#!/usr/bin/env python3
"""The engine's tokenizer against the package `tokenizers`, on random and nasty strings.

    tokenizer_test.py TOOL [--count N] [--seed N]

TOOL is TokenizerTool of examples/engine. Exit status 77: the packages tokenizers and numpy are not there.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples/engine"))
try:
    import make_model
    import tokenizers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

NASTY = [
    "", " ", "  ", "\n", "\r\n", "\n\n\n", " \n ", "\t\t", "a", "ab", "a b", "  a  b  ", "I'm you'LL we'Ve 'S 's", "don't",
    "'ſ", "it'ſ", "x'\u212a", "123456789", "1 22 333 4444", "٣٤٥٦", "½²³", "\u00a0\u00a0x", "\u3000x\u2003y", "\u180ex\u180e ",
    "\x85x\x0b\x0c\x1c\x1d", "\ufeffbom", "\0", "a\0b", "e\u0301", "\u00e9", "\u1100\u1161\u11a8", "\u212b", "\ufb01", "ǆ",
    "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "👍🏽", "\U0010ffff", "\ue000", "\u0344", "क्षि", "ไทย", "עברית", "العربية", "中文字符。", "日本語テキスト",
    "!!!???", "...---", "$$$ 100,000.00", "a" * 5000, " " * 5000, "\n" * 3000, "ab" * 3000, "=" * 4000, "the " * 500,
    "<|begin_of_text|>", "<|eot_id|>x<|eot_id|>", "<|im_start|>user\nhi<|im_end|>", "<<|im_end|>>", "<|im_end", "<think>a</think>",
    "<|eot_id|><|eot_id|>", " <|eot_id|> ", "<|<|eot_id|>", "<think><think>", "<thi\u006e\u0303k>", "\u0338<think>\u0338",
    "def f(x):\n\treturn x\n\n\n", "https://example.com/?q=1&r=%20", "C:\\path\\file", "e\u0323\u0307", "\u0307\u0323e"]


def random_text(generator, corpus):
    kind = generator.randrange(6)
    if kind == 0:
        at = generator.randrange(len(corpus))
        return corpus[at:at + generator.randrange(200)]
    if kind == 1:  # any code points that all libraries know
        points = (generator.choice((0x80, 0x300, 0x3000, 0x11000, 0x20000)) for _ in range(generator.randrange(30)))
        return "".join(known(generator.randrange(limit)) for limit in points)
    if kind == 2:
        return "".join(generator.choice(NASTY[:60])[:40] for _ in range(generator.randrange(1, 6)))
    if kind == 3:
        return "".join(generator.choice(" \t\r\n'sStT12aé\u3000.,") for _ in range(generator.randrange(60)))
    if kind == 4:
        words = ("<|eot_id|>", "<|im_end|>", "<think>", "</think>", "x", " ", "\n", "<|", "|>", "é", "e\u0301")
        return "".join(generator.choice(words) for _ in range(generator.randrange(12)))
    text = list(corpus[(at := generator.randrange(len(corpus))):at + 80])
    for _ in range(generator.randrange(8)):
        text.insert(generator.randrange(len(text) + 1), generator.choice("\u0301\u200d\u00a0'\n\r\u0e33🎉ß"))
    return "".join(text)


def known(point):
    """The character, where Unicode 3.2 has it: what a library takes newer ones for depends on its age."""
    return chr(point) if unicodedata.ucd_3_2_0.category(chr(point)) not in ("Cn", "Cs") else "x"


def all_pairs(reference):
    """The same tokenizer with a merge of any two bytes: wherever it cuts, a neighbour's token would be another."""
    made = json.loads(reference.to_str())
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    pairs = [(left, right) for left in letters for right in letters]
    random.Random(2).shuffle(pairs)
    vocabulary = {text: number for number, text in enumerate([*letters, *map("".join, pairs)])}
    made["model"] |= {"vocab": vocabulary, "merges": pairs, "ignore_merges": False}
    for number, token in enumerate(made["added_tokens"]):
        token["id"] = len(vocabulary) + number
    for processor in (made["post_processor"] or {}).get("processors", []):
        for token in processor.get("special_tokens", {}).values():
            token["ids"] = [next(a["id"] for a in made["added_tokens"] if a["content"] == token["id"])]
    return tokenizers.Tokenizer.from_str(json.dumps(made))


class Tool:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        encoding="utf-8")

    def ask(self, **question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def check_texts(tool, reference, texts):
    for text in texts:
        for special in (False, True):
            expected = reference.encode(text, add_special_tokens=special).ids
            found = tool.ask(text=text, special=special)
            assert found.get("tokens") == expected, f"{text[:200]!r}: {found} is not {expected}"
        check_tokens(tool, reference, expected)


def check_tokens(tool, reference, tokens):
    for skip in (False, True):
        expected = reference.decode(tokens, skip_special_tokens=skip)
        found = tool.ask(tokens=tokens, skip=skip)
        assert found["text"] == expected, f"{tokens[:50]}: {found['text']!r} is not {expected!r}"
    assert found["stream"] == expected, f"{tokens[:50]}: {found['stream']!r} is not {expected!r}"


def processor_time(process):
    """Seconds that the process has had a processor."""
    return int(pathlib.Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) * 1e-9


def check_speed(tool):
    """n log n: a word of 16 times the bytes takes 20 times as long, and more where caches end; n² were 256 times."""
    generator = random.Random(3)
    times = []
    for length in (1 << 14, 1 << 18):
        word = "".join(generator.choice("abcdefgh") for _ in range(length))
        start = processor_time(tool.process)
        assert tool.ask(text=word, special=False)["tokens"]
        times.append(processor_time(tool.process) - start)
    assert times[1] < 100 * max(times[0], 0.003), f"16 KiB take {times[0]:.3f} s, 256 KiB {times[1]:.3f} s"


def check(reference, program, count, seed, corpus):
    generator = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        reference.save(f"{folder}/tokenizer.json")
        tool = Tool(program, folder)
        check_texts(tool, reference, NASTY)
        check_texts(tool, reference, (random_text(generator, corpus) for _ in range(count)))
        for _ in range(count // 4):
            check_tokens(tool, reference, [generator.randrange(reference.get_vocab_size() + 3)
                                           for _ in range(generator.randrange(20))])
        check_speed(tool)
        tool.process.stdin.close()
        assert tool.process.wait(10) == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    corpus = "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))) + json.dumps(NASTY, ensure_ascii=False)
    print(f"tokenizers {tokenizers.__version__}, Unicode {unicodedata.unidata_version}")
    for family in ("llama", "qwen"):
        trained = make_model.make_tokenizer(family, 4000, [make_model.CORPUS, corpus])
        for reference in (trained, all_pairs(trained)):
            check(reference, arguments.tool, arguments.count, arguments.seed, corpus)
        print(f"{family}: {2 * (len(NASTY) + arguments.count)} texts")


if __name__ == "__main__":
    main()
