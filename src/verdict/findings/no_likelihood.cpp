// Data that look like outcomes but that no statement of the model reads. The draws are right for a model other
// than the intended one, usually for the prior.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::no_likelihood_row {
namespace {
std::vector<Finding> check(const Case& at_hand) {
  const density::ProgramFacts* facts = at_hand.evidence.program.get();
  const density::Model* model = at_hand.evidence.model;
  if (facts == nullptr || facts->unread_outcomes.empty()) return {};
  if (model == nullptr || model->query().terms != density::Terms::all) return {};
  std::vector<std::string> names;
  for (const Index k : facts->unread_outcomes)
    names.push_back(facts->variables[static_cast<std::size_t>(k)].name);
  Finding finding{.id = "no_likelihood", .level = Level::warning};
  finding.place = facts->variables[static_cast<std::size_t>(facts->unread_outcomes[0])].declared;
  finding.text = "No statement of the model reads " + listed(names) +
                 (facts->has_likelihood
                      ? "."
                      : ", or any other outcome: these are draws of the prior, which the data "
                        "haven't changed.");
  finding.remedy = "State how " + names[0] + " is distributed, as in " + names[0] +
                   " ~ normal(mu, sigma), or take it out of the data block; for draws of the prior "
                   "say --terms prior.";
  return {finding};
}
}  // namespace

const FindingSpec no_likelihood{.id = "no_likelihood",
                                .title = "an outcome that no statement reads",
                                .explains = {},
                                .check = check};

}  // namespace credo::verdict::no_likelihood_row
