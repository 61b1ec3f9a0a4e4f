"""Benchmark and perf_report: tables of a measured function over one varying argument."""

import os


class Benchmark:
    """What perf_report measures: `line_vals` of `line_arg` at each of `x_vals`."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args,
                 xlabel="", ylabel="", x_log=False, y_log=False, styles=None):
        self.x_names, self.x_vals = list(x_names), list(x_vals)
        self.line_arg, self.line_vals = line_arg, list(line_vals)
        self.line_names, self.plot_name, self.args = list(line_names), plot_name, dict(args)
        # Of plots, which are not drawn.
        self.xlabel, self.ylabel, self.x_log, self.y_log = xlabel, ylabel, x_log, y_log
        self.styles = styles


class Mark:
    """A function with its benchmarks; run() measures and prints."""

    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        many = isinstance(self.benchmarks, (list, tuple))
        tables = []
        for benchmark in self.benchmarks if many else [self.benchmarks]:
            table = self._measure(benchmark, kwargs)
            tables.append(table)
            if print_data:
                print(f"{benchmark.plot_name}:")
                print(_format(*table))
            if save_path:
                _save(os.path.join(save_path, f"{benchmark.plot_name}.csv"), *table)
        if return_df:
            frames = [_frame(*table) for table in tables]
            return frames if many else frames[0]
        return None

    def _measure(self, benchmark, kwargs):
        unit = f" ({benchmark.ylabel})" if benchmark.ylabel else ""
        head = [*benchmark.x_names, *(name + unit for name in benchmark.line_names)]
        rows = []
        for x in benchmark.x_vals:
            values = list(x) if isinstance(x, (list, tuple)) else [x] * len(benchmark.x_names)
            if len(values) != len(benchmark.x_names):
                raise ValueError(f"{x} has not one value for each of {benchmark.x_names}")
            fixed = {**dict(zip(benchmark.x_names, values)), **benchmark.args, **kwargs}
            row = list(values)
            for line in benchmark.line_vals:
                measured = self.fn(**fixed, **{benchmark.line_arg: line})
                # (middle, lowest, highest), or one number.
                row.append(measured[0] if isinstance(measured, tuple) else measured)
            rows.append(row)
        return head, rows


def perf_report(benchmarks):
    """Decorates a function that measures one point of a benchmark."""
    return lambda fn: Mark(fn, benchmarks)


def _text(value):
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def _format(head, rows):
    cells = [["", *head], *([str(i), *map(_text, row)] for i, row in enumerate(rows))]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths))
                     for line in cells)


def _save(path, head, rows):
    with open(path, "w") as out:
        for row in [head, *rows]:
            out.write(",".join(map(_text, row)) + "\n")


def _frame(head, rows):
    import pandas
    return pandas.DataFrame(rows, columns=head)
