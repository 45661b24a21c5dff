#include "cli/tables/series_fit.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "base/stream.hpp"
#include "cli/project/program_words.hpp"
#include "cli/tables/regression_prediction.hpp"
#include "cli/term/terminal.hpp"
#include "io/data/data_files.hpp"
#include "model/model.hpp"
#include "results/draws/predict.hpp"
#include "results/draws/share_out.hpp"
#include "results/draws/weights.hpp"
#include "results/files/modes.hpp"

namespace credo::cli {
namespace {
constexpr std::uint32_t kSeriesPaths = stream("series.paths");  // iteration: the draw

// Values of a generated quantity at chosen draws, (chain, draw) each.
class SystemReader {
 public:
  explicit SystemReader(const Fit& fit) : fit_(fit) {}
  // Its elements at each place; empty if the program has no such quantity.
  std::vector<std::vector<double>> read(const std::string& name,
                                        std::span<const std::pair<Index, Index>> places) const {
    const auto variable = fit_.layout().find_variable(name);
    if (!variable) return {};
    const Index first = fit_.layout().first(*variable),
                count = fit_.layout().first(*variable + 1) - first;
    const density::Draws draws = fit_.quantities(false, first_output(fit_) + first, count);
    std::vector<std::vector<double>> all;
    for (const auto& [chain, draw] : places) {
      std::vector<double> values;
      for (Index k = 0; k < count; ++k) values.push_back(draws(draw, chain, k));
      all.push_back(std::move(values));
    }
    return all;
  }

 private:
  const Fit& fit_;
};

std::vector<std::pair<Index, Index>> chosen_draws(const Fit& fit, Index most) {
  std::vector<std::pair<Index, Index>> places;
  if (holds_modes(fit)) {
    places.assign(static_cast<std::size_t>(most), {static_cast<Index>(modes_of(fit).best), 0});
    return places;
  }
  const Index total = fit.num_draws(false) * fit.num_chains(), count = std::min(most, total);
  for (Index k = 0; k < count; ++k) {
    const Index place = k * total / count;
    places.emplace_back(place / fit.num_draws(false), place % fit.num_draws(false));
  }
  return places;
}

std::vector<models::SeriesMatrices> matrices_of(const Fit& system, const models::Series& made,
                                                std::span<const std::pair<Index, Index>> places) {
  const SystemReader reader(system);
  std::vector<models::SeriesMatrices> all(places.size());
  const auto take = [&](const std::string& name, auto set) {
    const auto values = reader.read(name, places);
    for (std::size_t d = 0; d < values.size(); ++d) set(all[d], values[d]);
  };
  using Values = const std::vector<double>&;
  for (models::SeriesMatrices& draw : all) {
    draw.parts.resize(made.components.size());
    draw.change_scale.assign(made.components.size(), 0.0);
  }
  take("system_A", [](auto& draw, Values x) { draw.a = x; });
  take("system_q", [](auto& draw, Values x) { draw.q = x; });
  take("system_m", [](auto& draw, Values x) { draw.m = x; });
  take("system_P", [](auto& draw, Values x) { draw.p = x; });
  take("system_r", [](auto& draw, Values x) { draw.variance = x; });
  take("system_spread", [](auto& draw, Values x) { draw.parameter = x[0]; });
  take("system_nu", [](auto& draw, Values x) { draw.nu = x[0]; });
  take("system_s", [](auto& draw, Values x) { draw.variance.push_back(x[0]); });
  for (std::size_t k = 0; k < made.components.size(); ++k) {
    take(fmt::format("part_{}", k + 1), [k](auto& draw, Values x) { draw.parts[k] = x; });
    take(fmt::format("change_{}", k + 1),
         [k](auto& draw, Values x) { draw.change_scale[k] = x[0]; });
  }
  return all;
}
}  // namespace

models::Series series_of(models::SeriesRequest& request, io::InputFiles& files, Output& output) {
  request.is_usable = is_free_in_programs;
  request.distributions = density_names();
  models::FormulaFaults faults;
  models::Series made = models::make_series(
      request, [&](const std::string& path) -> const std::string& { return files.read(path); },
      faults);
  if (faults.empty()) return made;
  output.note(visible(faults.text(made.formula)));
  throw Error(ErrorCode::data, fmt::format("formula and table have {} fault{}", faults.size(),
                                           faults.size() == 1 ? "" : "s"));
}

bool is_series(const Fit& fit) { return fit.files().contains(std::string(kSeriesFile)); }

models::SeriesRequest series_request_of(const Fit& fit) {
  if (!is_series(fit))
    throw Error(ErrorCode::usage, "the fit isn't one of credo series", fit.origin().source,
                "credo predict reads fits of other programs");
  io::InputFiles files(fit.files());
  const std::string name(kSeriesFile);
  models::SeriesRequest request = models::parse_series_request(files.read(name), name);
  if (!io::holds_data(files.contents(), request.data.text()))
    throw Error(ErrorCode::usage, "the result was written without its table (--no-data)",
                fit.origin().source, "fit again without --no-data");
  return request;
}

SeriesPaths series_paths(const Fit& fit, const models::Series& made, const PathOptions& options,
                         Output& output) {
  if (!log_weights_of(fit).empty())
    throw Error(ErrorCode::usage,
                "the draws of this fit have weights, and paths of states need draws without",
                fit.origin().source, "fit the series by a sampler without weights");
  ModelArguments arguments;
  const auto model = load_prediction({.program = models::series_system_text(made),
                                      .data = models::series_data_text(made, true),
                                      .notes = {},
                                      .num_rows = 0},
                                     arguments, output);
  PredictOptions predicting;
  predicting.seed = options.seed;
  predicting.model_path = arguments.model, predicting.data_path = arguments.data;
  predicting.files = arguments.files.contents();
  const auto system = predict(fit, *model, predicting);
  const auto places = chosen_draws(fit, options.most);
  SeriesPaths found{.at = matrices_of(*system, made, places), .paths = {}};
  found.paths =
      share_out_results<models::SeriesPath>(ssize(places), options.num_threads, {}, nullptr, [&] {
        return [&](Index k) {
          stop_if_asked();
          Rng rng({.seed = options.seed,
                   .purpose = kSeriesPaths,
                   .chain = 0,
                   .iteration = static_cast<std::uint32_t>(k)});
          return models::series_path(made, found.at[static_cast<std::size_t>(k)], rng);
        };
      });
  return found;
}

}  // namespace credo::cli
