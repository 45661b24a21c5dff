#include "infer/variational/climbs/inner_steps.hpp"

#include "infer/core/vectors.hpp"

namespace credo::infer {
namespace {
constexpr double kInnerStep =
    0.5;  // α, in units in which curvatures are about -1 for means and -2 for scales

// L and its gradient at (λ, δ), and F with its own. Working memory of one thread.
class InnerEvaluator final : public density::Evaluator {
 public:
  InnerEvaluator(const density::LogDensity& of, Index num_offsets, Index num_steps)
      : evaluator_(of.make_evaluator()),
        num_outer_(static_cast<std::size_t>(of.dimension() - num_offsets)),
        at_(static_cast<std::size_t>(num_steps) + 1,
            std::vector<double>(static_cast<std::size_t>(of.dimension()))),
        slope_(at_[0].size()),
        moved_(slope_.size()),
        other_(slope_.size()) {}

  void evaluate(density::Want, std::span<density::Request* const> batch) override {
    for (density::Request* request : batch) answer(*request);
  }
  void use_threads(Index num_threads) override { evaluator_->use_threads(num_threads); }

  // The steps. False where L is refused.
  bool walk(std::span<const double> parameters, density::Request& request) {
    std::copy(parameters.begin(), parameters.end(), at_[0].begin());
    std::fill(at_[0].begin() + static_cast<std::ptrdiff_t>(num_outer_), at_[0].end(), 0.0);
    for (std::size_t k = 0; k + 1 < at_.size(); ++k) {
      if (!ask(at_[k], slope_, request)) return false;
      at_[k + 1] = at_[k];
      for (std::size_t i = num_outer_; i < slope_.size(); ++i)
        at_[k + 1][i] += kInnerStep * slope_[i];
    }
    return true;
  }
  const std::vector<double>& end() const { return at_.back(); }

 private:
  void answer(density::Request& request) {
    if (!walk(request.position, request)) return;
    if (!ask(end(), slope_, request) || request.gradient.empty()) return;
    std::vector<double>& adjoint = slope_;  // adjoints of λ, then of δ_k
    for (std::size_t k = at_.size() - 1; k-- > 0;)
      if (!pass_back(at_[k], adjoint, request)) return;
    std::copy_n(adjoint.begin(), num_outer_, request.gradient.begin());
  }

  bool ask(std::span<const double> at, std::span<double> gradient, density::Request& result) {
    density::Request request{.position = at, .gradient = gradient, .status = {}};
    density::Request* batch[] = {&request};
    evaluator_->evaluate(density::Want::gradient, batch);
    result.status = request.status;
    result.log_density = request.status.ok() ? request.log_density : -kInfinity;
    return request.status.ok();
  }

  // adjoint += α ∇² L (0, adjoint of δ): by differences along the latter.
  bool pass_back(const std::vector<double>& at, std::vector<double>& adjoint,
                 density::Request& result) {
    constexpr double kLength = 1e-5;
    const double value = result.log_density;
    const double size = largest(std::span(adjoint).subspan(num_outer_));
    if (size == 0.0) return true;
    const double h = kLength / size;
    for (const double sign : {1.0, -1.0}) {
      moved_ = at;
      for (std::size_t i = num_outer_; i < at.size(); ++i) moved_[i] += sign * h * adjoint[i];
      if (sign > 0.0 ? !ask(moved_, other_, result) : !ask(moved_, before_, result)) return false;
    }
    for (std::size_t i = 0; i < at.size(); ++i)
      adjoint[i] += kInnerStep * (other_[i] - before_[i]) / (2.0 * h);
    result.log_density = value;
    return true;
  }

  std::unique_ptr<density::Evaluator> evaluator_;
  std::size_t num_outer_;
  std::vector<std::vector<double>> at_;  // (λ, δ_k) for k = 0 … K
  std::vector<double> slope_, moved_, other_, before_ = std::vector<double>(slope_.size());
};
}  // namespace

std::unique_ptr<density::Evaluator> InnerSteps::make_evaluator() const {
  return std::make_unique<InnerEvaluator>(of_, num_offsets_, num_steps_);
}

std::vector<double> InnerSteps::completed(std::span<const double> parameters) const {
  InnerEvaluator evaluator(of_, num_offsets_, num_steps_);
  density::Request unused;
  evaluator.walk(parameters, unused);
  return evaluator.end();
}

}  // namespace credo::infer
