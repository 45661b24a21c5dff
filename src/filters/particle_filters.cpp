// Particles that move by the transition or by a proposal, and are weighed by the outcome (infer/smc/particle_filter.hpp).
#include "filters/filter.hpp"
#include "filters/proposal.hpp"
#include "filters/resampling_options.hpp"
#include "model/states/uniform_map.hpp"

namespace credo::filters {
namespace {
using model::StateModel;

class ParticleFilter : public Filter {
 public:
  density::Capability can_follow(const StateModel&) const override { return {}; }
  void settle(StateModel& states, const infer::FilterOptions& options, bool) override {
    infer::settle_model(*space(states), options);
  }
  infer::FilterAnswer run(StateModel& states, const infer::FilterOptions& options,
                          Index repeat) const override {
    return {.filtered = infer::run_filter(*space(states), options, repeat)};
  }

 protected:
  // The model that particles follow.
  virtual std::shared_ptr<const density::StateSpace> space(const StateModel& states) const {
    return {std::shared_ptr<void>(), &states};
  }
};

enum class ParentOrder { index, hilbert };
constexpr std::array<std::string_view, 2> kParentOrderNames = {"index", "hilbert"};
constexpr std::span<const std::string_view> enum_names(ParentOrder) { return kParentOrderNames; }

struct ParticleOptions {
  ResamplingOptions resampling = {};
  ParentOrder order = ParentOrder::index;

  void set(infer::FilterOptions& run, infer::FilterMethod method) const {
    resampling.set(run);
    run.method = method;
    run.sorted = order == ParentOrder::hilbert;
  }
  static void describe(auto& self, auto&& field) {
    field(self.resampling, infer::FieldSpec{});
    field(self.order,
          infer::FieldSpec{.name = "order",
                           .help = "order in which parents are selected: by index, or hilbert, "
                                   "along a Hilbert curve through their states, so that "
                                   "resampling adds less noise"});
  }
};

struct Bootstrap final : Method<ParticleFilter, ParticleOptions> {
  using Kind = Filter;
  void set(infer::FilterOptions& run) const override {
    own.set(run, infer::FilterMethod::bootstrap);
  }
};

struct Auxiliary final : Method<ParticleFilter, ParticleOptions> {
  using Kind = Filter;
  density::Capability can_follow(const StateModel& states) const override {
    return states.can_look_ahead();
  }
  void set(infer::FilterOptions& run) const override {
    own.set(run, infer::FilterMethod::auxiliary);
  }
};

struct GuidedOptions {
  ParticleOptions particles = {};
  infer::ChosenRow proposal = "program";

  static void describe(auto& self, auto&& field) {
    field(self.particles, infer::FieldSpec{});
    field(self.proposal,
          infer::FieldSpec{
              .name = "proposal",
              .help = "the functions of the program; or a normal distribution that is made for "
                      "each particle, of programs whose transition is normal: ukf, by sigma "
                      "points, and ekf, by a tangent, of outcomes that are normal, too; laplace, "
                      "at the mode, of any outcomes; or learned, computed by a small network",
              .rows = &kProposals});
  }
};

class Guided final : public Method<ParticleFilter, GuidedOptions> {
 public:
  using Kind = Filter;
  density::Capability can_follow(const StateModel& states) const override {
    return make_proposal(own.proposal)->can_follow(states);
  }
  void set(infer::FilterOptions& run) const override {
    own.particles.set(run, infer::FilterMethod::guided);
  }
  void learn(const StateModel& states, const infer::FilterOptions& options) override {
    proposal_ = make_proposal(own.proposal);
    proposal_->learn(states, options);
  }

 private:
  std::shared_ptr<const density::StateSpace> space(const StateModel& states) const override {
    return proposal_->space(states);
  }
  std::unique_ptr<Proposal> proposal_;
};

class Quasi final : public Method<ParticleFilter, NoOptions> {
 public:
  using Kind = Filter;
  density::Capability can_follow(const StateModel& states) const override {
    return model::can_map_uniforms(states);
  }
  void set(infer::FilterOptions& run) const override { run.quasi = true; }

 private:
  std::shared_ptr<const density::StateSpace> space(const StateModel& states) const override {
    return std::make_shared<model::UniformMap>(states);
  }
};
}  // namespace

extern const FilterMethod bootstrap_filter =
    row_of<Bootstrap>({.name = "bootstrap",
                       .summary = "particles that move by the transition",
                       .reference = "gordon1993"});
extern const FilterMethod auxiliary_filter =
    row_of<Auxiliary>({.name = "auxiliary",
                       .summary = "particles whose parents are selected by lookahead_lpdf",
                       .reference = "pitt1999"});
extern const FilterMethod guided_filter = row_of<Guided>(
    {.name = "guided", .summary = "particles that move by a proposal", .reference = "doucet2000"});
extern const FilterMethod sqmc_filter = row_of<Quasi>(
    {.name = "sqmc",
     .summary = "sequential quasi-Monte Carlo, particles made of scrambled Sobol points",
     .reference = "gerber2015"});

}  // namespace credo::filters
