//===- RemoteCache.h - gluonc cache push, pull, stats, keygen -------------------===//
#pragma once

namespace gluonc::tool {

class Session;

/// push: the kernels of this machine's cache into the remote one. pull: those of --list from there.
int exchangeKernels(Session &session, bool isPush);
/// What all processes with this cache met.
int remoteStatistics(bool json);
/// FILE for who writes, FILE.pub for who reads.
int makeKeys(Session &session);

} // namespace gluonc::tool
