#include "infer/variational/fits/amortised_fit.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/model.hpp"
#include "infer/core/needs.hpp"
#include "infer/variational/climbs/local_rows.hpp"
#include "infer/variational/climbs/refined_points.hpp"
#include "infer/variational/families/amortised_normal.hpp"
#include "infer/variational/fits/sleep.hpp"

namespace credo::infer {
namespace {

void require_named(const AmortizedOptions& own) {
  if (own.features.empty() && (!own.local.empty() || own.climb.objective == kSleep))
    throw Error(ErrorCode::usage, "the network needs data to read", "features",
                "name columns of the data, as --features x,y");
  if (own.auxiliary > 0 && own.local.empty())
    throw Error(ErrorCode::usage, "auxiliary variables are shared by local values", "auxiliary",
                "name these with --local");
  if (own.climb.covariance == CovarianceShape::blocks)
    throw Error(ErrorCode::usage, "values beside the network's have no blocks", "covariance",
                "take full, diagonal or low_rank");
}

// Inner steps are those of a bound on fixed draws.
void require_fixed_draws(const AmortizedOptions& own) {
  const BoundOptions& climb = own.climb;
  const bool is_fixed = climb.batch == 0 && climb.gradient == "auto" &&
                        (climb.optimizer == "auto" || climb.optimizer == "lbfgs");
  if (own.semi > 0 && (own.local.empty() || !is_fixed))
    throw Error(ErrorCode::usage,
                "steps from the network's output need local values and a climb on fixed draws",
                "semi", "name --local, and leave --batch, --gradient and --optimizer out");
}

void require_disjoint(std::span<const Index> local, std::span<const Index> points) {
  for (const Index j : points)
    if (std::ranges::find(local, j) != local.end())
      throw Error(ErrorCode::usage, "a parameter is both local and a point", "point",
                  "name it once");
}

// Values of rows by a network of their features.
NetworkBlock local_block(const density::LogDensity& density, const AmortizedOptions& own) {
  const LocalValues local = local_values(density, own.local);
  const density::Model& model = *density.as_model();
  NetworkBlock block{.coordinates = local.coordinates,
                     .features = features_of(all_data(model), own.features, local.num_rows)};
  standardise(block.features, scale_of(block.features));
  require_local(density, local, own.local, own.climb.seed);
  return block;
}

}  // namespace

AmortisedSetup amortised_setup(const density::LogDensity& density,
                               const AmortizedOptions& options) {
  AmortisedSetup setup{.blocks = {},
                       .points = coordinates_of(density, options.point, "point"),
                       .num_hidden = options.hidden,
                       .has_offsets = options.semi > 0,
                       .num_auxiliary = options.auxiliary,
                       .rest = options.climb.covariance,
                       .seed = options.climb.seed};
  if (options.local.empty()) return setup;
  setup.blocks.push_back(local_block(density, options));
  require_disjoint(setup.blocks.front().coordinates, setup.points);
  return setup;
}

BestNormal fit_amortised(const density::LogDensity& density, const AmortizedOptions& options) {
  require_needs(options);
  require_named(options);
  require_fixed_draws(options);
  if (options.climb.objective == kSleep) return fit_by_simulations(density, options);
  const AmortisedSetup setup = amortised_setup(density, options);
  BoundOptions climb = options.climb;  // the shape is that of the other values
  climb.covariance = CovarianceShape::diagonal;
  climb.rank = BoundOptions{}.rank;
  climb.refine = parse_refinement(options.refine);
  if (climb.refine > 0 && setup.points.empty())
    throw Error(ErrorCode::usage, "there are no points to climb at refined draws", "refine",
                "name them with --point");
  return climb_family(
      density, climb,
      [&](const FamilySetup& start) {
        FamilySetup own = start;
        own.rank = options.climb.rank;
        return make_amortised_normal(own, setup);
      },
      options.semi);
}

}  // namespace credo::infer
