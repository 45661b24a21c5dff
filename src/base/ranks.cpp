#include "base/ranks.hpp"

#include <chrono>
#include <thread>

#include "base/memory.hpp"

namespace credo {

// The first waits only offer the processor to others: an answer comes within microseconds mostly.
void Patience::wait() {
  constexpr Index kAwake = 2000, kMostMicroseconds = 1000;
  if (++num_waits_ <= kAwake) return std::this_thread::yield();
  const Index length = std::min(kMostMicroseconds, (num_waits_ - kAwake) * 20);
  std::this_thread::sleep_for(std::chrono::microseconds(length));
}

Ranks::Message receive(Ranks& ranks, Index from, RankTag tag) {
  Patience patience;
  for (;;) {
    if (auto message = ranks.take(from, tag)) return std::move(*message);
    patience.wait();
  }
}

RankFailure failure_of(const std::exception_ptr& thrown) {
  if (!thrown) return {};
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return {static_cast<Index>(error.code()), error.message(), error.where(), error.hint()};
  } catch (const std::bad_alloc& failure) {
    const Error error = memory_error(failure);
    return {static_cast<Index>(error.code()), error.message(), error.where(), error.hint()};
  } catch (const std::exception& error) {
    return {static_cast<Index>(ErrorCode::internal),
            std::string("internal fault: ") + error.what() + "; please report it"};
  } catch (...) {
    return {static_cast<Index>(ErrorCode::internal), "internal fault; please report it"};
  }
}

Error error_of(const RankFailure& failure) {
  return {static_cast<ErrorCode>(failure.code), failure.message, failure.where, failure.hint};
}

}  // namespace credo
