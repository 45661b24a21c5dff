// Rounds over the sites of a posterior: a normal distribution q that stands for base times sites [minka2001; murphy2023, 10.7].
#pragma once
#include "infer/core/fields.hpp"
#include "infer/sites/site_update.hpp"

namespace credo::infer {

enum class SiteOrder {
  sites,
  all
};  // sites: each from the q that the one before left; all: from one q
inline constexpr std::array<std::string_view, 2> kSiteOrderNames = {"sites", "all"};
inline constexpr std::span<const std::string_view> enum_names(SiteOrder) { return kSiteOrderNames; }

struct SiteRoundOptions {
  const SiteUpdateRow* update = &site_update_named("moments");
  double power = 1.0;    // power with which a site is taken off and put back
  double damping = 0.0;  // share of the new factor; 0: automatic
  SiteOrder order = SiteOrder::sites;
  bool stochastic = false;  // one factor for all sites, with power 1 and without damping
  Index max_rounds = 200;
  double tolerance =
      1e-6;  // largest change of a mean, in standard deviations, and of a log standard deviation
};

// A row of the course.
struct SiteRound {
  double log_evidence = kNaN, change = kNaN, damping = kNaN;
  Index num_skipped = 0, num_evaluations = 0;

  static void saved(auto& self, auto&& field) {
    field(self.log_evidence);
    field(self.change);
    field(self.damping);
    field(self.num_skipped);
    field(self.num_evaluations);
  }
  static void describe(auto& self, auto&& field) {
    field(
        self.log_evidence,
        FieldSpec{.name = "log_evidence",
                  .help = "log mass of the base times the factors of the sites; the evidence bound "
                          "if factors come from expectations"});
    field(self.change, FieldSpec{.name = "largest_change",
                                 .help = "largest change of a mean, in standard deviations, or of "
                                         "a log standard deviation"});
    field(self.damping, FieldSpec{.name = "damping", .help = "share of the new factors"});
    field(
        self.num_skipped,
        FieldSpec{.name = "num_skipped",
                  .help = "sites whose cavity or new factor gave no distribution, left for later"});
    field(self.num_evaluations,
          FieldSpec{.name = "num_evaluations", .help = "evaluations of sites so far"});
  }
};

struct SiteFit {
  std::vector<double> mean, covariance;  // D, D × D
  double log_evidence = kNaN;
  bool converged = false;
  Index num_skipped = 0;  // in the last round
  Index num_by_grid = 0;  // sites whose integrals need the grid
  std::vector<SiteFactor> factors;
  std::vector<SiteRound> course;
};

// Throws Error(usage) for options that don't fit, Error(evaluation) where base and factors give no distribution.
SiteFit fit_sites(SitePosterior& posterior, const SiteRoundOptions& options);

// Assumed-density filtering [murphy2023, 10.7.7 and 17.6.2]: one pass over the sites in the order of their rows, each with the q of those
// before it as its cavity. Diagonal: q has no correlations.
struct FilteredRow {
  double log_predictive = kNaN, mean = kNaN, variance = kNaN;

  static void saved(auto& self, auto&& field) {
    field(self.log_predictive);
    field(self.mean);
    field(self.variance);
  }
  static void describe(auto& self, auto&& field) {
    field(self.log_predictive,
          FieldSpec{.name = "log_predictive",
                    .help = "log of the row's density given the rows before it: the logs add up to "
                            "the log evidence"});
    field(self.mean,
          FieldSpec{.name = "mean", .help = "mean of the row's linear predictor before it"});
    field(self.variance, FieldSpec{.name = "variance",
                                   .help = "variance of the row's linear predictor before it"});
  }
};
struct FilterFit {
  std::vector<double> mean, covariance;
  double log_evidence = kNaN;
  std::vector<FilteredRow> course;
};
// Throws Error(usage) unless the base is a distribution, Error(evaluation) where a row leaves none.
FilterFit filter_sites(SitePosterior& posterior, const SiteUpdateRow& update, bool is_diagonal);

}  // namespace credo::infer
