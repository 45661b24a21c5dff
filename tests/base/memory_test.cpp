// Refusals of memory: what they know, and whose words they carry.
#include "base/memory.hpp"

#include <gtest/gtest.h>

#include <sched.h>

#include <cstdlib>
#include <thread>

#include "base/aligned.hpp"
#include "base/processors.hpp"

namespace credo::memory_test {
namespace {
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr MemoryUse kOuter{"the house", "build smaller"}, kInner{"the kitchen", "cook less"};

TEST(out_of_memory, knows_how_much_was_asked_and_the_innermost_use) {
  const MemoryScope outer(kOuter);
  {
    const MemoryScope inner(kInner);
    const OutOfMemory failure(7 * kMiB);
    EXPECT_EQ(failure.bytes(), 7 * kMiB);
    EXPECT_STREQ(failure.use().what, "the kitchen");
    EXPECT_GT(failure.state().in_use, kMiB);
  }
  EXPECT_STREQ(OutOfMemory(1).use().what, "the house");
}

TEST(out_of_memory, of_another_thread_has_that_threads_use) {
  const MemoryScope outer(kOuter);
  std::string alone, helped;
  std::thread([&, use = current_memory_use()] {
    alone = OutOfMemory(1).use().what;
    const MemoryScope scope(*use);
    helped = OutOfMemory(1).use().what;
  }).join();
  EXPECT_EQ(alone, "");
  EXPECT_EQ(helped, "the house");
}

TEST(a_bound_on_memory, refuses_what_would_go_beyond_and_nothing_else) {
  void* const some = obtain(64 * kMiB);
  std::memset(some, 1, 64 * kMiB);
  const std::size_t resident = OutOfMemory(0).state().in_use;
  bound_memory(resident + 256 * kMiB);
  std::free(obtain(128 * kMiB));
  std::free(obtain_aligned(64, 128 * kMiB));
  try {
    std::free(obtain(512 * kMiB));
    ADD_FAILURE() << "512 MiB were given";
  } catch (const OutOfMemory& failure) {
    EXPECT_EQ(failure.bytes(), 512 * kMiB);
    EXPECT_EQ(failure.state().limit, resident + 256 * kMiB);
  }
  EXPECT_THROW(AlignedArray(Index{1} << 26), OutOfMemory);  // 512 MiB, too
  bound_memory(0);
  std::free(obtain(512 * kMiB));
  std::free(some);
}

TEST(a_bound_on_memory, sees_many_small_pieces) {
  bound_memory(OutOfMemory(0).state().in_use + 32 * kMiB);
  std::vector<void*> pieces;
  pieces.reserve(std::size_t{1} << 20);
  bool was_refused = false;
  try {
    while (pieces.size() < pieces.capacity()) {
      pieces.push_back(obtain(4096));
      std::memset(pieces.back(), 1, 4096);
    }
  } catch (const OutOfMemory&) {
    was_refused = true;
  }
  bound_memory(0);
  EXPECT_TRUE(was_refused);
  // 32 MiB, what is looked at once in 4 MiB, and what malloc adds to a piece (16 bytes).
  EXPECT_LT(pieces.size() * 4096, 40 * kMiB);
  for (void* piece : pieces) std::free(piece);
}

TEST(memory_text, has_three_digits_and_a_unit) {
  EXPECT_EQ(memory_text(17), "17 bytes");
  EXPECT_EQ(memory_text(3 * kMiB / 2), "1.5 MiB");
  EXPECT_EQ(memory_text(512 * kMiB), "512 MiB");
  EXPECT_EQ(memory_text(1234 * kMiB), "1.21 GiB");
}

TEST(num_processors, is_that_of_the_affinity) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(num_processors(), CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(num_processors(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace credo::memory_test
