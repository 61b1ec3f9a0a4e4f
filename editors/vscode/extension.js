// Starts `gluonc lsp` for Python files. It serves those that import Gluon or Triton's language and
// leaves others alone. Debugging starts `gluonc debug --dap`.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function setting(name, otherwise) {
  return vscode.workspace.getConfiguration("gluonc").get(name, otherwise);
}

/** The words that tell gluonc where imports are looked for: `-I FOLDER…`. */
function importFolders() {
  return setting("importFolders", []).flatMap((folder) => ["-I", folder]);
}

async function start() {
  const server = { command: setting("path", "gluonc"), args: ["lsp", ...importFolders()] };
  client = new LanguageClient("gluonc", "gluonc", server, {
    documentSelector: [{ scheme: "file", language: "python" }],
  });
  await client.start();
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** The debugger, which is told in the request what else it is started with. */
const debuggers = {
  createDebugAdapterDescriptor: () =>
    new vscode.DebugAdapterExecutable(setting("path", "gluonc"), ["debug", "--dap"]),
  resolveDebugConfiguration: (folder, configuration) => ({
    ...configuration,
    options: [...(configuration.options ?? []), ...importFolders()],
  }),
};

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("gluonc.restart", restart),
    vscode.debug.registerDebugAdapterDescriptorFactory("gluonc", debuggers),
    vscode.debug.registerDebugConfigurationProvider("gluonc", debuggers),
    vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration("gluonc") && restart()));
  await start();
}

module.exports = { activate, deactivate: stop };
