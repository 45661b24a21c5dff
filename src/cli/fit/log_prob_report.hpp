// Output of `credo log-prob` at a point: gathered once, written as JSON or as text to read.
#pragma once
#include "model/model.hpp"

namespace credo::cli {

// Requests beside the log density and its gradient.
struct PointQuestions {
  bool statements = false, pointwise = false;
  bool hessian = false, information = false;  // the members of density::Want with these names
  bool inverse_hessian = false;               // infer/optimise/mode.hpp
  bool inverse_information = false;
  bool by_parameters =
      false;  // both by the declared parameters in the place of the unconstrained values
  bool of_likelihood = false;  // the information without what the prior adds
  Index num_batches = 0;       // parts of the likelihood's rows; 0: none
};

// A D × D matrix that is symmetric, or the reason why it isn't defined at this point.
struct PointMatrix {
  std::string name;  // its member in JSON
  std::string title;
  std::vector<double> values;
  std::string error = {};
  std::vector<std::string> names = {};  // names of its rows; empty: the unconstrained values
};

struct PointReport {
  std::string error = {};  // why the point is refused; the rest is empty then
  double log_density = kNaN, log_density_no_jacobian = kNaN;
  std::vector<double> gradient;
  double log_jeffreys = kNaN;  // NaN where the information is singular, or not computed

  struct Statement {
    std::string where;
    double log_density;
  };
  struct Rows {
    std::string where;
    std::vector<double> log_likelihood;
  };
  std::optional<std::vector<Statement>> statements = {};
  std::optional<std::vector<Rows>> rows = {};
  std::string rows_error = {};
  struct Batch {
    Index num_rows;
    double log_density;
    std::vector<double> gradient;
  };
  std::vector<Batch> batches = {};
  std::vector<PointMatrix> matrices = {};
};

// `whole`: the model with all of its terms, which is used for statements and rows. Throws
// Error(usage) and Error(program) if the model can't answer at any point.
PointReport report_at(const model::Model& model, const model::Model& whole,
                      const std::vector<double>& point, const PointQuestions& questions);

// An array with an object for each point; and a text. `names`: names of the unconstrained values,
// which JSON has beside matrices.
std::string points_json(std::span<const PointReport> points, std::span<const std::string> names);
std::string points_text(std::span<const PointReport> points, std::span<const std::string> names);

}  // namespace credo::cli
