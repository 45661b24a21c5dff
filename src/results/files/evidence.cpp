#include "results/files/evidence.hpp"

#include <fmt/format.h>

namespace credo::results {
namespace {

infer::TunedSetting* find_evidence(infer::ChainResult& chain) {
  const auto found =
      std::find_if(chain.tuned.begin(), chain.tuned.end(),
                   [](const infer::TunedSetting& t) { return t.name == "log_evidence"; });
  return found == chain.tuned.end() ? nullptr : &*found;
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

void normalise_evidence(infer::RunResult& result, const density::Model& model) {
  const bool has_evidence =
      std::any_of(result.chains.begin(), result.chains.end(),
                  [](infer::ChainResult& chain) { return find_evidence(chain) != nullptr; });
  if (!has_evidence || result.evidence_is_normalised) return;
  if (model.query().terms == density::Terms::likelihood) return;  // no prior is in it
  const density::PriorMass mass = density::prior_mass(model);
  for (infer::ChainResult& chain : result.chains) {
    infer::TunedSetting* evidence = find_evidence(chain);
    if (evidence == nullptr) continue;
    for (double& value : evidence->values)
      value = mass.improper.empty() ? value - mass.log_mass : kNaN;
  }
  const std::vector<std::string> all = remarks_on(mass);
  result.warnings.insert(result.warnings.end(), all.begin(), all.end());
}

}  // namespace credo::results
