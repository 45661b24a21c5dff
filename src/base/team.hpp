// Threads that help with one piece of work at a time.
//
// Handing out and joining takes about a microsecond while the helpers are awake. They stay so for a
// while behind each piece (first spinning, then offering their processor to others), then sleep.
// Nobody waits for a helper that doesn't come: the work must be such that those who came do all of
// it, whoever they are. Nothing allocates or locks once the team is made.
#pragma once
#include "base/types.hpp"

namespace credo {

class Team {
 public:
  enum class Attendance {
    whoever_comes,
    everybody  // the caller waits until all have come: for tests
  };
  static constexpr Index kMost = 64;  // members

  // The caller of run() is one of the members; the others are started here.
  explicit Team(Index num_members, Attendance attendance = Attendance::whoever_comes);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  Index size() const { return size_; }

  // work(context, 0) here, and work(context, k) for other members k at the same time, for some
  // perhaps not at all and for some again after it returned. Ends when all calls have. One caller
  // at a time; work must not throw.
  using Work = void (*)(void* context, Index member);
  void run(Work work, void* context);

 private:
  struct Hall;  // meeting place of the members
  Index size_;
  Attendance attendance_;
  std::unique_ptr<Hall> hall_;
};

}  // namespace credo
