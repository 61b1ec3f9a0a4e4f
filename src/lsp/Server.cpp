// One thread: a request is answered before the next one is read, and diagnostics are computed when
// nothing more has come (Input.h), so of a burst of changes only the last one counts.

#include "lsp/Server.h"

#include "lsp/Definitions.h"
#include "lsp/Diagnostics.h"
#include "lsp/Documents.h"
#include "lsp/Features.h"
#include "lsp/Input.h"
#include "lsp/Rename.h"
#include "support/Recovery.h"

namespace gluonc::lsp {

using llvm::lsp::Callback;
using protocol::TextDocumentPositionParams;

namespace {

/// What LLVM's structure leaves out of `initialize`.
struct InitializeParams {
  std::vector<std::string> folders;
};

void addFolder(const llvm::json::Object &object, llvm::StringRef key,
               std::vector<std::string> &folders) {
  llvm::Expected<protocol::URIForFile> uri =
      protocol::URIForFile::fromURI(object.getString(key).value_or(""));
  if (uri && !uri->file().empty())
    folders.push_back(uri->file().str());
  else if (!uri)
    llvm::consumeError(uri.takeError());
}

[[maybe_unused]] bool fromJSON(const llvm::json::Value &value, InitializeParams &result,
                               llvm::json::Path) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return true;
  if (const llvm::json::Array *folders = object->getArray("workspaceFolders"))
    for (const llvm::json::Value &folder : *folders)
      if (const llvm::json::Object *each = folder.getAsObject())
        addFolder(*each, "uri", result.folders);
  if (result.folders.empty())
    addFolder(*object, "rootUri", result.folders);
  return true;
}

struct RenameParams : TextDocumentPositionParams {
  std::string newName;
};

[[maybe_unused]] bool fromJSON(const llvm::json::Value &value, RenameParams &result,
                               llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return protocol::fromJSON(value, static_cast<TextDocumentPositionParams &>(result), path) &&
         map && map.map("newName", result.newName);
}

llvm::json::Value capabilities() {
  using llvm::json::Array;
  using llvm::json::Object;
  return Object{
      {"serverInfo", Object{{"name", "gluonc"}, {"version", GLUONC_VERSION}}},
      {"capabilities",
       Object{{"textDocumentSync",
               Object{{"openClose", true},
                      {"change", static_cast<int>(protocol::TextDocumentSyncKind::Full)}}},
              {"hoverProvider", true},
              {"definitionProvider", true},
              {"referencesProvider", true},
              {"renameProvider", Object{{"prepareProvider", true}}},
              {"documentSymbolProvider", true},
              {"codeActionProvider", true},
              {"completionProvider", Object{{"triggerCharacters", Array{"."}}}},
              {"signatureHelpProvider", Object{{"triggerCharacters", Array{"(", ","}}}}}}};
}

class Server {
public:
  Server(int descriptor, llvm::raw_ostream &output, std::vector<std::string> searchPath)
      : documents(std::move(searchPath)),
        transport(std::make_unique<Input>(descriptor, [this] { return publishNext(); }), output),
        handler(transport), sendDiagnostics(handler.outgoingNotification<PublishedDiagnostics>(
                                "textDocument/publishDiagnostics")) {}

  int run() {
    addMethods();
    // The client may be gone without a word, which is no error of ours.
    llvm::consumeError(transport.run(handler));
    return isShutDown ? 0 : 1;
  }

private:
  void addMethods() {
    handler.method("initialize", this, &Server::onInitialize);
    handler.method("shutdown", this, &Server::onShutdown);
    handler.notification("textDocument/didOpen", this, &Server::onOpen);
    handler.notification("textDocument/didChange", this, &Server::onChange);
    handler.notification("textDocument/didClose", this, &Server::onClose);
    handler.method("textDocument/hover", this, &Server::onHover);
    handler.method("textDocument/completion", this, &Server::onCompletion);
    handler.method("textDocument/signatureHelp", this, &Server::onSignatureHelp);
    handler.method("textDocument/definition", this, &Server::onDefinition);
    handler.method("textDocument/references", this, &Server::onReferences);
    handler.method("textDocument/prepareRename", this, &Server::onPrepareRename);
    handler.method("textDocument/rename", this, &Server::onRename);
    handler.method("textDocument/documentSymbol", this, &Server::onSymbols);
    handler.method("textDocument/codeAction", this, &Server::onActions);
  }

  void onInitialize(const InitializeParams &params, Callback<llvm::json::Value> reply) {
    folders = params.folders;
    reply(capabilities());
  }
  void onShutdown(const protocol::NoParams &, Callback<std::nullptr_t> reply) {
    isShutDown = true;
    reply(nullptr);
  }

  void onOpen(const protocol::DidOpenTextDocumentParams &params) {
    const protocol::TextDocumentItem &item = params.textDocument;
    documents.set(item.uri, item.text, item.version);
  }
  void onChange(const protocol::DidChangeTextDocumentParams &params) {
    if (!params.contentChanges.empty())
      documents.set(params.textDocument.uri, params.contentChanges.back().text,
                    params.textDocument.version);
  }
  void onClose(const protocol::DidCloseTextDocumentParams &params) {
    documents.close(params.textDocument.uri.file());
    sendDiagnostics({params.textDocument.uri});
  }

  /// Tells the client what is wrong with a file that has changed; false where there is none.
  bool publishNext() {
    Document *document = documents.nextUnpublished();
    if (!document)
      return false;
    document->isPublished = true;
    PublishedDiagnostics published{document->uri, document->version};
    if (!work(*document,
              [&](Analysis &analysis) { published.diagnostics = diagnosticsOf(analysis); }))
      published.diagnostics = {internalErrorReport()};
    sendDiagnostics(published);
    return true;
  }

  static PublishedDiagnostic internalErrorReport() {
    PublishedDiagnostic report;
    report.severity = protocol::DiagnosticSeverity::Error;
    report.source = "gluonc";
    report.message = "a bug of gluonc: it fails on this file; `gluonc check` says more";
    return report;
  }

  /// Runs `body` on the analysis of a file that has kernels. False after an internal error, of
  /// which the file does not recover before its text changes.
  bool work(Document &document, llvm::function_ref<void(Analysis &)> body) {
    if (!document.hasKernels)
      return true;
    if (document.isBroken)
      return false;
    std::optional<InternalError> error =
        recover(/*recovers=*/true, [&] { body(documents.analysisOf(document)); });
    if (!error)
      return true;
    documents.abandon(document);
    return false;
  }

  /// Answers what is asked of a file, with `Result()` where it is not open.
  template <typename Result>
  void answer(const protocol::URIForFile &uri, Callback<Result> reply,
              llvm::function_ref<Result(const View &)> feature) {
    Result result{};
    Document *document = documents.find(uri.file());
    auto answerIt = [&](Analysis &) {
      Analysis &viewer = documents.analysisOf(documents.viewerOf(*document));
      result = feature({viewer, *viewer.find(document->uri.file())});
    };
    if (document && !work(*document, answerIt))
      return reply(llvm::make_error<llvm::lsp::LSPError>("a bug of gluonc",
                                                         llvm::lsp::ErrorCode::InternalError));
    reply(std::move(result));
  }
  template <typename Result>
  void answerAt(const TextDocumentPositionParams &params, Callback<Result> reply,
                Result (*feature)(const View &, uint32_t)) {
    answer<Result>(params.textDocument.uri, std::move(reply), [&](const View &view) {
      return feature(view, offsetOf(view.file(), params.position));
    });
  }

  void onHover(const TextDocumentPositionParams &params,
               Callback<std::optional<protocol::Hover>> reply) {
    answerAt(params, std::move(reply), hover);
  }
  void onCompletion(const protocol::CompletionParams &params,
                    Callback<protocol::CompletionList> reply) {
    answerAt(params, std::move(reply), completion);
  }
  void onSignatureHelp(const TextDocumentPositionParams &params,
                       Callback<protocol::SignatureHelp> reply) {
    answerAt(params, std::move(reply), signatureHelp);
  }
  void onDefinition(const TextDocumentPositionParams &params,
                    Callback<std::vector<protocol::Location>> reply) {
    answerAt(params, std::move(reply), definition);
  }
  void onSymbols(const protocol::DocumentSymbolParams &params,
                 Callback<std::vector<protocol::DocumentSymbol>> reply) {
    answer<std::vector<protocol::DocumentSymbol>>(params.textDocument.uri, std::move(reply),
                                                  symbols);
  }
  void onActions(const protocol::CodeActionParams &params,
                 Callback<std::vector<protocol::CodeAction>> reply) {
    std::vector<protocol::CodeAction> result;
    if (Document *document = documents.find(params.textDocument.uri.file()))
      work(*document,
           [&](Analysis &analysis) { result = actions(analysis, document->uri, params.range); });
    reply(std::move(result));
  }
  void onReferences(const protocol::ReferenceParams &params,
                    Callback<std::vector<protocol::Location>> reply) {
    answer<std::vector<protocol::Location>>(
        params.textDocument.uri, std::move(reply), [&](const View &view) {
          return referencesTo(view, offsetOf(view.file(), params.position),
                              params.context.includeDeclaration);
        });
  }

  /// Replies with what `find` makes of a file, or with the problem that it has.
  template <typename Result>
  void
  answerOrRefuse(const TextDocumentPositionParams &params, Callback<Result> reply,
                 llvm::function_ref<bool(const View &, uint32_t, Result &, std::string &)> find) {
    Result result{};
    std::string problem = "the file is not open, or has no kernels";
    bool isFound = false;
    Document *document = documents.find(params.textDocument.uri.file());
    auto answerIt = [&](Analysis &) {
      Analysis &viewer = documents.analysisOf(documents.viewerOf(*document));
      const View view = {viewer, *viewer.find(document->uri.file())};
      isFound = find(view, offsetOf(view.file(), params.position), result, problem);
    };
    auto refuse = [&](std::string why, llvm::lsp::ErrorCode code) {
      reply(llvm::make_error<llvm::lsp::LSPError>(std::move(why), code));
    };
    if (document && !work(*document, answerIt))
      return refuse("a bug of gluonc", llvm::lsp::ErrorCode::InternalError);
    if (!isFound)
      return refuse(problem, llvm::lsp::ErrorCode::RequestFailed);
    reply(std::move(result));
  }

  void onPrepareRename(const TextDocumentPositionParams &params,
                       Callback<llvm::json::Value> reply) {
    answerOrRefuse<llvm::json::Value>(
        params, std::move(reply),
        [](const View &view, uint32_t offset, llvm::json::Value &result, std::string &problem) {
          std::optional<Renaming> renaming = renamingAt(view, offset, problem);
          if (renaming)
            result = llvm::json::Object{{"range", protocol::toJSON(rangeOf(renaming->here))},
                                        {"placeholder", renaming->name}};
          return renaming.has_value();
        });
  }

  void onRename(const RenameParams &params, Callback<protocol::WorkspaceEdit> reply) {
    answerOrRefuse<protocol::WorkspaceEdit>(
        params, std::move(reply),
        [&](const View &view, uint32_t offset, protocol::WorkspaceEdit &edit,
            std::string &problem) {
          std::optional<Renaming> renaming = renamingAt(view, offset, problem);
          bool isFine = renaming.has_value();
          if (isFine)
            documents.forEachHolding(renaming->name, folders, [&](const View &other) {
              isFine = isFine && addRenamed(other, *renaming, params.newName, edit, problem);
            });
          return isFine;
        });
  }

  std::vector<protocol::Location> referencesTo(const View &view, uint32_t offset,
                                               bool withDefinition) {
    std::vector<protocol::Location> found;
    const Mention *mention = view.mentions.at(offset);
    std::optional<diag::Span> target = mention ? definitionOf(view, *mention) : std::nullopt;
    if (!target)
      return found;
    documents.forEachHolding(mention->name, folders, [&](const View &other) {
      llvm::append_range(found, references(other, mention->name, *target));
    });
    if (std::optional<protocol::Location> own = locationOf(*target); own && !withDefinition)
      llvm::erase(found, *own);
    return found;
  }

  Documents documents;
  std::vector<std::string> folders;
  bool isShutDown = false;
  llvm::lsp::JSONTransport transport;
  llvm::lsp::MessageHandler handler;
  llvm::lsp::OutgoingNotification<PublishedDiagnostics> sendDiagnostics;
};

} // namespace

int serve(int input, llvm::raw_ostream &output, std::vector<std::string> searchPath) {
  return Server(input, output, std::move(searchPath)).run();
}

} // namespace gluonc::lsp
