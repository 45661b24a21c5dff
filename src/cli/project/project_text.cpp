#include "cli/project/project_text.hpp"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/rng.hpp"
#include "cli/project/program_words.hpp"
#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"

namespace credo::cli {
namespace {
using Outcome = ProjectPlan::Outcome;
using Predictor = ProjectPlan::Predictor;

// Names that the programs use themselves, and what the language doesn't let a program declare.
bool can_be_declared(const std::string& name) {
  static constexpr std::array<std::string_view, 6> kOwn{"N",         "mu",      "sigma",
                                                        "intercept", "log_lik", "y_rep"};
  return std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end() && is_word_of_programs(name);
}

std::vector<double> column_numbers(const io::DataValue& value) {
  if (value.kind == io::DataKind::reals) return value.reals;
  return {value.integers.begin(), value.integers.end()};
}

// Numbers of the cells that have a value.
std::vector<double> known_numbers(const io::DataValue& value) {
  const std::vector<double> all = column_numbers(value);
  std::vector<double> known;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (!std::ranges::binary_search(value.column->missing, static_cast<Index>(k)))
      known.push_back(all[k]);
  return known;
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
  if (2 * ssize(column.missing) > value.num_elements()) return "most of its cells have no value";
  if (!column.odd.empty()) return "texts stand among its numbers";
  if (!can_be_declared(name)) return "a program can't use the name";
  if (!column.levels.empty())
    return 2 * ssize(column.levels) > value.num_elements() ? "nearly every row has another text"
                                                           : "";
  const std::vector<double> values = known_numbers(value);
  if (std::ranges::max(values) == std::ranges::min(values)) return "all its values are the same";
  return counts_rows(values) ? "it numbers the rows" : "";
}

// True if the variance of the levels' means is above twice its expectation from the spread within levels.
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

// Recognises whole numbers that may be Poisson counts: they are small, or their variance is similar to their mean.
// Weights in grams and scores in steps of ten aren't counts.
bool look_like_counts(const io::DataValue& value) {
  if (value.kind != io::DataKind::integers) return false;
  const std::vector<double> values = known_numbers(value);
  long divisor = 0;
  for (const double x : values) divisor = std::gcd(divisor, static_cast<long>(x));
  constexpr double kSmall = 20.0;
  const Moments m = moments_of(values);
  return std::ranges::min(values) >= 0.0 && divisor == 1 &&
         (m.mean <= kSmall || m.sd * m.sd <= 2.0 * m.mean);
}

Outcome kind_of_outcome(const io::DataValue& value, const std::string& asked) {
  if (asked == "number") return Outcome::real;
  const std::vector<double> values = known_numbers(value);
  const auto [least, greatest] = std::ranges::minmax(values);
  const bool whole = value.kind == io::DataKind::integers;
  const bool is_truth = whole && least >= 0 && greatest <= 1;
  if ((asked == "truth" && !is_truth) || (asked == "count" && !(whole && least >= 0)))
    throw Error(ErrorCode::usage,
                asked == "truth" ? "the outcome has other values than two"
                                 : "the outcome has values that are no counts",
                "--kind", "leave it out, or take number");
  if (asked == "count") return Outcome::count;
  if (is_truth) return Outcome::truth;
  return look_like_counts(value) ? Outcome::count : Outcome::real;
}

// The table, with its columns as the programs use them.
io::DataTable read_table(const ProjectRequest& request, const std::vector<std::string>& uses) {
  const io::DataRecipe recipe{
      .files = {request.path}, .columns = uses, .missing = {}, .separator = {}};
  return io::read_data(recipe.text(),
                       [&](const std::string&) -> const std::string& { return request.text; });
}

std::string name_in(const io::DataTable& table, const std::string& column) {
  const std::string name = io::name_for_programs(column);
  return table.find(column) == nullptr && table.find(name) != nullptr ? name : column;
}

const io::DataValue& outcome_of(const io::DataTable& table, const std::string& name) {
  const io::DataValue* value = table.find(name);
  if (value != nullptr) return *value;
  const std::string near = did_you_mean(name, table.names());
  throw Error(
      ErrorCode::usage, fmt::format("there is no column {}", name), "--outcome",
      near.empty() ? fmt::format("the columns are {}", fmt::join(table.names(), ", ")) : near);
}

// The larger of two texts or two whole numbers other than 0 and 1; the outcome is 1 for this value. Otherwise empty.
std::string second_of_two(const io::DataValue& value) {
  if (!value.column->levels.empty())
    return value.column->levels.size() == 2 ? value.column->levels[1] : "";
  if (value.kind != io::DataKind::integers) return "";
  const std::vector<double> values = known_numbers(value);
  const auto [least, greatest] = std::ranges::minmax(values);
  const bool two = std::ranges::all_of(
      values, [&, lo = least, hi = greatest](double x) { return x == lo || x == hi; });
  return two && least != greatest && !(least == 0 && greatest == 1)
             ? fmt::format("{:.0f}", greatest)
             : "";
}

// Codes an outcome with two values as 1 for the second one and 0 for the first.
void take_second_as_truth(ProjectPlan& plan, const ProjectRequest& request,
                          const io::DataValue& value) {
  const std::string level = second_of_two(value);
  if (level.empty() || request.kind == "number" || request.kind == "count") return;
  const std::string column = value.column->name;
  plan.outcome = io::name_for_programs(fmt::format("{}_{}", column, level));
  plan.uses.push_back(io::text_of({.name = plan.outcome, .columns = {column}, .level = level}));
  plan.outcome_is = fmt::format("1 where {} is {}, else 0", column, level);
}

void require_outcome(const ProjectPlan& plan, const io::DataValue& value) {
  const std::string fault = why_not(plan.outcome, value);
  if (fault.empty() && value.column->levels.empty()) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} can't be the outcome: {}", plan.outcome,
                          !fault.empty() ? fault
                                         : fmt::format("its cells are {} different texts",
                                                       value.column->levels.size())),
              "--outcome", "name another column, or correct the file");
}

std::size_t num_different(std::span<const std::int32_t> numbers) {
  return std::set<std::int32_t>(numbers.begin(), numbers.end()).size();
}

// Recognises a column of whole numbers that may label groups: by its name, or because it has few different values.
bool may_be_groups(const std::string& name, const io::DataValue& value) {
  if (value.kind != io::DataKind::integers || !value.column->levels.empty()) return false;
  std::string small = name;
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array kWords{"subject", "id",    "group", "site",   "school", "patient", "inst",
                              "cent",    "batch", "plot",  "person", "rater",  "hospital"};
  const bool named = std::ranges::any_of(kWords, [&](std::string_view word) {
    return small == word || (word.size() > 2 && small.find(word) != small.npos);
  });
  const std::size_t different = num_different(value.integers);
  const bool few = different <= 8 && 5 * different <= value.integers.size();  // Diet 1 to 4
  return (named || few) && different > 2 && 2 * different <= value.integers.size();
}

void choose_predictors(ProjectPlan& plan, const io::DataTable& table,
                       const std::string& outcome_column) {
  for (const std::string& name : table.names()) {
    const io::DataValue& value = *table.find(name);
    if (name == plan.outcome || value.column->name == outcome_column) continue;
    if (const std::string reason = why_not(name, value); !reason.empty()) {
      plan.left_out.push_back(fmt::format("{}: {}", name, reason));
      continue;
    }
    plan.predictors.push_back({.name = name, .is_factor = !value.column->levels.empty()});
    if (may_be_groups(name, value))
      plan.hints.push_back(
          fmt::format("{} is taken as an amount; if its numbers are names of "
                      "groups: --group {}",
                      name, value.column->name));
  }
}

// The rows that have a value in every used column.
io::DataTable complete_rows(ProjectPlan& plan, io::DataTable table) {
  std::vector<std::string> names = {plan.outcome};
  for (const Predictor& p : plan.predictors) names.push_back(p.name);
  table.set_rules({.missing = io::MissingUse::drop});
  table = io::settled(std::move(table), names);
  for (const io::DataNote& note : table.notes())
    if (note.is_loss && plan.dropped.empty()) plan.dropped = note.text;
  return table;
}

void describe_columns(ProjectPlan& plan, const ProjectRequest& request,
                      const io::DataTable& table) {
  const io::DataValue& outcome = *table.find(plan.outcome);
  plan.kind = kind_of_outcome(outcome, request.kind);
  const Moments m = moments_of(column_numbers(outcome));
  plan.centre = rounded(m.mean), plan.scale = rounded(m.sd);
  std::vector<Predictor> kept;
  for (Predictor& p : plan.predictors) {
    const io::DataValue& value = *table.find(p.name);
    if (p.is_factor) {
      p.differs = levels_differ(value, column_numbers(outcome));
    } else {
      const Moments own = moments_of(column_numbers(value));
      p.centre = rounded(own.mean), p.scale = rounded(own.sd);
    }
    if (p.is_factor || p.scale > 0.0)
      kept.push_back(p);
    else
      plan.left_out.push_back(fmt::format("{}: all its values are the same", p.name));
  }
  plan.predictors = std::move(kept);
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
  if (!with_predictors && !plan.dropped.empty() && !plan.predictors.empty())
    text += "  // columns of the other program, so that the same rows are left out\n";
  if (with_predictors || !plan.dropped.empty())
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

std::string mean_text(std::span<const Predictor> predictors) {
  std::string text = "  vector[N] mu = rep_vector(intercept, N);\n";
  for (const Predictor& p : predictors)
    text += p.is_factor ? fmt::format(fmt::runtime(p.differs ? "  mu += effect_{0}[{0}];\n"
                                                             : "  mu += sd_{0} * z_{0}[{0}];\n"),
                                      p.name)
                        : fmt::format("  mu += slope_{0} * (({0} - {1}) / {2});\n", p.name,
                                      p.centre, p.scale);
  return text;
}

std::string model_block(const ProjectPlan& plan, std::span<const Predictor> predictors) {
  const double scale = prior_scale(plan);
  std::string text = "model {\n" + mean_text(predictors) +
                     "  // weak priors on the scale of the data: replace them by your knowledge\n";
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
         model_block(plan, predictors);
}

std::string names_of_predictors(const ProjectPlan& plan) {
  std::vector<std::string> names;
  for (const Predictor& p : plan.predictors) names.push_back(p.name);
  return names.empty() ? "no predictor" : fmt::format("{}", fmt::join(names, ", "));
}

std::string_view likelihood_words(Outcome kind) {
  if (kind == Outcome::count)
    return "counts: a Poisson distribution, whose logarithm of the mean is linear";
  if (kind == Outcome::truth) return "0 and 1: a Bernoulli distribution, whose log odds are linear";
  return "numbers: a normal distribution, whose mean is linear";
}
}  // namespace

std::string ProjectPlan::reading() const {
  std::string text;
  for (const std::string& use : uses) text += (text.empty() ? " --columns '" : ",") + use;
  if (!text.empty()) text += "'";
  return dropped.empty() ? text : text + " --missing drop";
}

ProjectPlan plan_project(const ProjectRequest& request) {
  ProjectPlan plan;
  for (const std::string& column : request.groups)
    plan.uses.push_back(
        io::text_of({.name = io::name_for_programs(column), .columns = {column}, .factor = true}));
  io::DataTable table = read_table(request, plan.uses);
  if (table.columns_text().empty())
    throw Error(ErrorCode::usage, "a project is made of a table", request.path,
                "name a CSV or TSV file");
  if (request.outcome.empty())
    throw Error(ErrorCode::usage, "which column is to be explained?", "--outcome",
                fmt::format("name one of {}", fmt::join(table.names(), ", ")));
  plan.outcome = name_in(table, request.outcome);
  const std::string outcome_column = outcome_of(table, plan.outcome).column->name;
  take_second_as_truth(plan, request, outcome_of(table, plan.outcome));
  if (!plan.outcome_is.empty()) table = read_table(request, plan.uses);
  require_outcome(plan, outcome_of(table, plan.outcome));
  choose_predictors(plan, table, outcome_column);
  describe_columns(plan, request, complete_rows(plan, std::move(table)));
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
  if (!plan.outcome_is.empty()) text += fmt::format("`{}` is {}.\n", plan.outcome, plan.outcome_is);
  for (const std::string& column : plan.left_out) text += fmt::format("Not used is {}.\n", column);
  for (const std::string& hint : plan.hints) text += hint + ".\n";
  if (!plan.dropped.empty()) text += plan.dropped + ".\n";
  const auto block = [&](const std::string& title, const std::string& commands) {
    text += fmt::format("\n{}\n\n```sh\n{}```\n", title, commands);
  };
  block("What the programs see of the table:",
        fmt::format("credo data {}{} --program model.stan\n", data_file, plan.reading()));
  block("The two fits, each with a verdict, and what the priors say without the data:",
        fmt::format("credo sample model.stan --data {0} --seed 1 -o model.nc\n"
                    "credo sample baseline.stan --data {0} --seed 1 -o baseline.nc\n"
                    "credo ppc model.nc --prior\n",
                    data_file + plan.reading()));
  block(
      "The verdicts, a comparison of simulated data with yours, and the influence of prior and "
      "data:",
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
