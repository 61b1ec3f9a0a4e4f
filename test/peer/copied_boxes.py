"""Which boxes the copies of tensors in PTX move, beside the first of their block.

A block wider than a swizzle, or longer than 256, is copied as several boxes, by one warp after the other or by each of
several warps. Where a block lies is known to the kernel alone; how its boxes lie to each other is known from the PTX:
registers are followed as sums of what is unknown and a constant, for a thread of each warp, which branches by its number.
"""

import collections
import re

WARP = 32
LINE = re.compile(r"(?:@(!?)([%\w]+)\s+)?([\w.:]+)\s+(.*)")
COPY = re.compile(r"cp\.(?:reduce\.)?async\.bulk\.tensor\.")
JUMP = {"bra", "bra.uni"}


class Sum:
    """`terms` registers of unknown value, each as often as it says, and a constant."""

    def __init__(self, constant=0, terms=()):
        self.constant = constant
        self.terms = {name: count for name, count in dict(terms).items() if count}

    def plus(self, other, times=1):
        terms = collections.Counter(self.terms)
        for name, count in other.terms.items():
            terms[name] += times * count
        return Sum(self.constant + times * other.constant, terms)

    def unknown(self):
        return tuple(sorted(self.terms.items()))

    def times(self, factor):
        return Sum(self.constant * factor, {name: count * factor for name, count in self.terms.items()})


# Of constants.
PLAIN = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shr": lambda a, b: a >> b,
         "rem": lambda a, b: a % b, "div": lambda a, b: a // b, "min": min, "max": max}
COMPARED = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
            "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lo": lambda a, b: a < b, "ls": lambda a, b: a <= b,
            "hi": lambda a, b: a > b, "hs": lambda a, b: a >= b}


class Thread:
    """The first thread of a warp, in a kernel given as lines."""

    def __init__(self, lines, definitions, warp):
        self.lines, self.definitions, self.warp, self.known = lines, definitions, warp, {}

    def value(self, operand):
        operand = operand.strip()
        if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", operand):
            return Sum(int(operand, 0))
        if operand == "%tid.x":
            return Sum(self.warp * WARP)
        if operand in ("%laneid", "%tid.y", "%tid.z"):
            return Sum()
        if operand not in self.known:
            # What is asked for meanwhile goes round in a circle.
            self.known[operand] = Sum(0, {operand: 1})
            places = self.definitions.get(operand)
            # Names inside of blocks of assembly come again, and blocks are doubled.
            if places and len({re.sub(r"^elect.*", "elect", self.lines[place]) for place in places}) == 1:
                self.known[operand] = self.made(operand, self.lines[places[0]]) or self.known[operand]
        return self.known[operand]

    def told(self, operand):
        value = self.value(operand)
        return value.unknown(), value.constant

    def made(self, target, line):
        """What the instruction gives; None where that is unknown."""
        guard, _, name, rest = LINE.fullmatch(line).groups()[0:4]
        words = name.split(".")
        # Only what a guard lets by would be known.
        if line.startswith("@") or guard:
            return None
        if words[0] == "elect":
            return Sum(1) if rest.split(",")[0].strip().endswith(target) else None
        values = [self.value(each) for each in re.split(r",\s*", rest)[1:]]
        plain = [each.constant for each in values if not each.terms]
        allPlain = len(plain) == len(values)
        if words[0] in ("mov", "cvt", "shfl"):
            return values[0]
        # Of coordinates bits are set where none are, which is to add.
        if words[0] == "add" or words[0] == "or" and words[1] != "pred" and not allPlain:
            return values[0].plus(values[1])
        if words[0] == "sub":
            return values[0].plus(values[1], -1)
        if words[0] == "shl" and not values[1].terms:
            return values[0].times(1 << values[1].constant)
        if words[0] in ("mul", "mad") and words[1] in ("lo", "wide"):
            factor = next((i for i in (1, 0) if not values[i].terms), None)
            if factor is None:
                return None
            product = values[1 - factor].times(values[factor].constant)
            return product.plus(values[2]) if words[0] == "mad" else product
        if words[0] == "setp" and allPlain:
            held = COMPARED[words[1]](*plain[:2])
            return Sum(int(held and bool(plain[2]) if len(plain) > 2 else held))
        if name == "and.pred" and any(each == 0 for each in plain):
            return Sum()
        if words[0] == "not" and words[1] == "pred" and allPlain:
            return Sum(1 - plain[0])
        if words[0] == "selp" and not values[2].terms:
            return values[0] if values[2].constant else values[1]
        if words[0] in PLAIN and allPlain:
            return Sum(PLAIN[words[0]](*plain))
        return None

    def holds(self, negated, predicate):
        """Whether a guard lets the thread by; None where nobody knows."""
        if not predicate:
            return True
        value = self.value(predicate)
        return None if value.terms else bool(value.constant) != bool(negated)

    def reached(self, labels):
        """The numbers of the lines that it may come to."""
        seen, open_ = set(), [0]
        while open_:
            at = open_.pop()
            while at < len(self.lines) and at not in seen:
                seen.add(at)
                negated, predicate, name, rest = LINE.fullmatch(self.lines[at]).groups()
                held = self.holds(negated, predicate)
                if name in JUMP and held is not False:
                    # Blocks of assembly in the kernel have labels of their own, often the same.
                    open_.append(min(labels[rest.strip()], key=lambda place: abs(place - at)))
                elif name.startswith("brx"):
                    open_ += [place for name, places in labels.items() if name.startswith("$") for place in places]
                if held and (name in JUMP or name.startswith(("brx", "ret", "exit"))):
                    break
                at += 1
        return seen


def _parsed(ptx):
    """(instructions, the numbers of those behind each label, where registers get values)"""
    lines, labels, definitions = [], collections.defaultdict(list), collections.defaultdict(list)
    for text in ptx[ptx.index(".entry"):].splitlines():
        text = re.sub(r"//.*", "", text).strip()
        if match := re.fullmatch(r"(\$?\w+):", text):
            labels[match[1]].append(len(lines))
        elif text.endswith(";") and re.match(r"[{ ]*[@a-z]", text):
            text = re.sub(r"\s+", " ", text.rstrip(";").lstrip("{ "))
            if not LINE.fullmatch(text):
                text += " -"
            for target in re.split(r"[|,]", LINE.fullmatch(text)[4])[:2 if "|" in text.split(",")[0] else 1]:
                definitions[target.strip(" {}")].append(len(lines))
            lines.append(text)
    return lines, labels, definitions


def boxes(ptx, warps):
    """(name of the copy, where its boxes lie from the first one on) of all copies of tensors, as a set."""
    lines, labels, definitions = _parsed(ptx)
    found = collections.defaultdict(set)
    for warp in range(warps):
        thread = Thread(lines, definitions, warp)
        reached = thread.reached(labels)
        for number in sorted(reached):
            negated, predicate, name, rest = LINE.fullmatch(lines[number]).groups()
            if COPY.match(name) and thread.holds(negated, predicate) is not False:
                before, coordinates, behind = re.fullmatch(r"(.*)\{(.*?)\}(.*)", rest).groups()
                places = [thread.value(each) for each in coordinates.split(",")]
                if re.search("gather4|scatter4", name):
                    places = places[:1]  # Rows are data.
                # Boxes of a block are of one tensor and are told to one barrier.
                told = [thread.told(each) for each in re.findall(r"%\w+", before.split("[")[-1] + behind)]
                if name.endswith("bulk_group"):
                    told = told[:1]
                block = tuple(each.unknown() for each in places)
                found[short_name(name), block, *told].add(tuple(each.constant for each in places))
    result = set()
    for (name, *_), places in found.items():
        first = [min(each) for each in zip(*places)]
        steps = sorted(tuple(a - b for a, b in zip(place, first)) for place in places)
        result.add((name, " ".join(str(list(each)) for each in steps)))
    return result


def short_name(name):
    name = re.sub(r"^cp\.((reduce\.)?async\.bulk\.tensor)", r"\1", name)
    return re.sub(r"shared::(cta|cluster)", "shared", name).removesuffix(".tile")
