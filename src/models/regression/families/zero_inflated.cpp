// Outcomes with extra zeros: a 0 with probability zi, else a number of another distribution.
#include <fmt/format.h>

#include <deque>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
struct Inflated {
  std::string_view name, base;        // "zero_inflated_poisson", "poisson"
  std::string_view declared, passed;  // arguments of the functions, and of the base within them
  std::string_view zero;              // log probability of a 0
  bool is_real = false;
};

// Strings behind the views of the rows.
std::string_view kept(std::string text) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(text));
}
std::string_view functions_of(const Inflated& f) {
  const char *const density = f.is_real ? "lpdf" : "lpmf", *const type = f.is_real ? "real" : "int";
  return kept(fmt::format(
      "  real {0}_{1}({2} y, {3}, real zi) {{\n    if (y == 0) return {4};\n    return log1m(zi) + "
      "{5}_{1}(y | {6});\n  }}\n  {2} {0}_rng({3}, real zi) {{\n    return bernoulli_rng(zi) == 1 "
      "? "
      "0 : {5}_rng({6});\n  }}\n",
      f.name, density, type, f.declared, f.zero, f.base, f.passed));
}

struct OutcomeRules {
  std::vector<std::string_view> links;
  std::vector<FamilyParameter> parameters;  // before zi
  std::string (*why_not)(double value, double trials);
  std::string_view words;
  bool needs_trials = false;
  FamilyWriter mean = mean_of;  // mean of the base
};
// `arguments`: those of the base for a row.
FamilyRow row_of(const Inflated& f, OutcomeRules rules, const FamilyWriter& arguments) {
  const auto call = [name = std::string(f.name), arguments](const char* end) {
    return [name = name + end, arguments](const FamilyText& t) {
      return fmt::format("{}({}, {})", name, arguments(t), t["zi"]);
    };
  };
  rules.parameters.push_back(share_parameter("zi"));
  const bool needs_trials = rules.needs_trials;
  return {.name = f.name,
          .links = std::move(rules.links),
          .role = f.is_real ? ColumnRole::number : ColumnRole::count,
          .scale = PriorScale::unit,
          .parameters = std::move(rules.parameters),
          .why_not = rules.why_not,
          .distribution = call(""),
          .draw = call("_rng"),
          .expected =
              [needs_trials, mean = rules.mean](const FamilyText& t) {
                return fmt::format("{}(1 - {}) * {}", needs_trials ? t.trials + " * " : "", t["zi"],
                                   mean(t));
              },
          .needs_trials = needs_trials,
          .words = rules.words,
          .functions = {{f.name, functions_of(f)}},
          .is_by_row = true};
}
}  // namespace

extern const FamilyRow zero_inflated_poisson_family = row_of(
    {.name = "zero_inflated_poisson",
     .base = "poisson",
     .declared = "real mu",
     .passed = "mu",
     .zero = "log_sum_exp(log(zi), log1m(zi) - mu)"},
    {{"log", "sqrt", "softplus"}, {}, only_counts, "zero-inflated Poisson outcome"}, mean_of);

extern const FamilyRow zero_inflated_negbinomial_family =
    row_of({.name = "zero_inflated_negbinomial",
            .base = "neg_binomial_2",
            .declared = "real mu, real phi",
            .passed = "mu, phi",
            .zero = "log_sum_exp(log(zi), log1m(zi) + neg_binomial_2_lpmf(0 | mu, phi))"},
           {{"log", "sqrt", "softplus"},
            {overdispersion_parameter()},
            only_counts,
            "zero-inflated negative binomial outcome"},
           [](const FamilyText& t) { return fmt::format("{}, {}", t.mean, t["phi"]); });

extern const FamilyRow zero_inflated_com_poisson_family =
    row_of({.name = "zero_inflated_com_poisson",
            .base = "com_poisson",
            .declared = "real mu, real shape",
            .passed = "mu, shape",
            .zero = "log_sum_exp(log(zi), log1m(zi) + com_poisson_lpmf(0 | mu, shape))"},
           {.links = {"log", "sqrt", "softplus"},
            .parameters = {com_poisson_shape()},
            .why_not = only_counts,
            .words = "zero-inflated Conway-Maxwell-Poisson outcome",
            .mean =
                [](const FamilyText& t) {
                  return fmt::format("com_poisson_mean({}, {})", t.mean, t["shape"]);
                }},
           [](const FamilyText& t) { return fmt::format("{}, {}", t.mean, t["shape"]); });

extern const FamilyRow zero_inflated_binomial_family =
    row_of({.name = "zero_inflated_binomial",
            .base = "binomial",
            .declared = "int trials, real mu",
            .passed = "trials, mu",
            .zero = "log_sum_exp(log(zi), log1m(zi) + trials * log1m(mu))"},
           {{"logit", "probit", "cloglog", "cauchit"},
            {},
            only_counts_of_trials,
            "zero-inflated binomial outcome",
            true},
           [](const FamilyText& t) { return fmt::format("{}, {}", t.trials, t.mean); });

extern const FamilyRow zero_inflated_beta_family =
    row_of({.name = "zero_inflated_beta",
            .base = "beta",
            .declared = "real mu, real phi",
            .passed = "mu * phi, (1 - mu) * phi",
            .zero = "log(zi)",
            .is_real = true},
           {{"logit", "probit", "cloglog", "cauchit"},
            {shape_parameter("phi", "gamma(2, 0.1)")},
            [](double y, double) {
              return y >= 0.0 && y < 1.0 ? std::string() : "it must be at least 0 and below 1";
            },
            "zero-inflated beta outcome"},
           [](const FamilyText& t) { return fmt::format("{}, {}", t.mean, t["phi"]); });
}  // namespace credo::models
