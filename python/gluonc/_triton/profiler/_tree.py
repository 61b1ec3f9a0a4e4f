"""Frames and what was measured in them, in the form that Proton writes: `NAME.hatchet`."""

_EXCLUSIVE, _PROPERTY = "(exc)", "(pty)"
TIME, COUNT = "time (ns)", "count"
# Metrics that say how much is done, of which viewers make rates.
WORK = ("flops8", "flops16", "flops32", "flops64", "bytes", "flops")


class Frame:
    """What ran under one name in one place."""

    def __init__(self, name):
        self.name, self.children, self.metrics = name, {}, {}

    def at(self, names):
        """The frame that these names lead to."""
        frame = self
        for name in names:
            frame = frame.children.setdefault(name, Frame(name))
        return frame

    def literal(self):
        return {"frame": {"name": self.name, "type": "function"}, "metrics": self.metrics,
                "children": [child.literal() for child in self.children.values()]}


class Tree:
    """A profile. `devices` holds (type, index) -> facts about it."""

    def __init__(self):
        self.root, self.inclusive, self.devices = Frame("ROOT"), set(), {}

    def add_metric(self, frame, name, value):
        """Values of a metric add up, in the frames above, too: unless its name ends in (exc). One that
        ends in (pty) is a property, of which the last one stays."""
        plain = name.removesuffix(_EXCLUSIVE).removesuffix(_PROPERTY).strip()
        if name == plain:
            self.inclusive.add(plain)
        if not name.endswith(_PROPERTY):
            value = frame.metrics.get(plain, 0) + value
        frame.metrics[plain] = value

    def add_time(self, frame, device, nanoseconds):
        kind, index = device
        self.add_metric(frame, TIME, nanoseconds)
        self.add_metric(frame, COUNT, 1)
        frame.metrics.update(device_id=str(index), device_type=kind)

    def literal(self):
        """[frames, devices] of dicts, lists, numbers and strings."""
        root, devices = self.root.literal(), {}
        root["metrics"] = {name: 0 for name in sorted(self.inclusive)}
        for (kind, index), facts in self.devices.items():
            devices.setdefault(kind, {})[str(index)] = facts
        return [root, devices]
