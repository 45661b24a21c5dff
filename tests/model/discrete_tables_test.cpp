// Tables of discrete parameters against the density itself: its value at each configuration, and its sum.
#include "model/discrete/discrete_tables.hpp"

#include <gtest/gtest.h>

#include "support/share.hpp"
#include "support/text_model.hpp"

namespace credo::model::discrete_tables_test {
namespace {

struct Program {
  const char* name;
  const char* text;
  std::vector<double> free;
};

const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"network_of_mixed_sizes",
       R"(parameters { int<lower=0, upper=1> a; int<lower=1, upper=3> b; int<lower=-1, upper=2> c;
            array[2] int<lower=0, upper=4> d; }
          model { a ~ bernoulli(0.3); b ~ categorical(a == 1 ? [0.2, 0.3, 0.5]' : [0.6, 0.1, 0.3]');
            target += -0.3 * square(c - a * b);
            for (i in 1:2) d[i] ~ poisson(1 + c * c);
            target += d[1] == d[2] ? 0.4 * b : -0.1; })",
       {}},
      {"cycle_with_fields",
       R"(parameters { array[5] int<lower=0, upper=1> z; }
          model { for (i in 1:5) { target += (0.3 * i - 0.7) * z[i];
              target += 0.9 * (2 * z[i] - 1) * (2 * z[i % 5 + 1] - 1); } })",
       {}},
      {"chain_with_continuous_ones",
       R"(data { int N; vector[N] y; }
          parameters { array[2] simplex[2] move; ordered[2] mu; real<lower=0> s;
            array[N] int<lower=1, upper=2> z; }
          model { mu ~ normal(0, 2); s ~ lognormal(0, 1);
            for (t in 2:N) z[t] ~ categorical(move[z[t - 1]]);
            y ~ normal(mu[z], s); })",
       {0.3, -0.8, -0.4, 0.2, 0.1}},
      {"impossible_states",
       R"(data { int N; array[N] int c; }
          parameters { real<lower=0> rate; array[N] int<lower=0, upper=6> n; int<lower=0, upper=1> on; }
          model { rate ~ exponential(1);
            for (i in 1:N) { n[i] ~ poisson(rate + 2 * on); c[i] ~ binomial(n[i], 0.4); } })",
       {0.7}},
      {"a_parameter_that_no_term_has",
       R"(parameters { int<lower=1, upper=3> idle; int<lower=0, upper=1> a; } model { a ~ bernoulli(0.2); })",
       {}},
  };
  return all;
}
const char* const kData = R"({"N": 4, "y": [0.3, -0.8, 1.9, 2.2], "c": [0, 3, 1, 2]})";

std::unique_ptr<Model> model_of(const Program& program, DiscreteUse use) {
  ModelOptions options;
  options.discrete = use;
  options.query.jacobian = false;
  return model_from(program.text, kData, std::move(options));
}

// All configurations of the discrete parameters, each with the log density there.
std::vector<std::pair<std::vector<std::int32_t>, double>> configurations(const Model& model,
                                                                         std::vector<double> at) {
  const DiscreteRanges& ranges = model.discrete();
  std::vector<std::int32_t> values(ranges.lower);
  std::vector<std::pair<std::vector<std::int32_t>, double>> all;
  const std::size_t free = at.size();
  at.resize(free + values.size());
  for (;;) {
    std::copy(values.begin(), values.end(), at.begin() + static_cast<std::ptrdiff_t>(free));
    const PointEvaluation point = model.evaluate_in_full(at);
    all.emplace_back(values, point.status.ok() ? point.log_density : -kInfinity);
    std::size_t d = values.size();
    while (d > 0 && values[d - 1] == ranges.upper[d - 1]) --d, values[d] = ranges.lower[d];
    if (d == 0) return all;
    ++values[d - 1];
  }
}

double sum_of(const numerics::FactorTables& tables, std::span<const std::int32_t> values,
              const DiscreteRanges& ranges) {
  std::vector<std::int32_t> at(values.begin(), values.end());
  for (std::size_t m = 0; m < at.size(); ++m) at[m] -= ranges.lower[m];
  const numerics::EliminationPlan shape{.scopes = {}, .sizes = tables.sizes, .steps = {}};
  double sum = tables.constant;
  for (std::size_t f = 0; f < tables.scopes.size(); ++f)
    sum += tables.tables[f][static_cast<std::size_t>(shape.place(tables.scopes[f], at))];
  return sum;
}

LONG_TEST(discrete_tables, sum_to_the_density_at_each_configuration) {
  for (const Program& program : programs()) {
    const auto model = model_of(program, DiscreteUse::gibbs);
    const numerics::FactorTables tables = model->make_tables(program.free)->at(program.free);
    Index num_possible = 0;
    for (const auto& [values, log_density] : configurations(*model, program.free)) {
      const double sum = sum_of(tables, values, model->discrete());
      if (!(log_density > -kInfinity)) {
        EXPECT_EQ(sum, -kInfinity) << program.name;
        continue;
      }
      ++num_possible;
      EXPECT_NEAR(sum, log_density, 1e-12 * (1.0 + std::abs(log_density))) << program.name;
    }
    EXPECT_GT(num_possible, 5) << program.name;
  }
}

// The other way to sum them is expressions of a graph, in another order, with its own tables.
TEST(discrete_tables, have_the_sum_of_the_density_with_them_summed_out) {
  for (const Program& program : programs()) {
    if (program.free.empty()) continue;
    const auto model = model_of(program, DiscreteUse::gibbs);
    const numerics::FactorTables tables = model->make_tables(program.free)->at(program.free);
    const auto summed = model_of(program, DiscreteUse::sum);
    const double found = numerics::FactorProduct(tables, numerics::plan_of(tables)).log_sum();
    EXPECT_NEAR(found, summed->evaluate_in_full(program.free).log_density, 1e-11) << program.name;
  }
}

LONG_TEST(discrete_tables, are_summed_as_all_configurations_are) {
  for (const Program& program : programs()) {
    const auto model = model_of(program, DiscreteUse::gibbs);
    const numerics::FactorTables tables = model->make_tables(program.free)->at(program.free);
    double sum = 0.0;
    for (const auto& [values, log_density] : configurations(*model, program.free))
      sum += std::exp(log_density);
    EXPECT_NEAR(numerics::FactorProduct(tables, numerics::plan_of(tables)).log_sum(), std::log(sum),
                1e-11)
        << program.name;
  }
}

TEST(discrete_tables, are_the_same_for_any_number_of_lanes) {
  const Program& program = programs()[2];
  std::vector<numerics::FactorTables> found;
  for (const Index lanes : {1, 8}) {
    ModelOptions options;
    options.discrete = DiscreteUse::gibbs;
    options.max_lanes = lanes;
    found.push_back(model_from(program.text, kData, std::move(options))
                        ->make_tables(program.free)
                        ->at(program.free));
  }
  EXPECT_EQ(found[0].tables, found[1].tables);
}

TEST(discrete_tables, refuse_terms_of_very_many_parameters) {
  ModelOptions options;
  options.discrete = DiscreteUse::gibbs;
  const auto model =
      model_from("parameters { array[20] int<lower=0, upper=1> z; } model { sum(z) ~ poisson(4); }",
                 "{}", std::move(options));
  try {
    model->make_tables(std::vector<double>());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("more than 16 discrete parameters"), std::string::npos);
  }
}

}  // namespace
}  // namespace credo::model::discrete_tables_test
