#include "results/files/evidence.hpp"

#include <fmt/format.h>

#include "infer/variational/approximation.hpp"

namespace credo::results {
namespace {

infer::TunedSetting* find_evidence(infer::ChainResult& chain) {
  const auto found =
      std::find_if(chain.tuned.begin(), chain.tuned.end(),
                   [](const infer::TunedSetting& t) { return t.name == "log_evidence"; });
  return found == chain.tuned.end() ? nullptr : &*found;
}

// Settings of approximations that are on the scale of the log evidence.
constexpr const char* kPriorMass = "prior_log_mass";
constexpr std::array<std::string_view, 6> kBounds{
    "bound", "upper_bound", "eubo", "evidence_by_weights", "laplace_log_evidence",
    "site_log_evidence"};
bool is_bound(const infer::TunedSetting& setting) {
  return std::ranges::find(kBounds, setting.name) != kBounds.end();
}

void normalise_bounds(infer::ChainResult& chain, const density::PriorMass& mass) {
  if (std::ranges::none_of(chain.tuned, is_bound)) return;
  for (infer::TunedSetting& setting : chain.tuned)
    for (double& value : setting.values)
      if (is_bound(setting)) value -= mass.log_mass;
  chain.tuned.push_back({kPriorMass, {mass.improper.empty() ? mass.log_mass : kNaN}});
}

std::string at_place(const density::PriorMass::Part& part) {
  return part.where.empty() ? part.parameter : fmt::format("{} ({})", part.parameter, part.where);
}

}  // namespace

std::vector<std::string> remarks_on(const density::PriorMass& mass) {
  std::vector<std::string> all;
  for (const auto& part : mass.improper)
    all.push_back(
        fmt::format("no log evidence: {} {}; give it a proper prior", at_place(part),
                    part.reason.empty() ? "has no prior and an unbounded range" : part.reason));
  for (const auto& part : mass.entered)
    all.push_back(
        fmt::format("log evidence: the prior of {} is normalised, its log mass within the "
                    "declared range is {:.6g}",
                    at_place(part), part.log_mass));
  for (const auto& part : mass.not_judged)
    all.push_back(fmt::format(
        "log evidence: the prior of {} is taken as written: {}; right only if it integrates to 1",
        at_place(part), part.reason));
  return all;
}

namespace {
void normalise_estimates(infer::RunResult& result, const density::PriorMass& mass) {
  for (infer::ChainResult& chain : result.chains) {
    infer::TunedSetting* evidence = find_evidence(chain);
    if (evidence == nullptr) continue;
    for (double& value : evidence->values)
      value = mass.improper.empty() ? value - mass.log_mass : kNaN;
  }
  const std::vector<std::string> all = remarks_on(mass);
  result.warnings.insert(result.warnings.end(), all.begin(), all.end());
}
}  // namespace

void normalise_evidence(infer::RunResult& result, const density::Model& model) {
  const bool is_approximation = infer::is_approximation(result.sampler);
  const bool has_evidence =
      std::any_of(result.chains.begin(), result.chains.end(),
                  [](infer::ChainResult& chain) { return find_evidence(chain) != nullptr; });
  if (!is_approximation && (!has_evidence || result.evidence_is_normalised)) return;
  if (model.query().terms == density::Terms::likelihood) return;  // no prior is in it
  if (is_approximation && model.query().power != 1.0) return;     // nor one to its first power
  const density::PriorMass mass = density::prior_mass(model);
  if (is_approximation) {
    for (infer::ChainResult& chain : result.chains) normalise_bounds(chain, mass);
  } else {
    normalise_estimates(result, mass);
  }
}

}  // namespace credo::results
