// Numbered pieces of work over threads. The choice of a thread never changes a result.
#pragma once
#include <mutex>

#include "base/archive.hpp"
#include "results/draws/rank_pieces.hpp"

namespace credo::results {

using PieceWorker = std::function<void(Index piece)>;

// Does each of the pieces. `make_worker` is called once on each thread, so that a worker has memory of its own. The
// first exception of a worker ends the work and is thrown here.
void share_out(std::span<const Index> pieces, Index num_threads,
               const std::function<PieceWorker()>& make_worker);

// Results of pieces 0 ... count - 1. Those in `known` aren't done again; `on_done` is called with the others as they are
// done, from any thread, one call at a time. `make_worker` returns a function from a number to a Result. If the caller works
// over ranks (base/ranks.hpp), so does this, for results that can be saved; ShareDone on a rank other than 0.
template <class Result, class MakeWorker>
std::vector<Result> share_out_results(
    Index count, Index num_threads, const std::map<Index, Result>& known,
    const std::function<void(Index number, const Result&)>& on_done,
    const MakeWorker& make_worker) {
  std::vector<Result> all(static_cast<std::size_t>(count));
  std::vector<Index> waiting;
  for (Index k = 0; k < count; ++k) {
    const auto place = known.find(k);
    if (place == known.end())
      waiting.push_back(k);
    else
      all[static_cast<std::size_t>(k)] = place->second;
  }
  if constexpr (Saved<Result>) {
    if (Ranks* const ranks = current_ranks()) {
      const auto make = [&] {
        return [work = make_worker()](Index number) { return archived(work(number)); };
      };
      const auto take = [&](Index number, const std::string& bytes) {
        Result result = from_archive<Result>(bytes, "result of a rank");
        if (on_done) on_done(number, result);
        all[static_cast<std::size_t>(number)] = std::move(result);
      };
      share_out_over(*ranks, {waiting, num_threads, make, take});
      return all;
    }
  }
  std::mutex mutex;
  share_out(waiting, num_threads, [&]() -> PieceWorker {
    return [&, work = make_worker()](Index number) {
      Result result = work(number);
      const std::lock_guard lock(mutex);
      if (on_done) on_done(number, result);
      all[static_cast<std::size_t>(number)] = std::move(result);
    };
  });
  return all;
}

}  // namespace credo::results
