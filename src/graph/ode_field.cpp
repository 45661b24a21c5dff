#include "graph/ode_field.hpp"

namespace credo::graph {

Field::Field(const SystemPrograms& system, const OdePrograms& programs)
    : system_(system), runner_(programs, kMaxLanes), elements_(programs.output_size()) {}

void Field::begin(Index lanes, const double* arguments, Index stride) {
  lanes_ = lanes;
  runner_.set_lanes(lanes);
  refusals_.fill({});
  const Index first = 1 + system_.states();
  for (std::size_t q = 0; q < system_.problem.parameters.size(); ++q) {
    const double* from = arguments + system_.problem.parameters[q] * stride;
    std::copy_n(from, lanes, runner_.input() + (first + Index(q)) * lanes);
  }
}

void Field::derivative(const double* t, const double* y, double* dy) {
  double* input = runner_.input();
  const Index n = system_.states() * lanes_;
  std::copy_n(t, lanes_, input);
  std::copy_n(y, n, input + lanes_);
  const Index parameters = ssize(system_.problem.parameters) * lanes_;
  std::copy_n(y + n, elements_ * lanes_ - n, input + lanes_ + n + parameters);
  runner_.run(dy, refusals_.data());
}

}  // namespace credo::graph
