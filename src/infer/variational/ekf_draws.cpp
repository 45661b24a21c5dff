// One pass of the extended Kalman filter over the rows of the likelihood (parameter_filter.hpp), as weighted draws of its last belief.
#include <fmt/format.h>

#include "base/stop.hpp"
#include "density/model.hpp"
#include "infer/core/chain.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/families/normal_family.hpp"
#include "infer/variational/fits/named_blocks.hpp"
#include "infer/variational/fits/parameter_filter.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostFilteredValues = 2000;        // the covariance has their square
constexpr std::uint32_t kFirstBelief = 1'000'003;  // no chain of a run
constexpr const char* kEachGroup = "each";

struct EkfOptions {
  std::vector<std::string> groups = {};
  double noise = 0.0, process_noise = 0.0, start_sd = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.groups,
          FieldSpec{.name = "groups",
                    .help = "groups of parameters whose covariances are kept, as mu+tau,a+b; every "
                            "other parameter is a group of its own; each: no joined ones; none: "
                            "all covariances"});
    field(self.noise, FieldSpec{.name = "noise",
                                .help = "variance of a row's noise; 0: as the program states it",
                                .range = {.lo = 0.0, .hi_open = true}});
    field(self.process_noise,
          FieldSpec{.name = "process_noise",
                    .help = "variance that every unconstrained value gains between rows",
                    .range = {.lo = 0.0, .hi_open = true}});
    field(self.start_sd,
          FieldSpec{.name = "start_sd",
                    .help = "the first mean is the centre of the prior plus normal numbers of this "
                            "standard deviation: networks, whose gradient is 0 at weights of 0, "
                            "need some",
                    .range = {.lo = 0.0, .hi_open = true}});
  }
};

void begin_away(std::vector<double>& mean, double sd, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kWalker, .chain = kFirstBelief, .iteration = 0});
  for (double& x : mean) x += sd * rng.normal();
}

std::vector<std::vector<Index>> groups_of(const density::LogDensity& density,
                                          const EkfOptions& own) {
  if (!own.groups.empty()) {
    const bool is_each = own.groups == std::vector<std::string>{kEachGroup};
    return named_blocks(density, is_each ? std::vector<std::string>() : own.groups);
  }
  std::vector<Index> all(static_cast<std::size_t>(density.dimension()));
  std::iota(all.begin(), all.end(), Index{0});
  return {all};
}

// One pass over the rows, in their order.
ParameterFilter filter_rows(const density::LogDensity& density, const EkfOptions& own,
                            std::uint64_t seed) {
  const density::Model* model = density.as_model();
  if (model == nullptr)
    throw Error(ErrorCode::usage, "the log density has no rows to filter", "sampler",
                "credo approximate --method normal takes any density");
  const density::Statements& statements = model->statements().require(model->name());
  const auto rows = statements.make_linearised_rows();
  NormalBelief belief = normal_prior(density, "the filter", seed);
  if (own.start_sd > 0.0) begin_away(belief.mean, own.start_sd, seed);
  ParameterFilter filter({.belief = std::move(belief),
                          .groups = groups_of(density, own),
                          .noise = own.noise,
                          .process_noise = own.process_noise,
                          .is_later = statements.has_earlier_posterior()});
  density::LinearisedRow row;
  FitStage stage;
  stage.resume(filter);
  for (Index n = filter.num_seen(); n < rows->num_rows(); ++n) {
    stop_if_asked();
    rows->at(n, filter.mean(), row);
    if (!row.status.ok())
      throw Error(ErrorCode::evaluation,
                  fmt::format("row {} can't be linearised at the mean of the rows before: {}",
                              n + 1, density.describe(row.status)),
                  "ekf", "a narrower prior, or --noise, makes shorter steps");
    filter.see(row);
    stage.look(filter);
  }
  stage.end(filter);
  return filter;
}

std::vector<std::string> words_on_target(const EkfOptions& own) {
  if (own.noise == 0.0 && own.process_noise == 0.0) return {};
  return {
      "--noise and --process-noise are the filter's own: weights and grade compare its draws "
      "with the program's posterior, which has neither"};
}

RunResult run_ekf(const density::LogDensity& density, const SampleOptions& options,
                  DrawSink& sink) {
  const auto own = options_for<EkfOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_approximable(density, "the extended Kalman filter", kMostFilteredValues);
  const ParameterFilter filter = filter_rows(density, own, options.seed);
  const MixturePartSpec part{filter.mean(), filter.covariance()};
  return draw_approximation(density, options,
                            {.distribution = mixture_of_normals(std::span(&part, 1), 0),
                             .figures = {{"mean", filter.mean()},
                                         {"covariance", filter.covariance()},
                                         {"num_rows", {static_cast<double>(filter.num_seen())}}},
                             .warnings = words_on_target(own)},
                            sink);
}
}  // namespace

extern const SamplerSpec kEkf;
const SamplerSpec kEkf = [] {
  SamplerSpec row = approximation_row(
      {.name = "ekf",
       .summary = "weighted draws from the last belief of an extended Kalman filter of parameters",
       .reference = "murphy2023"},
      [] { return KernelOptions(EkfOptions{}); }, run_ekf);
  row.needs_rows = true;
  return row;
}();

}  // namespace credo::infer
