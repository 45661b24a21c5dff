// The numbers by which statuses of evaluations name the failures of a program's checks.
#pragma once
#include <mutex>

#include "density/log_density.hpp"
#include "lang/trace/machine.hpp"

namespace credo::model {

class Statuses {
 public:
  std::int32_t number_of(const lang::Failure& failure) {  // from 1 on
    const std::lock_guard lock(mutex_);
    const auto same = std::find(failures_.begin(), failures_.end(), failure);
    if (same != failures_.end()) return static_cast<std::int32_t>(same - failures_.begin() + 1);
    failures_.push_back(failure);
    return static_cast<std::int32_t>(failures_.size());
  }
  // Empty where a term wasn't finite.
  std::optional<lang::Failure> failure_of(const density::Status& status) const {
    const std::lock_guard lock(mutex_);
    if (status.source <= 0 || status.source > ssize(failures_)) return std::nullopt;
    return failures_[static_cast<std::size_t>(status.source - 1)];
  }

 private:
  mutable std::mutex mutex_;  // not locked by steady-state evaluations
  std::vector<lang::Failure> failures_;
};

}  // namespace credo::model
