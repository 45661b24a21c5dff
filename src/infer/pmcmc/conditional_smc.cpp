// At time t, with the given path x' as particle 0, N particles, weights W:
//
//   parents a_1, ..., a_{N-1} ~ W independently;  a_0 = 0, or with ancestor sampling a_0 ~ W p(x'_t | x_{t-1})
//   x_i ~ M(. | x_{a_i}) for i > 0,  x_0 = x'_t;  W_i = G(x_{a_i}, x_i), normalised
//
// and at last a particle by W, with the line of its ancestors.
#include "infer/pmcmc/conditional_smc.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "infer/compose/chooser.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/resampling_schemes.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
using density::StateSpace;
constexpr Index kPlaces = StateSpace::kBlock;

class ConditionalRun {
 public:
  ConditionalRun(const StateSpace& model, const ConditionalOptions& options, std::span<double> path,
                 Rng& rng)
      : model_(model),
        options_(options),
        path_(path),
        rng_(rng),
        elements_(model.state().size()),
        num_blocks_((options.num_particles + kPlaces - 1) / kPlaces),
        mover_(model.make_mover(options.guided ? density::Kernel::guided
                                               : density::Kernel::bootstrap)),
        log_weights_(static_cast<std::size_t>(num_blocks_ * kPlaces)),
        weights_(static_cast<std::size_t>(options.num_particles)),
        gathered_(static_cast<std::size_t>(elements_ * kPlaces)) {
    states_.resize(static_cast<std::size_t>(model.num_times()));
    parents_.resize(states_.size());
  }

  void run() {
    if (!options_.guided || !options_.ancestor_sampling) weigh_path();
    for (Index t = 0; t < model_.num_times(); ++t) {
      stop_if_asked();
      states_[at(t)].resize(static_cast<std::size_t>(num_blocks_ * elements_ * kPlaces));
      if (t > 0) choose_parents(t);
      move(t);
      put_given(t);
      normalise(t);
    }
    trace_back();
  }

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  const double* given(Index time) const { return path_.data() + time * elements_; }
  double* block_of(Index time, Index block) {
    return states_[at(time)].data() + block * elements_ * kPlaces;
  }
  double& element(Index time, Index particle, Index e) {
    return block_of(time, particle / kPlaces)[e * kPlaces + particle % kPlaces];
  }
  Index count(Index block) const {
    return std::min(kPlaces, options_.num_particles - block * kPlaces);
  }

  void choose_parents(Index time) {
    std::vector<std::int32_t>& parents = parents_[at(time)];
    parents.assign(weights_.size(), 0);
    resampling_scheme("multinomial").draw({weights_, 1.0}, rng_, std::span(parents).subspan(1));
    if (options_.ancestor_sampling) parents[0] = draw_ancestor(time);
  }

  // Ancestor of the given path's state at this time.
  std::int32_t draw_ancestor(Index time) {
    for (Index e = 0; e < elements_; ++e)
      std::fill_n(gathered_.begin() + e * kPlaces, kPlaces, given(time)[e]);
    std::vector<double> log_odds(weights_.size());
    std::array<double, kPlaces> transitions;
    for (Index b = 0; b < num_blocks_; ++b) {
      mover_->transitions({.time = time,
                           .first = b * kPlaces,
                           .count = count(b),
                           .previous = block_of(time - 1, b),
                           .next = gathered_.data(),
                           .log_weights = transitions.data()});
      for (Index i = 0; i < count(b); ++i)
        log_odds[at(b * kPlaces + i)] = log_weights_[at(b * kPlaces + i)] + transitions[at(i)];
    }
    return static_cast<std::int32_t>(RngChooser(rng_).choose_log(log_odds));
  }

  void move(Index time) {
    const std::uint64_t seed = rng_.bits();
    for (Index b = 0; b < num_blocks_; ++b) {
      if (time > 0)
        for (Index i = 0; i < kPlaces; ++i) {
          const Index particle = std::min(b * kPlaces + i, options_.num_particles - 1);
          for (Index e = 0; e < elements_; ++e)
            gathered_[at(e * kPlaces + i)] = element(time - 1, parents_[at(time)][at(particle)], e);
        }
      mover_->move({.time = time,
                    .first = b * kPlaces,
                    .count = count(b),
                    .seed = seed,
                    .previous = time > 0 ? gathered_.data() : nullptr,
                    .next = block_of(time, b),
                    .log_weights = log_weights_.data() + b * kPlaces});
    }
  }

  // At once, where the weights of the given path's states don't depend on the ancestors that are drawn for them.
  void weigh_path() {
    std::vector<density::GivenState> states;
    for (Index t = 0; t < model_.num_times(); ++t)
      states.push_back({.time = t, .previous = t == 0 ? nullptr : given(t - 1), .state = given(t)});
    std::vector<double> transitions(states.size());
    given_log_weights_.resize(states.size());
    mover_->weigh(states, transitions, given_log_weights_);
  }

  // Particle 0 is the given path's state, whatever was drawn in its place.
  void put_given(Index time) {
    for (Index e = 0; e < elements_; ++e) element(time, 0, e) = given(time)[e];
    if (!given_log_weights_.empty()) {
      log_weights_[0] = given_log_weights_[at(time)];
      return;
    }
    std::vector<double> previous;
    for (Index e = 0; time > 0 && e < elements_; ++e)
      previous.push_back(element(time - 1, parents_[at(time)][0], e));
    const density::GivenState state{
        .time = time, .previous = time > 0 ? previous.data() : nullptr, .state = given(time)};
    double transition = 0.0;
    mover_->weigh(std::span(&state, 1), std::span(&transition, 1),
                  std::span(log_weights_).first(1));
  }

  void normalise(Index time) {
    const auto all = std::span(log_weights_).first(weights_.size());
    for (const double u : all)
      if (!(u < kInfinity))
        throw Error(ErrorCode::evaluation,
                    fmt::format("at time {}: the log weight of a particle is {}", time + 1, u),
                    "observation_lpdf",
                    "densities are finite numbers, or negative_infinity(): check the functions "
                    "of the program");
    if (!(numerics::log_sum_exp(all) > -kInfinity))
      throw Error(ErrorCode::evaluation,
                  fmt::format("at time {}: no particle has a weight above 0, nor has the path that "
                              "is given",
                              time + 1),
                  "conditional particle filter", "begin at another path (--init)");
    normalise_log_weights(all);
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = numerics::exp(all[i]);
  }

  void trace_back() {
    Index particle = RngChooser(rng_).choose(weights_);
    for (Index t = model_.num_times() - 1; t >= 0; --t) {
      for (Index e = 0; e < elements_; ++e) path_[at(t * elements_ + e)] = element(t, particle, e);
      if (t > 0) particle = parents_[at(t)][at(particle)];
    }
  }

  const StateSpace& model_;
  const ConditionalOptions& options_;
  std::span<double> path_;
  Rng& rng_;
  Index elements_, num_blocks_;
  std::unique_ptr<density::StateMover> mover_;
  std::vector<std::vector<double>> states_;  // states of times: [block][element][kPlaces]
  std::vector<std::vector<std::int32_t>> parents_;
  std::vector<double> log_weights_, weights_, gathered_;
  std::vector<double> given_log_weights_;  // weights of the given path, if known before
};
}  // namespace

void require_conditional(const density::StateSpace& model, const ConditionalOptions& options) {
  const auto require = [](const density::Capability& can) {
    if (!can.can) throw Error(ErrorCode::program, can.reason, can.where, can.hint);
  };
  require(model.can_weigh_states());
  if (options.guided) require(model.can(density::Kernel::guided));
}

void conditional_smc(const density::StateSpace& model, const ConditionalOptions& options,
                     std::span<double> path, Rng& rng) {
  require_conditional(model, options);
  ConditionalRun(model, options, path, rng).run();
}

}  // namespace credo::infer
