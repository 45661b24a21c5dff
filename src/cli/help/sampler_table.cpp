// Acceptance is the mean of the sampler's column "accepted", else of "accept_stat", else the share
// of transitions after which the draw is another one. The autocorrelation times are those that
// effective sample sizes divide by (diagnose/autocorrelation.hpp), of all chains together.
#include "cli/help/sampler_table.hpp"

#include <fmt/format.h>

#include "diagnose/autocorrelation.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/trace.hpp"
#include "infer/core/table.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
diagnose::Chains of_runs(const density::Draws& draws, Index quantity, Index num_walkers);
void judge_quantities(const infer::StoredDraws& store, const Quantities& quantities,
                      Index num_walkers, SamplerRow& row);
void note_costs(const infer::RunResult& run, SamplerRow& row);
double acceptance_of(const infer::StoredDraws& store);
void decide(const infer::SampleOptions& options, const infer::RunResult& run, bool biased,
            SamplerRow& row);
std::string text_of(double value);
}  // namespace

std::string_view word_of(SamplerVerdict verdict) {
  constexpr std::array<std::string_view, 5> words{"", "short", "biased", "disagree", "failed"};
  return words[static_cast<std::size_t>(verdict)];
}

SamplerRow measure_sampler(const density::LogDensity& density, const infer::SampleOptions& options,
                           const Quantities& quantities) {
  const infer::SamplerSpec& spec = infer::find_sampler(options.sampler);
  SamplerRow row{.sampler = options.sampler,
                 .remarks = {},
                 .asks_gradients = spec.needs_gradient,
                 .slowest = {}};
  infer::StoredDraws store;
  try {
    const infer::RunResult run = infer::run_chains(density, options, store);
    if (run.interrupted) {
      row.remarks.push_back("interrupted");
      return row;
    }
    row.acceptance = acceptance_of(store);
    judge_quantities(store, quantities, run.num_walkers, row);
    note_costs(run, row);
    decide(options, run, spec.biased, row);
  } catch (const Error& error) {
    row.remarks.push_back(error.message());
  }
  return row;
}

namespace {
// The walkers of an ensemble one after another, as in the files of draws, so that R-hat compares
// independent ensembles.
diagnose::Chains of_runs(const density::Draws& draws, Index quantity, Index num_walkers) {
  return {draws.quantity(quantity), draws.num_draws() * num_walkers,
          draws.num_chains() / num_walkers};
}

// R-hat is that of the log density, too.
void judge_quantities(const infer::StoredDraws& store, const Quantities& quantities,
                      Index num_walkers, SamplerRow& row) {
  const density::Draws values = quantities.of(store);
  row.num_draws = values.num_draws() * values.num_chains();
  row.worst_r_hat = diagnose::r_hat(of_runs(store.info, 0, num_walkers));
  double sum = 0.0;
  for (Index k = 0; k < values.num_quantities(); ++k) {
    const diagnose::Chains chains = of_runs(values, k, num_walkers);
    const double time = diagnose::integrated_autocorrelation_time(chains).time;
    row.worst_r_hat = std::max(row.worst_r_hat, diagnose::r_hat(chains));
    sum += time;
    if (k > 0 && !(time > row.worst_time)) continue;
    row.worst_time = time;
    row.slowest = quantities.names[static_cast<std::size_t>(k)];
  }
  row.mean_time = sum / static_cast<double>(values.num_quantities());
  row.effective_draws = static_cast<double>(row.num_draws) / row.worst_time;
}

// Chains of one thread share its clock, so the run after warm-up lasts as long as the longest.
void note_costs(const infer::RunResult& run, SamplerRow& row) {
  Index evaluations = 0;
  double seconds = 0.0;
  for (const infer::ChainResult& chain : run.chains) {
    evaluations += chain.num_evaluations - chain.num_warmup_evaluations;
    seconds = std::max(seconds, chain.sampling_seconds);
  }
  row.evaluations_per_draw = static_cast<double>(evaluations) / static_cast<double>(row.num_draws);
  row.seconds_per_draw = seconds / static_cast<double>(row.num_draws);
  row.seconds_per_independent = row.seconds_per_draw * row.worst_time;
}

double acceptance_of(const infer::StoredDraws& store) {
  for (const std::string_view wanted : {"accepted", "accept_stat"})
    for (std::size_t k = 0; k < store.columns.size(); ++k)
      if (store.columns[k].name == wanted)
        return diagnose::mean(store.info.quantity(static_cast<Index>(k)));
  return diagnose::move_fraction(diagnose::quantity(store.info, 0));
}

void decide(const infer::SampleOptions& options, const infer::RunResult& run, bool biased,
            SamplerRow& row) {
  row.verdict = SamplerVerdict::fine;
  const auto say = [&](SamplerVerdict verdict, std::string remark) {
    row.verdict = std::max(row.verdict, verdict);
    row.remarks.push_back(std::move(remark));
  };
  if (!(row.worst_r_hat <= kRHatLimit))
    say(SamplerVerdict::disagree,
        fmt::format(
            "R-hat is {:.4f}, above {}: the chains disagree, so its figures aren't believable",
            row.worst_r_hat, kRHatLimit));
  if (biased)
    say(SamplerVerdict::biased, "biased by its step size: its draws are from nearly the posterior");
  if (!(row.worst_time * kTimesPerChain <= static_cast<double>(options.num_draws / options.thin)))
    say(SamplerVerdict::short_run,
        fmt::format("a chain has fewer than {} autocorrelation times of {}", kTimesPerChain,
                    row.slowest));
  Index divergent = 0;
  for (const infer::ChainResult& chain : run.chains) divergent += chain.num_divergent;
  if (divergent > 0) say(row.verdict, fmt::format("{} transitions diverged", divergent));
  for (const std::string& warning : run.warnings) say(row.verdict, warning);
}

// Three digits, all of a whole number.
std::string text_of(double value) {
  if (!std::isfinite(value)) return "-";
  return std::fabs(value) < 1000.0 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

constexpr std::string_view kHead =
    "sampler               time   mean  accept      ESS   ESS %  evaluations  µs/draw  "
    "µs/indep.  R-hat  verdict\n";

std::string line_of(const SamplerRow& row) {
  if (row.verdict == SamplerVerdict::failed)
    return fmt::format("{:<20}{:>96}\n", row.sampler, "failed ");
  const double percent = 100.0 * row.effective_draws / static_cast<double>(row.num_draws);
  return fmt::format("{:<20} {:>5} {:>6}  {:>6} {:>8}  {:>6} {:>10} {} {:>8} {:>10}  {:>5}  {}\n",
                     row.sampler, text_of(row.worst_time), text_of(row.mean_time),
                     text_of(row.acceptance), text_of(std::round(row.effective_draws)),
                     text_of(percent), text_of(row.evaluations_per_draw),
                     row.asks_gradients ? "g" : "v", text_of(1e6 * row.seconds_per_draw),
                     text_of(1e6 * row.seconds_per_independent),
                     std::isfinite(row.worst_r_hat) ? fmt::format("{:.3f}", row.worst_r_hat) : "-",
                     word_of(row.verdict));
}
}  // namespace

std::string sampler_table_text(std::span<const SamplerRow> rows) {
  std::string text(kHead);
  for (const SamplerRow& row : rows) text += line_of(row);
  text +=
      "\ntime: draws for one independent draw of the slowest quantity; mean: of all quantities\n"
      "evaluations a draw: g gradients, v values of the log density\n";
  for (const SamplerRow& row : rows)
    for (const std::string& remark : row.remarks)
      text += fmt::format("{}: {}\n", row.sampler, remark);
  return text;
}

std::string sampler_table_json(std::span<const SamplerRow> rows) {
  results::ArrayList answer;
  auto add = answer.add_rows("samplers", rows).columns(rows);
  add("sampler", &SamplerRow::sampler);
  add("verdict", [](const SamplerRow& row) {
    return row.verdict == SamplerVerdict::fine ? "fine" : word_of(row.verdict);
  });
  add("evaluates", [](const SamplerRow& row) { return row.asks_gradients ? "gradient" : "value"; });
  add("num_draws", &SamplerRow::num_draws), add("slowest", &SamplerRow::slowest);
  add("worst_time", &SamplerRow::worst_time), add("mean_time", &SamplerRow::mean_time);
  add("acceptance", &SamplerRow::acceptance);
  add("effective_draws", &SamplerRow::effective_draws);
  add("evaluations_per_draw", &SamplerRow::evaluations_per_draw);
  add("worst_r_hat", &SamplerRow::worst_r_hat);
  add("seconds_per_draw", &SamplerRow::seconds_per_draw);
  add("seconds_per_independent", &SamplerRow::seconds_per_independent);
  answer.add_lists("samplers", "remarks", results::elements_within(rows, &SamplerRow::remarks));
  return rows_json(answer);
}

}  // namespace credo::cli
