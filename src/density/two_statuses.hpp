// One number for the refusals of two densities, which may both have any numbers but 0: those of the first one become even,
// those of the second one odd.
#pragma once
#include "density/log_density.hpp"

namespace credo::density {

inline Status of_first(Status status) {
  status.source *= 2;
  return status;
}
inline Status of_second(Status status) {
  status.source = 2 * status.source + 1;
  return status;
}

// Description by the density that refused.
inline std::string describe_of_two(const Status& status, const LogDensity& first,
                                   const LogDensity& second) {
  Status own = status;
  const bool is_second = status.source % 2 != 0;
  own.source = is_second ? (status.source - 1) / 2 : status.source / 2;
  return is_second ? second.describe(own) : first.describe(own);
}

// Evaluates both densities at the points of a batch: the batch answers for one, requests of its own for the other.
class TwoEvaluators : public Evaluator {
 public:
  TwoEvaluators(const LogDensity& asked, const LogDensity& beside)
      : asked_(asked.make_evaluator()),
        beside_(beside.make_evaluator()),
        dimension_(static_cast<std::size_t>(asked.dimension())) {}

  void evaluate(Want want, std::span<Request* const> batch) override;
  void use_threads(Index num_threads) override {
    asked_->use_threads(num_threads);
    beside_->use_threads(num_threads);
  }

 private:
  // Makes one answer of both, in `request`, which has the answer of `asked`.
  virtual void join(const Request& beside, Request& request) const = 0;
  void set_up(Want want, std::span<Request* const> batch);

  std::unique_ptr<Evaluator> asked_, beside_;
  std::size_t dimension_;
  std::vector<Request> requests_;  // for `beside`
  std::vector<Request*> pointers_;
  std::vector<double> gradients_;
};

}  // namespace credo::density
