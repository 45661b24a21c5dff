#include "base/team.hpp"

#include <atomic>
#include <thread>

#include "base/error.hpp"
#include "base/processors.hpp"

namespace credo {
namespace {
using Number = std::atomic<std::uint32_t>;

// While the piece of work is open, helpers may enter; the other bits count the threads inside.
constexpr std::uint32_t kOpen = std::uint32_t{1} << 31;
// About 10 and 100 microseconds.
constexpr int kSpins = 400, kYields = 200;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Until the number isn't `old`: first awake, then asleep. Returns the new one.
std::uint32_t await_change(const Number& number, std::uint32_t old, bool spins) {
  std::uint32_t now = number.load(std::memory_order_acquire);
  for (int k = 0; now == old && spins && k < kSpins; ++k) {
    relax();
    now = number.load(std::memory_order_acquire);
  }
  for (int k = 0; now == old && k < kYields; ++k) {
    std::this_thread::yield();
    now = number.load(std::memory_order_acquire);
  }
  while (now == old) {
    number.wait(old, std::memory_order_acquire);
    now = number.load(std::memory_order_acquire);
  }
  return now;
}
}  // namespace

struct Team::Hall {
  ~Hall();
  void start(Index num_helpers);
  void help(Index member);
  bool enter();
  void leave();
  void await_all(std::uint32_t helpers) const;

  alignas(64) Number piece = 0;  // counts pieces of work: what helpers wait for
  alignas(64) Number gate = 0;   // kOpen + helpers inside
  alignas(64) Number arrivals = 0;
  Work work = nullptr;
  void* context = nullptr;
  std::atomic<bool> ends = false;
  bool spins = true;
  std::vector<std::jthread> threads;
};

Team::Hall::~Hall() {
  ends.store(true, std::memory_order_release);
  piece.fetch_add(1, std::memory_order_release);
  piece.notify_all();
}

void Team::Hall::start(Index num_helpers) {
  for (Index member = 1; member <= num_helpers; ++member) {
    try {
      threads.emplace_back([this, member] { help(member); });
    } catch (const std::system_error& reason) {
      thread_refused(member + 1, num_helpers + 1, reason);
    }
  }
}

bool Team::Hall::enter() {
  std::uint32_t now = gate.load(std::memory_order_relaxed);
  while ((now & kOpen) != 0) {
    if (!gate.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) continue;
    arrivals.fetch_add(1, std::memory_order_release);
    return true;
  }
  return false;
}

void Team::Hall::leave() {
  if (gate.fetch_sub(1, std::memory_order_acq_rel) == 1) gate.notify_one();
}

void Team::Hall::await_all(std::uint32_t helpers) const {
  while (arrivals.load(std::memory_order_acquire) < helpers) std::this_thread::yield();
}

void Team::Hall::help(Index member) {
  for (std::uint32_t last = 0;;) {
    last = await_change(piece, last, spins);
    if (ends.load(std::memory_order_acquire)) return;
    if (!enter()) continue;
    work(context, member);
    leave();
  }
}

Team::Team(Index num_members, Attendance attendance)
    : size_(num_members), attendance_(attendance), hall_(std::make_unique<Hall>()) {
  CREDO_ASSERT(num_members >= 1 && num_members <= kMost, "a team of 1 to 64");
  hall_->spins = num_members <= num_processors();
  hall_->start(num_members - 1);
}

Team::~Team() = default;

void Team::run(Work work, void* context) {
  if (size_ == 1) return work(context, 0);
  Hall& hall = *hall_;
  hall.work = work, hall.context = context;
  hall.arrivals.store(0, std::memory_order_relaxed);
  hall.gate.store(kOpen, std::memory_order_release);
  hall.piece.fetch_add(1, std::memory_order_release);
  hall.piece.notify_all();
  work(context, 0);
  if (attendance_ == Attendance::everybody) hall.await_all(static_cast<std::uint32_t>(size_ - 1));
  std::uint32_t inside = hall.gate.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  while (inside != 0) inside = await_change(hall.gate, inside, hall.spins);
}

}  // namespace credo
