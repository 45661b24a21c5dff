#include "infer/variational/neutra.hpp"

#include "base/error.hpp"
#include "base/processors.hpp"
#include "infer/core/chain.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/maps/through.hpp"
#include "infer/variational/approximation.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostNeutraValues = 500;

// The options with which a row draws from N(0, I), where it draws from a distribution.
struct BaseRow {
  std::string_view name;
  std::array<std::pair<std::string_view, std::string_view>, 2> settings = {};
  bool adapts = true;
};
constexpr std::array kBaseRows = {
    BaseRow{"nuts", {}, true}, BaseRow{"slice", {}, true},
    BaseRow{"importance", {{{"from", "normal"}, {"reference_sd", "1"}}}, false},
    BaseRow{"independence", {{{"inflate", "1"}, {}}}, false}};

const BaseRow* base_row(std::string_view name) {
  const auto row = std::ranges::find(kBaseRows, name, &BaseRow::name);
  return row == kBaseRows.end() ? nullptr : &*row;
}

void require_neutra(const density::LogDensity& density, const NeutraOptions& own) {
  validate(own);
  require_needs(own);
  std::vector<std::string> names;
  for (const BaseRow& row : kBaseRows) names.emplace_back(row.name);
  check_choice("base", names, own.base);
  require_approximable(density, "a run in the base space of a map", kMostNeutraValues);
  if (!own.through.empty() && !own.map.is_given())
    throw Error(ErrorCode::usage, "the map of a file is one that a command reads", "through",
                "run credo sample --through FIT, or leave it out");
}

SampleOptions inner_options(const SampleOptions& options, const NeutraOptions& own) {
  const BaseRow& row = *base_row(own.base);
  SampleOptions inner = options;
  inner.sampler = row.name;
  inner.kernel = find_sampler(row.name).options();
  if (row.name == std::string_view("nuts")) inner.kernel = own.nuts;
  for (const auto& [name, value] : row.settings)
    if (!name.empty()) set_field(inner.kernel, name, value, row.name);
  inner.adapt.engaged = inner.adapt.engaged && row.adapts;
  return inner;
}

RunResult run_neutra(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  const auto own = options_for<NeutraOptions>(options.kernel, options.sampler);
  require_neutra(density, own);
  if (!has_warmup_there(own.base) && options.num_warmup > 0)
    throw Error(ErrorCode::usage, own.base + " has no warm-up", "num_warmup", "set it to 0");
  const SampleOptions inner = inner_options(options, own);
  if (own.map.is_given()) return run_through(density, own.map, inner, sink);
  FlowOptions fit = own.flow;
  fit.climb.seed = options.seed;
  fit.climb.on_fit = options.on_fit;
  fit.climb.num_threads = options.num_threads > 0 ? options.num_threads : num_processors();
  const FittedFlow flow = fit_flow(density, fit);
  end_fit();
  RunResult result = run_through(density, values_of(flow), inner, sink);
  const std::vector<TunedSetting> figures = figures_of(flow);
  for (ChainResult& chain : result.chains)
    chain.tuned.insert(chain.tuned.end(), figures.begin(), figures.end());
  if (!flow.converged)
    result.warnings.emplace_back(
        "the climb of the flow hadn't settled when the steps were used up: draws are right, and "
        "may be slow; allow more with --max-steps");
  return result;
}
}  // namespace

std::optional<std::string> base_sampler(std::string_view sampler) {
  if (base_row(sampler) == nullptr) return std::nullopt;
  return std::string(sampler);
}

bool has_warmup_there(std::string_view base) {
  return base_row(base) == nullptr || find_sampler(base).has_warmup;
}

extern const SamplerSpec kNeutra;
const SamplerSpec kNeutra = {
    .name = kNeutraName,
    .summary = "NUTS, or another algorithm, in the base space of a fitted flow",
    .needs_gradient = true,
    .reference = "hoffman2019",
    .biased = false,
    .has_warmup = true,
    .columns = columns_of<NutsInfo>,
    .options = [] { return KernelOptions(NeutraOptions{}); },
    .make = nullptr,
    .run = run_neutra,
    .no_part = "it moves in another space than the density's"};

}  // namespace credo::infer
