// Draws of marginal effects of a fit of credo regression, and of its Bayesian R2.
#pragma once
#include "cli/load.hpp"
#include "density/draws.hpp"
#include "models/effects/effect_plan.hpp"
#include "results/files/fit.hpp"

namespace credo::cli {

struct EffectScale {
  bool is_linear = false;       // the linear predictor, else the mean of the outcome
  bool without_groups = false;  // effects of groups are 0
  std::uint64_t seed = 1;       // of effects of new levels
};

// Values of sums over predicted rows: draws × chains × (sum, category); ordered outcomes have a category for each probability.
struct EffectDraws {
  density::Draws sums, rough;                // rough: those of effects that have one
  std::vector<std::string> categories = {};  // empty: one value
  std::vector<std::string> notes = {};       // new levels of groups
};

class EffectSource {
 public:
  EffectSource(const results::Fit& fit, Output& output);

  const models::Regression& regression() const { return made_; }
  const models::TextTable& table() const { return table_; }
  EffectDraws draws_of(const models::EffectPlan& plan, const EffectScale& scale) const;

  struct Explained {
    density::Draws draws;  // all, within; the second NaN without groups
    bool by_residuals = false;
    std::string why_not = {};  // no R2
  };
  Explained explained() const;

  // Expected outcomes of the rows of the table at evenly spaced draws, by draw; and a parameter of the family there.
  struct RowMeans {
    std::vector<std::vector<double>> means;
    std::vector<double> parameter;
  };
  RowMeans row_means(Index most_draws, const std::string& parameter) const;
  std::vector<double> trials() const;  // by row; 1 without

 private:
  // Predictions at a draw: with effects of groups, or without them.
  enum class Groups { with, without, both };
  struct AtDraw {
    Index draw, chain;
    std::span<const double> values, fixed;  // fixed: without effects of groups, for `both`
  };
  using Take = std::function<void(const AtDraw&)>;
  struct Wanted {
    const model::Model& model;
    std::vector<std::string> outputs;
    Groups groups = Groups::with;
    std::uint64_t seed = 1;
  };
  std::unique_ptr<model::Model> model_of(const std::string& csv,
                                         std::vector<std::string>* notes) const;
  void for_each_draw(const Wanted& wanted, const Take& take) const;
  std::vector<Index> group_coordinates(const model::Model& model) const;
  const results::Fit& fit_;
  Output& output_;
  models::Regression made_;
  models::TextTable table_;
};

}  // namespace credo::cli
