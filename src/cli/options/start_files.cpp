#include "cli/options/start_files.hpp"

#include <fmt/format.h>

#include "cli/results.hpp"
#include "density/model.hpp"
#include "infer/core/initialise.hpp"
#include "infer/optimise/mode.hpp"
#include "results/files/start_points.hpp"

namespace credo::cli {
namespace {
bool begins_as_result(std::string_view content) {
  return content.starts_with("\x89HDF\r\n") || content.starts_with("CDF") ||
         content.starts_with("SQLite format 3");
}

bool is_result(const std::string& path, const io::InputFiles& files) {
  if (path.empty()) return false;
  const auto known = files.contents().find(path);
  if (known != files.contents().end())
    return begins_as_result(known->second) ||
           (path.ends_with(".csv") && !is_start_json(known->second));
  return is_run_file(path) || is_netcdf_file(path) ||
         (path.ends_with(".csv") && files.can_read(path));
}

void keep(const std::string& path, const StartFiles& named, const density::Model& model,
          io::InputFiles& files, Index num_chains) {
  if (!is_result(path, files)) return;
  const auto fit = open_fit(std::span(&path, 1));
  StartPoints starts{.free_names = model.free_names(), .points = {}, .inv_metric = {}};
  if (path == named.init) starts.points = points_from(*fit, model, num_chains);
  if (path == named.inv_metric) starts.inv_metric = inv_metric_from(*fit, model);
  files.add(path, to_json(starts));
  files.come_from(path);
}
}  // namespace

void keep_starts(const StartFiles& named, const density::Model& model, io::InputFiles& files,
                 Index num_chains) {
  keep(named.init, named, model, files, num_chains);
  if (named.inv_metric != named.init) keep(named.inv_metric, named, model, files, num_chains);
}

// ---- near modes

namespace {
Error no_mode(Index chain, std::string what) {
  return Error(ErrorCode::evaluation, std::move(what), fmt::format("chain {}", chain + 1),
               "the density may have no highest point, as near a scale of zero: begin at draws "
               "from the priors, --init prior");
}

infer::Mode climb_of(const density::LogDensity& density, const infer::SampleOptions& options,
                     Index chain) {
  infer::ModeOptions climb{.init_radius = options.init_radius,
                           .seed = options.seed + static_cast<std::uint64_t>(chain)};
  for (Index k = 0; k < infer::kPriorStarts; ++k) {
    Rng rng({.seed = climb.seed,
             .purpose = purpose::kInitialPoint,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(infer::kMaxInitTries + k)});
    const auto drawn = density.draw_start(rng, options.init_radius);
    if (!drawn) break;
    climb.start = drawn->position;
    if (auto mode = infer::find_mode_if_defined(density, climb)) return *mode;
  }
  climb.start = {};
  return infer::find_mode(density, climb);
}

// The distance is halved until the point is near.
std::vector<double> point_near_mode(const density::LogDensity& density,
                                    const infer::SampleOptions& options, Index chain) {
  const infer::Mode mode = climb_of(density, options, chain);
  if (!mode.converged && mode.num_iterations == infer::ModeOptions{}.max_iterations)
    throw no_mode(chain, fmt::format("the climb from the start found no mode in {} iterations",
                                     mode.num_iterations));
  const auto evaluator = density.make_evaluator();
  constexpr int kHalvings = 60;
  double spread = 1.0;
  for (int k = 0; k < kHalvings; ++k, spread *= 0.5) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(chain);
    const std::vector<double> point = infer::points_near(density, mode, 1, spread, seed).front();
    density::Request request{.position = point, .gradient = {}, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::value, batch);
    if (request.status.ok() &&
        request.log_density >= mode.log_density - static_cast<double>(density.dimension()))
      return point;
  }
  throw no_mode(chain, "no point near the mode that the climb found has nearly its log density");
}
}  // namespace

void keep_points_near_modes(const density::Model& model, io::InputFiles& files,
                            const infer::SampleOptions& options) {
  if (files.contents().contains(kNearMode)) return;
  StartPoints starts{.free_names = model.free_names(), .points = {}, .inv_metric = {}};
  for (Index c = 0; c < options.num_chains; ++c)
    starts.points.push_back(point_near_mode(model, options, options.first_chain + c));
  files.add(kNearMode, to_json(starts));
}

}  // namespace credo::cli
