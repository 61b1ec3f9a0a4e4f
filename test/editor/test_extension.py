"""The VS Code extension, against stand-ins for VS Code and its client library."""

import json
import pathlib
import shutil
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "editors/vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text())

STAND_INS = {
    "vscode/index.js": """
        const set = { path: "/opt/gluonc", importFolders: ["a", "b"] };
        exports.commands = { registerCommand: (name, run) => (exports.restart = run, { name }) };
        exports.DebugAdapterExecutable = class {
          constructor(...words) { this.words = words; }
        };
        exports.debug = {
          registerDebugAdapterDescriptorFactory: (type, factory) => {
            console.log(type, JSON.stringify(factory.createDebugAdapterDescriptor()));
            return { name: "adapter" };
          },
          registerDebugConfigurationProvider: (type, provider) => {
            console.log(type, JSON.stringify(provider.resolveDebugConfiguration(undefined, { options: ["--debug"] })));
            return { name: "configurations" };
          },
        };
        exports.workspace = {
          getConfiguration: () => ({ get: (key) => { console.log(`setting gluonc.${key}`); return set[key]; } }),
          onDidChangeConfiguration: () => ({ name: "configuration" }),
        };""",
    "vscode-languageclient/node.js": """
        exports.LanguageClient = class {
          constructor(id, name, server, client) {
            console.log("starts", server.command, ...server.args, client.documentSelector[0].language);
          }
          async start() {}
          async stop() { console.log("stops"); }
        };""",
}
SCRIPT = """
    const extension = require(process.argv[1]);
    (async () => {
      const context = { subscriptions: [] };
      await extension.activate(context);
      await require("vscode").restart();
      await extension.deactivate();
      console.log(context.subscriptions.map((each) => each.name).join(" "));
    })();"""


def test_it_starts_restarts_and_stops_the_server_and_offers_the_debugger(tmp_path):
    if not shutil.which("node"):
        pytest.skip("needs node")
    for name, text in STAND_INS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    result = subprocess.run(["node", "-e", SCRIPT, str(FOLDER / PACKAGE["main"])], capture_output=True, text=True,
                            env={"NODE_PATH": str(tmp_path), "PATH": "/usr/bin:/bin:/usr/local/bin"})
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    settings = {line.split()[1] for line in lines if line.startswith("setting ")}
    assert settings == set(PACKAGE["contributes"]["configuration"]["properties"])
    start = "starts /opt/gluonc lsp -I a -I b python"
    assert [line for line in lines if not line.startswith("setting ")] == [
        'gluonc {"words":["/opt/gluonc",["debug","--dap"]]}', 'gluonc {"options":["--debug","-I","a","-I","b"]}',
        start, "stops", start, "stops", "gluonc.restart adapter configurations configuration"]
    assert [each["type"] for each in PACKAGE["contributes"]["debuggers"]] == ["gluonc"]
    assert [command["command"] for command in PACKAGE["contributes"]["commands"]] == ["gluonc.restart"]
