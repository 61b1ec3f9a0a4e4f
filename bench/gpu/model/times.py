#!/usr/bin/env python3
"""Times of triton_kernels/spread.py by gluonc, for predict.py to compare with.

    times.py --out FILE.json [--only REGEX] [--seconds 0.1]
"""

import argparse
import datetime
import json
import pathlib
import re
import sys

import torch

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER))
import sides  # noqa: E402
from triton_language import measure  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.1)
    options = parser.parse_args()
    side = sides.load_own(FOLDER / "triton_kernels", ["spread"])
    rows = {}
    for name, make in side.tutorials["spread"].CASES:
        if not re.search(options.only, name):
            continue
        rows[name] = measure({"gluonc": (side, lambda torch, make=make: (*make(torch)[:2], lambda found: found))},
                             options.seconds)
        print(f"{name:40} {rows[name]['gluonc']}", flush=True)
        report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(), "cases": rows}
        options.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
