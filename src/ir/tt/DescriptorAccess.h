//===- DescriptorAccess.h - Blocks of tensors, through descriptors --------------===//
//
// `tt.descriptor_load`, `tt.descriptor_store`, `tt.descriptor_reduce`. Not part of
// Dialects.h: few files need them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

#define GET_OP_CLASSES
#include "ir/TTDescriptorAccess.h.inc"
