// Targets with answers in closed form, by all methods whose family holds them. Methods without random numbers agree to 1e-8, draws to four
// standard errors, and bounds are on their side of the evidence.
//
// A new method is a row of kMethods; a new target a function and its line in exact_targets().
#include <gtest/gtest.h>

#include "cli/exactness_targets.hpp"
#include "cli/results.hpp"
#include "results/draws/weights.hpp"
#include "results/files/fit_layout.hpp"
#include "support/command_run.hpp"
#include "support/share.hpp"

namespace credo::cli::exactness_test {
namespace {
using testing::ExactTarget;

constexpr double kClosedForm = 1e-8, kErrors = 4.0;

// Deviations of a method's answer from a target's, in tolerances: above 1 it is wrong.
struct Deviation {
  double largest = 0.0;
  std::string of;
  void take(const std::string& what, double deviation, double tolerance) {
    const double size = std::fabs(deviation) / tolerance;
    if (size <= largest) return;
    largest = std::isnan(size) ? kInfinity : size;
    of = fmt::format("{}: off by {:.3g}, tolerance {:.3g}", what, deviation, tolerance);
    if (std::isnan(size)) of += " (NaN)";
  }
};

class Exactness : public testing::CommandRun {
 public:
  Exactness() : CommandRun("exactness") {}
  void TestBody() override {}
  using CommandRun::at, CommandRun::json, CommandRun::run, CommandRun::said;
  void write_target(const ExactTarget& target) const {
    write("m.stan", target.program);
    write("d.json", target.data);
  }
  std::vector<std::string> words(const char* command, std::vector<std::string> more) const {
    std::vector<std::string> all{command, at("m.stan"), "--data", at("d.json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::unique_ptr<Fit> fit() const {
    const std::string path = at("fit.nc");
    return open_fit(std::span(&path, 1));
  }
};

bool has_tuned(const Fit& fit, std::string_view name) {
  const auto& tuned = fit.result().chains[0].tuned;
  return std::ranges::find(tuned, name, &infer::TunedSetting::name) != tuned.end();
}
std::vector<double> tuned_of(const Fit& fit, std::string_view name) {
  for (const infer::TunedSetting& setting : fit.result().chains[0].tuned)
    if (setting.name == name) return setting.values;
  return {kNaN};
}
double scale_of(double value) { return kClosedForm * (1.0 + std::fabs(value)); }

// ---- answers without random numbers

void take_evidence(Deviation& deviation, const ExactTarget& target, double found) {
  deviation.take("log evidence", found - target.log_evidence, scale_of(target.log_evidence));
}

Deviation by_conjugacy(Exactness& run, const ExactTarget& target) {
  const testing::Json found = run.json(run.words("exact", {"--method", "conjugate"}));
  Deviation deviation;
  take_evidence(deviation, target, found.at("log_evidence").number);
  const auto& parameters = found.at("parameters").items;
  const bool reads_mean = target.outputs.empty() && target.reads_free_values;
  for (std::size_t k = 0; reads_mean && k < target.mean.size(); ++k) {
    const double sd = std::sqrt(target.covariance[k * target.mean.size() + k]);
    deviation.take(parameters.at(k).at("name").text + " mean",
                   parameters.at(k).at("mean").number - target.mean[k], scale_of(target.mean[k]));
    deviation.take(parameters.at(k).at("name").text + " sd", parameters.at(k).at("sd").number - sd,
                   scale_of(sd));
  }
  for (std::size_t k = 0; k < target.outputs.size(); ++k) {
    const testing::KnownOutput& known = target.outputs[k];
    EXPECT_EQ(parameters.at(k).at("name").text, known.name);
    deviation.take(known.name + " mean", parameters.at(k).at("mean").number - known.mean,
                   scale_of(known.mean));
    deviation.take(known.name + " sd", parameters.at(k).at("sd").number - known.sd,
                   scale_of(known.sd));
  }
  return deviation;
}

// The sum over discrete parameters; their means, of two values, give the masses.
template <const char* method>
Deviation by_sums(Exactness& run, const ExactTarget& target) {
  const testing::Json found = run.json(run.words("exact", {"--method", method}));
  Deviation deviation;
  take_evidence(deviation, target, found.at("log_sum").number);
  const auto& marginals = found.at("parameters").items;
  for (std::size_t k = 0; k < target.outputs.size(); ++k)
    deviation.take(target.outputs[k].name,
                   marginals.at(k).at("probabilities").items.at(1).number - target.outputs[k].mean,
                   scale_of(target.outputs[k].mean));
  return deviation;
}
constexpr char kElimination[] = "elimination", kEnumeration[] = "enumeration";

// Mean and covariance of a normal distribution, in standard deviations of the posterior.
void take_normal(Deviation& deviation, const Fit& fit, const ExactTarget& target,
                 std::string_view name_of_mean) {
  const std::vector<double> mean = tuned_of(fit, name_of_mean),
                            covariance = tuned_of(fit, "covariance");
  const std::size_t n = target.mean.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double sd = std::sqrt(target.covariance[i * n + i]);
    deviation.take(fmt::format("{} of value {}, in sds", name_of_mean, i + 1),
                   (mean.at(i) - target.mean[i]) / sd, kClosedForm);
    for (std::size_t j = 0; j < n; ++j)
      deviation.take(fmt::format("covariance {} {}", i + 1, j + 1),
                     (covariance.at(i * n + j) - target.covariance[i * n + j]) / sd /
                         std::sqrt(target.covariance[j * n + j]),
                     kClosedForm);
  }
}

Deviation by_laplace(Exactness& run, const ExactTarget& target) {
  EXPECT_EQ(run.run(run.words("laplace", {"--seed", "1", "--draws", "10", "--chains", "1",
                                          "--no-check", "-o", run.at("fit.nc"), "--quiet"})),
            0)
      << run.said();
  const auto fit = run.fit();
  Deviation deviation;
  take_evidence(deviation, target, tuned_of(*fit, "laplace_log_evidence").front());
  take_normal(deviation, *fit, target, "mode");
  return deviation;
}

// ---- draws

// Weighted means and the mean weight, within four standard errors of weighted draws; `slack` is what a climb leaves, in nats.
Deviation of_draws(const Fit& fit, const ExactTarget& target, double slack) {
  const std::vector<double> log_weights = log_weights_of(fit);
  const double n = static_cast<double>(log_weights.size()),
               top = *std::ranges::max_element(log_weights);
  double sum = 0.0, squares = 0.0;
  std::vector<double> shares;
  for (const double w : log_weights) {
    shares.push_back(std::exp(w - top));
    sum += shares.back(), squares += shares.back() * shares.back();
  }
  const double relative = std::sqrt(std::max(0.0, squares / sum * n / sum - 1.0) / n),
               effective = sum * sum / squares;
  Deviation deviation;
  deviation.take("mean weight", top + std::log(sum / n) - target.log_evidence,
                 slack + kErrors * relative);
  const auto take_mean = [&](Index quantity, const std::string& name, double mean, double sd) {
    const density::Draws draws = fit.quantities(false, quantity, 1);
    double found = 0.0;
    for (std::size_t s = 0; s < shares.size(); ++s) found += shares[s] / sum * draws.quantity(0)[s];
    deviation.take(name + ", weighted mean", found - mean, kErrors * sd / std::sqrt(effective));
  };
  for (std::size_t k = 0; k < target.mean.size() && target.outputs.empty(); ++k)
    if (target.reads_free_values)
      take_mean(first_output(fit) + static_cast<Index>(k), fmt::format("value {}", k + 1),
                target.mean[k], std::sqrt(target.covariance[k * target.mean.size() + k]));
  for (std::size_t k = 0; k < target.outputs.size(); ++k)
    take_mean(first_output(fit) + static_cast<Index>(k), target.outputs[k].name,
              target.outputs[k].mean, target.outputs[k].sd);
  return deviation;
}

// Lower and upper bounds of the evidence by new draws, one-sided.
void take_bounds(Deviation& deviation, const Fit& fit, const ExactTarget& target, double slack) {
  const double lower = tuned_of(fit, "bound").front(), upper = tuned_of(fit, "upper_bound").front();
  if (std::isnan(lower)) return;
  deviation.take("lower bound above the evidence", std::max(0.0, lower - target.log_evidence),
                 slack + kErrors * tuned_of(fit, "bound_error").front());
  if (!has_tuned(fit, "upper_bound")) return;  // of methods that have a lower one alone
  deviation.take("upper bound below the evidence", std::max(0.0, target.log_evidence - upper),
                 slack + kErrors * tuned_of(fit, "upper_bound_error").front());
  const double eubo = tuned_of(fit, "eubo").front();
  if (std::isnan(eubo)) return;
  deviation.take("EUBO below the evidence", std::max(0.0, target.log_evidence - eubo),
                 slack + kErrors * tuned_of(fit, "eubo_error").front());
}

struct Approximate {
  std::vector<const char*> options;
  double slack = 1e-7;        // nats
  bool is_the_answer = true;  // the family holds the posterior: the bound is the evidence
};
Deviation by_draws(Exactness& run, const ExactTarget& target, const Approximate& how) {
  std::vector<std::string> more{"--seed", "3", "--no-check", "-o", run.at("fit.nc"), "--quiet"};
  more.insert(more.end(), how.options.begin(), how.options.end());
  EXPECT_EQ(run.run(run.words("approximate", std::move(more))), 0) << target.name << run.said();
  const auto fit = run.fit();
  Deviation deviation = of_draws(*fit, target, how.slack);
  take_bounds(deviation, *fit, target, how.slack);
  const double bound = tuned_of(*fit, "bound").front();
  if (how.is_the_answer && !std::isnan(bound))
    deviation.take("bound", bound - target.log_evidence,
                   how.slack + kErrors * tuned_of(*fit, "bound_error").front());
  return deviation;
}

template <const Approximate* how>
Deviation by_approximation(Exactness& run, const ExactTarget& target) {
  return by_draws(run, target, *how);
}
const Approximate kFull{{"--method", "normal", "--covariance", "full"}},
    kDiagonal{{"--method", "normal", "--covariance", "diagonal"}},
    kBlocks{{"--method", "normal", "--covariance", "blocks"}},
    kSteps{{"--method", "normal", "--covariance", "full", "--optimizer", "adam"}, 1e-4},
    kLaplaceT{{"--method", "laplace", "--dof", "7"}}, kMoments{{"--method", "moments"}},
    kPathfinder{{"--method", "pathfinder"}};
// Shapes of Dirichlet factors are off by some 5 %, which costs 0.002 nats of the bound of three shares; all others 2e-7.
const Approximate kFactors{{"--method", "factors"}, 5e-3};

// Distributions that are found without draws are the posterior to the last digits: log p - log q is the evidence at every draw, and so are
// the estimates of it that the methods state.
Deviation by_exact_draws(Exactness& run, const ExactTarget& target, const Approximate& how) {
  Deviation deviation = by_draws(run, target, how);
  const auto fit = run.fit();
  for (const double weight : log_weights_of(*fit)) take_evidence(deviation, target, weight);
  for (const char* estimate : {"bound", "site_log_evidence"})
    if (has_tuned(*fit, estimate))
      take_evidence(deviation, target, tuned_of(*fit, estimate).front());
  return deviation;
}
template <const Approximate* how>
Deviation by_sites(Exactness& run, const ExactTarget& target) {
  Deviation deviation = by_exact_draws(run, target, *how);
  const auto fit = run.fit();
  EXPECT_TRUE(has_tuned(*fit, "site_log_evidence") || has_tuned(*fit, "bound"));
  take_normal(deviation, *fit, target, "mean");
  return deviation;
}
const Approximate kEp{{"--method", "ep"}, kClosedForm}, kCvi{{"--method", "cvi"}, kClosedForm},
    kAdf{{"--method", "adf"}, kClosedForm}, kEkf{{"--method", "ekf"}, kClosedForm},
    kCavi{{"--method", "cavi", "--join", "auto"}, kClosedForm};

Deviation by_kalman(Exactness& run, const ExactTarget& target) {
  Deviation deviation = by_exact_draws(run, target, kEkf);
  take_normal(deviation, *run.fit(), target, "mean");
  return deviation;
}
Deviation by_coordinate_ascent(Exactness& run, const ExactTarget& target) {
  Deviation deviation = by_exact_draws(run, target, kCavi);
  EXPECT_TRUE(has_tuned(*run.fit(), "bound"));
  return deviation;
}

struct ExactMethod {
  std::string_view name;
  std::string_view family;  // which targets it holds; empty: all
  Deviation (*answer)(Exactness&, const ExactTarget&);
  std::size_t most_values = 100;
  std::vector<std::string_view> not_of =
      {};  // starts of names of targets that are beyond the method

  bool holds(const ExactTarget& target) const {
    const auto is_beyond = [&](std::string_view start) { return target.name.starts_with(start); };
    return target.is_within(family) && target.mean.size() <= most_values &&
           std::ranges::none_of(not_of, is_beyond);
  }
};
const std::array kMethods{
    ExactMethod{"conjugate", "conjugate", by_conjugacy},
    ExactMethod{"elimination", "sites", by_sums<kElimination>},
    ExactMethod{"enumeration", "sites", by_sums<kEnumeration>},
    ExactMethod{"laplace", "normal", by_laplace},
    ExactMethod{"laplace, t", "normal", by_approximation<&kLaplaceT>, 3},
    ExactMethod{"normal, full", "normal", by_approximation<&kFull>},
    ExactMethod{"normal, diagonal", "independent", by_approximation<&kDiagonal>},
    ExactMethod{"normal, blocks", "independent", by_approximation<&kBlocks>},
    ExactMethod{"normal, adam", "normal", by_approximation<&kSteps>, 3},
    ExactMethod{"moments", "normal", by_approximation<&kMoments>, 5},
    ExactMethod{"pathfinder", "normal", by_approximation<&kPathfinder>, 5, {"two scales"}},
    ExactMethod{"ep", "normal", by_sites<&kEp>}, ExactMethod{"cvi", "normal", by_sites<&kCvi>},
    ExactMethod{"adf", "normal", by_sites<&kAdf>},
    // Rows of a multi_normal outcome have no expected information.
    ExactMethod{"ekf", "normal", by_kalman, 100, {"multi_normal of"}},
    // Values with a multiplier, and lognormal priors, aren't conjugate for it.
    ExactMethod{"cavi",
                "conjugate",
                by_coordinate_ascent,
                100,
                {"hierarchy of 8 groups, form 2", "positive value"}},
    ExactMethod{"factors", "factors", by_approximation<&kFactors>}};

TEST(exactness, has_forty_targets) { EXPECT_GE(testing::exact_targets().size(), 40u); }

LONG_TEST(exactness, of_every_method_on_every_target_that_it_holds) {
  Exactness run;
  std::map<std::string_view, int> counts;
  for (const ExactTarget& target : testing::exact_targets()) {
    run.write_target(target);
    for (const ExactMethod& method : kMethods) {
      if (!method.holds(target)) continue;
      const Deviation deviation = method.answer(run, target);
      EXPECT_LT(deviation.largest, 1.0)
          << method.name << ", " << target.name << ": " << deviation.of;
      ++counts[method.name];
    }
  }
  int all = 0;
  for (const ExactMethod& method : kMethods) {
    EXPECT_GE(counts[method.name], 3) << method.name;
    all += counts[method.name];
  }
  EXPECT_GE(all, 40) << all << " pairs of target and method";
  RecordProperty("pairs_of_target_and_method", all);
}

// Bounds are on their sides of evidences that no normal distribution has, too; also of programs whose discrete parameters are summed.
LONG_TEST(exactness, of_bounds_about_evidences_of_other_posteriors) {
  static const Approximate kBounds{{"--method", "normal"}, 1e-6, false},
      kWide{{"--method", "normal", "--objective", "chi2"}, 1e-6, false},
      kOver{{"--method", "normal", "--objective", "eubo"}, 1e-6, false},
      kProduct{{"--method", "factors"}, 1e-6, false}, kAscent{{"--method", "cavi"}, 1e-6, false};
  Exactness run;
  int count = 0;
  for (const ExactTarget& target : testing::exact_targets()) {
    if (target.is_within("normal") || target.is_within("sites")) continue;
    run.write_target(target);
    for (const Approximate* how : {&kBounds, &kWide, &kOver, &kProduct, &kAscent}) {
      const bool is_ascent = how == &kAscent;
      if (is_ascent && target.name.starts_with("bounded mean")) continue;  // not conjugate
      std::vector<std::string> more{"--seed", "3", "--no-check", "-o", run.at("fit.nc"), "--quiet"};
      more.insert(more.end(), how->options.begin(), how->options.end());
      ASSERT_EQ(run.run(run.words("approximate", std::move(more))), 0) << target.name << run.said();
      const auto fit = run.fit();
      EXPECT_TRUE(has_tuned(*fit, "bound")) << target.name;
      EXPECT_EQ(has_tuned(*fit, "upper_bound"), !is_ascent) << target.name;
      Deviation deviation;
      take_bounds(deviation, *fit, target, how->slack);
      EXPECT_LT(deviation.largest, 1.0) << target.name << ": " << deviation.of;
      ++count;
    }
  }
  EXPECT_GE(count, 60) << count << " pairs of target and method";
}

// Planted faults: a Jacobian that is missing, rows that count N / B times, an outcome that is left out, and a family that doesn't hold the
// posterior.
TEST(exactness, rejects_other_programs_and_narrower_families) {
  Exactness run;
  const auto deviation_of = [&](ExactTarget target, std::string_view from, const char* to) {
    const std::size_t place = target.program.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    target.program.replace(place, from.size(), to);
    run.write_target(target);
    return by_laplace(run, target).largest;
  };
  const ExactTarget positive = testing::positive_value(6, 98), line = testing::regression(1, 0, 70),
                    pairs = testing::two_pairs(96);
  EXPECT_LT(deviation_of(positive, "real<lower=0> s", "real<lower=0> s"), 1.0);
  EXPECT_GT(deviation_of(positive, "real<lower=0> s; } model { s ~",
                         "real u; } model { real s = exp(u); s ~"),
            100.0);
  EXPECT_GT(deviation_of(line, "y ~ normal(a + X * b, 0.6);",
                         "target += 12.0 / 10 * normal_lpdf(y | a + X * b, 0.6);"),
            100.0);
  EXPECT_GT(
      deviation_of(line, "y ~ normal(a + X * b, 0.6);", "y[2:N] ~ normal(a + X[2:N] * b, 0.6);"),
      100.0);
  run.write_target(pairs);
  EXPECT_LT(by_approximation<&kBlocks>(run, pairs).largest, 1.0);
  EXPECT_GT(by_approximation<&kDiagonal>(run, pairs).largest, 1.0);
}

// The same of distributions by sites, by a filter and by conjugate factors: a prior that is left out, a filter with more noise than the
// rows have, separate factors in the place of the joint one, and bounds on the wrong side.
TEST(exactness, rejects_faults_of_sites_and_factors) {
  Exactness run;
  static const Approximate kNoisy{{"--method", "ekf", "--noise", "0.4"}, kClosedForm},
      kUncorrelated{{"--method", "adf", "--diagonal", "true"}, kClosedForm},
      kApart{{"--method", "cavi"}, kClosedForm};
  const ExactTarget line = testing::regression(3, 0, 72), joint = testing::mean_and_precision();
  run.write_target(line);
  EXPECT_LT(by_sites<&kEp>(run, line).largest, 1.0);
  EXPECT_GT(by_exact_draws(run, line, kNoisy).largest, 100.0);
  EXPECT_GT(by_exact_draws(run, line, kUncorrelated).largest, 100.0);
  ExactTarget once_more = line;
  once_more.program.replace(once_more.program.find("a ~ normal(0, 3); "), 18, "");
  run.write_target(once_more);
  EXPECT_GT(by_sites<&kCvi>(run, once_more).largest, 100.0);
  run.write_target(joint);
  EXPECT_LT(by_coordinate_ascent(run, joint).largest, 1.0);
  EXPECT_GT(by_exact_draws(run, joint, kApart).largest, 100.0);
  Deviation wrong_side;
  ExactTarget lower = joint;
  lower.log_evidence -= 0.2;  // 0.07 is the gap of separate factors
  take_bounds(wrong_side, *run.fit(), lower, 1e-6);
  EXPECT_GT(wrong_side.largest, 100.0);
}

}  // namespace
}  // namespace credo::cli::exactness_test
