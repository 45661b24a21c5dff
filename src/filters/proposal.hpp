// The proposals of guided particle filters. A new one is a class with its row in proposals.cpp.
#pragma once
#include "filters/method_row.hpp"
#include "infer/smc/particle_filter.hpp"

namespace credo::filters {

class Proposal {
 public:
  virtual ~Proposal() = default;
  virtual density::Capability can_follow(const model::StateModel& states) const = 0;
  // Called once, before the first run and at its parameters.
  virtual void learn(const model::StateModel&, const infer::FilterOptions&) {}
  // The model with this proposal.
  virtual std::shared_ptr<const density::StateSpace> space(
      const model::StateModel& states) const = 0;
};
std::unique_ptr<Proposal> make_proposal(const infer::ChosenRow& proposal);
extern const infer::RowTable kProposals;

// Option of unscented filters and proposals.
struct SigmaPointOptions {
  double kappa = 0.0;
  static void describe(auto& self, auto&& field) {
    field(self.kappa,
          infer::FieldSpec{.name = "kappa",
                           .help = "how far sigma points lie out, sqrt(d + kappa) standard "
                                   "deviations; 0: the cubature rule",
                           .range = {.lo = 0.0, .hi = 1e6},
                           .option = "--kappa"});
  }
};

}  // namespace credo::filters
