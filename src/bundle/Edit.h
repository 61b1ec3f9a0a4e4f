//===- Edit.h - Other bundles made of bundles ----------------------------------===//
#pragma once

#include "bundle/Contents.h"

namespace gluonc::bundle {

/// What `other` has is added. Of a kernel that both have, its variants come behind those that are
/// there, unless the same is there. Fails where its parameters differ, or where two variants are
/// for the same launches and are not the same.
llvm::Error merge(Contents &contents, Contents other);

/// The same for parts of one bundle: variants come in the order of the parts, equal ones, too. So
/// what is made in parts has the bytes of what is made at once.
llvm::Error append(Contents &contents, Contents part);

/// Keeps variants for these targets, all where there are none, and kernels of these names. Kernels
/// without a variant go. Fails where a target or a name is not there.
llvm::Error strip(Contents &contents, llvm::ArrayRef<std::string> targets,
                  llvm::ArrayRef<std::string> kernels);

} // namespace gluonc::bundle
