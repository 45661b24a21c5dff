#include "results/files/block_queue.hpp"

#include <thread>

namespace credo::results {
namespace {
constexpr std::size_t kMostBytes = std::size_t{32} << 20;

// The last one has the state.
std::vector<io::RunBlock> view(const QueuedBlock& block) {
  std::vector<io::RunBlock> all;
  for (const QueuedRows& group : block.groups)
    all.push_back({.chain = block.chain,
                   .group = group.group,
                   .iteration = block.iteration,
                   .num_rows = group.num_rows,
                   .rows = group.rows});
  all.back().state = block.state;
  all.back().result = block.result;
  all.back().finished = block.finished;
  return all;
}
}  // namespace

std::size_t QueuedBlock::num_bytes() const {
  std::size_t bytes = state.size() + result.size();
  for (const QueuedRows& group : groups) bytes += group.rows.size() * sizeof(double);
  return bytes;
}

class BlockQueue::Thread {
 public:
  explicit Thread(BlockQueue& queue) : thread_([&queue] { queue.work(); }) {}
  ~Thread() { thread_.join(); }

 private:
  std::thread thread_;
};

BlockQueue::BlockQueue(Commit commit) : commit_(std::move(commit)) {}

BlockQueue::~BlockQueue() {
  {
    const std::lock_guard lock(busy_);
    is_ending_ = true;
  }
  came_.notify_one();
  thread_.reset();
}

void BlockQueue::push(QueuedBlock block) {
  std::unique_lock lock(busy_);
  const std::size_t size = block.num_bytes();
  went_.wait(lock, [&] { return failure_ || num_bytes_ == 0 || num_bytes_ + size <= kMostBytes; });
  rethrow_failure();
  if (!thread_ && !has_no_thread_) start();
  waiting_.push_back(std::move(block));
  num_bytes_ += size;
  if (thread_) return came_.notify_one();
  while (!waiting_.empty()) take_alone(lock);
  rethrow_failure();
}

// Starts the thread. If the system gives none, the caller of push commits its block.
void BlockQueue::start() {
  try {
    thread_ = std::make_unique<Thread>(*this);
  } catch (const std::system_error&) {
    has_no_thread_ = true;
  }
}

void BlockQueue::take_alone(std::unique_lock<std::mutex>& lock) {
  if (is_committing_)
    went_.wait(lock, [&] { return !is_committing_; });
  else
    take(lock);
  went_.notify_all();
}

void BlockQueue::drain() {
  std::unique_lock lock(busy_);
  went_.wait(lock, [&] { return waiting_.empty() && !is_committing_; });
  rethrow_failure();
}

void BlockQueue::end() {
  {
    std::unique_lock lock(busy_);
    went_.wait(lock, [&] { return waiting_.empty() && !is_committing_; });
    is_ending_ = true;
  }
  came_.notify_one();
  thread_.reset();
  is_ending_ = false;
  rethrow_failure();
}

void BlockQueue::rethrow_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

void BlockQueue::work() {
  std::unique_lock lock(busy_);
  while (true) {
    came_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    take(lock);
    went_.notify_all();
  }
}

// Commits the first block, or drops it behind a failure. The lock is free meanwhile.
void BlockQueue::take(std::unique_lock<std::mutex>& lock) {
  const QueuedBlock block = std::move(waiting_.front());
  waiting_.pop_front();
  std::exception_ptr failure = failure_;
  is_committing_ = true;
  lock.unlock();
  try {
    if (!failure) commit_(view(block));
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  is_committing_ = false;
  failure_ = failure;
  num_bytes_ -= block.num_bytes();
}

}  // namespace credo::results
