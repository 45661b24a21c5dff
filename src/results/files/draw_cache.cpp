#include "results/files/draw_cache.hpp"

namespace credo::results {
namespace {
constexpr Index kWorthKeeping = 4;  // keeps all once a quarter of the values has been read

density::Draws part_of(const density::Draws& all, const DrawSlab& slab) {
  if (slab.num_draws == all.num_draws() && slab.num_chains == all.num_chains())
    return all.part(slab.first, slab.count);
  density::Draws part(slab.num_draws, slab.num_chains, slab.count);
  for (Index k = 0; k < slab.count; ++k)
    for (Index c = 0; c < slab.num_chains; ++c) {
      const std::span<const double> chain = all.chain(slab.first_chain + c, slab.first + k);
      for (Index s = 0; s < slab.num_draws; ++s)
        part(s, c, k) = chain[static_cast<std::size_t>(slab.first_draw + s)];
    }
  return part;
}
}  // namespace

density::Draws DrawCache::read(const Fit& fit, const DrawSlab& slab, const Source& source) const {
  const Index num_draws = fit.num_draws(false),
              num_values = num_draws * fit.num_chains() * num_quantities(fit);
  if (slab.warmup || num_values > kMostValues) return source(slab);
  const std::lock_guard lock(mutex_);
  if (kept_.num_draws() == num_draws && kept_.num_quantities() == num_quantities(fit))
    return part_of(kept_, slab);
  if (!keeps_) return source(slab);
  kept_ = {};
  num_read_ += slab.num_draws * slab.num_chains * slab.count;
  if (num_read_ * kWorthKeeping < num_values) return source(slab);
  read_all(fit, source);
  return part_of(kept_, slab);
}

void DrawCache::keep_all(const Fit& fit, const Source& source) const {
  const Index num_draws = fit.num_draws(false), num_columns = num_quantities(fit);
  if (num_draws * fit.num_chains() * num_columns > kMostValues) return;
  const std::lock_guard lock(mutex_);
  if (kept_.num_draws() != num_draws || kept_.num_quantities() != num_columns)
    read_all(fit, source);
}

void DrawCache::read_all(const Fit& fit, const Source& source) const {
  kept_ = source({.count = num_quantities(fit),
                  .num_chains = fit.num_chains(),
                  .num_draws = fit.num_draws(false)});
}

}  // namespace credo::results
