// Runs of any algorithm on a density with parameters integrated out, whose draws are positions of all parameters.
#pragma once
#include "infer/core/sample.hpp"
#include "infer/latent/collapsed_density.hpp"

namespace credo::infer {

// Like run_chains on the collapsed density of options.marginal. Draws of samplers get inner values drawn given the outer ones, ends of climbs
// the inner mode; random numbers are those of the draw, so that they don't depend on threads.
RunResult run_marginal(const density::LogDensity& density, const SampleOptions& options,
                       DrawSink& sink);

struct LiftOptions {
  std::uint64_t seed = 1;
  Index first_chain = 0;
  bool draws = true;  // inner values are drawn; false: they are the mode
  // Columns of weighted draws (approximation.hpp) in the place of the run's; empty: the run's.
  std::vector<FieldSpec> columns = {};
  Index num_skipped = 0;  // transitions of warm-up that don't count for the other sink
};

// The sink of a run on the collapsed density: hands positions of all parameters to another. Weighted draws get the weight that they have
// as draws of all parameters, p(f, φ) / q(f, φ).
class LiftedSink final : public DrawSink {
 public:
  // All must outlive it.
  LiftedSink(const CollapsedDensity& collapsed, LiftOptions options, DrawSink& sink);
  ~LiftedSink() override;
  void begin(const Sizes& sizes) override;
  void draw(const DrawRecord& record) override;
  void row(const RowRecord& record) override { sink_.row(record); }
  bool wants_state(Index chain, Index num_steps, bool finished) override {
    return sink_.wants_state(chain, num_steps, finished);
  }
  void state(const StateRecord& record) override;
  // Positions, directions and covariances of all parameters.
  ChainResult lifted(const ChainResult& result);
  void lift(RunResult& result);

 private:
  class Borrowed;
  struct Worker;
  struct WeightColumns {
    std::optional<std::size_t> log_density, log_q, log_weight, num_tries;
  };
  std::vector<double> at_mode(std::span<const double> outer);
  std::vector<double> lifted_covariance(const ChainResult& result);
  std::vector<double> draw_inner(Worker& worker, const DrawRecord& record,
                                 std::vector<double>& info) const;

  const CollapsedDensity& collapsed_;
  const LiftOptions options_;
  DrawSink& sink_;
  WeightColumns columns_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> spare_;  // working memory that no thread uses
};

}  // namespace credo::infer
