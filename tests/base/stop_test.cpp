#include "base/stop.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace credo::stop_test {
namespace {

TEST(stop, is_asked_by_the_flag_of_the_scope) {
  StopFlag flag{false};
  EXPECT_FALSE(stop_asked());
  {
    const StopScope scope(&flag);
    EXPECT_NO_THROW(stop_if_asked());
    flag = true;
    EXPECT_TRUE(stop_asked());
    EXPECT_THROW(stop_if_asked(), Stopped);
    const StopScope unstoppable;
    EXPECT_NO_THROW(stop_if_asked());
  }
  EXPECT_NO_THROW(stop_if_asked());
}

TEST(stop, is_another_threads_only_if_it_is_handed_on) {
  StopFlag flag{true};
  const StopScope scope(&flag);
  bool own = true, handed_on = false;
  std::jthread([&] { own = stop_asked(); }).join();
  std::jthread([&handed_on, stop = current_stop()] {
    const StopScope theirs(stop);
    handed_on = stop_asked();
  }).join();
  EXPECT_FALSE(own);
  EXPECT_TRUE(handed_on);
}

}  // namespace
}  // namespace credo::stop_test
