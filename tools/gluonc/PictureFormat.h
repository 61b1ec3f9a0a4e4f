//===- PictureFormat.h - How a command writes its picture --------------------===//
#pragma once

#include "Session.h"
#include "picture/Picture.h"

namespace gluonc::tool {

/// Writes the picture where -o says, as --format says. Returns the exit status.
int writePicture(Session &session, const picture::Picture &picture);

} // namespace gluonc::tool
