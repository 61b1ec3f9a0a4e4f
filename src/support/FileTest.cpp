#include "support/File.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace gluonc;

namespace {

class Files : public testing::Test {
protected:
  void SetUp() override {
    char path[] = "/tmp/gluonc-file-test-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    folder = path;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  static std::string failure(llvm::Expected<std::string> read) {
    return read ? "" : llvm::toString(read.takeError());
  }

  std::string folder;
};

TEST_F(Files, AreReadUpToALimit) {
  std::string path = folder + "/f";
  std::ofstream(path) << std::string(1 << 20, 'x');
  EXPECT_EQ(llvm::cantFail(readFile(path, 1 << 20)), std::string(1 << 20, 'x'));
  EXPECT_EQ(failure(readFile(path, (1 << 20) - 1)), "it is larger than 0 MiB");
  EXPECT_EQ(failure(readFile(folder + "/none", 1)), "No such file or directory");
  EXPECT_EQ(failure(readFile(folder, 1)), "Is a directory");
}

TEST_F(Files, WithoutAnEndAreTooLarge) {
  EXPECT_EQ(failure(readFile("/dev/zero", 3 << 20)), "it is larger than 3 MiB");
}

TEST_F(Files, OtherThanRegularOnesDoNotHoldWhoRefusesThem) {
  std::string path = folder + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(failure(readFile(path, 1, Accept::RegularFiles)), "it is not a regular file");
  EXPECT_EQ(failure(readFile("/dev/zero", 1, Accept::RegularFiles)), "it is not a regular file");
}

} // namespace
