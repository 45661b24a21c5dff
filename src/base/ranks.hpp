// Processes that do one piece of work together, started by mpirun or srun: ranks 0 ... size() - 1.
//
// Rank 0 is the program that its user talks to. The others help: they write no files and no messages. Code that
// starts work for several ranks declares it for its own thread:
//
//   const RanksScope scope(ranks);   // work of this thread is dealt over them from now on
//   ... if (Ranks* all = current_ranks()) ...
//
// Dealing work over ranks never changes a number (docs/mpi.md).
#pragma once
#include "base/error.hpp"
#include "base/types.hpp"

namespace credo {

// Subject of a message. Messages of one sender with one tag arrive in their order.
enum class RankTag {
  task,     // from rank 0: what to do next; empty: nothing any more
  ready,    // to rank 0: what the rank is about to do, or why it can't
  go,       // from rank 0: begin, with the state from which this rank's share resumes
  records,  // to rank 0: what its share yields
  control,  // from rank 0, while shares are done
  request,  // points to evaluate, for a helper
  answer    // of a helper
};

class Ranks {
 public:
  struct Message {
    Index from = 0;
    std::string bytes;
  };
  static constexpr Index kAnyone = -1;

  virtual ~Ranks() = default;
  virtual Index rank() const = 0;
  virtual Index size() const = 0;
  // Processors of this rank: its share, if ranks of one machine share them.
  virtual Index num_processors() const = 0;
  // Any thread may call these. send() returns once `bytes` may be changed.
  virtual void send(Index to, RankTag tag, std::string_view bytes) = 0;
  virtual std::optional<Message> take(Index from, RankTag tag) = 0;  // empty: none has arrived
};

// Waits in short sleeps, the shorter the less time has passed since its making or the last rest.
class Patience {
 public:
  void wait();
  void rest() { num_waits_ = 0; }

 private:
  Index num_waits_ = 0;
};

// Waits for one.
Ranks::Message receive(Ranks& ranks, Index from, RankTag tag);

namespace ranks_detail {
inline constinit thread_local Ranks* current = nullptr;
}

// This thread's ranks; null if work isn't dealt over ranks. Threads that it starts don't inherit them.
inline Ranks* current_ranks() { return ranks_detail::current; }

class RanksScope {
 public:
  explicit RanksScope(Ranks* ranks) : before_(std::exchange(ranks_detail::current, ranks)) {}
  ~RanksScope() { ranks_detail::current = before_; }
  RanksScope(const RanksScope&) = delete;
  RanksScope& operator=(const RanksScope&) = delete;

 private:
  Ranks* before_;
};

// Not an Error: a rank other than 0 has done its share, and what follows is rank 0's alone.
struct ShareDone {};
// Nor is this: rank 0 has ended without it.
struct RanksDismissed {};

// An exception on its way to another rank.
struct RankFailure {
  Index code = 0;  // an ErrorCode; 0 without a failure
  std::string message = {}, where = {}, hint = {};

  static void saved(auto& self, auto&& field) {
    field(self.code);
    field(self.message);
    field(self.where);
    field(self.hint);
  }
};
RankFailure failure_of(const std::exception_ptr& thrown);  // for null: no failure
Error error_of(const RankFailure& failure);

}  // namespace credo
