#include "cli/draw_files.hpp"

#include <fmt/format.h>

#include "io/stan_csv.hpp"

namespace credo::cli {

namespace {
constexpr Index kBatchValues = (Index{32} << 20) / 8;  // read at a time

bool is_hamiltonian(const infer::RunResult& result) {
  return result.chains.empty() || result.chains.front().step_size > 0.0;
}

// CmdStan's word for a field where it has one.
std::string_view word_for(const infer::FieldSpec& spec) {
  return spec.stan_name.empty() ? spec.name : spec.stan_name;
}

io::StanCsvHeader header_of(const model::Model& model, const infer::SampleOptions& options,
                            const RunStore& store, Index chain, bool hamiltonian) {
  io::StanCsvHeader header{.model = model.name(), .settings = {}, .columns = {}};
  const auto set = [&](const char* name, std::string value) {
    header.settings.push_back({name, std::move(value)});
  };
  set("method", "sample");
  set("num_samples", fmt::format("{}", options.num_draws));
  set("num_warmup", fmt::format("{}", options.num_warmup));
  set("save_warmup", options.save_warmup ? "true" : "false");
  set("thin", fmt::format("{}", options.thin));
  set("algorithm", hamiltonian ? "hmc" : "fixed_param");  // the readers' word for "not adapted"
  set("engine", options.sampler);
  for (const infer::FieldValue& field : infer::fields_of(options.kernel))
    set(std::string(word_for(field.spec)).c_str(), field.value);
  set("delta", fmt::format("{}", options.adapt.step_size.target_accept));
  set("id", fmt::format("{}", options.first_chain + chain + 1));
  set("seed", fmt::format("{}", options.seed));
  set("version", CREDO_VERSION);
  for (const auto& column : store.columns())
    header.columns.push_back(column.stan_name.empty() ? column.name + "__" : column.stan_name);
  for (const auto& column : model.output_columns()) header.columns.push_back(column);
  return header;
}

// The rows of one phase, walker after walker.
void write_rows(io::StanCsvWriter& writer, const RunStore& store, Index chain, bool warmup) {
  const Index num_columns = store.num_columns(), num_walkers = store.num_walkers();
  const Index num_rows = num_walkers * store.num_rows(chain, warmup);
  const Index batch = num_walkers * std::max<Index>(1, kBatchValues / (num_columns * num_walkers));
  for (Index w = 0; w < num_walkers; ++w)
    for (Index first = 0; first < num_rows; first += batch) {
      const Index count = std::min(batch, num_rows - first);
      const std::vector<double> rows = store.rows().rows({.chain = chain,
                                                          .warmup = warmup,
                                                          .num_columns = num_columns,
                                                          .first_row = first,
                                                          .num_rows = count});
      for (Index r = w; r < count; r += num_walkers)
        writer.row(std::span(rows).subspan(static_cast<std::size_t>(r * num_columns),
                                           static_cast<std::size_t>(num_columns)));
    }
}
}  // namespace

void write_csv_files(const std::string& prefix, const model::Model& model,
                     const infer::SampleOptions& options, const infer::RunResult& result,
                     const RunStore& store, Index sig_figs) {
  for (Index c = 0; c < std::ssize(result.chains); ++c) {
    const infer::ChainResult& chain = result.chains[static_cast<std::size_t>(c)];
    io::StanCsvWriter writer(fmt::format("{}_{}.csv", prefix, c + 1),
                             header_of(model, options, store, c, is_hamiltonian(result)),
                             {.significant_digits = static_cast<int>(sig_figs)});
    write_rows(writer, store, c, true);
    // Readers expect a metric also of a sampler without a constant one.
    const std::vector<double> unit(static_cast<std::size_t>(model.dimension()), 1.0);
    if (is_hamiltonian(result))
      writer.adaptation(chain.step_size,
                        {.dense = chain.metric == infer::MetricKind::dense,
                         .dimension = model.dimension(),
                         .values = chain.inv_metric.empty() ? unit : chain.inv_metric});
    write_rows(writer, store, c, false);
    writer.finish(chain.warmup_seconds, chain.sampling_seconds);
  }
}

}  // namespace credo::cli
