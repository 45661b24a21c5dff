// Many points that move together: the state of ensembles. Plain data.
#pragma once
#include "infer/core/group.hpp"
#include "infer/core/point.hpp"

namespace credo::infer {

struct PopulationState {
  PopulationState() = default;
  PopulationState(Index num_points, Index dimension_)
      : dimension(static_cast<std::size_t>(dimension_)),
        positions(static_cast<std::size_t>(num_points) * dimension),
        log_densities(static_cast<std::size_t>(num_points), -kInfinity) {}

  std::size_t dimension = 0;

  std::vector<double> positions;      // point by point
  std::vector<double> log_densities;  // one each

  Index num_points() const { return ssize(log_densities); }
  std::span<double> position(Index i) {
    return std::span(positions).subspan(static_cast<std::size_t>(i) * dimension, dimension);
  }
  std::span<const double> position(Index i) const {
    return std::span(positions).subspan(static_cast<std::size_t>(i) * dimension, dimension);
  }
  double& log_density(Index i) { return log_densities[static_cast<std::size_t>(i)]; }
  double log_density(Index i) const { return log_densities[static_cast<std::size_t>(i)]; }
  void set(Index i, const PointState& point) {
    std::copy(point.position.begin(), point.position.end(), position(i).begin());
    log_density(i) = point.log_density;
  }
  static void saved(auto& self, auto&& field) {
    field(self.dimension);
    field(self.positions);
    field(self.log_densities);
  }
};

// Candidates of a population and the requests that ask for their log densities, in one block of
// memory. Does not copy: requests point into it.
class Candidates {
 public:
  Candidates(Index count, Index dimension);
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;

  std::span<double> position(Index i) {
    return std::span(positions_).subspan(static_cast<std::size_t>(i) * dimension_, dimension_);
  }
  double log_density(Index i) const { return requests_[static_cast<std::size_t>(i)].log_density; }
  // Awaitable: candidates first … first + count - 1 in one batch.
  Evaluate evaluate(Index first, Index count);

 private:
  std::size_t dimension_;
  std::vector<double> positions_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> batch_;
};

// The log densities of these points, or of all where none are named, at a place of a path
// (density/path_density.hpp), and their log ratios, in parts over threads. `rows`: density/rows_path.hpp.
Step<Nothing> evaluate_along(PopulationState& population, double weight,
                             std::vector<double>& log_ratios, std::span<const Index> points = {},
                             std::span<const double> rows = {});

// Parts of `count` things, the programs make(first, end): `least` in each of a small population, so many in those of a large
// one that there are a thousand. They don't depend on the number of threads.
template <class Make>
std::vector<ChainProgram> parts_of(Index count, Index least, const Make& make) {
  constexpr Index kMostParts = 1024;
  const Index each = std::max(least, (count + kMostParts - 1) / kMostParts);
  std::vector<ChainProgram> parts;
  for (Index first = 0; first < count; first += each)
    parts.push_back({.program = make(first, std::min(first + each, count)), .refusals = {}});
  return parts;
}
inline constexpr Index kPointsOfPart = 64;  // at least

// Their numbers.
std::vector<Index> all_points(const PopulationState& population);

// Steps that run side by side: each round evaluates the requests of all of them in one batch.
template <class T>
class StepTeam final : public PooledKernel {
 public:
  explicit StepTeam(Index size) {
    steps_.reserve(static_cast<std::size_t>(size));
    batch_.reserve(static_cast<std::size_t>(size));
  }
  void clear() { steps_.clear(); }
  void add(Step<T> step) { steps_.push_back(std::move(step)); }
  const T& result(Index i) const { return steps_[static_cast<std::size_t>(i)].result(); }
  Index size() const { return ssize(steps_); }

  // Runs all to their ends. answered(i, request) sees, and may change, each answer before its step
  // does.
  template <class Answered>
  Step<Nothing> run(Answered& answered) {
    while (resume_all()) {
      for (const density::Want want : {density::Want::value, density::Want::gradient}) {
        gather(want);
        if (batch_.empty()) continue;
        co_await evaluate_all(want, std::span<density::Request* const>(batch_));
      }
      for (std::size_t i = 0; i < steps_.size(); ++i)
        if (!steps_[i].done()) answered(static_cast<Index>(i), steps_[i].pending()->request);
    }
    co_return Nothing{};
  }

 private:
  bool resume_all() {
    bool any = false;
    for (Step<T>& step : steps_) {
      if (step.done()) continue;
      step.resume();
      any = any || !step.done();
    }
    return any;
  }
  void gather(density::Want want) {
    batch_.clear();
    for (Step<T>& step : steps_)
      if (!step.done() && step.pending()->want == want) batch_.push_back(&step.pending()->request);
  }

  std::vector<Step<T>> steps_;
  std::vector<density::Request*> batch_;
};

}  // namespace credo::infer
