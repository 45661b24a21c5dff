#include "api/fit.hpp"

#include <fmt/format.h>

#include "diagnose/summary.hpp"
#include "io/summary_table.hpp"
#include "lang/names.hpp"
#include "runs/judge.hpp"
#include "runs/write_fit.hpp"
#include "verdict/report.hpp"

namespace credo {

// ---- draws

Draws::Draws(std::vector<Index> dims, Index num_draws, Index num_chains, std::vector<double> values)
    : dims_(std::move(dims)),
      num_draws_(num_draws),
      num_chains_(num_chains),
      values_(std::move(values)) {
  const Index each = num_draws * num_chains;
  size_ = std::accumulate(dims_.begin(), dims_.end(), Index{1}, std::multiplies<>());
  if (size_ * each != ssize(values_))
    throw Error(ErrorCode::usage,
                fmt::format("{} numbers for {} draws of {} elements", values_.size(), each, size_));
}

double Draws::operator()(Index draw, Index chain, Index element) const {
  if (draw < 0 || draw >= num_draws_ || chain < 0 || chain >= num_chains_ || element < 0 ||
      element >= size_)
    throw Error(ErrorCode::usage,
                fmt::format("draw {}, chain {}, element {} of {} x {} x {}", draw, chain, element,
                            num_draws_, num_chains_, size_),
                {}, "they count from 0");
  return values_[static_cast<std::size_t>(draw + num_draws_ * (chain + num_chains_ * element))];
}

std::span<const double> Draws::element(Index k) const {
  if (k < 0 || k >= size_)
    throw Error(ErrorCode::usage, fmt::format("element {} of {}", k, size_), {},
                "elements count from 0");
  const auto each = static_cast<std::size_t>(num_draws_ * num_chains_);
  return std::span(values_).subspan(static_cast<std::size_t>(k) * each, each);
}

// ---- a fit

namespace {
const runs::RunStore& store_of(const Fit::Impl& impl) { return *impl.store; }

struct Place {
  Index first = 0;
  std::vector<Index> dims = {};
};

Place place_of(const runs::RunStore& store, std::string_view name) {
  for (const runs::FitVariable& variable : store.variables())
    if (variable.name == name) return {variable.first, variable.dims};
  if (const auto quantity = runs::find_quantity(store, name)) return {*quantity};
  std::vector<std::string> names;
  for (const runs::FitVariable& variable : store.variables()) names.push_back(variable.name);
  for (const runs::StatColumn& column : store.columns()) names.push_back(column.name);
  const std::string near = lang::did_you_mean(name, names);
  throw Error(ErrorCode::usage, fmt::format("there is no variable or statistic '{}'", name), {},
              near.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : near);
}

SummaryRow row_of(const std::string& name, std::span<const double> values,
                  const runs::RunStore& store) {
  const diagnose::Summary s =
      diagnose::summarise(diagnose::Chains(values, store.num_draws(false), store.num_chains()));
  return {.name = name,
          .mean = s.mean,
          .sd = s.sd,
          .q5 = s.q5,
          .median = s.median,
          .q95 = s.q95,
          .mcse_mean = s.mcse_mean,
          .mcse_sd = s.mcse_sd,
          .mcse_q5 = s.mcse_q5,
          .mcse_median = s.mcse_median,
          .mcse_q95 = s.mcse_q95,
          .ess_bulk = s.ess_bulk,
          .ess_tail = s.ess_tail,
          .r_hat = s.r_hat};
}

io::SummaryRow table_row(const SummaryRow& s) {
  return {.name = s.name,
          .mean = s.mean,
          .sd = s.sd,
          .mcse_mean = s.mcse_mean,
          .q5 = s.q5,
          .q50 = s.median,
          .q95 = s.q95,
          .ess_bulk = s.ess_bulk,
          .ess_tail = s.ess_tail,
          .r_hat = s.r_hat,
          .mcse_sd = s.mcse_sd,
          .mcse_q5 = s.mcse_q5,
          .mcse_q50 = s.mcse_median,
          .mcse_q95 = s.mcse_q95};
}
}  // namespace

const Model& Fit::model() const { return impl_->model; }

std::vector<std::string> Fit::variables() const {
  std::vector<std::string> names;
  for (const runs::FitVariable& variable : store_of(*impl_).variables())
    names.push_back(variable.name);
  return names;
}

std::vector<std::string> Fit::names() const { return store_of(*impl_).outputs(); }

std::vector<std::string> Fit::statistics() const {
  std::vector<std::string> names;
  for (const runs::StatColumn& column : store_of(*impl_).columns()) names.push_back(column.name);
  return names;
}

Index Fit::num_draws() const { return store_of(*impl_).num_draws(false); }
Index Fit::num_chains() const { return store_of(*impl_).num_chains(); }

Draws Fit::draws(std::string_view name, bool warmup) const {
  const runs::RunStore& store = store_of(*impl_);
  const Place place = place_of(store, name);
  const Index count =
      std::accumulate(place.dims.begin(), place.dims.end(), Index{1}, std::multiplies<>());
  const density::Draws read = store.quantities(warmup, place.first, count);
  std::vector<double> values;
  for (Index k = 0; k < count; ++k) {
    const std::span<const double> element = read.quantity(k);
    values.insert(values.end(), element.begin(), element.end());
  }
  return Draws(place.dims, read.num_draws(), read.num_chains(), std::move(values));
}

std::vector<SummaryRow> Fit::summary() const {
  const runs::RunStore& store = store_of(*impl_);
  std::vector<SummaryRow> rows;
  const Index first = runs::first_output(store);
  for (Index k = 0; k < ssize(store.outputs()); ++k)
    rows.push_back(row_of(store.outputs()[static_cast<std::size_t>(k)],
                          store.quantities(false, first + k, 1).quantity(0), store));
  return rows;
}

SummaryRow Fit::summary(std::string_view name) const {
  const Draws all = draws(name);
  if (all.size() != 1)
    throw Error(ErrorCode::usage, fmt::format("{} has {} elements", name, all.size()), {},
                "name one of them, as theta[1]");
  return row_of(std::string(name), all.element(0), store_of(*impl_));
}

std::string Fit::summary_text() const {
  std::vector<io::SummaryRow> rows{table_row(
      row_of("lp__", store_of(*impl_).quantities(false, 0, 1).quantity(0), store_of(*impl_)))};
  for (const SummaryRow& row : summary()) rows.push_back(table_row(row));
  return io::summary_table(rows);
}

Verdict Fit::verdict() const {
  const Model::Impl& model = impl_->model.impl();
  const bool is_interrupted = store_of(*impl_).result().interrupted;
  const runs::FitVerdict judged = runs::judge_fit(
      store_of(*impl_), model.is_whole && !is_interrupted ? model.program.get() : nullptr);
  Verdict verdict{.word = std::string(verdict::to_string(judged.verdict.word)),
                  .sentence = judged.verdict.sentence,
                  .findings = {},
                  .text = verdict::report_text(judged.verdict, judged.program.get())};
  for (const verdict::Finding& finding : judged.verdict.findings)
    verdict.findings.push_back({.id = finding.id,
                                .level = std::string(verdict::to_string(finding.level)),
                                .text = finding.text,
                                .remedy = finding.remedy,
                                .parameters = finding.parameters});
  return verdict;
}

Index Fit::num_divergent() const {
  Index count = 0;
  for (const infer::ChainResult& chain : store_of(*impl_).result().chains)
    count += chain.num_divergent;
  return count;
}

std::vector<std::string> Fit::refusals() const {
  std::vector<std::string> all;
  for (const infer::Refusal& refusal : store_of(*impl_).result().refusals)
    all.push_back(fmt::format("{} x {}", refusal.count, refusal.reason));
  return all;
}

std::vector<std::string> Fit::warnings() const {
  std::vector<std::string> all = store_of(*impl_).result().warnings;
  for (const runs::FitNote& note : store_of(*impl_).notes())
    all.push_back(
        fmt::format("{} draws have missing generated quantities: {}", note.count, note.text));
  return all;
}

bool Fit::interrupted() const { return store_of(*impl_).result().interrupted; }
double Fit::seconds() const { return store_of(*impl_).result().seconds; }

void Fit::save(const std::string& path) const {
  runs::write_fit(*impl_->store, {.path = path, .netcdf = path.ends_with(".nc")});
}

}  // namespace credo
