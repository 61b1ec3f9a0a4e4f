#!/usr/bin/env python3
"""Tables of what run.py found.

    table.py JSON… --markdown FILE

puts what several runs wrote as JSON into one table for each label; of a file and target that are in
more than one, the last counts.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

# What one file did on one target; `cases` maps test ids to outcomes.
Result = collections.namedtuple("Result", "file target collected note cases seconds")

_OUTCOMES = ("passed", "worded", "failed", "unsupported", "skipped")


def counts(result):
    found = collections.Counter(case["outcome"] for case in result.cases.values())
    return {outcome: found[outcome] for outcome in _OUTCOMES}


def groups(result, outcomes=("failed", "unsupported")):
    """[(count, outcome, reason, one test id)], the largest first."""
    found = collections.defaultdict(list)
    for case, ended in result.cases.items():
        if ended["outcome"] in outcomes:
            found[ended["outcome"], ended.get("reason", "")].append(case)
    rows = [(len(cases), outcome, reason, cases[0]) for (outcome, reason), cases in found.items()]
    return sorted(rows, key=lambda row: (-row[0], row[1], row[2]))


def one_line(result):
    numbers = ", ".join(f"{count} {outcome}" for outcome, count in counts(result).items() if count)
    return (f"{result.file} [{result.target}]: {result.collected} collected; "
            f"{numbers or result.note} ({result.seconds:.0f} s)")


def as_json(results, label, sample):
    return json.dumps({"checkout": label, "sample": sample,
                       "runs": [result._asdict() for result in results]},
                      indent=1, sort_keys=True) + "\n"


def _first_missing(result):
    rows = groups(result, ("unsupported",)) or groups(result)
    if not rows:
        return result.note
    count, _, reason, _ = rows[0]
    return f"{reason.replace('|', '/')[:70]} ({count})"


def markdown(results, label, sample):
    """One table for a checkout: a row per file and target."""
    lines = [f"## {label}", "",
             f"At most {sample} case of each test function ran." if sample else
             "All cases ran.",
             "Targets where a file skips all of its cases are left out.", ""]
    lines += ["| file | target | collected | ran | passed | worded | failed | unsupported | skipped | "
              "most frequent obstacle |", "|---|---|--:|--:|--:|--:|--:|--:|--:|---|"]
    for result in sorted(results, key=lambda result: (result.file, result.target)):
        found = counts(result)
        if found["skipped"] and found["skipped"] == sum(found.values()):
            continue
        lines.append(f"| {result.file} | {result.target} | {result.collected} | "
                     f"{sum(found.values())} | "
                     + " | ".join(str(found[outcome]) for outcome in _OUTCOMES)
                     + f" | {_first_missing(result)} |")
    total = collections.Counter()
    for result in results:
        total.update(counts(result))
    lines.append("| all | | "
                 f"{sum(result.collected for result in results)} | {sum(total.values())} | "
                 + " | ".join(str(total[outcome]) for outcome in _OUTCOMES) + " | |")
    return "\n".join(lines) + "\n"


def write_markdown(path, results, label, sample):
    """Puts the table between the marks of its checkout; the rest of the file stays."""
    text = path.read_text() if path.exists() else ""
    begin, end = f"<!-- begin {label} -->", f"<!-- end {label} -->"
    body = f"{begin}\n{markdown(results, label, sample)}{end}"
    if begin in text:
        text = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: body, text, flags=re.S)
    else:
        text = text.rstrip("\n") + "\n\n" + body + "\n"
    path.write_text(text)


def functions(results):
    """One table: a row for each test function, with the most frequent reason why cases fail."""
    lines = ["| function | target | passed | worded | failed | unsupported | skipped | most frequent obstacle |",
             "|---|---|--:|--:|--:|--:|--:|---|"]
    for result in results:
        of_function = collections.defaultdict(dict)
        for case, ended in result.cases.items():
            of_function[case.partition("[")[0].rpartition("::")[2]][case] = ended
        for name, cases in of_function.items():
            part = result._replace(cases=cases, note="")
            lines.append(f"| {pathlib.PurePath(result.file).stem}::{name} | {result.target} | "
                         + " | ".join(str(count) for count in counts(part).values())
                         + f" | {_first_missing(part)} |")
    return "\n".join(lines) + "\n"


def write_groups(folder, results):
    """failures-FILE.txt: what stands in the way, per file and target."""
    folder.mkdir(parents=True, exist_ok=True)
    by_file = collections.defaultdict(list)
    for result in results:
        by_file[result.file].append(result)
    for name, of_file in by_file.items():
        with open(folder / f"failures-{name.replace('/', '-')}.txt", "w") as out:
            for result in of_file:
                out.write(one_line(result) + "\n")
                for count, outcome, reason, example in groups(result):
                    out.write(f"  {count:4} {outcome:11} {reason}\n       e.g. {example}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("json", nargs="+", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path, required=True)
    options = parser.parse_args()
    results, samples = collections.defaultdict(dict), collections.defaultdict(int)
    for path in options.json:
        written = json.loads(path.read_text())
        label = written["checkout"]
        samples[label] = max(samples[label], written["sample"])
        for run in written["runs"]:
            results[label][run["file"], run["target"]] = Result(**run)
    for label, of_label in results.items():
        write_markdown(options.markdown, list(of_label.values()), label, samples[label])
    return 0


if __name__ == "__main__":
    sys.exit(main())
