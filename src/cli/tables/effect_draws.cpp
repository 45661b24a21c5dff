#include "cli/tables/effect_draws.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "base/stream.hpp"
#include "cli/tables/regression_prediction.hpp"
#include "cli/term/terminal.hpp"
#include "io/number_text.hpp"
#include "model/model.hpp"
#include "models/effects/explained_share.hpp"
#include "models/regression/prediction.hpp"
#include "results/draws/fit_points.hpp"

namespace credo::cli {
namespace {
constexpr const char* kRows = "rows.csv";
constexpr Index kMostWritten = 200'000;
// Effects of new levels of groups; iteration: the draw.
constexpr std::uint32_t kEffects = stream("effects");

std::vector<Index> places_of(const density::Layout& outputs, const std::string& name) {
  const Index variable = *outputs.find_variable(name);
  std::vector<Index> places;
  for (Index e = outputs.first(variable); e < outputs.first(variable + 1); ++e) places.push_back(e);
  return places;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double residual_variance(std::span<const double> outcomes, std::span<const double> means) {
  std::vector<double> residuals;
  for (std::size_t n = 0; n < means.size(); ++n) residuals.push_back(outcomes[n] - means[n]);
  return models::sample_variance(residuals);
}

void require_few(Index num_written) {
  if (num_written <= kMostWritten) return;
  throw Error(ErrorCode::usage,
              fmt::format("the averages need predictions for {} different rows, and {} at most are "
                          "computed",
                          num_written, kMostWritten),
              "--rows", "average over fewer rows, ask for fewer columns, or set some: --at");
}
}  // namespace

EffectSource::EffectSource(const results::Fit& fit, Output& output)
    : fit_(fit), output_(output), made_(regression_of_fit(fit, output)) {
  if (!made_.lags.empty())
    throw Error(ErrorCode::usage,
                "the formula has lag() or diff(), and rows with other values have no earlier rows",
                fit.origin().source, "credo predict FIT --data TABLE takes the rows before, too");
  const auto files = std::make_shared<io::InputFiles>(fit.files());
  table_ = models::table_of(
      made_, [&](const std::string& path) -> const std::string& { return files->read(path); });
}

std::unique_ptr<model::Model> EffectSource::model_of(const std::string& csv,
                                                     std::vector<std::string>* notes) const {
  models::FormulaFaults faults;
  const models::Prediction prediction = models::make_prediction(
      made_, io::DataRecipe{.files = {kRows}}, models::NewLevels::draw,
      [&](const std::string&) -> const std::string& { return csv; }, faults);
  if (!faults.empty()) {
    output_.note(visible(faults.text(made_.formula)));
    throw Error(ErrorCode::usage, "these values can't be predicted", "--at",
                "credo effects FIT without --at shows the columns");
  }
  if (notes != nullptr) *notes = prediction.notes;
  ModelArguments arguments;
  return load_prediction(prediction, arguments, output_);
}

// Coordinates of the standard effects of groups, or of the effects themselves: at 0 all effects are.
std::vector<Index> EffectSource::group_coordinates(const model::Model& model) const {
  std::vector<Index> all;
  for (const models::GroupBlock& group : made_.groups) {
    const auto variable =
        model.continuous().find_variable(made_.effects_are_centred ? group.effects : group.z);
    if (!variable) continue;
    for (Index e = model.continuous().first(*variable); e < model.continuous().first(*variable + 1);
         ++e)
      all.push_back(e);
  }
  return all;
}

void EffectSource::for_each_draw(const Wanted& wanted, const Take& take) const {
  const density::Model& model = wanted.model;
  const std::vector<Index> zeros = group_coordinates(wanted.model);
  density::Written what;
  what.columns.emplace();
  for (const std::string& output : wanted.outputs)
    std::ranges::copy(places_of(model.outputs(), output), std::back_inserter(*what.columns));
  const results::FitPoints points(fit_, model);
  const auto writer = model.writers().require(model.name()).make_writer(what);
  const Index together = std::max<Index>(writer->num_lanes(), 8);
  const auto written = [&](Index c, Index s, const std::vector<std::vector<double>>& at) {
    std::vector<density::DrawRequest> requests;
    for (std::size_t k = 0; k < at.size(); ++k)
      requests.push_back(
          {.point = at[k],
           .rng = Rng({.seed = wanted.seed,
                       .purpose = kEffects,
                       .chain = static_cast<std::uint32_t>(c),
                       .iteration = static_cast<std::uint32_t>(s + static_cast<Index>(k))})});
    writer->write(requests);
    for (const density::DrawRequest& request : requests)
      if (!request.note.empty())
        throw Error(ErrorCode::evaluation, "a draw has no predictions: " + request.note,
                    fit_.origin().source, "credo predict FIT shows which rows have none");
    return requests;
  };
  for (Index c = 0; c < fit_.num_chains(); ++c)
    for (Index s = 0; s < fit_.num_draws(false); s += together) {
      stop_if_asked();
      auto at = points.read(c, s, std::min(together, fit_.num_draws(false) - s));
      std::vector<density::DrawRequest> with, without;
      if (wanted.groups != Groups::without) with = written(c, s, at);
      for (std::vector<double>& point : at)
        for (const Index zero : zeros) point[static_cast<std::size_t>(zero)] = 0.0;
      if (wanted.groups != Groups::with) without = written(c, s, at);
      for (std::size_t k = 0; k < at.size(); ++k)
        take({.draw = s + static_cast<Index>(k),
              .chain = c,
              .values = wanted.groups == Groups::without ? without[k].row : with[k].row,
              .fixed = wanted.groups == Groups::both ? std::span<const double>(without[k].row)
                                                     : std::span<const double>()});
    }
}

namespace {
// Names of the linear predictors, probabilities or outcomes of a row; empty if it has one.
std::vector<std::string> categories_of(const models::Regression& made, bool is_linear) {
  const models::FamilyRow& family = *made.family;
  if (!is_linear && (family.has_categories() || family.has_columns))
    return made.outcome.level_names;
  std::vector<std::string> names;
  for (const models::Predictor& own : made.predictors)
    if (is_linear && family.locations != models::Locations::one && own.is_location())
      names.push_back(own.parameter);
  return names;
}
}  // namespace

EffectDraws EffectSource::draws_of(const models::EffectPlan& plan, const EffectScale& scale) const {
  require_few(plan.rows().num_written());
  const auto& effects = plan.effects();
  EffectDraws found;
  const bool has_categories = made_.family->has_categories() && !scale.is_linear;
  found.categories = categories_of(made_, scale.is_linear);
  const Index num_categories = std::max<Index>(1, ssize(found.categories));
  const auto model = model_of(plan.rows().csv(), &found.notes);
  const Index num = ssize(effects) * num_categories;
  found.sums = density::Draws(fit_.num_draws(false), fit_.num_chains(), num);
  found.rough = density::Draws(fit_.num_draws(false), fit_.num_chains(), num);
  const Wanted wanted{.model = *model,
                      .outputs = {scale.is_linear  ? "linear"
                                  : has_categories ? "probability"
                                                   : "mean_outcome"},
                      .groups = scale.without_groups ? Groups::without : Groups::with,
                      .seed = scale.seed};
  const auto num_rows = static_cast<std::size_t>(plan.rows().num_written());
  for_each_draw(wanted, [&](const AtDraw& at) {
    for (Index e = 0; e < ssize(effects); ++e)
      for (Index q = 0; q < num_categories; ++q) {
        const models::Effect& effect = effects[static_cast<std::size_t>(e)];
        const auto own = at.values.subspan(static_cast<std::size_t>(q) * num_rows, num_rows);
        const Index place = e * num_categories + q;
        found.sums(at.draw, at.chain, place) = effect.sum.of(own);
        if (effect.rough) found.rough(at.draw, at.chain, place) = effect.rough->of(own);
      }
  });
  return found;
}

std::vector<double> EffectSource::trials() const {
  std::vector<double> trials(static_cast<std::size_t>(made_.num_rows),
                             io::parse_number(made_.outcome.trials).value_or(1.0));
  for (const models::UsedColumn& used : made_.columns)
    if (used.name == made_.outcome.trials_column) trials = table_.find(used.column)->numbers;
  return trials;
}

EffectSource::RowMeans EffectSource::row_means(Index most_draws,
                                               const std::string& parameter) const {
  models::ChangedRows rows(table_);
  std::vector<Index> written;
  for (Index n = 0; n < made_.num_rows; ++n) written.push_back(rows.written(n, {}));
  require_few(rows.num_written());
  const auto model = model_of(rows.csv(), nullptr);
  density::Draws own;
  if (!parameter.empty()) {
    const auto place = results::find_quantity(fit_, parameter);
    if (!place)
      throw Error(ErrorCode::usage, fmt::format("{} isn't one number in this fit", parameter),
                  fit_.origin().source, "fit a regression without a formula for it");
    own = fit_.quantities(false, *place, 1);
  }
  const Index num_draws = fit_.num_draws(false) * fit_.num_chains();
  const Index count = std::min(num_draws, most_draws);
  RowMeans found;
  for_each_draw({.model = *model, .outputs = {"mean_outcome"}}, [&](const AtDraw& at) {
    // Draw k of the table is the first one at or behind k / count of all.
    const Index number = at.chain * fit_.num_draws(false) + at.draw;
    if (number * count / num_draws == (number - 1) * count / num_draws && number > 0) return;
    std::vector<double> means;
    for (const Index row : written) means.push_back(at.values[static_cast<std::size_t>(row)]);
    found.means.push_back(std::move(means));
    if (!parameter.empty()) found.parameter.push_back(own(at.draw, at.chain, 0));
  });
  return found;
}

EffectSource::Explained EffectSource::explained() const {
  if (made_.family->has_categories() || made_.family->has_columns)
    return {.draws = {}, .why_not = "categories and several outcomes have none"};
  if (!made_.outcome.modifiers.status.empty())
    return {.draws = {}, .why_not = "censored outcomes aren't seen, so their variance isn't known"};
  if (made_.num_rows < 2) return {.draws = {}, .why_not = "one row has no variance"};
  models::ChangedRows rows(table_);
  std::vector<Index> written;
  for (Index n = 0; n < made_.num_rows; ++n) written.push_back(rows.written(n, {}));
  if (rows.num_written() > kMostWritten)
    return {.draws = {}, .why_not = fmt::format("more than {} different rows", kMostWritten)};
  const auto model = model_of(rows.csv(), nullptr);
  const auto in_rows = [&](std::span<const double> values) {
    std::vector<double> all;
    if (!values.empty())
      for (const Index row : written) all.push_back(values[static_cast<std::size_t>(row)]);
    return all;
  };
  Explained found{.draws = density::Draws(fit_.num_draws(false), fit_.num_chains(), 2),
                  .by_residuals = made_.family->variance == nullptr};
  Wanted wanted{.model = *model,
                .outputs = {"mean_outcome"},
                .groups = made_.groups.empty() ? Groups::with : Groups::both};
  if (!found.by_residuals) wanted.outputs.push_back("variance");
  const auto num_written = static_cast<std::size_t>(rows.num_written());
  for_each_draw(wanted, [&](const AtDraw& at) {
    const std::vector<double> means = in_rows(at.values);
    const double noise = found.by_residuals ? residual_variance(made_.outcome.values, means)
                                            : mean_of(in_rows(at.values.subspan(num_written)));
    const auto share = models::explained_share(means, in_rows(at.fixed), noise);
    found.draws(at.draw, at.chain, 0) = share.all;
    found.draws(at.draw, at.chain, 1) = share.within;
  });
  return found;
}

}  // namespace credo::cli
