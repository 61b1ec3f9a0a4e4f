#!/usr/bin/env python3
"""Load on a server of examples/engine: many requests, some of them cut off, some malformed; the outcome as JSON.

    engine_load.py URL [--requests N] [--concurrency N] [--prompt-tokens A-B] [--max-tokens A-B] [--cut SHARE]
                   [--malformed SHARE] [--stream SHARE] [--seed N] [--pid PID] [--out FILE]

Prompts are random tokens. A request is lost when its connection ends or 120 s go by without the whole answer; a request
refused with 429 is sent again. `--pid` names the server's process, of which the resident memory is read. The stdlib alone.
"""

import argparse
import asyncio
import collections
import json
import pathlib
import random
import re
import sys
import time
import urllib.parse

MALFORMED = [b"{", b"[]", b'{"model": 1}', b'{"prompt": -1}', b'{"model": "MODEL", "prompt": "x", "n": 0}',
             b'{"model": "MODEL", "prompt": "x", "temperature": "hot"}', b'{"model": "nope", "prompt": "x"}', b"\xff\xfe",
             b'{"model": "MODEL", "prompt": [-5]}', b'{"model": "MODEL", "prompt": "x", "max_tokens": 100000000}']


class Lost(Exception):
    pass


class Connection:
    """One connection of HTTP/1.1 that stays open between requests."""

    def __init__(self, host, port):
        self.host, self.port, self.reader, self.writer = host, port, None, None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None

    async def send(self, method, path, body=b""):
        if not self.writer:
            await self.open()
        self.writer.write(f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n"
                          f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await self.writer.drain()

    async def head(self):
        """Status and headers of the answer."""
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
        return int(lines[0].split()[1]), headers

    async def pieces(self, headers):
        """The body, as it comes."""
        if "content-length" in headers:
            yield await self.reader.readexactly(int(headers["content-length"]))
        else:
            while size := int(await self.reader.readline(), 16):
                yield (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        if headers.get("connection") == "close":
            self.close()

    async def request(self, method, path, body=b""):
        await self.send(method, path, body)
        status, headers = await self.head()
        return status, b"".join([piece async for piece in self.pieces(headers)])


class Load:
    def __init__(self, options):
        self.options = options
        place = urllib.parse.urlsplit(options.url)
        self.host, self.port = place.hostname, place.port or 80
        self.left = options.requests
        self.outcomes, self.errors = collections.Counter(), collections.Counter()
        self.whole, self.first, self.between, self.tokens = [], [], [], 0

    async def get(self, path):
        connection = Connection(self.host, self.port)
        status, body = await connection.request("GET", path)
        connection.close()
        assert status == 200, (path, status, body)
        return body.decode()

    async def metrics(self):
        return {name: float(value) for name, value in re.findall(r"^(engine_\w+) (\S+)$", await self.get("/metrics"), re.M)}

    def memory(self):
        """Resident bytes of the server's process; None where it is not named."""
        if not self.options.pid:
            return None
        status = pathlib.Path(f"/proc/{self.options.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) << 10

    async def read_answer(self, connection, start, stream):
        status, headers = await connection.head()
        body, times, count = b"", [], 0
        async for piece in connection.pieces(headers):
            body += piece
            times.append(time.monotonic())
        if status != 200:
            return status
        if stream:
            if not body.endswith(b"data: [DONE]\n\n") or b'"error":' in body:
                raise Lost("a stream without an end")
            count = json.loads(body.split(b"data: ")[-2])["usage"]["completion_tokens"]
            self.first.append(times[0] - start)
            if count > 1:
                self.between.append((times[-1] - times[0]) / (count - 1))
        else:
            count = json.loads(body)["usage"]["completion_tokens"]
        self.tokens += count
        self.whole.append(times[-1] - start)
        return status

    async def complete(self, connection, draw, kind):
        options, stream = self.options, draw.random() < self.options.stream
        prompt = [draw.randrange(256) for _ in range(draw.randint(*options.prompt_tokens))]
        fields = {"model": self.model, "prompt": prompt, "max_tokens": draw.randint(*options.max_tokens), "seed": 1,
                  "temperature": draw.choice((0, 1)), "stream": stream, "ignore_eos": True}
        if stream:
            fields["stream_options"] = {"include_usage": True}
        body = json.dumps(fields).encode()
        while True:
            start = time.monotonic()
            await connection.send("POST", "/v1/completions", body)
            if kind == "cut":
                await asyncio.sleep(draw.random() * 0.05)
                connection.close()
                return "cut"
            status = await self.read_answer(connection, start, stream)
            if status == 200:
                return "whole"
            if status != 429:
                raise Lost(f"status {status}")
            self.outcomes["refused with 429, sent again"] += 1
            await asyncio.sleep(0.1 + draw.random() * 0.2)

    async def one(self, connection, draw):
        kind = draw.choices(("whole", "cut", "malformed"), (1 - self.options.cut - self.options.malformed, self.options.cut,
                                                            self.options.malformed))[0]
        if kind != "malformed":
            return await self.complete(connection, draw, kind)
        body = draw.choice(MALFORMED).replace(b"MODEL", self.model.encode())
        status, _ = await connection.request("POST", "/v1/completions", body)
        if not 400 <= status < 500:
            raise Lost(f"status {status} for {body}")
        return "malformed, refused"

    async def client(self, number):
        draw, connection = random.Random(f"{self.options.seed} {number}"), Connection(self.host, self.port)
        while self.left:
            self.left -= 1
            try:
                outcome = await asyncio.wait_for(self.one(connection, draw), 120)
            except (OSError, EOFError, Lost, ValueError, KeyError, asyncio.TimeoutError) as error:
                connection.close()
                self.errors[f"{type(error).__name__}: {error}"[:200]] += 1
                outcome = "lost"
            self.outcomes[outcome] += 1
        connection.close()

    async def settle(self):
        """Metrics once nothing runs any more, or after a minute."""
        end = time.monotonic() + 60
        while True:
            found = await self.metrics()
            if not found["engine_sequences_running"] + found["engine_sequences_waiting"] or time.monotonic() > end:
                return found
            await asyncio.sleep(0.05)

    async def run(self):
        self.model = json.loads(await self.get("/v1/models"))["data"][0]["id"]
        before, memory = await self.settle(), self.memory()
        start = time.monotonic()
        await asyncio.gather(*(self.client(i) for i in range(self.options.concurrency)))
        seconds = time.monotonic() - start
        after = await self.settle()
        return {"requests": self.options.requests, "concurrency": self.options.concurrency, "seconds": round(seconds, 3),
                "requests_per_second": round(self.options.requests / seconds, 1),
                "tokens_per_second": round(self.tokens / seconds, 1), "outcomes": dict(self.outcomes),
                "lost": self.outcomes["lost"], "errors": dict(self.errors.most_common(10)),
                "seconds_of_whole_answers": percentiles(self.whole), "seconds_to_first_token": percentiles(self.first),
                "seconds_between_tokens": percentiles(self.between),
                "pages_free": {"before": before["engine_pages_free"], "after": after["engine_pages_free"],
                               "of": after["engine_pages"]},
                "sequences_left": after["engine_sequences_running"] + after["engine_sequences_waiting"],
                "preemptions": after["engine_preemptions_total"] - before["engine_preemptions_total"],
                "rss_bytes": {"before": memory, "after": self.memory()}}


def percentiles(times):
    times = sorted(times)
    return {f"p{share}": round(times[min(len(times) - 1, len(times) * share // 100)], 5) for share in (50, 90, 99)} if times else {}


def span(text):
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("url")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--concurrency", type=int, default=256)
    parser.add_argument("--prompt-tokens", type=span, default=(1, 64))
    parser.add_argument("--max-tokens", type=span, default=(1, 32))
    parser.add_argument("--cut", type=float, default=0.05)
    parser.add_argument("--malformed", type=float, default=0.05)
    parser.add_argument("--stream", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pid", type=int)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    found = asyncio.run(Load(options).run())
    text = json.dumps(found, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")
    return found["lost"] > 0 or found["sequences_left"] > 0 or found["pages_free"]["after"] != found["pages_free"]["of"]


if __name__ == "__main__":
    sys.exit(main())
