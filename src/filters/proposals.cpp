#include "filters/proposal.hpp"
#include "infer/smc/learn_proposal.hpp"
#include "model/states/gaussian_proposal.hpp"
#include "model/states/learned_proposal.hpp"
#include "model/states/normal_reader.hpp"

namespace credo::filters {
namespace {
using model::StateModel;
using StateSpacePtr = std::shared_ptr<const density::StateSpace>;

struct ProgramProposal final : Method<Proposal, NoOptions> {
  density::Capability can_follow(const StateModel& states) const override {
    return states.can(density::Kernel::guided);
  }
  StateSpacePtr space(const StateModel& states) const override {
    return {std::shared_ptr<void>(), &states};
  }
};

template <model::ProposalDistribution distribution, class Options>
struct NormalProposal final : Method<Proposal, Options> {
  density::Capability can_follow(const StateModel& states) const override {
    return model::can_propose(states, distribution);
  }
  StateSpacePtr space(const StateModel& states) const override {
    double kappa = 0.0;
    if constexpr (std::is_same_v<Options, SigmaPointOptions>) kappa = this->own.kappa;
    return std::make_shared<model::GaussianProposal>(states, distribution, kappa);
  }
};

// One distribution for all runs, learned at the parameters of the first.
struct LearnedProposal final : Method<Proposal, infer::LearnOptions> {
  density::Capability can_follow(const StateModel& states) const override {
    return model::can_read_normal(states, "--proposal learned");
  }
  void learn(const StateModel& states, const infer::FilterOptions& run) override {
    model::LearnableStates space(states);
    own.seed = run.seed;
    distribution = infer::learn_proposal(space, own);
  }
  StateSpacePtr space(const StateModel& states) const override {
    return model::LearnableStates(states).guided_by(*distribution);
  }
  std::optional<numerics::ConditionalNormal> distribution;
};

using enum model::ProposalDistribution;
constexpr std::array kRows{
    row_of<ProgramProposal>(
        {.name = "program", .summary = "the functions of the program", .reference = "doucet2000"}),
    row_of<NormalProposal<unscented, SigmaPointOptions>>(
        {.name = "ukf",
         .summary = "a Kalman update by sigma points, of normal densities",
         .reference = "vandermerwe2000"}),
    row_of<NormalProposal<extended, NoOptions>>(
        {.name = "ekf",
         .summary = "a Kalman update by a tangent, of normal densities",
         .reference = "doucet2000"}),
    row_of<NormalProposal<laplace, NoOptions>>(
        {.name = "laplace",
         .summary = "a normal distribution at the mode, of normal transitions and any outcomes",
         .reference = "koyama2010"}),
    row_of<LearnedProposal>({.name = "learned",
                             .summary = "a normal distribution computed by a small network",
                             .reference = "gu2015"})};
constexpr std::array kAll{&kRows[0], &kRows[1], &kRows[2], &kRows[3], &kRows[4]};
const MethodRow<Proposal>& proposal_named(std::string_view name) {
  return row_named<Proposal>(kAll, name, "proposal");
}
}  // namespace

const infer::RowTable kProposals{
    .what = "proposal",
    .names = [] { return names_of<Proposal>(kAll); },
    .options = [](std::string_view name) { return proposal_named(name).options(); }};

std::unique_ptr<Proposal> make_proposal(const infer::ChosenRow& proposal) {
  return proposal_named(proposal.name).make(proposal.options_in(kProposals));
}

}  // namespace credo::filters
