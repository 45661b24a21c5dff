#include "cli/tables/information_questions.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"

namespace credo::cli {
namespace {
using models::LevelColumn;
constexpr double kFewRows =
    5.0;  // rows for each cell of a joint distribution, below which estimates lean on their correction

InformationReport report_of(const InformationQuestion& question, std::string title) {
  InformationReport report{.title = std::move(title)};
  report.in_bits = question.in_bits;
  if (question.estimator != nullptr) report.estimator = question.estimator->name;
  return report;
}

models::EntropyEstimate entropy_of(const InformationQuestion& question, const LevelColumn& column,
                                   Index num_states) {
  const models::CountSample sample =
      models::count_sample(models::counts_of(std::span(&column, 1)).cells, num_states);
  if (sample.num_states == 1) return {};  // a constant
  if (question.estimator->refusal != nullptr)
    if (const std::string why = question.estimator->refusal(sample); !why.empty())
      throw Error(ErrorCode::data, fmt::format("{}: {}", column.name, why), "--estimator",
                  "--estimator miller_madow answers, far too low; more rows help");
  return question.estimator->estimate(sample, question.options.entropy);
}

// Sentences on columns that are functions of others: no estimate is needed for that.
void add_functions(InformationReport& report, std::span<const LevelColumn> columns) {
  for (const LevelColumn& from : columns)
    for (const LevelColumn& to : columns) {
      if (&from == &to || from.num_levels() < 2 || to.num_levels() < 2) continue;
      const LevelColumn both[] = {from, to};
      if (models::combined(both).num_levels() == from.num_levels())
        report.sentences.push_back(
            fmt::format("In these rows {0} is a function of {1}: H({0} | {1}) = 0, and H({0}) is "
                        "at most H({1}).",
                        to.name, from.name));
    }
}

std::string words_of_test(const models::InformationEstimate& estimate) {
  return std::isnan(estimate.p_value) ? ""
                                      : fmt::format("p = {:.3g} of independence", estimate.p_value);
}

models::LevelRows rows_of(const LevelColumn& first, const LevelColumn& second,
                          const LevelColumn* given) {
  models::LevelRows rows{.first = first.codes,
                         .second = second.codes,
                         .given = std::vector<std::int32_t>(first.codes.size(), 0)};
  rows.num_first = first.num_levels(), rows.num_second = second.num_levels();
  if (given != nullptr) rows.given = given->codes, rows.num_given = given->num_levels();
  return rows;
}

void note_few_rows(InformationReport& report, double rows, double cells, bool has_test) {
  if (rows < kFewRows * cells)
    report.sentences.push_back(fmt::format(
        "{:.0f} rows for {:.0f} combinations of levels are few: the estimate leans on its "
        "correction, and the sd doesn't contain its error.{}",
        rows, cells, has_test ? " The test holds." : ""));
}
}  // namespace

InformationReport entropies(const InformationQuestion& question,
                            std::span<const LevelColumn> columns) {
  const std::size_t rows = columns[0].codes.size();
  InformationReport report = report_of(
      question, fmt::format("entropy of {}, {} rows, estimator {}", models::combined(columns).name,
                            rows, question.estimator->name));
  double before = 0.0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto own = entropy_of(question, columns[k], question.num_states);
    report.figures.push_back({.name = fmt::format("H({})", columns[k].name),
                              .value = own.value,
                              .sd = own.sd,
                              .note = fmt::format("{} levels", columns[k].num_levels())});
    if (k == 0) {
      before = own.value;
      continue;
    }
    const LevelColumn joint = models::combined(columns.first(k + 1));
    double states = 1.0;
    for (const LevelColumn& column : columns.first(k + 1))
      states *= static_cast<double>(column.num_levels());
    const auto together = entropy_of(question, joint, static_cast<Index>(std::min(states, 1e15)));
    const std::string earlier = models::combined(columns.first(k)).name;
    report.figures.push_back({.name = fmt::format("H({} | {})", columns[k].name, earlier),
                              .value = together.value - before});
    report.figures.push_back({.name = fmt::format("H({})", joint.name),
                              .value = together.value,
                              .sd = together.sd,
                              .note = fmt::format("{} combinations occur", joint.num_levels())});
    before = together.value;
    note_few_rows(report, static_cast<double>(rows), static_cast<double>(joint.num_levels()),
                  false);
  }
  if (columns.size() == 1) {
    report.states = columns[0].levels;
    report.probabilities = models::counts_of(columns).cells;
    for (double& p : report.probabilities) p /= static_cast<double>(rows);
    const models::CountSample nothing{
        .counts = {}, .num_states = std::max(question.num_states, columns[0].num_levels())};
    if (report.estimator == "dirichlet") {
      const auto prior = models::dirichlet_entropy(nothing, question.options.entropy.concentration);
      report.figures[0].note += fmt::format("; before the rows {:.4f} (sd {:.2g})",
                                            report.in_unit(prior.value), report.in_unit(prior.sd));
    }
  }
  add_functions(report, columns);
  return report;
}

InformationReport dependence(const InformationQuestion& question,
                             std::span<const LevelColumn> columns) {
  const LevelColumn &first = columns[0], &second = columns[1];
  const auto rows = static_cast<double>(first.codes.size());
  InformationReport report =
      report_of(question, fmt::format("information of {} and {}, {:.0f} rows, estimator {}",
                                      first.name, second.name, rows, question.estimator->name));
  const auto add = [&](const LevelColumn& a, const LevelColumn& b, const LevelColumn* given) {
    const auto estimate =
        models::information_of_levels(rows_of(a, b, given), *question.estimator, question.options);
    report.figures.push_back(
        {.name = given == nullptr ? fmt::format("I({}; {})", a.name, b.name)
                                  : fmt::format("I({}; {} | {})", a.name, b.name, given->name),
         .value = estimate.value,
         .sd = estimate.sd,
         .note = words_of_test(estimate)});
    return estimate;
  };
  models::require_few_cells(columns);
  add(first, second, nullptr);
  for (const LevelColumn* column : {&first, &second})
    report.figures.push_back({.name = fmt::format("H({})", column->name),
                              .value = entropy_of(question, *column, 0).value});
  double cells = static_cast<double>(first.num_levels() * second.num_levels());
  if (columns.size() > 2) {
    constexpr double kLevel = 0.05;
    const LevelColumn& given = columns[2];
    cells *= static_cast<double>(given.num_levels());
    const auto left = add(first, second, &given);
    const auto by_given = add(given, second, nullptr);
    report.figures.push_back(
        {.name = fmt::format("I({}, {}; {})", first.name, given.name, second.name),
         .value = by_given.value + left.value,
         .note = "by the chain rule"});
    if (!std::isnan(left.p_value))
      report.sentences.push_back(
          left.p_value < kLevel
              ? fmt::format("{} says something about {} that {} doesn't.", first.name, second.name,
                            given.name)
              : fmt::format(
                    "Nothing shows that {0} says more about {1} than {2} does: for {1}, {2} "
                    "may stand in place of {0}.",
                    first.name, second.name, given.name));
  }
  note_few_rows(report, rows, cells, question.options.num_permutations > 0);
  add_functions(report, columns);
  return report;
}

InformationReport dependence(const InformationQuestion& question,
                             std::span<const models::NumberColumn> columns, bool by_kernels) {
  const models::NumberColumn &first = columns[0], &second = columns[1];
  InformationReport report = report_of(
      question, fmt::format("information of {} and {}, {} rows, {}", first.name, second.name,
                            first.values.size(),
                            by_kernels ? "densities by kernels"
                                       : fmt::format("neighbour {}", question.options.neighbours)));
  report.estimator = by_kernels ? "kde" : "ksg";
  const auto estimate =
      by_kernels ? models::information_by_kernels(first.values, second.values, question.options)
                 : models::information_by_neighbours(first.values, second.values, question.options);
  report.figures.push_back({.name = fmt::format("I({}; {})", first.name, second.name),
                            .value = estimate.value,
                            .sd = estimate.sd});
  double xy = 0.0, xx = 0.0, yy = 0.0;
  const auto n = static_cast<double>(first.values.size());
  const double mean_x = std::accumulate(first.values.begin(), first.values.end(), 0.0) / n,
               mean_y = std::accumulate(second.values.begin(), second.values.end(), 0.0) / n;
  for (std::size_t k = 0; k < first.values.size(); ++k) {
    const double x = first.values[k] - mean_x, y = second.values[k] - mean_y;
    xy += x * y, xx += x * x, yy += y * y;
  }
  report.figures.push_back({.name = "of a normal distribution",
                            .value = -0.5 * std::log1p(-xy * xy / (xx * yy)),
                            .note = fmt::format("correlation {:.3f}", xy / std::sqrt(xx * yy))});
  return report;
}

InformationReport words(const InformationQuestion& question, const LevelColumn& column,
                        Index length) {
  InformationReport report = report_of(
      question,
      fmt::format("words of {}, {} rows in their order, {} levels, estimator {}", column.name,
                  column.codes.size(), column.num_levels(), question.estimator->name));
  report.words = models::word_entropies(column.codes, column.num_levels(), length,
                                        *question.estimator, question.options.entropy);
  const auto states = static_cast<std::size_t>(column.num_levels());
  std::vector<double> transitions(states * states, 0.0);
  for (std::size_t n = 1; n < column.codes.size(); ++n)
    transitions[static_cast<std::size_t>(column.codes[n - 1]) * states +
                static_cast<std::size_t>(column.codes[n])] += 1.0;
  bool leaves_all = true;
  for (std::size_t i = 0; i < states; ++i) {
    const auto row = std::span(transitions).subspan(i * states, states);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    leaves_all = leaves_all && sum > 0.0;
    for (double& p : row) p /= sum;
  }
  if (leaves_all)
    report.figures.push_back(
        {.name = "predictive information of a Markov chain",
         .value = models::markov_predictive_information(transitions, column.num_levels()),
         .note = "with these relative frequencies of steps"});
  report.figures.push_back({.name = "entropy rate",
                            .value = report.words->rate(),
                            .note = fmt::format("of words of {}", length)});
  note_few_rows(report, static_cast<double>(column.codes.size()),
                static_cast<double>(report.words->num_words.back()), false);
  return report;
}

InformationReport divergences(const InformationQuestion& question, const LevelColumn& column,
                              const LevelColumn& other, double alpha) {
  InformationReport report =
      report_of(question, fmt::format("{}: {} rows against {}, relative frequencies", column.name,
                                      column.codes.size(), other.codes.size()));
  report.estimator.clear();
  std::map<std::string, std::pair<double, double>> distributions;
  for (const std::int32_t code : column.codes)
    distributions[column.levels[static_cast<std::size_t>(code)]].first +=
        1.0 / static_cast<double>(column.codes.size());
  for (const std::int32_t code : other.codes)
    distributions[other.levels[static_cast<std::size_t>(code)]].second +=
        1.0 / static_cast<double>(other.codes.size());
  std::vector<double> p, q;
  std::string only_first, only_second;
  for (const auto& [level, pair] : distributions) {
    p.push_back(pair.first), q.push_back(pair.second);
    if (pair.second == 0.0) only_first += (only_first.empty() ? "" : ", ") + level;
    if (pair.first == 0.0) only_second += (only_second.empty() ? "" : ", ") + level;
  }
  report.figures = {{.name = "KL(first | second)", .value = models::relative_entropy(p, q)},
                    {.name = "KL(second | first)", .value = models::relative_entropy(q, p)},
                    {.name = fmt::format("alpha-divergence, {:g}", alpha),
                     .value = models::alpha_divergence(p, q, alpha)}};
  if (!only_first.empty())
    report.sentences.push_back("Only the first table has: " + only_first + ".");
  if (!only_second.empty())
    report.sentences.push_back("Only the second table has: " + only_second + ".");
  report.sentences.emplace_back(
      "These are distances of relative frequencies, which chance alone makes larger than 0.");
  return report;
}

InformationReport carried_by(const InformationQuestion& question, const models::Channel& channel,
                             std::vector<std::string> inputs, std::vector<std::string> outputs,
                             std::vector<double> input_distribution) {
  models::CapacityOptions options;
  options.stop_if_asked = question.options.stop_if_asked;
  const models::Capacity found = models::capacity(channel, options);
  InformationReport report = report_of(
      question,
      fmt::format("channel of {} inputs and {} outputs", channel.num_inputs, channel.num_outputs));
  report.estimator.clear();
  report.figures.push_back(
      {.name = "capacity",
       .value = found.lower,
       .note = fmt::format("at most {:.2g} more", report.in_unit(found.upper - found.lower))});
  if (!found.has_converged)
    report.sentences.push_back(fmt::format("The bounds are still {:.2g} apart after {} iterations.",
                                           report.in_unit(found.upper - found.lower),
                                           found.num_iterations));
  const bool has_distribution = !input_distribution.empty();
  report.input_distribution = has_distribution ? std::move(input_distribution) : found.input;
  report.figures.push_back({.name = "information",
                            .value = models::information_over(channel, report.input_distribution),
                            .note = has_distribution
                                        ? "with the distribution of the inputs in the file or table"
                                        : "with the distribution that carries the capacity"});
  report.figures.push_back(
      {.name = "entropy of the inputs", .value = models::entropy(report.input_distribution)});
  report.decoder = models::map_decoder(channel, report.input_distribution);
  report.inputs = std::move(inputs), report.outputs = std::move(outputs);
  return report;
}

}  // namespace credo::cli
