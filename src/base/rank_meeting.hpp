// How ranks begin one piece of work together: each says that it is ready, or why it can't be; rank 0 says go.
#pragma once
#include "base/ranks.hpp"

namespace credo {

struct RankReady {
  RankFailure failure = {};
  std::vector<std::vector<std::string>> settings = {};  // name, value: equal on all ranks
  static void saved(auto& self, auto&& field) {
    field(self.failure);
    field(self.settings);
  }
};

// Rank 0. Waits for all. Throws Error as the first one failed, or Error(usage) where one has other settings.
void gather_ranks(Ranks& ranks, const RankReady& own);

// Other ranks. Returns what rank 0 says to begin with; throws RanksDismissed where rank 0 has ended instead.
std::string meet_rank_0(Ranks& ranks, const RankReady& own);
// Reports the failure of a rank that failed before the meeting.
void report_failure(Ranks& ranks, const std::exception_ptr& failure);

}  // namespace credo
