#include "results/files/block_queue.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"

namespace credo::results::block_queue_test {
namespace {
using Blocks = std::span<const io::RunBlock>;
constexpr Index kMegabyte = (Index{1} << 20) / 8;

QueuedBlock block(Index chain, Index iteration, Index num_values = 1) {
  return {.chain = chain,
          .iteration = iteration,
          .groups = {{.num_rows = 1,
                      .rows = std::vector<double>(static_cast<std::size_t>(num_values), 1.0)}}};
}

TEST(block_queue, commits_each_chain_s_blocks_in_their_order) {
  std::array<std::vector<Index>, 3> seen;
  BlockQueue queue(
      [&](Blocks b) { seen[static_cast<std::size_t>(b[0].chain)].push_back(b[0].iteration); });
  std::vector<std::thread> chains;
  for (Index c = 0; c < 3; ++c)
    chains.emplace_back([&queue, c] {
      for (Index i = 0; i < 200; ++i) queue.push(block(c, i));
    });
  for (std::thread& chain : chains) chain.join();
  queue.drain();
  std::vector<Index> wanted(200);
  std::iota(wanted.begin(), wanted.end(), Index{0});
  for (const auto& one : seen) EXPECT_EQ(one, wanted);
}

TEST(block_queue, lets_no_more_than_32_megabytes_wait) {
  std::atomic<Index> num_pushed{0}, most_ahead{0};
  Index num_committed = 0;
  BlockQueue queue([&](Blocks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    most_ahead = std::max<Index>(most_ahead, num_pushed - num_committed);
    ++num_committed;
  });
  for (Index i = 0; i < 80; ++i) {
    queue.push(block(0, i, 4 * kMegabyte));
    ++num_pushed;
  }
  queue.drain();
  EXPECT_EQ(num_committed, 80);
  EXPECT_LE(most_ahead, 9);  // eight wait or are being committed, one may just have been taken
}

TEST(block_queue, tells_everybody_of_the_first_failure_and_commits_nothing_behind_it) {
  std::vector<Index> seen;
  BlockQueue queue([&](Blocks b) {
    seen.push_back(b[0].iteration);
    if (b[0].iteration == 2) throw Error(ErrorCode::io, "the disk is full", "fit.nc.run");
  });
  EXPECT_THROW(
      {
        // More than may wait: the queue's thread comes to run, however busy the machine is.
        for (Index i = 0; i < 100000; ++i) queue.push(block(0, i, 1000));
      },
      Error);
  EXPECT_THROW(queue.drain(), Error);
  EXPECT_THROW(queue.push(block(1, 0)), Error);
  EXPECT_THROW(queue.end(), Error);
  EXPECT_EQ(seen, (std::vector<Index>{0, 1, 2}));
}

TEST(block_queue, goes_on_after_its_thread_has_ended) {
  Index count = 0;
  {
    BlockQueue queue([&](Blocks) { ++count; });
    queue.end();
    queue.push(block(0, 0));
    queue.end();
    EXPECT_EQ(count, 1);
    queue.push(block(0, 1));
  }
  EXPECT_EQ(count, 2);  // what waits is committed at the end
}

}  // namespace
}  // namespace credo::results::block_queue_test
