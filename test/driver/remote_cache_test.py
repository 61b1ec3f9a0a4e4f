#!/usr/bin/env python3
"""Machines with disks of their own, over a shared folder and a server: what one compiles the others find, and
what nobody whom they trust has signed they compile themselves."""

import argparse
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

KERNELS = '''
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [64], [4], [0]))
    gl.store(dst + i, gl.load(src + i, mask=i < n), mask=i < n)
'''


class RemoteCache(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="gluonc-remote-"))
        self.addCleanup(shutil.rmtree, self.path)
        (self.path / "k.py").write_text(KERNELS)
        (self.path / "shared").mkdir()
        self.run_gluonc("cache", "keygen", "shared.key", "--hmac")
        self.keys = {"GLUONC_REMOTE_CACHE_KEYS": str(self.path / "shared.key")}
        self.shared = {"GLUONC_REMOTE_CACHE": str(self.path / "shared"), **self.keys}

    def run_gluonc(self, *words, machine="a", status=0, **extra):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GLUONC_")}
        environment.update({"GLUONC_CACHE_DIR": str(self.path / machine), **extra})
        done = subprocess.run([OPTIONS.gluonc, *words], cwd=self.path, env=environment, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def compile(self, machine, block=256, **extra):
        done = self.run_gluonc("compile", "k.py::copy", "src=*fp32", "dst=*fp32", "n=i32", f"BLOCK={block}",
                               "--target", "hip:gfx942", "-o", f"{machine}.hsaco", machine=machine, **extra)
        return done.stderr

    def statistics(self, machine):
        """Of refused entries, those reasons that there are."""
        numbers = json.loads(self.run_gluonc("cache", "stats", "--format", "json", machine=machine).stdout)
        refused = {reason: count for reason, count in numbers.pop("refused").items() if count}
        del numbers["problems"]
        return {name: count for name, count in numbers.items() if count}, refused

    def entry(self):
        """The only one of the shared folder."""
        found, = [path for path in (self.path / "shared").glob("*/*")]
        return found

    def check_start_from(self, place):
        """Two machines over `place`."""
        self.assertEqual(self.compile("a", **place), "")
        self.assertEqual(self.statistics("a"), ({"misses": 1, "stores": 1}, {}))
        self.assertEqual(self.compile("b", **place), "")
        self.assertEqual(self.statistics("b"), ({"hits": 1}, {}))
        self.assertEqual((self.path / "a.hsaco").read_bytes(), (self.path / "b.hsaco").read_bytes())
        # From its own disk then.
        self.compile("b", **place)
        self.assertEqual(self.statistics("b"), ({"hits": 1}, {}))

    def test_a_shared_folder(self):
        self.check_start_from(self.shared)

    def serve(self, *words):
        server = subprocess.Popen([sys.executable, OPTIONS.server, str(self.path / "shared"), "--port", "0", *words],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (server.kill(), server.wait(), server.stdout.close(), server.stderr.close()))
        return server.stdout.readline().strip()

    def has_curl(self):
        done = self.compile("probe", GLUONC_REMOTE_CACHE="http://127.0.0.1:1", **self.keys)
        return "libcurl" not in done

    def test_a_server(self):
        if not self.has_curl():
            self.skipTest("no libcurl")
        url = self.serve()
        self.check_start_from({"GLUONC_REMOTE_CACHE": url, **self.keys})
        self.check_entries_are_the_folders_too()

    def check_entries_are_the_folders_too(self):
        self.compile("c", **self.shared)
        self.assertEqual(self.statistics("c"), ({"hits": 1}, {}))

    def test_the_server_keeps_to_its_folder_and_its_limits(self):
        host, port = self.serve("--max-mb", "1").removeprefix("http://").split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=10)
        self.addCleanup(connection.close)

        def status(method, path, body=None, headers={}):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        name = "/" + "0a" * 32
        self.assertEqual(status("GET", name), 404)
        self.assertEqual(status("PUT", name, b"bytes"), 204)
        self.assertEqual(status("GET", name), 200)
        for path in ("/../k.py", "/0a/" + "0a" * 32, "/" + "0A" * 32, name + "/", "/", name + "?x"):
            self.assertEqual(status("PUT", path, b"x"), 404, path)
            self.assertEqual(status("GET", path), 404, path)
        self.assertEqual(status("PUT", name, b"x" * 1_000_001), 507)
        self.assertEqual(status("PUT", name, None, {"Content-Length": str(1 << 40)}), 413)
        connection.close()
        self.assertEqual(status("GET", name), 200)
        self.assertEqual(status("POST", name), 501)

    def test_the_server_may_be_for_readers(self):
        host, port = self.serve("--read-only").removeprefix("http://").split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=10)
        connection.request("PUT", "/" + "0a" * 32, b"x")
        self.assertEqual(connection.getresponse().status, 403)
        connection.close()

    def test_who_has_a_public_key_reads(self):
        done = subprocess.run([OPTIONS.gluonc, "cache", "keygen", "fleet.key"], cwd=self.path, text=True,
                              capture_output=True, timeout=60)
        if done.returncode == 4:
            self.skipTest("no libcrypto")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.path / "fleet.key").stat().st_mode & 0o777, 0o600)
        writer = {**self.shared, "GLUONC_REMOTE_CACHE_KEYS": str(self.path / "fleet.key")}
        reader = {**self.shared, "GLUONC_REMOTE_CACHE_KEYS": str(self.path / "fleet.key.pub")}
        self.compile("a", **writer)
        self.compile("b", **reader)
        self.assertEqual(self.statistics("b"), ({"hits": 1}, {}))
        # A reader puts nothing there.
        self.compile("b", 512, **reader)
        self.assertEqual(self.statistics("b"), ({"hits": 1, "misses": 1}, {}))
        self.assertIn("no key that signs", self.run_gluonc("cache", "push", machine="b", status=2, **reader).stderr)
        # Who has another secret believes nothing of it.
        self.assertIn("is signed by a key that is not among yours", self.compile("c", **self.shared))

    def check_refused(self, reason, machine):
        """The entry is refused once, told, compiled and put there anew."""
        said = self.compile(machine, **self.shared)
        self.assertEqual(said.count("GL6019"), 1, said)
        self.assertEqual(self.statistics(machine), ({"stores": 1}, {reason: 1}))
        text = self.run_gluonc("cache", "stats", machine=machine).stdout
        self.assertIn(f"1 {reason}", text)
        self.assertIn(self.entry().name, text)
        self.assertEqual(self.compile(machine + "-next", **self.shared), "")

    def test_what_was_changed_is_refused(self):
        self.compile("a", **self.shared)
        entry = self.entry()
        whole = entry.read_bytes()
        entry.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        self.check_refused("wrong-signature", "flipped")
        entry.write_bytes(whole[:len(whole) // 2])
        self.check_refused("malformed", "cut")
        os.truncate(entry, (64 << 20) + 1)
        self.check_refused("oversized", "large")

    def test_what_is_another_kernels_is_refused(self):
        self.compile("a", **self.shared)
        entry = self.entry()
        first = entry.read_bytes()
        entry.unlink()
        self.compile("a", 512, **self.shared)
        replaced = self.entry()
        replaced.write_bytes(first)
        said = self.compile("b", 512, **self.shared)
        self.assertIn("is another kernel's", said)
        self.assertEqual(self.statistics("b"), ({"stores": 1}, {"other-kernel": 1}))

    def test_a_server_that_does_not_answer_costs_little_and_once(self):
        if not self.has_curl():
            self.skipTest("no libcurl")
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        place = {"GLUONC_REMOTE_CACHE": "http://127.0.0.1:%d" % listener.getsockname()[1], **self.keys}
        start = time.monotonic()
        self.assertIn("is left alone for 60 s", self.compile("a", **place))
        self.assertLess(time.monotonic() - start, 10)
        # Later processes do not ask.
        self.assertEqual(self.compile("a", 512, **place), "")
        self.assertEqual(self.statistics("a"), ({"failures": 1}, {}))

    def test_push_and_pull(self):
        self.compile("a")
        self.compile("a", 512)
        remote = ["--remote", str(self.path / "shared"), "--keys", "shared.key", "--list", "names"]
        self.assertEqual(self.run_gluonc("cache", "push", *remote).stdout, "2 pushed, 0 passed over\n")
        with (self.path / "names").open("a") as names:
            names.write("0" * 64 + "\nno name\n")
        self.assertEqual(self.run_gluonc("cache", "pull", *remote, machine="b").stdout,
                         "2 pulled, 2 passed over\n")
        self.assertEqual(len(list((self.path / "b").glob("??/*.entry"))), 2)
        self.compile("b", **self.shared)
        self.assertEqual(self.statistics("b"), ({"hits": 2, "misses": 1}, {}))
        self.assertIn("2 whole", self.run_gluonc("cache", "verify", machine="b").stdout)

    def test_info_says_what_is_used(self):
        used = json.loads(self.run_gluonc("info", "--format", "json", **self.shared).stdout)["remote_cache"]
        self.assertEqual(used, {"place": str(self.path / "shared"), "written": True})
        self.assertIn("shared, read\n", self.run_gluonc("info", GLUONC_REMOTE_CACHE_MODE="read", **self.shared).stdout)
        self.assertIsNone(json.loads(self.run_gluonc("info", "--format", "json").stdout)["remote_cache"])
        self.assertIn("needs a file of keys",
                      self.run_gluonc("info", GLUONC_REMOTE_CACHE="/tmp", status=1).stderr)

    def test_readers_by_choice(self):
        self.compile("a", GLUONC_REMOTE_CACHE_MODE="read", **self.shared)
        self.assertEqual(self.statistics("a"), ({"misses": 1}, {}))

    def test_without_a_disk_of_its_own(self):
        self.compile("a", **self.shared)
        self.compile("b", **{**self.shared, "GLUONC_CACHE_DIR": ""})
        self.assertFalse((self.path / "b").exists())
        self.assertEqual((self.path / "a.hsaco").read_bytes(), (self.path / "b.hsaco").read_bytes())

    def test_settings_that_are_wrong_are_errors(self):
        def said(**extra):
            words = ("compile", "k.py::copy", "src=*fp32", "dst=*fp32", "n=i32", "BLOCK=256", "--target",
                     "hip:gfx942", "-o", "x")
            return self.run_gluonc(*words, status=1, **extra).stderr
        self.assertIn("needs a file of keys", said(GLUONC_REMOTE_CACHE="/tmp"))
        self.assertIn("only the Python package", said(GLUONC_REMOTE_CACHE="redis://host", **self.keys))
        self.assertIn("is `read` or `readwrite`", said(GLUONC_REMOTE_CACHE_MODE="both", **self.shared))
        os.chmod(self.path / "shared.key", 0o644)
        self.assertIn("may be read by others", said(**self.shared))
        os.chmod(self.path / "shared.key", 0o660)
        self.assertIn("may be written by others", said(**self.shared))
        self.assertIn("cannot be read", said(**{**self.shared, "GLUONC_REMOTE_CACHE_KEYS": "none"}))
        self.assertIn("there is no remote cache", self.run_gluonc("cache", "push", status=2).stderr)
        self.assertIn("cannot write", self.run_gluonc("cache", "keygen", "shared.key", "--hmac", status=1).stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--server", required=True)
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.gluonc = os.path.abspath(OPTIONS.gluonc)
    unittest.main(argv=[__file__, *rest])
