#include "results/draws/outcome_rows.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "diagnose/psis.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "results/draws/fit_points.hpp"
#include "results/draws/row_likelihoods.hpp"
#include "results/draws/share_out.hpp"

namespace credo::results {
namespace {
constexpr Index kRowsTogether = 32;  // draws
constexpr std::array<std::string_view, 6> kClassDensities{"bernoulli_l",      "bernoulli_logit",
                                                          "categorical_l",    "categorical_logit",
                                                          "ordered_logistic", "ordered_probit"};

void write_value(io::JsonWriter& json, const io::JsonValue& value) {
  switch (value.kind) {
    case io::JsonValue::Kind::null:
      json.null();
      return;
    case io::JsonValue::Kind::boolean:
      json.boolean(value.truth);
      return;
    case io::JsonValue::Kind::string:
      json.string(value.text);
      return;
    case io::JsonValue::Kind::number:
      // A whole number is written as one, so that it stays an int.
      if (value.number == std::trunc(value.number) && std::abs(value.number) < 1e15)
        json.integer(static_cast<std::int64_t>(value.number));
      else
        json.number(value.number);
      return;
    case io::JsonValue::Kind::array:
      json.begin_array();
      for (const io::JsonValue& item : value.items) write_value(json, item);
      json.end_array();
      return;
    case io::JsonValue::Kind::object:
      json.begin_object();
      for (const auto& [name, member] : value.members) write_value(json.key(name), member);
      json.end_object();
      return;
  }
}

bool is_class_density(std::string_view function) {
  return std::any_of(kClassDensities.begin(), kClassDensities.end(),
                     [&](std::string_view name) { return function.starts_with(name); });
}

Error not_evaluated(const density::LogDensity& density, const density::Status& status) {
  return Error(ErrorCode::evaluation,
               "the log likelihood of an outcome isn't known: " + density.describe(status), "score",
               "is it data of the fit's program?");
}
}  // namespace

OutcomeRows::OutcomeRows(const Fit& fit, const density::Model& model, DataText data,
                         OutcomeOptions options)
    : fit_(fit), model_(model), data_(std::move(data)), options_(std::move(options)) {
  find_outcome();
  const ChosenDraws chosen(fit, options_.num_draws);
  const FitPoints points(fit, model);
  for (Index c = 0; c < fit.num_chains(); ++c)
    for (Index k = 0; k < chosen.count(); ++k)
      positions_.push_back(points.read(c, chosen.draw(c, k), 1).front());
  require_own_rows();
}

void OutcomeRows::find_outcome() {
  const std::vector<density::ObservedVariable> all = observed_data(model_);
  std::string names;
  const density::ObservedVariable* found = nullptr;
  for (const density::ObservedVariable& one : all) {
    names += (names.empty() ? "" : ", ") + one.variable.name;
    if (options_.outcome.empty() ? all.size() == 1 : one.variable.name == options_.outcome)
      found = &one;
  }
  if (found == nullptr && all.empty())
    throw Error(ErrorCode::usage, "no density of the program is of data", model_.name(),
                "say which output predicts which data: --pair y=y_rep");
  if (found == nullptr)
    throw Error(ErrorCode::usage, "densities of the program are of several data: " + names,
                model_.name(), "say which is the outcome: --outcome NAME");
  if (found->variable.dims.size() > 1)
    throw Error(ErrorCode::usage, fmt::format("{} is no vector", found->variable.name),
                model_.name(), "outcomes of one dimension are scored, an element a row");
  name_ = found->variable.name, observed_ = found->values;
  is_whole_ = found->variable.kind == density::Kind::whole;
  const auto facts = model_.program_facts();
  if (facts == nullptr) return;
  for (const density::StatedDensity& density : facts->densities) {
    const Index variable = density.arguments[0].variable;
    if (variable >= 0 && facts->variables[static_cast<std::size_t>(variable)].name == name_)
      is_of_classes_ = is_class_density(density.function);
  }
}

// Another outcome of the first row, or of the last one, changes that row and no other.
void OutcomeRows::require_own_rows() const {
  const auto refuse = [&](const std::string& what) {
    throw Error(
        ErrorCode::program, what, model_.name(),
        "predictions are judged where each outcome has a density statement of its own, such as "
        "y ~ normal(mu, sigma)");
  };
  if (model_.num_rows() != size())
    refuse(fmt::format("the likelihood has {} rows, and {} has {} elements", model_.num_rows(),
                       name_, size()));
  OutcomeRows one_draw = *this;
  one_draw.positions_.resize(1);
  const score::Rows before = one_draw.log_likelihoods();
  for (const Index at : {Index{0}, size() - 1}) {
    std::vector<double> others = observed_;
    double& own = others[static_cast<std::size_t>(at)];
    const auto other =
        std::find_if(observed_.begin(), observed_.end(), [&](double y) { return y != own; });
    if (other == observed_.end()) return;  // all are the same: dependence wouldn't show
    own = *other;
    const score::Rows after = one_draw.log_likelihoods(others);
    for (Index i = 0; i < size(); ++i)
      if (i != at && after[i][0] != before[i][0])
        refuse(fmt::format("row {} of the likelihood depends on element {} of {}", i + 1, at + 1,
                           name_));
  }
}

std::string OutcomeRows::text_with(std::span<const double> outcomes) const {
  io::JsonValue data = io::parse_json_value(data_.text, data_.path);
  for (auto& [name, value] : data.members) {
    if (name != name_) continue;
    std::size_t at = 0;
    if (value.kind == io::JsonValue::Kind::number) value.number = outcomes[at];
    for (io::JsonValue& item : value.items) item.number = outcomes[at++];
  }
  io::JsonWriter json;
  write_value(json, data);
  return json.text();
}

score::Rows OutcomeRows::log_likelihoods(std::span<const double> outcomes) const {
  const auto model = model_.other_data().require(model_.name()).with_data(text_with(outcomes));
  const auto evaluator = model->make_evaluator();
  const auto num_draws = positions_.size(), num_rows = outcomes.size();
  score::Rows rows{static_cast<Index>(num_draws), std::vector<double>(num_draws * num_rows)};
  std::vector<double> values(kRowsTogether * num_rows);
  for (std::size_t s = 0; s < num_draws; s += kRowsTogether) {
    stop_if_asked();
    const std::size_t count = std::min<std::size_t>(kRowsTogether, num_draws - s);
    std::vector<density::Request> requests(count);
    std::vector<density::Request*> batch;
    for (std::size_t k = 0; k < count; ++k) {
      requests[k].position = positions_[s + k];
      requests[k].pointwise = std::span(values).subspan(k * num_rows, num_rows);
      batch.push_back(&requests[k]);
    }
    evaluator->evaluate(density::Want::pointwise, batch);
    for (std::size_t k = 0; k < count; ++k) {
      if (!requests[k].status.ok()) throw not_evaluated(*model, requests[k].status);
      for (std::size_t i = 0; i < num_rows; ++i)
        rows.values[i * num_draws + s + k] = requests[k].pointwise[i];
    }
  }
  return rows;
}

score::Rows OutcomeRows::replicates() const {
  const density::GenerativeSide& side = model_.generative_side().require(model_.name());
  const auto model_replicates = side.make_replicates(positions_.front());
  const density::Layout& layout = model_replicates->layout();
  const auto variable = layout.find_variable(name_);
  if (!variable)
    throw Error(ErrorCode::program, fmt::format("{} isn't drawn by the likelihood", name_),
                model_.name());
  const auto first = static_cast<std::size_t>(layout.first(*variable));
  const auto num_draws = positions_.size();
  score::Rows rows{static_cast<Index>(num_draws),
                   std::vector<double>(num_draws * observed_.size())};
  share_out(counted_from(0, ssize(positions_)), 0, [&]() -> PieceWorker {
    std::shared_ptr<density::Replicates> own = side.make_replicates(positions_.front());
    return [&, own](Index draw) {
      const auto s = static_cast<std::size_t>(draw);
      const std::vector<double> drawn = drawn_outcomes(*own, s);
      for (std::size_t i = 0; i < observed_.size(); ++i)
        rows.values[i * num_draws + s] = drawn[first + i];
    };
  });
  return rows;
}

std::vector<double> OutcomeRows::drawn_outcomes(density::Replicates& replicates,
                                                std::size_t draw) const {
  stop_if_asked();
  Rng rng({.seed = options_.seed,
           .purpose = purpose::kReplicate,
           .chain = 4,
           .iteration = static_cast<std::uint32_t>(draw)});
  std::string note;
  std::vector<double> drawn = replicates.draw(positions_[draw], rng.bits(), &note);
  if (drawn.empty())
    throw Error(ErrorCode::evaluation, "no outcomes can be drawn: " + note, model_.name());
  return drawn;
}

namespace {
// Log weights of the draws for each row, that add up to 1: all the same, or those that leave the row out.
class DrawWeights {
 public:
  DrawWeights(const score::Rows& likelihoods, bool leave_out) : rows_(likelihoods) {
    const double same = -numerics::log(static_cast<double>(rows_.num_columns));
    if (!leave_out) {
      std::fill(rows_.values.begin(), rows_.values.end(), same);
      return;
    }
    for (double& x : rows_.values) x = -x;
    std::vector<char> is_reliable(static_cast<std::size_t>(rows_.size()));
    const double limit = diagnose::pareto_k_limit(rows_.num_columns);
    for_each_row([&](Index i) {
      const std::span<double> row = std::span(rows_.values)
                                        .subspan(static_cast<std::size_t>(i * rows_.num_columns),
                                                 static_cast<std::size_t>(rows_.num_columns));
      is_reliable[static_cast<std::size_t>(i)] = diagnose::smooth_weights(row) <= limit ? 1 : 0;
    });
    num_unreliable = std::count(is_reliable.begin(), is_reliable.end(), 0);
  }
  // Over threads.
  void for_each_row(const PieceWorker& work) const {
    share_out(counted_from(0, rows_.size()), 0, [&]() -> PieceWorker {
      return [&](Index i) {
        stop_if_asked();
        work(i);
      };
    });
  }
  double log_mean(Index row, std::span<const double> logs) const {
    std::vector<double> terms(logs.begin(), logs.end());
    for (std::size_t s = 0; s < terms.size(); ++s) terms[s] += rows_[row][s];
    return numerics::log_sum_exp(terms);
  }
  // The same number of draws, which count the same: systematic resampling.
  std::vector<double> resampled(Index row, std::span<const double> draws) const {
    std::vector<double> all, shares(rows_[row].begin(), rows_[row].end());
    numerics::function(numerics::Unary::exp).array(shares.data(), shares.data(), shares.size());
    double sum = 0.0;
    const auto count = static_cast<double>(draws.size());
    for (std::size_t s = 0; s < draws.size(); ++s) {
      sum += shares[s] * count;
      while (static_cast<double>(all.size()) + 0.5 < sum && all.size() < draws.size())
        all.push_back(draws[s]);
    }
    while (all.size() < draws.size()) all.push_back(draws.back());  // if rounding left one out
    return all;
  }

  Index num_unreliable = 0;

 private:
  score::Rows rows_;
};

std::pair<double, double> range_of(std::span<const double> a, std::span<const double> b) {
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  return {std::min(*a_low, *b_low), std::max(*a_high, *b_high)};
}

// Each class in turn as the outcome of all rows.
void add_classes(score::Predictions& all, const OutcomeRows& rows, const DrawWeights& weights) {
  const score::Rows drawn = rows.replicates();
  const auto [low, high] = range_of(drawn.values, rows.observed());
  const double first = low == 0.0 ? 0.0 : 1.0, last = std::max(high, first + 1.0);
  std::vector<score::Rows> of_class;
  for (double y = first; y <= last; y += 1.0) {
    all.classes.push_back(fmt::format("{:g}", y));
    of_class.push_back(rows.log_likelihoods(std::vector<double>(rows.observed().size(), y)));
  }
  for (Index i = 0; i < rows.size(); ++i) {
    std::vector<double> logs;
    for (const score::Rows& own : of_class) logs.push_back(weights.log_mean(i, own[i]));
    constexpr double kSumError = 1e-6;
    if (std::abs(numerics::log_sum_exp(logs)) > kSumError)
      throw Error(ErrorCode::program,
                  fmt::format("the likelihoods of {} to {} in row {} add up to {}, not to 1", first,
                              last, i + 1, std::exp(numerics::log_sum_exp(logs))),
                  rows.source(), "classes that no draw gives aren't known");
    score::add_distribution(all, score::distribution_of_logits(logs));
    all.outcomes.push_back(rows.observed()[static_cast<std::size_t>(i)] - first);
  }
}
}  // namespace

FitPredictions predictions_of(const OutcomeRows& rows, RowUse use) {
  FitPredictions found{.predictions = {.source = rows.source()}};
  score::Predictions& all = found.predictions;
  const score::Rows likelihoods = rows.log_likelihoods();
  if (use == RowUse::likelihoods) {
    all.form = score::Form::likelihood, all.values = likelihoods;
    all.outcomes.assign(rows.observed().begin(), rows.observed().end());
    return found;
  }
  const DrawWeights weights(likelihoods, use == RowUse::left_out);
  found.num_unreliable = weights.num_unreliable;
  if (rows.is_of_classes()) {
    add_classes(all, rows, weights);
    return found;
  }
  all.form = score::Form::draws;
  all.outcomes.assign(rows.observed().begin(), rows.observed().end());
  all.values = rows.replicates();
  all.log_density.resize(static_cast<std::size_t>(rows.size()));
  weights.for_each_row([&](Index i) {
    const std::vector<double> own = weights.resampled(i, all.values[i]);
    std::copy(own.begin(), own.end(),
              all.values.values.begin() + static_cast<std::ptrdiff_t>(i * all.values.num_columns));
    all.log_density[static_cast<std::size_t>(i)] = weights.log_mean(i, likelihoods[i]);
  });
  score::sort_draws(all);
  return found;
}

namespace {
std::vector<double> numbers_of(const DataText& data, const std::string& name) {
  const io::JsonValue all = io::parse_json_value(data.text, data.path);
  const io::JsonValue* value = all.find(name);
  if (value == nullptr)
    throw Error(ErrorCode::usage, fmt::format("the data have no variable called {}", name),
                data.path,
                "--pair y=y_rep: a variable of the data, and an output that predicts it");
  if (value->kind == io::JsonValue::Kind::number) return {value->number};
  return value->as_numbers(name);
}
}  // namespace

score::Predictions predictions_of_pair(const Fit& fit, const DataText& data,
                                       const std::string& pair, Index num_draws) {
  const std::size_t sign = std::min(pair.find('='), pair.size());
  const std::string name = pair.substr(0, sign),
                    twin = pair.substr(std::min(sign + 1, pair.size()));
  score::Predictions all{.form = score::Form::draws, .source = fit.origin().source};
  all.outcomes = numbers_of(data, name);
  const auto variable = fit.layout().find_variable(twin);
  if (!variable ||
      fit.layout().first(*variable + 1) - fit.layout().first(*variable) != ssize(all.outcomes))
    throw Error(ErrorCode::usage,
                fmt::format("{} has no output '{}' of {} elements", fit.origin().source, twin,
                            all.outcomes.size()),
                "--pair", "--pair y=y_rep: a variable of the data, and an output that predicts it");
  const ChosenDraws chosen(fit, num_draws);
  const Index first = first_output(fit) + fit.layout().first(*variable);
  all.values.num_columns = chosen.count() * fit.num_chains();
  for (Index i = 0; i < ssize(all.outcomes); ++i) {
    const density::Draws draws = fit.quantities(false, first + i, 1);
    for (Index c = 0; c < fit.num_chains(); ++c)
      for (Index k = 0; k < chosen.count(); ++k)
        all.values.values.push_back(draws(chosen.draw(c, k), c, 0));
  }
  score::sort_draws(all);
  return all;
}

namespace {
// The candidates of real outcomes, the same for all rows.
constexpr Index kGrid = 200;
constexpr int kBisections = 25;

class SetSearch {
 public:
  SetSearch(const OutcomeRows& rows, const KeepOutcome& keep, double low, double high)
      : rows_(rows),
        keep_(keep),
        low_(low),
        high_(high),
        sets_(static_cast<std::size_t>(rows.size())) {}

  std::vector<score::OutcomeSet> run() {
    step_ = rows_.is_whole() ? std::max(1.0, std::ceil((high_ - low_) / 2000.0))
                             : (high_ - low_) / static_cast<double>(kGrid);
    for (double y = low_; y <= high_ + 0.5 * step_; y += step_) {
      const double own = std::min(y, high_);
      const score::Rows likelihoods = rows_.log_likelihoods(std::vector<double>(sets_.size(), own));
      for (Index i = 0; i < rows_.size(); ++i)
        if (keep_(i, likelihoods[i])) {
          score::OutcomeSet& set = sets_[static_cast<std::size_t>(i)];
          set.lower = std::min(set.lower, own), set.upper = std::max(set.upper, own);
        }
    }
    if (!rows_.is_whole()) refine();
    for (score::OutcomeSet& set : sets_)  // candidates between those that were evaluated
      if (rows_.is_whole() && set.lower <= set.upper)
        set.lower -= step_ - 1.0, set.upper += step_ - 1.0;
    open_ends();
    return std::move(sets_);
  }

 private:
  void refine() {
    for (const bool is_lower : {true, false}) {
      std::vector<double> in(sets_.size()), out(sets_.size());
      for (std::size_t i = 0; i < sets_.size(); ++i) {
        const score::OutcomeSet& set = sets_[i];
        const bool is_empty = set.lower > set.upper;
        in[i] = is_empty ? low_ : is_lower ? set.lower : set.upper;
        out[i] = is_empty ? low_ : std::clamp(in[i] + (is_lower ? -step_ : step_), low_, high_);
      }
      for (int k = 0; k < kBisections; ++k) {
        std::vector<double> middle(sets_.size());
        for (std::size_t i = 0; i < middle.size(); ++i) middle[i] = 0.5 * (in[i] + out[i]);
        const score::Rows likelihoods = rows_.log_likelihoods(middle);
        for (Index i = 0; i < rows_.size(); ++i) {
          const auto at = static_cast<std::size_t>(i);
          (keep_(i, likelihoods[i]) ? in : out)[at] = middle[at];
        }
      }
      for (std::size_t i = 0; i < sets_.size(); ++i)
        if (sets_[i].lower <= sets_[i].upper) (is_lower ? sets_[i].lower : sets_[i].upper) = in[i];
    }
  }
  // Makes sets unbounded beyond the grid, where no outcome was evaluated.
  void open_ends() {
    for (score::OutcomeSet& set : sets_) {
      if (set.lower > set.upper) continue;
      if (set.lower <= low_) set.lower = -kInfinity;
      if (set.upper >= high_) set.upper = kInfinity;
    }
  }

  const OutcomeRows& rows_;
  const KeepOutcome& keep_;
  double low_, high_, step_ = 1.0;
  std::vector<score::OutcomeSet> sets_;
};

std::vector<score::OutcomeSet> class_sets(const OutcomeRows& rows,
                                          const score::Predictions& predictions,
                                          const KeepOutcome& keep) {
  std::vector<score::OutcomeSet> sets(static_cast<std::size_t>(rows.size()));
  const double first = predictions.classes[0] == "0" ? 0.0 : 1.0;
  for (Index k = 0; k < predictions.num_classes(); ++k) {
    const score::Rows likelihoods =
        rows.log_likelihoods(std::vector<double>(sets.size(), first + static_cast<double>(k)));
    for (Index i = 0; i < rows.size(); ++i)
      if (keep(i, likelihoods[i])) sets[static_cast<std::size_t>(i)].classes.push_back(k);
  }
  return sets;
}
}  // namespace

std::vector<score::OutcomeSet> outcome_sets(const OutcomeRows& rows,
                                            const score::Predictions& predictions,
                                            const KeepOutcome& keep) {
  if (predictions.form == score::Form::classes) return class_sets(rows, predictions, keep);
  const auto [low, high] = range_of(predictions.values.values, predictions.outcomes);
  return SetSearch(rows, keep, low, high).run();
}

}  // namespace credo::results
