#include "lang/diagnostics/names.hpp"

namespace credo::lang {
namespace {
struct Pair {
  std::string_view name, here;
};
// Distributions of R, Python and others. A trailing _ in `here` takes the place of a family of functions.
constexpr Pair kForeignDistributions[] = {
    {"binom", "binomial"},
    {"chisq", "chi_square"},
    {"exp", "exponential"},
    {"gaussian", "normal"},
    {"half_cauchy", "cauchy, and declare the variable with <lower=0>"},
    {"half_normal", "normal, and declare the variable with <lower=0>"},
    {"inverse_gamma", "inv_gamma"},
    {"inverse_wishart", "inv_wishart"},
    {"laplace", "double_exponential"},
    {"lkj", "lkj_corr or lkj_corr_cholesky"},
    {"lognorm", "lognormal"},
    {"multivariate_normal", "multi_normal"},
    {"mvn", "multi_normal"},
    {"nbinom", "neg_binomial_2"},
    {"negative_binomial", "neg_binomial or neg_binomial_2"},
    {"norm", "normal"},
    {"pois", "poisson"},
    {"t", "student_t"},
    {"unif", "uniform"},
};
constexpr Pair kForeignFunctions[] = {
    {"c", "{a, b} for an array, [a, b]' for a vector"},
    {"cbind", "append_col"},
    {"concat", "append_array, append_row or append_col"},
    {"cumsum", "cumulative_sum"},
    {"diag", "diagonal(m) or diag_matrix(v)"},
    {"dot", "dot_product"},
    {"expit", "inv_logit"},
    {"ifelse", "condition ? a : b"},
    {"length", "size"},
    {"len", "size"},
    {"ln", "log"},
    {"logsumexp", "log_sum_exp"},
    {"matmul", "a * b"},
    {"ncol", "cols"},
    {"nrow", "rows"},
    {"ones", "ones_vector(n) or rep_vector(1, n)"},
    {"pnorm", "normal_cdf"},
    {"power", "x ^ y"},
    {"rbind", "append_row"},
    {"rep", "rep_array, rep_vector or rep_matrix"},
    {"rnorm", "normal_rng"},
    {"sigmoid", "inv_logit"},
    {"solve", "a \\ b"},
    {"stop", "reject"},
    {"t", "x'"},
    {"transpose", "x'"},
    {"var", "variance"},
    {"zeros", "zeros_vector(n) or rep_vector(0, n)"},
};

std::string_view find(std::span<const Pair> table, std::string_view name) {
  for (const Pair& pair : table) {
    if (is_same_in_any_case(pair.name, name)) return pair.here;
  }
  return {};
}
}  // namespace

std::string_view distribution_elsewhere(std::string_view name) {
  const bool has_letter = name.size() > 2 && (name.front() == 'd' || name.front() == 'r');
  const std::string_view found = find(kForeignDistributions, name);
  return found.empty() && has_letter ? find(kForeignDistributions, name.substr(1)) : found;
}

std::string_view function_elsewhere(std::string_view name) { return find(kForeignFunctions, name); }

std::string_view replacement_of_removed_function(std::string_view name) {
  struct Removed {
    std::string_view name, replacement;
  };
  static constexpr Removed kRemoved[] = {
      {"binomial_coefficient_log", "lchoose(n, k)"},
      {"cov_exp_quad", "gp_exp_quad_cov(x, alpha, rho)"},
      {"fabs", "abs(x)"},
      {"get_lp", "target()"},
      {"if_else", "condition ? a : b"},
      {"increment_log_prob", "target += u"},
      {"multiply_log", "lmultiply(x, y)"},
  };
  for (const Removed& removed : kRemoved) {
    if (removed.name == name) return removed.replacement;
  }
  return {};
}

}  // namespace credo::lang
