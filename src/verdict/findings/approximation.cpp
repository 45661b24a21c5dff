// Draws of an approximation that aren't draws of the posterior (infer/variational/drift.hpp): 64 of them, moved by NUTS, drift; or only
// their weights make them so. A grade of good takes both a low Pareto k and no drift.
#include "infer/variational/approximation.hpp"
#include "diagnose/weights.hpp"
#include "infer/evidence/points.hpp"
#include "infer/evidence/unseen_modes.hpp"
#include "infer/variational/drift.hpp"
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::approximation_row {
namespace {
constexpr double kGoodK = 0.5, kReliableK = 0.7, kFewestEffective = 100.0, kSmallMode = 0.02;
constexpr Index kFewestDriftPoints = 32;
constexpr const char* kSampleInstead =
    "Use credo sample, which goes on to the posterior; or another method (--method normal), a full "
    "covariance, or a program in coordinates in which the posterior is nearer to a normal "
    "distribution.";

bool is_of_approximation(const Case& at_hand) {
  return at_hand.evidence.run != nullptr && infer::is_approximation(at_hand.evidence.run->sampler);
}

std::optional<Finding> drift_of(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || at_hand.evidence.model == nullptr ||
      probe->num_points() < kFewestDriftPoints)
    return std::nullopt;
  std::vector<std::vector<double>> points;
  for (Index m = 0; m < probe->num_points(); ++m) points.push_back(probe->point(m));
  const infer::Drift drift = infer::clearest_drift(*at_hand.evidence.model, points);
  if (!(drift.clear() > 1.0)) return std::nullopt;
  const std::string& name = probe->names()[static_cast<std::size_t>(drift.coordinate)];
  return Finding{
      .id = "approximation",
      .level = Level::bad,
      .parameters = {name},
      .text =
          "The approximation is poor: NUTS moves its draws away. In " +
          std::to_string(infer::kDriftTransitions) + " transitions the " +
          (drift.of_spread ? "log of the standard deviation of " : "mean of the unconstrained ") +
          name + " changes by " + number(drift.drift) +
          (drift.of_spread ? "" : " standard deviations") + " (standard error " +
          number(drift.error) + "), and it would stay if these were draws of the posterior.",
      .remedy = kSampleInstead,
      .place = at_hand.place_of(name)};
}

// Weights of which no figure can be made: the approximation is far from the posterior.
std::optional<Finding> far_by_weights(std::span<const double> log_weights) {
  const double k = diagnose::weight_pareto_k(log_weights), ess = diagnose::weight_ess(log_weights);
  if (!(k > kReliableK) && ess >= kFewestEffective) return std::nullopt;
  return Finding{.id = "approximation",
                 .level = Level::bad,
                 .text = "The approximation is poor: its " +
                         whole(static_cast<double>(log_weights.size())) +
                         " weighted draws are worth " + whole(ess) + " equal ones, with Pareto k " +
                         number(k) + " (reliable below 0.7).",
                 .remedy = kSampleInstead};
}

// A mode that climbs from the prior find, with more than 2 % of the mass, and that the draws leave out.
std::optional<Finding> unseen_mode(const Case& at_hand, const std::vector<double>& log_weights) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || at_hand.evidence.model == nullptr || log_weights.empty())
    return std::nullopt;
  density::Draws points(probe->num_points(), 1, probe->dimension());
  for (Index m = 0; m < probe->num_points(); ++m) points.set(m, 0, probe->point(m));
  const infer::LogEvidence evidence = infer::log_mean(log_weights, ssize(log_weights), 1);
  const auto search =
      infer::search_unseen_modes(*at_hand.evidence.model, points, evidence, {.seed = 1});
  if (!search.unseen || !(search.unseen->expected_share > kSmallMode)) return std::nullopt;
  return Finding{.id = "approximation",
                 .level = Level::bad,
                 .text =
                     "The approximation is poor: it leaves out a mode. Of 20 climbs from the "
                     "prior some end at one that should have " +
                     percent(search.unseen->expected_share) +
                     " of the mass that the draws see, and " + percent(search.unseen->share) +
                     " of the draws are there.",
                 .remedy =
                     "Use credo sample --sampler smc or tempering, which visit all modes; or "
                     "credo approximate --method pathfinder, whose paths begin apart."};
}

std::vector<Finding> check(const Case& at_hand) {
  if (!is_of_approximation(at_hand)) return {};
  const std::vector<double> log_weights = at_hand.evidence.draws->log_weights();
  if (auto far = far_by_weights(log_weights)) return {*std::move(far)};
  if (auto mode = unseen_mode(at_hand, log_weights)) return {*std::move(mode)};
  if (auto drift = drift_of(at_hand)) return {*std::move(drift)};
  const double k = diagnose::weight_pareto_k(log_weights);
  if (!(k > kGoodK && k <= kReliableK)) return {};
  return {Finding{.id = "approximation",
                  .level = Level::note,
                  .text = "The approximation is good after weighting: Pareto k " + number(k) +
                          " is above 0.5, so that only figures with the weights, as these are, can "
                          "be relied on.",
                  .remedy = "Use commands that read the weights, as credo summary does; " +
                            std::string("or credo sample.")}};
}
}  // namespace

const FindingSpec approximation{.id = "approximation",
                                .title = "draws of an approximation that aren't of the posterior",
                                .explains = {"weights", "few_draws", "not_mixed"},
                                .check = check};

}  // namespace credo::verdict::approximation_row
