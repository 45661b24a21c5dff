// Independent pieces of work where the system starts no threads.
#include "base/tasks.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <system_error>
#include <thread>

namespace credo {
namespace {
// While it lives, no thread can be started: stacks are larger than the address space.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 50);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(tasks, are_all_done_once_where_no_thread_can_be_started) {
  std::vector<std::atomic<int>> done(20);
  std::vector<std::function<void()>> tasks;
  for (std::atomic<int>& count : done) tasks.emplace_back([&count] { ++count; });
  const NoThreads none;
  EXPECT_THROW(std::jthread([] {}), std::system_error);  // the refusal is real
  do_all(tasks);
  for (const std::atomic<int>& count : done) EXPECT_EQ(count, 1);
}

TEST(tasks, throw_what_the_first_of_them_threw) {
  std::vector<std::function<void()>> tasks(8, [] {});
  tasks[2] = [] { throw std::runtime_error("second"); };
  tasks[6] = [] { throw std::logic_error("sixth"); };
  EXPECT_THROW(do_all(tasks), std::runtime_error);
  do_all({});
}
}  // namespace
}  // namespace credo
