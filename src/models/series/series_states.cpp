// The program that states a series by the functions of state-space models (docs/algorithms/filters.md), for credo filter, smooth, and
// samplers that draw the states.
#include <fmt/format.h>

#include "models/regression/program_parts.hpp"
#include "models/series/series_family.hpp"
#include "models/series/series_writer.hpp"

namespace credo::models {
namespace {
constexpr const char* kDraws =
    R"(  // Cholesky factor of a covariance, some of whose variances may be 0.
  matrix factor_of(matrix P) {
    int n = rows(P);
    matrix[n, n] L = rep_matrix(0, n, n);
    for (j in 1:n) {
      real d = P[j, j];
      for (k in 1:(j - 1)) d -= square(L[j, k]);
      if (d > 0) {
        L[j, j] = sqrt(d);
        for (i in (j + 1):n) {
          real c = P[i, j];
          for (k in 1:(j - 1)) c -= L[i, k] * L[j, k];
          L[i, j] = c / L[j, j];
        }
      }
    }
    return L;
  }
  vector initial_rng(vector m, matrix P) {
    int n = num_elements(m);
    vector[n] x = m;
    matrix[n, n] L = factor_of(P);
    for (k in 1:n) x += L[, k] * normal_rng(0, 1);
    return x;
  }
  vector transition_rng(vector before, matrix A, matrix q, int kind) {
    int n = num_elements(before);
    vector[n] x = A[, ((kind - 1) * n + 1):(kind * n)] * before;
    for (i in 1:n) if (q[i, kind] > 0) x[i] += normal_rng(0, sqrt(q[i, kind]));
    return x;
  }
)";
constexpr const char* kDensities =
    R"(  real initial_lpdf(vector state, vector m, matrix P) { return multi_normal_lpdf(state | m, P); }
  real transition_lpdf(vector state, vector before, matrix A, matrix q, int kind) {
    int n = num_elements(before);
    return normal_lpdf(state | A[, ((kind - 1) * n + 1):(kind * n)] * before, sqrt(q[, kind]));
  }
)";

class StatesWriter final : SeriesWriter {
 public:
  explicit StatesWriter(const Series& made)
      : SeriesWriter(made), family_(series_family(made.family)) {}

  std::string text() const {
    return fmt::format(
               "// {}   states as functions, written by credo series: credo filter, smooth, and "
               "sample{}\n",
               made_.formula,
               has_densities() ? "" : " --sampler pmmh; the states have no density") +
           block_of("functions", own_functions()) + block_of("data", own_data()) +
           block_of("transformed data", known() + design()) +
           block_of("parameters", own_parameters()) +
           block_of("transformed parameters", transformed()) + block_of("model", own_model());
  }

 private:
  // Every state moves with noise at every time, and starts with some; an autoregression of several lags, or a season, doesn't.
  bool has_densities() const {
    for (const SeriesComponent& part : made_.components) {
      if (part.num_states == 0) continue;
      if (ssize(part.noise) < part.num_states || part.steps > 1) return false;
    }
    return true;
  }
  bool is_count() const { return family_.is_count; }

  std::string own_functions() const {
    std::string text = functions();  // a block of its own in the other programs
    if (!text.empty())
      text = text.substr(text.find('\n') + 1, text.rfind('}') - text.find('\n') - 1);
    text += std::string(kDraws) + (has_densities() ? kDensities : "");
    const std::string arguments =
        fmt::format("vector state, row_vector design, real fixed{}{}",
                    family_.argument.empty() ? "" : ", real ", family_.argument) +
        (made_.freedom == "nu" ? ", real nu" : "");
    text += fmt::format("  real observation_{}({} y, {}) {{ return {}_{}(y | {}); }}\n",
                        is_count() ? "lpmf" : "lpdf", is_count() ? "int" : "real", arguments,
                        family_.distribution, is_count() ? "lpmf" : "lpdf", family_arguments());
    return text + fmt::format("  {} observation_rng({}) {{ return {}_rng({}); }}\n",
                              is_count() ? "int" : "real", arguments, family_.distribution,
                              family_arguments());
  }
  std::string family_arguments() const {
    const std::string mean = "design * state + fixed";
    return (made_.is_student ? made_.freedom + ", " : "") + mean +
           (family_.scale.empty() ? "" : ", " + std::string(family_.scale));
  }
  // Counts have no NaN, so a flag says which are missing.
  std::string own_data() const {
    if (!is_count()) return data();
    std::string lines =
        "  int<lower=1> T;  // times\n  array[T] int<lower=0> y;  // outcomes\n"
        "  array[T] int<lower=0, upper=1> y_observed;  // 0: missing\n";
    return lines + columns_and_steps();
  }
  std::string design() const {
    return fmt::format("  matrix[T, {}] design = {};\n", n_,
                       made_.design_varies() ? "Z'" : "rep_matrix(Z[, 1]', T)");
  }
  std::string own_parameters() const {
    std::string lines;
    for (const SeriesParameter& p : made_.parameters)
      if (p.element != "weight") lines += "  " + p.declaration + ";\n";
    if (has_densities()) lines += fmt::format("  array[T] vector[{}] state;\n", n_);
    return lines;
  }
  std::string transformed() const {
    const std::string fixed = fixed_parts();
    std::string lines;
    const std::string text = matrices();
    for (std::size_t at = 0; at < text.size();) {  // two blanks less in front
      const std::size_t end = text.find('\n', at);
      lines += text.substr(at + 2, end - at - 1);
      at = end + 1;
    }
    return lines +
           fmt::format("  vector[T] fixed = {};\n", fixed.empty() ? "rep_vector(0, T)" : fixed);
  }
  std::string own_model() const {
    std::string lines;
    for (std::size_t k = 0; k < made_.statements.size(); ++k)
      if (!made_.statements[k].starts_with("weight ~")) lines += "  " + made_.statements[k] + "\n";
    if (!has_densities()) return lines;
    const std::string seen = is_count() ? "y_observed[t] == 1" : "!is_nan(y[t])";
    const std::string rest =
        (family_.argument.empty() ? "" : ", " + std::string(family_.argument)) +
        (made_.freedom == "nu" ? ", nu" : "");
    return lines + fmt::format(
                       "  target += initial_lpdf(state[1] | m, P);\n"
                       "  for (t in 2:T) target += transition_lpdf(state[t] | state[t - 1], A, q, "
                       "kind[t]);\n"
                       "  for (t in 1:T) if ({}) target += observation_{}(y[t] | state[t], "
                       "design[t], fixed[t]{});\n",
                       seen, is_count() ? "lpmf" : "lpdf", rest);
  }

  const SeriesFamily& family_;
};
}  // namespace

std::string series_states_refusal(const Series& made) {
  if (made.num_states() == 0) return "the formula has no states";
  if (made.is_diffuse)
    return "states with a diffuse start can't be drawn: --start prior gives them one";
  return {};
}
std::string series_states_text(const Series& made) { return StatesWriter(made).text(); }

}  // namespace credo::models
