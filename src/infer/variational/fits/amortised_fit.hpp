// Fits of amortised families (families/amortised_normal.hpp): by an objective as the normal distribution is (bound.hpp), or by pairs of parameters
// and data that the program simulates: the sleep phase of wake-sleep [bornschein2015], which for priors that aren't learned is inference
// compilation [le2017]. There log q rises at simulated parameters given the features of their own data,
//
//   E_p(x, y) log q(x | y),   whose maximum makes KL(p(x | y) ‖ q(x | y)) small on average over the data that the program foresees.
#pragma once
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/families/amortised_normal.hpp"

namespace credo::infer {

struct AmortizedOptions {
  std::vector<std::string> local = {}, features = {}, point = {};
  Index hidden = 32;
  std::string layers = {};
  Index semi = 0, auxiliary = 0;
  std::string refine = {};
  Index simulations = 1000;
  BoundOptions climb = {};

  static void describe(auto& self, auto&& field) {
    field(self.local, FieldSpec{.name = "local",
                                .help = "parameters with a value for each row of the data, whose "
                                        "distributions a network computes"});
    field(self.features, FieldSpec{.name = "features",
                                   .help = "data that the network reads: columns of the rows"});
    field(self.point, FieldSpec{.name = "point",
                                .help = "parameters that are climbed as points: they have no "
                                        "distribution"});
    field(self.hidden, FieldSpec{.name = "hidden",
                                 .help = "hidden units of the network; 0: it is linear",
                                 .range = {.lo = 0.0, .hi = 1000.0}});
    field(self.layers,
          FieldSpec{.name = "layers",
                    .help = "iaf:T: gated autoregressive steps that bend the distributions of "
                            "local vectors; none: these are normal",
                    .values = "*",
                    .needs = "local"});
    field(self.auxiliary,
          FieldSpec{.name = "auxiliary",
                    .help = "auxiliary variables that the local values share, so that they depend "
                            "on each other",
                    .range = {.lo = 0.0, .hi = 100.0}});
    field(self.semi,
          FieldSpec{.name = "semi",
                    .help = "gradient steps from the network's output for each row, through which "
                            "the network learns: semi-amortised",
                    .range = {.lo = 0.0, .hi = 100.0},
                    .needs = "objective=elbo"});
    field(self.refine,
          FieldSpec{.name = "refine",
                    .help = "hmc:M: points are climbed at draws that M Hamiltonian transitions "
                            "have moved, not by the bound",
                    .needs = "objective=elbo"});
    field(self.simulations,
          FieldSpec{.name = "simulations",
                    .help = "simulated data sets of the objective sleep; a fifth is held out",
                    .range = {.lo = 10.0, .hi = 1e6},
                    .needs = "objective=sleep"});
    BoundOptions::describe(self.climb, [&](auto& value, FieldSpec spec) {
      if (spec.name == "objective")
        spec.help =
            "objective of the climb: elbo, iwae:S, renyi:a, chi2, eubo, or gvi:a; sleep: "
            "parameters and "
            "data that the program simulates";
      field(value, spec);
    });
  }
};

// The networks, points and other values that the options name. Throws Error(usage) for local values that the likelihood meets in other rows.
AmortisedSetup amortised_setup(const density::LogDensity& density, const AmortizedOptions& options);

// Throws Error(usage) for options that don't fit, too. Without layers.
BestNormal fit_amortised(const density::LogDensity& density, const AmortizedOptions& options);

}  // namespace credo::infer
