// EM for the mode of coefficients with latent values [dempster1977]: probit regression has E z by the inverse Mills ratio.
//
//   E  factors of s_k with E precision(u_k), E shift(u_k) given s_k
//   M  f = A⁻¹ b with these factors (gibbs.hpp)
//
// Each iteration raises the log density. The steps shrink by a constant ratio, the share of information that the latent values would
// add: so the climb ends by their length.
#include "infer/augment/block_reader.hpp"
#include "infer/core/vectors.hpp"
#include "infer/optimise/climb.hpp"

namespace credo::infer {
namespace {
constexpr double kShortStep = 1e-11;  // change of a value, relative to 1 + its size

struct EmOptions {
  ClimbOptions climb = {.max_iterations = 10'000};
  static void describe(auto& self, auto&& field) {
    field(self.climb, FieldSpec{.name = "climb", .help = "when a climb ends"});
  }
};

class ExpectationMaximisation final : public Climb {
 public:
  ExpectationMaximisation(const ClimbSetup& setup, const EmOptions& own, const BlockPlan& plan)
      : Climb(setup, own.climb), reader_(plan) {}
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override {
    saved(*this, from);
    check(here.position);
  }
  static void saved(auto& self, auto&& field) { Climb::saved(self, field); }

 private:
  Step<Nothing> iterate() override;
  std::vector<double> maximised();

  BlockReader reader_;
};

// The next point; the block is the whole position.
std::vector<double> ExpectationMaximisation::maximised() {
  const BlockForm& form = reader_.read(here.position);
  BlockForm expected{form.precision, form.shift, {}};
  for (const BlockSite& site : form.sites)
    add_site(site, site.form->expected(site.numbers, site.along(here.position)), expected);
  const numerics::RowMatrix factor = numerics::lower_factor(expected.precision);
  numerics::solve_factor(factor, expected.shift);
  numerics::solve_factor_transposed(factor, expected.shift);
  return std::move(expected.shift);
}

Step<Nothing> ExpectationMaximisation::iterate() {
  ++num_iterations;
  const std::vector<double> next = maximised();
  double longest = 0.0;
  for (std::size_t d = 0; d < next.size(); ++d)
    longest = std::max(longest, std::abs(next[d] - here.position[d]) / (1.0 + std::abs(next[d])));
  if (!std::isfinite(longest)) {  // no proper distribution given the latent values
    finish(ClimbEnd::line_search);
    co_return Nothing{};
  }
  here.position = next;
  const Evaluation at = co_await evaluate(here.position, here.gradient);
  here.log_density = at.log_density;
  report_iteration(longest);
  if (!at.status.ok())
    finish(ClimbEnd::line_search);
  else if (longest <= kShortStep)
    finish(ClimbEnd::gain);
}

RunResult run_em(const density::LogDensity& density, const SampleOptions& options, DrawSink& sink) {
  const auto own = options_for<EmOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  const BlockPlan plan = find_block(density, {}, "em");
  const auto all_sites = {&plan.prior.sites, &plan.likelihood.sites};
  const density::Names& names = *plan.model;
  if (!plan.outer.empty())
    throw Error(ErrorCode::usage,
                "em climbs where all parameters are coefficients, and " +
                    names.free_names()[static_cast<std::size_t>(plan.outer.front())] + " isn't",
                "em", "give it as data, or take --method lbfgs or newton");
  for (const auto* sites : all_sites)
    for (const BlockSite& site : *sites)
      if (site.form->expected == nullptr)
        throw Error(ErrorCode::usage,
                    "a Laplace prior has its mode at a kink, where steps of EM don't end", "em",
                    "take --method proximal, or draw with --sampler gibbs");
  return run_climbs(density, options, sink, own.climb, [&](const ClimbSetup& setup) {
    return std::make_unique<ExpectationMaximisation>(setup, own, plan);
  });
}
}  // namespace

extern const SamplerSpec kEm;
const SamplerSpec kEm{.name = "em",
                      .summary =
                          "climbs by EM over latent values of probit outcomes and Student "
                          "priors and outcomes",
                      .needs_gradient = true,
                      .reference = "dempster1977",
                      .biased = false,
                      .has_warmup = false,
                      .columns = columns_of<ClimbInfo>,
                      .groups = climb_groups,
                      .options = [] { return KernelOptions(EmOptions{}); },
                      .make = nullptr,
                      .run = run_em,
                      .family = Family::optimum,
                      .fixed_length = kClimbLength,
                      .needs_program = true,
                      .no_part = {}};

}  // namespace credo::infer
