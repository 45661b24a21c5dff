// Independent draws from a density that is known as a distribution to draw from: a program's prior, by
// ancestral sampling in the order of its statements [gelman2013, 8.1.2].
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/sample.hpp"
#include "infer/core/step.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

// The next draw within the support. Throws Error(evaluation) where none of very many is.
density::Start draw_exactly(density::ExactDraws& draws, Rng& rng);

// A draw's density is the one that it was drawn from, up to the rounding of sums. Throws Error(evaluation)
// otherwise: the distribution that was drawn from is another one.
void require_same_density(double drawn_from, double log_density, std::string_view sampler);

struct ExactOptions {
  static void describe(auto&, auto&&) {}
};

struct ExactInfo {
  double log_density = 0.0;
  Index num_tries = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.num_tries,
          FieldSpec{.name = "num_tries",
                    .help = "draws up to the first one within the support, itself included"});
  }
};

class Exact final : public PooledKernel {
 public:
  using Options = ExactOptions;
  using State = PointState;
  using Info = ExactInfo;
  static constexpr bool kNeedsGradient = false, kIsIndependent = true;

  Exact(const ExactOptions& options, const density::LogDensity& density);
  // Throws Error(usage) with the density's reason where it can't be drawn from.
  static void check(const ExactOptions& options, const density::LogDensity& density);
  Step<ExactInfo> step(PointState& current, Rng& rng);

  NoSettings settings;

 private:
  std::unique_ptr<density::ExactDraws> draws_;
};

}  // namespace credo::infer
