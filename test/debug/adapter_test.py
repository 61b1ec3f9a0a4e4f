#!/usr/bin/env python3
"""`gluonc debug --dap` with the client of the Debug Adapter Protocol that debugpy talks to its servers with.

    adapter_test.py --gluonc GLUONC

Where jsonschema is installed, every message is held to the protocol's own schema, too, of which debugpy has a
copy. Without debugpy it is skipped (77).
"""

import argparse
import json
import pathlib
import queue
import subprocess
import sys
import unittest

try:
    import debugpy
    from debugpy.common import messaging
except ImportError:
    print("adapter_test: debugpy is not installed")
    sys.exit(77)
try:
    import jsonschema
except ImportError:
    jsonschema = None

KERNELS = pathlib.Path(__file__).with_name("kernels.py")
LOOP = {"program": str(KERNELS), "kernel": "loop", "grid": "2", "target": "cuda:90a",
        "arguments": ["src=arange(0, 200, f32)", "dst=empty(200, f32)", "n=200", "BLOCK=128"]}
# The line of `loop` that stores.
STORE = 1 + KERNELS.read_text().splitlines().index("    gl.store(dst + i, x, mask=i <= n)")
RACE = {"program": str(KERNELS), "kernel": "race",
        "arguments": ["src=arange(0, 384, f32)", "dst=empty(384, f32)", "tiles=3"]}
SCHEMA = json.loads((pathlib.Path(debugpy.__file__).parent /
                     "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json").read_text())
WAIT = 20  # seconds


def what_is_wrong(message):
    """With a message, by the protocol's schema."""
    if not jsonschema:
        return []
    name = message["event"] + "Event" if message["type"] == "event" else message["command"] + "Response"
    known = name[0].upper() + name[1:]
    if message["type"] == "response" and not message["success"]:
        known = "ErrorResponse"
    validator = jsonschema.Draft4Validator({"$ref": f"#/definitions/{known}", "definitions": SCHEMA["definitions"]})
    return [f"{known}: {error.message}" for error in validator.iter_errors(message)]


class Stream(messaging.JsonIOStream):
    """Messages of a server, all of which are looked at."""
    problems = ()

    def read_json(self, decoder=None):
        message = super().read_json(decoder)
        self.problems = [*self.problems, *what_is_wrong(json.loads(json.dumps(message)))]
        return message


class Session:
    """A server, and a client that talks with it."""

    def __init__(self):
        self.server = subprocess.Popen([GLUONC, "debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.stream = Stream.from_process(self.server)
        self.events = queue.Queue()
        handlers = messaging.MessageHandlers(event=self.events.put, disconnect=lambda: None)
        self.channel = messaging.JsonMessageChannel(self.stream, handlers)
        self.channel.start()
        self.capabilities = self.ask("initialize", adapterID="gluonc", linesStartAt1=True)

    def ask(self, command, **arguments):
        return self.channel.request(command, arguments)

    def refusal(self, command, **arguments):
        """Why a request is refused."""
        try:
            self.ask(command, **arguments)
        except messaging.MessageHandlingError as error:
            return str(error)
        raise AssertionError(f"{command} is not refused")

    def expect(self, name):
        """What the next event of a name says, whatever comes before it."""
        while (event := self.events.get(timeout=WAIT)).event != name:
            pass
        return event.body

    def launch(self, configuration, stop_on_entry=True, **more):
        self.ask("launch", **configuration, stopOnEntry=stop_on_entry, **more)
        self.expect("initialized")

    def begin(self, configuration, **more):
        """The thread that it stops in at the entry."""
        self.launch(configuration, **more)
        self.ask("configurationDone")
        return self.expect("stopped")["threadId"]

    def go(self, command, thread):
        self.ask(command, threadId=thread)
        return self.expect("stopped")

    def breakpoints(self, *wanted):
        lines = [{"line": line, "condition": condition} if condition else {"line": line} for line, condition in wanted]
        return self.ask("setBreakpoints", source={"path": str(KERNELS)}, breakpoints=lines)["breakpoints"]

    def stack(self, thread):
        return self.ask("stackTrace", threadId=thread)["stackFrames"]

    def place(self, thread):
        top = self.stack(thread)[0]
        return top["name"], top["line"]

    def variables(self, thread, scope):
        """{name: value} of a scope of the frame on top."""
        scopes = self.ask("scopes", frameId=self.stack(thread)[0]["id"])["scopes"]
        reference = next(each["variablesReference"] for each in scopes if each["name"] == scope)
        found = self.ask("variables", variablesReference=reference)["variables"]
        return {each["name"]: each["value"] for each in found}

    def evaluate(self, text, thread):
        return self.ask("evaluate", expression=text, frameId=self.stack(thread)[0]["id"])["result"]

    def end(self):
        self.ask("disconnect")
        assert self.server.wait(timeout=WAIT) == 0
        self.channel.close()
        assert not self.stream.problems, self.stream.problems


class AdapterTest(unittest.TestCase):
    def setUp(self):
        self.session = Session()
        self.addCleanup(self.session.end)

    def test_says_what_it_can_do(self):
        able = self.session.capabilities
        self.assertTrue(able["supportsStepBack"])
        self.assertTrue(able["supportsConditionalBreakpoints"])
        self.assertEqual([each["filter"] for each in able["exceptionBreakpointFilters"]], ["faults"])

    def test_what_is_wrong_with_a_launch_is_said(self):
        self.assertIn("nothing", self.session.refusal("launch", **{**LOOP, "kernel": "nothing"}))
        self.assertIn("--races takes ignore, warn or fault",
                      self.session.refusal("launch", **LOOP, options=["--races", "perhaps"]))
        self.assertIn("nothing has been launched", self.session.refusal("threads"))

    def test_stops_where_breakpoints_are_and_their_conditions_hold(self):
        self.session.launch(LOOP, stop_on_entry=False)
        at, moved, nowhere = self.session.breakpoints((22, "step == 1"), (17, None), (900, None))
        self.assertEqual((at["verified"], at["line"]), (True, 22))
        self.assertEqual((moved["verified"], moved["line"]), (True, 17))
        self.assertFalse(nowhere["verified"])
        self.assertIn("no code at line 900", nowhere["message"])
        self.session.breakpoints((22, "step == 1"))
        self.session.ask("configurationDone")
        stop = self.session.expect("stopped")
        self.assertEqual(stop["reason"], "breakpoint")
        self.assertEqual(self.session.place(stop["threadId"]), ("loop", 22))
        self.assertEqual(self.session.evaluate("step", stop["threadId"]), "step: i32 = 1")
        self.assertEqual(self.session.evaluate("y[:3]", stop["threadId"]), "[ 2.  6. 10.]")
        self.assertIn("not defined", self.session.refusal("evaluate", expression="missing"))

    def test_steps_into_over_out_and_back(self):
        thread = self.session.begin(LOOP)
        self.session.breakpoints((21, None))
        self.session.go("continue", thread)
        self.session.go("stepIn", thread)
        self.assertEqual([(each["name"], each["line"]) for each in self.session.stack(thread)],
                         [("scaled", 12), ("loop", 21)])
        self.assertIn("v", self.session.variables(thread, "Locals"))
        self.session.go("stepOut", thread)
        self.assertEqual(self.session.place(thread), ("loop", 22))
        self.assertEqual(self.session.go("next", thread)["reason"], "step")
        self.assertEqual(self.session.place(thread), ("loop", 20))
        self.session.go("stepBack", thread)
        self.assertEqual(self.session.place(thread), ("loop", 22))
        self.assertEqual(self.session.go("reverseContinue", thread)["reason"], "breakpoint")
        self.assertEqual(self.session.place(thread), ("loop", 21))
        self.assertEqual(self.session.go("reverseContinue", thread)["reason"], "entry")

    def test_stops_at_a_fault_and_goes_back_to_its_cause(self):
        self.session.launch(RACE)
        self.session.ask("setExceptionBreakpoints", filters=["faults"])
        self.session.ask("configurationDone")
        thread = self.session.expect("stopped")["threadId"]
        stop = self.session.go("continue", thread)
        self.assertEqual(stop["reason"], "exception")
        self.assertIn("UnorderedSharedAccess", stop["text"])
        self.assertEqual(self.session.place(stop["threadId"]), ("writer", 32))
        self.assertIn("`reader`", self.session.ask("exceptionInfo", threadId=stop["threadId"])["description"])
        stop = self.session.go("reverseContinue", stop["threadId"])
        self.assertEqual(self.session.place(stop["threadId"]), ("reader", 41))

    def test_goes_on_behind_faults_that_it_is_not_to_stop_at(self):
        self.session.launch(RACE, stop_on_entry=False)
        self.session.ask("setExceptionBreakpoints", filters=[])
        self.session.ask("configurationDone")
        self.assertIn("UnorderedSharedAccess", self.session.expect("output")["output"])
        self.session.expect("terminated")
        self.assertEqual(self.session.expect("exited")["exitCode"], 3)

    def test_partitions_are_threads_and_barriers_are_shown(self):
        thread = self.session.begin(RACE)
        self.session.breakpoints((33, None))
        stop = self.session.go("continue", thread)
        names = {each["id"]: each["name"] for each in self.session.ask("threads")["threads"]}
        self.assertIn("`writer`", names[stop["threadId"]])
        reader = next(number for number, name in names.items() if "`reader`" in name)
        self.assertIn("waits for `bars[0]`", names[reader])
        self.assertEqual(self.session.place(reader), ("reader", 39))
        self.assertEqual(self.session.variables(reader, "Barriers")["`bars[0]`"],
                         "phase 0, 1 of 1 arrivals to come")
        self.assertEqual(self.session.variables(reader, "Arguments")["tiles"], "3")
        self.session.breakpoints()
        self.session.go("next", reader)
        self.assertEqual(self.session.place(reader), ("reader", 40))

    def test_stops_where_data_change(self):
        thread = self.session.begin(LOOP, stopAtEnd=True)
        info = self.session.ask("dataBreakpointInfo", name="dst[7]")
        self.session.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        stop = self.session.go("continue", thread)
        self.assertEqual((stop["reason"], stop["text"]), ("data breakpoint", "dst[7] is now -63."))

    def children(self, reference, **page):
        found = self.session.ask("variables", variablesReference=reference, **page)["variables"]
        return [(each["name"], each["value"]) for each in found]

    def variable(self, thread, scope, name):
        scopes = self.session.ask("scopes", frameId=self.session.stack(thread)[0]["id"])["scopes"]
        reference = next(each["variablesReference"] for each in scopes if each["name"] == scope)
        found = self.session.ask("variables", variablesReference=reference)["variables"]
        return next(each for each in found if each["name"] == name)

    def test_tensors_have_elements_page_by_page(self):
        thread = self.session.begin(LOOP)
        self.session.breakpoints((STORE, None))
        stop = self.session.go("continue", thread)
        thread = stop["threadId"]
        i = self.variable(thread, "Locals", "i")
        self.assertEqual(i["indexedVariables"], 128)
        self.assertEqual(self.children(i["variablesReference"], filter="indexed", start=100, count=3),
                         [("[100]", "100"), ("[101]", "101"), ("[102]", "102")])
        self.assertEqual(len(self.children(i["variablesReference"])), 128)
        self.assertEqual(self.children(i["variablesReference"], filter="named"), [])
        self.assertEqual(self.children(i["variablesReference"], start=127, count=9), [("[127]", "127")])
        # Tensors of the launch, and results of expressions, row by row.
        result = self.session.ask("evaluate", expression="i.reshape((2, 64))", frameId=self.session.stack(thread)[0]["id"])
        self.assertEqual(result["indexedVariables"], 2)
        rows = self.session.ask("variables", variablesReference=result["variablesReference"])["variables"]
        self.assertEqual([each["type"] for each in rows], ["i32 (64,)"] * 2)
        self.assertEqual(self.children(rows[1]["variablesReference"], start=5, count=1), [("[5]", "69")])
        src = self.variable(thread, "Arguments", "src")
        self.assertEqual(self.children(src["variablesReference"], start=7, count=1), [("[7]", "7.")])

    def test_stops_where_elements_of_shared_memory_change(self):
        thread = self.session.begin(RACE)
        self.session.breakpoints((32, None))
        thread = self.session.go("continue", thread)["threadId"]
        smem = self.variable(thread, "Locals", "smem")
        info = self.session.ask("dataBreakpointInfo", name="[3]", variablesReference=smem["variablesReference"])
        self.assertEqual(info["dataId"], "smem[3]")
        self.session.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        stop = self.session.go("continue", thread)
        self.assertEqual((stop["reason"], stop["text"]), ("data breakpoint", "smem[3] is now 3."))

    def test_stops_where_bytes_at_an_address_change(self):
        thread = self.session.begin(LOOP)
        self.session.breakpoints((STORE, None))
        thread = self.session.go("continue", thread)["threadId"]
        info = self.session.ask("dataBreakpointInfo", name="1", asAddress=True, bytes=4)
        self.assertIsNone(info["dataId"])
        self.assertIn("no address", info["description"])
        info = self.session.ask("dataBreakpointInfo", name="*dst")
        self.session.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        stop = self.session.go("continue", thread)
        # -7.0, the lowest byte first.
        self.assertEqual((stop["reason"], stop["text"]), ("data breakpoint", "*dst is now 0000e0c0"))

    def test_a_kernel_that_does_not_end_can_be_paused(self):
        self.session.launch({"program": str(KERNELS), "kernel": "endless", "arguments": ["dst=zeros(1, i32)"],
                             "options": ["--max-branches", "0"]}, stop_on_entry=False)
        self.session.ask("configurationDone")
        self.session.ask("pause", threadId=1)
        self.assertEqual(self.session.expect("stopped")["reason"], "pause")

    def test_what_it_does_not_know_is_refused(self):
        self.session.begin(LOOP)
        self.assertIn("there is no request `fly`", self.session.refusal("fly"))
        self.assertIn("no such frame", self.session.refusal("scopes", frameId=77))
        self.assertIn("no such thread", self.session.refusal("stackTrace", threadId=77))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    options, rest = parser.parse_known_args()
    GLUONC = options.gluonc
    unittest.main(argv=[sys.argv[0], *rest])
