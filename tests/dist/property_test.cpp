// Derivatives of every univariate distribution of the table, at usual parameters.
#include "dist/at.hpp"

namespace credo::dist::property_test {
namespace {

class Examples : public ::testing::TestWithParam<Example> {};

TEST_P(Examples, derivative_of_each_tail_is_the_density) {
  const At at(GetParam());
  if (at.d.discrete) {
    for (double k = at.lower() + 1.0; k < 6.0 && k <= at.upper(); k += 1.0) {
      const double mass = std::exp(at.log_density(k));
      EXPECT_NEAR(at.cdf(k) - at.cdf(k - 1.0), mass, 1e-11 + 1e-10 * mass);
    }
    return;
  }
  for (const double p : {1e-6, 0.03, 0.3, 0.8, 0.9999}) {
    const double y = quantile(at.d, p, at.params);
    testing::ReferenceRecord record;
    record.args.push_back({"real", {}, {y}, true});
    const double density = std::exp(at.log_density(y));
    std::vector<Expr> params(at.params.begin(), at.params.end());
    const auto slope = [&](Tail which) {
      return testing::evaluate(record,
                               [&](std::span<const Expr> args, Checks& checks) {
                                 return tail(at.d, which, args[0], params, at.d.name, checks);
                               })
          .gradient[0][0];
    };
    EXPECT_NEAR(slope(Tail::cdf) / density, 1.0, 1e-9) << y;
    EXPECT_NEAR(slope(Tail::log_cdf) * at.cdf(y) / density, 1.0, 1e-9) << y;
    EXPECT_NEAR(-slope(Tail::log_ccdf) * std::exp(at.tail(Tail::log_ccdf, y)) / density, 1.0, 1e-9)
        << y;
  }
}

TEST_P(Examples, tails_stay_finite_where_the_cdf_is_0_or_1) {
  const At at(GetParam());
  if (at.d.discrete || at.d.name == "uniform" || at.d.name == "von_mises") return;
  const double lo = quantile(at.d, 1e-12, at.params);
  const double hi = at.d.upper == 1.0 ? 1.0 - 1e-9 : 30.0 * quantile(at.d, 0.9, at.params);
  for (const double y : {lo, 0.5 * lo + 0.5 * quantile(at.d, 0.5, at.params), std::abs(hi)}) {
    EXPECT_TRUE(std::isfinite(at.tail(Tail::log_cdf, y))) << y;
    EXPECT_TRUE(std::isfinite(at.tail(Tail::log_ccdf, y))) << y;
    EXPECT_TRUE(std::isfinite(at.log_density(y))) << y;
  }
}

// H e_j by the adjoint of the adjoint against central differences of the gradient; step 1e-5 of the
// parameter leaves an error of about 1e-10 third derivatives plus 1e-16/1e-5 gradient.
TEST_P(Examples, hessian_is_symmetric_and_the_slope_of_the_gradient) {
  const At at(GetParam());
  const Index n = ssize(at.params);
  if (n == 0 || at.d.name.starts_with("binomial") || at.d.name == "uniform")
    return;  // whole or irregular parameters
  const double y = quantile(at.d, 0.7, at.params);
  graph::Graph graph;
  testing::ThrowingChecks checks;
  const graph::NodeId input = graph.add_input(graph::vector_shape(n));
  const Expr all(graph, {input, -1});
  std::vector<Expr> params, outputs;
  for (Index i = 0; i < n; ++i) params.push_back(all.element(i));
  const Expr value =
      log_density(at.d, std::isnan(y) ? 1.0 : y, params, {.function = at.d.name}, checks).value;
  const std::array inputs{input};
  outputs.push_back(graph::gradient(graph, value, inputs)[0]);
  for (Index j = 0; j < n; ++j) {
    Numbers direction(at.params.size(), 0.0);
    direction[static_cast<std::size_t>(j)] = 1.0;
    outputs.push_back(graph::hessian_vector(graph, value, input,
                                            graph::constant(graph::vector_shape(n), direction)));
  }
  const graph::Program program(graph, input, outputs);
  const auto run = [&](const Numbers& point) {
    graph::Workspace workspace(program, 1);
    workspace.set_lanes(1);
    workspace.set_input(0, point);
    workspace.run();
    Numbers out;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      for (Index i = 0; i < n; ++i) out.push_back(workspace.output(k, i, 0));
    }
    return out;
  };
  const Numbers centre = run(at.params);
  const auto hessian = [&](Index i, Index j) {
    return centre[static_cast<std::size_t>(n + j * n + i)];
  };
  for (Index j = 0; j < n; ++j) {
    Numbers up = at.params, down = at.params;
    const auto index = static_cast<std::size_t>(j);
    const double step = 1e-5 * std::max(1.0, std::abs(at.params[index]));
    up[index] += step;
    down[index] -= step;
    const Numbers high = run(up), low = run(down);
    for (Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double scale = std::abs(hessian(i, i)) + std::abs(hessian(j, j)) + 1e-9;
      EXPECT_NEAR(hessian(i, j), hessian(j, i), 1e-10 * scale) << i << j;
      EXPECT_NEAR(hessian(i, j), (high[k] - low[k]) / (2.0 * step),
                  1e-6 * scale + 1e-10 * std::abs(centre[k]) / step)
          << i << j;
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Example>& info) {
  return std::string(info.param.name) + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(usual_examples()), name_of);

TEST(Table, is_in_alphabetical_order) {
  const auto rows = table();
  EXPECT_TRUE(
      std::is_sorted(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->name < b->name; }));
}

}  // namespace
}  // namespace credo::dist::property_test
