#include "results/estimates/evidence_methods.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "density/state_space.hpp"
#include "diagnose/convergence.hpp"

#include "infer/core/recorder.hpp"
#include "infer/core/table.hpp"
#include "infer/evidence/annealed_importance.hpp"
#include "infer/evidence/bridge.hpp"
#include "infer/evidence/ladder.hpp"
#include "infer/evidence/laplace.hpp"
#include "infer/variational/bound.hpp"
#include "numerics/special.hpp"
#include "results/estimates/model_odds.hpp"
#include "results/files/evidence.hpp"

namespace credo::results {
namespace {

// Chains that have warmed up.
struct PosteriorDraws {
  density::Draws positions;
  Index num_evaluations = 0;
  std::vector<std::string> notes = {};
  bool have_mixed = true;
};

// What methods share: a run that two of them take figures from is made once.
struct EvidenceWork {
  const density::Model& model;
  const EvidenceOptions& options;
  density::PriorMass mass;
  std::optional<infer::LadderEvidence> ladder = {};
  std::optional<EvidenceEstimate> annealed = {};
  std::optional<PosteriorDraws> posterior = {};
};

// ---- rows of the table of algorithms

EvidenceEstimate by_row(EvidenceWork& work, std::string_view sampler) {
  infer::SampleOptions run = work.options.run;
  run.sampler = sampler;
  run.kernel = infer::find_sampler(sampler).options();
  if (sampler == "nested") set_option(run, "live_points", std::to_string(work.options.live_points));
  infer::StoredDraws store;
  infer::RunResult result = infer::run_chains(work.model, run, store);
  stop_if_asked();
  normalise_evidence(result, work.model);
  EvidenceEstimate found{.method = std::string(sampler)};
  if (const std::optional<infer::LogEvidence> all = infer::log_evidence(result)) {
    found.log_evidence = all->value;
    found.error = all->error;
  }
  for (const infer::ChainResult& chain : result.chains)
    found.num_evaluations += chain.num_evaluations;
  for (const std::string& warning : result.warnings)
    if (!warning.starts_with("log evidence:")) found.notes.push_back(warning);
  return found;
}

EvidenceEstimate by_ais(EvidenceWork& work) {
  if (!work.annealed) work.annealed = by_row(work, "ais");
  return *work.annealed;
}
EvidenceEstimate by_nested(EvidenceWork& work) { return by_row(work, "nested"); }
EvidenceEstimate by_smc(EvidenceWork& work) { return by_row(work, "smc"); }
EvidenceEstimate by_importance(EvidenceWork& work) { return by_row(work, "importance"); }
EvidenceEstimate by_tempering(EvidenceWork& work) { return by_row(work, "tempering"); }

// ---- a ladder of chains

const infer::LadderEvidence& ladder_of(EvidenceWork& work) {
  if (work.ladder) return *work.ladder;
  const auto prior = work.model.prior();
  const density::Capability can =
      prior == nullptr ? density::Capability{.can = false,
                                             .reason =
                                                 "the model doesn't tell it from its "
                                                 "likelihood"}
                       : prior->can_draw();
  if (!can.can)
    throw Error(ErrorCode::usage, "the prior can't be drawn from: " + can.reason, can.where,
                can.hint.empty() ? "use --method bridge" : can.hint);
  const infer::SampleOptions& run = work.options.run;
  work.ladder = infer::ladder_evidence(*prior, work.model,
                                       {.num_chains = run.num_chains,
                                        .num_warmup = run.num_warmup / 4,
                                        .num_draws = run.num_draws / 2,
                                        .num_threads = run.num_threads,
                                        .seed = run.seed});
  stop_if_asked();
  return *work.ladder;
}

// Explains why the error isn't known, apart from the number of rungs.
std::vector<std::string> notes_on(const infer::LadderEvidence& ladder) {
  const infer::LadderRung& worst = ladder.least_mixed();
  if (worst.r_hat <= infer::kMostRungRHat) return {};
  return {fmt::format(
      "the chains at the power {:.3g} of the likelihood haven't mixed (R-hat {:.2f}): they may "
      "stay "
      "in separate modes, whose shares are unknown, so that the error is unknown. Take more draws "
      "and chains, or methods whose particles are shared over modes: smc, ais, nested",
      worst.inverse_temperature, worst.r_hat)};
}

EvidenceEstimate by_stepping(EvidenceWork& work) {
  const infer::LadderEvidence& ladder = ladder_of(work);
  std::vector<std::string> notes = notes_on(ladder);
  notes.push_back(fmt::format("{} rungs", ladder.rungs.size()));
  return {.method = "stepping",
          .log_evidence = ladder.stepping.value,
          .error = ladder.stepping.error,
          .notes = std::move(notes),
          .num_evaluations = ladder.num_evaluations};
}

EvidenceEstimate by_thermodynamic(EvidenceWork& work) {
  const infer::LadderEvidence& ladder = ladder_of(work);
  std::vector<std::string> notes = notes_on(ladder);
  notes.push_back(fmt::format(
      "{} rungs; between {:.3f} and {:.3f} by the sums of lower and upper ends",
      ladder.rungs.size(), ladder.log_share + ladder.lower, ladder.log_share + ladder.upper));
  return {.method = "thermodynamic",
          .log_evidence = ladder.thermodynamic.value,
          .error = ladder.thermodynamic.error,
          .notes = std::move(notes),
          .num_evaluations = ladder.num_evaluations};
}

// ---- from the posterior's side

PosteriorDraws draw_posterior(const EvidenceWork& work, std::uint64_t seed) {
  infer::SampleOptions run = work.options.run;
  run.seed = seed;
  run.sampler = work.model.has_gradient() ? "nuts" : "slice";
  infer::StoredDraws store;
  const infer::RunResult result = infer::run_chains(work.model, run, store);
  stop_if_asked();
  PosteriorDraws found{.positions = std::move(store.draws)};
  for (const infer::ChainResult& chain : result.chains)
    found.num_evaluations += chain.num_evaluations;
  double worst = 1.0;
  for (Index d = 0; d < found.positions.num_quantities(); ++d)
    worst = std::max(worst, diagnose::r_hat(diagnose::quantity(found.positions, d)));
  found.have_mixed = worst <= infer::kMostBridgeRHat;
  if (!found.have_mixed)
    found.notes.push_back(fmt::format(
        "the chains it starts from haven't mixed (R-hat {:.2f}), so that its error isn't known: "
        "more warm-up and draws",
        worst));
  return found;
}

const PosteriorDraws& posterior_of(EvidenceWork& work) {
  if (!work.posterior) work.posterior = draw_posterior(work, work.options.run.seed);
  return *work.posterior;
}

infer::BridgeEvidence bridge_of(const EvidenceWork& work, const PosteriorDraws& draws) {
  return infer::bridge_evidence(work.model, draws.positions, {.seed = work.options.run.seed});
}

// False where climbs from the prior end at a mode that the chains lack; the notes say it.
bool lack_no_mode(const infer::ModeSearch& modes, std::vector<std::string>& notes) {
  if (!modes.was_made)
    notes.push_back(
        "modes that its chains lack weren't searched for: no gradient, or too many parameters");
  if (!modes.unseen) return true;
  notes.push_back(fmt::format(
      "a climb from the prior ends at a mode that holds {:.2g} times the evidence told by bridge "
      "sampling, and {:.2g} of the chains' draws: they lack a mode, so that the error isn't known. "
      "More chains, or methods from the prior",
      modes.unseen->expected_share, modes.unseen->share));
  return false;
}

// Of chains that another method than bridge takes its figures from: the shares of draws are told by bridge sampling from them.
bool are_complete(const EvidenceWork& work, const PosteriorDraws& draws, EvidenceEstimate& found) {
  if (!draws.have_mixed) return false;
  try {
    const infer::BridgeEvidence bridge = bridge_of(work, draws);
    found.num_evaluations += bridge.num_evaluations;
    const bool tells = bridge.converged && std::isfinite(bridge.evidence.value);
    if (tells || bridge.modes.unseen) return lack_no_mode(bridge.modes, found.notes);
    found.notes.push_back(
        "modes that its chains lack weren't searched for: bridge sampling of them tells no "
        "evidence");
    return true;
  } catch (const Error& error) {  // as too few draws for bridge sampling: what is found stands
    if (error.code() != ErrorCode::evaluation && error.code() != ErrorCode::usage) throw;
    found.notes.push_back("modes that its chains lack weren't searched for: " + error.message());
    return true;
  }
}

EvidenceEstimate by_bridge(EvidenceWork& work) {
  const PosteriorDraws& draws = posterior_of(work);
  const infer::BridgeEvidence bridge = bridge_of(work, draws);
  EvidenceEstimate found{.method = "bridge",
                         .log_evidence = bridge.evidence.value - work.mass.log_mass,
                         .error = bridge.evidence.error,
                         .notes = draws.notes,
                         .num_evaluations = bridge.num_evaluations + draws.num_evaluations};
  if (!bridge.converged) found.notes.push_back("its iteration hasn't converged");
  (void)lack_no_mode(bridge.modes, found.notes);  // its error says it, too
  return found;
}

// The middle of both bounds. Its error is the standard one, or half of what is between them, whichever is larger.
EvidenceEstimate by_sandwich(EvidenceWork& work) {
  EvidenceEstimate found = by_ais(work);
  found.method = "sandwich";
  infer::SampleOptions run = work.options.run;
  PosteriorDraws draws = draw_posterior(work, ++run.seed);  // others than those of bridge
  const infer::BackwardAnnealing back = infer::anneal_backwards(work.model, draws.positions, run);
  stop_if_asked();
  found.lower = {.value = found.log_evidence, .error = found.error};
  found.upper = back.upper;
  const double gap = found.upper.value - found.lower.value,
               error = std::hypot(found.lower.error, found.upper.error);
  found.log_evidence = 0.5 * (found.lower.value + found.upper.value);
  found.num_evaluations += back.num_evaluations + draws.num_evaluations;
  found.notes.insert(found.notes.end(), draws.notes.begin(), draws.notes.end());
  found.error = are_complete(work, draws, found) ? 0.5 * std::max(error, std::abs(gap)) : kInfinity;
  found.notes.push_back(
      fmt::format("between {:.3f} ± {:.3f}, forwards, and {:.3f} ± {:.3f}, backwards from the "
                  "posterior: bounds in the mean",
                  found.lower.value, found.lower.error, found.upper.value, found.upper.error));
  constexpr double kTooFar = 3.0;
  if (gap < -kTooFar * error)
    found.notes.push_back(fmt::format(
        "its upper bound is below the lower one by {:.1f} of their errors: one of them has lost a "
        "part of the posterior, or more rungs are needed",
        -gap / error));
  return found;
}

EvidenceEstimate by_savage_dickey(EvidenceWork& work) {
  if (!work.options.nested)
    throw Error(ErrorCode::usage, "it isn't said where the nested model is",
                "--method savage-dickey", "--at \"theta = 0\", or --at \"theta > 0\"");
  const PosteriorDraws& draws = posterior_of(work);
  SavageDickey ratio =
      savage_dickey(work.model, *work.options.nested, draws.positions, work.options.run.seed);
  EvidenceEstimate found{.method = "savage-dickey",
                         .log_factor = ratio.log_factor,
                         .nested = work.options.nested->text,
                         .notes = draws.notes,
                         .num_evaluations = draws.num_evaluations + ratio.num_evaluations};
  found.notes.insert(found.notes.end(), ratio.notes.begin(), ratio.notes.end());
  if (!are_complete(work, draws, found)) found.log_factor.error = kNaN;
  return found;
}

EvidenceEstimate by_laplace(EvidenceWork& work) {
  const infer::LaplaceEvidence laplace =
      infer::laplace_evidence(work.model, {.seed = work.options.run.seed});
  EvidenceEstimate found{.method = "laplace",
                         .log_evidence = laplace.log_evidence - work.mass.log_mass,
                         .notes = {"the error of the normal approximation isn't known"},
                         .num_evaluations = laplace.num_evaluations};
  if (laplace.num_elsewhere > 0)
    found.notes.push_back(fmt::format("{} of {} climbs end at lower modes, which it leaves out",
                                      laplace.num_elsewhere,
                                      laplace.num_elsewhere + laplace.num_there));
  return found;
}

// A lower bound and no estimate: by how much it is below the evidence isn't known.
EvidenceEstimate by_elbo(EvidenceWork& work) {
  const infer::BestNormal best = infer::maximise_bound(
      work.model, {.covariance = work.options.covariance, .seed = work.options.run.seed});
  stop_if_asked();
  EvidenceEstimate found{
      .method = "elbo",
      .lower = {.value = best.bound.value - work.mass.log_mass, .error = best.bound.error},
      .notes = {"a lower bound, below the evidence by what the posterior is unlike a normal law"},
      .num_evaluations = best.num_evaluations};
  if (!best.converged)
    found.notes.push_back(
        "the climb to the best normal law hasn't converged: there are higher bounds");
  return found;
}

struct MethodRow : EvidenceMethod {
  EvidenceEstimate (*run)(EvidenceWork&);
};

constexpr std::array kMethods = {
    MethodRow{{"ais", "annealed importance sampling: particles from the prior, each by itself",
               "neal2001", "ais", Side::prior},
              by_ais},
    MethodRow{{"bridge", "draws of the posterior against a normal fitted to them", "meng2002",
               "posterior"},
              by_bridge},
    MethodRow{
        {"elbo", "a lower bound: the best normal law of the free values", "giordano2024", "elbo"},
        by_elbo},
    MethodRow{{"importance", "draws of the prior, weighted by the likelihood", "kahn1955",
               "importance", Side::prior},
              by_importance},
    MethodRow{{"laplace", "a normal with the mode and its curvature", "murphy2023", "mode"},
              by_laplace},
    MethodRow{{"nested", "nested sampling: the prior, shrunk around the likelihood's top",
               "skilling2006", "nested", Side::prior},
              by_nested},
    MethodRow{
        {"sandwich", "annealed importance sampling forwards and backwards: bounds below and above",
         "grosse2015", "ais", Side::prior},
        by_sandwich},
    MethodRow{{"savage-dickey",
               "density of a nested model's point, the posterior's over the prior's: --at",
               "dickey1971", "posterior"},
              by_savage_dickey},
    MethodRow{
        {"smc", "a population from the prior to the posterior", "delmoral2006", "smc", Side::prior},
        by_smc},
    MethodRow{{"stepping", "chains on a ladder of temperatures: stepping stones", "xie2011",
               "ladder", Side::prior},
              by_stepping},
    MethodRow{
        {"tempering", "parallel tempering from a normal: stepping stones", "syed2022", "tempering"},
        by_tempering},
    MethodRow{{"thermodynamic", "chains on a ladder of temperatures: thermodynamic integration",
               "gelman1998", "ladder", Side::prior},
              by_thermodynamic}};

const MethodRow& method_row(std::string_view name) {
  return *std::find_if(kMethods.begin(), kMethods.end(),
                       [&](const MethodRow& row) { return row.name == name; });
}

EvidenceEstimate estimate(EvidenceWork& work, const MethodRow& row, bool is_only_one) {
  const double begun = infer::clock_seconds();
  EvidenceEstimate found{.method = std::string(row.name)};
  try {
    found = row.run(work);
  } catch (const Error& error) {
    if (is_only_one || error.code() == ErrorCode::internal) throw;
    found.refusal = error.message();
    found.hint = error.hint();
  }
  found.seconds = infer::clock_seconds() - begun;
  return found;
}

void require_proper(const density::PriorMass& mass) {
  if (mass.improper.empty()) return;
  const density::PriorMass::Part& part = mass.improper.front();
  throw Error(
      ErrorCode::usage,
      fmt::format("there is no evidence: {} {}{}", part.parameter,
                  part.reason.empty() ? "has no prior and an unbounded range" : part.reason,
                  mass.improper.size() == 1
                      ? ""
                      : fmt::format(", and so have {} others", mass.improper.size() - 1)),
      part.where.empty() ? part.parameter : part.where,
      fmt::format("state a proper prior: {} ~ normal(0, 10)", part.parameter));
}
}  // namespace

std::span<const EvidenceMethod> evidence_methods() {
  static const std::vector<EvidenceMethod> all(kMethods.begin(), kMethods.end());
  return all;
}

std::vector<std::string_view> methods_of(std::string_view word, bool has_nested) {
  std::vector<std::string_view> all;
  std::string names;
  for (const MethodRow& row : kMethods) {
    if (row.name == word) return {row.name};
    if (has_nested || row.run != by_savage_dickey) all.push_back(row.name);
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  if (word == "all") return all;
  if (word == "auto") return {"smc", "bridge"};
  throw Error(ErrorCode::usage, fmt::format("there is no method '{}'", word), "--method",
              "there are: auto, all, " + names);
}

EvidenceReport estimate_evidence(const density::Model& model, const EvidenceOptions& options,
                                 std::span<const std::string_view> methods,
                                 const EvidenceProgress& progress) {
  density::require_likelihood(model, "the evidence");
  EvidenceWork work{.model = model, .options = options, .mass = model.prior_mass()};
  require_proper(work.mass);
  EvidenceReport report;
  report.notes = remarks_on(work.mass);
  report.data = digests_of(model);
  for (Index place = 0; const std::string_view name : methods) {
    stop_if_asked();
    const auto known = progress.known.find(place);
    const bool is_known = known != progress.known.end();
    report.estimates.push_back(is_known ? known->second
                                        : estimate(work, method_row(name), methods.size() == 1));
    if (!is_known && progress.told) progress.told(place, report.estimates.back());
    ++place;
  }
  return report;
}

// ---- agreement

namespace {
bool are_comparable(const EvidenceEstimate& a, const EvidenceEstimate& b) {
  return a.has_error() && b.has_error() && method_row(a.method).draws != method_row(b.method).draws;
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
          "The log evidence is at least {:.3f} ± {:.3f} ({}); no method tells it with an error.",
          e.lower.value, e.lower.error, e.method);
  return "No method tells a log evidence with an error.";
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
    const double score = errors_above(bound.lower.value, e.log_evidence,
                                      std::hypot(e.error, bound.lower.error));
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
    if (e.has_error() && method_row(e.method).side == side)
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
        "The methods agree: {}Starting from the prior: {}; from their own draws: {}. All would miss "
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
