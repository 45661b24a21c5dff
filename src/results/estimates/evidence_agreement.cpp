// Agreement of estimates of the evidence by several methods, and the sentences that state it.
#include <fmt/format.h>

#include "numerics/special.hpp"
#include "results/estimates/evidence_methods.hpp"
#include "results/estimates/model_odds.hpp"

namespace credo::results {

namespace {
const EvidenceMethod& row_of_method(std::string_view name) {
  return *std::ranges::find(evidence_methods(), name, &EvidenceMethod::name);
}

bool are_comparable(const EvidenceEstimate& a, const EvidenceEstimate& b) {
  return a.has_error() && b.has_error() &&
         row_of_method(a.method).draws != row_of_method(b.method).draws;
}

template <class Visit>
void for_each_pair(std::span<const EvidenceEstimate> all, Visit visit) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      if (are_comparable(all[i], all[j])) visit(all[i], all[j]);
}

// An estimate, and a bound that it may be above by any amount, but not below.
template <class Visit>
void for_each_bound(std::span<const EvidenceEstimate> all, Visit visit) {
  for (const EvidenceEstimate& bound : all)
    for (const EvidenceEstimate& e : all)
      if (bound.is_bound() && e.has_error()) visit(e, bound);
}

std::string value_text(const EvidenceEstimate& e) {
  if (e.is_bound())
    return fmt::format("{} says at least {:.3f} ± {:.3f}", e.method, e.lower.value, e.lower.error);
  return fmt::format("{} says {:.3f} ± {:.3f}", e.method, e.log_evidence, e.error);
}

std::string sentence_without_evidence(std::span<const EvidenceEstimate> all) {
  for (const EvidenceEstimate& e : all)
    if (e.is_bound())
      return fmt::format(
          "The log evidence is at least {:.3f} ± {:.3f} ({}); no method gives it with an error.",
          e.lower.value, e.lower.error, e.method);
  return "No method gives a log evidence with an error.";
}
}  // namespace

namespace {
// Difference of two values in units of their error. Estimates without an error, as of a constant likelihood, differ
// by rounding only.
double errors_above(double value, double other, double error) {
  constexpr double kRounding = 1e-9;
  const double difference = value - other;
  if (std::abs(difference) <= kRounding * (1.0 + std::abs(value))) return 0.0;
  return difference / error;
}
}  // namespace

Index EvidenceReport::num_pairs() const {
  Index count = 0;
  for_each_pair(estimates, [&](const auto&, const auto&) { ++count; });
  for_each_bound(estimates, [&](const auto&, const auto&) { ++count; });
  return count;
}

std::optional<Disagreement> EvidenceReport::furthest() const {
  std::optional<Disagreement> found;
  for_each_pair(estimates, [&](const EvidenceEstimate& a, const EvidenceEstimate& b) {
    const double score =
        std::abs(errors_above(a.log_evidence, b.log_evidence, std::hypot(a.error, b.error)));
    if (!found || score > found->score) found = Disagreement{a.method, b.method, score};
  });
  return found;
}

std::optional<Disagreement> EvidenceReport::furthest_below_bound() const {
  std::optional<Disagreement> found;
  for_each_bound(estimates, [&](const EvidenceEstimate& e, const EvidenceEstimate& bound) {
    const double score =
        errors_above(bound.lower.value, e.log_evidence, std::hypot(e.error, bound.lower.error));
    if (score > 0.0 && (!found || score > found->score))
      found = Disagreement{e.method, bound.method, score};
  });
  return found;
}

double EvidenceReport::limit() const {
  constexpr double kShare = 0.01;
  return -numerics::inv_phi(0.5 * kShare / static_cast<double>(std::max<Index>(num_pairs(), 1)));
}

bool EvidenceReport::disagree() const {
  const auto is_chance = [&](const std::optional<Disagreement>& pair) {
    return !pair || pair->score <= limit();
  };
  return !is_chance(furthest()) || !is_chance(furthest_below_bound());
}

bool EvidenceReport::agree() const {
  return !disagree() && !names_from(Side::prior).empty() && !names_from(Side::draws).empty();
}

std::string EvidenceReport::names_from(Side side) const {
  std::string names;
  for (const EvidenceEstimate& e : estimates)
    if (e.has_error() && row_of_method(e.method).side == side)
      names += (names.empty() ? "" : ", ") + e.method;
  return names;
}

const EvidenceEstimate* EvidenceReport::best() const {
  if (disagree()) return nullptr;
  const EvidenceEstimate* found = nullptr;
  for (const EvidenceEstimate& e : estimates)
    if (e.has_error() && (found == nullptr || e.error < found->error)) found = &e;
  return found;
}

// Explains a disagreement between methods with random errors: their starting sides, and what none of them can detect.
std::string EvidenceReport::sentence_of_chance(const Disagreement& pair) const {
  const std::string from_prior = names_from(Side::prior), from_draws = names_from(Side::draws);
  const std::string differ = fmt::format(
      "the furthest two, {} and {}, differ by {:.1f} of their errors. The smallest error "
      "has {}: {:.3f} ± {:.3f}. ",
      pair.first, pair.second, pair.score, best()->method, best()->log_evidence, best()->error);
  if (!from_prior.empty() && !from_draws.empty())
    return fmt::format(
        "The methods agree: {}Starting from the prior: {}; from their own draws: {}. All would "
        "miss "
        "a part of the posterior so narrow that neither kind finds it.",
        differ, from_prior, from_draws);
  const bool are_draws = from_prior.empty();
  return fmt::format(
      "The methods differ by no more than chance, but all of them start from {} ({}): {}All "
      "would miss the same parts; --method {} starts from {}, and only both kinds together agree.",
      are_draws ? "their own draws" : "the prior", are_draws ? from_draws : from_prior, differ,
      are_draws ? "smc" : "bridge", are_draws ? "the prior" : "draws of the posterior");
}

std::string EvidenceReport::sentence() const {
  std::optional<Disagreement> pair = furthest();
  if (const auto below = furthest_below_bound(); below && below->score > limit()) pair = below;
  if (!pair) {
    const EvidenceEstimate* only = best();
    if (only == nullptr) return sentence_without_evidence(estimates);
    return fmt::format(
        "The log evidence is {:.3f} ± {:.3f} by one method alone ({}); --method all asks others.",
        only->log_evidence, only->error, only->method);
  }
  const auto named = [&](const std::string& name) -> const EvidenceEstimate& {
    return *std::find_if(estimates.begin(), estimates.end(),
                         [&](const EvidenceEstimate& e) { return e.method == name; });
  };
  if (!disagree()) return sentence_of_chance(*pair);
  return fmt::format(
      "The methods disagree: {}, {}, which is {:.1f} of their errors (at most {:.1f} is chance). "
      "One "
      "of them is wrong, and no mean of them is right. Chains may lack a mode that methods from "
      "the "
      "prior see, and these may lose a narrow one: repeat with another seed, more draws and more "
      "live points, and believe those that stay.",
      value_text(named(pair->first)), value_text(named(pair->second)), pair->score, limit());
}

std::string EvidenceReport::sentence_of_nested() const {
  for (const EvidenceEstimate& e : estimates) {
    if (e.nested.empty()) continue;
    const infer::LogEvidence& factor = e.log_factor;
    std::string text = fmt::format("The model with {} over the whole one: log Bayes factor {:.3f}",
                                   e.nested, factor.value);
    if (!std::isfinite(factor.error)) return text + ", its error isn't known.";
    text += fmt::format(" ± {:.3f}", factor.error);
    constexpr double kNotKnown = 2.0;  // errors
    if (std::abs(factor.value) > kNotKnown * factor.error)
      text += fmt::format(", {} for {}", words_of_bayes_factor(std::abs(factor.value)),
                          factor.value > 0.0 ? e.nested : "the whole one");
    if (const EvidenceEstimate* whole = best())
      text += fmt::format("; its log evidence is {:.3f} ± {:.3f} ({})",
                          whole->log_evidence + factor.value,
                          std::hypot(whole->error, factor.error), whole->method);
    return text + ".";
  }
  return {};
}

}  // namespace credo::results
