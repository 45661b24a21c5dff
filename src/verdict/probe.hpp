// The density around the draws: where the program and its data are at hand, it can be asked what
// the draws alone can't tell.
#pragma once
#include "verdict/evidence.hpp"

namespace credo::verdict {

// How the values of a free coordinate reach to infinity.
enum class Reach { linear, exponential, bounded };

// Draws as free points of a model. A point is a vector of D free values.
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
  // Of many points at once, which costs less: -infinity, or empty, where one is refused.
  std::vector<double> log_densities(std::span<const std::vector<double>> points) const;
  std::vector<std::vector<double>> gradients(std::span<const std::vector<double>> points) const;
  density::Status status(std::span<const double> point) const;
  // Without the Jacobian: the density of the parameters themselves.
  double log_density_of_parameters(std::span<const double> point) const;
  // The terms with an observed outcome; NaN where the program doesn't tell them apart.
  double log_likelihood(std::span<const double> point) const;
  bool has_likelihood() const;

  // The parameters of a point as data, and the free values of such.
  io::DataTable parameters(Index m) const;
  std::vector<double> free(const io::DataTable& parameters) const;  // empty: outside
  double log_density_of_parameters(const io::DataTable& parameters) const;

  // Evaluations that may still be made: their cost stays a small part of the run's.
  Index budget() const { return budget_; }
  void spend(Index evaluations) const { budget_ -= evaluations; }

 private:
  Probe(const Evidence& evidence, std::span<const Index> columns,
        std::span<const std::vector<double>> values);
  void map_back(std::span<const Index> columns, std::span<const std::vector<double>> values);
  void measure_scales();
  void find_reaches();
  struct Terms;
  void evaluate(density::Want want, std::span<density::Request> requests) const;
  void ask(density::Want want, std::span<density::Request*> batch) const;
  bool run_terms(std::span<const double> point) const;

  const Evidence& evidence_;
  const model::Model& model_;
  Index dimension_;
  std::vector<std::string> names_;
  std::vector<Reach> reach_;
  std::vector<io::DataTable> tables_;
  std::vector<std::vector<double>> points_;
  std::vector<double> scale_;
  std::unique_ptr<density::Evaluator> evaluator_;
  std::unique_ptr<Terms> terms_;
  mutable Index budget_ = 0;
};

}  // namespace credo::verdict
