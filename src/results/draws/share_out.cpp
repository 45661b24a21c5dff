#include "results/draws/share_out.hpp"

#include <atomic>
#include <thread>

#include "base/processors.hpp"
#include "base/stop.hpp"

namespace credo::results {
namespace {

class PieceCrew {
 public:
  PieceCrew(std::span<const Index> pieces, const std::function<PieceWorker()>& make_worker)
      : pieces_(pieces), make_worker_(make_worker) {}

  void work(Index num_threads) {
    std::vector<std::jthread> helpers;
    for (Index t = 1; t < std::min(num_threads, ssize(pieces_)); ++t)
      helpers.emplace_back([this, stop = current_stop()] {
        const StopScope scope(stop);
        take_part();
      });
    take_part();
    helpers.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void take_part() {
    try {
      const PieceWorker worker = make_worker_();
      for (;;) {
        const std::size_t next = next_++;
        if (next >= pieces_.size() || fails_) return;
        stop_if_asked();
        worker(pieces_[next]);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      fails_ = true;
    }
  }

  std::span<const Index> pieces_;
  const std::function<PieceWorker()>& make_worker_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> fails_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};
}  // namespace

void share_out(std::span<const Index> pieces, Index num_threads,
               const std::function<PieceWorker()>& make_worker) {
  if (pieces.empty()) return;
  PieceCrew(pieces, make_worker).work(num_threads > 0 ? num_threads : num_processors());
}

}  // namespace credo::results
