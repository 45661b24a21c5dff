// Threads that help with one piece of work at a time.
#include <atomic>

#include <gtest/gtest.h>
#include "base/team.hpp"

namespace credo::team_test {
namespace {
using Numbers = std::array<std::atomic<std::int64_t>, 64>;

// Items [0, count) that whoever is there takes one by one; each member adds them up for itself.
struct Items {
  std::atomic<std::int64_t> next = 0;
  std::int64_t count = 0;
  Numbers sums{};
  std::atomic<int> inside = 0;

  static void take(void* self, Index member) {
    auto& items = *static_cast<Items*>(self);
    ++items.inside;
    for (std::int64_t k = items.next++; k < items.count; k = items.next++)
      items.sums[static_cast<std::size_t>(member)] += k;
    --items.inside;
  }
  std::int64_t sum() const { return std::accumulate(sums.begin(), sums.end(), std::int64_t{0}); }
};

TEST(team, does_all_the_work_and_is_quiet_when_run_returns) {
  for (const Index members : {1, 2, 3, 4, 7}) {
    Team team(members);
    for (std::int64_t round = 0; round < 3000; ++round) {
      Items items;
      items.count = round % 50;
      team.run(Items::take, &items);
      ASSERT_EQ(items.inside.load(), 0);
      ASSERT_EQ(items.sum(), items.count * (items.count - 1) / 2) << members << " members";
    }
  }
}

// Values that one member wrote are read by another in the next piece of work.
TEST(team, hands_what_was_written_to_the_next_piece_of_work) {
  constexpr std::size_t kSize = 64;
  struct Board {
    std::array<std::int64_t, kSize> values{};  // not atomic: the team orders the accesses
    std::atomic<std::size_t> next = 0;
  } board;
  Team team(4, Team::Attendance::everybody);
  for (int round = 0; round < 500; ++round) {
    board.next = 0;
    team.run(
        [](void* self, Index) {
          auto& b = *static_cast<Board*>(self);
          for (std::size_t k = b.next++; k < kSize; k = b.next++) ++b.values[k];
        },
        &board);
  }
  for (const std::int64_t value : board.values) EXPECT_EQ(value, 500);
}

TEST(team, everybody_comes_where_that_is_asked_for) {
  for (const Index members : {2, 3, 4}) {
    Team team(members, Team::Attendance::everybody);
    for (int round = 1; round <= 20; ++round) {
      Numbers visits{};
      team.run(
          [](void* self, Index member) {
            ++(*static_cast<Numbers*>(self))[static_cast<std::size_t>(member)];
          },
          &visits);
      for (Index m = 0; m < members; ++m) EXPECT_EQ(visits[static_cast<std::size_t>(m)], 1);
    }
  }
}

TEST(team, of_one_runs_on_the_caller) {
  Team team(1);
  Index members = 0;
  team.run([](void* self, Index member) { *static_cast<Index*>(self) += member + 1; }, &members);
  EXPECT_EQ(members, 1);
}

}  // namespace
}  // namespace credo::team_test
