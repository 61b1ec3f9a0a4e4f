"""triton.profiler: what is recorded of launches and scopes, and how viewers show it."""

import json
import sys
from types import SimpleNamespace

import kernels
import gluonc
import numpy as np
import pytest
from gluonc import _native, hooks
from gluonc._triton import profiler as proton
from gluonc._triton.profiler import viewer
from gluonc.errors import NotSupportedYet, UsageError


def described(grid, metadata, arguments):
    return {"name": f"fill n={arguments['n']}", "flops32": 1.0 * arguments["n"],
            "bytes": 4 * arguments["n"], "unknown": 7}


fill = gluonc.jit(kernels.fill.fn, launch_metadata=described)


def launch(n=100):
    fill[(2,)](np.zeros(n, np.int32), 7, n)


@pytest.fixture
def name(tmp_path):
    """What a session is called; none is left after the test."""
    yield str(tmp_path / "profile")
    proton.finalize()
    assert not hooks.launch_enter and not hooks.launch_exit


def finished(name):
    """(frames, devices) that were written."""
    proton.finalize()
    return json.load(open(name + ".hatchet"))


def names(frame):
    """A tree of names."""
    return {child["frame"]["name"]: names(child) for child in frame["children"]}


def test_launches_are_frames_in_scopes(name):
    proton.start(name)
    with proton.scope("outer"):
        launch()
        with proton.scope("inner"):
            launch()
            launch()
    root, devices = finished(name)
    assert names(root) == {"outer": {"fill": {}, "inner": {"fill": {}}}}
    metrics = root["children"][0]["children"][1]["children"][0]["metrics"]
    assert metrics["count"] == 2 and metrics["time (ns)"] > 0
    assert metrics["device_type"] == "CUDA" and devices["CUDA"][metrics["device_id"]]["arch"]
    assert set(metrics) == {"count", "time (ns)", "device_id", "device_type"}
    # By these viewers know what adds up.
    assert root["metrics"] == {"count": 0, "time (ns)": 0}


def test_launch_metadata_names_and_measures_a_launch(name):
    proton.start(name, hook="triton")
    launch(100)
    launch(100)
    launch(50)
    root, _ = finished(name)
    assert names(root) == {"fill n=100": {}, "fill n=50": {}}
    metrics = root["children"][0]["metrics"]
    assert (metrics["flops32"], metrics["bytes"], metrics["count"]) == (200.0, 800, 2)
    assert "unknown" not in metrics


def test_launch_metadata_is_asked_for_by_a_hook_alone(name):
    silent = gluonc.jit(kernels.fill.fn, launch_metadata=lambda *_: 1 / 0)
    proton.start(name)
    silent[(1,)](np.zeros(4, np.int32), 7, 4)
    assert names(finished(name)[0]) == {"fill": {}}


def test_only_active_sessions_record(name):
    session = proton.start(name)
    other = proton.start(name + "2")
    proton.deactivate(session)
    launch()
    assert names(proton.get_data(session)[0]) == {}
    with pytest.raises(RuntimeError, match="session is active"):
        proton.get_data(other)
    proton.activate()
    launch()
    proton.deactivate()
    assert proton.get_data(session)[0]["children"][0]["metrics"]["count"] == 1
    assert proton.get_data(other)[0]["children"][0]["metrics"]["count"] == 2
    proton.clear_data(other)
    assert names(proton.get_data(other)[0]) == {}
    assert proton.start(name) == session
    with pytest.raises(RuntimeError, match="has not been initialized: 99"):
        proton.activate(99)


def test_a_launch_that_fails_has_no_time(name):
    proton.start(name)
    with pytest.raises(gluonc.KernelFault):
        fill[(2,)](np.zeros(10, np.int32), 7, 1000)
    launch()
    assert finished(name)[0]["children"][0]["metrics"]["count"] == 1


def test_metrics_of_scopes_add_up(name):
    proton.start(name)
    for _ in range(2):
        with proton.scope("a", {"x": 2.0, "y (exc)": 1, "z (pty)": 5}):
            pass
    proton.enter_scope("b", metrics={"x": 1})
    proton.exit_scope("b", metrics={"w": 3})
    root, _ = finished(name)
    assert root["children"][0]["metrics"] == {"x": 4.0, "y": 2, "z": 5}
    assert root["children"][1]["metrics"] == {"x": 1, "w": 3}
    assert root["metrics"] == {"x": 0, "w": 0}


def test_what_other_libraries_do_takes_the_time_of_its_scope(name):
    proton.start(name)
    with proton.scope("ours", {"flops32": 1e3}):
        launch()
    with proton.scope("theirs", {"flops32": 1e3}):
        with proton.scope("inside", {"bytes": 3}):
            np.zeros(1000).sum()
    with proton.scope("no work", {"x": 1}):
        pass
    root, _ = finished(name)
    ours, theirs, neither = root["children"]
    assert "time (ns)" not in ours["metrics"] and "time (ns)" not in theirs["metrics"]
    assert ours["children"][0]["metrics"]["count"] == 1
    assert theirs["children"][0]["metrics"]["time (ns)"] > 0
    assert set(neither["metrics"]) == {"x"}


def test_a_gpu_is_timed_by_events_of_its_stream(name, monkeypatch):
    """With a PyTorch and a GPU that only say that they are there."""
    now = iter([1.0, 3.5])

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            self.at = next(now)

        def synchronize(self):
            self.is_over = True

        def elapsed_time(self, end):
            assert end.is_over
            return end.at - self.at

    cuda = SimpleNamespace(Event=Event, is_available=lambda: True,
                           is_current_stream_capturing=lambda: False,
                           get_device_properties=lambda index: SimpleNamespace(
                               clock_rate=7, multi_processor_count=132))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    monkeypatch.setattr("gluonc._compiled.current_device", lambda: 1)
    monkeypatch.setattr("gluonc._engine.gpu_target", lambda index: "cuda:90a")
    proton.start(name)
    with proton.scope("a", {"bytes": 1}):
        pass
    root, devices = finished(name)
    assert root["children"][0]["metrics"]["time (ns)"] == 2500000
    assert devices == {"CUDA": {"1": {"arch": "90", "clock_rate": 7, "memory_clock_rate": 0,
                                      "bus_width": 0, "num_sms": 132}}}


def test_scopes_decorate_and_are_counted(name):
    assert proton.enter_scope("ignored") is None and proton.exit_scope() is None
    assert proton.context.depth() is None
    session = proton.start(name)

    @proton.scope("f")
    def recurse(n):
        return recurse(n - 1) if n else proton.context.depth(session)
    assert recurse(2) == 3 and proton.context.depth(session) == 0
    proton.enter_scope("a")
    with pytest.raises(ValueError, match="mismatch: b != a"):
        proton.exit_scope("b")
    proton.exit_scope()
    with pytest.raises(RuntimeError, match="outside"):
        proton.exit_scope()


def test_the_time_of_the_host_stays_with_its_scope(name):
    proton.start(name)
    with proton.cpu_timed_scope("a"), proton.cpu_timed_scope("b"):
        launch()
    root, _ = finished(name)
    outer = root["children"][0]
    assert outer["metrics"]["cpu_time (ns)"] > outer["children"][0]["metrics"]["cpu_time (ns)"] > 0
    assert "cpu_time (ns)" not in root["metrics"]
    with pytest.raises(ValueError, match="reserved"):
        proton.cpu_timed_scope("a", {"cpu_time": 1})


def test_states_stand_around_what_is_launched(name):
    proton.start(name)
    with proton.state("warm"), proton.scope("a"):
        launch()
        with proton.state("hot"):
            launch()
    assert names(finished(name)[0]) == {"a": {"warm": {"fill": {}}, "hot": {"fill": {}}}}
    proton.start(name)

    @proton.metadata_state()
    def hidden():
        launch()
    hidden()
    launch()
    proton.finalize()
    tree, _ = viewer.parse(["count"], name + ".hatchet")
    assert [frame.name for frame in tree.frames()] == ["ROOT", "fill"]


def test_calls_are_frames_of_a_python_context(name):
    proton.start(name, context="python")
    launch()
    frame = finished(name)[0]
    while frame["children"][0]["children"]:
        frame = frame["children"][0]
    assert frame["frame"]["name"].startswith(f"{__file__}:") and \
        frame["frame"]["name"].endswith("@launch")


def test_a_decorated_function_is_a_session(tmp_path, name):
    @proton.profile(name=name, hook="triton")
    def work(n):
        launch(n)
        return n
    assert work(3) == 3
    launch(4)
    assert names(finished(name)[0]) == {"fill n=3": {}}


def test_the_environment_disables_it(name, monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_PROTON_DISABLE", "1")
    assert proton.start(name) is None
    proton.deactivate(0)
    launch()
    proton.finalize()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("setting", [{"data": "trace"}, {"mode": "pcsampling"}, {"context": "shell"},
                                     {"backend": "instrumentation"}, {"hook": "torch"}])
def test_what_is_not_recorded_is_refused(name, setting):
    with pytest.raises(NotSupportedYet, match="triton.profiler.start"):
        proton.start(name, **setting)


def test_times_that_are_left_open_are_read_in_turns(name, monkeypatch):
    monkeypatch.setattr(proton._sessions, "_OPEN", 8)
    session = proton.start(name)
    for _ in range(20):
        launch()
    assert len(proton._sessions.find(session)._open) < 8
    assert finished(name)[0]["children"][0]["metrics"]["count"] == 20


# -- The viewer -----------------------------------------------------------------------------

def frame(name, metrics, *children):
    return {"frame": {"name": name, "type": "function"}, "metrics": metrics,
            "children": list(children)}


def kernel(name, time, flops, count=1):
    return frame(name, {"time (ns)": time, "count": count, "flops16": flops, "bytes": 2 * flops,
                        "device_id": "0", "device_type": "CUDA"})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.hatchet"
    root = frame("ROOT", {"time (ns)": 0, "count": 0, "flops16": 0, "bytes": 0},
                 frame("scope", {"cpu_time (ns)": 9000}, kernel("a", 2000, 4e9, 2),
                       kernel("b", 1000, 1e9)),
                 frame("empty", {}), frame("__proton_launch_metadata", {}, kernel("c", 1, 1)),
                 kernel("/x/y.py:7@d", 1000, 0))
    path.write_text(json.dumps([root, {"CUDA": {"0": {"arch": "90"}}}]))
    return str(path)


@pytest.mark.parametrize("metric, name, values", [
    ("time/us", "time/us (inc)", [4, 3, 2, 1, 1]),
    ("avg_time/ns", "avg_time/ns (inc)", [1000, 1000, 1000, 1000, 1000]),
    ("cpu_time/us", "cpu_time/us (inc)", [0, 9, 0, 0, 0]),
    ("tflop16/s", "tflop16/s (inc)", [1250, 5000 / 3, 2000, 1000, 0]),
    ("gbyte/s", "gbyte/s (inc)", [2.5e6, 1e7 / 3, 4e6, 2e6, 0]),
    ("time/%", "time/% (inc)", [100, 75, 50, 25, 25]),
    ("count", "count (inc)", [4, 3, 2, 1, 1]),
    ("device_id", "device_id", [None, None, "0", "0", "0"])])
def test_metrics_are_derived_from_those_of_the_file(file, metric, name, values):
    tree, shown = viewer.parse([metric], file)
    assert shown == [name]
    assert [each.shown[name] for each in tree.frames()] == pytest.approx(values)


@pytest.mark.parametrize("arguments, names", [
    ({"include": "b"}, ["ROOT", "scope", "b"]),
    ({"include": "sc.*"}, ["ROOT", "scope", "a", "b"]),
    ({"exclude": "scope"}, ["ROOT", "/x/y.py:7@d"]),
    ({"threshold": 1.5}, ["ROOT", "scope", "a"])])
def test_frames_are_filtered(file, arguments, names):
    tree, _ = viewer.parse(["time/us"], file, **arguments)
    assert [each.name for each in tree.frames()] == names


def test_a_tree_is_printed(file, capsys):
    viewer.print_tree(*viewer.parse(["tflop16/s", "time/us"], file), format="function_line",
                      print_sorted=True)
    assert capsys.readouterr().out.splitlines() == [
        "tflop16/s (inc)  time/us (inc)", "1250.000 4.000 ROOT", "├─ 1666.667 3.000 scope",
        "│  ├─ 2000.000 2.000 a", "│  └─ 1000.000 1.000 b", "└─ 0.000 1.000 7@d",
        "Sorted kernels by metric tflop16/s (inc)", "a  2000.000", "scope  1666.667", "b  1000.000",
        "/x/y.py:7@d  0.000"]
    viewer.main(["-m", "time/us", "-d", "0", file])
    assert capsys.readouterr().out == "time/us (inc)\n4.000 ROOT\n"
    viewer.main(["-l", file])
    assert "- flops16\n" in capsys.readouterr().out


@pytest.mark.parametrize("metric, reason", [("flop8/s", "no metric flops8; there are time"),
                                            ("time/h", "unit h")])
def test_what_a_file_does_not_have_is_refused(file, metric, reason):
    with pytest.raises(UsageError, match=reason):
        viewer.parse([metric], file)
