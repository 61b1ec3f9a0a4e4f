#!/usr/bin/env python3
"""Whether kernels with timestamps compute the same as without, and what timelines of launches from Python show, on one GPU.

    PYTHONPATH=PACKAGE python3 timelines.py [--out FILE.json] [--launches 10] [--keep FOLDER]

The attention of examples/hopper_attention, 16 heads of 8192 rows: launches in turns without timestamps and in
`gluonc.trace()`. What timestamps cost is measured by `gluonc run --device cuda --trace FILE --time`, which launches
both many times: between launches from Python the clock changes. Every traced result has to equal the plain one in each
bit, and every timeline to show waits and products of the four CTAs that record. `--keep` takes the last timelines, as
pages. Exit status 1 where something is wrong.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import sys
import tempfile

import gluonc
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/hopper_attention"))
import attention  # noqa: E402

CASES = [("D 128", 128, False), ("D 128, causal", 128, True), ("D 64", 64, False)]
HEADS, ROWS = 16, 8192
WARM_UP = 50
HEAD_START = 2_000_000  # cycles that the host may take to launch


def warm_up(launch):
    """A GPU that waits for the host, which writes a timeline, lowers its clock."""
    for _ in range(WARM_UP):
        launch()


def timed(launch):
    """Microseconds of the kernel alone."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(HEAD_START)
    begin.record()
    launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3


def problems_of(timeline):
    events = [event for event in timeline["traceEvents"] if event["ph"] == "X"]
    problems = []
    for kind in ("CTA", "wait", "product"):
        ctas = {event["pid"] for event in events if event["cat"] == kind}
        if ctas != {0, 1, 2, 3}:
            problems.append(f"{kind}: CTAs {sorted(ctas)}")
    problems += [f"{event['name']} takes {event['dur']} us" for event in events if event["dur"] < 0][:3]
    return problems


def measure(name, d, causal, launches, folder):
    torch.manual_seed(0)
    q, k, v = (torch.randn(HEADS, ROWS, d, device="cuda", dtype=torch.float16) for _ in range(3))
    programs = torch.cuda.get_device_properties(0).multi_processor_count

    def launch(out):
        attention.attend_all(q, k, v, out, d**-0.5, causal, programs)

    plain, traced = (torch.full_like(q, float("nan")) for _ in range(2))
    launch(plain)
    wanted = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)[0]
    problems = [] if torch.allclose(plain, wanted, 1e-2, 1e-2) else ["without timestamps the result is wrong"]
    times = {"plain": [], "traced": []}
    for _ in range(launches):
        warm_up(lambda: launch(plain))
        times["plain"].append(timed(lambda: launch(plain)))
        traced.fill_(float("nan"))
        warm_up(lambda: launch(plain))
        with gluonc.trace(folder / f"{name.replace(', ', '-').replace(' ', '')}.html") as one:
            launch(traced)
        times["traced"].append(one.milliseconds * 1e3)
        if not torch.equal(plain, traced):
            problems.append("with timestamps the result is another one")
    timeline = json.loads(one.timeline)
    problems += problems_of(timeline)
    without, stamped = (statistics.median(times[side]) for side in ("plain", "traced"))
    return {"name": name, "plain_us": without, "traced_us": stamped,
            "spans": len(timeline["traceEvents"]), "what": timeline["otherData"]["what"], "problems": problems}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--launches", type=int, default=10)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for case in CASES:
            results.append(measure(*case, options.launches, folder))
            one = results[-1]
            print(f"{one['name']}: {one['plain_us']:.1f} us, with timestamps {one['traced_us']:.1f} us; "
                  f"{one['spans']} events; {one['problems'] or 'fine'}", flush=True)
    if options.out:
        options.out.write_text(json.dumps({"date": str(datetime.date.today()), "gpu": torch.cuda.get_device_name(),
                                           "launches": options.launches, "results": results}, indent=1) + "\n")
    return any(one["problems"] for one in results)


if __name__ == "__main__":
    sys.exit(main())
