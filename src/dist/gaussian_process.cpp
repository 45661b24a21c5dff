#include "dist/gaussian_process.hpp"

#include "dist/matrix_moments.hpp"

namespace credo::dist {

Terms gaussian_process_terms(const Expr& y, const Expr& factor, const Expr& weights) {
  const Index outputs = y.shape().rows, points = y.shape().cols;
  const auto num_outputs = static_cast<double>(outputs), num_points = static_cast<double>(points);
  std::vector<std::int32_t> output(static_cast<std::size_t>(y.size()));
  for (std::size_t i = 0; i < output.size(); ++i)
    output[i] = static_cast<std::int32_t>(static_cast<Index>(i) / points);
  const Expr white = solve_lower(factor, transpose(y));  // N x K
  const Expr scales = gather(white.shape(), weights, std::move(output));
  return {-kHalfLog2Pi * num_outputs * num_points, -num_outputs * sum(log(diagonal(factor))),
          0.5 * num_points * sum(log(weights)), -0.5 * sum(scales * square(white))};
}

void check_gaussian_process(const Expr& y, Args args, std::string_view function, Checks& checks) {
  const auto equal_to = [&](double given, double wanted, std::string_view what,
                            std::string_view rule) {
    checks.greater_equal(given, wanted, {function, what, rule});
    checks.less_equal(given, wanted, {function, what, rule});
  };
  const double points = args[0].shape().rows;
  equal_to(args[0].shape().cols, points, "number of columns of the kernel matrix",
           "the number of its rows");
  if (y.empty()) return;
  equal_to(y.shape().cols, points, "number of columns of the random variable",
           "the rows of the kernel matrix");
  equal_to(y.shape().rows, static_cast<double>(args[1].size()),
           "number of rows of the random variable", "the number of inverse scales");
}

std::vector<double> draw_gaussian_process(Rng& rng, const Expr& factor, const Expr& weights) {
  const auto outputs = static_cast<std::size_t>(weights.size()),
             points = static_cast<std::size_t>(factor.shape().rows);
  const Expr origin = graph::fill(graph::vector_shape(factor.shape().rows), 0.0);
  std::vector<double> out(outputs * points);
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::vector<double> row = draw_with_factor(rng, origin.values(), factor.values());
    const double scale = 1.0 / numerics::sqrt(weights.value(static_cast<Index>(i)));
    for (std::size_t j = 0; j < points; ++j) out[i + j * outputs] = scale * row[j];
  }
  return out;
}

Moments gaussian_process_moments(const Expr& factor, const Expr& weights) {
  const Expr origin = graph::fill(graph::vector_shape(factor.shape().rows), 0.0);
  const auto outputs = static_cast<std::size_t>(weights.size()),
             points = static_cast<std::size_t>(factor.shape().rows), size = outputs * points;
  const Moments one =
      elliptical_moments(origin, factor, 1.0, entropy_of_normals(factor.shape().rows));
  Moments all{std::vector<double>(size, 0.0), std::vector<double>(size * size, 0.0), 0.0};
  for (std::size_t i = 0; i < outputs; ++i) {
    const double weight = weights.value(static_cast<Index>(i));
    all.entropy += one.entropy - 0.5 * static_cast<double>(points) * numerics::log(weight);
    for (std::size_t j = 0; j < points; ++j) {
      for (std::size_t l = 0; l < points; ++l)
        all.covariance[i + j * outputs + (i + l * outputs) * size] =
            one.covariance[j + l * points] / weight;
    }
  }
  return all;
}

}  // namespace credo::dist
