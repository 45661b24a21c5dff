// Series of counts. Their outcomes aren't normal, so states can't be integrated out: they are parameters, as steps of unit variance
// (non-centred, so that steps and standard deviations are independent a priori), which a sampler draws beside the others.
#include <fmt/format.h>

#include "models/regression/program_parts.hpp"
#include "models/series/series_family.hpp"
#include "models/series/series_writer.hpp"

namespace credo::models {
namespace {

class CountsWriter final : SeriesWriter {
 public:
  explicit CountsWriter(const Series& made)
      : SeriesWriter(made), family_(series_family(made.family)) {
    for (const SeriesComponent& part : made.components) num_noise_ += ssize(part.noise);
  }

  std::string fit() const {
    return fmt::format("// {}   written by credo series\n", made_.formula) + functions() +
           block_of("data", counts_data()) + block_of("transformed data", start_known()) +
           block_of("parameters", count_parameters("T")) + block_of("model", count_model());
  }
  std::string system_of_counts() const {
    std::string lines;
    for (std::size_t k = 0; k < made_.components.size(); ++k) {
      lines += part_line(k, "  ");
      if (const std::string& scale = made_.components[k].change_scale; !scale.empty())
        lines += fmt::format("  real change_{} = {};\n", k + 1, scale);
    }
    if (!family_.argument.empty())
      lines += fmt::format("  real system_{0} = {0};\n", family_.argument);
    if (n_ > 0) lines += "  {\n" + later_steps() + recursion("z_all") + "  }\n";
    return fmt::format("// {}   components of credo series\n", made_.formula) + functions() +
           block_of("data", "  int<lower=1> T_fit;\n" + counts_data()) +
           block_of("transformed data", start_known()) +
           block_of("parameters", count_parameters("T_fit")) +
           block_of("generated quantities", lines);
  }

 private:
  std::string counts_data() const {
    return "  int<lower=1> T;  // times\n  int<lower=1> N;  // outcomes\n"
           "  array[N] int<lower=1> seen;  // their times\n  array[N] int<lower=0> y;\n" +
           columns_and_steps();
  }
  std::string start_known() const {
    if (n_ == 0) return {};
    return state_words() + mean_lines() +
           fmt::format("  matrix[{0}, {0}] P_known = rep_matrix(0, {0}, {0});\n", n_) +
           start("P_known", true, "  ");
  }
  std::string count_parameters(const std::string& times) const {
    std::string lines = parameters(times);
    if (n_ == 0) return lines;
    return lines + fmt::format(
                       "  vector[{}] z_start;  // first state and steps of the states, in "
                       "standard deviations\n  matrix[{}, {} - 1] z_steps;\n",
                       n_, num_noise_, times);
  }

  // A component with columns is known here; one with states is filled by the recursion.
  std::string part_line(std::size_t k, const std::string& indent) const {
    const SeriesComponent& part = made_.components[k];
    if (part.num_states > 0) return fmt::format("{}vector[T] part_{};\n", indent, k + 1);
    return fmt::format("{}vector[T] part_{} = {} * {};\n", indent, k + 1, part.matrix,
                       part.coefficients);
  }
  std::string later_steps() const {
    return fmt::format(
        "    matrix[{0}, T - 1] z_all;\n    z_all[, 1:(T_fit - 1)] = z_steps;\n"
        "    for (t in T_fit:(T - 1)) for (k in 1:{0}) z_all[k, t] = normal_rng(0, 1);\n",
        num_noise_);
  }

  // x = m + chol(P) z_start at the first time; then x = A x + sqrt(q) z, element by element.
  std::string recursion(const std::string& z) const {
    std::string lines;
    for (const SeriesComponent& part : made_.components)
      for (const std::string& line : part.prepared) lines += "    " + line + ";\n";
    lines += fmt::format("    matrix[{0}, {0}] P = P_known;\n", n_) + start("P", false, "    ") +
             fmt::format(
                 "    vector[{}] x = m + cholesky_decompose(P) * z_start;\n"
                 "    for (t in 1:T) {{\n      if (t > 1) {{\n"
                 "        vector[{}] before = x;\n        x = rep_vector(0, {});\n",
                 n_, n_, n_);
    Index step = 0;
    for (std::size_t k = 0; k < made_.components.size(); ++k) lines += moves(k, z, step);
    lines += "      }\n";
    for (std::size_t k = 0; k < made_.components.size(); ++k)
      if (made_.components[k].num_states > 0) {
        const Index first = made_.first_state(k) + 1;
        lines += fmt::format("      part_{}[t] = x[{}]{};\n", k + 1, first,
                             made_.design_varies() ? fmt::format(" * Z[{}, t]", first) : "");
      }
    return lines + "    }\n";
  }
  // Moves of a component's states; those that last several times stay in between.
  std::string moves(std::size_t k, const std::string& z, Index& step) const {
    const SeriesComponent& part = made_.components[k];
    const Index first = made_.first_state(k);
    const std::string indent = part.steps == 1 ? "        " : "          ";
    std::string lines;
    for (const SeriesEntry& e : part.transition) lines += indent + term(e, first) + "\n";
    for (const auto& [state, variance] : part.noise)
      lines += fmt::format("{}x[{}] += {} * {}[{}, t - 1];\n", indent, first + state + 1,
                           root_of(variance), z, ++step);
    if (part.steps == 1) return lines;
    return fmt::format(
        "        if ((t - 1) % {} == 0) {{\n{}        }} else {{\n"
        "          for (k in 1:{}) x[k + {}] = before[k + {}];\n        }}\n",
        part.steps, lines, part.num_states, first, first);
  }
  static std::string term(const SeriesEntry& e, Index first) {
    const std::string row = e.count == 1 ? fmt::format("{}", first + e.row + 1)
                                         : place(first + e.row, e.row_step),
                      col = e.count == 1 ? fmt::format("{}", first + e.col + 1)
                                         : place(first + e.col, e.col_step);
    const std::string value = e.text == "1"    ? fmt::format("+= before[{}]", col)
                              : e.text == "-1" ? fmt::format("-= before[{}]", col)
                                               : fmt::format("+= {} * before[{}]", e.text, col);
    return fmt::format("{}x[{}] {};", e.count == 1 ? "" : fmt::format("for (k in 1:{}) ", e.count),
                       row, value);
  }
  // The standard deviation of a variance written as square(sd).
  static std::string root_of(const std::string& variance) {
    constexpr std::string_view kSquare = "square(";
    if (variance.starts_with(kSquare) && variance.find(')') == variance.size() - 1)
      return variance.substr(kSquare.size(), variance.size() - kSquare.size() - 1);
    return fmt::format("sqrt({})", variance);
  }

  std::string count_model() const {
    std::string lines, sum;
    for (const std::string& statement : made_.statements) lines += "  " + statement + "\n";
    if (n_ > 0) lines += "  z_start ~ std_normal();\n  to_vector(z_steps) ~ std_normal();\n";
    std::string parts;
    for (std::size_t k = 0; k < made_.components.size(); ++k) {
      parts += part_line(k, "    ");
      sum += fmt::format("{}part_{}", k == 0 ? "" : " + ", k + 1);
    }
    return lines + "  {\n" + parts + (n_ > 0 ? recursion("z_steps") : "") +
           fmt::format("    vector[T] predictor = {};\n    y ~ {}(predictor[seen]{});\n  }}\n", sum,
                       family_.distribution,
                       family_.scale.empty() ? "" : ", " + std::string(family_.scale));
  }

  const SeriesFamily& family_;
  Index num_noise_ = 0;
};
}  // namespace

std::string series_count_text(const Series& made) { return CountsWriter(made).fit(); }
std::string series_count_system_text(const Series& made) {
  return CountsWriter(made).system_of_counts();
}

}  // namespace credo::models
