// Pieces of numeric work over the threads of a team. No result depends on which thread does a piece.
#pragma once
#include <atomic>
#include <exception>
#include <mutex>

#include "base/team.hpp"

namespace credo::models {

class WorkerTeam {
 public:
  // 0: as many as there are processors.
  explicit WorkerTeam(Index num_threads = 0);
  Index size() const { return team_.size(); }

  // piece(k, member) for k = 0, ..., count - 1, the first ones first. Throws the exception of one of them.
  template <class Piece>
  void for_each(Index count, Piece&& piece) {
    struct Call {
      std::remove_reference_t<Piece>* piece;
      std::atomic<Index> next = 0;
      Index count = 0;
      std::mutex lock = {};
      std::exception_ptr thrown = nullptr;
    } call{.piece = &piece, .count = count};
    team_.run(
        [](void* context, Index member) {
          Call& own = *static_cast<Call*>(context);
          try {
            for (Index k = own.next++; k < own.count; k = own.next++) (*own.piece)(k, member);
          } catch (...) {
            own.next = own.count;
            const std::scoped_lock guard(own.lock);
            own.thrown = std::current_exception();
          }
        },
        &call);
    if (call.thrown) std::rethrow_exception(call.thrown);
  }

 private:
  Team team_;
};

}  // namespace credo::models
