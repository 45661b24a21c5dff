#include "report/material.hpp"

#include <fmt/format.h>

#include "base/processors.hpp"
#include "report/tasks.hpp"
#include "results/draws/row_likelihoods.hpp"
#include "results/draws/simulate.hpp"
#include "results/draws/weights.hpp"

namespace credo::report {

Material::Material(std::vector<Subject> subjects, PictureOptions options)
    : subjects_(std::move(subjects)), options_(std::move(options)), loo_(subjects_.size()) {
  if (fit().num_draws(false) < 4)
    throw Error(ErrorCode::usage, fmt::format("the chains have {} draws", fit().num_draws(false)),
                subjects_[0].name, "pictures need four at least");
  weights_ = results::log_weights_of(fit());
  if (weights_.empty()) return;
  const double most = *std::max_element(weights_.begin(), weights_.end());
  for (double& w : weights_) w = std::exp(w - most);
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& w : weights_) w /= total;
}

bool Material::is_whole(Index quantity) const {
  const Index first = results::first_output(fit());
  const density::Kind kind = quantity < first
                                 ? fit().columns()[static_cast<std::size_t>(quantity)].kind
                                 : fit().layout().variable_of(quantity - first).kind;
  return kind != density::Kind::real;
}

Series Material::statistic(std::string_view name) const {
  const auto place = results::find_quantity(fit(), name);
  if (!place || *place >= results::first_output(fit())) return {};
  const density::Draws read = draws(*place);
  const auto values = read.quantity(0);
  return {values.begin(), values.end()};
}

std::string Material::name(Index quantity) const {
  return density::bracketed_name(results::quantity_name(fit(), quantity));
}

std::string Material::label(Index quantity) const {
  const auto& level_of = subjects_[0].level;
  const std::string level = level_of ? level_of(results::quantity_name(fit(), quantity)) : "";
  return level.empty() ? name(quantity) : name(quantity) + " " + level;
}

std::vector<Quantiles> Material::quantiles(std::span<const Index> quantities) const {
  std::vector<Quantiles> all;
  for (const Index quantity : quantities)
    all.push_back(quantiles_of(draws(quantity).quantity(0), weights_));
  return all;
}

const density::Model& Material::model_of(std::size_t subject) const {
  if (subjects_[subject].model == nullptr)
    throw Error(ErrorCode::usage, "this is computed by the model, which isn't at hand",
                subjects_[subject].name, "name the program and its data: --model, --data");
  return *subjects_[subject].model;
}

const results::Loo& Material::loo(std::size_t subject) const {
  return loo_[subject].get([&] {
    const density::Model& model = model_of(subject);
    const auto own = results::with_rows_by(model, density::RowsBy::own_first);
    return results::loo_of(*subjects_[subject].fit, own == nullptr ? model : *own);
  });
}

const std::vector<results::Replicated>& Material::replicates() const {
  return replicates_.get(
      [&] { return results::replicate_fit(fit(), model_of(0), check_options()); });
}

results::CheckOptions Material::check_options() const {
  return {.num_draws = options_.num_replicates, .seed = options_.seed, .pairs = options_.pairs};
}

const std::vector<results::LooPit>& Material::loo_pits() const {
  return loo_pits_.get([&] {
    std::vector<results::LooPit> all;
    const density::Model& model = model_of(0);
    const auto own = results::with_rows_by(model, density::RowsBy::own_first);
    for (const results::Replicated& one : replicates())
      all.push_back(results::loo_pit(fit(), own == nullptr ? model : *own, one, check_options()));
    return all;
  });
}

const results::FitPredictions& Material::predictions() const {
  return predictions_.get([&] {
    const density::Model& model = model_of(0);
    if (subjects_[0].data.text.empty())
      throw Error(ErrorCode::usage, "the data aren't at hand as one text", subjects_[0].name,
                  "name the program and its data: --model, --data");
    return results::predictions_of(
        results::OutcomeRows(fit(), model, subjects_[0].data, {.seed = options_.seed}),
        results::RowUse::left_out);
  });
}

std::string Material::Unreliable::sentence() const {
  if (count == 0)
    return fmt::format("All {} rows can be left out reliably (Pareto k at most {:.2f}).", num_rows,
                       k_limit);
  return fmt::format(
      "Of {} rows {} can't be left out reliably (Pareto k above {:.2f}, see leave-one-out): don't "
      "rely on their figures.",
      num_rows, count, k_limit);
}

std::optional<Material::Unreliable> Material::unreliable() const {
  try {
    const results::Loo& all = loo();
    return Unreliable{ssize(all.unreliable()), ssize(all.rows), all.k_limit()};
  } catch (const Error&) {
    return std::nullopt;  // the picture of leave-one-out gives the reason
  }
}

std::vector<density::ObservedVariable> Material::data() const { return all_data(model_of(0)); }

std::string Material::label_of(const std::string& variable, double value) const {
  const Levels& levels = levels_.get([&] { return levels_of(fit()); });
  return report::label_of(levels, variable, value);
}

const diagnose::EcdfBand& Material::uniform_band(Index num_places) const {
  constexpr double kInside = 0.95;
  Once<diagnose::EcdfBand>* band = nullptr;
  {
    const std::lock_guard lock(bands_mutex_);
    band = &bands_[num_places];  // stays where it is
  }
  return band->get([&] { return diagnose::ecdf_band(num_places, kBandPoints, kInside); });
}

const Series& Material::prior(Index quantity) const {
  static const Series kNone;
  const std::vector<Series>& all = prior_.get([&] { return draw_prior(); });
  const Index first = results::first_output(fit());
  return quantity < first ? kNone : all[static_cast<std::size_t>(quantity - first)];
}

// Each draw has its number's own stream: the parts may be drawn side by side.
std::vector<Series> Material::draw_prior() const {
  const density::Model& model = model_of(0);
  const density::Layout& layout = fit().layout();
  std::vector<Index> place_of;  // among the outputs of the fit; -1: it hasn't this one
  for (Index k = 0; k < results::num_outputs(model, density::Block::transformed_parameters); ++k)
    place_of.push_back(layout.find(model.outputs().element_name(k)).value_or(-1));
  std::vector<Series> drawn(static_cast<std::size_t>(layout.size()));
  for (const Index place : place_of)
    if (place >= 0)
      drawn[static_cast<std::size_t>(place)].resize(
          static_cast<std::size_t>(options_.num_prior_draws));
  const auto draw_part = [&](Index first, Index end) {
    results::PriorDraws prior(model);
    for (Index s = first; s < end; ++s) {
      const std::vector<double> parameters = prior.parameters(options_.seed, s);
      for (std::size_t k = 0; k < parameters.size(); ++k)
        if (place_of[k] >= 0)
          drawn[static_cast<std::size_t>(place_of[k])][static_cast<std::size_t>(s)] = parameters[k];
    }
  };
  std::vector<std::function<void()>> parts;
  const Index count = options_.num_prior_draws, share = count / num_processors() + 1;
  for (Index first = 0; first < count; first += share)
    parts.emplace_back([=, &draw_part] { draw_part(first, std::min(first + share, count)); });
  do_all(parts);
  return drawn;
}

}  // namespace credo::report
