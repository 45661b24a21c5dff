#include "cli/draw_files.hpp"

#include <fmt/format.h>

#include "io/stan_csv.hpp"

namespace credo::cli {

void DrawStore::begin(const Sizes& sizes) {
  columns_.assign(sizes.columns.begin(), sizes.columns.end());
  const Index width = std::ssize(model_.output_columns()), chains = sizes.num_chains;
  draws_ = density::Draws(sizes.num_draws_kept, chains, width);
  info_ = density::Draws(sizes.num_draws_kept, chains, std::ssize(columns_));
  warmup_draws_ = density::Draws(sizes.num_warmup_kept, chains, width);
  warmup_info_ = density::Draws(sizes.num_warmup_kept, chains, std::ssize(columns_));
  kept_.assign(static_cast<std::size_t>(chains), 0);
  warmup_kept_.assign(static_cast<std::size_t>(chains), 0);
  notes_.resize(static_cast<std::size_t>(chains));
  rows_.resize(static_cast<std::size_t>(chains));
  for (Index c = 0; c < chains; ++c) writers_.emplace_back(model_);
  const std::vector<double> origin(static_cast<std::size_t>(model_.dimension()), 0.0);
  dropped_ = model_.trace(origin)->dropped;
  if (model_.discrete().size() > 0) model_.prepare_draws(origin);
}

void DrawStore::draw(const infer::DrawRecord& record) {
  const auto c = static_cast<std::size_t>(record.chain);
  Rng rng(StreamKey{.seed = options_.seed,
                    .purpose = purpose::kGenerated,
                    .chain = static_cast<std::uint32_t>(options_.first_chain + record.chain),
                    .iteration = static_cast<std::uint32_t>(record.iteration)});
  std::string note;
  std::vector<double>& row = rows_[c];
  writers_[c].write(record.position, rng, row, &note);
  if (!note.empty()) ++notes_[c][note];
  std::vector<double> info(record.info.begin(), record.info.end());
  info[0] -=
      dropped_;  // the first column is the log density: lp__ leaves the dropped constants out
  Index& place = record.warmup ? warmup_kept_[c] : kept_[c];
  (record.warmup ? warmup_draws_ : draws_).set(place, record.chain, row);
  (record.warmup ? warmup_info_ : info_).set(place, record.chain, info);
  ++place;
}

density::Draws DrawStore::log_density() const {
  density::Draws lp(info_.num_draws(), info_.num_chains(), 1);
  for (Index c = 0; c < info_.num_chains(); ++c) {
    for (Index s = 0; s < info_.num_draws(); ++s) lp(s, c, 0) = info_(s, c, 0);
  }
  return lp;
}

std::vector<DrawStore::Note> DrawStore::notes() const {
  std::map<std::string, Index> total;
  for (const auto& chain : notes_) {
    for (const auto& [text, count] : chain) total[text] += count;
  }
  std::vector<Note> notes;
  for (const auto& [text, count] : total) notes.push_back({text, count});
  return notes;
}

namespace {
bool is_hamiltonian(const infer::RunResult& result) {
  return result.chains.empty() || result.chains.front().step_size > 0.0;
}

// CmdStan's word for a field where it has one.
std::string_view word_for(const infer::FieldSpec& spec) {
  return spec.stan_name.empty() ? spec.name : spec.stan_name;
}

io::StanCsvHeader header_of(const model::Model& model, const infer::SampleOptions& options,
                            const DrawStore& store, Index chain, bool hamiltonian) {
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
    header.columns.push_back(column.stan_name.empty() ? std::string(column.name) + "__"
                                                      : std::string(column.stan_name));
  for (const auto& column : model.output_columns()) header.columns.push_back(column);
  return header;
}

void write_rows(io::StanCsvWriter& writer, const density::Draws& info, const density::Draws& draws,
                Index chain, Index count) {
  std::vector<double> row(static_cast<std::size_t>(info.num_quantities() + draws.num_quantities()));
  const auto split = static_cast<std::size_t>(info.num_quantities());
  for (Index s = 0; s < count; ++s) {
    info.get(s, chain, std::span(row).first(split));
    draws.get(s, chain, std::span(row).subspan(split));
    writer.row(row);
  }
}
}  // namespace

void write_csv_files(const std::string& prefix, const model::Model& model,
                     const infer::SampleOptions& options, const infer::RunResult& result,
                     const DrawStore& store, Index sig_figs) {
  for (Index c = 0; c < std::ssize(result.chains); ++c) {
    const infer::ChainResult& chain = result.chains[static_cast<std::size_t>(c)];
    io::StanCsvWriter writer(fmt::format("{}_{}.csv", prefix, c + 1),
                             header_of(model, options, store, c, is_hamiltonian(result)),
                             {.significant_digits = static_cast<int>(sig_figs)});
    const Index first = c * result.num_walkers, end = first + result.num_walkers;
    for (Index w = first; w < end; ++w)
      write_rows(writer, store.warmup_info(), store.warmup_draws(), w, store.num_warmup_kept(w));
    // Readers expect a metric also of a sampler without a constant one.
    const std::vector<double> unit(static_cast<std::size_t>(model.dimension()), 1.0);
    if (is_hamiltonian(result))
      writer.adaptation(chain.step_size,
                        {.dense = chain.metric == infer::MetricKind::dense,
                         .dimension = model.dimension(),
                         .values = chain.inv_metric.empty() ? unit : chain.inv_metric});
    for (Index w = first; w < end; ++w)
      write_rows(writer, store.info(), store.draws(), w, store.num_kept(w));
    writer.finish(chain.warmup_seconds, chain.sampling_seconds);
  }
}

}  // namespace credo::cli
