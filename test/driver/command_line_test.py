#!/usr/bin/env python3
"""The command line: exit statuses, diagnostics as JSON, outputs of every command.

Drivers that are none stand in for GPUs: they have memory and take launches. fake_cuda
runs nothing, fake_hip executes AMD's machine code on the CPU.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

KERNELS = '''
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + i, gl.load(src + i, mask=i < n), mask=i < n)

@gluon.jit
def unmasked(dst, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + i, 1.0)
'''

TUNED = '''
[[kernel]]
source = "k.py::copy"
targets = "TARGET"
arguments = { src = "*fp32", dst = "*fp32", n = "i32" }
[kernel.tune]
arguments.BLOCK = [128, 256]
data = { src = "randn(n, f32)", dst = "empty(n, f32)" }
grid = "gl.cdiv(n, BLOCK)"
launches = [{ n = 100 }, { n = 1000 }]
'''

LONG = '''
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def forever(dst):
    i = 0
    while i >= 0:
        gl.store(dst, i)
        i = i % 8 + 1
'''

PRINTS = '''
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def values(src, n):
    i = gl.arange(0, 64, layout=gl.BlockedLayout([1], [WIDTH], [64 // WIDTH], [0]))
    print("a: b %", gl.load(src + i), n, i.to(gl.int64) - 3)
'''

AMD_KERNELS = '''from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    gl.store(dst + i, gl.load(src + i, i < n), i < n)

@gluon.jit
def widths(dst, a, x, b, y, c):
    total = a.to(gl.float64) + x.to(gl.float64) + b.to(gl.float64) + y.to(gl.float64)
    program = gl.program_id(0)
    gl.store(dst + program, total + c.to(gl.float64) + gl.num_programs(0) + program)
'''

COPY = ["src=arange(100, f32)", "dst=empty(100, f32)", "n=100", "BLOCK=128"]
TYPES = ["src=*fp32:16", "dst=*fp32:16", "n=i32", "BLOCK=128"]
LAYOUT = "BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])"
options = None


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "k.py").write_text(KERNELS)
        (cls.path / "one.py").write_text(KERNELS.split("@gluon.jit\ndef unmasked")[0])
        (cls.path / "bad.py").write_text("x = (1\ny = ]\n")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def gluonc(self, *arguments, fake=False, **extra):
        """`fake`: with NVIDIA GPUs that are none; "hip": with AMD's."""
        environment = {**os.environ, "GLUONC_CACHE_DIR": str(self.path / "cache"), **extra}
        if fake:
            environment["LD_LIBRARY_PATH"] = options.fake_hip if fake == "hip" else options.fake_cuda
        return subprocess.run([options.gluonc, *arguments], cwd=self.path, env=environment,
                              capture_output=True, text=True, timeout=120)

    def fails(self, status, kind, *arguments, **extra):
        """Runs with JSON diagnostics and wants exactly one error, of this kind."""
        result = self.gluonc(*arguments, "--diagnostics=json", **extra)
        self.assertEqual(result.returncode, status, result.stderr)
        errors = [json.loads(line) for line in result.stderr.splitlines()]
        self.assertEqual([error["kind"] for error in errors], [kind["kind"]])
        return errors[0]

    def fine(self, *arguments, **extra):
        result = self.gluonc(*arguments, **extra)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    # -- usage ---------------------------------------------------------------

    def test_usage_errors_exit_with_2(self):
        for arguments in ([], ["fly"], ["run"], ["run", "--grid"], ["run", "k.py::copy", "--wat"],
                          ["run", "k.py::copy", "3=4"], ["run", "k.py::copy", "--device", "tpu"],
                          ["run", "k.py::copy", "--num-warps", "3"],
                          ["run", "k.py::copy", "--save", "dst"],
                          ["run", "k.py::copy", "--rtol", "x"],
                          ["compile", "k.py::copy", *TYPES],
                          ["compile", "k.py::copy", *TYPES, "--target", "cuda:80", "--emit", "exe"],
                          ["compile", "k.py::copy", "--repeat", "many", "--target", "cuda:80"],
                          ["layout", LAYOUT], ["layout", LAYOUT, "--shape", "a"],
                          ["layout", LAYOUT, "--shape", "16,32", "--format", "gif"],
                          ["check"], ["info", "x"], ["check", "k.py", "--diagnostics=xml"]):
            result = self.gluonc(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("usage" if arguments != ["fly"] else "no command", result.stderr)

    def test_every_command_has_help(self):
        for command in ("run", "compile", "lift", "explain", "check", "layout", "info"):
            self.assertIn(f"usage: gluonc {command}", self.fine(command, "--help"))
        self.assertIn("Exit status", self.fine("--help"))
        self.assertRegex(self.fine("--version"), r"^gluonc \d+\.\d+\.\d+$")

    # -- what is around ------------------------------------------------------

    def test_an_output_that_takes_no_more_is_an_error(self):
        for arguments in (["--help"], ["--version"], ["check", "--help"], ["check", "k.py"], ["info"],
                          ["compile", "k.py::copy", *TYPES, "--target", "cuda:80", "--emit", "ttgir"],
                          ["layout", LAYOUT, "--shape", "32,32"]):
            for redirection, why in ((">/dev/full", "No space left on device"),
                                     (">&-", "Bad file descriptor")):
                result = subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", options.gluonc,
                                         *arguments], cwd=self.path, stderr=subprocess.PIPE, text=True)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr, f"error: cannot write `.*`: {why}")
        result = subprocess.run(["sh", "-c", '"$@" 2>/dev/full', "sh", options.gluonc, "check",
                                 "bad.py"], cwd=self.path, stdout=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 1)

    def crash(self, prepare=lambda process: None, **environment):
        """Ends a gluonc that waits for a pipe as a crash would; what it says on standard error."""
        pipe = self.path / "pipe"
        os.mkfifo(pipe)
        try:
            process = subprocess.Popen([options.gluonc, "check", str(pipe)], stderr=subprocess.PIPE,
                                       text=True, env={**os.environ, **environment})
            prepare(process)
            # Somebody opens the other end, so the handlers are in place.
            with open(pipe, "w"):
                process.send_signal(signal.SIGSEGV)
                _, said = process.communicate(timeout=60)
        finally:
            pipe.unlink()
        self.assertEqual(process.returncode, 70, said)
        self.assertIn("internal error: segmentation fault", said)
        return said

    def test_a_crash_report_overwrites_nothing_and_is_for_its_owner_alone(self):
        victim = self.path / "victim"
        victim.write_text("precious")
        with tempfile.TemporaryDirectory() as temporary:
            def plant(process):
                for folder in (temporary, "/tmp"):
                    link = pathlib.Path(folder) / f"gluonc-crash-{process.pid:06d}.txt"
                    link.symlink_to(victim)
                    self.addCleanup(link.unlink, missing_ok=True)
            said = self.crash(plant, TMPDIR=temporary)
            self.assertEqual(victim.read_text(), "precious")
            report = pathlib.Path(said.split()[-1])
            self.assertIn("check", report.read_text())
            self.assertEqual(report.parent.parent, pathlib.Path(temporary))
            self.assertEqual(report.stat().st_mode & 0o777, 0o600)
            self.assertEqual(report.parent.stat().st_mode & 0o777, 0o700)
            self.assertNotEqual(self.crash(TMPDIR=temporary).split()[-1], str(report))

    def test_pipes_and_devices_are_no_modules(self):
        with tempfile.TemporaryDirectory(dir=self.path) as folder:
            folder = pathlib.Path(folder)
            os.mkfifo(folder / "pipe.py")
            (folder / "endless.py").symlink_to("/dev/zero")
            (folder / "k.py").write_text("from pipe import a\nfrom endless import b\nimport pipe\n"
                                         + KERNELS)
            self.fine("check", str(folder / "k.py"))

    def test_executed_ptx_tells_where_it_failed_and_what_threads_had(self):
        run = ("run", "k.py::unmasked", "dst=empty(100, f32)", "BLOCK=128", "--device", "ptx")
        error = self.fails(3, {"kind": "DeviceFault"}, *run, "--state", "state.txt")
        self.assertRegex(error["message"], r"PTX line \d+, thread 100 ")
        instruction, registers = (label["text"] for label in error["labels"])
        self.assertIn("st.global.b32", instruction)
        self.assertRegex(registers, r"%rd\d+ = 0x")
        state = (self.path / "state.txt").read_text()
        self.assertRegex(state, r"thread 100: next PTX line \d+\n  %")
        self.fails(3, {"kind": "DeviceFault"}, *run)

    def test_only_the_user_can_open_the_files_for_ptxas(self):
        ptxas = self.path / "ptxas-modes"
        ptxas.write_text("#!/bin/sh\nfor word; do [ -f \"$word\" ] && folder=$(dirname \"$word\"); done\n"
                         f"echo $folder $(stat -c %a $folder) > {self.path}/modes\nexit 1\n")
        ptxas.chmod(0o755)
        before = os.umask(0)
        try:
            self.gluonc("compile", "k.py::copy", *TYPES, "--target", "cuda:80", "-o", "x.cubin",
                        GLUONC_PTXAS=str(ptxas))
        finally:
            os.umask(before)
        folder, mode = (self.path / "modes").read_text().split()
        self.assertEqual(mode, "700")
        self.assertFalse(pathlib.Path(folder).exists())

    def test_a_crash_without_a_folder_reports_on_standard_error(self):
        self.assertRegex(self.crash(TMPDIR="/nonexistent"), "to reproduce it: .* check .*pipe")

    def test_a_cache_that_others_may_write_is_refused_once_and_told(self):
        folder = self.path / "open-cache"
        cache = {"GLUONC_CACHE_DIR": str(folder)}
        run = ("run", "k.py::copy", *COPY, "--device", "cuda")
        self.assertEqual(self.gluonc(*run, fake=True, **cache).stderr, "")
        entry = next(folder.rglob("*.entry"))
        before = entry.read_bytes()
        folder.chmod(0o777)
        refused = self.gluonc(*run, fake=True, **cache)
        self.assertEqual(refused.returncode, 0)
        self.assertEqual(refused.stderr.count("not taken from the cache"), 1, refused.stderr)
        self.assertIn("[GL6019 KernelWarning]", refused.stderr)
        self.assertIn(f"`{folder}` may be written by others than its owner", refused.stderr)
        self.assertEqual(entry.read_bytes(), before)
        verified = self.gluonc("cache", "verify", **cache)
        self.assertEqual(verified.returncode, 3)
        self.assertIn(f"refused: `{folder}` may be written", verified.stdout)
        self.assertIn("0 damaged, 1 refused", verified.stdout)

    def test_users_of_one_group_share_a_cache(self):
        team, users = 65433, (65431, 65432)
        if os.geteuid() != 0:
            self.skipTest("only root has other users' rights")
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            for path, mode in ((place, 0o755), (place / "cache", 0o2770)):
                path.mkdir(exist_ok=True)
                os.chown(path, 0, team if path != place else 0)
                path.chmod(mode)
            shutil.copy(self.path / "k.py", place)

            def compiled_by(user, *groups):
                return subprocess.run(
                    [options.gluonc, "run", "k.py::copy", *COPY, "--device", "cuda", "--time-passes"],
                    user=user, group=user, extra_groups=groups, umask=0o077, cwd=place,
                    env={"GLUONC_CACHE_DIR": str(place / "cache"),
                         "LD_LIBRARY_PATH": options.fake_cuda},
                    capture_output=True, text=True)

            try:
                first = compiled_by(users[0], team)
            except PermissionError:
                self.skipTest("other users cannot reach the program")
            self.assertIn("transform", first.stderr)
            second = compiled_by(users[1], team)
            self.assertEqual((first.returncode, second.returncode), (0, 0), second.stderr)
            self.assertNotIn("transform", second.stderr)
            self.assertNotIn("warning", first.stderr + second.stderr)
            entry, = (place / "cache").rglob("*.entry")
            self.assertEqual((entry.stat().st_uid, entry.stat().st_gid), (users[0], team))
            # Who is not of the group has no cache there, and is told once.
            stranger = compiled_by(users[1])
            self.assertEqual(stranger.returncode, 0)
            self.assertIn("transform", stranger.stderr)
            self.assertEqual(stranger.stderr.count("warning"), 1, stranger.stderr)

    # -- run -----------------------------------------------------------------

    def test_run_tells_where_and_what_holds(self):
        out = self.fine("run", "k.py::copy", *COPY, "--device", "cpu", "--expect", "dst == src",
                        "--expect", "sum(dst) == 4950")
        self.assertIn("ran on cpu (simulator, as cuda:90a), grid 1x1x1", out)
        self.assertIn("expect dst == src: holds", out)
        self.assertIn("expect sum(dst) == 4950: holds", out)

    def test_the_only_kernel_of_a_file_needs_no_name(self):
        self.fine("run", "one.py", *COPY, "--device", "cpu", "--expect", "dst == src")
        self.fails(1, {"kind": "KernelNotNamed"}, "run", "k.py", *COPY)

    def test_save_writes_npy_that_reads_back(self):
        self.fine("run", "k.py::copy", *COPY, "--device", "cpu", "--save", "dst=out.npy")
        data = (self.path / "out.npy").read_bytes()
        self.assertTrue(data.startswith(b"\x93NUMPY\x01\x00"))
        self.assertEqual(struct.unpack("<3f", data[-12:]), (97.0, 98.0, 99.0))
        self.fine("run", "k.py::copy", "src=npy('out.npy')", *COPY[1:], "--device", "cpu",
                  "--expect", "dst == arange(100)")

    def test_bad_values_exit_with_1(self):
        run = ("run", "k.py::copy", "--device", "cpu")
        self.fails(1, {"kind": "UnreadableFile"}, "run", "no.py::copy", *COPY)
        self.fails(1, {"kind": "MissingKernel"}, "run", "k.py::paste", *COPY)
        self.fails(1, {"kind": "MissingValue"}, *run, *COPY[:3])
        self.fails(1, {"kind": "UnknownParameter"}, *run, *COPY, "m=3")
        self.fails(1, {"kind": "DuplicateValue"}, *run, *COPY, "n=3")
        self.fails(1, {"kind": "BadArgumentValue"}, *run, *COPY[:2], "n='x'", "BLOCK=128")
        self.fails(1, {"kind": "HostCall"}, *run, "src=randn()", *COPY[1:])
        self.fails(1, {"kind": "HostOperation"}, *run, "src=zeros(-5)", *COPY[1:])
        self.fails(1, {"kind": "UnknownName"}, *run, "src=randn(M)", *COPY[1:])
        self.fails(1, {"kind": "NpyFile"}, *run, "src=npy('k.py')", *COPY[1:])
        self.fails(1, {"kind": "BadGrid"}, *run, *COPY, "--grid", "-1")
        self.fails(1, {"kind": "UnknownTarget"}, *run, *COPY, "--target", "cuda:1")
        self.fails(1, {"kind": "InvalidOption"}, *run, *COPY, "--save", "nothing=x.npy")
        self.fails(1, {"kind": "UnwritableFile"}, *run, *COPY, "--save", "dst=/nonexistent/x.npy")

    def test_diagnostics_point_into_the_command_line(self):
        error = self.fails(1, {"kind": "UnknownTarget"}, "compile", "k.py::copy", *TYPES,
                           "--target", "cuda:1")
        self.assertEqual((error["file"], error["line"]), ("<command line>", 1))
        result = self.gluonc("compile", "k.py::copy", *TYPES, "--target", "cuda:1")
        source, carets = result.stderr.splitlines()[1:3]
        start = carets.index("^")
        self.assertEqual(source[start:start + 6], "cuda:1")

    def test_wrong_results_exit_with_3(self):
        error = self.fails(3, {"kind": "ExpectationFailed"}, "run", "k.py::copy", *COPY,
                           "--device", "cpu", "--expect", "dst == src + 1")
        self.assertIn("100 of 100 elements differ; the first at (0,): 0 and 1",
                      error["labels"][0]["text"])
        self.fails(3, {"kind": "UnwrittenRead"}, "run", "k.py::copy", *COPY[:2], "n=50",
                   "BLOCK=128", "--device", "cpu", "--expect", "dst == src")
        self.fails(3, {"kind": "OutOfBoundsAccess"}, "run", "k.py::unmasked",
                   "dst=empty(100, f32)", "BLOCK=128", "--device", "cpu")

    def test_ctrl_c_ends_a_run_within_a_fifth_of_a_second(self):
        (self.path / "long.py").write_text(LONG)
        for device in (["--device", "cpu", "--target", "cuda:90a"], ["--device", "ptx"]):
            def seconds():
                """From the signal to the end."""
                process = subprocess.Popen([options.gluonc, "run", "long.py::forever", "dst=empty(1, i32)",
                                            "--max-branches", "0", *device], cwd=self.path)
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(0.5)
                start = time.monotonic()
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(60), -signal.SIGINT)
                return time.monotonic() - start
            # Whoever waits for it may have to wait for a processor, too.
            self.assertTrue(any(seconds() < 0.2 for _ in range(10)), device)

    def test_executed_code_prints_what_the_simulator_does(self):
        for target, width in (("hip:gfx942", 64), ("hip:gfx1100", 32), ("hip:gfx1250", 32)):
            (self.path / "prints.py").write_text(PRINTS.replace("WIDTH", str(width)))
            arguments = ("run", "prints.py::values", "src=randn(64, f32)", "n=7", "--grid", "2",
                         "--num-warps", str(64 // width), "--target", target)
            lines = [sorted(line for line in self.fine(*arguments, "--device", device).splitlines()
                            if line.startswith("pid")) for device in ("amdgcn", "cpu")]
            self.assertEqual(*lines, target)
            # Each program prints two tensors and a number.
            self.assertEqual(len(lines[0]), 2 * (2 * 64 + 1), target)

    # -- a GPU that is not one -------------------------------------------------

    def test_missing_device_exits_with_4(self):
        self.fails(4, {"kind": "DeviceMissing"}, "run", "k.py::copy", *COPY, "--device", "cuda:7",
                   fake=True)

    def test_first_gpu_is_the_default(self):
        out = self.fine("run", "k.py::copy", "src=zeros(100)", "dst=zeros(100)", "n=100",
                        "BLOCK=128", "--expect", "dst == src", "--time", fake=True)
        self.assertIn("ran on cuda:0 (Fake H100)", out)
        self.assertIn("median of 20", out)

    def test_what_the_gpu_did_not_write_is_not_taken_for_right(self):
        self.fails(3, {"kind": "ExpectationFailed"}, "run", "k.py::copy", *COPY, "--device",
                   "cuda", "--expect", "dst == src", fake=True)

    def test_device_faults_and_errors_differ(self):
        run = ("run", "k.py::copy", *COPY, "--device", "cuda")
        self.fails(3, {"kind": "DeviceFault"}, *run, fake=True, FAKE_CUDA_SYNC="700")
        self.fails(4, {"kind": "DeviceError"}, *run, fake=True, FAKE_CUDA_SYNC="2")

    def test_tuning_measures_on_the_first_gpu(self):
        (self.path / "tune.toml").write_text(TUNED.replace("TARGET", "cuda:90a"))
        out = self.fine("tune", "tune.toml", "-o", "tuned.toml", "--rounds", "2", fake=True)
        self.assertIn("measured on cuda:0 (Fake H100)\n", out)
        self.assertIn("else: BLOCK = 128", out)
        self.assertIn("# Found by gluonc tune on cuda:0 (Fake H100).", (self.path / "tuned.toml").read_text())
        json_text = self.fine("tune", "tune.toml", "-o", "tuned.toml", "--device", "cuda:1", "--format", "json",
                              fake=True)
        measured = json.loads(json_text)
        self.assertEqual((measured["target"], measured["is_prediction"]), ("cuda:90a", False))
        tune = ("tune", "tune.toml", "-o", "tuned.toml")
        self.fails(3, {"kind": "DeviceFault"}, *tune, fake=True, FAKE_CUDA_SYNC="700")
        self.fails(4, {"kind": "DeviceMissing"}, *tune, "--device", "cuda:7", fake=True)
        self.fails(1, {"kind": "InvalidOption"}, *tune, "--kernel", "copy", "--device", "hip", fake="hip")

    # -- an AMD GPU that is not one: its kernels are executed on the CPU ------------

    def hip(self, kernel, *arguments, chip="gfx942:sramecc+:xnack-", layout="[64], [4]", **extra):
        """A run, and the driver calls that it made."""
        (self.path / "amd.py").write_text(AMD_KERNELS.replace("[64], [4]", layout))
        log = self.path / "hip.log"
        log.unlink(missing_ok=True)
        result = self.gluonc("run", f"amd.py::{kernel}", *arguments, "--diagnostics=json", fake="hip",
                             FAKE_HIP_CHIP=chip, FAKE_HIP_LOG=str(log), **extra)
        return result, log.read_text().splitlines() if log.exists() else []

    def test_amd_gpus_give_results_and_times(self):
        result, calls = self.hip("copy", *COPY, "--device", "hip:1", "--expect", "dst == src",
                                 "--time")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("ran on hip:1 (Fake Instinct), grid 1x1x1", result.stdout)
        self.assertIn("median of 20", result.stdout)
        self.assertEqual(calls.count("hipModuleLaunchKernel"), 21)
        # All that is taken is given back.
        for take, give in (("hipMalloc", "hipFree"), ("hipEventCreate", "hipEventDestroy"),
                           ("hipModuleLoadData", "hipModuleUnload")):
            self.assertEqual(calls.count(take), calls.count(give), take)

    def test_tuning_compares_what_candidates_computed(self):
        (self.path / "tune.toml").write_text(TUNED.replace("TARGET", "hip:gfx942").replace("k.py", "tuned.py"))
        tune = ("tune", "tune.toml", "-o", "tuned.toml", "--device", "hip", "--rounds", "1")
        right = AMD_KERNELS.replace("gl.load(src + i, i < n)", "gl.load(src + i, i < n) + BLOCK // 512")
        (self.path / "tuned.py").write_text(right)
        self.assertIn("measured on hip:0 (Fake Instinct)", self.fine(*tune, fake="hip"))
        (self.path / "tuned.py").write_text(right.replace("512", "256"))
        error = self.fails(3, {"kind": "ExpectationFailed"}, *tune, fake="hip")
        self.assertIn("the candidates `BLOCK = 128` and `BLOCK = 256`", json.dumps(error))

    def test_amd_runs_make_their_calls_in_order(self):
        _, calls = self.hip("copy", *COPY, "--device", "hip")
        self.assertEqual([call for call in calls if not re.match("hip(Device)?(Get|Total)|hipFuncGet", call)],
                         ["hipInit", "hipDriverGetVersion", "hipModuleLoadData",
                          "hipModuleGetFunction", "hipEventCreate", "hipEventCreate", "hipMalloc",
                          "hipMemcpyHtoD", "hipMalloc", "hipMemcpyHtoD", "hipEventRecord",
                          "hipModuleLaunchKernel", "hipEventRecord", "hipEventSynchronize",
                          "hipEventElapsedTime", "hipMemcpyDtoH", "hipMemcpyDtoH",
                          "hipEventDestroy", "hipEventDestroy", "hipModuleUnload", "hipFree",
                          "hipFree"])

    def test_amd_arguments_of_all_widths_lie_where_the_kernel_reads_them(self):
        result, _ = self.hip("widths", "dst=empty(4, f64)", "a=-3", "x=0.5", "b=2**40",
                             "y=0.25", "c=True", "--grid", "4", "--device", "hip", "--expect",
                             "dst == 2**40 - 3 + 0.5 + 0.25 + 1 + 4 + arange(4, f64)")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_amd_chips_decide_what_is_compiled(self):
        for chip in ("gfx950:sramecc+:xnack-", "gfx1100", "gfx1200", "gfx1250"):
            layout = "[64], [4]" if "gfx9" in chip else "[32], [4]"
            result, _ = self.hip("copy", *COPY, "--device", "hip", "--expect", "dst == src",
                                 chip=chip, layout=layout)
            self.assertEqual(result.returncode, 0, f"{chip}: {result.stderr}")
        result, _ = self.hip("copy", *COPY, "--device", "hip", chip="gfx803")
        self.assertEqual(result.returncode, 4)
        self.assertIn("gluonc has no code generator for gfx803", result.stderr)

    def test_first_amd_gpu_is_the_default_where_no_other_is(self):
        for arguments, where in (((), "hip:0 (Fake Instinct)"),
                                 (("--target", "hip:gfx942"), "hip:0 (Fake Instinct)"),
                                 (("--target", "cuda:90a"), "cpu (simulator, as cuda:90a)")):
            layout = "[32], [4]" if "cuda:90a" in arguments else "[64], [4]"
            result, _ = self.hip("copy", *COPY, "--expect", "dst == src", *arguments, layout=layout)
            self.assertIn("ran on " + where, result.stdout)
        # One that has no code generator is passed over.
        result, _ = self.hip("copy", *COPY, chip="gfx803", layout="[32], [4]")
        self.assertIn("ran on cpu", result.stdout)

    def test_what_amd_gpus_fail_at_is_told(self):
        _, calls = self.hip("copy", *COPY, "--device", "hip")
        for call in sorted(set(calls)):
            result, _ = self.hip("copy", *COPY, "--device", "hip", FAKE_HIP_FAIL=f"{call}=999")
            if call in ("hipFree", "hipEventDestroy", "hipModuleUnload"):
                self.assertEqual(result.returncode, 0, call)
                continue
            self.assertEqual(result.returncode, 4, call)
            error, = [json.loads(line) for line in result.stderr.splitlines()]
            self.assertIn("hipErrorUnknown (999): some text", error["message"])
            self.assertIn(error["kind"], ("DeviceMissing", "DeviceError"))

    def test_what_a_kernel_does_wrong_on_an_amd_gpu_is_its_fault(self):
        result, _ = self.hip("copy", "src=arange(100, f32)", "dst=empty(100, f32)", "n=128",
                             "BLOCK=128", "--device", "hip")
        self.assertEqual(result.returncode, 3)
        self.assertIn('"kind":"DeviceFault"', result.stderr)
        self.assertIn("hipErrorIllegalAddress (700)", result.stderr)

    def test_missing_amd_device_exits_with_4(self):
        result, _ = self.hip("copy", *COPY, "--device", "hip:7")
        self.assertEqual(result.returncode, 4)
        self.assertIn("no HIP device 7: the driver finds 2", result.stderr)
        self.assertEqual(self.hip("copy", *COPY, "--device", "hip:x")[0].returncode, 2)

    def test_gpu_runs_fill_the_cache_and_damage_to_it_is_harmless(self):
        cache = self.path / "cache-test"
        run = ("run", "k.py::copy", *COPY, "--device", "cuda", "--time-passes")
        first = self.gluonc(*run, fake=True, GLUONC_CACHE_DIR=str(cache))
        self.assertIn("transform", first.stderr)
        entries = list(cache.rglob("*.entry"))
        self.assertEqual(len(entries), 1)
        second = self.gluonc(*run, fake=True, GLUONC_CACHE_DIR=str(cache))
        self.assertEqual(second.returncode, 0)
        self.assertNotIn("transform", second.stderr)
        entries[0].write_bytes(entries[0].read_bytes()[:-1])
        third = self.gluonc(*run, fake=True, GLUONC_CACHE_DIR=str(cache))
        self.assertEqual(third.returncode, 0)
        self.assertIn("transform", third.stderr)

    def test_ir_takes_the_way_of_sources(self):
        (self.path / "wide.py").write_text(KERNELS.replace("[32], [4]", "[32], [8]"))
        self.fine("compile", "wide.py::copy", *TYPES, "--target", "cuda:90a", "--num-warps", "8",
                  "--emit", "ttgir", "-o", "eight.ttgir")
        cache = {"GLUONC_CACHE_DIR": str(self.path / "cache-ir")}
        run = ("run", "k.py::copy", *COPY, "--ttgir", "eight.ttgir", "--time-passes")
        # The warps are the module's.
        self.assertIn(", 8 warps", self.fine(*run, "--device", "cpu", "--expect", "dst == src"))
        passes = [self.gluonc(*run, "--device", "cuda", fake=True, **cache) for _ in range(2)]
        self.assertIn(", 8 warps", passes[0].stdout)
        self.assertIn("transform", passes[0].stderr)
        self.assertEqual(passes[1].returncode, 0)
        self.assertNotIn("transform", passes[1].stderr)
        for device in (("--device", "cpu"), ("--device", "cuda")):
            self.fails(1, {"kind": "SimulatedArgumentCount"}, "run", "k.py::unmasked",
                       "dst=empty(128)", "BLOCK=128", "--ttgir", "eight.ttgir", *device, fake=True)
        self.assertIn(".maxnreg 32", self.fine("compile", "eight.ttgir", "--target", "cuda:90a",
                                               "--maxnreg", "32", "--emit", "ptx"))
        self.fails(1, {"kind": "InvalidTtgir"}, "compile", "eight.ttgir", "--target", "hip:gfx942",
                   "--emit", "ttgir-opt")

    # -- compile, check, layout, info --------------------------------------------

    def test_cache_command_lists_verifies_and_prunes(self):
        cache = {"GLUONC_CACHE_DIR": str(self.path / "cache-command")}
        run = ("run", "k.py::copy", *COPY, "--device", "cuda")
        self.assertEqual(self.gluonc(*run, fake=True, **cache).returncode, 0)
        self.assertIn("copy(*fp32:16, *fp32:16, i32, constexpr(128)) cuda:90a 4 warps",
                      self.fine("cache", "list", **cache))
        self.assertIn(": 1 file, ", self.fine("cache", "size", **cache))
        self.assertIn("1 whole, 0 damaged", self.fine("cache", "verify", **cache))
        entry = next((self.path / "cache-command").rglob("*.entry"))
        entry.write_bytes(entry.read_bytes()[:-1])
        damaged = self.gluonc("cache", "verify", **cache)
        self.assertEqual(damaged.returncode, 3)
        self.assertIn(f"damaged: {entry}", damaged.stdout)
        self.assertIn("removed 0 files", self.fine("cache", "prune", "--max-mb", "100", **cache))
        self.assertIn("removed 1 file", self.fine("cache", "prune", "--all", **cache))
        self.assertIn(": 0 files, ", self.fine("cache", "size", **cache))
        for wrong in ([], ["burn"], ["prune"], ["prune", "--max-mb", "x"], ["list", "size"]):
            self.assertEqual(self.gluonc("cache", *wrong, **cache).returncode, 2, wrong)

    def test_compile_stops_at_every_stage(self):
        for stage, sign in (("tokens", "KwDef"), ("ast", "Module(body=["), ("ttgir", "tt.load"),
                            ("ttgir-opt", "tt.load"), ("llir", "define"),
                            ("ptx", ".target sm_90a")):
            arguments = [] if stage in ("tokens", "ast") else [*TYPES, "--target", "cuda:90a"]
            self.assertIn(sign, self.fine("compile", "k.py::copy", *arguments, "--emit", stage))

    def test_printed_ttgir_compiles_again(self):
        self.fine("compile", "k.py::copy", *TYPES, "--target", "cuda:80", "--emit", "ttgir",
                  "-o", "copy.ttgir")
        self.assertIn(".target sm_80", self.fine("compile", "copy.ttgir", "--target", "cuda:80",
                                                 "--emit", "ptx"))
        (self.path / "broken.ttgir").write_text("module { tt.func ]")
        self.fails(1, {"kind": "InvalidTtgir"}, "compile", "broken.ttgir", "--target", "cuda:80",
                   "--emit", "ptx")

    def test_chips_without_code_generator_are_told(self):
        self.fails(1, {"kind": "TargetWithoutCode"}, "compile", "k.py::copy", *TYPES, "--target",
                   "cuda:107", "--emit", "ptx")

    def test_forms_of_another_vendor_are_refused(self):
        for target, form, right in (("hip:gfx1100", "ptx", "amdgcn or hsaco"),
                                    ("hip:gfx942", "sass", "amdgcn or hsaco"),
                                    ("cuda:80", "hsaco", "ptx or cubin")):
            done = self.gluonc("compile", "k.py::copy", *TYPES, "--target", target, "--emit", form)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"there is no {form} for {target}: --emit {right}", done.stderr)

    def test_assembly_that_amd_has_not_is_told(self):
        (self.path / "alien.py").write_text(
            "from triton.experimental import gluon\n"
            "from triton.experimental.gluon import language as gl\n"
            "@gluon.jit\n"
            "def alien(dst):\n"
            "    x = gl.inline_asm_elementwise('mov.u32 $0, %laneid;', '=r', [], dtype=gl.int32,\n"
            "                                  is_pure=True, pack=1)\n"
            "    gl.store(dst, x)\n")
        self.fails(1, {"kind": "AssemblerRejected"}, "compile", "alien.py::alien", "dst=*i32",
                   "--target", "hip:gfx942")

    def test_ptxas_may_be_missing_or_unwilling(self):
        compile_ = ("compile", "k.py::copy", *TYPES, "--target", "cuda:80", "-o", "x.cubin")
        self.fails(4, {"kind": "ToolMissing"}, *compile_, GLUONC_PTXAS="/nonexistent/ptxas")
        unwilling = self.path / "ptxas"
        unwilling.write_text("#!/bin/sh\necho no such instruction >&2\nexit 1\n")
        unwilling.chmod(0o755)
        error = self.fails(1, {"kind": "PtxasRejected"}, *compile_, GLUONC_PTXAS=str(unwilling))
        self.assertIn("no such instruction", error["message"])
        unwilling.write_text("#!/bin/sh\necho '(C7602) Insufficient registers (128)' >&2\nexit 1\n")
        error = self.fails(1, {"kind": "TooFewRegisters"}, *compile_,
                           GLUONC_PTXAS=str(unwilling))
        self.assertIn("use fewer warps", json.dumps(error))
        for idle, what in (("exit 0", "nothing"), ("echo hi | tee $(echo $* | sed 's/.*-o //')",
                                                   "no cubin")):
            unwilling.write_text(f"#!/bin/sh\n{idle}\n")
            error = self.fails(1, {"kind": "PtxasRejected"}, *compile_,
                               GLUONC_PTXAS=str(unwilling))
            self.assertIn(what, error["message"])

    def test_repeat_prints_medians(self):
        report = json.loads(self.fine("compile", "k.py::copy", *TYPES, "--target", "cuda:90a",
                                      "--emit", "ptx", "--repeat", "3"))
        self.assertEqual(report["repeat"], 3)
        self.assertLessEqual({"syntax", "sema", "transform", "llir", "ptx"},
                             set(report["stages_ms"]))
        self.assertGreater(report["total_ms"], 0)

    def test_check_reports_every_error_of_every_file(self):
        self.assertIn("k.py: 2 jit functions, fine", self.fine("check", "k.py"))
        result = self.gluonc("check", "bad.py", "k.py", "no.py", "--diagnostics=json")
        self.assertEqual(result.returncode, 1)
        kinds = [json.loads(line)["kind"] for line in result.stderr.splitlines()]
        self.assertGreaterEqual(len(kinds), 2)
        self.assertEqual(kinds[-1], "UnreadableFile")

    def test_check_looks_through_folders_for_files_that_import_gluon(self):
        folder = self.path / "tree"
        (folder / "deep/.hidden").mkdir(parents=True)
        wrong = KERNELS + "    gl.arange(0, 100)\n"
        (folder / "deep/wrong.py").write_text(wrong)
        (folder / "deep/.hidden/wrong.py").write_text(wrong)
        (folder / "fine.py").write_text(KERNELS)
        (folder / "other.py").write_text("import os\nmatch 1:\n")
        error = self.fails(1, {"kind": "ShapeNotPowerOfTwo"}, "check", "tree")
        self.assertIn("wrong.py", json.dumps(error))
        lines = self.gluonc("check", "tree").stdout.splitlines()
        self.assertEqual(lines, ["tree/deep/wrong.py: 1 error", "tree/fine.py: 2 jit functions, fine"])
        (self.path / "empty").mkdir()
        self.assertIn("no Python file here imports gluon or triton.language", self.fine("check", "empty"))

    def test_check_finds_nothing_wrong_with_what_runs(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        lines = self.fine("check", str(root / "test/exec"), str(root / "examples"), "-I",
                          str(root / "examples")).splitlines()
        self.assertGreater(len(lines), 30)

    def test_machine_code_is_disassembled_by_the_toolkit(self):
        tools = self.path / "toolkit/bin"
        tools.mkdir(parents=True)
        (tools / "ptxas").write_text("#!/bin/sh\nprintf '\\177ELF code' > $(echo $* | sed 's/.*-o //;s/ .*//')\n")
        (tools / "nvdisasm").write_text("#!/bin/sh\necho \"$1\"; tail -c 4 \"$2\"\n")
        for tool in tools.iterdir():
            tool.chmod(0o755)
        compile_ = ("compile", "k.py::copy", *TYPES, "--target", "cuda:80", "--emit", "sass")
        found = self.gluonc(*compile_, GLUONC_PTXAS=str(tools / "ptxas"))
        self.assertEqual((found.returncode, found.stdout), (0, "--print-code\ncode"), found.stderr)
        (tools / "nvdisasm").write_text("#!/bin/sh\necho no such chip >&2; exit 1\n")
        error = self.fails(1, {"kind": "InvalidOption"}, *compile_, GLUONC_PTXAS=str(tools / "ptxas"))
        self.assertIn("no such chip", error["message"])

    def test_a_wrong_type_is_answered_with_the_nearest(self):
        for text, hint in (("*fp33:16", "did you mean `*fp32`?"), ("i23", None), ("*fp16:8", None)):
            error = self.fails(1, {"kind": "BadArgumentValue"}, "compile", "k.py::copy", f"src={text}",
                               *TYPES[1:], "--target", "cuda:80", "--emit", "ttgir")
            self.assertIn(f"`{text}` is neither a type nor a value", error["message"])
            self.assertIn("types are", error["hints"][-1])
            if hint:
                self.assertEqual(error["hints"][0], hint)

    def test_what_is_compiled_is_found_by_launches(self):
        cache = {"GLUONC_CACHE_DIR": str(self.path / "cache-compile")}
        compile_ = ("compile", "k.py::copy", *TYPES, "--target", "cuda:90a", "-o", "x.out")
        self.fine(*compile_, "--no-cache", **cache)
        self.assertEqual(json.loads(self.fine("cache", "list", "--format", "json", **cache)), [])
        first = self.fine(*compile_, **cache)
        kernels = json.loads(self.fine("cache", "list", "--format", "json", **cache))
        self.assertEqual([kernel["kernel"] for kernel in kernels],
                         ["copy(*fp32:16, *fp32:16, i32, constexpr(128)) cuda:90a 4 warps"])
        self.assertEqual(self.fine(*compile_, **cache), first)
        self.gluonc("run", "k.py::copy", *COPY, "--device", "cuda", fake=True, **cache)
        after = json.loads(self.fine("cache", "list", "--format", "json", **cache))
        self.assertEqual([kernel["key"] for kernel in after], [kernels[0]["key"]])

    def test_a_cache_that_cannot_be_written_is_told_once(self):
        compile_ = ("compile", "k.py::copy", *TYPES, "--target", "cuda:90a", "--emit", "ptx")
        result = self.gluonc(*compile_, GLUONC_CACHE_DIR="/proc/no-cache")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("warning"), 1, result.stderr)
        self.assertIn("not kept in the cache: cannot write", result.stderr)

    def test_info_as_json_says_what_the_text_says(self):
        told = json.loads(self.fine("info", "--format", "json", fake=True))
        text = self.fine("info", fake=True)
        self.assertIn(f"build {told['build']}\n", text)
        self.assertIn({"name": "cuda:90a", "machine_code": True}, told["targets"])
        self.assertIn(f"{told['devices'][0]['name']}, compute capability "
                      f"{told['devices'][0]['compute_capability']}", text)
        self.assertIn(told["cache"]["path"], text)
        self.assertEqual(self.gluonc("info", "--format", "xml").returncode, 2)
        self.assertEqual(self.gluonc("cache", "size", "--format", "json").returncode, 2)

    def test_imports_are_found_in_packages_and_on_the_search_path(self):
        lib = self.path / "lib"
        (lib / "tools/sub").mkdir(parents=True, exist_ok=True)
        helper = KERNELS.split("@gluon.jit")[0] + "@gluon.jit\ndef f(x):\n    return x + 1\n"
        (lib / "tools/__init__.py").write_text("")
        (lib / "tools/sub/__init__.py").write_text("")
        (lib / "tools/sub/deep.py").write_text("from ..helpers import f\n")
        (lib / "tools/helpers.py").write_text(helper)
        user = helper + "from {} import f as g\n@gluon.jit\ndef k(p):\n    gl.store(p, g(1))\n"
        (self.path / "user.py").write_text(user.format("tools.sub.deep"))
        (lib / "tools/sub/user.py").write_text(user.format("tools.helpers"))
        self.fine("check", str(lib / "tools/sub/user.py"))
        for option in (["-I", "lib"], ["-Ilib"], ["-I=lib"], ["-I", "none", "-I", str(lib)]):
            self.fine("check", "user.py", *option)
        self.fine("check", "user.py", PYTHONPATH=f"none:{lib}")
        self.fine("compile", "user.py::k", "p=*i32", "--target", "cuda:90a", "--emit", "ttgir", "-I",
                  "lib")
        self.fine("run", "user.py::k", "p=zeros(1, i32)", "--grid", "1", "--device", "cpu",
                  "--expect", "p[0] == 2", "-Ilib")
        problem = self.fails(1, {"kind": "HostValue"}, "check", "user.py", "-I", "none")
        notes = json.dumps(problem)
        self.assertIn("module `tools.sub.deep` was not found; looked in ., none", notes)
        self.assertEqual(self.gluonc("check", "user.py", "-I").returncode, 2)

    def test_doc_explains_names_of_the_language(self):
        text = self.gluonc("doc", "tensor.sum").stdout
        self.assertIn("tensor.sum(axis=None, keep_dims=False, dtype=None)", text)
        self.assertIn("The sum of elements.", text)
        self.assertIn("Needs: cuda:80 or newer", self.gluonc("doc", "mbarrier.init").stdout)
        self.assertIn("async_load", self.gluonc("doc", "nvidia.hopper.tma").stdout)
        self.assertIn("gl.nvidia.hopper", self.gluonc("doc").stdout)
        problem = self.fails(1, {"kind": "UnknownName"}, "doc", "loda")
        self.assertEqual(problem["hints"], ["did you mean `load`?"])

    def test_layout_draws_every_element(self):
        def rows(*words):
            """{head: cells}"""
            columns, line, *lines = self.fine("layout", *words).splitlines()
            self.assertEqual(set(line), {"-", "+"})
            pairs = (row.split("|") for row in [columns, *lines])
            return {head.strip(): cells.split() for head, cells in pairs}

        found = rows(LAYOUT, "--shape", "8,32")
        self.assertEqual(list(found), ["", *map(str, range(8))])
        self.assertEqual(found[""], [str(column) for column in range(32)])
        lines = [" ".join(found[str(row)]) for row in range(8)]
        self.assertEqual(lines[0].split()[:4], ["T0:0", "T0:1", "T1:0", "T1:1"])
        self.assertEqual({len(line.split()) for line in lines}, {32})
        shared = rows("SwizzledSharedLayout(1, 1, 4, [1, 0])", "--shape", "4,4")
        self.assertEqual(list(shared.values())[1:],
                         [["0", "1", "2", "3"], ["5", "4", "7", "6"],
                          ["10", "11", "8", "9"], ["15", "14", "13", "12"]])
        deep = rows("BlockedLayout([1, 1, 2], [1, 4, 8], [2, 1, 1], [2, 1, 0])", "--shape",
                    "1,4,16")
        self.assertEqual(list(deep), ["", "0, 0", "0, 1", "0, 2", "0, 3"])
        picture = self.fine("layout", LAYOUT, "--shape", "8,32", "--format", "svg")
        self.assertEqual(picture.count('class="k"'), 256)
        # A warp has a pattern, which is of one colour. Viewers that know no hsl() draw that black.
        fills = set(re.findall(r'fill="url\(#(\w+)\)"', picture))
        self.assertEqual(fills, {"f0", "f1", "f2", "f3"})
        for fill in fills:
            colour = re.search(f'id="{fill}".*?<rect class="(\\w+)"', picture)[1]
            self.assertRegex(picture, f"[.]{colour}{{fill:#[0-9a-f]{{6}}}}")
        self.fine("layout", LAYOUT, "--shape", "8,32", "--format", "html", "-o", "out.html")
        self.assertIn("<svg", (self.path / "out.html").read_text())

    def test_layout_mistakes_exit_with_1(self):
        self.fails(1, {"kind": "LayoutShape"}, "layout", LAYOUT, "--shape", "8,33")
        self.fails(1, {"kind": "LayoutShape"}, "layout", LAYOUT, "--shape", "8")
        self.fails(1, {"kind": "LayoutShape"}, "layout", "3", "--shape", "8")
        self.fails(1, {"kind": "LayoutShape"}, "layout", "AutoLayout()", "--shape", "8")
        self.fails(1, {"kind": "LayoutShape"}, "layout", LAYOUT, "--shape", "8,32", "--view", "memory")
        self.fails(1, {"kind": "LayoutShape"}, "layout", LAYOUT, "--shape", "8,32", "--product", "16")
        self.fails(1, {"kind": "LayoutShape"}, "layout", LAYOUT, "--shape", "8,32",
                   "--to", "BlockedLayout([1, 1], [4, 16], [2, 2], [1, 0])")

    def test_info_lists_devices(self):
        out = self.fine("info", fake=True)
        self.assertIn("cuda:0 Fake H100, compute capability 9.0", out)
        self.assertIn("cuda:1 Fake H100", out)
        self.assertIn("cuda:90a", out)
        self.assertIn("hip: no HIP driver: ", out)

    def test_info_lists_amd_devices(self):
        out = self.fine("info", fake="hip")
        self.assertIn("cuda: no CUDA driver: ", out)
        self.assertIn("hip:1 Fake Instinct, gfx942, 192 GiB, driver for HIP 7.1\n", out)
        told = json.loads(self.fine("info", "--format", "json", fake="hip"))
        self.assertIn({"device": "hip:1", "name": "Fake Instinct", "chip": "gfx942",
                       "bytes": 192 << 30, "driver_hip": "7.1"}, told["devices"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--fake-cuda", required=True)
    parser.add_argument("--fake-hip", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=["command_line_test.py", *rest])
