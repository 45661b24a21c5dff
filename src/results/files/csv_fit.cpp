#include "results/files/csv_fit.hpp"

#include <fmt/format.h>

#include "io/number_text.hpp"
#include "io/stan_csv.hpp"
#include "results/files/csv_agreement.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::results {
namespace {

class CsvFit final : public Fit {
 public:
  explicit CsvFit(std::span<const std::string> paths);
  const std::vector<StatColumn>& columns() const override { return columns_; }
  const density::Layout& layout() const override { return layout_; }
  Index num_chains() const override { return ssize(files_) * num_walkers_; }
  Index num_walkers() const override { return num_walkers_; }
  Index num_draws(bool warmup) const override { return num_rows(files_[0], warmup) / num_walkers_; }
  const FitOrigin& origin() const override { return origin_; }
  const infer::RunResult& result() const override { return result_; }
  io::InputFiles::Contents files() const override { return {}; }
  density::Draws read(const DrawSlab& slab) const override;

 private:
  static Index num_rows(const io::StanCsv& file, bool warmup) {
    return warmup ? file.num_warmup_rows : file.num_rows - file.num_warmup_rows;
  }
  void lay_out();
  void take_settings();
  void take_walkers(double walkers);
  void take_adaptation();

  std::vector<io::StanCsv> files_;
  std::vector<Index> places_;  // places of the quantities among the columns of a file
  FitOrigin origin_;
  std::vector<StatColumn> columns_;
  density::Layout layout_;
  Index num_walkers_ = 1;
  infer::RunResult result_;
};

CsvFit::CsvFit(std::span<const std::string> paths) {
  require_different_files(paths);
  for (const std::string& path : paths) files_.push_back(io::read_stan_csv(path));
  for (io::StanCsv& file : files_) settle_warmup(file);
  origin_.source = paths[0];
  origin_.doubts = judge_csv_files(files_, paths);
  constexpr int kAllDigits = 15;
  for (const io::StanCsv& file : files_)
    origin_.num_digits = std::max(origin_.num_digits, file.num_digits);
  if (origin_.num_digits >= kAllDigits) origin_.num_digits = 0;
  lay_out();
  take_settings();
  take_adaptation();
}

// The sampler's own columns end in __.
void CsvFit::lay_out() {
  std::vector<Index> output_places;
  std::vector<std::string> outputs;
  const std::vector<std::string>& names = files_[0].columns;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool is_statistic = names[k].ends_with("__");
    (is_statistic ? places_ : output_places).push_back(static_cast<Index>(k));
    if (is_statistic)
      columns_.push_back(column_of_csv(names[k]));
    else
      outputs.push_back(names[k]);
  }
  places_.insert(places_.end(), output_places.begin(), output_places.end());
  layout_ = density::layout_of_names(outputs);
}

void CsvFit::take_settings() {
  for (const io::Setting& setting : files_[0].settings)
    origin_.settings.try_emplace(setting.name, setting.value);
  const auto setting = [this](const char* name) {
    const std::string* value = files_[0].find_setting(name);
    return value == nullptr ? std::string() : *value;
  };
  origin_.model_name = setting("model");
  origin_.sampler = setting("engine") == "static" ? "hmc_static" : setting("engine");
  origin_.seed = setting("seed");
  origin_.version = setting("credo_version");
  origin_.resumed_with = setting("resumed_with");
  if (const auto walkers = io::parse_number(setting("walkers_per_chain"))) take_walkers(*walkers);
}

// Sets the number of walkers, which must divide the rows of both phases.
void CsvFit::take_walkers(double walkers) {
  const double most = static_cast<double>(std::max<Index>(1, files_[0].num_rows));
  const bool whole = walkers >= 1.0 && walkers <= most && walkers == std::floor(walkers);
  num_walkers_ = whole ? static_cast<Index>(walkers) : 1;
  if (!whole || num_rows(files_[0], false) % num_walkers_ != 0 ||
      num_rows(files_[0], true) % num_walkers_ != 0)
    throw Error(ErrorCode::data,
                fmt::format("walkers_per_chain = {}, but there are {} draws and {} of warm-up",
                            walkers, num_rows(files_[0], false), num_rows(files_[0], true)),
                origin_.source, "each walker has as many draws");
}

void CsvFit::take_adaptation() {
  result_.sampler = origin_.sampler;
  result_.num_walkers = num_walkers_;
  for (const io::StanCsv& file : files_) {
    infer::ChainResult chain;
    chain.step_size = file.step_size.value_or(0.0);
    chain.metric =
        file.inverse_metric.dense ? infer::MetricKind::dense : infer::MetricKind::diagonal;
    chain.inv_metric = file.inverse_metric.values;
    chain.num_kept = num_rows(file, false);
    chain.warmup_seconds = file.warmup_seconds;
    chain.sampling_seconds = file.sampling_seconds;
    result_.chains.push_back(std::move(chain));
    result_.interrupted = result_.interrupted || std::isnan(file.sampling_seconds);
  }
}

// A file has its walkers one after another.
density::Draws CsvFit::read(const DrawSlab& wanted) const {
  const DrawSlab slab = within(*this, wanted);
  density::Draws draws(slab.num_draws, slab.num_chains, slab.count);
  for (Index k = 0; k < slab.count; ++k)
    for (Index c = 0; c < slab.num_chains; ++c) {
      const Index chain = slab.first_chain + c, walker = chain % num_walkers_;
      const io::StanCsv& file = files_[static_cast<std::size_t>(chain / num_walkers_)];
      const auto column = file.column(places_[static_cast<std::size_t>(slab.first + k)]);
      const Index first = (slab.warmup ? 0 : file.num_warmup_rows) +
                          walker * num_draws(slab.warmup) + slab.first_draw;
      for (Index s = 0; s < slab.num_draws; ++s)
        draws(s, c, k) = column[static_cast<std::size_t>(first + s)];
    }
  return draws;
}
}  // namespace

std::unique_ptr<Fit> open_csv_fit(std::span<const std::string> paths) {
  return std::make_unique<CsvFit>(paths);
}

}  // namespace credo::results
