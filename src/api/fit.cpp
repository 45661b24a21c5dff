#include "api/fit.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "model/remake.hpp"
#include "results/draws/judge.hpp"
#include "results/draws/summary.hpp"
#include "results/files/write_fit.hpp"
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
const results::RunStore& store_of(const Fit::Impl& impl) { return *impl.store; }

struct Place {
  Index first = 0;
  std::vector<Index> dims = {};
  Index size() const {
    return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
  }
};

Place place_of(const results::RunStore& store, std::string_view name) {
  const density::Layout& layout = store.layout();
  if (const auto variable = layout.find_variable(name))
    return {results::first_output(store) + layout.first(*variable),
            layout.variables()[static_cast<std::size_t>(*variable)].dims};
  if (const auto quantity = results::find_quantity(store, name)) return {*quantity};
  std::vector<std::string> names;
  for (const density::Variable& variable : layout.variables()) names.push_back(variable.name);
  for (const results::StatColumn& column : store.columns()) names.push_back(column.name);
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorCode::usage, fmt::format("there is no variable or statistic '{}'", name), {},
              near.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : near);
}

SummaryRow public_row(const io::SummaryRow& row) {
  return {.name = row.name,
          .mean = row.mean,
          .sd = row.sd,
          .q5 = row.q5,
          .median = row.q50,
          .q95 = row.q95,
          .mcse_mean = row.mcse_mean,
          .mcse_sd = row.mcse_sd,
          .mcse_q5 = row.mcse_q5,
          .mcse_median = row.mcse_q50,
          .mcse_q95 = row.mcse_q95,
          .ess_bulk = row.ess_bulk,
          .ess_tail = row.ess_tail,
          .r_hat = row.r_hat};
}
}  // namespace

namespace {
// After an interrupt the model isn't evaluated, so that the user needn't wait; nor is a density without a gradient.
results::JudgedModel judged_model(const Model::Impl& model, bool is_interrupted) {
  results::JudgedModel judged{.program = model.model->program_facts()};
  if (is_interrupted || !model.model->has_gradient()) return judged;
  judged.model = model.model.get();
  if (model.program == nullptr) return judged;
  return {.model = model.model.get(),
          .program = judged.program,
          .remake = [&model](const std::string& text) {
            return model::remake(*model.program, text, {model.files.data, model.files.files});
          }};
}
}  // namespace

const Model& Fit::model() const { return impl_->model; }

std::vector<std::string> Fit::variables() const {
  std::vector<std::string> names;
  for (const density::Variable& variable : store_of(*impl_).layout().variables())
    names.push_back(variable.name);
  return names;
}

std::vector<std::string> Fit::names() const { return store_of(*impl_).layout().element_names(); }

std::vector<std::string> Fit::statistics() const {
  std::vector<std::string> names;
  for (const results::StatColumn& column : store_of(*impl_).columns()) names.push_back(column.name);
  return names;
}

Index Fit::num_draws() const { return store_of(*impl_).num_draws(false); }
Index Fit::num_chains() const { return store_of(*impl_).num_chains(); }

Draws Fit::draws(std::string_view name, bool warmup) const {
  const results::RunStore& store = store_of(*impl_);
  const Place place = place_of(store, name);
  const Index count = place.size();
  const density::Draws read = store.quantities(warmup, place.first, count);
  std::vector<double> values;
  for (Index k = 0; k < count; ++k) {
    const std::span<const double> element = read.quantity(k);
    values.insert(values.end(), element.begin(), element.end());
  }
  return Draws(place.dims, read.num_draws(), read.num_chains(), std::move(values));
}

std::vector<SummaryRow> Fit::summary() const {
  std::vector<SummaryRow> rows;
  for (const io::SummaryRow& row : results::summarise_outputs(store_of(*impl_)))
    rows.push_back(public_row(row));
  return rows;
}

SummaryRow Fit::summary(std::string_view name) const {
  const results::RunStore& store = store_of(*impl_);
  const Place place = place_of(store, name);
  if (place.size() != 1)
    throw Error(ErrorCode::usage, fmt::format("{} has {} elements", name, place.size()), {},
                "name one of them, as theta[1]");
  SummaryRow row = public_row(results::summarise(store, std::span(&place.first, 1)).front());
  row.name = name;
  return row;
}

std::string Fit::summary_text() const {
  return io::summary_table(results::summarise(store_of(*impl_)));
}

Verdict Fit::verdict() const {
  const Model::Impl& model = impl_->model.impl();
  const verdict::Verdict judged = results::judge_fit(
      store_of(*impl_), judged_model(model, store_of(*impl_).result().interrupted));
  Verdict verdict{.word = std::string(verdict::to_string(judged.word)),
                  .sentence = judged.sentence,
                  .findings = {},
                  .text = verdict::report_text(judged)};
  for (const verdict::Finding& finding : judged.findings)
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
  for (const results::FitNote& note : store_of(*impl_).notes())
    all.push_back(
        fmt::format("{} draws have missing generated quantities: {}", note.count, note.text));
  return all;
}

bool Fit::interrupted() const { return store_of(*impl_).result().interrupted; }
double Fit::seconds() const { return store_of(*impl_).result().seconds; }

void Fit::save(const std::string& path) const {
  results::write_fit(
      *impl_->store,
      {.path = path, .netcdf = path.ends_with(".nc"), .readers = impl_->model.impl().readers});
}

}  // namespace credo
