// Learned proposals of particle filters: q(x_t | x_{t-1}, y_t) as a normal distribution whose mean and
// deviations come from a small network (numerics/conditional_normal.hpp). For any network the likelihood has no bias,
// since particles are weighed by the model's densities.
#pragma once
#include "density/learnable_space.hpp"
#include "infer/core/fields.hpp"

namespace credo::infer {

//   nasmc      neural adaptive sequential Monte Carlo [gu2015; murphy2023, 13.4.5]: KL(p(x | y) || q) for these data, the gradient
//              sum_i W_T^i sum_t grad log q along the lines of the last particles of a filter with the last q
//   amortized  [murphy2023, 13.4.6]: E log q(x | y) over states and outcomes that are simulated from the model, whatever the data are
//   vsmc       variational sequential Monte Carlo [naesseth2018; murphy2023, 13.4.7]: E log Z of a filter of so many particles, a lower
//              bound of the log likelihood; states are m + s * noise, and how parents are chosen is not differentiated. Its first
//              half of the steps is that of nasmc
enum class Learning { nasmc, amortized, vsmc };
inline constexpr std::array<std::string_view, 3> kLearningNames = {"nasmc", "amortized", "vsmc"};
inline constexpr std::span<const std::string_view> enum_names(Learning) { return kLearningNames; }

struct LearnOptions {
  Learning how = Learning::nasmc;
  Index num_steps = 300, num_particles = 128;  // at most StateSpace::kBlock
  Index hidden = 16;
  double rate = 0.03;  // learning rate of Adam's steps
  std::uint64_t seed = 1;

  static void describe(auto& self, auto&& field) {
    field(self.how,
          FieldSpec{.name = "learn",
                    .help = "how the learned proposal is found: nasmc, by filters of these data; "
                            "amortized, by states and outcomes that are simulated; vsmc, by the "
                            "mean log likelihood of filters, a lower bound",
                    .option = "--learn"});
    field(self.num_steps, FieldSpec{.name = "learn_steps",
                                    .help = "optimisation steps for the learned proposal",
                                    .range = at_least(1),
                                    .option = "--learn-steps"});
  }
};

// The distribution after so many steps from the states' own distribution. Throws as run_filter does.
numerics::ConditionalNormal learn_proposal(density::LearnableSpace& space,
                                           const LearnOptions& options);

// One evaluation of the bound of vsmc and its gradient with respect to the distribution's weights.
struct BoundGradient {
  double log_likelihood = 0.0;
  std::vector<double> gradient;
};
BoundGradient vsmc_gradient(density::LearnableSpace& space,
                            const numerics::ConditionalNormal& distribution, Index num_particles,
                            Rng& rng);

}  // namespace credo::infer
