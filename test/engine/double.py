"""Servers of examples/engine with the test double of a model behind them, and what the double answers.

The double (examples/engine/test/DoubleModel.h) computes a token from all tokens before it.
"""

import http.client
import json
import math
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples/engine"))
try:
    import make_model
    import tokenizers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

VOCABULARY = 512
FAIL, LOSE, DIE = 509, 510, 505  # tokens of the tiny Llama that no text has
_MASK = (1 << 64) - 1


def next_token(context, seed):
    value = seed
    for token in context:
        value = (value ^ (token + 1)) * 0x9E3779B97F4A7C15 & _MASK
        value ^= value >> 29
    return (value >> 20) % VOCABULARY


def log_probability(behind):
    """Of the token that is so far behind the greedy one."""
    return -(behind + 1) * math.log(2)


class near(float):
    """Equal to what float32 makes of it."""

    def __eq__(self, other):
        return math.isclose(self, other, rel_tol=1e-6)

    __hash__ = float.__hash__


class Model:
    """A folder for the server, and what it should answer."""

    def __init__(self, folder, **double):
        self.folder = pathlib.Path(folder)
        make_model.make_model(folder, "tiny-llama")
        self.tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.ends = json.loads((self.folder / "generation_config.json").read_text())["eos_token_id"]
        self.double = {"fail_token": FAIL, "lost_token": LOSE, "death_token": DIE}
        self.set_double(**double)

    def set_double(self, **double):
        """Changes options that the next server has."""
        self.double |= double
        (self.folder / "double.json").write_text(json.dumps(self.double))

    def encode(self, prompt):
        return self.tokenizer.encode(prompt).ids if isinstance(prompt, str) else list(prompt)

    def answer(self, prompt, max_tokens=16, seed=0, ignore_end=False):
        """Tokens, and why they end; without a seed greedy."""
        context, tokens = self.encode(prompt), []
        while len(tokens) < max_tokens:
            tokens.append(next_token(context + tokens, seed))
            if tokens[-1] in self.ends and not ignore_end:
                return tokens, "stop"
        return tokens, "length"

    def text(self, tokens):
        return self.tokenizer.decode(tokens, skip_special_tokens=True)


class Server:
    def __init__(self, program, folder, *options, port=0):
        self.process = subprocess.Popen([program, str(folder), "--port", str(port), *options], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        match = re.match(r"http://127.0.0.1:(\d+) serves (\S+)", line)
        assert match, f"{line!r}: {self.process.stderr.read() if not line else ''}"
        self.port, self.name = int(match[1]), match[2]

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def request(self, method, path, body=None, connection=None):
        """Status and body, as JSON where it is."""
        own = connection or self.connect()
        own.request(method, path, body if isinstance(body, (bytes, str, type(None))) else json.dumps(body))
        response = own.getresponse()
        data = response.read()
        if not connection:
            own.close()
        is_json = response.getheader("Content-Type") == "application/json"
        return response.status, json.loads(data) if is_json else data.decode()

    def complete(self, connection=None, **fields):
        return self.request("POST", "/v1/completions", {"model": self.name, "temperature": 0} | fields, connection)

    def stream(self, connection=None, **fields):
        """The objects of a stream, up to [DONE]."""
        status, text = self.complete(connection, stream=True, **fields)
        assert status == 200, text
        events = text.split("\n\n")
        assert events[-2:] == ["data: [DONE]", ""], text
        return [json.loads(event.removeprefix("data: ")) for event in events[:-2]]

    def metrics(self):
        text = self.request("GET", "/metrics")[1]
        return {name: float(value) for name, value in re.findall(r"^([^#\s]+) (\S+)$", text, re.M)}

    def wait_until_idle(self, seconds=10):
        """Nothing runs or waits, and all pages are free."""
        end = time.monotonic() + seconds
        while True:
            found = self.metrics()
            if not found["engine_sequences_running"] and not found["engine_sequences_waiting"]:
                break
            assert time.monotonic() < end, found
            time.sleep(0.01)
        assert found["engine_pages_free"] == found["engine_pages"], found

    def wait_for(self, name, count, seconds=20):
        """Until the metric is at least so large."""
        end = time.monotonic() + seconds
        while (found := self.metrics())[name] < count:
            assert time.monotonic() < end, (name, found[name], count)
            time.sleep(0.01)

    def raw(self, data, seconds=20):
        """What comes back for bytes, up to the end of the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            try:
                connection.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it has been refused before the end
            found = b""
            while more := connection.recv(1 << 16):
                found += more
        return found

    def stop(self, number=signal.SIGTERM, seconds=60):
        """The exit status, and what it wrote to stderr."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=seconds)
        return self.process.returncode, errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def copy_folder(folder, name):
    made = pathlib.Path(folder).with_name(name)
    shutil.copytree(folder, made)
    return made
