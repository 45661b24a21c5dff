// Claims about what is written: numbers, JSON, files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"
#include "io/json_writer.hpp"
#include "io/lock_file.hpp"
#include "io/number_text.hpp"

namespace credo::io::writers_test {
namespace {
namespace fs = std::filesystem;

class Folder {  // removed with its content
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "credo-io-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }
  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

// Bits of a counter spread over all exponents: every kind of double.
double any_double(std::uint64_t n) {
  const std::uint64_t bits = n * 0x9E3779B97F4A7C15u;
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(number_text, reads_back_as_the_same_bits) {
  for (std::uint64_t n = 0; n < 200'000; ++n) {
    const double value = any_double(n);
    const auto back = parse_number(number_text(value));
    ASSERT_TRUE(back.has_value()) << number_text(value);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(*back));
    } else {
      ASSERT_EQ(*back, value) << number_text(value);
    }
  }
}

TEST(number_text, is_the_shortest_and_knows_significant_digits) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(3.0), "3");
  EXPECT_EQ(number_text(-kInfinity), "-inf");
  EXPECT_EQ(number_text(-kNaN), "nan");
  std::string text;
  append_number(text, 3.14159265, 3);
  EXPECT_EQ(text, "3.14");
}

TEST(number_text, refuses_what_is_no_number) {
  for (const char* text : {"", "x", "1x", "1 ", "--1", "+-1", "0x10", "1,5"})
    EXPECT_FALSE(parse_number(text)) << text;
  EXPECT_EQ(parse_number("+1.5"), 1.5);
  EXPECT_EQ(parse_number("Inf"), kInfinity);
  EXPECT_EQ(parse_number("1e999"), kInfinity);
}

TEST(json_writer, writes_what_the_reader_reads) {
  const std::vector<double> values{0.1, -1e300, 5e-324, kInfinity, -kInfinity, 3};
  JsonWriter json;
  json.begin_object().key("x").numbers(values).key("n").integer(-7).end_object();
  EXPECT_EQ(json.text(), R"({"x":[0.1,-1e+300,5e-324,"Inf","-Inf",3],"n":-7})");
  EXPECT_EQ(parse_json_data(json.text(), "j").find("x")->reals, values);
}

TEST(json_writer, separates_and_escapes) {
  JsonWriter json;
  json.begin_array().string("a\"b\\c\n\x01").boolean(true).null().begin_object().end_object();
  json.begin_array().end_array().number(kNaN).line_break().end_array();
  EXPECT_EQ(json.text(), "[\"a\\\"b\\\\c\\n\\u0001\",true,null,{},[],\"NaN\"\n]");
}

TEST(json_writer, objects_and_lists_are_those_written_value_by_value) {
  const std::vector<std::string> names{"a", "b"};
  const std::vector<std::vector<double>> lists{{1.0, kNaN}, {}};
  JsonWriter one, other;
  one.object("n", 3, "x", 0.5, "good", true, "text", "t", "names", names, "lists", lists, "none",
             if_finite(kInfinity), "some", if_finite(2.0));
  other.begin_object().key("n").integer(3).key("x").number(0.5).key("good").boolean(true);
  other.key("text").string("t").key("names").begin_array().string("a").string("b").end_array();
  other.key("lists").begin_array().numbers(lists[0]).numbers(lists[1]).end_array();
  other.key("none").null().key("some").number(2.0).end_object();
  EXPECT_EQ(one.text(), other.text());
  JsonWriter rows;
  rows.lines(names, [&](const std::string& name) { rows.object("name", name); });
  EXPECT_EQ(rows.text(), "[\n{\"name\":\"a\"},\n{\"name\":\"b\"}]");
}

TEST(output_file, appears_under_its_name_only_when_it_is_complete) {
  const Folder folder;
  {
    OutputFile file(folder / "out");
    file.write("half");
    EXPECT_FALSE(fs::exists(folder / "out"));
  }
  EXPECT_EQ(folder.num_files(), 0u);  // given up: nothing is left behind
  OutputFile file(folder / "out");
  file.write("whole");
  file.commit();
  EXPECT_EQ(read_file(folder / "out"), "whole");
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(output_file, replaces_an_old_file_only_at_the_end) {
  const Folder folder;
  OutputFile first(folder / "out");
  first.write("old");
  first.commit();
  OutputFile second(folder / "out");
  second.write("new");
  EXPECT_EQ(read_file(folder / "out"), "old");
  second.commit();
  EXPECT_EQ(read_file(folder / "out"), "new");
}

void expect_io_error(const std::function<void()>& action, std::string_view reason) {
  try {
    action();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(output_file, a_full_device_is_an_error) {
  expect_io_error(
      [] {
        OutputFile file("/dev/full");
        file.write("x");
        file.commit();
      },
      "No space left");
  struct stat info {};
  ASSERT_EQ(::stat("/dev/full", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));  // the device is still there
}

// A limit on the size of files behaves as a disk that fills up in the middle of a large file.
TEST(output_file, a_write_that_fails_in_the_middle_leaves_no_file) {
  const Folder folder;
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 100'000;
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_io_error(
      [&] {
        OutputFile file(folder / "out");
        for (int n = 0; n < 1000; ++n) file.write(std::string(1000, 'x'));
        file.commit();
      },
      "File too large");
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(folder.num_files(), 0u);
}

// 4194304 is the most that Linux gives: no process has the number above it.
TEST(part_file, that_a_killed_program_left_is_removed_and_nothing_else) {
  constexpr pid_t kNobody = 4194305;
  const Folder folder;
  const std::string out = folder / "out", left = part_name(out, kNobody, 1),
                    held = part_name(out, kNobody, 2), living = part_name(out, 1, 3),
                    link = part_name(out, kNobody, 4), not_ours = left.substr(0, left.size() - 1);
  for (const std::string& name :
       {left, left + "-journal", held, living, not_ours + "!", folder / "out.part-4194305",
        folder / "out.part-4194305-journal", part_name(folder / "other", kNobody, 5)})
    std::ofstream(name) << "part";
  fs::create_symlink(folder / "target", link);
  const int lock = ::open(held.c_str(), O_RDWR);
  ASSERT_EQ(lock_descriptor(lock), Locked::yes);
  remove_left_parts(out);
  ::close(lock);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(left + "-journal"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(folder.num_files(), 7u);
  remove_left_parts(out);  // nobody holds it now
  EXPECT_FALSE(fs::exists(held));
}

TEST(part_file, has_a_name_that_nobody_can_foresee_and_rights_of_its_own) {
  const Folder folder;
  Readers owner = Readers::from_text("owner");
  const PartFile one(folder / "out", owner), other(folder / "out");
  EXPECT_NE(one.name(), other.name());
  struct stat info {};
  ASSERT_EQ(::fstat(one.descriptor(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(folder.num_files(), 2u);
}

TEST(part_file, that_somebody_replaced_is_neither_renamed_nor_removed) {
  const Folder folder;
  std::string name;
  {
    PartFile part(folder / "out");
    name = part.name();
    fs::remove(name);
    std::ofstream(name) << "of somebody else";
    expect_io_error([&] { part.replace(); }, "replaced by another process");
  }
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_EQ(read_file(name), "of somebody else");
}

TEST(part_file, takes_a_name_only_if_it_is_free) {
  const Folder folder;
  std::ofstream(folder / "out") << "mine";
  expect_io_error([&] { PartFile(folder / "out").take_name(); }, "File exists");
  EXPECT_EQ(read_file(folder / "out"), "mine");
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(readers, are_those_who_may_read_every_source) {
  const Folder folder;
  const auto with_mode = [&](const char* name, mode_t mode) {
    std::ofstream(folder / name) << "x";
    ::chmod((folder / name).c_str(), mode);
    return folder / name;
  };
  Readers readers;
  EXPECT_EQ(readers.mode(0), 0666u);
  readers.narrow(with_mode("all", 0644));
  EXPECT_EQ(readers.text(), "all");
  readers.narrow(with_mode("group", 0640));
  EXPECT_EQ(readers.mode(::getegid()), 0660u);
  EXPECT_EQ(readers.mode(::getegid() + 1), 0600u);  // another group's members may not
  EXPECT_EQ(Readers::from_text(readers.text()).text(), readers.text());
  Readers others = Readers::from_text("group 4711");
  others.narrow(readers);
  EXPECT_EQ(others.text(), "owner");
  readers.narrow(with_mode("owner", 0400));
  EXPECT_EQ(readers.mode(::getegid()), 0600u);
  EXPECT_EQ(Readers::from_text("anything").text(), "owner");
}

TEST(lock_file, is_held_by_one_and_names_it) {
  const Folder folder;
  {
    LockFile lock(folder / "fit.run");
    EXPECT_TRUE(lock.is_supported());
    expect_io_error([&] { LockFile(folder / "fit.run"); },
                    "another process is writing this run: process " + std::to_string(::getpid()));
    EXPECT_TRUE(lock.keep());
    fs::remove(lock.path());
    EXPECT_TRUE(lock.keep());
    EXPECT_TRUE(fs::exists(lock.path()));
  }
  EXPECT_EQ(folder.num_files(), 0u);
}

TEST(lock_file, of_a_killed_process_is_taken_over) {
  const Folder folder;
  std::ofstream(folder / "fit.run.lock") << "credo lock: process 4194305 on here\n";
  const LockFile lock(folder / "fit.run");
  EXPECT_EQ(read_file(lock.path()).find("4194305"), std::string::npos);
}

TEST(lock_file, is_neither_a_link_nor_somebody_elses_file) {
  const Folder folder;
  std::ofstream(folder / "fit.run.lock") << "my notes";
  expect_io_error([&] { LockFile(folder / "fit.run"); }, "isn't a lock file of Credo");
  EXPECT_EQ(read_file(folder / "fit.run.lock"), "my notes");
  fs::create_symlink(folder / "target", folder / "other.run.lock");
  expect_io_error([&] { LockFile(folder / "other.run"); }, "can't open the lock file");
  EXPECT_FALSE(fs::exists(folder / "target"));
}

TEST(disk_space, that_is_missing_is_said_with_the_place) {
  EXPECT_NO_THROW(require_space("out", 1.0));
  expect_io_error([] { require_space("/tmp/out", 1e30); }, "/tmp has");
}

TEST(output_file, a_folder_that_is_not_there_is_an_error_with_the_name) {
  expect_io_error([] { OutputFile file("/nonexistent/out"); }, "/nonexistent/out: can't create");
}

TEST(read_file, says_why_it_cannot) {
  expect_io_error([] { (void)read_file("/nonexistent"); }, "No such file");
  expect_io_error([] { (void)read_file("/tmp"); }, "folder");
  expect_io_error([] { (void)read_file("/dev/zero", 1000); }, "longer than 1000 bytes");
}
}  // namespace
}  // namespace credo::io::writers_test
