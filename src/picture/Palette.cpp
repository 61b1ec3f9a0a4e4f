#include "picture/Palette.h"

#include "picture/Picture.h"

#include "llvm/Support/FormatVariadic.h"

#include <array>

namespace gluonc::picture {

namespace {

struct Colour {
  unsigned red, green, blue;
};

/// Sky blue, orange, bluish green, yellow, reddish purple, blue, vermillion; grey for black.
constexpr std::array<Colour, 8> okabeIto = {{{86, 180, 233},
                                             {230, 159, 0},
                                             {0, 158, 115},
                                             {240, 228, 66},
                                             {204, 121, 167},
                                             {0, 114, 178},
                                             {213, 94, 0},
                                             {128, 128, 128}}};
constexpr Colour white{255, 255, 255}, night{24, 27, 33};
constexpr unsigned patterns = distinctGroups / okabeIto.size();

/// `percent` of `colour`, the rest of `ground`.
std::string mixed(Colour colour, Colour ground, unsigned percent) {
  auto channel = [&](unsigned of, unsigned other) {
    return (of * percent + other * (100 - percent)) / 100;
  };
  return llvm::formatv("#{0:x-2}{1:x-2}{2:x-2}", channel(colour.red, ground.red),
                       channel(colour.green, ground.green), channel(colour.blue, ground.blue));
}

std::string groupFills(Colour ground, unsigned percent) {
  std::string rules;
  for (size_t i = 0; i != okabeIto.size(); ++i)
    rules += llvm::formatv(".g{0}{{fill:{1}}\n", i, mixed(okabeIto[i], ground, percent));
  return rules;
}

std::string heatFills(Colour strongest, Colour ground) {
  std::string rules;
  for (unsigned level = 0; level <= mostHeat; ++level)
    rules += llvm::formatv(".h{0}{{fill:{1}}\n", level,
                           mixed(strongest, ground, level * 100 / mostHeat));
  return rules;
}

} // namespace

std::string imageStyle() {
  constexpr unsigned blue = 5, sky = 0;
  std::string style = "text{fill:#1b1e24;font:11px \"DejaVu Sans Mono\",Menlo,Consolas,monospace;"
                      "text-anchor:middle}\n"
                      ".d{font-size:9px}\n"
                      ".t{font:bold 13px \"DejaVu Sans\",Helvetica,Arial,sans-serif;"
                      "text-anchor:start}\n"
                      ".n,.a{font:11px \"DejaVu Sans\",Helvetica,Arial,sans-serif;"
                      "text-anchor:start}\n"
                      ".e{text-anchor:end}\n"
                      ".c{stroke:#6b7280;stroke-width:.75}\n"
                      ".v{fill:none;stroke-dasharray:2 2}\n"
                      ".p{fill:none;stroke:#1b1e24;stroke-opacity:.22;stroke-width:1}\n"
                      ".h4~text,.h5~text,.h6~text{fill:#fff}\n";
  style += groupFills(white, 42) + heatFills(okabeIto[blue], white);
  style += "@media (prefers-color-scheme:dark){\n"
           "text{fill:#e6e8ec}\n"
           ".c{stroke:#8b93a1}\n"
           ".p{stroke:#fff;stroke-opacity:.15}\n"
           ".h4~text,.h5~text,.h6~text{fill:#0b0d10}\n";
  style += groupFills(night, 45) + heatFills(okabeIto[sky], night) + "}\n";
  return style;
}

std::string groupPattern(unsigned group) {
  group %= distinctGroups;
  const unsigned colour = group % okabeIto.size();
  // Nothing, strokes up, dots, strokes down: shifted by one for each round of colours.
  static constexpr std::array<const char *, patterns> strokes = {
      "", "<path class=\"p\" d=\"M0 8L8 0\"/>",
      "<path class=\"p\" d=\"M3 4h2M7 0h1M0 0h1M7 8h1M0 8h1\"/>",
      "<path class=\"p\" d=\"M0 0L8 8\"/>"};
  return llvm::formatv("<pattern id=\"f{0}\" width=\"8\" height=\"8\" "
                       "patternUnits=\"userSpaceOnUse\"><rect class=\"g{1}\" width=\"8\" "
                       "height=\"8\"/>{2}</pattern>\n",
                       group, colour, strokes[(group + group / okabeIto.size()) % patterns]);
}

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      // XML has no other control characters.
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
        out += c;
    }
  return out;
}

} // namespace gluonc::picture
