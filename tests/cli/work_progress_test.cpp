// Progress line of long work.
#include "cli/term/work_progress.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace credo::cli::work_progress_test {
namespace {

TEST(work_line, says_what_is_done_of_how_much_and_how_long_the_rest_takes) {
  EXPECT_EQ(work_line("figures of quantities", 250, 1000, 10.0),
            "figures of quantities: 250 of 1000, 0:10, 0:30 left");
  EXPECT_EQ(work_line("figures of quantities", 0, 1000, 2.0),
            "figures of quantities: 0 of 1000, 0:02");
  EXPECT_EQ(work_line("judging the draws", 0, 0, 65.0), "judging the draws, 1:05");
}

TEST(work_progress, tells_lines_where_there_is_no_terminal_and_nothing_of_short_work) {
  Output output;
  std::mutex busy;
  std::vector<std::string> lines;
  output.note_sink = [&](std::string_view text) {
    const std::lock_guard lock(busy);
    lines.emplace_back(text);
  };
  { WorkProgress(output).show("short", 1, 2); }
  EXPECT_TRUE(lines.empty());
  WorkProgress progress(output);
  progress.show("long", 1, 2);
  for (int k = 0; k < 600; ++k) {  // at most a minute; two seconds suffice
    ::usleep(100'000);
    const std::lock_guard lock(busy);
    if (!lines.empty()) break;
  }
  const std::lock_guard lock(busy);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines[0].starts_with("long: 1 of 2, 0:0")) << lines[0];
}

}  // namespace
}  // namespace credo::cli::work_progress_test
