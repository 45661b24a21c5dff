#include "density/matrix_field.hpp"

namespace credo::density {
namespace {
// Apart from any number of the densities it stands before.
constexpr std::int32_t kNotFinite = std::numeric_limits<std::int32_t>::min();

Status judge_numbers(std::span<const double> numbers) {
  for (const double x : numbers)
    if (!std::isfinite(x)) return {.source = kNotFinite, .value = x};
  return {};
}

class WithField final : public LogDensity {
 public:
  // `matrix` is Want::hessian or Want::information.
  WithField(std::shared_ptr<const LogDensity> density, Want matrix, MatrixField field)
      : density_(std::move(density)), matrix_(matrix), field_(std::move(field)) {}

  Index dimension() const override { return density_->dimension(); }
  bool has_gradient() const override { return density_->has_gradient(); }
  bool has_hessian() const override { return matrix_ == Want::hessian || density_->has_hessian(); }
  bool has_information() const override {
    return matrix_ == Want::information || density_->has_information();
  }
  std::unique_ptr<Evaluator> make_evaluator() const override {
    return std::make_unique<FieldEvaluator>(*this);
  }
  std::string describe(const Status& status) const override {
    if (status.source != kNotFinite) return density_->describe(status);
    return "the matrix or its slope isn't finite here";
  }

 private:
  class FieldEvaluator final : public Evaluator {
   public:
    explicit FieldEvaluator(const WithField& density)
        : density_(density), inner_(density.density_->make_evaluator()) {}
    void evaluate(Want want, std::span<Request* const> batch) override {
      const bool is_matrix = want == density_.matrix_;
      const bool is_slope = want == slope_of(density_.matrix_);
      if (!is_matrix && !is_slope) return inner_->evaluate(want, batch);
      for (Request* request : batch) {
        if (is_matrix)
          density_.field_.value(request->position, request->matrix);
        else
          density_.field_.slope(request->position, request->weights, request->gradient);
        request->status = judge_numbers(is_matrix ? request->matrix : request->gradient);
      }
    }
    void use_threads(Index count) override { inner_->use_threads(count); }

   private:
    const WithField& density_;
    std::unique_ptr<Evaluator> inner_;
  };

  std::shared_ptr<const LogDensity> density_;
  Want matrix_;
  MatrixField field_;
};
}  // namespace

std::shared_ptr<const LogDensity> with_hessian(std::shared_ptr<const LogDensity> density,
                                               MatrixField field) {
  return std::make_shared<WithField>(std::move(density), Want::hessian, std::move(field));
}

std::shared_ptr<const LogDensity> with_information(std::shared_ptr<const LogDensity> density,
                                                   MatrixField field) {
  return std::make_shared<WithField>(std::move(density), Want::information, std::move(field));
}

void transform_information(std::span<const double> matrix, std::span<const double> jacobian,
                           std::span<double> transformed) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(double(matrix.size()))));
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t a = 0; a < n; ++a) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        double row = 0.0;
        for (std::size_t j = 0; j < n; ++j) row += jacobian[j + a * n] * matrix[j + k * n];
        sum += row * jacobian[k + b * n];
      }
      transformed[a + b * n] = sum;
    }
  }
}

}  // namespace credo::density
