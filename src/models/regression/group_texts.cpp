#include "models/regression/group_texts.hpp"

#include <fmt/format.h>

namespace credo::models {
namespace {
bool is_vector(const GroupBlock& g) { return g.num_columns() == 1; }

// Standard effects with the covariance between levels.
std::string spread_levels(const GroupBlock& g, const std::string& z) {
  if (g.covariance_root.empty()) return z;
  return is_vector(g) ? fmt::format("({} * {})", g.covariance_root, z)
                      : fmt::format("({} * {}')", z, g.covariance_root);
}

// The effects of all levels from standard ones.
std::string scaled_effects(const GroupBlock& g) {
  const std::string z = spread_levels(g, g.z);
  std::string all;
  if (g.strata.are_there()) {
    const std::string& by = g.strata.codes;
    all = is_vector(g)      ? fmt::format("{}[{}] .* {}", g.sd, by, z)
          : g.is_correlated ? fmt::format("effects_by({}, {}, {}, {})", g.sd, g.root, z, by)
                            : fmt::format("{}[, {}] .* {}", g.sd, by, z);
  } else if (is_vector(g)) {
    all = fmt::format("{} * {}", g.sd, z);
  } else {
    all = g.is_correlated ? fmt::format("diag_pre_multiply({}, {}) * {}", g.sd, g.root, z)
                          : fmt::format("diag_pre_multiply({}, {})", g.sd, z);
  }
  if (!g.freedom) return all;
  return is_vector(g) ? fmt::format("{} .* ({})", g.widths, all)
                      : fmt::format("diag_post_multiply({}, {})", all, g.widths);
}

std::string deviation_declaration(const GroupBlock& g) {
  const Index q = g.num_columns();
  if (!g.scale_parameters.empty()) {
    std::string lines;
    for (const std::string& line : g.scale_parameters) lines += fmt::format("  {};\n", line);
    return lines;
  }
  if (g.strata.are_there())
    return is_vector(g)
               ? fmt::format("  vector<lower=0>[K_{}] {};\n", g.strata.column, g.sd)
               : fmt::format("  matrix<lower=0>[{}, K_{}] {};\n", q, g.strata.column, g.sd);
  return is_vector(g) ? fmt::format("  real<lower=0> {};\n", g.sd)
                      : fmt::format("  vector<lower=0>[{}] {};\n", q, g.sd);
}

// Effects as parameters: their distribution.
std::string centred_statement(const GroupBlock& g) {
  if (is_vector(g)) return prior_statement(g.effects, fmt::format("normal(0, {})", g.sd));
  const Index q = g.num_columns();
  if (!g.is_correlated)
    return fmt::format("  for (k in 1:{}) {}[k] ~ normal(0, {}[k]);\n", q, g.effects, g.sd);
  return fmt::format(
      "  for (k in 1:{}) {}[, k] ~ multi_normal_cholesky(rep_vector(0, {}), "
      "diag_pre_multiply({}, {}));\n",
      g.size, g.effects, q, g.sd, g.root);
}

// An effect of a new level k, or the effects of its columns.
std::string new_effect(const GroupBlock& g) {
  const std::string stratum = g.strata.are_there() ? fmt::format("new_{}[k]", g.strata.codes) : "";
  if (is_vector(g)) {
    const std::string sd = g.strata.are_there() ? fmt::format("{}[{}]", g.sd, stratum) : g.sd;
    return g.freedom ? fmt::format("student_t_rng({}, 0, {})", g.freedom->element, sd)
                     : fmt::format("normal_rng(0, {})", sd);
  }
  const std::string sd = g.strata.are_there() ? fmt::format("{}[, {}]", g.sd, stratum) : g.sd,
                    root = g.strata.are_there() ? fmt::format("{}[{}]", g.root, stratum) : g.root;
  const std::string all = g.is_correlated
                              ? fmt::format("diag_pre_multiply({}, {}) * z_new", sd, root)
                              : fmt::format("{} .* z_new", sd);
  return g.freedom ? fmt::format("sqrt({0} / chi_square_rng({0})) * ({1})", g.freedom->element, all)
                   : all;
}
}  // namespace

std::string prior_statement(const std::string& name, const std::string& prior) {
  return prior.empty() ? "" : fmt::format("  {} ~ {};\n", name, prior);
}

std::string GroupBlock::name_of(const Coefficient& deviation) const {
  return num_columns() == 1 && deviation.name == "intercept"
             ? fmt::format("sd({})", label)
             : fmt::format("sd({}, {})", label, deviation.name);
}

std::string group_parameters(const GroupBlock& g, bool centred) {
  std::string lines = deviation_declaration(g);
  const Index q = g.num_columns();
  if (g.is_correlated)
    lines += g.strata.are_there() ? fmt::format("  array[K_{}] cholesky_factor_corr[{}] {};\n",
                                                g.strata.column, q, g.root)
                                  : fmt::format("  cholesky_factor_corr[{}] {};\n", q, g.root);
  if (g.freedom)
    lines += fmt::format("  real<lower=1> {};\n  vector<lower=0>[{}] {};\n", g.freedom->element,
                         g.size, g.mixing);
  const std::string& effects = centred ? g.effects : g.z;
  return lines + (is_vector(g) ? fmt::format("  vector[{}] {};\n", g.size, effects)
                               : fmt::format("  matrix[{}, {}] {};\n", q, g.size, effects));
}

std::string group_effects(const GroupBlock& g, bool centred) {
  std::string lines;
  if (!g.scale_line.empty()) lines += fmt::format("  {};\n", g.scale_line);
  if (centred) return lines;
  if (g.freedom)
    lines += fmt::format("  vector[{}] {} = sqrt({} * {});\n", g.size, g.widths, g.freedom->element,
                         g.mixing);
  const std::string type = is_vector(g) ? fmt::format("vector[{}]", g.size)
                                        : fmt::format("matrix[{}, {}]", g.num_columns(), g.size);
  std::vector<std::string> names;
  for (const Coefficient& c : g.deviations) names.push_back(c.name);
  return lines + fmt::format("  {} {} = {};  // {}\n", type, g.effects, scaled_effects(g),
                             fmt::join(names, ", "));
}

std::string group_statements(const GroupBlock& g, bool centred) {
  std::string lines;
  for (const std::string& line : g.scale_statements) lines += fmt::format("  {};\n", line);
  if (g.is_correlated && g.strata.are_there() && !g.correlation_prior.empty())
    lines += fmt::format("  for (k in 1:K_{}) {}[k] ~ {};\n", g.strata.column, g.root,
                         g.correlation_prior);
  else if (g.is_correlated)
    lines += prior_statement(g.root, g.correlation_prior);
  if (g.freedom) {
    lines += prior_statement(g.freedom->element, g.freedom->prior);
    lines += prior_statement(g.mixing, fmt::format("inv_chi_square({})", g.freedom->element));
  }
  if (centred) return lines + centred_statement(g);
  return lines + (is_vector(g) ? prior_statement(g.z, "std_normal()")
                               : prior_statement("to_vector(" + g.z + ")", "std_normal()"));
}

std::string group_rows(const GroupBlock& g) {
  std::string lines;
  if (!g.lookup.empty()) {
    std::vector<std::string> indices;
    for (const std::string& column : g.columns) indices.push_back(column + "[n]");
    lines = fmt::format("  array[N] int<lower=1, upper={}> {};\n  for (n in 1:N) {}[n] = {}[{}];\n",
                        g.size, g.codes, g.codes, g.lookup, fmt::join(indices, ", "));
  }
  for (const GroupMember& member : g.members)
    lines += fmt::format("  array[N] int<lower=1, upper={}> {} = {}[{}];\n", g.size, member.codes,
                         member.lookup, member.column);
  return lines;
}

std::string group_correlations(const GroupBlock& g) {
  if (!g.is_correlated) return "";
  if (!g.strata.are_there())
    return fmt::format("  corr_matrix[{}] {} = multiply_lower_tri_self_transpose({});\n",
                       g.num_columns(), g.correlations, g.root);
  return fmt::format(
      "  array[K_{0}] corr_matrix[{1}] {2};\n"
      "  for (k in 1:K_{0}) {2}[k] = multiply_lower_tri_self_transpose({3}[k]);\n",
      g.strata.column, g.num_columns(), g.correlations, g.root);
}

std::string predicted_rows(const GroupBlock& g) {
  const auto codes = [&](const std::string& name) {
    return fmt::format("  array[N] int<lower=1, upper={} + new_{}> {};\n", g.size, g.codes, name);
  };
  std::string lines;
  if (!g.lookup.empty() || !g.members.empty())
    lines = fmt::format("  int<lower=0> new_{};\n", g.codes);
  if (!g.lookup.empty()) lines += codes(g.codes);
  for (const GroupMember& member : g.members) lines += codes(member.codes);
  return lines;
}

std::string predicted_effects(const GroupBlock& g) {
  const Index q = g.num_columns();
  const std::string name = fmt::format("{}{}", kAllEffects, g.effects);
  if (q == 1)
    return fmt::format(
        "    vector[{0} + new_{1}] {2} = append_row({3}, rep_vector(0, new_{1}));\n"
        "    for (k in 1:draws_new * new_{1}) {2}[{0} + k] = {4};\n",
        g.size, g.codes, name, g.effects, new_effect(g));
  return fmt::format(
      "    matrix[{5}, {0} + new_{1}] {2} = append_col({3}, rep_matrix(0, {5}, new_{1}));\n"
      "    for (k in 1:draws_new * new_{1}) {{\n"
      "      vector[{5}] z_new = to_vector(normal_rng(rep_vector(0, {5}), 1));\n"
      "      {2}[, {0} + k] = {4};\n    }}\n",
      g.size, g.codes, name, g.effects, new_effect(g), q);
}

}  // namespace credo::models
