#include "results/files/fit_arrays.hpp"

#include "base/error.hpp"
#include "io/data/data_files.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/adaptation_groups.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/modes.hpp"
#include "results/files/result_file.hpp"
#include "results/files/table_groups.hpp"

namespace credo::results {
namespace {
using infer::ChainResult;

// ---- what stands beside the draws

void add_origin(const Fit& fit, ArrayList& list) {
  const FitOrigin& origin = fit.origin();
  for (const OriginText& one : kOriginTexts)
    if (const std::string& text = origin.*one.member; !text.empty() && &text != &origin.spec)
      list.set(one.attribute, one.member == &FitOrigin::seed ? setting_value(text) : text);
  list.set("walkers_per_chain", fit.num_walkers());
  for (const auto& [name, value] : origin.settings)
    if (list.text(name).empty()) list.set(name, setting_value(value));
}

void add_metric(const infer::RunResult& result, ArrayList& list) {
  if (result.chains.empty()) return;
  const auto metric = static_cast<std::size_t>(result.chains[0].metric);
  list.set("metric", std::string(infer::kMetricNames[metric]));
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

// ---- draws

constexpr Index kChunkValues = (Index{1} << 20) / 8;
constexpr Index kReadTogether = (Index{32} << 20) / 8;  // values that are read at once

Index size_of(std::span<const Index> dims) {
  Index size = 1;
  for (const Index dim : dims) size *= dim;
  return size;
}

// Gives draws of elements that follow each other in the layout as boxes of a field: a chain, all draws, and elements of one row
// of the first index.
class DrawParts {
 public:
  DrawParts(std::span<const Index> dims, const ArrayResult::TakePart& take)
      : dims_(dims), take_(take) {}
  Index width() const { return dims_.empty() ? 1 : dims_[0]; }

  void give(Index first, const density::Draws& draws) {
    for (Index k = 0; k < draws.num_quantities();) {
      const Index run = std::min(draws.num_quantities() - k, width() - (first + k) % width());
      for (Index c = 0; c < draws.num_chains(); ++c) {
        take_rows(draws, c, k, run);
        take_(box_of(first + k, run, c, draws.num_draws()), values_);
      }
      k += run;
    }
  }

 private:
  // Draws of a chain row by row, in values_: some rows of all quantities at a time, which stay in the cache.
  void take_rows(const density::Draws& draws, Index chain, Index first, Index count) {
    constexpr Index kTogether = 8;
    const Index num_draws = draws.num_draws();
    values_.resize(static_cast<std::size_t>(num_draws * count));
    for (Index begin = 0; begin < num_draws; begin += kTogether) {
      const Index end = std::min(begin + kTogether, num_draws);
      for (Index r = 0; r < count; ++r) {
        const double* from = draws.chain(chain, first + r).data();
        double* to = values_.data() + r;
        for (Index s = begin; s < end; ++s) to[s * count] = from[s];
      }
    }
  }

  ArrayResult::Box box_of(Index element, Index run, Index chain, Index num_draws) const {
    ArrayResult::Box box{.start = {chain, 0}, .count = {1, num_draws}};
    for (const Index dim : dims_) {
      box.start.push_back(element % dim);
      box.count.push_back(box.count.size() == 2 ? run : 1);
      element /= dim;
    }
    return box;
  }

  std::span<const Index> dims_;
  const ArrayResult::TakePart& take_;
  std::vector<double> values_;
};

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

FitArrays::FitArrays(std::unique_ptr<Fit> fit) : fit_(std::move(fit)) { describe(nullptr); }

FitArrays::FitArrays(const Fit& fit, const FitOutput& output)
    : fit_(std::shared_ptr<const Fit>(), &fit), is_file_(true) {
  describe(&output);
}

void FitArrays::describe(const FitOutput* output) {
  add_draws(false);
  if (fit_->num_draws(true) > 0) add_draws(true);
  if (output != nullptr)
    describe_file(output->with_data);
  else
    describe_reports();
  groups_.insert(groups_.end(), others_.groups().begin(), others_.groups().end());
}

void FitArrays::describe_reports() {
  add_origin(*fit_, others_);
  add_adaptation(*fit_, others_);
  add_metric(fit_->result(), others_);
  add_evidence(fit_->result(), others_);
  add_divergences(*fit_, others_);
  add_remarks(*fit_, others_);
  add_tables(*fit_, others_);
}

// Metric, evidence and remarks are attributes and fields of the adaptation.
void FitArrays::describe_file(bool with_data) {
  const auto contents = std::make_shared<io::InputFiles::Contents>(fit_->files());
  if (!with_data)
    for (const std::string& path : io::data_files(fit_->origin().data_path)) contents->erase(path);
  add_file_attributes(*fit_, *contents, others_);
  add_data(fit_->origin(), *contents, others_);
  add_adaptation(*fit_, others_);
  add_divergences(*fit_, others_);
  add_tables(*fit_, others_);
  if (const std::string names = table_names(*fit_, others_); !names.empty())
    others_.set(kTables, names);
  add_inputs(contents, others_);
}

void FitArrays::add_draws(bool warmup) {
  const std::string prefix = warmup ? "warmup_" : "";
  const density::Layout& layout = fit_->layout();
  const auto outputs =
      begin_draws(prefix + (holds_modes(*fit_) ? kOptimumGroup : fit_->origin().group), warmup);
  std::optional<Index> likelihood;
  const auto add = [&](std::size_t group, Index v, Texts attributes) {
    const density::Variable& variable = layout.variables()[static_cast<std::size_t>(v)];
    if (variable.block != density::Block::unknown)
      attributes.emplace_back("block", name_of(variable.block));
    add_variable(group, variable,
                 {.warmup = warmup, .first = first_output(*fit_) + layout.first(v)},
                 std::move(attributes));
  };
  for (Index v = 0; v < ssize(layout.variables()); ++v)
    if (layout.variables()[static_cast<std::size_t>(v)].name == kLogLikelihood)
      likelihood = v;
    else
      add(outputs, v, {});
  const auto statistics = begin_draws(prefix + "sample_stats", warmup);
  Index place = 0;
  for (const StatColumn& column : fit_->columns()) {
    Texts names{{"own_name", column.name}};
    if (!column.stan_name.empty()) names.emplace_back("stan_name", column.stan_name);
    add_variable(statistics, {.name = arviz_word(column), .kind = column.kind},
                 {.warmup = warmup, .first = place++}, std::move(names));
  }
  if (!likelihood) return;
  // Place among the outputs, for readers that need the program's order.
  add(begin_draws(prefix + "log_likelihood", warmup), *likelihood,
      {{"place", std::to_string(layout.first(*likelihood))}});
}

std::size_t FitArrays::begin_draws(const std::string& name, bool warmup) {
  groups_.push_back({.name = name, .keeps_empty = true});
  places_.emplace_back();
  add_coordinate(groups_.size() - 1, "chain", fit_->num_chains());
  add_coordinate(groups_.size() - 1, "draw", fit_->num_draws(warmup));
  return groups_.size() - 1;
}

void FitArrays::add_coordinate(std::size_t group, const std::string& name, Index size) {
  groups_[group].dims.push_back({name, size});
  groups_[group].fields.push_back({.name = name,
                                   .dims = {name},
                                   .kind = density::Kind::whole,
                                   .file = {.has_check_sums = false}});  // 0, 1, ...: not needed
  places_[group].emplace_back();
}

// Elements whose draws are read at once.
Index FitArrays::elements_at_once(bool warmup) const {
  return std::max<Index>(
      1, kReadTogether / std::max<Index>(1, fit_->num_draws(warmup) * fit_->num_chains()));
}

// Draws of a chain of some elements of the first index lie together in a chunk, so that a reader of one parameter reads
// little else; at most as many as are read at once.
void FitArrays::add_variable(std::size_t group, const density::Variable& variable,
                             const Place& place, Texts attributes) {
  if (variable.size() == 0) return;
  Field field{.name = variable.name, .dims = {"chain", "draw"}, .kind = variable.kind};
  for (std::size_t d = 0; d < variable.dims.size(); ++d) {
    field.dims.push_back(variable.name + "_dim_" + std::to_string(d));
    add_coordinate(group, field.dims.back(), variable.dims[d]);
  }
  if (const Index num_draws = fit_->num_draws(place.warmup); num_draws > 0) {
    field.file.chunks.assign(field.dims.size(), 1);
    field.file.chunks[1] = num_draws;
    if (!variable.dims.empty())
      field.file.chunks[2] =
          std::clamp(std::min(kChunkValues / num_draws, elements_at_once(place.warmup)), Index{1},
                     variable.dims[0]);
  }
  field.file.attributes = std::move(attributes);
  Place own = place;
  own.dims = variable.dims;
  if (is_file_ && place.first >= first_output(*fit_)) set_width(own, field);
  groups_[group].fields.push_back(std::move(field));
  places_[group].push_back(std::move(own));
}

// How the draws of whole numbers are stored: in 32 bits, which programs' integers have, in 64 bits if these are too few, as
// real numbers if some are missing. A draw whose generated quantities were rejected has none: NaN.
void FitArrays::set_width(const Place& place, Field& field) const {
  if (field.kind == density::Kind::real) return;
  bool all_there = true, are_short = true;
  const auto take = [&](std::span<const double> values) {
    for (const double x : values) {
      all_there &= std::isfinite(x);
      are_short &= std::fabs(x) < 2147483648.0;
    }
  };
  const DrawSlab all{.warmup = place.warmup, .first = place.first, .count = size_of(place.dims)};
  for_each_batch(*fit_, all, [&](Index, const density::Draws& draws) {
    for (Index k = 0; k < draws.num_quantities(); ++k) take(draws.quantity(k));
  });
  field.kind = all_there ? density::Kind::whole : density::Kind::real;
  field.file.is_short = all_there && are_short;
}

// Either a field of `others_`, or a place among the draws.
struct FitArrays::Source {
  const Group* group = nullptr;
  const Field* field = nullptr;
  const Place* place = nullptr;
};

FitArrays::Source FitArrays::source_of(const Group& group, const Field& field) const {
  const auto g = static_cast<std::size_t>(&group - groups_.data());
  const auto f = static_cast<std::size_t>(&field - group.fields.data());
  if (g < places_.size()) return {.place = &places_[g][f]};
  const Group& own = others_.groups()[g - places_.size()];
  return {.group = &own, .field = &own.fields[f]};
}

std::vector<double> FitArrays::read(const Group& group, const Field& field, Index first,
                                    Index count) const {
  const Source source = source_of(group, field);
  if (source.place == nullptr) return others_.read(*source.group, *source.field, first, count);
  const Place& place = *source.place;
  if (count < 0) count = group.size_of(field.dims.front()) - first;
  if (place.first < 0) {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), static_cast<double>(first));
    return numbers;
  }
  const Index size = size_of(place.dims);
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

// A batch that is read ends with a chunk, so that each chunk is given once.
void FitArrays::for_each_part(const Group& group, const Field& field, const TakePart& take) const {
  const Source source = source_of(group, field);
  if (source.place == nullptr) return others_.for_each_part(*source.group, *source.field, take);
  const Place& place = *source.place;
  if (place.first < 0) return ArrayResult::for_each_part(group, field, take);
  if (fit_->num_draws(place.warmup) == 0) return;
  DrawParts parts(place.dims, take);
  const Index size = size_of(place.dims), width = parts.width();
  const Index together = place.dims.empty() ? 1 : field.file.chunks[2];
  for (Index first = 0, end = 0; first < size; first = end) {
    end = std::min(first + elements_at_once(place.warmup), size);
    const Index rest = end % width % together;
    if (end < size && end - rest > first) end -= rest;
    parts.give(
        first,
        fit_->read({.warmup = place.warmup, .first = place.first + first, .count = end - first}));
  }
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
