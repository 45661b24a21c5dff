// Particles with weights, whatever moves them: what reweighting and resampling make of them, the evidence
// that their weights estimate, and how sure it is. Plain data.
#pragma once
#include "infer/core/fields.hpp"
#include "infer/core/population.hpp"

namespace credo::infer {

class Particles {
 public:
  Particles(Index num_particles, Index dimension);  // with equal weights

  Index size() const { return population.num_points(); }
  std::span<const double> log_weights() const { return log_weights_; }  // they add up to 1

  // The particles come from so many draws; the other draws have no likelihood.
  void begin_with(Index num_drawn);
  // Multiplies the weights by exp(log_increments), -infinity allowed, and the evidence by their
  // mean. False, without a change, if all weights become 0.
  [[nodiscard]] bool reweight(std::span<const double> log_increments);
  // Effective particles as a share of all [kish1965].
  double ess() const;
  // Systematic, by a number in [0, 1): copies of one particle are neighbours. All weights are equal then.
  void resample(double u);

  // Resamples as many particles as make chains of `length` states: each stands at all places of its chain, to be moved
  // from place to place [dau2022, alg. 3].
  void resample_chains(double u, Index length);

  // The logarithm of the evidence so far. Its error: groups of neighbours among the first particles are
  // nearly independent runs of the whole, and the shares that their offspring have of the weight show how
  // much such runs differ, to first order [lee2018, whose groups are single particles].
  double log_evidence() const { return log_evidence_; }
  // Infinite if too few groups have offspring to estimate it.
  double log_evidence_error(Index most_groups = 50) const;
  Index num_ancestors() const;  // first particles that have offspring left

  PopulationState population;

  static void saved(auto& self, auto&& field) {
    field(self.population);
    field(self.log_weights_);
    field(self.ancestors_);
    field(self.log_evidence_);
    field(self.start_variance_);
  }

 private:
  void become(std::span<const Index> parents);

  std::vector<double> log_weights_;
  std::vector<Index> ancestors_;  // ascending: the first particle that each comes from
  double log_evidence_ = 0.0, start_variance_ = 0.0;
};

// Columns of a stage on the renewal of its particles, for the algorithms that take in data step by step.
void describe_renewal(auto& stage, auto&& field) {
  field(stage.ess, FieldSpec{.name = "ess",
                             .help = "effective particles as a share of all, before resampling"});
  field(stage.resampled,
        FieldSpec{.name = "resampled", .help = "1 if particles were resampled and moved"});
  field(stage.num_ancestors,
        FieldSpec{.name = "num_ancestors", .help = "first particles that have offspring left"});
  field(stage.num_moves, FieldSpec{.name = "num_moves", .help = "moves of each particle"});
  field(stage.accept_stat,
        FieldSpec{.name = "accept_stat", .help = "mean acceptance of the moves"});
  field(stage.scale, FieldSpec{.name = "scale", .help = "scale of the moves"});
}

}  // namespace credo::infer
