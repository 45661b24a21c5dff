// Draws of an approximation that aren't draws of the posterior (verdict/certificate.hpp): their weights say so, or they leave out a mode,
// or 64 of them, moved by NUTS, drift. A grade of good takes evidence beyond the approximation's own draws.
#include "infer/variational/approximation.hpp"
#include "verdict/certificate.hpp"
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::approximation_row {
namespace {
// Advice, without the method and the covariance of this run.
std::string other_approximations(const Case& at_hand) {
  const std::string& method = at_hand.evidence.run->sampler;
  const std::string& covariance = at_hand.evidence.covariance;
  std::string advice;
  const auto add = [&](const std::string& text) { advice += (advice.empty() ? "" : ", ") + text; };
  if (method != infer::kStandardApproximation) add("another method (--method normal)");
  const bool has_narrower = covariance != "full" && covariance != "auto" && !covariance.empty();
  if (has_narrower) add("a full covariance (--covariance full)");
  add(advice.empty() ? "a program" : "or a program");
  return advice + " in coordinates in which the posterior is nearer to a normal distribution.";
}

std::string sample_instead(const Case& at_hand) {
  return "Use credo sample, which goes on to the posterior (--then sample does so by itself); or " +
         other_approximations(at_hand);
}

// Weights of which no figure can be made: the approximation is far from the posterior.
Finding far_by_weights(const Case& at_hand, const infer::WeightFigures& weights) {
  return {.id = "approximation",
          .level = Level::bad,
          .text = "The approximation is poor: its " +
                  whole(static_cast<double>(weights.num_draws)) + " weighted draws are worth " +
                  whole(weights.effective) + " equal ones, with Pareto k " +
                  number(weights.pareto_k) + " (reliable below 0.7).",
          .remedy = sample_instead(at_hand)};
}

Finding unseen_mode(const Case& at_hand, const Certificate& certificate) {
  const bool has_paths = at_hand.evidence.run->sampler == infer::kApproximationByPaths;
  return {
      .id = "approximation",
      .level = Level::bad,
      .text =
          "The approximation is poor: it leaves out a mode. Of 20 climbs from the "
          "prior some end where about " +
          percent(certificate.unseen_share) + " of the posterior lies that no draws stand for; " +
          percent(certificate.share_of_draws_there) + " of the draws are there.",
      .remedy =
          std::string("Use credo sample --sampler smc or tempering, which visit all modes; or ") +
          (has_paths ? "more paths (--num-paths 40)."
                     : "credo approximate --method pathfinder, whose paths begin apart.")};
}

Finding without_tails(const Case& at_hand, const Certificate& certificate) {
  const infer::UnreachedMass& unreached = *certificate.unreached;
  const std::string how = " (by importance sampling from a wide t distribution; standard error " +
                          percent(unreached.is_much() ? unreached.error : unreached.spread_error) +
                          ").";
  if (unreached.is_much())
    return {
        .id = "approximation",
        .level = Level::bad,
        .text = "The approximation is poor: about " + percent(unreached.share) +
                " of the posterior lies beyond the reach of its draws, whose weights can't show "
                "it" +
                how,
        .remedy = sample_instead(at_hand)};
  return {.id = "approximation",
          .level = Level::bad,
          .parameters = {certificate.far_output},
          .text = "The approximation is poor: its tail is too light for " + certificate.far_output +
                  ", of whose variance about " + percent(unreached.spread) +
                  " more lies beyond the reach of the draws than the approximation has there" + how,
          .remedy = sample_instead(at_hand),
          .place = at_hand.place_of(certificate.far_output)};
}

Finding drifting(const Case& at_hand, const Certificate& certificate) {
  const infer::Drift& drift = *certificate.drift;
  const std::string& name = certificate.drifting;
  return {
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
      .remedy = sample_instead(at_hand),
      .place = at_hand.place_of(name)};
}

Finding after_weighting(const infer::WeightFigures& weights) {
  return {.id = "approximation",
          .level = Level::note,
          .text = "The approximation is good after weighting: its " +
                  whole(static_cast<double>(weights.num_draws)) + " draws are worth " +
                  whole(weights.effective) + " equal ones, with Pareto k " +
                  number(weights.pareto_k) +
                  ", so that only figures with the weights, as these are, can be relied on.",
          .remedy = "Use commands that read the weights, as credo summary does; or credo sample."};
}

Finding without_weights() {
  return {.id = "approximation",
          .level = Level::note,
          .text =
              "The approximation wasn't checked by weights, since it has none: its log density "
              "isn't known, or isn't meant to be the posterior's. A drift of its draws and other "
              "modes are all that was looked for.",
          .remedy =
              "Compare it with credo sample, or with a method that has weights (--method "
              "normal)."};
}

Finding not_checked() {
  return {.id = "approximation",
          .level = Level::note,
          .text =
              "The approximation was judged by its own draws alone: modes that it leaves out "
              "and a drift of its draws weren't looked for.",
          .remedy = "Leave --no-check out, or give credo diagnose the data of the model."};
}

std::vector<Finding> check(const Case& at_hand) {
  if (!at_hand.is_of_approximation()) return {};
  const Certificate& certificate = at_hand.certificate();
  if (certificate.has_unseen_mode()) return {unseen_mode(at_hand, certificate)};
  if (certificate.leaves_out_tails()) return {without_tails(at_hand, certificate)};
  if (certificate.drifts()) return {drifting(at_hand, certificate)};
  if (certificate.grade() == infer::Grade::poor)
    return {far_by_weights(at_hand, certificate.weights)};
  if (!certificate.is_checked) return {not_checked()};
  if (!certificate.weights.has_weights) return {without_weights()};
  if (certificate.grade() == infer::Grade::good) return {};
  return {after_weighting(certificate.weights)};
}
}  // namespace

const FindingSpec approximation{.id = "approximation",
                                .title = "draws of an approximation that aren't of the posterior",
                                .explains = {"weights", "few_draws", "not_mixed"},
                                .check = check};

}  // namespace credo::verdict::approximation_row
