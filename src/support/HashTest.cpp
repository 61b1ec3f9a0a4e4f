#include "support/Hash.h"

#include "gtest/gtest.h"

using gluonc::ContentHash;

TEST(ContentHash, PartsAreDelimited) {
  EXPECT_NE(ContentHash().add("ab").add("c").hex(), ContentHash().add("a").add("bc").hex());
  EXPECT_NE(ContentHash().add("").hex(), ContentHash().hex());
}

TEST(ContentHash, IsStableAcrossReleases) {
  // SHA-256 of the empty message (FIPS 180-4 example value).
  EXPECT_EQ(ContentHash().hex(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
