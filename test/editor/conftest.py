import asyncio
import os
import pathlib
import urllib.parse

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

ROOT = pathlib.Path(__file__).resolve().parents[2]


class File:
    """An open file; a place in it is a piece of its text, in which `|` is the cursor."""

    def __init__(self, client, path, text):
        self.client, self.path, self.text, self.version = client, path, text, 1
        self.uri = path.as_uri()

    def open(self):
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(
            uri=self.uri, language_id="python", version=1, text=self.text)))

    def change(self, old, new):
        assert self.text.count(old) == 1, old
        self.text = self.text.replace(old, new)
        self.version += 1
        self.client.diagnostics.pop(self.uri, None)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version),
            [types.TextDocumentContentChangeWholeDocument(text=self.text)]))

    async def diagnostics(self):
        """What the server says since it was opened or changed last."""
        while self.uri not in self.client.diagnostics:
            await asyncio.wait_for(self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS), 60)
        return list(self.client.diagnostics[self.uri])

    def at(self, mark):
        before, _, after = mark.partition("|")
        assert self.text.count(before + after) >= 1, mark
        offset = self.text.index(before + after) + len(before)
        line = self.text.count("\n", 0, offset)
        start = self.text.rfind("\n", 0, offset) + 1
        return {"text_document": types.TextDocumentIdentifier(uri=self.uri),
                "position": types.Position(line, len(self.text[start:offset].encode("utf-16-le")) // 2)}

    async def hover(self, mark):
        result = await self.client.text_document_hover_async(types.HoverParams(**self.at(mark)))
        return result.contents.value if result else ""

    async def complete(self, mark):
        result = await self.client.text_document_completion_async(types.CompletionParams(**self.at(mark)))
        return {item.label: item for item in result.items}

    async def signature(self, mark):
        return await self.client.text_document_signature_help_async(types.SignatureHelpParams(**self.at(mark)))

    async def definition(self, mark):
        found = await self.client.text_document_definition_async(types.DefinitionParams(**self.at(mark)))
        return [self.place(each) for each in found]

    async def references(self, mark, declaration=True):
        found = await self.client.text_document_references_async(types.ReferenceParams(
            **self.at(mark), context=types.ReferenceContext(include_declaration=declaration)))
        return sorted(self.place(each) for each in found)

    async def rename(self, mark, name):
        """{file name: its text afterwards}, or why not."""
        try:
            edit = await self.client.text_document_rename_async(types.RenameParams(**self.at(mark), new_name=name))
        except Exception as error:
            return str(error)
        texts = {}
        for uri, edits in edit.changes.items():
            path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path))
            lines = path.read_text().splitlines(keepends=True)
            for each in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
                begin, end = each.range.start, each.range.end
                assert begin.line == end.line
                line = lines[begin.line]
                lines[begin.line] = line[:begin.character] + each.new_text + line[end.character:]
            texts[path.name] = "".join(lines)
        return texts

    async def prepare_rename(self, mark):
        try:
            return await self.client.text_document_prepare_rename_async(types.PrepareRenameParams(**self.at(mark)))
        except Exception as error:
            return str(error)

    @staticmethod
    def place(location):
        """File name and line, from 1 on."""
        return location.uri.rsplit("/", 1)[1], location.range.start.line + 1


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["GLUONC"], "lsp"]))
async def client(lsp_client: LanguageClient, tmp_path):
    await lsp_client.initialize_session(types.InitializeParams(
        capabilities=client_capabilities("visual-studio-code"),
        workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "kernels")]))
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def opened(client, tmp_path):
    """Writes files, the last of which is opened."""

    def make(text, name="kernels.py", **others):
        for other, content in others.items():
            (tmp_path / f"{other}.py").write_text(content)
        (tmp_path / name).write_text(text)
        file = File(client, tmp_path / name, text)
        file.open()
        return file

    return make


@pytest.fixture
def attention(client):
    """The Hopper attention of examples, whose comment says what it is compiled for."""
    path = ROOT / "examples/hopper_attention/attention.py"
    file = File(client, path, path.read_text())
    file.open()
    return file
