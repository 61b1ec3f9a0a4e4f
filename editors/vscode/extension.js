// Starts `gluonc lsp` for Python files. It serves those that import Gluon or Triton's language and
// leaves others alone.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** How a server of gluonc is started: `gluonc SUBCOMMAND -I FOLDER…`. */
function commandOf(subcommand) {
  const settings = vscode.workspace.getConfiguration("gluonc");
  const folders = settings.get("importFolders", []).flatMap((folder) => ["-I", folder]);
  return { command: settings.get("path", "gluonc"), args: [subcommand, ...folders] };
}

async function start() {
  client = new LanguageClient("gluonc", "gluonc", commandOf("lsp"), {
    documentSelector: [{ scheme: "file", language: "python" }],
  });
  await client.start();
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("gluonc.restart", restart),
    vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration("gluonc") && restart()));
  await start();
}

module.exports = { activate, deactivate: stop };
