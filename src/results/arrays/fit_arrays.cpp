#include "results/arrays/fit_arrays.hpp"

#include "base/error.hpp"
#include "io/number_text.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/modes.hpp"
#include "results/files/result_file.hpp"

namespace credo::results {
namespace {
using infer::ChainResult;

// ---- what stands beside the draws

Attribute as_attribute(const std::string& text) {
  const auto number = io::parse_number(text);
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  if (number && is_whole && std::fabs(*number) < 0x1p53) return static_cast<Index>(*number);
  return number && !is_whole ? Attribute(*number) : Attribute(text);
}

void add_origin(const Fit& fit, ArrayList& list) {
  const FitOrigin& origin = fit.origin();
  for (const OriginText& one : kOriginTexts)
    if (const std::string& text = origin.*one.member; !text.empty() && &text != &origin.spec)
      list.set(one.attribute, one.member == &FitOrigin::seed ? as_attribute(text) : text);
  list.set("walkers_per_chain", fit.num_walkers());
  for (const auto& [name, value] : origin.settings)
    if (list.text(name).empty()) list.set(name, as_attribute(value));
}

using ChainLists = std::vector<std::vector<double>>;

// Shorter lists end in NaN. The longest list gives the size of the dimension NAME_dim_0.
void add_lists(Group& group, std::vector<std::vector<double>>& all, const std::string& name,
               const ChainLists& lists) {
  std::size_t size = 0;
  for (const auto& list : lists) size = std::max(size, list.size());
  if (size == 0) return;
  std::vector<double> values;
  for (std::vector<double> list : lists) {
    list.resize(size, kNaN);
    values.insert(values.end(), list.begin(), list.end());
  }
  const std::string dim = name + "_dim_0";
  group.dims.push_back({dim, static_cast<Index>(size)});
  group.fields.push_back({.name = name, .dims = {"chain", dim}});
  all.push_back(std::move(values));
}

std::map<std::string, ChainLists> tuned_of(std::span<const ChainResult> chains) {
  std::map<std::string, ChainLists> tuned;
  for (std::size_t c = 0; c < chains.size(); ++c)
    for (const infer::TunedSetting& setting : chains[c].tuned) {
      ChainLists& lists = tuned["tuned_" + setting.name];
      lists.resize(chains.size());
      lists[c] = setting.values;
    }
  return tuned;
}

void add_adaptation(const infer::RunResult& result, ArrayList& list) {
  const std::vector<ChainResult>& chains = result.chains;
  if (chains.empty()) return;
  list.set("metric", std::string(infer::kMetricNames[static_cast<std::size_t>(chains[0].metric)]));
  Group group;
  ChainLists values, metrics, starts;
  for (const ChainResult& chain : chains) {
    metrics.push_back(chain.inv_metric);
    starts.push_back(chain.initial_point);
  }
  add_lists(group, values, "inv_metric", metrics);
  add_lists(group, values, "initial_point", starts);
  for (const auto& [name, lists] : tuned_of(chains)) add_lists(group, values, name, lists);
  group.dims.insert(group.dims.begin(), {"chain", ssize(chains)});
  auto adaptation = list.add_group("adaptation", group.dims);
  const auto add = [&](const char* name, auto member) {
    adaptation.add_column({.name = name}, chains, member);
  };
  add("step_size", &ChainResult::step_size);
  add("num_init_tries", &ChainResult::num_init_tries);
  add("num_kept", &ChainResult::num_kept);
  add("num_divergent", &ChainResult::num_divergent);
  add("num_max_depth", &ChainResult::num_max_depth);
  add("num_evaluations", &ChainResult::num_evaluations);
  add("num_warmup_evaluations", &ChainResult::num_warmup_evaluations);
  for (std::size_t k = 0; k < values.size(); ++k)
    adaptation.add(std::move(group.fields[k]), std::move(values[k]));
}

void add_evidence(const infer::RunResult& result, ArrayList& list) {
  const std::optional<infer::LogEvidence> all = infer::log_evidence(result);
  if (!all) return;
  list.set("log_evidence", all->value);
  list.set("log_evidence_error", all->error);
  std::vector<infer::LogEvidence> chains;
  for (const ChainResult& chain : result.chains)
    chains.push_back(infer::log_evidence(chain).value_or(infer::LogEvidence{kNaN, kNaN}));
  list.add_group("evidence", {{"chain", ssize(chains)}})
      .add_column({.name = "log_evidence"}, chains, &infer::LogEvidence::value)
      .add_column({.name = "error"}, chains, &infer::LogEvidence::error);
}

void add_divergences(const infer::RunResult& result, ArrayList& list) {
  using infer::Divergence;
  const std::vector<Divergence>& all = result.divergences;
  if (all.empty()) return;
  auto group =
      list.add_group("divergences", {{"divergence", ssize(all)}, {"free", ssize(all[0].start)}});
  group.add_column({.name = "chain"}, all, &Divergence::chain)
      .add_column({.name = "iteration"}, all, &Divergence::iteration)
      .add_column({.name = "warmup"}, all, &Divergence::warmup)
      .add_column({.name = "energy_error"}, all, &Divergence::energy_error);
  for (const auto& [name, member] :
       {std::pair("start", &Divergence::start), std::pair("end", &Divergence::end)}) {
    std::vector<double> values;
    for (const Divergence& one : all)
      values.insert(values.end(), (one.*member).begin(), (one.*member).end());
    group.add({.name = name, .dims = {"divergence", "free"}}, std::move(values));
  }
}

void add_remarks(const Fit& fit, ArrayList& list) {
  const infer::RunResult& result = fit.result();
  if (!result.refusals.empty())
    list.add_rows("refusals", result.refusals)
        .add_column({.name = "reason"}, result.refusals, &infer::Refusal::reason)
        .add_column({.name = "count"}, result.refusals, &infer::Refusal::count)
        .add_column({.name = "kind"}, result.refusals, &infer::Refusal::kind);
  if (const std::vector<FitNote> notes = fit.notes(); !notes.empty())
    list.add_rows("notes", notes)
        .add_column({.name = "text"}, notes, &FitNote::text)
        .add_column({.name = "count"}, notes, &FitNote::count);
  if (!result.warnings.empty())
    list.add_rows("warnings", result.warnings)
        .add_column({.name = "text"}, result.warnings, std::identity());
}

void add_table(const Fit& fit, Index number, ArrayList& list) {
  const RowTable& table = fit.tables()[static_cast<std::size_t>(number)];
  const std::size_t width = table.columns.size();
  std::vector<double> chains, rows;
  for (Index c = 0; c < fit.num_chains() / fit.num_walkers(); ++c) {
    const std::vector<double> own = fit.table_rows(number, c);
    chains.resize(chains.size() + own.size() / width, static_cast<double>(c));
    rows.insert(rows.end(), own.begin(), own.end());
  }
  if (chains.empty()) return;
  auto group = list.add_group(table.name, {{table.row, ssize(chains)}});
  std::vector<double> column(chains.size());
  group.add({.name = "chain", .dims = {table.row}, .kind = density::Kind::whole},
            std::move(chains));
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t r = 0; r < column.size(); ++r) column[r] = rows[r * width + k];
    group.add({.name = table.columns[k].name, .dims = {table.row}, .kind = table.columns[k].kind},
              column);
  }
}

// ---- draws

// Place in the layout, whose first index is fastest, of the element whose last index is fastest.
Index place_in_layout(Index element, std::span<const Index> dims) {
  Index place = 0, step = 1;
  for (const Index dim : dims) step *= dim;
  for (std::size_t d = dims.size(); d-- > 0;) {
    step /= dims[d];
    place += element % dims[d] * step;
    element /= dims[d];
  }
  return place;
}
}  // namespace

FitArrays::FitArrays(std::unique_ptr<Fit> fit) : fit_(std::move(fit)) {
  add_draws(false);
  if (fit_->num_draws(true) > 0) add_draws(true);
  add_origin(*fit_, others_);
  add_adaptation(fit_->result(), others_);
  add_evidence(fit_->result(), others_);
  add_divergences(fit_->result(), others_);
  add_remarks(*fit_, others_);
  for (Index t = 0; t < ssize(fit_->tables()); ++t) add_table(*fit_, t, others_);
  groups_.insert(groups_.end(), others_.groups().begin(), others_.groups().end());
}

void FitArrays::add_draws(bool warmup) {
  const std::string prefix = warmup ? "warmup_" : "";
  const density::Layout& layout = fit_->layout();
  const auto outputs =
      begin_draws(prefix + (holds_modes(*fit_) ? kOptimumGroup : fit_->origin().group), warmup);
  std::optional<Index> likelihood;
  for (Index v = 0; v < ssize(layout.variables()); ++v) {
    const density::Variable& variable = layout.variables()[static_cast<std::size_t>(v)];
    if (variable.name == kLogLikelihood)
      likelihood = v;
    else
      add_variable(outputs, variable, first_output(*fit_) + layout.first(v), warmup);
  }
  const auto statistics = begin_draws(prefix + "sample_stats", warmup);
  Index place = 0;
  for (const StatColumn& column : fit_->columns())
    add_variable(statistics, {.name = arviz_word(column), .kind = column.kind}, place++, warmup);
  if (!likelihood) return;
  add_variable(begin_draws(prefix + "log_likelihood", warmup),
               layout.variables()[static_cast<std::size_t>(*likelihood)],
               first_output(*fit_) + layout.first(*likelihood), warmup);
}

std::size_t FitArrays::begin_draws(const std::string& name, bool warmup) {
  groups_.push_back({.name = name});
  places_.emplace_back();
  add_coordinate(groups_.size() - 1, "chain", fit_->num_chains());
  add_coordinate(groups_.size() - 1, "draw", fit_->num_draws(warmup));
  return groups_.size() - 1;
}

void FitArrays::add_coordinate(std::size_t group, const std::string& name, Index size) {
  groups_[group].dims.push_back({name, size});
  groups_[group].fields.push_back({.name = name, .dims = {name}, .kind = density::Kind::whole});
  places_[group].emplace_back();
}

void FitArrays::add_variable(std::size_t group, const density::Variable& variable, Index first,
                             bool warmup) {
  if (variable.size() == 0) return;
  Field field{.name = variable.name, .dims = {"chain", "draw"}, .kind = variable.kind};
  for (std::size_t d = 0; d < variable.dims.size(); ++d) {
    field.dims.push_back(variable.name + "_dim_" + std::to_string(d));
    add_coordinate(group, field.dims.back(), variable.dims[d]);
  }
  groups_[group].fields.push_back(std::move(field));
  places_[group].push_back({.warmup = warmup, .first = first, .dims = variable.dims});
}

std::vector<double> FitArrays::read(const Group& group, const Field& field, Index first,
                                    Index count) const {
  const auto g = static_cast<std::size_t>(&group - groups_.data());
  const auto f = static_cast<std::size_t>(&field - group.fields.data());
  if (g >= places_.size()) {
    const Group& own = others_.groups()[g - places_.size()];
    return others_.read(own, own.fields[f], first, count);
  }
  const Place& place = places_[g][f];
  if (count < 0) count = group.size_of(field.dims.front()) - first;
  if (place.first < 0) {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), static_cast<double>(first));
    return numbers;
  }
  Index size = 1;
  for (const Index dim : place.dims) size *= dim;
  const density::Draws draws = fit_->read({.warmup = place.warmup,
                                           .first = place.first,
                                           .count = size,
                                           .first_chain = first,
                                           .num_chains = count});
  std::vector<Index> elements(static_cast<std::size_t>(size));
  for (Index e = 0; e < size; ++e)
    elements[static_cast<std::size_t>(e)] = place_in_layout(e, place.dims);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count * draws.num_draws() * size));
  for (Index c = 0; c < count; ++c)
    for (Index s = 0; s < draws.num_draws(); ++s)
      for (const Index e : elements) values.push_back(draws(s, c, e));
  return values;
}

std::unique_ptr<ArrayResult> open_answer(const std::string& path) {
  try {
    if (!is_netcdf_file(path)) return nullptr;
    auto answer = read_arrays(path);
    return answer->text("question").empty() ? nullptr : std::move(answer);
  } catch (const Error&) {
    return nullptr;  // open_fit reports the error
  }
}

std::unique_ptr<ArrayResult> open_arrays(std::span<const std::string> paths) {
  auto answer = paths.size() == 1 ? open_answer(paths.front()) : nullptr;
  if (answer != nullptr) return answer;
  return std::make_unique<FitArrays>(open_fit(paths));
}

}  // namespace credo::results
