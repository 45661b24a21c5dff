// What a program may include: files in the directories that were named, wherever links and .. lead.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lang/diagnostics/diagnostics.hpp"

namespace credo::lang::includes_test {
namespace {
namespace fs = std::filesystem;

class Includes : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_includes_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "lib" / "sub");
    fs::create_directories(folder_ / "other");
    for (const char* name : {"lib/in.stan", "lib/sub/deep.stan", "other/out.stan"})
      std::ofstream(folder_ / name) << "1";
    fs::create_symlink(folder_ / "other" / "out.stan", folder_ / "lib" / "link.stan");
    fs::create_directory_symlink(folder_ / "other", folder_ / "lib" / "way");
    fs::create_symlink(folder_ / "lib" / "in.stan", folder_ / "lib" / "within.stan");
    fs::create_directory_symlink(folder_ / "lib", folder_ / "alias");
  }
  void TearDown() override { fs::remove_all(folder_); }
  // The identifier of the first diagnostic; "" without one.
  std::string first_of(const std::string& name, std::vector<std::string> directories) const {
    for (std::string& directory : directories) directory = folder_ / directory;
    Diagnostics diagnostics;
    const SourceMap source =
        SourceMap::from_text("t.stan", "model {\n  target +=\n#include " + name + "\n  ;\n}\n",
                             diagnostics, directories);
    EXPECT_EQ(source.files().size(), diagnostics.all().empty() ? 2u : 1u) << name;
    shown_ = render(source, diagnostics);
    return diagnostics.all().empty() ? "" : std::string(row(diagnostics.all()[0].code).name);
  }

  fs::path folder_;
  mutable std::string shown_;
};

TEST_F(Includes, are_read_where_they_lie_in_a_named_directory) {
  for (const std::string name :
       {"in.stan", "sub/deep.stan", "sub/../in.stan", "/in.stan", "within.stan", "../lib/in.stan"})
    EXPECT_EQ(first_of(name, {"lib"}), "") << name << shown_;
  EXPECT_EQ(first_of(folder_ / "lib" / "in.stan", {"lib"}), "") << shown_;
  EXPECT_EQ(first_of("in.stan", {"alias"}), "") << shown_;
  EXPECT_EQ(first_of("in.stan", {"lib/"}), "") << shown_;
}

TEST_F(Includes, are_refused_where_they_lead_out_of_the_named_directories) {
  for (const std::string name : {"../other/out.stan", "link.stan", "way/out.stan",
                                 "sub/../../other/out.stan", "/../other/out.stan"}) {
    EXPECT_EQ(first_of(name, {"lib"}), "include-outside") << name;
    EXPECT_NE(shown_.find("other/out.stan, which isn't in"), shown_.npos) << shown_;
    EXPECT_EQ(first_of(name, {"lib", "other"}), "") << name << shown_;
  }
  EXPECT_EQ(first_of("/etc/passwd", {"lib"}), "include-outside");
  EXPECT_EQ(first_of("/etc/passwd", {"libother"}), "include-outside");
  EXPECT_EQ(first_of("../absent.stan", {"lib"}), "include-not-found");
}

// A program of a file may include what lies beside the file that has the line; directories that are named come first.
TEST_F(Includes, are_searched_beside_the_file_that_has_the_line) {
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  };
  write("program.stan", "model {\n  target +=\n#include sub.stan\n  ;\n}\n");
  write("sub.stan", "#include lib/next.stan\n");
  write("lib/next.stan", "#include in.stan\n");
  const auto read = [&](const std::string& name, const std::vector<std::string>& directories) {
    Diagnostics diagnostics;
    SourceMap source = SourceMap::from_file(folder_ / name, diagnostics, directories);
    shown_ = render(source, diagnostics);
    return source;
  };
  const SourceMap beside = read("program.stan", {});
  EXPECT_EQ(shown_, "");
  ASSERT_EQ(beside.files().size(), 4u);
  EXPECT_EQ(beside.files()[3].name, (folder_ / "lib" / "in.stan").string());
  write("other/in.stan", "2");
  const SourceMap named = read("program.stan", {folder_ / "other"});
  ASSERT_EQ(named.files().size(), 4u) << shown_;
  EXPECT_EQ(named.files()[3].text, "2");

  write("lib/out.stan", "model {\n#include ../other/out.stan\n}\n");
  (void)read("lib/out.stan", {});
  EXPECT_NE(shown_.find("other/out.stan, which isn't in"), shown_.npos) << shown_;
  write("lost.stan", "#include nowhere.stan\n");
  (void)read("lost.stan", {});
  EXPECT_NE(shown_.find("not found in " + folder_.string()), shown_.npos) << shown_;
  EXPECT_NE(shown_.find("-I FOLDER"), shown_.npos) << shown_;
}

}  // namespace
}  // namespace credo::lang::includes_test
