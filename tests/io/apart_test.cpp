// Work in a process of its own: its end, its errors, and work that nobody waits for.
#include "io/apart.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace credo::io::apart_test {
namespace {

// A pipe over which the other process waits, or says that it works.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends), 0); }
  ~Pipe() { ::close(ends[0]), ::close(ends[1]); }
  void wait() const {
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  }
  void signal() const { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  int ends[2] = {};
};

TEST(WorkApart, goes_on_beside_this_process) {
  const Pipe begun, may_end;
  WorkApart work([&] {
    begun.signal();
    may_end.wait();
  });
  begun.wait();
  EXPECT_FALSE(work.has_ended());
  may_end.signal();
  work.wait();
  EXPECT_TRUE(work.has_ended());
  work.wait();  // returns at once
}

TEST(WorkApart, passes_its_error_on) {
  WorkApart work([] { throw Error(ErrorCode::io, "no room", "there", "make some"); });
  try {
    work.wait();
    FAIL() << "an error is passed on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(error.message(), "no room");
    EXPECT_EQ(error.where(), "there");
    EXPECT_EQ(error.hint(), "make some");
  }
}

TEST(WorkApart, reports_a_crash) {
  WorkApart work([] { std::abort(); });
  EXPECT_THROW(work.wait(), Error);
}

TEST(WorkApart, ends_with_what_waits_for_it) {
  const Pipe begun, never;
  int process = 0;
  {
    const Pipe number;
    const WorkApart work([&] {
      const int own = ::getpid();
      EXPECT_EQ(::write(number.ends[1], &own, sizeof own), static_cast<ssize_t>(sizeof own));
      never.wait();
    });
    EXPECT_EQ(::read(number.ends[0], &process, sizeof process),
              static_cast<ssize_t>(sizeof process));
  }
  EXPECT_NE(::kill(process, 0), 0);  // gone, and waited for
}

}  // namespace
}  // namespace credo::io::apart_test
