#include "picture/Palette.h"
#include "picture/Picture.h"

#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

#include <set>

namespace gluonc::picture {
namespace {

Picture smallPicture() {
  Picture picture;
  picture.title = "a < b & \"c\"";
  picture.panels.resize(1);
  Panel &panel = picture.panels[0];
  panel.columnHeads = {"0", "1"};
  panel.rows.assign(1, std::vector<Cell>(2));
  panel.rows[0][0].text = "<T0>";
  panel.rows[0][0].title = "\x01 </title>";
  panel.groups = {"warp 0"};
  return picture;
}

TEST(Render, NamesCannotEndAnElement) {
  for (const std::string &text : {toSvg(smallPicture()), toHtml(smallPicture())}) {
    EXPECT_NE(text.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
    EXPECT_NE(text.find("&lt;T0&gt;"), std::string::npos);
    EXPECT_EQ(text.find('\x01'), std::string::npos);
  }
}

TEST(Render, TheSamePictureGivesTheSameBytes) {
  EXPECT_EQ(toSvg(smallPicture()), toSvg(smallPicture()));
}

TEST(Render, ImagesHaveATextAlternative) {
  const std::string svg = toSvg(smallPicture());
  for (const char *part : {"role=\"img\"", "aria-label=", "<title>", "<desc>"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

TEST(Render, GroupsDifferInColourOrPatternAndNeighboursInBoth) {
  auto looks = [](unsigned group) {
    const std::string text = groupPattern(group);
    return std::make_pair(text.substr(text.find("class=\"g"), 9), text.substr(text.find("/>")));
  };
  std::set<std::pair<std::string, std::string>> seen;
  for (unsigned group = 0; group != distinctGroups; ++group) {
    EXPECT_TRUE(seen.insert(looks(group)).second) << group;
    if (group + 1 == distinctGroups)
      break;
    EXPECT_NE(looks(group).first, looks(group + 1).first);
    EXPECT_NE(looks(group).second, looks(group + 1).second) << group;
  }
}

TEST(Render, TextOfOnePanelIsItsTable) {
  EXPECT_EQ(toText(smallPicture()), "0    1\n---------\n<T0>\n");
}

} // namespace
} // namespace gluonc::picture
