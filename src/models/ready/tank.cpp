#include "infer/core/table.hpp"
#include "models/paths/path_posterior.hpp"
#include "models/ready/ready_models.hpp"

namespace credo::models {
namespace {
// The medians of the priors, and the observed path.
std::vector<double> start_of(const PathPosterior& posterior, const TankData& data,
                             std::uint64_t seed, Index chain) {
  std::vector<double> parameters, observed;
  for (const LogNormalPrior& prior : data.prior) parameters.push_back(std::exp(prior.log_mean));
  for (const ObservedStep& step : posterior.model().observed()) observed.push_back(step.centre);
  return posterior.initial_point(parameters, observed, seed, static_cast<std::uint32_t>(chain));
}
// A step draws a path anew.
class TankPathModel final : public OwnKernelModel {
 public:
  explicit TankPathModel(const TankPaths& paths)
      : OwnKernelModel("tank_path", {{.name = "x", .dims = {ssize(paths.rain) + 1}}},
                       {{.name = "level"}}),
        paths_(paths),
        equation_(tank_equation(paths_.parameters, [this](double t) { return rain_at(t); })) {
    const auto [least, most] = std::minmax_element(paths_.rain.begin(), paths_.rain.end());
    if (!(paths_.start > 0.0) || !(*least >= 0.0) || !(*most < kInfinity))
      throw Error(ErrorCode::data, "the content at the start must be > 0, rain finite and >= 0",
                  "tank_path");
    if (*least == *most && *least > 0.0)
      stationary_ = tank_stationary_distribution(paths_.parameters, *least);
  }

  std::vector<double> draw_state(Rng& rng) const override {
    std::vector<double> path(paths_.rain.size() + 1);
    draw_path(path, rng);
    return path;
  }
  void derive(std::span<const double> state, std::vector<double>& row) const override {
    row.push_back(stationary_ ? stationary_->cdf(state.back()) : kNaN);
  }
  std::unique_ptr<Worker> make_worker() const override { return std::make_unique<Own>(*this); }

 private:
  class Own final : public Worker {
   public:
    explicit Own(const TankPathModel& model) : model_(model) {}
    double log_density(std::span<const double> state) override {
      return model_.log_density_of(state);
    }
    void move(std::span<double> state, Rng& rng) override { model_.draw_path(state, rng); }

   private:
    const TankPathModel& model_;
  };

  // Half a step on, so that rounding of times doesn't matter.
  double rain_at(double t) const {
    const auto step = static_cast<std::size_t>(t / paths_.time_step + 0.5);
    return paths_.rain[std::min(step, paths_.rain.size() - 1)];
  }
  void draw_path(std::span<double> path, Rng& rng) const {
    simulate(*equation_,
             {.scheme = SdeScheme::euler,
              .time_step = paths_.time_step,
              .num_steps = ssize(paths_.rain)},
             std::array{paths_.start}, {.seed = rng.bits(), .purpose = purpose::kTransition}, path);
  }
  // x' ~ normal(x + (r - rate x) dt, x² rate noise dt).
  double log_density_of(std::span<const double> path) const {
    if (path[0] != paths_.start) return -kInfinity;
    const auto& [rate, noise, ignored] = paths_.parameters;
    double sum = 0.0;
    for (std::size_t i = 0; i < paths_.rain.size(); ++i) {
      const double mean = path[i] + (paths_.rain[i] - rate * path[i]) * paths_.time_step;
      const double sd = std::fabs(path[i]) * std::sqrt(rate * noise * paths_.time_step);
      const double z = (path[i + 1] - mean) / sd;
      sum -= std::log(sd) + 0.5 * z * z;
    }
    return sum;
  }

  TankPaths paths_;
  std::unique_ptr<Sde> equation_;
  std::optional<InverseGammaPrior> stationary_;
};
}  // namespace

Ready tank_path_model(const TankPaths& paths) {
  if (paths.rain.empty()) throw Error(ErrorCode::data, "there is no step", "rain");
  return ready("independent", std::make_shared<const TankPathModel>(paths));
}

Ready tank_model(const TankData& data) {
  const auto posterior = std::make_shared<const PathPosterior>(
      std::make_shared<const TankModel>(data), PathCoordinates::staged);
  const WriteState write = [posterior](std::span<const double> state) {
    const PathPosterior::Point at = posterior->at(state);
    std::vector<double> row = at.parameters;
    for (const double u : at.path) row.push_back(std::exp(u));
    return row;
  };
  return {.algorithm = "split_hmc",
          .model = named("tank", posterior,
                         {{.name = "rate"},
                          {.name = "noise"},
                          {.name = "noise_sd"},
                          {.name = "x", .dims = {ssize(data.rain) + 1}}},
                         write),
          .run = [posterior, data](const infer::SampleOptions& options, infer::DrawSink& sink) {
            infer::SampleOptions own = options;
            own.sampler = "split_hmc";
            own.kernel = posterior->split_options();
            for (Index c = 0; own.states.empty() && c < own.num_chains; ++c)
              own.init.push_back(start_of(*posterior, data, own.seed, own.first_chain + c));
            return infer::run_chains(*posterior, own, sink);
          }};
}

}  // namespace credo::models
