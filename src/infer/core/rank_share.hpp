// Division of a run of J jobs over K ranks. There are min(J, K) teams. The first rank of a team does
// the team's jobs; the others, where there are more ranks than jobs, evaluate points for it.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

struct RankShare {
  Index leader = 0;                      // first rank of the team
  Index first_helper = 1, end_rank = 1;  // helpers: up to end_rank
  Index first_job = 0, end_job = 0;
  bool leads(Index rank) const { return rank == leader; }
  bool has(Index job) const { return job >= first_job && job < end_job; }
};

inline RankShare share_of(Index rank, Index num_ranks, Index num_jobs) {
  const Index num_teams = std::max<Index>(1, std::min(num_ranks, num_jobs));
  const Index team = rank * num_teams / num_ranks;
  const auto first_of = [&](Index t) { return (t * num_ranks + num_teams - 1) / num_teams; };
  return {.leader = first_of(team),
          .first_helper = first_of(team) + 1,
          .end_rank = first_of(team + 1),
          .first_job = num_jobs * team / num_teams,
          .end_job = num_jobs * (team + 1) / num_teams};
}

}  // namespace credo::infer
