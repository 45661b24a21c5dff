// Ranks that are threads of the test, with a room where messages lie until they are taken.
#pragma once
#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "base/ranks.hpp"

namespace credo::testing {

class ThreadRanks {
 public:
  explicit ThreadRanks(Index size) : size_(size) {}

  // work(ranks) on each of them, until rank 0 has ended and dismissed the others; throws what rank 0 threw.
  void run(const std::function<void(Ranks&)>& work) {
    std::vector<std::jthread> others;
    for (Index r = 1; r < size_; ++r) others.emplace_back([this, r, &work] { serve(r, work); });
    Member first(*this, 0);
    std::exception_ptr failure;
    try {
      work_on(first, work);
    } catch (...) {
      failure = std::current_exception();
    }
    for (Index r = 1; r < size_; ++r) first.send(r, RankTag::task, "");
    others.clear();
    if (failure) std::rethrow_exception(failure);
  }
  // How often each rank said that its share was done.
  Index num_shares_done() const { return num_shares_done_; }

 private:
  class Member final : public Ranks {
   public:
    Member(ThreadRanks& room, Index rank) : room_(room), rank_(rank) {}
    Index rank() const override { return rank_; }
    Index size() const override { return room_.size_; }
    Index num_processors() const override { return 1; }
    void send(Index to, RankTag tag, std::string_view bytes) override {
      const std::lock_guard lock(room_.busy_);
      room_.letters_.push_back({rank_, to, tag, std::string(bytes)});
    }
    std::optional<Message> take(Index from, RankTag tag) override {
      const std::lock_guard lock(room_.busy_);
      for (auto letter = room_.letters_.begin(); letter != room_.letters_.end(); ++letter) {
        if (letter->to != rank_ || letter->tag != tag) continue;
        if (from != kAnyone && letter->from != from) continue;
        Message message{.from = letter->from, .bytes = std::move(letter->bytes)};
        room_.letters_.erase(letter);
        return message;
      }
      return std::nullopt;
    }

   private:
    ThreadRanks& room_;
    const Index rank_;
  };
  struct Letter {
    Index from, to;
    RankTag tag;
    std::string bytes;
  };

  static void work_on(Ranks& ranks, const std::function<void(Ranks&)>& work) {
    const RanksScope over(&ranks);
    work(ranks);
  }
  void serve(Index rank, const std::function<void(Ranks&)>& work) {
    Member member(*this, rank);
    try {
      work_on(member, work);
    } catch (const ShareDone&) {
      ++num_shares_done_;
    } catch (const RanksDismissed&) {
    }
  }

  const Index size_;
  std::mutex busy_;
  std::deque<Letter> letters_;
  std::atomic<Index> num_shares_done_ = 0;
};

}  // namespace credo::testing
