#include "infer/compose/movers.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "infer/compose/compose.hpp"
#include "infer/core/table.hpp"

namespace credo::infer {
namespace {
std::vector<std::string_view> mover_names() {
  std::vector<std::string_view> names;
  for (const SamplerSpec* row : samplers())
    if (row->make != nullptr) names.push_back(row->name);
  return names;
}

KernelOptions mover_options(std::string_view name) {
  const auto movers = mover_names();
  const std::string list = fmt::format("movers are: {}", fmt::join(movers, ", "));
  const auto rows = samplers();
  const auto row = std::ranges::find(rows, name, &SamplerSpec::name);
  if (row == rows.end()) {
    const auto near = nearest_name(name, std::vector<std::string>(movers.begin(), movers.end()));
    throw Error(ErrorCode::usage, fmt::format("there is no sampler '{}'", name), "mover",
                near ? fmt::format("did you mean {}? {}", *near, list) : list);
  }
  if ((*row)->make == nullptr)
    throw Error(ErrorCode::usage,
                fmt::format("'{}' can't be a mover: {}", name, why_no_part(**row)), "mover", list);
  return (*row)->options();
}

// Movers don't warm up: coordinates and the scale of the moves are those of the population.
constexpr std::array<std::string_view, 5> kOfWarmup = {"metric", "target_accept", "num_before",
                                                       "jitter", "decay"};
}  // namespace

extern const RowTable kMovers;
const RowTable kMovers{.what = "mover",
                       .names = mover_names,
                       .options = mover_options,
                       .unused = kOfWarmup,
                       .why_unused = "only warm-up uses it, and movers have none"};
extern const RowTable kMoversWithWarmup;
const RowTable kMoversWithWarmup{.what = "mover", .names = mover_names, .options = mover_options};

void require_mover(const ChosenRow& mover, const RowTable& table, bool has_gradient) {
  (void)table.options(mover.name);
  if (find_sampler(mover.name).needs_gradient && !has_gradient)
    throw Error(ErrorCode::usage, mover.name + " needs a gradient, the log density has none",
                "mover", "use slice or rwm");
}

KernelMaker mover_kernel(const ChosenRow& mover, const RowTable& table) {
  return kernel(mover.name, mover.options_in(table));
}

std::unique_ptr<TransitionKernel> mover_of(const std::vector<Index>& coordinates, ChosenRow mover,
                                           const density::LogDensity& density,
                                           const SampleOptions& run) {
  if (coordinates.empty()) return nullptr;
  if (!mover.is_named()) mover = density.has_gradient() ? "nuts" : "ram";
  require_mover(mover, kMoversWithWarmup, density.has_gradient());
  return on_coordinates(coordinates, mover_kernel(mover, kMoversWithWarmup))(
      {.run = run, .dimension = density.dimension(), .has_gradient = density.has_gradient()});
}

}  // namespace credo::infer
