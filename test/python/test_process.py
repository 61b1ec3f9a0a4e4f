"""What concerns the whole process: many compilations, many launches, threads, forks, output."""

import os
import subprocess
import sys
import threading

import gluonc
import kernels
import numpy as np
import pytest
from gluonc import language as gl

LAYOUT = gl.BlockedLayout([1], [32], [4], [0])


PATHS = os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)])


def run(text, **environment):
    """A script in a process of its own."""
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PYTHONPATH": PATHS, **environment})


def test_many_kernels_are_compiled_in_order():
    blocks = [128, 256, 512, 1024]
    launches = [(kernels.copy, (gl.float32, gl.float32, 1000, block, LAYOUT)) for block in blocks]
    launches.append((kernels.fill, (gl.int8, 7), {"n": 3, "maxnreg": 64}))
    made = gluonc.compile_many(launches, jobs=3)
    assert [kernel.name for kernel in made] == ["copy"] * 4 + ["fill"]
    assert len(set(made)) == 5 and made[4].metadata.maxnreg == 64
    # A launch finds them.
    assert kernels.copy.warmup(gl.float32, gl.float32, 1000, 256, LAYOUT) is made[1]


def test_one_failure_does_not_lose_the_others():
    launches = [(kernels.wrong, (gl.int32,)), (kernels.fill, (gl.int16, 7, 3))]
    made = gluonc.compile_many(launches, return_exceptions=True)
    assert isinstance(made[0], gluonc.CompilationError) and made[1].name == "fill"
    with pytest.raises(gluonc.CompilationError, match="undefined_name"):
        gluonc.compile_many(launches)


def test_the_bar_shows_on_terminals_only(capsys):
    launches = [(kernels.fill, (gl.float16, value, 3)) for value in (2, 16)]
    gluonc.compile_many(launches)
    assert capsys.readouterr().err == ""


def test_a_sealed_process_names_the_key_that_is_missing():
    done = run("""
import gluonc, kernels, numpy as np
dst = np.zeros(4, np.int32)
kernels.fill[(1,)](dst, 2, 4)
gluonc.seal()
kernels.fill[(1,)](dst, 3, 4)
assert dst[0] == 3
try:
    kernels.fill[(1,)](dst, 2.5, 4)
except gluonc.Unavailable as missing:
    print(missing)
""")
    assert done.returncode == 0, done.stderr
    assert "fill(*i32" in done.stdout and "constexpr(128)" in done.stdout
    key = done.stdout.split("key ")[1].split()[0]
    assert len(key) == 64 and set(key) <= set("0123456789abcdef")


def test_kernels_print_to_sys_stdout(capsys):
    kernels.tell[(3,)](40)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines if "program" in line][::len(lines) // 3] == \
        ["40", "41", "42"]


def test_launches_leave_no_memory_behind():
    done = run("""
import resource, kernels, numpy as np
a = np.zeros(16, np.float32)
def launch(times):
    for i in range(times):
        kernels.nothing[(1,)](a, (a, 2.5, None), 2 + i % 50)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
launch(3000)
print(-launch(1) + launch(30000))
""")
    assert done.returncode == 0, done.stderr
    # KiB. Ten bytes a launch would be 300.
    assert int(done.stdout) < 256


MADE_IN_A_LOOP = """
import gc, os
import numpy as np
from sources import from_text

make = from_text("factory", '''
def make(first):
    first = gl.constexpr(first)
    @gluon.jit
    def inner(out):
        for i in gl.static_range(32):
            gl.store(out + i, first + i)
    return inner
''').make
out = np.zeros(32, np.int32)

def run(begin, end):
    for i in range(begin, end):
        make(1000 * i)[(1,)](out)
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
before = run(0, 200)
print(run(200, 900) - before)
"""


def test_memory_of_kernels_made_in_a_loop_is_given_back():
    done = run(MADE_IN_A_LOOP)
    assert done.returncode == 0, done.stderr
    # KiB; 5,000 as long as one MLIR context saw all of their constants.
    assert int(done.stdout) < 2048


def test_modules_that_are_dropped_take_their_kernels_and_aggregates_along():
    done = run("""
import gc, weakref
import numpy as np
from sources import from_text

TEXT = '''
@gluon.aggregate
class Pair:
    a: gl.tensor
    b: gl.tensor

    @gluon.jit
    def total(self):
        return self.a + self.b

@gluon.jit
def add(out, value: gl.constexpr):
    gl.store(out, Pair(gl.to_tensor(1), gl.to_tensor(2)).total() + value)
'''

def launched(value):
    made, out = from_text(f"module{value}", TEXT), np.zeros(1, np.int32)
    made.add[(1,)](out, value)
    assert out[0] == 3 + value
    return weakref.ref(made.Pair), weakref.ref(made.add)

left = [each for value in range(5) for each in launched(value)]
gc.collect()
print(sum(each() is not None for each in left))
""")
    assert done.stdout == "0\n", done.stdout + done.stderr


def test_threads_compile_and_launch_at_once():
    failures = []

    def work(i):
        try:
            dst = np.zeros(256, np.int32)
            for value in range(2, 12):
                kernels.fill[(2,)](dst, value * 16 + i, 256, num_warps=4)
                assert (dst == value * 16 + i).all()
        except BaseException as problem:
            failures.append(problem)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_forked_process_simulates_on():
    done = run("""
import os, kernels, numpy as np
dst = np.zeros(4, np.int32)
kernels.fill[(1,)](dst, 2, 4)
child = os.fork()
kernels.fill[(1,)](dst, 30, 4)
kernels.fill[(1,)](dst, 2.0, 4)
assert dst[0] == 2
if child:
    assert os.waitpid(child, 0)[1] == 0
    print("both")
""")
    assert done.stdout == "both\n", done.stderr


FORKS = """
import os, signal, sys, threading, time
import kernels, numpy as np

def work(value):
    dst = np.zeros(128, np.int32)
    # A compile-time value: each is another kernel.
    kernels.positions[(1,)](dst, 5, STEP=value)
    assert np.array_equal(dst, np.arange(128) * value + 5)

def keep_busy(seed):
    value = seed
    while not done.is_set():
        value += 4
        work(value)

def in_child(value):
    child = os.fork()
    if not child:
        signal.alarm(20)
        try:
            workers = [threading.Thread(target=work, args=(value + i,)) for i in range(2)]
            [worker.start() for worker in workers]
            work(value)
            [worker.join() for worker in workers]
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

done = threading.Event()
threads = [threading.Thread(target=keep_busy, args=(seed,)) for seed in (1, 2, 3)]
[thread.start() for thread in threads]
codes = []
for i in range(25):
    time.sleep(0.01)
    codes.append(in_child(-1000 - 10 * i))
done.set()
[thread.join() for thread in threads]
print(codes)
"""


def test_processes_forked_while_threads_compile_compile_and_launch():
    done = run(FORKS)
    assert done.stdout == f"{[0] * 25}\n", done.stderr


POOLS = """
import multiprocessing, sys
from concurrent.futures import ThreadPoolExecutor
import kernels, numpy as np

def work(value):
    dst = np.zeros(128, np.int32)
    kernels.positions[(1,)](dst, 5, STEP=value)
    return int(dst[1])

def work_in_threads(values):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, values))

if __name__ == "__main__":
    # As a loader of data has them: threads of the parent, processes, threads in those.
    with ThreadPoolExecutor(2) as pool:
        own = pool.map(work, range(2, 20))
        with multiprocessing.get_context(sys.argv[1]).Pool(2) as processes:
            print(processes.map(work_in_threads, [[2, 3], [4, 5], [6, 7]]))
        print(list(own) == [value + 5 for value in range(2, 20)])
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes_and_threads_work_together(method, tmp_path):
    # A file: processes that are spawned read it again.
    script = tmp_path / "pools.py"
    script.write_text(POOLS)
    done = subprocess.run([sys.executable, str(script), method], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PYTHONPATH": PATHS})
    assert done.stdout == "[[7, 8], [9, 10], [11, 12]]\nTrue\n", done.stderr


CTRL_C = """
import os, signal, threading, time
import kernels, long_kernels, numpy as np
dst = np.zeros(64, np.int32)

def elapsed():
    '''Seconds, without those in which the main thread could run but others had the processors.'''
    try:
        with open(f"/proc/self/task/{os.getpid()}/schedstat", encoding="ascii") as file:
            waited = int(file.read().split()[1]) / 1e9
    except OSError:
        waited = 0
    return time.monotonic() - waited

def interrupt():
    global sent
    sent = elapsed()
    os.kill(os.getpid(), signal.SIGINT)

def wait(launch):
    '''Seconds from the signal to the exception.'''
    threading.Timer(0.5, interrupt).start()
    try:
        launch()
    except KeyboardInterrupt:
        return elapsed() - sent
    raise SystemExit("the launch came to an end")

launches = {
    "branches": lambda: kernels.forever[(64,)](dst),
    "compiled": lambda: kernels.forever.warmup(dst)[(1,)](dst),
    "products": lambda: long_kernels.multiply[(4,)](dst, 1 << 30),
    "partitions": lambda: long_kernels.talk[(4,)](dst, 1 << 30),
}
for name, launch in launches.items():
    seconds = []
    # The other threads of a launch may have to wait for processors, too.
    while len(seconds) < 20 and min(seconds, default=1) >= 0.2:
        seconds.append(wait(launch))
    print(name, min(seconds) < 0.2)
    if min(seconds) >= 0.2:
        print(seconds)
kernels.fill[(1,)](dst, 7, 64)
print((dst == 7).all())
"""


def test_ctrl_c_ends_a_simulated_launch_within_a_fifth_of_a_second():
    done = run(CTRL_C)
    assert done.stdout.split() == ["branches", "True", "compiled", "True", "products", "True",
                                   "partitions", "True", "True"], done.stdout + done.stderr


CTRL_C_COMPILING = """
import os, signal, threading, time
import gluonc, kernels, long_kernels

def wait(make):
    '''Seconds from the signal to the exception.'''
    sent = []
    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.5, interrupt).start()
    try:
        make()
    except KeyboardInterrupt:
        return time.monotonic() - sent[0]
    raise SystemExit("the compilation came to an end")

def unrolled(count):
    source = gluonc.ASTSource(long_kernels.unrolled, {"dst": "*i32"}, {"count": count})
    return lambda: gluonc.compile(source, target="cuda:90")

dtype = gluonc.language.int32
many = [(long_kernels.unrolled, (dtype, count)) for count in range(1 << 20, (1 << 20) + 100)]
# All of that would take minutes, or hours.
for make in (unrolled(1 << 20), unrolled(1), lambda: long_kernels.unrolled.warmup(dtype, 1 << 20),
             lambda: gluonc.compile_many(many, jobs=2)):
    print(wait(make) < 10)
"""


def test_ctrl_c_ends_a_compilation_and_its_assembler(tmp_path):
    ptxas = tmp_path / "ptxas"
    ptxas.write_text("#!/bin/sh\nexec sleep 1000\n")
    ptxas.chmod(0o755)
    done = run(CTRL_C_COMPILING, GLUONC_PTXAS=str(ptxas))
    assert done.stdout.split() == ["True"] * 4, done.stdout + done.stderr


ENDLESS = """
import gluonc, kernels, numpy as np
try:
    kernels.forever[(1,)](np.zeros(64, np.int32))
except gluonc.KernelFault as error:
    print(error.diagnostics[0]["kind"], error.diagnostics[0]["message"])
"""


def test_when_a_loop_counts_as_endless_can_be_set():
    done = run(ENDLESS, GLUONC_MAX_BRANCHES="1000")
    assert done.stdout == ("BranchLimitReached the program has executed 1000 branches without "
                           "coming to an end\n"), done.stderr


EXECUTED = """
import gluonc, kernels, numpy as np
from gluonc import language as gl
layout = gl.BlockedLayout([1], [32], [4], [0])
src, dst = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
kernels.copy[(8,)](src, dst, 1000, 128, layout)
print(np.array_equal(dst, src))
kernels.copy[(0,)](src, dst, 1000, 128, layout)
try:
    kernels.copy[(9,)](src, dst, 1100, 128, layout)
except gluonc.KernelFault as error:
    print(error.diagnostics[0]["kind"], "PTX line" in error.diagnostics[0]["message"])
"""


def test_simulated_launches_execute_ptx_where_that_is_asked():
    done = run(EXECUTED, GLUONC_EXECUTE_PTX="1", GLUONC_SIMULATE="cuda:100a")
    assert done.stdout == "True\nDeviceFault True\n", done.stderr
    # The same as IR.
    done = run(EXECUTED, GLUONC_EXECUTE_PTX="0", GLUONC_SIMULATE="cuda:100a")
    assert done.stdout == "True\nOutOfBoundsAccess False\n", done.stderr


def test_a_cache_that_cannot_be_written_is_told_once():
    done = run("""
import gluonc, kernels
source = gluonc.ASTSource(kernels.fill, {"dst": "*fp32", "value": "i32", "n": "i32"})
for target in ("cuda:80", "cuda:90", "cuda:80"):
    assert "fill" in gluonc.compile(source, target=target).asm["ptx"]
""", GLUONC_CACHE_DIR="/proc/no-cache")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "" and done.stderr.count("warning") == 1, done.stderr
    assert "not kept in the cache: cannot write /proc/no-cache/" in done.stderr


INTERNAL = """
import ctypes, os, sys
import gluonc, kernels, numpy as np
from gluonc import language as gl

maps = open("/proc/self/maps").read()
path = next(line.split()[-1] for line in maps.splitlines() if "libgluonc.so" in line)
plant = ctypes.CDLL(path).gluonc_plant_internal_error

dst = np.zeros(64, np.int32)
for stage, work in {
        b"sema": lambda: kernels.fill[(1,)](dst, 2, 64),
        b"transform": lambda: kernels.fill[(1,)](dst, 2.5, 64),
        b"codegen": lambda: kernels.fill.warmup(gl.float32, 2.5, 64).asm["ptx"],
        b"simulate": lambda: kernels.fill[(8,)](dst, 3, 64)}.items():
    plant(stage)
    try:
        work()
    except gluonc.InternalError as error:
        assert "kernels.py:" in str(error) and "planted by a test" in str(error), str(error)
        assert error.diagnostics[0]["kind"] == "InternalError"
        with open(os.path.join(sys.argv[1], stage.decode() + ".py"), "w") as file:
            file.write(error.reproducer)
        print(stage.decode())
    work()
    kernels.fill[(1,)](dst, 9, 64)
    assert (dst == 9).all()
"""


def test_a_bug_of_the_compiler_is_an_exception_with_a_file_that_shows_it(tmp_path):
    done = run(f"import sys; sys.argv[1:] = [{str(tmp_path)!r}]\n{INTERNAL}")
    assert done.stdout.split() == ["sema", "transform", "codegen", "simulate"], done.stderr
    lines = (tmp_path / "sema.py").read_text().splitlines()
    assert "planted by a test" in lines[0]
    assert "gluonc compile" in lines[1] and "kernels.py::fill 'dst=*i32:16' 'value=i32'" in lines[1]
    with open(kernels.__file__, encoding="utf-8") as file:
        assert lines[2:] == file.read().splitlines()


CACHED = """
import sys
import gluonc, numpy as np
import kernels
from gluonc._engine import engine

# As a launch on a GPU, up to where one is needed.
class Compiled(gluonc.JITFunction):
    def _compile(self, specs, options, device, values, is_warmup):
        print(engine().make(self._specialization(specs, options), "cuda:90a", False).key())
        raise SystemExit

kernels.SCALE = gluonc.constexpr(int(sys.argv[2]))
if sys.argv[1] == "sealed":
    gluonc.seal()
scale = Compiled(kernels.scale.fn)
scale.warmup(np.zeros(128, np.float32), None, True, gluonc.language.float32, "double")
"""


def test_the_cache_serves_other_processes(tmp_path):
    def keep(*arguments):
        return run(f"import sys; sys.argv[1:] = {arguments}\n{CACHED}",
                   GLUONC_CACHE_DIR=str(tmp_path))
    first = keep("open", "3")
    assert first.returncode == 0 and len(first.stdout) == 65, first.stderr
    assert keep("sealed", "3").stdout == first.stdout
    # What a name is bound to counts.
    changed = keep("sealed", "5")
    assert changed.returncode == 1 and "sealed: the cache has no machine code" in changed.stderr
