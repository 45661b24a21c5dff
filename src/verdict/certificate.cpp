#include "verdict/certificate.hpp"

#include "infer/evidence/points.hpp"
#include "infer/evidence/unseen_modes.hpp"
#include "verdict/case.hpp"
#include "verdict/probe.hpp"

namespace credo::verdict {
namespace {
constexpr double kSmallMode = 0.02;
constexpr Index kFewestDriftPoints = 32;

// A mode that climbs from the prior find, with more than 2 % of the mass.
void search_mode(Certificate& certificate, const Case& at_hand,
                 const std::vector<double>& log_weights) {
  const Probe* probe = at_hand.probe();
  density::Draws points(probe->num_points(), 1, probe->dimension());
  for (Index m = 0; m < probe->num_points(); ++m) points.set(m, 0, probe->point(m));
  const infer::LogEvidence evidence = infer::log_mean(log_weights, ssize(log_weights), 1);
  const auto search =
      infer::search_unseen_modes(*at_hand.evidence.model, points, evidence, {.seed = 1});
  if (!search.unseen || !(search.unseen->expected_share > kSmallMode)) return;
  certificate.unseen_share = search.unseen->expected_share;
  certificate.share_of_draws_there = search.unseen->share;
}

void measure_drift(Certificate& certificate, const Case& at_hand,
                   std::span<const std::vector<double>> points) {
  if (ssize(points) < kFewestDriftPoints) return;
  certificate.drift = infer::clearest_drift(*at_hand.evidence.model, points);
  certificate.drifting =
      at_hand.probe()
          ->names()[static_cast<std::size_t>(std::max<Index>(0, certificate.drift->coordinate))];
}
}  // namespace

Certificate make_certificate(const Case& at_hand) {
  const std::vector<double> log_weights = at_hand.evidence.draws->log_weights();
  Certificate certificate{.weights = infer::weight_figures(log_weights)};
  certificate.is_checked = at_hand.evidence.model != nullptr && at_hand.probe() != nullptr;
  const bool is_poor = certificate.weights.grade == infer::Grade::poor;
  if (!certificate.is_checked || (is_poor && !certificate.may_be_cleared())) return certificate;
  std::vector<std::vector<double>> points;
  for (Index m = 0; m < at_hand.probe()->num_points(); ++m)
    points.push_back(at_hand.probe()->point(m));
  if (certificate.weights.pareto_k > infer::kGoodK)
    certificate.unreached =
        infer::unreached_mass(*at_hand.evidence.model, points, ssize(log_weights));
  if (certificate.grade() == infer::Grade::poor) return certificate;
  try {
    search_mode(certificate, at_hand, log_weights);
    if (!certificate.has_unseen_mode()) measure_drift(certificate, at_hand, points);
  } catch (const Error&) {  // points far from the draws may be refused
    certificate.is_checked = false;
  }
  return certificate;
}

}  // namespace credo::verdict
