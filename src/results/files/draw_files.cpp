#include "results/files/draw_files.hpp"

#include <fmt/format.h>

#include <deque>
#include <future>

#include "base/stop.hpp"
#include "infer/core/table.hpp"
#include "io/number_text.hpp"
#include "io/stan_csv.hpp"
#include "results/files/table_groups.hpp"

namespace credo::results {

namespace {
constexpr Index kValuesAtOnce = (Index{64} << 20) / 8;  // read at a time

bool is_hamiltonian(const infer::RunResult& result) {
  return !result.chains.empty() && result.chains.front().step_size > 0.0;
}

// Options of a row that an option names: "mover.max_tree_depth".
void add_settings_below(const FitOrigin& origin, const std::string& prefix,
                        std::vector<io::Setting>& all) {
  for (auto at = origin.settings.lower_bound(prefix);
       at != origin.settings.end() && at->first.starts_with(prefix); ++at)
    all.push_back({at->first, at->second});
}

// The sampler's own settings, under CmdStan's words where it has them.
std::vector<io::Setting> kernel_settings(const FitOrigin& origin) {
  std::vector<io::Setting> all;
  const auto rows = infer::samplers();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const auto* r) { return r->name == origin.sampler; });
  if (row == rows.end()) return all;
  for (const infer::FieldValue& field : infer::fields_of((*row)->options())) {
    const auto value = origin.settings.find(std::string(field.spec.name));
    const std::string_view word =
        field.spec.stan_name.empty() ? field.spec.name : field.spec.stan_name;
    if (value != origin.settings.end()) all.push_back({std::string(word), value->second});
    if (field.spec.rows != nullptr) add_settings_below(origin, field.name + ".", all);
  }
  return all;
}

Index whole(const std::string& text) {
  return io::count_said(io::parse_number(text).value_or(0.0));
}

io::StanCsvHeader header_of(const Fit& fit, Index chain, bool hamiltonian) {
  const FitOrigin& origin = fit.origin();
  io::StanCsvHeader header{.model = origin.model_name, .settings = {}, .columns = {}};
  const auto set = [&](const char* name, std::string value) {
    header.settings.push_back({name, std::move(value)});
  };
  const auto setting = [&](const char* name, std::string otherwise) {
    const auto found = origin.settings.find(name);
    return found == origin.settings.end() ? otherwise : found->second;
  };
  set("method", "sample");
  // Readers work out the numbers of rows from these; walkers' rows are one after another, and a run
  // that hasn't ended has fewer than were requested.
  const bool walks = fit.num_walkers() > 1;
  const Index thin = std::max<Index>(1, whole(setting("thin", "1")));
  const auto iterations = [&](const char* name, bool warmup) {
    const Index rows = fit.num_draws(warmup), asked = whole(setting(name, "0"));
    if (walks) return fmt::format("{}", fit.num_walkers() * rows);
    const bool as_asked = (asked + thin - 1) / thin == rows || (warmup && rows == 0);
    return fmt::format("{}", as_asked ? asked : rows * thin);
  };
  set("num_samples", iterations("num_draws", false));
  set("num_warmup", iterations("num_warmup", true));
  set("save_warmup", fit.num_draws(true) > 0 ? "1" : "0");
  set("thin", fmt::format("{}", walks ? 1 : thin));
  set("algorithm", hamiltonian ? "hmc" : "fixed_param");  // the readers' word for "not adapted"
  set("engine", origin.sampler == "hmc_static" ? "static" : origin.sampler);
  for (io::Setting& each : kernel_settings(origin)) header.settings.push_back(std::move(each));
  set("delta", setting("target_accept", "0.8"));
  set("id", fmt::format("{}", whole(setting("first_chain", "0")) + chain + 1));
  set("seed", origin.seed);
  set("version", origin.version);
  if (!origin.resumed_with.empty()) set("resumed_with", origin.resumed_with);
  if (fit.num_walkers() > 1) set("walkers_per_chain", fmt::format("{}", fit.num_walkers()));
  for (Index k = 0; k < num_quantities(fit); ++k) header.columns.push_back(quantity_name(fit, k));
  return header;
}

void write_draws(io::StanCsvWriter& writer, const density::Draws& draws) {
  std::vector<double> row(static_cast<std::size_t>(draws.num_quantities()));
  for (Index c = 0; c < draws.num_chains(); ++c)
    for (Index s = 0; s < draws.num_draws(); ++s) {
      draws.get(s, c, row);
      writer.row(row);
    }
}

// Readers expect a metric also of a sampler without a constant one.
void write_adaptation(io::StanCsvWriter& writer, const infer::ChainResult& chain, Index dimension) {
  const bool dense = chain.metric == infer::MetricKind::dense && !chain.inv_metric.empty();
  std::vector<double> values = chain.inv_metric;
  if (values.empty()) values.assign(static_cast<std::size_t>(dimension), 1.0);
  if (!dense) dimension = ssize(values);
  writer.adaptation(chain.step_size,
                    {.dense = dense, .dimension = dimension, .values = std::move(values)});
}

// The draws of one phase that all chains have, walker after walker: several walkers at a time, or a
// part of the draws of one, as memory allows.
void write_rows(io::StanCsvWriter& writer, const Fit& fit, Index chain, bool warmup) {
  const Index num_draws = fit.num_draws(warmup), num_walkers = fit.num_walkers();
  if (num_draws == 0) return;
  const Index count = num_quantities(fit);
  const Index walkers = std::clamp(kValuesAtOnce / (count * num_draws), Index{1}, num_walkers);
  const Index rows = std::clamp(kValuesAtOnce / count, Index{1}, num_draws);
  for (Index w = 0; w < num_walkers; w += walkers)
    for (Index s = 0; s < num_draws; s += rows)
      write_draws(writer, fit.read({.warmup = warmup,
                                    .count = count,
                                    .first_chain = chain * num_walkers + w,
                                    .num_chains = std::min(walkers, num_walkers - w),
                                    .first_draw = s,
                                    .num_draws = std::min(rows, num_draws - s)}));
}
// Ends files, several at a time where there are many: a small file spends nearly all its time in the
// wait for the disk.
class Ends {
 public:
  explicit Ends(Index num_files) : most_(std::min(kMostWaiting, num_files / kMostWaiting)) {}

  void add(std::unique_ptr<io::StanCsvWriter> writer, const infer::ChainResult& chain) {
    const auto end = [&stop = *current_stop(), writer = std::shared_ptr(std::move(writer)),
                      warmup = chain.warmup_seconds, sampling = chain.sampling_seconds] {
      const StopScope scope(&stop);
      writer->finish(warmup, sampling);
    };
    if (most_ == 0) return end();
    if (ssize(waiting_) == most_) wait_for_one();
    waiting_.push_back(std::async(std::launch::async, end));
  }
  void wait() {
    while (!waiting_.empty()) wait_for_one();
  }

 private:
  static constexpr Index kMostWaiting = 16;
  void wait_for_one() {
    std::future<void> first = std::move(waiting_.front());
    waiting_.pop_front();
    first.get();
  }

  Index most_;
  std::deque<std::future<void>> waiting_;
};
}  // namespace

std::string csv_name(const std::string& prefix, Index chain) {
  constexpr std::string_view kEnding = ".csv";
  const std::size_t size = prefix.size() - (prefix.ends_with(kEnding) ? kEnding.size() : 0);
  return fmt::format("{}_{}{}", prefix.substr(0, size), chain + 1, kEnding);
}

void write_csv_files(const Fit& fit, const FitOutput& output) {
  const infer::RunResult& result = fit.result();
  const bool hamiltonian = is_hamiltonian(result);
  Ends ends(fit.num_chains() / fit.num_walkers());
  for (Index c = 0; c < fit.num_chains() / fit.num_walkers(); ++c) {
    const infer::ChainResult chain =
        result.chains.empty() ? infer::ChainResult{} : result.chains[static_cast<std::size_t>(c)];
    auto writer = std::make_unique<io::StanCsvWriter>(
        csv_name(output.path, c), header_of(fit, c, hamiltonian),
        io::StanCsvOptions{.significant_digits = static_cast<int>(output.sig_figs)},
        output.readers);
    write_rows(*writer, fit, c, true);
    if (hamiltonian) write_adaptation(*writer, chain, ssize(fit.origin().free_names));
    write_rows(*writer, fit, c, false);
    ends.add(std::move(writer), chain);
  }
  ends.wait();
  write_table_files(fit, output);
}

}  // namespace credo::results
