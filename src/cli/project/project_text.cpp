#include "cli/project/project_text.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/rng.hpp"
#include "model/data/source.hpp"

namespace credo::cli {
namespace {
using Outcome = ProjectPlan::Outcome;
using Predictor = ProjectPlan::Predictor;

// Names that the programs use themselves, and what the language doesn't let a program declare.
bool can_be_declared(const std::string& name) {
  static constexpr std::array<std::string_view, 6> kOwn{"N",         "mu",      "sigma",
                                                        "intercept", "log_lik", "y_rep"};
  if (std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end()) return false;
  lang::Diagnostics diagnostics;
  lang::SourceMap map;
  return model::compile_text("name.stan", "data { real " + name + "; }", diagnostics, map) !=
         nullptr;
}

std::vector<double> column_numbers(const io::DataValue& value) {
  if (value.kind == io::DataKind::reals) return value.reals;
  return {value.integers.begin(), value.integers.end()};
}

double rounded(double x) {  // to three digits
  if (x == 0.0 || !std::isfinite(x)) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - 2.0);
  return std::stod(fmt::format("{:.12g}", std::round(x / unit) * unit));
}

struct Moments {
  double mean = 0.0, sd = 0.0;
};
Moments moments_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Moments m;
  for (const double x : values) m.mean += x / n;
  for (const double x : values) m.sd += (x - m.mean) * (x - m.mean) / std::max(n - 1.0, 1.0);
  m.sd = std::sqrt(m.sd);
  return m;
}

bool counts_rows(std::span<const double> values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (values[k] != static_cast<double>(k + 1)) return false;
  return true;
}

// Why a column is no predictor; empty if it is one.
std::string why_not(const std::string& name, const io::DataValue& value) {
  const io::ColumnFacts& column = *value.column;
  if (!column.missing.empty()) return "cells of it have no value";
  if (!column.odd.empty()) return "texts stand among its numbers";
  if (!can_be_declared(name)) return "a program can't use the name";
  if (!column.levels.empty())
    return 2 * ssize(column.levels) > value.num_elements() ? "nearly every row has another text"
                                                           : "";
  const std::vector<double> values = column_numbers(value);
  if (std::ranges::max(values) == std::ranges::min(values)) return "all its values are the same";
  return counts_rows(values) ? "it numbers the rows" : "";
}

// Whether the variance of the levels' means is above twice what the spread within levels makes of it.
bool levels_differ(const io::DataValue& factor, std::span<const double> outcome) {
  struct Level {
    double count = 0.0, sum = 0.0, squares = 0.0;
  };
  std::map<std::int32_t, Level> levels;
  for (std::size_t k = 0; k < outcome.size(); ++k) {
    Level& level = levels[factor.integers[k]];
    level.count += 1.0, level.sum += outcome[k], level.squares += outcome[k] * outcome[k];
  }
  double within = 0.0, errors = 0.0;
  std::vector<double> means;
  for (const auto& [code, level] : levels) {
    means.push_back(level.sum / level.count);
    within += level.squares - level.sum * level.sum / level.count;
    errors += 1.0 / level.count;
  }
  const auto num_levels = static_cast<double>(levels.size());
  const double freedom = std::max(static_cast<double>(outcome.size()) - num_levels, 1.0);
  const double between = std::pow(moments_of(means).sd, 2);
  return between > 2.0 * within / freedom * errors / num_levels;
}

Outcome kind_of_outcome(const io::DataValue& value) {
  if (value.kind != io::DataKind::integers) return Outcome::real;
  const auto [least, greatest] = std::ranges::minmax(value.integers);
  if (least >= 0 && greatest <= 1) return Outcome::truth;
  return least >= 0 ? Outcome::count : Outcome::real;
}

void take_outcome(ProjectPlan& plan, const io::DataTable& table) {
  const io::DataValue* value = table.find(plan.outcome);
  if (value == nullptr) {
    const std::string near = did_you_mean(plan.outcome, table.names());
    throw Error(
        ErrorCode::usage, fmt::format("there is no column {}", plan.outcome), "--outcome",
        near.empty() ? fmt::format("the columns are {}", fmt::join(table.names(), ", ")) : near);
  }
  const std::string fault = why_not(plan.outcome, *value);
  if (!fault.empty() || !value->column->levels.empty())
    throw Error(ErrorCode::usage,
                fmt::format("{} can't be the outcome: {}", plan.outcome,
                            fault.empty() ? "its cells are texts" : fault),
                "--outcome", "name another column, or correct the file");
  plan.kind = kind_of_outcome(*value);
  const Moments m = moments_of(column_numbers(*value));
  plan.centre = rounded(m.mean), plan.scale = rounded(m.sd);
}

// ---- programs

std::string declared(const Predictor& p) {
  if (!p.is_factor) return fmt::format("  vector[N] {};\n", p.name);
  return fmt::format(
      "  int<lower=1> K_{0};  // levels of {0}\n  array[N] int<lower=1, upper=K_{0}> {0};\n",
      p.name);
}

std::string data_block(const ProjectPlan& plan, bool with_predictors) {
  std::string text = "data {\n  int<lower=0> N;  // rows of the table\n";
  text += plan.kind == Outcome::real ? fmt::format("  vector[N] {};\n", plan.outcome)
          : plan.kind == Outcome::count
              ? fmt::format("  array[N] int<lower=0> {};\n", plan.outcome)
              : fmt::format("  array[N] int<lower=0, upper=1> {};\n", plan.outcome);
  if (with_predictors)
    for (const Predictor& p : plan.predictors) text += declared(p);
  return text + "}\n";
}

// How far a predictor may plausibly move the mean, on the scale of mu.
double prior_scale(const ProjectPlan& plan) {
  return plan.kind == Outcome::real ? plan.scale : 1.0;
}

double prior_centre(const ProjectPlan& plan) {
  if (plan.kind == Outcome::real) return plan.centre;
  return plan.kind == Outcome::count ? rounded(std::log(plan.centre)) : 0.0;
}

std::string parameters_block(const ProjectPlan& plan, std::span<const Predictor> predictors) {
  std::string text = "parameters {\n  real intercept;\n";
  for (const Predictor& p : predictors)
    text +=
        p.is_factor
            ? fmt::format(
                  "  vector[K_{0}] {1}_{0};{2}\n  real<lower=0> sd_{0};  // between levels\n",
                  p.name, p.differs ? "effect" : "z",
                  p.differs ? "" : "  // effects in units of sd_" + p.name)
            : fmt::format("  real slope_{};  // for a change of one standard deviation\n", p.name);
  if (plan.kind == Outcome::real) text += "  real<lower=0> sigma;\n";
  return text + "}\n";
}

std::string mean_block(std::span<const Predictor> predictors) {
  std::string text = "transformed parameters {\n  vector[N] mu = rep_vector(intercept, N);\n";
  for (const Predictor& p : predictors)
    text += p.is_factor ? fmt::format(fmt::runtime(p.differs ? "  mu += effect_{0}[{0}];\n"
                                                             : "  mu += sd_{0} * z_{0}[{0}];\n"),
                                      p.name)
                        : fmt::format("  mu += slope_{0} * (({0} - {1}) / {2});\n", p.name,
                                      p.centre, p.scale);
  return text + "}\n";
}

std::string model_block(const ProjectPlan& plan, std::span<const Predictor> predictors) {
  const double scale = prior_scale(plan);
  std::string text =
      "model {\n  // priors as wide as the data are: write what you know in their place\n";
  text += fmt::format("  intercept ~ normal({}, {});\n", prior_centre(plan), rounded(2.5 * scale));
  for (const Predictor& p : predictors)
    text += p.is_factor
                ? fmt::format("  {}\n  sd_{} ~ normal(0, {});\n",
                              p.differs ? fmt::format("effect_{0} ~ normal(0, sd_{0});", p.name)
                                        : fmt::format("z_{} ~ std_normal();", p.name),
                              p.name, scale)
                : fmt::format("  slope_{} ~ normal(0, {});\n", p.name, rounded(scale));
  if (plan.kind == Outcome::real)
    text += fmt::format("  sigma ~ exponential({});\n", rounded(1.0 / scale));
  text += plan.kind == Outcome::real ? fmt::format("  {} ~ normal(mu, sigma);\n", plan.outcome)
          : plan.kind == Outcome::count
              ? fmt::format("  {} ~ poisson_log(mu);\n", plan.outcome)
              : fmt::format("  {} ~ bernoulli_logit(mu);\n", plan.outcome);
  return text + "}\n";
}

std::string program_text(const ProjectPlan& plan, bool with_predictors) {
  const std::span<const Predictor> predictors =
      with_predictors ? std::span<const Predictor>(plan.predictors) : std::span<const Predictor>();
  return data_block(plan, with_predictors) + parameters_block(plan, predictors) +
         mean_block(predictors) + model_block(plan, predictors);
}

std::string names_of_predictors(const ProjectPlan& plan) {
  std::vector<std::string> names;
  for (const Predictor& p : plan.predictors) names.push_back(p.name);
  return names.empty() ? "nothing else" : fmt::format("{}", fmt::join(names, ", "));
}

std::string_view likelihood_words(Outcome kind) {
  if (kind == Outcome::count)
    return "counts: a Poisson distribution, whose logarithm of the mean is linear";
  if (kind == Outcome::truth) return "0 and 1: a Bernoulli distribution, whose log odds are linear";
  return "numbers: a normal distribution, whose mean is linear";
}
}  // namespace

ProjectPlan plan_project(const io::DataTable& table, const std::string& outcome) {
  ProjectPlan plan;
  plan.outcome = outcome;
  if (outcome.empty())
    throw Error(ErrorCode::usage, "which column is to be explained?", "--outcome",
                fmt::format("name one of {}", fmt::join(table.names(), ", ")));
  take_outcome(plan, table);
  for (const std::string& name : table.names()) {
    if (name == plan.outcome) continue;
    const io::DataValue& value = *table.find(name);
    if (const std::string reason = why_not(name, value); !reason.empty()) {
      plan.left_out.push_back(fmt::format("{}: {}", name, reason));
      continue;
    }
    Predictor& p = plan.predictors.emplace_back();
    p.name = name, p.is_factor = !value.column->levels.empty();
    if (p.is_factor) {
      p.differs = levels_differ(value, column_numbers(*table.find(plan.outcome)));
      continue;
    }
    const Moments m = moments_of(column_numbers(value));
    p.centre = rounded(m.mean), p.scale = rounded(m.sd);
  }
  return plan;
}

std::string model_text(const ProjectPlan& plan) {
  return fmt::format("// {} by {}. Written by credo new: change it.\n", plan.outcome,
                     names_of_predictors(plan)) +
         program_text(plan, true);
}

std::string baseline_text(const ProjectPlan& plan) {
  return fmt::format("// {} by nothing: what the other program is compared with.\n", plan.outcome) +
         program_text(plan, false);
}

std::string readme_text(const ProjectPlan& plan, const std::string& name,
                        const std::string& data_file, const std::string& origin) {
  std::string text = fmt::format(
      "# {}\n\n`{}` {}. The question that the two programs stand for: does {} depend on {}?\n",
      name, data_file, origin, plan.outcome, names_of_predictors(plan));
  text += fmt::format("`{}` is taken as {}.\n", plan.outcome, likelihood_words(plan.kind));
  for (const std::string& column : plan.left_out) text += fmt::format("Not used is {}.\n", column);
  const auto block = [&](const std::string& title, const std::string& commands) {
    text += fmt::format("\n{}\n\n```sh\n{}```\n", title, commands);
  };
  block("What the programs see of the table:",
        fmt::format("credo data {} --program model.stan\n", data_file));
  block("The two fits, each with a verdict, and what the priors say without the data:",
        fmt::format("credo sample model.stan --data {0} --seed 1 -o model.nc\n"
                    "credo sample baseline.stan --data {0} --seed 1 -o baseline.nc\n"
                    "credo ppc model.nc --prior\n",
                    data_file));
  block("Whether to believe them, whether such data look like yours, and what decides:",
        "credo diagnose model.nc\ncredo ppc model.nc\ncredo sensitivity model.nc\n");
  block("Which of the two predicts rows better that it hasn't seen, and by how much:",
        "credo loo model.nc\ncredo compare model.nc baseline.nc\n");
  block("All of it as one page that opens offline:",
        "credo report model.nc --compare baseline.nc -o report.html\n");
  return text;
}

std::string simulated_table() {
  Rng rng(StreamKey{.seed = 1, .purpose = purpose::kInterface, .chain = 0, .iteration = 0});
  constexpr std::array<double, 4> kEffects{-1.0, 0.5, 0.0, 1.5};
  std::string text = "group,x,y\n";
  for (std::size_t k = 0; k < 60; ++k) {
    const double x = rng.normal();
    const double y = 2.0 + 1.5 * x + kEffects[k % 4] + rng.normal();
    text += fmt::format("{},{:.3f},{:.3f}\n", std::string(1, static_cast<char>('a' + k % 4)), x, y);
  }
  return text;
}

}  // namespace credo::cli
