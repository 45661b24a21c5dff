#include "models/series/series_writer.hpp"

#include <fmt/format.h>

#include "models/regression/program_parts.hpp"

namespace credo::models {
namespace {
// Coefficients and autocovariances at variance 1 of the noise, from partial autocorrelations.
constexpr const char* kArParts =
    R"(  // Coefficients of an autoregression, then its autocovariances of lags 0 to p - 1 for noise of
  // variance 1, from its partial autocorrelations (Durbin and Levinson).
  vector ar_parts(vector partial) {
    int p = num_elements(partial);
    vector[p] phi = partial;
    vector[p + 1] rho;
    real v = 1;
    rho[1] = 1;
    for (k in 1:p) {
      vector[p] before = phi;
      real next = partial[k] * v;
      for (j in 1:(k - 1)) next += before[j] * rho[k + 1 - j];
      rho[k + 1] = next;
      for (j in 1:(k - 1)) phi[j] = before[j] - partial[k] * before[k - j];
      phi[k] = partial[k];
      v *= 1 - square(partial[k]);
    }
    return append_row(phi, rho[1:p] / v);
  }
)";
}  // namespace

std::string SeriesWriter::program() const {
  return fmt::format("// {}   written by credo series\n", made_.formula) + functions() +
         block_of("data", data()) + block_of("transformed data", known()) +
         block_of("parameters", parameters()) + block_of("model", model());
}

std::string SeriesWriter::system() const {
  std::string lines, values;
  if (n_ > 0) {
    lines += fmt::format(
        "  matrix[{0}, {1}] system_A;\n  matrix[{0}, {2}] system_q;\n  vector[{0}] system_m;\n"
        "  matrix[{0}, {0}] system_P;\n",
        n_, n_ * kinds_, kinds_);
    values +=
        matrices() + "    system_A = A;\n    system_q = q;\n    system_m = m;\n    system_P = P;\n";
  }
  lines +=
      fmt::format("  {} system_r = {};\n", made_.is_student ? "vector[T_fit]" : "real", variance());
  if (made_.is_student)
    lines +=
        fmt::format("  real system_nu = {};\n  real system_s = square(sigma);\n", made_.freedom);
  for (std::size_t k = 0; k < made_.components.size(); ++k) {
    const SeriesComponent& part = made_.components[k];
    if (part.columns.empty()) continue;
    lines += fmt::format("  vector[T] part_{} = {} * {};\n", k + 1, part.matrix, part.coefficients);
    if (!part.change_scale.empty())
      lines += fmt::format("  real change_{} = {};\n", k + 1, part.change_scale);
  }
  return fmt::format("// {}   matrices of credo series\n", made_.formula) + functions() +
         block_of("data", "  int<lower=1> T_fit;\n" + data()) +
         block_of("transformed data", known()) +
         block_of("parameters", parameters(made_.is_student ? "T_fit" : "T")) +
         block_of("generated quantities",
                  lines + (values.empty() ? "" : "  {\n" + values + "  }\n"));
}

std::string SeriesWriter::functions() const {
  for (const SeriesComponent& part : made_.components)
    if (!part.functions.empty()) return block_of("functions", kArParts);
  return {};
}

std::string SeriesWriter::data() const {
  std::string lines = "  int<lower=1> T;  // times\n";
  if (n_ > 0)
    lines += "  vector[T] y;  // outcomes; NaN: missing\n";
  else
    lines +=
        "  int<lower=1> N;  // outcomes\n  array[N] int<lower=1, upper=T> seen;  // their "
        "times\n  vector[N] y;\n";
  return lines + columns_and_steps();
}

std::string SeriesWriter::columns_and_steps() const {
  std::string lines;
  for (const SeriesComponent& part : made_.components)
    if (!part.columns.empty())
      lines += fmt::format("  matrix[T, {}] {};\n", part.columns.size(), part.matrix);
  if (n_ == 0) return lines;
  if (made_.design_varies())
    lines += fmt::format("  matrix[{}, T] Z;  // weights of the states in the mean\n", n_);
  if (kinds_ > 1)
    lines += fmt::format(
        "  array[T] int<lower=1, upper={}> kind;  // kind of the step to each time\n", kinds_);
  return lines;
}

std::string SeriesWriter::place(Index first, Index step) {
  if (step == 0) return fmt::format("{}", first + 1);
  return first == 0 ? "k" : fmt::format("k + {}", first);
}

std::string SeriesWriter::entry(const std::string& matrix, const SeriesEntry& e, Index row,
                                Index col) {
  const std::string of = fmt::format("{}[{}, {}] = {};", matrix, place(row + e.row, e.row_step),
                                     place(col + e.col, e.col_step), e.text);
  return e.count == 1 && e.row_step + e.col_step > 0
             ? fmt::format("{}[{}, {}] = {};", matrix, row + e.row + 1, col + e.col + 1, e.text)
         : e.count == 1 ? of
                        : fmt::format("for (k in 1:{}) {}", e.count, of);
}

std::string SeriesWriter::transition(const std::string& matrix, bool is_known,
                                     const std::string& indent) const {
  std::string lines;
  for (Index kind = 0; kind < kinds_; ++kind)
    for (std::size_t k = 0; k < made_.components.size(); ++k) {
      const SeriesComponent& part = made_.components[k];
      const Index first = made_.first_state(k);
      const SeriesEntry still{.count = part.num_states, .row_step = 1, .col_step = 1};
      const bool moves = made_.kind_moves[static_cast<std::size_t>(kind)][k];
      if (part.num_states == 0) continue;
      const std::vector<SeriesEntry> all = moves ? part.transition : std::vector{still};
      for (const SeriesEntry& e : all)
        if (e.is_known == is_known)
          lines += indent + entry(matrix, e, first, first + kind * n_) + "\n";
    }
  return lines;
}

bool SeriesWriter::is_unknown(const SeriesComponent& part, Index state) const {
  return made_.is_diffuse && std::ranges::find(part.unknown, state) != part.unknown.end();
}

std::string SeriesWriter::start(const std::string& matrix, bool is_known,
                                const std::string& indent) const {
  std::string lines;
  for (std::size_t k = 0; k < made_.components.size(); ++k)
    for (const SeriesEntry& e : made_.components[k].start)
      if (e.is_known == is_known && !(e.is_known && is_unknown(made_.components[k], e.row)))
        lines += indent + entry(matrix, e, made_.first_state(k), made_.first_state(k)) + "\n";
  return lines;
}

std::string SeriesWriter::known() const {
  if (n_ == 0) return {};
  std::string lines = state_words();
  const auto matrix = [&](const char* name, Index rows, Index cols) {
    return fmt::format("  matrix[{1}, {2}] {0} = rep_matrix(0, {1}, {2});\n", name, rows, cols);
  };
  if (!made_.design_varies()) {
    lines += matrix("Z", n_, 1);
    for (std::size_t k = 0; k < made_.components.size(); ++k)
      if (made_.components[k].num_states > 0)
        lines += fmt::format("  Z[{}, 1] = 1;\n", made_.first_state(k) + 1);
  }
  lines += matrix("A_known", n_, n_ * kinds_) + transition("A_known", true, "  ");
  lines += mean_lines();
  lines += matrix("P_known", n_, n_) + start("P_known", true, "  ");
  lines += matrix("E", n_, made_.num_unknown());
  Index column = 0;
  for (std::size_t k = 0; made_.is_diffuse && k < made_.components.size(); ++k)
    for (const Index state : made_.components[k].unknown)
      lines += fmt::format("  E[{}, {}] = 1;\n", made_.first_state(k) + state + 1, ++column);
  if (kinds_ == 1) lines += "  array[T] int kind = rep_array(1, T);\n";
  return lines;
}

std::string SeriesWriter::mean_lines() const {
  std::string lines;
  lines += fmt::format("  vector[{}] m = rep_vector(0, {});  // mean of the first state\n", n_, n_);
  for (std::size_t k = 0; k < made_.components.size(); ++k)
    for (Index i = 0; i < ssize(made_.components[k].mean); ++i)
      if (const double mean = made_.components[k].mean[static_cast<std::size_t>(i)];
          mean != 0.0 && !is_unknown(made_.components[k], i))
        lines += fmt::format("  m[{}] = {};\n", made_.first_state(k) + i + 1,
                             fmt::format("{:.17g}", mean));
  return lines;
}

std::string SeriesWriter::state_words() const {
  std::string lines;
  for (std::size_t k = 0; k < made_.components.size(); ++k) {
    const SeriesComponent& part = made_.components[k];
    const Index first = made_.first_state(k) + 1;
    if (part.num_states == 0) continue;
    lines += part.num_states == 1 ? fmt::format("  // state {}: {}\n", first, part.label)
                                  : fmt::format("  // states {} to {}: {}\n", first,
                                                first + part.num_states - 1, part.label);
  }
  return lines;
}

std::string SeriesWriter::parameters(const std::string& times) const {
  std::string lines;
  for (const SeriesParameter& p : made_.parameters) {
    std::string text = p.declaration;
    if (p.element == "weight") text = fmt::format("vector<lower=0>[{}] weight", times);
    lines += "  " + text + ";\n";
  }
  return lines;
}

std::string SeriesWriter::matrices() const {
  std::string lines;
  for (const SeriesComponent& part : made_.components)
    for (const std::string& line : part.prepared) lines += "    " + line + ";\n";
  lines += fmt::format("    matrix[{}, {}] A = A_known;\n", n_, n_ * kinds_) +
           transition("A", false, "    ");
  lines += fmt::format("    matrix[{0}, {1}] q = rep_matrix(0, {0}, {1});\n", n_, kinds_);
  for (Index kind = 0; kind < kinds_; ++kind)
    for (std::size_t k = 0; k < made_.components.size(); ++k)
      if (made_.kind_moves[static_cast<std::size_t>(kind)][k])
        for (const auto& [state, variance] : made_.components[k].noise)
          lines += fmt::format("    q[{}, {}] = {};\n", made_.first_state(k) + state + 1, kind + 1,
                               variance);
  lines += fmt::format("    matrix[{0}, {0}] P = P_known;\n", n_) + start("P", false, "    ");
  return lines;
}

std::string SeriesWriter::variance() const {
  return made_.is_student ? "square(sigma) ./ weight" : "square(sigma)";
}

std::string SeriesWriter::fixed_parts() const {
  std::string sum;
  for (const SeriesComponent& part : made_.components)
    if (!part.columns.empty())
      sum += fmt::format("{}{} * {}", sum.empty() ? "" : " + ", part.matrix, part.coefficients);
  return sum;
}

std::string SeriesWriter::model() const {
  std::string lines;
  for (const std::string& statement : made_.statements) lines += "  " + statement + "\n";
  const std::string fixed = fixed_parts();
  if (n_ == 0) {
    lines += fmt::format("  vector[T] mu = {};\n", fixed);
    return lines + (made_.is_student
                        ? fmt::format("  y ~ student_t({}, mu[seen], sigma);\n", made_.freedom)
                        : "  y ~ normal(mu[seen], sigma);\n");
  }
  return lines + "  {\n" + matrices() +
         fmt::format("    y ~ linear_gaussian({}, Z, A, q, {}, m, P, E, kind);\n  }}\n",
                     fixed.empty() ? "0" : fixed, variance());
}

}  // namespace credo::models
