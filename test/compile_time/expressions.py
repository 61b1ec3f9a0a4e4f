"""Random expressions of compile-time code, as text that CPython evaluates as well."""

INTEGERS = ["0", "1", "-1", "2", "3", "7", "-7", "10", "15", "25", "255", "(1 << 31)", "-(1 << 31)",
            "(1 << 53)", "((1 << 53) + 1)", "(1 << 63)", "((1 << 64) - 1)", "-(1 << 63)", "(10**20)",
            "(-10**20)", "12345", "True", "False", "(1 << 100)", "((1 << 200) + 1)", "(10**40)", "(2**1023)",
            "(3 * 2**1022)", "(2**1024)", "(-2**1024)"]
FLOATS = ["0.0", "-0.0", "1.0", "0.1", "2.5", "-2.5", "0.5", "1.5", "3.0", "-7.25", "2.675", "1e15",
          "1e16", "1e22", "1e23", "1e-5", "1e-4", "123456789.123", "123456.0", "1e100", "1e308",
          "1.7976931348623157e308", "5e-324", "2.2250738585072014e-308", "9007199254740993.0",
          "1.8446744073709552e19", "float('inf')", "float('-inf')", "float('nan')"]
STRINGS = ["'a'", "'abc'", "''", "'A b'", "'0x10'", "'12'", "' 7 '", "'é'", "'a,b,c'", "'\\n'",
           '"it\'s"', "'1e3'", "'%d'", "'{}'", "'aXbX'", "'日本'", "'x\\t\\x00'", "'1_000'", "'-0x1F'",
           "'inf'", "'\\u2028\\xa0'", "'😀!'", "'+5'", "' -2.5e-3 '"]
LISTS = ["[]", "[1, 2, 3]", "(1, 2)", "(3,)", "[1.5, 2]", "list(range(5))", "range(5)",
         "range(10, 0, -3)", "(1, 2, 3)[::-1]", "[True, 1.0, 1]", "['a', 'é']", "[2**70, -0.0]",
         "range(2, 20, 5)[1:]"]
DIGITS = ["0", "1", "2", "-1", "-2", "5", "20", "-3", "-308", "-309", "323", "30"]
SPECS = ["", "d", "5d", "05d", "+d", "x", "#x", "X", "b", "#010b", "o", "e", "f", "g", ".2f", ".3g",
         "10.3f", "<10", ">10", "^10", "*^10", "s", ".2s", ",", "_", "+.2e", "%", ".1%", "n", "c",
         "08.3f", "=+10", "-5", "z.1f", "G", "E", "#o", "020,", "_b", "10_x", "é<6", "*^010", "#.0f",
         "#g", ".3", ".0f", "0", "03", " d", "+", "015_.3f", "#.3x", ",.2f", "020_x", ".400f", "<05"]
PERCENT = ["%d", "%5d", "%-5d|", "%05d", "%+d", "%x", "%#x", "%X", "%o", "%s", "%10s", "%-4s|", "%.1s",
           "%r", "%a", "%c", "%e", "%.3f", "%g", "%#g", "%G", "%i", "%.3d", "% d", "%05.1f", "%%%d",
           "%d%d", "%08.3e", "%-08d|", "%.10g"]
ORDER = ["<", "<=", "==", "!=", ">", ">="]


class Maker:
    """Each method makes the text of an expression of one kind; `depth` bounds its size."""

    def __init__(self, random):
        self.random = random

    def expression(self):
        kind = self.pick([self.integer, self.real, self.string, self.list, self.boolean, self.string,
                          self.real, self.integer, self.mapping])
        return kind(self.pick([1, 2, 2, 3]))

    def pick(self, choices):
        return self.random.choice(choices)

    def any(self, depth, *kinds):
        return self.pick(kinds)(depth)

    def number(self, depth):
        return self.any(depth, self.integer, self.real)

    def choose(self, depth, leaves, makers):
        """A leaf, or one of the (weight, function of the remaining depth) in `makers`."""
        if depth <= 0 or self.random.random() < 0.22:
            return self.pick(leaves)
        weights = [weight for weight, _ in makers]
        return self.random.choices([make for _, make in makers], weights)[0](depth - 1)

    def integer(self, depth):
        i, f, s, l = self.integer, self.real, self.string, self.list
        return self.choose(depth, INTEGERS, [
            (9, lambda d: f"({i(d)} {self.pick('+ - * // % & | ^'.split())} {i(d)})"),
            (2, lambda d: f"({i(d)} {self.pick(['<<', '>>'])} "
                          f"{self.pick(['0', '1', '3', '31', '64', '70', '-1', '1000', '2**80'])})"),
            (2, lambda d: f"({i(d)} ** {self.pick(['0', '1', '2', '3', '5', '-1', '-2'])})"),
            (2, lambda d: f"{self.pick(['-', '~', '+', 'abs'])}({i(d)})"),
            (2, lambda d: f"int({self.any(d, f, i, s)})"),
            (1, lambda d: f"int({s(d)}, {self.pick(['0', '2', '8', '10', '16', '36'])})"),
            (1, lambda d: f"round({self.number(d)})"),
            (1, lambda d: f"round({i(d)}, {self.pick(DIGITS)})"),
            (1, lambda d: f"{self.pick(['min', 'max'])}({i(d)}, {i(d)})"),
            (1, lambda d: f"divmod({i(d)}, {i(d)})[{self.pick('01')}]"),
            (1, lambda d: f"pow({i(d)}, {self.pick(['0', '1', '2', '7', '10**9'])}, {i(d)})"),
            (1, lambda d: f"len({self.any(d, s, l)})"),
            (1, lambda d: f"math.{self.pick(['gcd', 'lcm'])}({i(d)}, {i(d)})"),
            (1, lambda d: f"math.isqrt(abs({i(d)}))"),
            (1, lambda d: f"math.{self.pick(['floor', 'ceil', 'trunc'])}({self.number(d)})"),
            (1, lambda d: f"({i(d)}).{self.pick(['bit_length', 'bit_count'])}()"),
            (1, lambda d: f"{s(d)}.{self.pick(['count', 'find'])}({s(0)})"),
            (1, lambda d: f"({i(d)} if {self.boolean(d)} else {i(d)})"),
            (1, lambda d: f"ord({s(0)})"),
            (1, lambda d: f"list({l(d)}).{self.pick(['index', 'count'])}({self.number(0)})"),
        ])

    def real(self, depth):
        i, f, s, n = self.integer, self.real, self.string, self.number
        one = ["sqrt", "exp", "log", "log2", "fabs", "sin", "log10", "cos", "tanh"]
        return self.choose(depth, FLOATS, [
            (8, lambda d: f"({f(d)} {self.pick('+ - * / // %'.split())} {n(d)})"),
            (4, lambda d: f"({i(d)} {self.pick('+ - * / // %'.split())} {f(d)})"),
            (3, lambda d: f"({i(d)} / {i(d)})"),
            (2, lambda d: f"({n(d)} ** {self.pick(['2', '0', '-1', '0.5', '3.0', '-2', '70', f(0)])})"),
            (2, lambda d: f"float({self.any(d, i, s, f)})"),
            (2, lambda d: f"round({f(d)}, {self.pick(DIGITS)})"),
            (2, lambda d: f"math.{self.pick(one)}({n(d)})"),
            (1, lambda d: f"{self.pick(['-', 'abs', '+'])}({f(d)})"),
            (1, lambda d: f"{self.pick(['min', 'max'])}({f(d)}, {n(d)})"),
            (1, lambda d: f"math.pow({f(d)}, {n(d)})"),
            (1, lambda d: f"divmod({n(d)}, {f(d)})[{self.pick('01')}]"),
            (1, lambda d: f"({f(d)} if {self.boolean(d)} else {f(d)})"),
        ])

    def string(self, depth):
        i, f, s, l, n = self.integer, self.real, self.string, self.list, self.number
        methods = [lambda: "upper()", lambda: "lower()", lambda: "title()", lambda: "strip()",
                   lambda: f"{self.pick(['strip', 'lstrip', 'rstrip'])}({s(0)})",
                   lambda: f"replace({s(0)}, {s(0)})", lambda: f"join([{s(0)}, {s(0)}])",
                   lambda: f"{self.pick(['ljust', 'rjust', 'center'])}({self.pick('5678')})",
                   lambda: f"center({self.pick('6789')}, 'é')", lambda: "split()[0]",
                   lambda: f"split({s(0)})[-1]",
                   lambda: f"{self.pick(['removeprefix', 'removesuffix'])}({s(0)})",
                   lambda: f"format({self.any(0, i, f, s)})"]
        return self.choose(depth, STRINGS, [
            (2, lambda d: f"({s(d)} + {s(d)})"),
            (1, lambda d: f"({s(d)} * {self.pick(['0', '1', '3', '-1'])})"),
            (2, lambda d: f"{s(d)}[{self.slice()}]"),
            (4, lambda d: f"{s(d)}.{self.pick(methods)()}"),
            (3, lambda d: f"{self.pick(['str', 'repr'])}({self.any(d, i, f, s, l, self.boolean)})"),
            (1, lambda d: f"{self.pick(['hex', 'oct', 'bin'])}({i(d)})"),
            (6, self.formatted),
            (2, lambda d: f"({self.pick(PERCENT)!r} % {self.any(d, i, f, s, self.boolean)})"),
            (1, lambda d: f"({self.pick(PERCENT)!r} % ({n(d)}, {n(d)}))"),
            (2, self.fields),
            (1, lambda d: f"chr({self.pick(['65', '97', '233', '0x1F600', '39', '127', '160', '0xAD'])})"),
        ])

    def formatted(self, depth):
        value = self.any(depth, self.integer, self.real, self.string, self.boolean)
        if self.random.random() < 0.5 or "'" in value or '"' in value or "\\" in value:
            return f'format({value}, "{self.pick(SPECS)}")'
        if self.random.random() < 0.7:
            return 'f"{' + value + ":" + self.pick(SPECS) + '}"'
        return 'f"{' + value + self.pick(["!r", "!s", "!a", "", "=", "!r:>8", "!s:.3"]) + '}"'

    def fields(self, depth):
        pattern = self.pick(["{}-{}", "{0}{0}", "{1:>5}|{0}", "{:{}}", "{!r:^9}{}", "{{}}{}", "{0!a}", "}",
                             "{0:.2f}{1}", "{}{0}", "{", "{:*^7}{}", "a}}b{{c"])
        return (f"{pattern!r}.format({self.any(depth, self.number, self.string)}, "
                f"{self.any(depth, self.number, self.string)})")

    def slice(self):
        bound = lambda: self.pick(["", "0", "1", "2", "-1", "-2", "5", "100", "-100"])
        shape = self.random.random()
        if shape < 0.3:
            return self.pick(["0", "1", "-1", "2", "5", "True"])
        if shape < 0.6:
            return f"{bound()}:{bound()}"
        return f"{bound()}:{bound()}:{self.pick(['', '1', '2', '-1', '-2', '0'])}"

    def list(self, depth):
        i, l, n = self.integer, self.list, self.number
        return self.choose(depth, LISTS, [
            (2, lambda d: f"[{n(d)}, {n(d)}]"),
            (2, lambda d: f"[q {self.pick(['+', '*', '-', '//'])} {i(0)} for q in {l(d)}]"),
            (2, lambda d: f"[q for q in {l(d)} if q {self.pick(['<', '>', '!=', '%'])} {n(0)}]"),
            (2, lambda d: f"sorted({l(d)}{self.pick(['', ', reverse=True', ', key=lambda q: -q'])})"),
            (2, lambda d: f"{l(d)}[{self.pick(['', '1', '-2'])}:{self.pick(['', '2', '-1'])}"
                          f"{self.pick(['', ':2', ':-1'])}]"),
            (1, lambda d: f"list(reversed({l(d)}))"),
            (1, lambda d: f"list(map(lambda q: q + 1, {l(d)}))"),
            (1, lambda d: f"list(filter(lambda q: q > 1, {l(d)}))"),
            (1, lambda d: f"list(enumerate({l(d)}, {i(0)}))"),
            (1, lambda d: f"list(zip({l(d)}, {l(d)}))"),
            (1, lambda d: f"(list({l(d)}) * {self.pick(['0', '2', '-1'])})"),
            (1, lambda d: f"(list({l(d)}) + list({l(d)}))"),
            (1, lambda d: f"list({self.string(d)})"),
        ])

    def mapping(self, depth):
        key = self.pick([lambda: self.number(depth - 1), lambda: self.string(0), lambda: "True"])
        items = ", ".join(f"{key()}: {self.number(0)}" for _ in range(self.pick([1, 2, 3])))
        return self.pick([f"{{{items}}}", f"{{{items}}}.get({key()})", f"len({{{items}}})",
                          f"{key()} in {{{items}}}", f"{{{items}}}[{key()}]",
                          f"len({{{self.number(depth - 1)}, {self.number(depth - 1)}}})"])

    def boolean(self, depth):
        i, f, s, l, b, n = (self.integer, self.real, self.string, self.list, self.boolean, self.number)
        return self.choose(depth, ["True", "False"], [
            (4, lambda d: f"({n(d)} {self.pick(ORDER)} {n(d)})"),
            (2, lambda d: f"({i(d)} {self.pick(ORDER)} {f(d)})"),
            (2, lambda d: f"({s(d)} {self.pick(ORDER + ['in', 'not in'])} {s(d)})"),
            (2, lambda d: f"({l(d)} {self.pick(ORDER[:4])} {l(d)})"),
            (1, lambda d: f"(not {self.any(d, b, n, s, l)})"),
            (2, lambda d: f"({b(d)} {self.pick(['and', 'or', '&', '|', '^', '=='])} {b(d)})"),
            (1, lambda d: f"({n(d)} in {l(d)})"),
            (1, lambda d: f"bool({self.any(d, i, f, s, l)})"),
            (1, lambda d: f"isinstance({self.any(d, i, f, s)}, {self.pick(['int', 'float', 'str', '(int, float)', 'bool'])})"),
            (1, lambda d: f"({n(d)} < {n(d)} <= {n(d)})"),
            (1, lambda d: f"{s(d)}.{self.pick(['startswith', 'endswith'])}({self.pick([s(0), f'({s(0)}, {s(0)})'])})"),
        ])
