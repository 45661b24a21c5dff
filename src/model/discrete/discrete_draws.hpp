// Draws of discrete parameters (sites) given the unconstrained values, one after the other: each from the
// weights of its values given those drawn before. The weights come from a traced program, which
// computes equal ones once; parts that don't depend on unconstrained values are computed with the plan.
#pragma once
#include "base/rng.hpp"
#include "density/layout.hpp"
#include "graph/execute/program.hpp"
#include "model/discrete/site_sums.hpp"

namespace credo::model {

struct DiscreteRanges {
  std::vector<std::int32_t> lower, upper;  // range of each, bounds included
  density::Layout layout;                  // their names

  Index size() const { return ssize(lower); }
  std::int32_t num_values(std::size_t m) const { return upper[m] - lower[m] + 1; }
};

// Values count from 0 here.
struct DrawPlan {
  // The possible values of a site: `width` of them from values[first]. The weight of number i is at
  // place + i * stride of the program's output; place -1: all alike.
  struct Row {
    std::int32_t first, width, place, stride;
  };
  // Neighbours are drawn before; a row for each assignment of theirs, the last fastest.
  struct Step {
    std::int32_t site;
    std::size_t first_row, first_neighbour, num_neighbours;
  };
  std::vector<Step> steps;  // in the order of drawing
  std::vector<Row> rows;
  std::vector<std::int32_t> values, neighbours;
  std::vector<std::int32_t> sizes;  // number of values of each site
  std::vector<std::int32_t> start;  // those of sites without a step, 0 elsewhere

  const Row& row(const Step& step, std::span<const std::int32_t> drawn) const;
};

// The plan and the weights, all in one vector.
std::pair<DrawPlan, graph::Expr> plan_draws(const SiteSums& sums,
                                            std::span<const std::int32_t> sizes);

struct DiscreteDraws {
  DrawPlan plan;
  std::unique_ptr<const graph::Program> program;  // input: unconstrained values; output: weights
};

// Draws the discrete parameters given the others; the working memory of one thread.
class DiscreteDrawer {
 public:
  DiscreteDrawer(std::shared_ptr<const DiscreteDraws> draws, const DiscreteRanges& ranges);

  // `point`: the unconstrained values. Writes as many values as there are discrete parameters.
  void draw(std::span<const double> point, Rng& rng, std::span<double> out);

  const DrawPlan& plan() const { return draws_->plan; }
  std::span<const double> weights(std::span<const double> point);

 private:
  std::int32_t chosen(const DrawPlan::Row& row, Rng& rng);

  std::shared_ptr<const DiscreteDraws> draws_;
  std::vector<std::int32_t> lower_, drawn_;
  graph::Workspace workspace_;
  std::vector<double> weights_, of_row_;
};

}  // namespace credo::model
