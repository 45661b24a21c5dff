#include "results/estimates/evidence_methods.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "density/state_space.hpp"
#include "diagnose/convergence.hpp"

#include "infer/core/recorder.hpp"
#include "infer/core/standard_samplers.hpp"
#include "infer/core/table.hpp"
#include "infer/evidence/annealed_importance.hpp"
#include "infer/evidence/bridge.hpp"
#include "infer/evidence/ladder.hpp"
#include "infer/evidence/laplace.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/neutra.hpp"
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

// State shared by methods: a run that two of them use is made once.
struct EvidenceWork {
  const density::Model& model;
  const EvidenceOptions& options;
  density::PriorMass mass;
  PieceInProgress piece = {};  // the method
  std::optional<infer::LadderEvidence> ladder = {};
  std::optional<EvidenceEstimate> annealed = {};
  std::optional<PosteriorDraws> posterior = {};

  // Options of a method, by the name under which it has them (EvidenceMethod::options_of).
  template <infer::Described Options>
  Options options_of(std::string_view method) const {
    const auto found = options.methods.find(method);
    return found == options.methods.end() ? Options{} : *found->second.as<Options>();
  }
};

// ---- rows of the table of algorithms

infer::KernelOptions kernel_of(const EvidenceWork& work, std::string_view sampler) {
  const auto given = work.options.methods.find(sampler);
  return given == work.options.methods.end() ? infer::find_sampler(sampler).options()
                                             : given->second;
}

EvidenceEstimate by_run(EvidenceWork& work, std::string_view sampler, infer::KernelOptions kernel) {
  infer::SampleOptions run = work.options.run;
  run.sampler = sampler;
  run.kernel = std::move(kernel);
  if (const auto* own = run.kernel.as<infer::NeutraOptions>();
      own != nullptr && !infer::has_warmup_there(own->base))
    run.num_warmup = 0;
  infer::RunResult result = run_of_piece(work.model, run, work.piece);
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

EvidenceEstimate by_row(EvidenceWork& work, std::string_view sampler) {
  return by_run(work, sampler, kernel_of(work, sampler));
}

// Importance sampling from a distribution that was fitted, or a flow that is fitted first.
EvidenceEstimate by_proposal(EvidenceWork& work) {
  auto own = work.options_of<infer::NeutraOptions>("proposal");
  own.base = infer::kProposalBase;
  EvidenceEstimate found = by_run(work, infer::kNeutraName, own);
  found.method = "proposal";
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
                                                 "the model doesn't separate it from its "
                                                 "likelihood"}
                       : prior->can_draw();
  if (!can.can)
    throw Error(ErrorCode::usage, "the prior can't be drawn from: " + can.reason, can.where,
                can.hint.empty() ? "use --method bridge" : can.hint);
  const infer::SampleOptions& run = work.options.run;
  auto own = work.options_of<infer::LadderOptions>("stepping");
  own.num_chains = run.num_chains;
  own.num_warmup = run.num_warmup / 4;
  own.num_draws = run.num_draws / 2;
  own.num_threads = run.num_threads;
  own.seed = run.seed;
  work.ladder = infer::ladder_evidence(*prior, work.model, own);
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
  run.sampler =
      work.model.has_gradient() ? infer::kStandardSampler : infer::kStandardWithoutGradient;
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
  auto own = work.options_of<infer::BridgeOptions>("bridge");
  own.seed = work.options.run.seed;
  return infer::bridge_evidence(work.model, draws.positions, own);
}

// False where climbs from the prior end at a mode that the chains lack; the notes say it.
bool lack_no_mode(const infer::ModeSearch& modes, std::vector<std::string>& notes) {
  if (!modes.was_made)
    notes.push_back(
        "modes that its chains lack weren't searched for: no gradient, or too many parameters");
  if (!modes.unseen) return true;
  notes.push_back(fmt::format(
      "a climb from the prior ends at a mode that holds {:.2g} times the evidence by bridge "
      "sampling, and {:.2g} of the chains' draws: they lack a mode, so that the error isn't known. "
      "More chains, or methods from the prior",
      modes.unseen->expected_share, modes.unseen->share));
  return false;
}

// False if chains of another method than bridge haven't mixed, or if bridge sampling from them finds a mode that they lack.
bool are_complete(const EvidenceWork& work, const PosteriorDraws& draws, EvidenceEstimate& found) {
  if (!draws.have_mixed) return false;
  try {
    const infer::BridgeEvidence bridge = bridge_of(work, draws);
    found.num_evaluations += bridge.num_evaluations;
    const bool has_value = bridge.converged && std::isfinite(bridge.evidence.value);
    if (has_value || bridge.modes.unseen) return lack_no_mode(bridge.modes, found.notes);
    found.notes.push_back(
        "modes that its chains lack weren't searched for: bridge sampling of them gives no "
        "evidence");
    return true;
  } catch (const Error& error) {  // such as too few draws for bridge sampling: the estimate stands
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

// The middle of both bounds. Its error is the standard one, or half the distance between them if that is larger.
EvidenceEstimate by_sandwich(EvidenceWork& work) {
  EvidenceEstimate found = by_ais(work);
  found.method = "sandwich";
  infer::SampleOptions run = work.options.run;
  PosteriorDraws draws = draw_posterior(work, ++run.seed);  // others than those of bridge
  run.kernel = kernel_of(work, "ais");
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
  auto own = work.options_of<infer::LaplaceOptions>("laplace");
  own.seed = work.options.run.seed;
  const infer::LaplaceEvidence laplace = infer::laplace_evidence(work.model, own);
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
  auto own = work.options_of<infer::BoundOptions>("elbo");
  own.seed = work.options.run.seed;
  FitOfPiece kept(work.piece);
  const infer::FitScope scope(kept.keeper());
  const infer::BestNormal best = infer::maximise_bound(work.model, own);
  stop_if_asked();
  EvidenceEstimate found{
      .method = "elbo",
      .lower = {.value = best.bound.value - work.mass.log_mass, .error = best.bound.error},
      .notes = {"a lower bound, below the evidence by what the posterior is unlike a normal "
                "distribution"},
      .num_evaluations = best.num_evaluations};
  if (!best.converged)
    found.notes.push_back(
        "the climb to the best normal distribution hasn't converged: there are higher bounds");
  found.notes.insert(found.notes.end(), best.remarks.begin(), best.remarks.end());
  return found;
}

struct MethodRow : EvidenceMethod {
  EvidenceEstimate (*run)(EvidenceWork&);
};

template <class Options>
infer::KernelOptions described() {
  return Options{};
}
template <const char* sampler>
infer::KernelOptions of_sampler() {
  return infer::find_sampler(sampler).options();
}
constexpr char kAis[] = "ais", kImportance[] = "importance", kNested[] = "nested", kSmc[] = "smc",
               kTempering[] = "tempering";

constexpr std::array kMethods = {
    MethodRow{{.name = "ais",
               .summary = "annealed importance sampling: particles from the prior, each by itself",
               .reference = "neal2001",
               .draws = "ais",
               .side = Side::prior,
               .options = of_sampler<kAis>},
              by_ais},
    MethodRow{{.name = "bridge",
               .summary = "draws of the posterior against a normal fitted to them",
               .reference = "meng2002",
               .draws = "posterior",
               .options = described<infer::BridgeOptions>},
              by_bridge},
    MethodRow{{.name = "elbo",
               .summary = "a lower bound: the best normal distribution of the unconstrained values",
               .reference = "giordano2024",
               .draws = "elbo",
               .options = described<infer::BoundOptions>},
              by_elbo},
    MethodRow{{.name = "importance",
               .summary = "draws of the prior, weighted by the likelihood",
               .reference = "kahn1955",
               .draws = "importance",
               .side = Side::prior,
               .options = of_sampler<kImportance>},
              by_importance},
    MethodRow{{.name = "laplace",
               .summary = "a normal with the mode and its curvature",
               .reference = "murphy2023",
               .draws = "mode",
               .options = described<infer::LaplaceOptions>},
              by_laplace},
    MethodRow{{.name = "nested",
               .summary = "nested sampling: the prior, shrunk around the likelihood's top",
               .reference = "skilling2006",
               .draws = "nested",
               .side = Side::prior,
               .options = of_sampler<kNested>},
              by_nested},
    MethodRow{
        {.name = "proposal",
         .summary = "weighted draws of an approximation (--through fit.nc), or of a flow that "
                    "is fitted first",
         .reference = "hoffman2019",
         .draws = "proposal",
         .options = described<infer::NeutraOptions>},
        by_proposal},
    MethodRow{
        {.name = "sandwich",
         .summary = "annealed importance sampling forwards and backwards: bounds below and above",
         .reference = "grosse2015",
         .draws = "ais",
         .side = Side::prior,
         .options = of_sampler<kAis>,
         .options_of = "ais"},
        by_sandwich},
    MethodRow{{.name = "savage-dickey",
               .summary = "density of a nested model's point, the posterior's over the prior's: "
                          "--at",
               .reference = "dickey1971",
               .draws = "posterior"},
              by_savage_dickey},
    MethodRow{{.name = "smc",
               .summary = "a population from the prior to the posterior",
               .reference = "delmoral2006",
               .draws = "smc",
               .side = Side::prior,
               .options = of_sampler<kSmc>},
              by_smc},
    MethodRow{{.name = "stepping",
               .summary = "chains on a ladder of temperatures: stepping stones",
               .reference = "xie2011",
               .draws = "ladder",
               .side = Side::prior,
               .options = described<infer::LadderOptions>},
              by_stepping},
    MethodRow{{.name = "tempering",
               .summary = "parallel tempering from a normal: stepping stones",
               .reference = "syed2022",
               .draws = "tempering",
               .options = of_sampler<kTempering>},
              by_tempering},
    MethodRow{{.name = "thermodynamic",
               .summary = "chains on a ladder of temperatures: thermodynamic integration",
               .reference = "gelman1998",
               .draws = "ladder",
               .side = Side::prior,
               .options = described<infer::LadderOptions>,
               .options_of = "stepping"},
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
  const bool is_known = !std::isnan(part.log_mass);
  throw Error(
      ErrorCode::usage,
      fmt::format("{}: {} {}{}", is_known ? "there is no evidence" : "the evidence isn't known",
                  part.parameter,
                  part.reason.empty() ? "has no prior and an unbounded range" : part.reason,
                  mass.improper.size() == 1
                      ? ""
                      : fmt::format(", and so have {} others", mass.improper.size() - 1)),
      part.where.empty() ? part.parameter : part.where,
      is_known ? fmt::format("state a proper prior: {} ~ normal(0, 10)", part.parameter)
               : fmt::format("let the prior of {} read none of the others, as {} ~ normal(0, 10), "
                             "or write one density of them together, as multi_normal",
                             part.parameter, part.parameter));
}
}  // namespace

std::span<const EvidenceMethod> evidence_methods() {
  static const std::vector<EvidenceMethod> all(kMethods.begin(), kMethods.end());
  return all;
}

bool set_method_option(EvidenceOptions& options, std::span<const std::string_view> methods,
                       std::string_view field, std::string_view text) {
  std::vector<std::string_view> set;
  const std::string_view first = field.substr(0, field.find('.'));
  for (const std::string_view name : methods) {
    const MethodRow& row = method_row(name);
    const std::string_view key = row.key();
    if (row.options == nullptr || std::ranges::find(set, key) != set.end()) continue;
    const auto fields = infer::fields_of(row.options());
    if (std::ranges::find(fields, first, &infer::FieldValue::name) == fields.end()) continue;
    auto& own = options.methods.try_emplace(std::string(key), row.options()).first->second;
    infer::set_field(own, field, text, key);
    set.push_back(key);
  }
  return !set.empty();
}

std::vector<std::string_view> methods_of(std::string_view word, bool has_nested) {
  std::vector<std::string_view> all;
  std::string names;
  for (const MethodRow& row : kMethods) {
    if (row.name == word) return {row.name};
    if ((has_nested || row.run != by_savage_dickey) && row.run != by_proposal)
      all.push_back(row.name);
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
  EvidenceWork work{.model = model,
                    .options = options,
                    .mass = prior_mass(model),
                    .piece = {.states = progress.states}};
  require_proper(work.mass);
  EvidenceReport report;
  report.notes = remarks_on(work.mass);
  report.data = digests_of(model);
  for (Index place = 0; const std::string_view name : methods) {
    stop_if_asked();
    work.piece.number = place;
    const auto known = progress.known.find(place);
    const bool is_known = known != progress.known.end();
    report.estimates.push_back(is_known ? known->second
                                        : estimate(work, method_row(name), methods.size() == 1));
    if (!is_known && progress.on_estimate) progress.on_estimate(place, report.estimates.back());
    ++place;
  }
  return report;
}

}  // namespace credo::results
