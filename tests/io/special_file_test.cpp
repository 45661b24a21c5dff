// Pipes whose reader doesn't come, doesn't go on, or goes away.
#include "io/special_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/file.hpp"

namespace credo::io::special_file_test {
namespace {
using namespace std::chrono_literals;

class Pipes : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("credo_pipe_" + std::to_string(getpid()));
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  // Writes a file of so many bytes, and is told to stop after a while.
  ErrorCode write_and_stop(std::size_t bytes) const {
    StopFlag flag{false};
    std::jthread signal([&] {
      std::this_thread::sleep_for(100ms);
      flag.store(true);
    });
    const StopScope scope(&flag);
    try {
      OutputFile file(path_);
      file.write(std::string(bytes, 'x'));
      file.commit();
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), path_);
      said_ = error.message();
      return error.code();
    }
    return ErrorCode::internal;
  }

  std::string path_;
  mutable std::string said_;
};

TEST_F(Pipes, without_a_reader_can_be_stopped) {
  EXPECT_EQ(write_and_stop(1), ErrorCode::interrupted);
  EXPECT_NE(said_.find("waited for its reader to come"), said_.npos) << said_;
}

TEST_F(Pipes, whose_reader_does_not_go_on_can_be_stopped) {
  const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(write_and_stop(std::size_t{1} << 20), ErrorCode::interrupted);
  EXPECT_NE(said_.find("to continue"), said_.npos) << said_;
  ::close(reader);
}

TEST_F(Pipes, whose_reader_goes_away_are_an_error) {
  const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  OutputFile file(path_);
  ::close(reader);
  file.write("x");
  EXPECT_THROW(file.commit(), Error);
}

TEST_F(Pipes, get_all_of_the_text) {
  std::string got;
  std::jthread reader([&] { got = read_file(path_); });
  const std::string text(std::size_t{1} << 20, 'x');
  OutputFile file(path_);
  file.write(text);
  file.commit();
  reader.join();
  EXPECT_TRUE(got == text);
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
}

}  // namespace
}  // namespace credo::io::special_file_test
