// Blocks of a run on their way to its file: committed one after another by a thread of their own,
// so that chains don't wait for the disk.
//
//   BlockQueue queue([&](std::span<const io::RunBlock> blocks) { file.append(blocks); });
//   queue.push({.chain = 0, .groups = …});   // any thread
//   queue.drain();                         // all of them are committed
//
// At most 32 MiB wait; a caller that brings more waits, too. A program that is killed loses waiting blocks,
// as it loses blocks in the making. The first commit that throws is the last: every later call of
// push and drain throws the same exception.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>

#include "io/run_file.hpp"

namespace credo::results {

struct QueuedRows {
  Index group = io::kDraws, num_rows = 0;
  std::vector<double> rows = {};
};

// Rows of one chain, group by group, and its state after them.
struct QueuedBlock {
  Index chain = 0, iteration = 0;
  std::vector<QueuedRows> groups = {};
  std::string state = {}, result = {};
  bool finished = false;

  std::size_t num_bytes() const;
};

class BlockQueue {
 public:
  using Commit = std::function<void(std::span<const io::RunBlock>)>;
  explicit BlockQueue(Commit commit);
  ~BlockQueue();  // commits waiting blocks; a failure then is ignored
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;

  void push(QueuedBlock block);
  void drain();
  void end();  // after drain(), and the thread is gone until the next push

 private:
  class Thread;
  void start();
  void work();
  void rethrow_failure() const;
  void take(std::unique_lock<std::mutex>& lock);
  void take_alone(std::unique_lock<std::mutex>& lock);

  Commit commit_;
  std::mutex busy_;
  std::condition_variable came_, went_;
  std::deque<QueuedBlock> waiting_;
  std::size_t num_bytes_ = 0;
  bool is_committing_ = false, is_ending_ = false, has_no_thread_ = false;
  std::exception_ptr failure_;
  std::unique_ptr<Thread> thread_;  // from the first block on
};

}  // namespace credo::results
