#include "cli/draw_files.hpp"

#include <fmt/format.h>

#include "io/stan_csv.hpp"
#include "model/model.hpp"

namespace credo::cli {

namespace {
constexpr Index kBatchValues = (Index{64} << 20) / 8;  // read at a time

bool is_hamiltonian(const infer::RunResult& result) {
  return result.chains.empty() || result.chains.front().step_size > 0.0;
}

// CmdStan's word for a field where it has one.
std::string_view word_for(const infer::FieldSpec& spec) {
  return spec.stan_name.empty() ? spec.name : spec.stan_name;
}

io::StanCsvHeader header_of(const model::Model& model, const infer::SampleOptions& options,
                            const Fit& fit, Index chain, bool hamiltonian) {
  io::StanCsvHeader header{.model = model.name(), .settings = {}, .columns = {}};
  const auto set = [&](const char* name, std::string value) {
    header.settings.push_back({name, std::move(value)});
  };
  set("method", "sample");
  // Readers work out the numbers of rows from these; walkers' rows are one after another.
  const bool walks = fit.num_walkers() > 1;
  const auto iterations = [&](Index asked, bool warmup) {
    return fmt::format("{}", walks ? fit.num_walkers() * fit.num_draws(warmup) : asked);
  };
  set("num_samples", iterations(options.num_draws, false));
  set("num_warmup", iterations(options.num_warmup, true));
  set("save_warmup", options.save_warmup ? "1" : "0");
  set("thin", fmt::format("{}", walks ? 1 : options.thin));
  set("algorithm", hamiltonian ? "hmc" : "fixed_param");  // the readers' word for "not adapted"
  set("engine", options.sampler == "hmc_static" ? "static" : options.sampler);
  for (const infer::FieldValue& field : infer::fields_of(options.kernel))
    set(std::string(word_for(field.spec)).c_str(), field.value);
  set("delta", fmt::format("{}", options.adapt.step_size.target_accept));
  set("id", fmt::format("{}", options.first_chain + chain + 1));
  set("seed", fmt::format("{}", options.seed));
  set("version", CREDO_VERSION);
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

// The draws of one phase that all chains have, walker after walker: several walkers at a time, or a
// part of the draws of one, as memory allows.
void write_rows(io::StanCsvWriter& writer, const Fit& fit, Index chain, bool warmup) {
  const Index num_draws = fit.num_draws(warmup), num_walkers = fit.num_walkers();
  if (num_draws == 0) return;
  const Index count = num_quantities(fit);
  const Index walkers = std::clamp(kBatchValues / (count * num_draws), Index{1}, num_walkers);
  const Index rows = std::clamp(kBatchValues / count, Index{1}, num_draws);
  for (Index w = 0; w < num_walkers; w += walkers)
    for (Index s = 0; s < num_draws; s += rows)
      write_draws(writer, fit.read({.warmup = warmup,
                                    .count = count,
                                    .first_chain = chain * num_walkers + w,
                                    .num_chains = std::min(walkers, num_walkers - w),
                                    .first_draw = s,
                                    .num_draws = std::min(rows, num_draws - s)}));
}
}  // namespace

void write_csv_files(const std::string& prefix, const model::Model& model,
                     const infer::SampleOptions& options, const Fit& fit, Index sig_figs) {
  const infer::RunResult& result = fit.result();
  for (Index c = 0; c < fit.num_chains() / fit.num_walkers(); ++c) {
    const infer::ChainResult chain =
        result.chains.empty() ? infer::ChainResult{} : result.chains[static_cast<std::size_t>(c)];
    io::StanCsvWriter writer(fmt::format("{}_{}.csv", prefix, c + 1),
                             header_of(model, options, fit, c, is_hamiltonian(result)),
                             {.significant_digits = static_cast<int>(sig_figs)});
    write_rows(writer, fit, c, true);
    // Readers expect a metric also of a sampler without a constant one.
    const std::vector<double> unit(static_cast<std::size_t>(model.dimension()), 1.0);
    if (is_hamiltonian(result))
      writer.adaptation(chain.step_size,
                        {.dense = chain.metric == infer::MetricKind::dense,
                         .dimension = model.dimension(),
                         .values = chain.inv_metric.empty() ? unit : chain.inv_metric});
    write_rows(writer, fit, c, false);
    writer.finish(chain.warmup_seconds, chain.sampling_seconds);
  }
}

}  // namespace credo::cli
