#include "infer/smc/deal_blocks.hpp"

#include <atomic>
#include <mutex>

#include "base/team.hpp"

namespace credo::infer {

void deal_blocks(Team* team, Index num_blocks, const std::function<void(Index, Index)>& work,
                 FirstBlock first) {
  Index begin = 0;
  if (first == FirstBlock::alone) work(begin++, 0);
  if (team == nullptr || num_blocks == 1) {
    for (Index b = begin; b < num_blocks; ++b) work(b, 0);
    return;
  }
  struct Share {
    const std::function<void(Index, Index)>& work;
    Index end;
    std::atomic<Index> next;
    std::mutex mutex = {};
    std::exception_ptr failed = {};
  } share{work, num_blocks, begin};
  team->run(
      [](void* context, Index member) {
        auto& s = *static_cast<Share*>(context);
        for (Index b = s.next++; b < s.end; b = s.next++) {
          try {
            s.work(b, member);
          } catch (...) {
            const std::lock_guard lock(s.mutex);
            s.failed = std::current_exception();
            s.next = s.end;
          }
        }
      },
      &share);
  if (share.failed) std::rethrow_exception(share.failed);
}

}  // namespace credo::infer
