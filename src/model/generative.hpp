// The generative side of a program: draws from the priors, starts, the mass of the priors,
// replicates of the data.
#pragma once
#include "density/generative_side.hpp"
#include "model/densities.hpp"

namespace credo::model {

struct PriorPlan;
struct PriorSurvey;

class Generative final : public density::GenerativeSide {
 public:
  // Both must live as long.
  Generative(const ProgramParts& parts, const Densities& densities)
      : parts_(parts), densities_(densities) {}
  Generative(const Generative&) = delete;

  // From the priors that the program states (model/prior/prior_start.cpp).
  std::optional<density::Start> draw_start(Rng& rng, double radius) const;
  // In the order of the program's prior statements (model/prior/prior_draws.cpp).
  density::Capability can_draw() const;
  std::unique_ptr<density::ExactDraws> make_exact_draws() const;

  // ---- density::GenerativeSide ----
  // Found by running the program with numbers (model/prior/prior_mass.cpp).
  density::PriorMass prior_mass() const override;
  // From the statements of the likelihood (model/replicates/replicates.cpp).
  density::Capability can_replicate(std::span<const double> point) const override;
  std::unique_ptr<density::Replicates> make_replicates(
      std::span<const double> point) const override;

 private:
  std::shared_ptr<const PriorPlan> prior_plan() const;
  std::shared_ptr<const PriorPlan> start_plan() const;
  std::shared_ptr<const PriorSurvey> prior_survey() const;
  PriorSurvey survey_priors() const;
  density::Capability find_other_terms(std::span<const double> point) const;
  density::Capability name_other_terms(std::span<const double> point) const;
  density::Capability refuse_term(std::int32_t statement) const;
  density::Capability can_replicate_unknown(std::span<const double> point) const;

  const ProgramParts& parts_;
  const Densities& densities_;
  mutable std::mutex mutex_;  // guards members made on first use
  mutable std::shared_ptr<const PriorPlan> prior_plan_;
  mutable std::shared_ptr<const PriorPlan> start_plan_;  // plan of the priors that starts use
  mutable std::shared_ptr<const PriorSurvey> prior_survey_;
};

}  // namespace credo::model
