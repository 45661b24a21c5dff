// Writes draws: parameters, transformed parameters and generated quantities of an unconstrained point.
//
// The program is traced once and run like a log density, several draws at once; the seed of a
// draw's random numbers is a part of its input (lang/trace/random_streams.hpp). Passes that would change
// a bit are left out, so a point that takes another path of decisions, or breaks a check, is
// interpreted with the same result.
#pragma once
#include "model/outputs.hpp"

namespace credo::model {

class Writer final : public density::Writer {
 public:
  explicit Writer(const Outputs& outputs, density::Written what = {})
      : outputs_(outputs), what_(std::move(what)) {}

  void write(std::span<density::DrawRequest> draws) override;
  void write(std::span<const double> point, Rng& rng, std::vector<double>& row,
             std::string* note = nullptr);
  std::int64_t num_interpreted() const { return num_interpreted_; }  // draws so far
  Index num_lanes() const override { return num_lanes_; }

 private:
  std::vector<double> input_of(density::DrawRequest& draw);
  void run(std::span<density::DrawRequest> draws, std::span<const std::vector<double>> inputs);
  void interpret(density::DrawRequest& draw, std::span<const double> input);
  bool worth_trying() const;
  void missed(std::span<const double> input);
  void take(std::shared_ptr<const graph::Program> program);

  const Outputs& outputs_;
  density::Written what_;
  std::shared_ptr<const graph::Program> program_;  // null: draws are interpreted
  std::unique_ptr<graph::Workspace> workspace_;
  std::unique_ptr<DiscreteDrawer> drawer_;  // draws discrete parameters
  std::vector<std::vector<double>> inputs_;
  bool asked_ = false;
  Index num_lanes_ = 1;
  std::int64_t num_interpreted_ = 0;
  std::int64_t misses_ = 0;      // points on another path than the program's, since the last trace
  std::int64_t in_a_row_ = 0;    // of them, the last ones
  std::int64_t next_trace_ = 1;  // at this many misses the program is traced anew
};

}  // namespace credo::model
