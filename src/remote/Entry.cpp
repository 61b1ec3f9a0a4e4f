#include "remote/Entry.h"
#include "support/Records.h"

namespace gluonc::remote {

static constexpr llvm::StringLiteral magic("gluonc-remote-1\n");

llvm::StringRef wordOf(Refusal refusal) {
  switch (refusal) {
  case Refusal::Oversized:
    return "oversized";
  case Refusal::Malformed:
    return "malformed";
  case Refusal::UnknownKey:
    return "unknown-key";
  case Refusal::WrongSignature:
    return "wrong-signature";
  case Refusal::OtherName:
    return "other-kernel";
  case Refusal::OtherBuild:
    return "other-build";
  case Refusal::OtherTarget:
    return "other-target";
  }
  return "";
}

llvm::StringRef describe(Refusal refusal) {
  switch (refusal) {
  case Refusal::Oversized:
    return "is larger than entries are";
  case Refusal::Malformed:
    return "is cut off, or no entry";
  case Refusal::UnknownKey:
    return "is signed by a key that is not among yours";
  case Refusal::WrongSignature:
    return "is not what its key signed";
  case Refusal::OtherName:
    return "is another kernel's";
  case Refusal::OtherBuild:
    return "was made by another build of gluonc";
  case Refusal::OtherTarget:
    return "is for another target";
  }
  return "";
}

static std::string signedPart(llvm::StringRef records) { return (magic + records).str(); }

llvm::Expected<std::string> encode(const Entry &entry, llvm::StringRef name, const Key &signer) {
  std::string records = RecordWriter()
                            .add(name)
                            .add(entry.build)
                            .add(entry.target)
                            .add(entry.code)
                            .add(entry.label)
                            .add(entry.payload)
                            .take();
  llvm::Expected<std::string> signature = sign(signer, signedPart(records));
  if (!signature)
    return signature.takeError();
  return (magic + RecordWriter().add(signer.id).add(*signature).take() + records).str();
}

Decoded decode(llvm::StringRef bytes, llvm::StringRef name, llvm::StringRef build,
               llvm::StringRef target, const KeyRing &keys) {
  auto refuse = [](Refusal refusal) { return Decoded{std::nullopt, refusal}; };
  if (!bytes.consume_front(magic))
    return refuse(Refusal::Malformed);
  RecordReader reader(bytes);
  llvm::StringRef id = reader.text(), signature = reader.text();
  if (reader.failed())
    return refuse(Refusal::Malformed);
  llvm::StringRef records = bytes.substr(2 * sizeof(uint64_t) + id.size() + signature.size());
  llvm::StringRef itsName = reader.text();
  Entry entry;
  entry.build = reader.text().str();
  entry.target = reader.text().str();
  entry.code = reader.text().str();
  entry.label = reader.text().str();
  entry.payload = reader.text().str();
  if (reader.failed() || !reader.atEnd())
    return refuse(Refusal::Malformed);
  const Key *key = keys.find(id);
  if (!key)
    return refuse(Refusal::UnknownKey);
  if (!isSignature(*key, signedPart(records), signature))
    return refuse(Refusal::WrongSignature);
  if (itsName != name)
    return refuse(Refusal::OtherName);
  if (entry.build != build)
    return refuse(Refusal::OtherBuild);
  if (!target.empty() && entry.target != target)
    return refuse(Refusal::OtherTarget);
  return {std::move(entry), {}};
}

} // namespace gluonc::remote
