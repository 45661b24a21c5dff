#include "base/rank_meeting.hpp"

#include <fmt/format.h>

#include "base/archive.hpp"

namespace credo {
namespace {
void require_same(const RankReady& own, const RankReady& other, Index rank) {
  for (std::size_t k = 0; k < own.settings.size(); ++k) {
    if (k < other.settings.size() && own.settings[k] == other.settings[k]) continue;
    const std::string theirs = k < other.settings.size() ? other.settings[k].back() : "nothing";
    throw Error(ErrorCode::usage,
                fmt::format("the ranks don't do the same: {} is {} on rank 0 and {} on rank {}",
                            own.settings[k].front(), own.settings[k].back(), theirs, rank),
                "mpirun", "start the same program with the same files on machines of one kind");
  }
}
}  // namespace

void gather_ranks(Ranks& ranks, const RankReady& own) {
  for (Index r = 1; r < ranks.size(); ++r) {
    const auto other =
        from_archive<RankReady>(receive(ranks, r, RankTag::ready).bytes, "word of a rank");
    if (other.failure.code != 0) {
      RankFailure failure = other.failure;
      failure.message = fmt::format("rank {}: {}", r, failure.message);
      throw error_of(failure);
    }
    require_same(own, other, r);
  }
}

std::string meet_rank_0(Ranks& ranks, const RankReady& own) {
  ranks.send(0, RankTag::ready, archived(own));
  for (Patience patience;; patience.wait()) {
    if (auto message = ranks.take(0, RankTag::go)) return std::move(message->bytes);
    if (ranks.take(0, RankTag::task)) throw RanksDismissed{};
  }
}

void report_failure(Ranks& ranks, const std::exception_ptr& failure) {
  ranks.send(0, RankTag::ready, archived(RankReady{.failure = failure_of(failure)}));
}

}  // namespace credo
