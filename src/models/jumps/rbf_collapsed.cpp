// The collapsed form: columns 1, x, K(|x - mu_1|), ..., K(|x - mu_k|) in a conjugate regression.
#include "infer/jumps/workspace_density.hpp"
#include "models/jumps/rbf_network.hpp"
#include "numerics/elementary.hpp"

namespace credo::models {
using infer::rj::ComponentLayout;
using infer::rj::make_workspace_density;
namespace {
constexpr double kHalfLog2Pi = 0.91893853320467274178;

Index num_columns(const RbfProblem& problem, Index num_centres) {
  return 1 + problem.num_inputs + num_centres;
}

void fill_row(const RbfProblem& problem, std::span<const double> centres,
              std::span<const double> at, std::span<double> row) {
  const ComponentLayout layout = problem.collapsed_layout();
  row[0] = 1.0;
  std::copy(at.begin(), at.end(), row.begin() + 1);
  for (Index j = 0; j < layout.count(centres); ++j)
    row[1 + at.size() + static_cast<std::size_t>(j)] =
        problem.basis(at, layout.component(centres, j));
}

std::vector<double> scales_of(const RbfProblem& problem, Index num_centres) {
  std::vector<double> scales(static_cast<std::size_t>(num_columns(problem, num_centres)),
                             problem.bump_scale);
  std::fill_n(scales.begin(), 1 + problem.num_inputs, problem.line_scale);
  return scales;
}

void regress(const RbfProblem& problem, std::span<const double> centres, std::span<double> row,
             ConjugateRegression& regression) {
  regression.start(ssize(row));
  for (Index i = 0; i < problem.num_points(); ++i) {
    fill_row(problem, centres, problem.point(i), row);
    regression.add(row, problem.y[static_cast<std::size_t>(i)]);
  }
}

// One evaluation; writes to arrays that live as long as the evaluator.
class CollapsedRbf {
 public:
  CollapsedRbf(const RbfProblem& problem, Index num_centres)
      : p_(problem),
        scales_(scales_of(problem, num_centres)),
        row_(scales_.size()),
        regression_(ssize(scales_)) {}

  double operator()(std::span<const double> centres, std::span<double>) {
    regress(p_, centres, row_, regression_);
    return regression_.log_evidence(scales_, p_.noise) + log_prior(centres);
  }

 private:
  double log_prior(std::span<const double> centres) const {
    double sum = 0.0;
    for (const double coordinate : centres) {
      const double z = (coordinate - p_.centre_mean) / p_.centre_sd;
      sum += -kHalfLog2Pi - numerics::log(p_.centre_sd) - 0.5 * z * z;
    }
    return sum;
  }

  const RbfProblem& p_;
  std::vector<double> scales_, row_;
  ConjugateRegression regression_;
};
}  // namespace

std::shared_ptr<const density::LogDensity> collapsed_rbf(const SharedRbf& problem,
                                                         Index num_centres) {
  return make_workspace_density(problem->collapsed_layout().begin(num_centres), false,
                                [=] { return CollapsedRbf(*problem, num_centres); });
}

CollapsedPredictor::CollapsedPredictor(const SharedRbf& problem)
    : problem_(problem), regression_(num_columns(*problem, problem->max_centres)) {}

void CollapsedPredictor::condition(std::span<const double> x_k) {
  centres_.assign(x_k.begin(), x_k.end());
  const Index k = problem_->collapsed_layout().count(centres_);
  row_.resize(static_cast<std::size_t>(num_columns(*problem_, k)));
  regress(*problem_, centres_, row_, regression_);
  regression_.log_evidence(scales_of(*problem_, k), problem_->noise);
  const std::span<const double> mean = regression_.coefficients();
  coefficients_.assign(mean.begin(), mean.end());
}

double CollapsedPredictor::operator()(std::span<const double> at) {
  fill_row(*problem_, centres_, at, row_);
  double fit = 0.0;
  for (std::size_t c = 0; c < row_.size(); ++c) fit += coefficients_[c] * row_[c];
  return fit;
}

}  // namespace credo::models
