// Normal distributions by sites, as weighted draws: expectation propagation, conjugate-computation variational inference, and
// assumed-density filtering.
#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "infer/core/needs.hpp"
#include "infer/sites/site_rounds.hpp"
#include "infer/variational/approximation.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostSiteValues =
    1000;  // the covariance has their square, and each site changes all of it

constexpr FieldSpec kSiteOrderField{
    .name = "order",
    .help = "sites: one site at a time; all: all sites from the same distribution"};
constexpr FieldSpec kSiteDampingField{
    .name = "damping",
    .help =
        "share of a site's new factor, the rest is the old one; 0: 1 for one site at a time and "
        "0.5 for all, halved while changes don't become smaller",
    .range = {.lo = 0.0, .hi = 1.0}};
constexpr FieldSpec kSiteRoundsField{
    .name = "max_rounds", .help = "rounds over all sites at most", .range = {.lo = 1.0, .hi = 1e6}};
constexpr FieldSpec kSiteToleranceField{
    .name = "tolerance",
    .help =
        "largest change of a mean, in standard deviations, and of a log standard deviation, with "
        "which the rounds end",
    .range = {.lo = 0.0, .lo_open = true, .hi_open = true}};

struct EpOptions {
  std::string update = "moments";
  double power = 1.0, damping = 0.0;
  SiteOrder order = SiteOrder::sites;
  bool stochastic = false;
  Index max_rounds = 200;
  double tolerance = 1e-6;

  static void describe(auto& self, auto&& field) {
    field(
        self.update,
        FieldSpec{.name = "update",
                  .help = "how a site's new factor is found: by the moments of cavity times site, "
                          "or by its mode and curvature",
                  .values = "moments|laplace"});
    field(self.power, FieldSpec{.name = "power",
                                .help = "power of a site that is taken off and put back: 1 is "
                                        "expectation propagation, near 0 is cvi",
                                .range = {.lo = 0.0, .hi = 2.0, .lo_open = true}});
    field(self.damping, kSiteDampingField);
    field(self.order, kSiteOrderField);
    field(self.stochastic,
          FieldSpec{.name = "stochastic",
                    .help = "one factor for all sites, whose share is replaced by each in turn",
                    .needs = "update=moments,!power,!damping,order=sites"});
    field(self.max_rounds, kSiteRoundsField);
    field(self.tolerance, kSiteToleranceField);
  }
};

struct CviOptions {
  double damping = 0.0;
  SiteOrder order = SiteOrder::sites;
  Index max_rounds = 200;
  double tolerance = 1e-6;

  static void describe(auto& self, auto&& field) {
    field(self.damping, kSiteDampingField);
    field(self.order, kSiteOrderField);
    field(self.max_rounds, kSiteRoundsField);
    field(self.tolerance, kSiteToleranceField);
  }
};

struct AdfOptions {
  std::string update = "moments";
  bool diagonal = false;

  static void describe(auto& self, auto&& field) {
    field(
        self.update,
        FieldSpec{.name = "update",
                  .help = "how a row's factor is found: by the moments of the distribution so far "
                          "times the row, or by its mode and curvature",
                  .values = "moments|laplace"});
    field(self.diagonal,
          FieldSpec{.name = "diagonal",
                    .help = "leave correlations out after each row; the predictive densities then "
                            "add up to a score of this filter, which is no log evidence"});
  }
};

std::vector<RowGroup> site_round_groups() {
  return {{.name = "rounds", .row = "round", .columns = columns_of<SiteRound>()}};
}
std::vector<RowGroup> filtered_row_groups() {
  return {{.name = "rows", .row = "row", .columns = columns_of<FilteredRow>()}};
}
template <Described Row>
std::vector<double> numbers_of_row(const Row& row) {
  std::vector<double> numbers(columns_of<Row>().size());
  write_columns(row, numbers);
  return numbers;
}

template <Described Options>
Options checked_site_options(const density::LogDensity& density, const SampleOptions& options) {
  const auto own = options_for<Options>(options.kernel, options.sampler);
  validate(own);
  require_needs(own);
  require_no_metric(options);
  require_approximable(density, options.sampler, kMostSiteValues);
  return own;
}

std::vector<std::string> words_on_rounds(const SiteFit& fit, const SiteRoundOptions& options) {
  std::vector<std::string> words;
  if (!fit.converged)
    words.push_back(fmt::format(
        "the sites hadn't settled after {} rounds (largest change {:.2g}): allow more with "
        "--max-rounds, or take a smaller --damping",
        options.max_rounds, fit.course.empty() ? kNaN : fit.course.back().change));
  if (fit.num_skipped > 0)
    words.push_back(fmt::format(
        "{} sites had no cavity or no new factor in the last round, and kept their old factors: "
        "the "
        "estimate of the evidence isn't known; take --method cvi, which needs no cavities",
        fit.num_skipped));
  return words;
}

RunResult draw_sites(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink, const SiteRoundOptions& rounds) {
  SitePosterior posterior = find_sites(density);
  SiteFit fit = fit_sites(posterior, rounds);
  Index num_recognised = 0;
  for (const LinearSite& site : posterior.sites) num_recognised += site.form != nullptr ? 1 : 0;
  const MixturePartSpec part{fit.mean, fit.covariance};
  FittedApproximation fitted{
      .distribution = mixture_of_normals(std::span(&part, 1), 0),
      .figures = {{"mean", fit.mean},
                  {"covariance", fit.covariance},
                  {"num_sites", {static_cast<double>(posterior.sites.size())}},
                  {"num_recognised_sites", {static_cast<double>(num_recognised)}},
                  {"num_sites_by_grid", {static_cast<double>(fit.num_by_grid)}},
                  {"num_rounds", {static_cast<double>(fit.course.size())}},
                  {"num_skipped_sites", {static_cast<double>(fit.num_skipped)}},
                  {"num_fit_evaluations", {static_cast<double>(posterior.num_evaluations())}}},
      .warnings = words_on_rounds(fit, rounds)};
  if (std::isfinite(fit.log_evidence))
    fitted.figures.push_back(
        {rounds.update->uses_cavity ? "site_log_evidence" : "bound", {fit.log_evidence}});
  if (!rounds.update->uses_cavity) fitted.figures.push_back({"bound_error", {0.0}});
  fitted.own_groups = site_round_groups();
  for (const SiteRound& round : fit.course) fitted.own_rows.push_back(numbers_of_row(round));
  return draw_approximation(density, options, std::move(fitted), sink);
}

RunResult run_ep(const density::LogDensity& density, const SampleOptions& options, DrawSink& sink) {
  const auto own = checked_site_options<EpOptions>(density, options);
  return draw_sites(density, options, sink,
                    {.update = &site_update_named(own.update),
                     .power = own.power,
                     .damping = own.damping,
                     .order = own.order,
                     .stochastic = own.stochastic,
                     .max_rounds = own.max_rounds,
                     .tolerance = own.tolerance});
}

RunResult run_cvi(const density::LogDensity& density, const SampleOptions& options,
                  DrawSink& sink) {
  const auto own = checked_site_options<CviOptions>(density, options);
  return draw_sites(density, options, sink,
                    {.update = &site_update_named("expectations"),
                     .damping = own.damping,
                     .order = own.order,
                     .max_rounds = own.max_rounds,
                     .tolerance = own.tolerance});
}

RunResult run_adf(const density::LogDensity& density, const SampleOptions& options,
                  DrawSink& sink) {
  const auto own = checked_site_options<AdfOptions>(density, options);
  SitePosterior posterior = find_sites(density);
  const FilterFit fit = filter_sites(posterior, site_update_named(own.update), own.diagonal);
  const MixturePartSpec part{fit.mean, fit.covariance};
  FittedApproximation fitted{
      .distribution = mixture_of_normals(std::span(&part, 1), 0),
      .figures = {{"mean", fit.mean},
                  {"covariance", fit.covariance},
                  {own.diagonal ? "site_log_score" : "site_log_evidence", {fit.log_evidence}},
                  {"num_sites", {static_cast<double>(posterior.sites.size())}},
                  {"num_fit_evaluations", {static_cast<double>(posterior.num_evaluations())}}},
      .warnings = {}};
  fitted.own_groups = filtered_row_groups();
  for (const FilteredRow& row : fit.course) fitted.own_rows.push_back(numbers_of_row(row));
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kAdf, kCvi, kEp;
const SamplerSpec kAdf = approximation_row(
    {.name = "adf",
     .summary = "weighted draws from the normal distribution that one pass over "
                "the rows gives (assumed-density filtering)",
     .reference = "murphy2023"},
    [] { return KernelOptions(AdfOptions{}); }, run_adf, filtered_row_groups);
const SamplerSpec kCvi = approximation_row(
    {.name = "cvi",
     .summary = "weighted draws from the normal distribution with the highest "
                "bound, by a normal factor for each row",
     .reference = "khan2017"},
    [] { return KernelOptions(CviOptions{}); }, run_cvi, site_round_groups);
const SamplerSpec kEp = approximation_row(
    {.name = "ep",
     .summary = "weighted draws from the normal distribution of expectation "
                "propagation",
     .reference = "minka2001"},
    [] { return KernelOptions(EpOptions{}); }, run_ep, site_round_groups);

}  // namespace credo::infer
