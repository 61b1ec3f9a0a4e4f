//===- Palette.h - Colours that everybody can tell apart ---------------------===//
//
// The eight colours of Okabe and Ito ("Color universal design", 2008), mixed
// with white on light and with near-black on dark backgrounds, so that letters on
// them can be read. Neighbours among 32 groups differ in colour and in pattern.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace gluonc::picture {

/// Groups that look different; others look like that number of groups before.
inline constexpr unsigned distinctGroups = 32;

/// Rules of CSS for everything in an image: text, cells, heat.
std::string imageStyle();
/// The fill of a group, `<pattern id="f5" …>`.
std::string groupPattern(unsigned group);

/// What XML takes in text and in attributes.
std::string escaped(const std::string &text);

} // namespace gluonc::picture
