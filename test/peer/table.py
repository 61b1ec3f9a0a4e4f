"""Tables of what run.py found."""

import collections
import json
import re

_OUTCOMES = ("passed", "failed", "unsupported", "skipped")


def counts(run):
    found = collections.Counter(case["outcome"] for case in run.cases.values())
    return {outcome: found[outcome] for outcome in _OUTCOMES}


def groups(run, outcomes=("failed", "unsupported")):
    """[(count, outcome, reason, one test id)], the largest first."""
    found = collections.defaultdict(list)
    for case, result in run.cases.items():
        if result["outcome"] in outcomes:
            found[result["outcome"], result.get("reason", "")].append(case)
    rows = [(len(cases), outcome, reason, cases[0]) for (outcome, reason), cases in found.items()]
    return sorted(rows, key=lambda row: (-row[0], row[1], row[2]))


def one_line(run):
    numbers = ", ".join(f"{count} {outcome}" for outcome, count in counts(run).items() if count)
    return (f"{run.name()} [{run.target}]: {run.collected} collected; {numbers or run.note} "
            f"({run.seconds:.0f} s)")


def as_json(runs, options):
    return json.dumps({"checkout": options.label, "sample": options.sample, "runs": [
        {"file": run.name(), "target": run.target, "collected": run.collected, "note": run.note,
         "cases": run.cases} for run in runs]}, indent=1, sort_keys=True) + "\n"


def _first_missing(run):
    rows = groups(run, ("unsupported",)) or groups(run)
    if not rows:
        return run.note
    count, _, reason, _ = rows[0]
    # Where the checkout lies on this machine says nothing.
    reason = reason.replace(f"{run.path.parents[3]}/", "")
    return f"{reason.replace('|', '/')[:70]} ({count})"


def markdown(runs, options):
    """One table for a checkout: a row per file and target."""
    lines = [f"## {options.label or 'Triton'}", "",
             f"At most {options.sample} case of each test function ran." if options.sample else
             "All cases ran.",
             "Targets where a file skips all of its cases are left out.", ""]
    lines += ["| file | target | collected | ran | passed | failed | unsupported | skipped | "
              "most frequent obstacle |", "|---|---|--:|--:|--:|--:|--:|--:|---|"]
    for run in sorted(runs, key=lambda run: (run.name(), run.target)):
        found = counts(run)
        if found["skipped"] and found["skipped"] == sum(found.values()):
            continue
        lines.append(f"| {run.name()} | {run.target} | {run.collected} | {sum(found.values())} | "
                     + " | ".join(str(found[outcome]) for outcome in _OUTCOMES)
                     + f" | {_first_missing(run)} |")
    total = collections.Counter()
    for run in runs:
        total.update(counts(run))
    lines.append("| all | | " + f"{sum(run.collected for run in runs)} | {sum(total.values())} | "
                 + " | ".join(str(total[outcome]) for outcome in _OUTCOMES) + " | |")
    return "\n".join(lines) + "\n"


def write_markdown(path, runs, options):
    """Puts the table between the marks of its checkout; the rest of the file stays."""
    text = path.read_text() if path.exists() else ""
    label = options.label or "Triton"
    begin, end = f"<!-- begin {label} -->", f"<!-- end {label} -->"
    body = f"{begin}\n{markdown(runs, options)}{end}"
    if begin in text:
        text = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: body, text, flags=re.S)
    else:
        text = text.rstrip("\n") + "\n\n" + body + "\n"
    path.write_text(text)


def write_groups(folder, runs):
    """failures-FILE.txt: what stands in the way, per file and target."""
    folder.mkdir(parents=True, exist_ok=True)
    by_file = collections.defaultdict(list)
    for run in runs:
        by_file[run.name()].append(run)
    for name, of_file in by_file.items():
        with open(folder / f"failures-{name.replace('/', '-')}.txt", "w") as out:
            for run in of_file:
                out.write(one_line(run) + "\n")
                for count, outcome, reason, example in groups(run):
                    out.write(f"  {count:4} {outcome:11} {reason}\n       e.g. {example}\n")
