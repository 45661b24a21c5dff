// Approximations of a density by a distribution that is known in full, as a row of the algorithm table: it is fitted once, and
// its draws are kept with weights log p - log q, never copied by them.
//
// A new method is a function that fits, options with their fields, a row (approximation_row) and its name in the table.
#pragma once
#include <memory>

#include "density/log_density.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"
#include "infer/variational/climbs/fitted_family.hpp"

namespace credo::infer {

// A normalised distribution of the unconstrained values.
class Approximation {
 public:
  virtual ~Approximation() = default;
  virtual std::unique_ptr<Approximation> clone() const = 0;
  // A draw, D values; returns log q there.
  virtual double draw(Rng& rng, std::span<double> x) = 0;
};

struct FittedApproximation {
  std::shared_ptr<const Approximation> distribution;
  std::vector<TunedSetting> figures;  // parameters of the distribution, for the result
  std::vector<std::string> warnings;
  std::vector<BoundRow> course =
      {};                   // course of the climb, for the group "bound" of rows that state it
  bool has_course = false;  // it is a row that states it
  // A group with another name in the place of "bound", and its rows; the row of the table states the same group.
  std::vector<RowGroup> own_groups = {};
  std::vector<std::vector<double>> own_rows = {};
  // False where log q isn't known, or the distribution isn't meant to be the posterior: draws count equally.
  bool has_weights = true;
};

// Group "bound", row "iteration".
std::vector<RowGroup> bound_groups();

// A part of a mixture: normal, or with degrees of freedom ν > 0 Student's t, which have this mean and L Lᵀ = `covariance`, D × D:
//   x = m + L n √(ν / c),   n ~ N(0, I), c ~ χ²(ν)
struct MixturePartSpec {
  std::vector<double> mean, covariance;
  static void saved(auto& self, auto&& field) {
    field(self.mean);
    field(self.covariance);
  }
};
// Parts with equal shares, K >= 1: log q is that of the mixture (the balance heuristic of their weights). Throws
// Error(evaluation) where a covariance isn't positive definite.
std::shared_ptr<const Approximation> mixture_of_normals(std::span<const MixturePartSpec> parts,
                                                        Index dof);

// log |L|, L Lᵀ the inverse metric. O(D³) of a dense one.
double log_root_of(const Metric& metric);

// Throws Error(usage) with the way out for densities that no approximation takes: no gradient, discrete coordinates, more
// than `most` unconstrained values.
void require_approximable(const density::LogDensity& density, std::string_view method, Index most);

// Weighted draws of a fitted distribution, options.num_draws of each chain.
RunResult draw_approximation(const density::LogDensity& density, const SampleOptions& options,
                             FittedApproximation fitted, DrawSink& sink);

struct ApproximationText {
  std::string_view name, summary, reference;
};
std::vector<FieldSpec> approximation_columns();
using ApproximationRun = RunResult (*)(const density::LogDensity&, const SampleOptions&, DrawSink&);
constexpr SamplerSpec approximation_row(
    const ApproximationText& text, KernelOptions (*options)(), ApproximationRun run,
    std::vector<RowGroup> (*groups)() = [] { return std::vector<RowGroup>(); }) {
  return {.name = text.name,
          .summary = text.summary,
          .needs_gradient = true,
          .reference = text.reference,
          .biased = false,
          .has_warmup = false,
          .columns = approximation_columns,
          .groups = groups,
          .options = options,
          .make = nullptr,
          .run = run,
          .no_part = "it draws from an approximation of the whole density"};
}

// Rows that advice names: the standard one, and one whose parts begin apart.
inline constexpr std::string_view kStandardApproximation = "normal",
                                  kApproximationByPaths = "pathfinder";

// The rows, in alphabetical order: what `credo approximate` chooses from.
std::span<const std::string_view> approximations();
bool is_approximation(std::string_view name);

}  // namespace credo::infer
