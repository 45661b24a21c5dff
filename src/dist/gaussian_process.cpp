#include "dist/gaussian_process.hpp"

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

}  // namespace credo::dist
