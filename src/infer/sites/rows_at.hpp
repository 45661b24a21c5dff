// Single rows of a likelihood, and the rest of the density, at points.
#pragma once
#include "density/model.hpp"

namespace credo::infer {

class RowsAt {
 public:
  // `posterior` has all terms, and batches of its likelihood.
  explicit RowsAt(const density::Model& posterior);
  Index num_rows() const { return num_rows_; }
  Index num_evaluations() const { return num_evaluations_; }

  double value(Index row, std::span<const double> x);  // -infinity where it is refused
  double gradient(Index row, std::span<const double> x, std::span<double> gradient);
  // At the points s direction / square of a line, square = |direction|²; slopes are by s.
  void along(Index row, std::span<const double> direction, double square, std::span<const double> s,
             std::span<double> log_f, std::span<double> slopes);

 private:
  std::unique_ptr<density::Model> row_;  // destroyed after its evaluator
  std::unique_ptr<density::Evaluator> evaluator_;
  Index num_rows_ = 0, num_evaluations_ = 0;
  std::vector<double> points_, gradients_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> batch_;
};

// The density without the rows that are sites.
struct SiteRest {
  const density::LogDensity* density = nullptr;  // the prior; all terms if rows aren't known
  std::unique_ptr<const density::LogDensity> own;
  std::unique_ptr<density::Evaluator> evaluator;
  std::shared_ptr<RowsAt> rows;       // null if rows aren't known
  density::Capability can_ask_rows;   // the reason if they aren't
  std::vector<Index> more_rows = {};  // rows that belong to the rest
  // Coordinates whose terms are sites: value(x) and the gradient leave out, for each, log density at `centre` with this coordinate
  // of x, less that at `centre`.
  std::vector<std::size_t> axes = {};
  std::vector<double> centre = {};
  double value_at_centre = 0.0;
  Index num_evaluations = 0;

  // The density without more_rows and axes.
  double evaluate_whole(std::span<const double> x, std::span<double> gradient);
  // Its value, -infinity where it is refused, with the gradient.
  double evaluate(std::span<const double> x, std::span<double> gradient);

 private:
  std::vector<double> row_gradient_, on_axis_, axis_gradient_;
};
SiteRest rest_of(const density::LogDensity& density);

// Coordinates along which a gradient isn't a line, by differences at random points near `centre`.
using GradientAt = std::function<bool(std::span<const double> x, std::span<double> gradient)>;
std::vector<std::size_t> bent_axes(const GradientAt& gradient, std::span<const double> centre);

// Errors for a density that isn't a normal distribution times sites: a row, or the rest, with its statement and the way out.
Error row_not_site(const density::LogDensity& density, SiteRest& rest, Index row,
                   std::span<const double> centre);
Error rest_not_normal(const density::LogDensity& density, SiteRest& rest,
                      std::span<const double> centre);

}  // namespace credo::infer
