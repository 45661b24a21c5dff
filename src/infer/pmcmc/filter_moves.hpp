// Options that chains of particle filters have in common, and the state of such a chain.
#pragma once
#include "infer/core/point.hpp"
#include "infer/smc/particle_filter.hpp"

namespace credo::infer {

struct FilterMoves {
  Index particles = 200;
  FilterMethod filter = FilterMethod::bootstrap;
  double resample_below = 0.5;
  std::string resampling = "systematic";

  static void describe(auto& self, auto&& field) {
    field(self.particles, FieldSpec{.name = "particles",
                                    .help = "particles of each run of the filter",
                                    .range = {.lo = 2, .hi = 1e9}});
    field(self.filter, FieldSpec{.name = "filter",
                                 .help = "how particles move: by the transition, by the program's "
                                         "proposal, or with parents chosen by lookahead_lpdf"});
    field(self.resample_below,
          FieldSpec{.name = "resample_below",
                    .help = "resample where the effective particles are below this share of all",
                    .range = {.lo = 0.0, .hi = 1.0}});
    field(self.resampling, FieldSpec{.name = "resampling",
                                     .help = "scheme by which a filter chooses parents: "
                                             "multinomial, residual, stratified or systematic"});
  }
  FilterOptions options() const {
    return {.num_particles = particles,
            .resample_below = resample_below,
            .resampling = resampling,
            .method = filter,
            .quantiles = false,
            .keep_ancestry = true};
  }
};

// A point with the estimate that it was accepted with, which is kept as long as the chain stays there: made anew, it would be
// another algorithm, which isn't exact. NaN: not estimated yet.
struct EstimatedPoint : PointState {
  double log_prior = kNaN;       // prior of the parameters alone
  double log_likelihood = kNaN;  // as estimated
  std::vector<std::uint64_t> seeds =
      {};  // seeds of the estimate, time by time, if the next one keeps some

  static void saved(auto& self, auto&& field) {
    PointState::saved(self, field);
    field(self.log_prior);
    field(self.log_likelihood);
    field(self.seeds);
  }
};

inline constexpr FieldSpec kLogLikelihoodColumn{
    .name = "log_likelihood", .help = "log likelihood of the parameters, as a filter estimated it"};

}  // namespace credo::infer
