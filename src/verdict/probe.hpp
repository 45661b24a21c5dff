// The density around the draws: if the program and its data are at hand, its values show more than
// the draws alone.
#pragma once
#include "verdict/evidence.hpp"

namespace credo::verdict {

// How the output of an unconstrained coordinate goes to infinity.
enum class Reach { linear, exponential, bounded };

// The density of the parameters themselves, without the Jacobian of their constraints; or some of its
// terms.
class ParameterDensity {
 public:
  explicit ParameterDensity(const density::Model& model,
                            density::Terms terms = density::Terms::all);
  // At the parameters' outputs in the model's order; -infinity where it is refused or a constraint is
  // broken.
  double at_row(std::span<const double> row);

 private:
  const density::Model& model_;
  std::unique_ptr<density::Model> asked_;
  std::unique_ptr<density::Evaluator> evaluator_;
};

// Element `column` of the model's outputs, a parameter, at an unconstrained point. The rest of the program isn't run.
double parameter_at(const Evidence& evidence, std::span<const double> point, Index column);

// Draws as unconstrained points of a model. A point is a vector of D unconstrained values.
class Probe {
 public:
  // values[k][m]: sampled output columns[k] at draw m. Null if few draws can be mapped back.
  static std::unique_ptr<Probe> make(const Evidence& evidence, std::span<const Index> columns,
                                     std::span<const std::vector<double>> values);
  ~Probe();

  Index dimension() const { return dimension_; }
  Index num_points() const { return ssize(points_); }
  const std::vector<double>& point(Index m) const { return points_[static_cast<std::size_t>(m)]; }
  double scale(Index d) const { return scale_[static_cast<std::size_t>(d)]; }  // spread of a value
  const std::vector<std::string>& names() const { return names_; }             // of the coordinates
  Reach reach(Index d) const { return reach_[static_cast<std::size_t>(d)]; }

  // -infinity where it is refused.
  double log_density(std::span<const double> point) const;
  std::vector<double> gradient(std::span<const double> point) const;  // empty: refused
  // Log densities of many points at once, which costs less: -infinity, or empty, for a refused point.
  std::vector<double> log_densities(std::span<const std::vector<double>> points) const;
  std::vector<std::vector<double>> gradients(std::span<const std::vector<double>> points) const;
  density::Status status(std::span<const double> point) const;
  // NaN if the point is refused, or if the model can't separate the likelihood from the prior.
  double log_likelihood(std::span<const double> point) const;
  bool has_likelihood() const;
  // Log prior; NaN if the point is refused or the model can't separate it from the likelihood.
  double log_prior(std::span<const double> point) const;

  // The parameters' outputs at a draw, in the model's order, and those of one variable among them.
  const std::vector<double>& row(Index m) const { return rows_[static_cast<std::size_t>(m)]; }
  std::span<double> values_in(std::span<double> row, std::string_view variable) const;
  // Log density of the parameters themselves, without the Jacobian; -infinity if the point is refused.
  double log_density_of_row(std::span<const double> row) const;

  // Evaluations that may still be made: their cost stays a small part of the run's.
  Index budget() const { return budget_; }
  void spend(Index evaluations) const { budget_ -= evaluations; }

 private:
  Probe(const Evidence& evidence, std::span<const Index> columns,
        std::span<const std::vector<double>> values);
  void map_back(std::span<const Index> columns, std::span<const std::vector<double>> values);
  void measure_scales();
  void find_reaches();
  std::optional<std::vector<Index>> places_of_parameters() const;
  void evaluate(density::Want want, std::span<density::Request> requests) const;
  void ask(density::Want want, std::span<density::Request*> batch) const;

  const Evidence& evidence_;
  const density::Model& model_;
  Index dimension_;
  std::vector<std::string> names_;
  std::vector<Reach> reach_;
  std::vector<std::vector<double>> rows_, points_;
  std::vector<double> scale_;
  std::unique_ptr<density::Evaluator> evaluator_;
  // Made on first use, because each is traced anew.
  mutable std::optional<ParameterDensity> of_parameters_;
  mutable std::optional<bool> has_likelihood_;
  mutable std::unique_ptr<density::Model> likelihood_;
  mutable std::unique_ptr<density::Evaluator> likelihood_evaluator_;
  mutable std::unique_ptr<density::Model> prior_;
  mutable std::unique_ptr<density::Evaluator> prior_evaluator_;
  mutable Index budget_ = 0;
};

}  // namespace credo::verdict
