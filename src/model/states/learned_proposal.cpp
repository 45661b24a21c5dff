#include "model/states/learned_proposal.hpp"

#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::model {
namespace {
using density::ParticleBlock;
using density::StateSpace;
using numerics::ConditionalNormal;
constexpr auto kPlaces = static_cast<std::size_t>(StateSpace::kBlock);

// States one after another as columns; places behind the last one hold it.
std::vector<double> as_columns(std::span<const double> states, std::size_t elements) {
  std::vector<double> columns(elements * kPlaces, 0.0);
  const std::size_t count = states.size() / elements;
  for (std::size_t i = 0; i < kPlaces && count > 0; ++i)
    for (std::size_t e = 0; e < elements; ++e)
      columns[e * kPlaces + i] = states[std::min(i, count - 1) * elements + e];
  return columns;
}

std::vector<double> state_at(const double* columns, std::size_t particle, std::size_t elements) {
  std::vector<double> state;
  for (std::size_t e = 0; e < elements; ++e) state.push_back(columns[e * kPlaces + particle]);
  return state;
}

class LearnedMover final : public density::StateMover {
 public:
  LearnedMover(const StateModel& model, const ConditionalNormal& distribution)
      : model_(model),
        distribution_(distribution),
        elements_(static_cast<std::size_t>(model.state().size())),
        plain_(model.make_mover(density::Kernel::bootstrap)),
        first_(model, {.task = StateTask::densities, .initial = true}),
        later_(model, {.task = StateTask::densities}) {}

  // Weighed by log p(x | previous) + log p(y | x) - log q(x | previous, y).
  void move(const ParticleBlock& block) override {
    if (!model_.is_observed(block.time)) return plain_->move(block);
    const std::vector<double> outcome = model_.outcome_at(block.time);
    std::vector<double> log_proposals;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      const std::size_t particle = std::min(i, static_cast<std::size_t>(block.count) - 1);
      const std::vector<double> previous =
          block.time == 0 ? std::vector<double>() : state_at(block.previous, particle, elements_);
      const ConditionalNormal::Moments at = distribution_.at(
          density::proposal_features(previous, static_cast<Index>(elements_), outcome));
      Rng rng({.seed = block.seed, .purpose = purpose::kFilter, .chain = 0, .iteration = 5},
              (static_cast<std::uint64_t>(block.first) + particle) * elements_);
      std::vector<double> x;
      for (std::size_t e = 0; e < elements_; ++e)
        x.push_back(at.mean[e] + numerics::exp(at.log_sd[e]) * rng.normal());
      for (std::size_t e = 0; e < elements_; ++e) block.next[e * kPlaces + i] = x[e];
      log_proposals.push_back(numerics::log_density(at, x));
    }
    std::array<double, 2 * kPlaces> densities;  // transition's, then outcome's
    (block.time == 0 ? first_ : later_).run(block, block.next, densities.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.count); ++i)
      block.log_weights[i] = densities[i] + densities[kPlaces + i] - log_proposals[i];
  }
  void look_ahead(const ParticleBlock& block) override { plain_->look_ahead(block); }
  void transitions(const ParticleBlock& block) override { plain_->transitions(block); }

 private:
  const StateModel& model_;
  const ConditionalNormal& distribution_;
  std::size_t elements_;
  std::unique_ptr<density::StateMover> plain_;
  StateProgramRun first_, later_;
};

class LearnedProposal final : public StateSpace {
 public:
  LearnedProposal(const StateModel& model, ConditionalNormal distribution)
      : model_(model), distribution_(std::move(distribution)) {}
  Index num_times() const override { return model_.num_times(); }
  const density::Layout& state() const override { return model_.state(); }
  bool is_observed(Index time) const override { return model_.is_observed(time); }
  density::Capability can(density::Kernel) const override { return {}; }
  density::Capability can_look_ahead() const override { return model_.can_look_ahead(); }
  std::unique_ptr<density::StateMover> make_mover(density::Kernel kernel) const override {
    if (kernel == density::Kernel::bootstrap) return model_.make_mover(kernel);
    return std::make_unique<LearnedMover>(model_, distribution_);
  }

 private:
  const StateModel& model_;
  ConditionalNormal distribution_;
};
}  // namespace

LearnableStates::LearnableStates(const StateModel& model)
    : model_(model), reader_(model, "--proposal learned"), elements_(model.state().size()) {}

std::unique_ptr<StateSpace> LearnableStates::guided_by(
    const ConditionalNormal& distribution) const {
  return std::make_unique<LearnedProposal>(model_, distribution);
}

StateProgramRun& LearnableStates::run_of(const StateStage& stage) {
  auto& run = runs_[stage];
  if (run == nullptr) run = std::make_unique<StateProgramRun>(model_, stage);
  return *run;
}

std::vector<double> LearnableStates::draw_outcomes(Index time, std::span<const double> states,
                                                   Rng& rng) {
  const auto d = static_cast<std::size_t>(elements_);
  std::vector<std::vector<double>> points;
  for (std::size_t i = 0; i < states.size(); i += d)
    points.emplace_back(states.begin() + static_cast<Index>(i),
                        states.begin() + static_cast<Index>(i + d));
  const std::vector<double> seen = model_.outcome_at(time);
  std::vector<double> all;
  for (const numerics::NormalMoments& distribution : reader_.observation(time, points)) {
    const std::size_t m = distribution.mean.size();
    std::vector<double> y = distribution.mean;
    const numerics::DenseMatrix root = numerics::cholesky_root(
        {static_cast<Index>(m), static_cast<Index>(m), distribution.covariance});
    for (std::size_t j = 0; j < m; ++j) {
      const double z = rng.normal();
      for (std::size_t i = j; i < m; ++i)
        y[i] += root(static_cast<Index>(j), static_cast<Index>(i)) * z;
    }
    std::size_t next = 0;  // elements that are missing stay so
    for (const double there : seen) all.push_back(std::isnan(there) ? kNaN : y[next++]);
  }
  return all;
}

// By the state the transition's log density is differenced; its error is about 1e-10 of the curvature.
density::StateSlopes LearnableStates::slopes(Index time, std::span<const double> states,
                                             std::span<const double> previous) {
  const auto d = static_cast<std::size_t>(elements_);
  const std::size_t count = states.size() / d;
  const std::vector<double> given = as_columns(states, d), before = as_columns(previous, d);
  const ParticleBlock block{.time = time,
                            .count = static_cast<Index>(count),
                            .previous = time == 0 ? nullptr : before.data()};
  density::StateSlopes found;
  found.by_state.resize(count * d), found.outcome_by_state = found.by_state;
  found.by_previous = found.by_state;
  std::vector<double> results((1 + d) * kPlaces);

  run_of({.task = StateTask::observation, .derivatives = true})
      .run({.time = time, .count = block.count}, given.data(), results.data());
  found.log_outcome.assign(results.begin(), results.begin() + static_cast<Index>(count));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t e = 0; e < d; ++e)
      found.outcome_by_state[i * d + e] = results[(1 + e) * kPlaces + i];

  if (time == 0) {
    run_of({.task = StateTask::transition, .initial = true})
        .run(block, given.data(), results.data());
  } else {
    run_of({.task = StateTask::transition, .derivatives = true})
        .run(block, given.data(), results.data());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t e = 0; e < d; ++e)
        found.by_previous[i * d + e] = results[(1 + e) * kPlaces + i];
  }
  found.log_transition.assign(results.begin(), results.begin() + static_cast<Index>(count));

  constexpr double kStep = 0x1p-18;
  std::vector<double> moved = given;
  for (std::size_t e = 0; e < d; ++e)
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t i = 0; i < kPlaces; ++i) {
        const std::size_t k = e * kPlaces + i;
        moved[k] = given[k] + sign * kStep * std::max(1.0, std::abs(given[k]));
      }
      run_of({.task = StateTask::transition, .initial = time == 0})
          .run(block, moved.data(), results.data());
      for (std::size_t i = 0; i < count; ++i) {
        const double step = kStep * std::max(1.0, std::abs(given[e * kPlaces + i]));
        found.by_state[i * d + e] += sign * results[i] / (2.0 * step);
      }
      if (sign < 0.0)
        for (std::size_t i = 0; i < kPlaces; ++i) moved[e * kPlaces + i] = given[e * kPlaces + i];
    }
  return found;
}

}  // namespace credo::model
