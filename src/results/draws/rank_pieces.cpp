#include "results/draws/rank_pieces.hpp"

#include <mutex>
#include <thread>

#include "base/archive.hpp"
#include "base/memory.hpp"
#include "base/rank_meeting.hpp"
#include "base/stop.hpp"
#include "results/draws/share_out.hpp"

namespace credo::results {
namespace {

struct PieceResult {
  Index piece = -1;  // -1 in the last message of a rank
  std::string result = {};
  RankFailure failure = {};
  bool stopped = false;
  static void saved(auto& self, auto&& field) {
    field(self.piece);
    field(self.result);
    field(self.failure);
    field(self.stopped);
  }
};

// Does them over threads, until they are done or `stop` is set. Errors are thrown, and Stopped, too.
void do_pieces(Ranks& ranks, const RankPieces& work, std::span<const Index> own, StopFlag& stop,
               const std::function<void(Index, std::string)>& give) {
  const RanksScope alone(nullptr);
  const StopScope scope(&stop);
  share_out(own, work.num_threads > 0 ? work.num_threads : ranks.num_processors(),
            [&]() -> PieceWorker {
              return [&, piece_of = work.make_worker()](Index piece) {
                stop_if_asked();
                give(piece, piece_of(piece));
              };
            });
}

class LeadPieces {
 public:
  LeadPieces(Ranks& ranks, const RankPieces& work)
      : ranks_(ranks), work_(work), outer_stop_(current_stop()), num_open_(ranks.size() - 1) {}

  void run() {
    gather_ranks(ranks_, {});
    for (Index r = 1; r < ranks_.size(); ++r) ranks_.send(r, RankTag::go, archived(pieces_of(r)));
    {
      const std::jthread listener([this, use = current_memory_use()] { listen(*use); });
      const std::vector<Index> own = pieces_of(0);
      guarded([&] {
        do_pieces(ranks_, work_, own, stop_, [&](Index piece, const std::string& result) {
          const std::lock_guard lock(taking_);
          work_.take(piece, result);
        });
      });
      is_own_done_ = true;
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::vector<Index> pieces_of(Index rank) const {
    std::vector<Index> own;
    for (Index k = rank; k < ssize(work_.pieces); k += ranks_.size())
      own.push_back(work_.pieces[static_cast<std::size_t>(k)]);
    return own;
  }

  void listen(const MemoryUse& use) {
    const MemoryScope memory(use);
    while (num_open_ > 0 || !is_own_done_) {
      while (const auto message = ranks_.take(Ranks::kAnyone, RankTag::records))
        guarded([&] { hear(message->bytes); });
      if (outer_stop_->load(std::memory_order_relaxed)) stop_ = true;
      if (stop_ && !std::exchange(is_stop_sent_, true))
        for (Index r = 1; r < ranks_.size(); ++r) ranks_.send(r, RankTag::control, "stop");
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }

  void hear(const std::string& bytes) {
    const auto done = from_archive<PieceResult>(bytes, "result of a rank");
    if (done.piece >= 0) {
      const std::lock_guard lock(taking_);
      return work_.take(done.piece, done.result);
    }
    --num_open_;
    if (done.failure.code != 0) throw error_of(done.failure);
    if (done.stopped) throw Stopped{};
  }

  // The first thing that goes wrong ends the work.
  void guarded(const std::function<void()>& part) {
    try {
      part();
    } catch (...) {
      const std::lock_guard lock(taking_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  Ranks& ranks_;
  const RankPieces& work_;
  const StopFlag* outer_stop_;
  StopFlag stop_{false};
  std::mutex taking_;
  Index num_open_;  // ranks that aren't done
  bool is_stop_sent_ = false;
  std::atomic<bool> is_own_done_ = false;
  std::exception_ptr failure_;
};

void do_share_of_pieces(Ranks& ranks, const RankPieces& work) {
  const auto own = from_archive<std::vector<Index>>(meet_rank_0(ranks, {}), "pieces from rank 0");
  PieceResult end;
  StopFlag stop{false};
  try {
    const std::jthread listener([&](const std::stop_token& is_over) {
      for (; !is_over.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(1)))
        if (ranks.take(0, RankTag::control)) stop = true;
    });
    do_pieces(ranks, work, own, stop, [&](Index piece, std::string result) {
      ranks.send(0, RankTag::records,
                 archived(PieceResult{.piece = piece, .result = std::move(result)}));
    });
  } catch (const Stopped&) {
    end.stopped = true;
  } catch (...) {
    end.failure = failure_of(std::current_exception());
  }
  ranks.send(0, RankTag::records, archived(end));
}
}  // namespace

void share_out_over(Ranks& ranks, const RankPieces& work) {
  if (ranks.rank() == 0) return LeadPieces(ranks, work).run();
  do_share_of_pieces(ranks, work);
  throw ShareDone{};
}

}  // namespace credo::results
