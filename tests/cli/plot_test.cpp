// credo plot: the marks of each kind of picture, read back from its SVG, are what the result holds, by definitions that are
// written out here.
#include <fmt/format.h>

#include <numeric>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "diagnose/density_regions.hpp"
#include "diagnose/ecdf_band.hpp"
#include "io/file.hpp"
#include "report/kinds.hpp"
#include "support/command_run.hpp"
#include "support/svg_marks.hpp"

namespace credo::cli::plot_test {
namespace {
using ::credo::testing::Json;
using ::credo::testing::SvgMark;
using ::credo::testing::SvgPanel;
using Series = std::vector<double>;

constexpr const char* kProgram =
    "data { int N; vector[N] x; array[N] int y; }\n"
    "parameters { real a; real b; vector[3] t; }\n"
    "model { a ~ normal(0, 2); b ~ normal(0, 2); t ~ normal(0, exp(1.5 * a)); y ~ poisson_log(0.5 "
    "* a + b * x); }\n"
    "generated quantities { int k = poisson_rng(2); }\n";
constexpr const char* kData =
    R"({"N": 12, "x": [0.1, 0.5, -1.0, 2.0, 0.3, 1.1, -0.4, 0.0, 1.0, -2.0, 0.7, 1.5], "y": [1, 2, 0, 4, 0, 3, 1, 1, 2, 0, 2, 3]})";

double quantile_of(Series values, double p) {  // linear between order statistics
  std::sort(values.begin(), values.end());
  const double place = static_cast<double>(values.size() - 1) * p;
  const auto low = static_cast<std::size_t>(place);
  const double weight = place - static_cast<double>(low);
  return weight == 0.0 ? values[low] : (1.0 - weight) * values[low] + weight * values[low + 1];
}

// One run for all tests. The scale of t depends on a as in a funnel: some transitions diverge.
class Plot : public ::credo::testing::CommandRun {
 protected:
  static constexpr Index kDraws = 150, kChains = 3;
  Plot() : CommandRun("plot") {
    write("m.stan", kProgram);
    write("d.json", kData);
    EXPECT_EQ(run({"sample", at("m.stan"), "--data", at("d.json"), "--chains", "3", "--warmup",
                   "150", "--draws", "150", "--seed", "4", "--quiet", "-o", at("fit.nc")}),
              0)
        << said();
    const std::string path = at("fit.nc");
    fit_ = open_fit(std::span(&path, 1));
  }

  std::vector<SvgPanel> panels(std::vector<std::string> words,
                               std::vector<std::string> files = {}) {
    if (files.empty()) files = {at("fit.nc")};
    std::vector<std::string> all{"plot"};
    all.insert(all.end(), files.begin(), files.end());
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"-o", at("p.svg")});
    EXPECT_EQ(run(all), 0) << said();
    return ::credo::testing::SvgReader(io::read_file(at("p.svg"))).panels();
  }
  Series values(const std::string& name) const {
    const density::Draws draws = fit_->quantities(false, *find_quantity(*fit_, name), 1);
    const auto all = draws.quantity(0);
    return {all.begin(), all.end()};
  }
  Series chain(const std::string& name, Index c) const {
    const Series all = values(name);
    return {all.begin() + c * kDraws, all.begin() + (c + 1) * kDraws};
  }
  std::vector<std::size_t> divergent() const {
    std::vector<std::size_t> places;
    const Series marks = values("divergent");
    for (std::size_t i = 0; i < marks.size(); ++i)
      if (marks[i] != 0.0) places.push_back(i);
    return places;
  }

  std::unique_ptr<Fit> fit_;
};

// Paths are rounded to a hundredth of a pixel: half of that is the most that a value may be off, and rounding of the frame.
void expect_at(const SvgPanel& panel, const ::credo::testing::SvgPoint& point, double x, double y) {
  EXPECT_NEAR(point.x, x, 1.1 * panel.x_pixel) << panel.title;
  EXPECT_NEAR(point.y, y, 1.1 * panel.y_pixel) << panel.title;
}

TEST_F(Plot, trace_has_each_draw_of_each_chain_in_its_place) {
  const auto all = panels({"trace", "--columns", "b"});
  ASSERT_EQ(all.size(), 1u);
  for (Index c = 0; c < kChains; ++c) {
    const Series draws = chain("b", c);
    const SvgMark& line = all[0].mark("line", "chain", c);
    ASSERT_EQ(line.pieces.size(), 1u);
    ASSERT_EQ(line.pieces[0].size(), draws.size());
    for (std::size_t s = 0; s < draws.size(); ++s)
      expect_at(all[0], line.pieces[0][s], static_cast<double>(s + 1), draws[s]);
  }
  const std::vector<std::size_t> places = divergent();
  ASSERT_GT(places.size(), 0u);
  const auto marked = all[0].mark("points", "divergent").points();
  ASSERT_EQ(marked.size(), places.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    expect_at(all[0], marked[k], static_cast<double>(places[k] % kDraws + 1),
              values("b")[places[k]]);
}

TEST_F(Plot, ranks_count_the_draws_of_a_chain_among_all) {
  const auto all = panels({"ranks", "--columns", "a", "--bins", "5"});
  const Series draws = values("a");
  for (Index c = 0; c < kChains; ++c) {
    std::array<double, 5> counts{};
    for (const double v : chain("a", c)) {  // of equal draws the mean rank
      const auto below = std::count_if(draws.begin(), draws.end(), [&](double o) { return o < v; }),
                 equal = std::count(draws.begin(), draws.end(), v);
      const double rank = static_cast<double>(below) + 0.5 * static_cast<double>(equal + 1);
      counts[static_cast<std::size_t>((rank - 0.5) * 5.0 / static_cast<double>(draws.size()))] +=
          1.0;
    }
    const auto& outline = all[0].mark("line", "chain", c).pieces[0];
    ASSERT_EQ(outline.size(), 10u);
    for (std::size_t k = 0; k < 10; ++k)
      expect_at(all[0], outline[k], 90.0 * static_cast<double>((k + 1) / 2), counts[k / 2]);
  }
  EXPECT_NEAR(all[0].mark("rule_y", "reference").pieces[0][0].y, 30.0, 1.1 * all[0].y_pixel);
}

TEST_F(Plot, autocorrelation_is_the_sum_of_products) {
  const auto all = panels({"autocorrelation", "--columns", "b", "--lags", "6"});
  for (Index c = 0; c < kChains; ++c) {
    const Series x = chain("b", c);
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    const auto covariance = [&](std::size_t lag) {
      double sum = 0.0;
      for (std::size_t s = lag; s < x.size(); ++s) sum += (x[s] - mean) * (x[s - lag] - mean);
      return sum;
    };
    const auto& line = all[0].mark("line", "chain", c).pieces[0];
    ASSERT_EQ(line.size(), 7u);
    for (std::size_t lag = 0; lag < 7; ++lag)
      expect_at(all[0], line[lag], static_cast<double>(lag), covariance(lag) / covariance(0));
  }
  EXPECT_EQ(all[0].mark("spans", "all").pieces.size(), 7u);
}

// A normal kernel at each draw, reflected at the ends of the draws.
TEST_F(Plot, density_is_a_sum_of_kernels) {
  const auto all = panels({"density", "--columns", "a"});
  const Series draws = values("a");
  const double h = diagnose::kernel_density(draws).bandwidth;
  const auto [low, high] = std::minmax_element(draws.begin(), draws.end());
  const auto density = [&](double x) {
    double sum = 0.0;
    for (const double v : draws)
      for (const double at : {v, 2.0 * *low - v, 2.0 * *high - v}) {
        const double z = (x - at) / h;
        sum += std::exp(-0.5 * z * z) / (h * std::sqrt(2.0 * M_PI));
      }
    return sum / static_cast<double>(draws.size());
  };
  const auto& area = all[0].mark("area", "all").pieces[0];
  ASSERT_EQ(area.size(), 400u);  // there and back along zero
  double total = 0.0;
  for (std::size_t k = 0; k < 200; ++k) {
    // Binning on 1024 places and half a place of the reflection: less than 1 % of the top.
    EXPECT_NEAR(area[k].y, density(area[k].x), 0.01 * 0.5) << area[k].x;
    if (k > 0) total += 0.5 * (area[k].y + area[k - 1].y) * (area[k].x - area[k - 1].x);
    EXPECT_NEAR(area[200 + k].y, 0.0, all[0].y_pixel);
  }
  EXPECT_NEAR(total, 1.0, 0.01);
  for (Index c = 0; c < kChains; ++c)
    EXPECT_EQ(all[0].mark("line", "chain", c).pieces[0].size(), 200u);
  EXPECT_NE(all[0].title.find("a: "), std::string::npos);
}

TEST_F(Plot, density_of_whole_numbers_is_the_share_of_each) {
  const auto all = panels({"density", "--columns", "k"});
  const Series draws = values("k");
  const auto& bars = all[0].mark("bars", "all").pieces;
  double total = 0.0;
  for (const auto& bar : bars) {
    const double value = std::round(0.5 * (bar[0].x + bar[2].x));
    const double share = static_cast<double>(std::count(draws.begin(), draws.end(), value)) /
                         static_cast<double>(draws.size());
    EXPECT_NEAR(bar[1].y, share, 1.1 * all[0].y_pixel) << value;
    total += share;
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
}

TEST_F(Plot, forest_and_path_have_the_quantiles) {
  const auto forest = panels({"forest", "--columns", "t"}),
             path = panels({"path", "--columns", "t"});
  for (std::size_t k = 0; k < 3; ++k) {
    const Series draws = values("t." + std::to_string(k + 1));
    const auto& wide = forest[0].mark("intervals", "interval").pieces[k];
    expect_at(forest[0], wide[0], quantile_of(draws, 0.05), static_cast<double>(k));
    expect_at(forest[0], wide[1], quantile_of(draws, 0.95), static_cast<double>(k));
    const auto& narrow = forest[0].mark("intervals", "inner").pieces[k];
    expect_at(forest[0], narrow[0], quantile_of(draws, 0.25), static_cast<double>(k));
    expect_at(forest[0], narrow[1], quantile_of(draws, 0.75), static_cast<double>(k));
    expect_at(forest[0], forest[0].mark("points", "observed").points()[k], quantile_of(draws, 0.5),
              static_cast<double>(k));
    expect_at(path[0], path[0].mark("line", "observed").pieces[0][k], static_cast<double>(k + 1),
              quantile_of(draws, 0.5));
    expect_at(path[0], path[0].mark("area", "interval").pieces[0][k], static_cast<double>(k + 1),
              quantile_of(draws, 0.95));
    expect_at(path[0], path[0].mark("area", "posterior").pieces[0][5 - k],
              static_cast<double>(k + 1), quantile_of(draws, 0.25));
  }
}

TEST_F(Plot, pairs_have_all_draws_and_mark_those_that_diverged) {
  const auto all = panels({"pairs", "--columns", "a", "--columns", "t[2]"});
  ASSERT_EQ(all.size(), 3u);  // the diagonal, and one below it
  const Series a = values("a"), t = values("t.2");
  const std::vector<std::size_t> places = divergent();
  const auto marked = all[1].mark("points", "divergent").points(),
             plain = all[1].mark("points", "all").points();
  ASSERT_EQ(marked.size(), places.size());
  EXPECT_EQ(plain.size() + marked.size(), a.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    expect_at(all[1], marked[k], a[places[k]], t[places[k]]);
  for (std::size_t i = 0, k = 0; i < a.size(); ++i)
    if (std::find(places.begin(), places.end(), i) == places.end()) {
      expect_at(all[1], plain[k], a[i], t[i]);
      ++k;
    }
}

TEST_F(Plot, energy_has_densities_of_energies_and_of_their_changes) {
  const auto all = panels({"energy"});
  const Series energy = values("energy");
  const double mean =
      std::accumulate(energy.begin(), energy.end(), 0.0) / static_cast<double>(energy.size());
  double least_change = kInfinity, most_change = -kInfinity;
  for (std::size_t i = 1; i < energy.size(); ++i)
    if (i % kDraws != 0) {
      least_change = std::min(least_change, energy[i] - energy[i - 1]);
      most_change = std::max(most_change, energy[i] - energy[i - 1]);
    }
  const auto [low, high] = std::minmax_element(energy.begin(), energy.end());
  for (const auto& [role, from, to] : {std::tuple{"posterior", *low - mean, *high - mean},
                                       std::tuple{"prior", least_change, most_change}}) {
    const auto& area = all[0].mark("area", role).pieces[0];
    EXPECT_NEAR(area[0].x, from, 1.1 * all[0].x_pixel) << role;
    EXPECT_NEAR(area[199].x, to, 1.1 * all[0].x_pixel) << role;
    double total = 0.0;
    for (std::size_t k = 1; k < 200; ++k)
      total += 0.5 * (area[k].y + area[k - 1].y) * (area[k].x - area[k - 1].x);
    EXPECT_NEAR(total, 1.0, 0.01) << role;
  }
}

// a ~ normal(0, 2): of 500 draws the quantiles 1 % and 99 % have a standard error of sqrt(p q / n) / f = 0.33.
TEST_F(Plot, prior_is_the_one_that_the_program_states) {
  const auto all = panels({"prior", "--columns", "a"});
  const auto& prior = all[0].mark("area", "prior").pieces[0];
  EXPECT_NEAR(prior[0].x, -2.326 * 2.0, 4.0 * 0.33);
  EXPECT_NEAR(prior[199].x, 2.326 * 2.0, 4.0 * 0.33);
  double mean = 0.0, total = 0.0;
  for (std::size_t k = 0; k < 200; ++k) mean += prior[k].x * prior[k].y, total += prior[k].y;
  EXPECT_NEAR(mean / total, 0.0, 4.0 * 2.0 / std::sqrt(500.0));
  const Series draws = values("a");
  EXPECT_NEAR(all[0].mark("area", "posterior").pieces[0][0].x,
              *std::min_element(draws.begin(), draws.end()), 1.1 * all[0].x_pixel);
}

const Series kY = {1, 2, 0, 4, 0, 3, 1, 1, 2, 0, 2, 3};

// Of each statistic and variable the figures of `credo ppc`, and of the replicates that it writes for the same seed.
class PredictivePlot : public Plot {
 protected:
  PredictivePlot() {
    checks_ = json({"ppc", at("fit.nc"), "--replicates", "60", "-o", at("rep.csv")});
    const std::string text = io::read_file(at("rep.csv"));
    for (std::size_t at_line = text.find('\n') + 1; at_line < text.size();
         at_line = text.find('\n', at_line) + 1) {
      Series& row = replicates_.emplace_back();
      const char* place = text.c_str() + at_line;
      for (std::size_t k = 0; k < kY.size(); ++k, ++place) {
        char* end = nullptr;
        row.push_back(std::strtod(place, &end));
        place = end;
      }
    }
    EXPECT_EQ(replicates_.size(), 60u);
  }
  std::vector<SvgPanel> predictive(const std::string& kind) {
    return panels({kind, "--replicates", "60"});
  }
  Json checks_;
  std::vector<Series> replicates_;
};

TEST_F(PredictivePlot, predictive_is_the_distribution_of_the_data) {
  const auto all = predictive("predictive");
  const auto share = [](const Series& y, double v) {
    return static_cast<double>(
               std::count_if(y.begin(), y.end(), [&](double o) { return o <= v; })) /
           static_cast<double>(y.size());
  };
  const auto& line = all[0].mark("line", "observed").pieces[0];
  EXPECT_EQ(line.size(), 2 * kY.size());
  std::map<double, double> top;
  for (const auto& point : line) top[std::round(point.x)] = point.y;
  for (const auto& [value, height] : top)
    EXPECT_NEAR(height, share(kY, value), 1.1 * all[0].y_pixel);
  std::size_t lines = 0;
  for (const SvgMark& m : all[0].marks) {
    if (m.role != "replicate") continue;
    const Series& own = replicates_[lines++ * 60 / 50];
    EXPECT_NEAR(m.pieces[0][0].x, *std::min_element(own.begin(), own.end()), 1.1 * all[0].x_pixel);
    EXPECT_NEAR(m.pieces[0].back().x, *std::max_element(own.begin(), own.end()),
                1.1 * all[0].x_pixel);
  }
  EXPECT_EQ(lines, 50u);
}

TEST_F(PredictivePlot, statistics_have_the_observed_value_and_all_replicates) {
  const auto all = predictive("statistics");
  const auto& statistics = checks_.at("variables").items[0].at("statistics").items;
  ASSERT_EQ(all.size(), statistics.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_TRUE(all[k].title.starts_with(statistics[k].at("name").text + " of y")) << all[k].title;
    EXPECT_NEAR(all[k].mark("rule_x", "observed").pieces[0][0].x,
                statistics[k].at("observed").number, 1.1 * all[k].x_pixel);
    double count = 0.0;
    for (const auto& bar : all[k].mark("bars", "replicate").pieces) count += std::round(bar[1].y);
    EXPECT_EQ(count, 60.0) << all[k].title;
  }
  double least = kInfinity;
  for (const Series& row : replicates_)
    least = std::min(least, std::accumulate(row.begin(), row.end(), 0.0) / 12.0);
  EXPECT_NEAR(all[0].mark("bars", "replicate").pieces[0][0].x, least, 1.1 * all[0].x_pixel);
}

// The least of 40 outcomes from 0 to 2 is 0 in every replicate: a narrow bar, not one from 0 to 1.
TEST_F(PredictivePlot, a_statistic_without_spread_is_a_narrow_bar_at_its_value) {
  write("coin.stan",
        "data { int N; array[N] int y; }\nparameters { real<lower=0, upper=1> p; }\n"
        "model { p ~ beta(20, 20); y ~ binomial(2, p); }\n");
  std::string y;
  for (int n = 0; n < 40; ++n) y += fmt::format("{}{}", n == 0 ? "" : ", ", n % 3);
  write("coin.json", "{\"N\": 40, \"y\": [" + y + "]}");
  ASSERT_EQ(run({"sample", at("coin.stan"), "--data", at("coin.json"), "--chains", "2", "--draws",
                 "100", "--seed", "4", "--quiet", "-o", at("coin.nc")}),
            0)
      << said();
  const auto all = panels({"statistics", "--replicates", "60"}, {at("coin.nc")});
  const auto found = std::ranges::find_if(
      all, [](const SvgPanel& panel) { return panel.title.starts_with("min of y"); });
  ASSERT_NE(found, all.end());
  EXPECT_TRUE(found->title.ends_with(", the same in all replicates")) << found->title;
  const auto& bars = found->mark("bars", "replicate").pieces;
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_NEAR(0.5 * (bars[0][0].x + bars[0][2].x), 0.0, 1.1 * found->x_pixel);
  EXPECT_LT(std::abs(bars[0][2].x - bars[0][0].x), 0.1);
  EXPECT_NEAR(bars[0][1].y, 60.0, 1.1 * found->y_pixel);
  EXPECT_FALSE(all[0].title.ends_with("replicates")) << "means differ";
}

TEST_F(PredictivePlot, intervals_are_those_of_the_replicates) {
  const auto all = predictive("intervals");
  for (std::size_t e = 0; e < kY.size(); ++e) {
    Series own;
    for (const Series& row : replicates_) own.push_back(row[e]);
    const double place = static_cast<double>(e + 1);
    expect_at(all[0], all[0].mark("points", "observed").points()[e], place, kY[e]);
    expect_at(all[0], all[0].mark("spans", "interval").pieces[e][0], place, quantile_of(own, 0.05));
    expect_at(all[0], all[0].mark("spans", "interval").pieces[e][1], place, quantile_of(own, 0.95));
    expect_at(all[0], all[0].mark("spans", "inner").pieces[e][0], place, quantile_of(own, 0.25));
  }
}

// Each place is random between the share of replicates below the value and that of those not above it, so that the
// distribution function lies between theirs.
TEST_F(PredictivePlot, calibration_is_the_distribution_of_places_with_ties_at_random) {
  const auto all = predictive("calibration");
  Series low, high;
  for (std::size_t e = 0; e < kY.size(); ++e) {
    double below = 0.0, not_above = 0.0;
    for (const Series& row : replicates_) {
      below += row[e] < kY[e] ? 1.0 : 0.0;
      not_above += row[e] <= kY[e] ? 1.0 : 0.0;
    }
    low.push_back(below / 61.0), high.push_back((not_above + 1.0) / 61.0);
  }
  const auto& line = all[0].mark("line", "posterior").pieces[0];
  const diagnose::EcdfBand band = diagnose::ecdf_band(12, 100, 0.95);
  const auto& area = all[0].mark("area", "reference").pieces[0];
  ASSERT_EQ(line.size(), 99u);
  for (std::size_t k = 0; k < 99; ++k) {
    const double at = static_cast<double>(k + 1) / 100.0, rounding = 1.1 * all[0].y_pixel;
    const auto share = [&](const Series& places) {
      return static_cast<double>(
                 std::count_if(places.begin(), places.end(), [&](double p) { return p <= at; })) /
             12.0;
    };
    EXPECT_NEAR(line[k].x, at, 1.1 * all[0].x_pixel);
    EXPECT_LE(line[k].y, share(low) - at + rounding);
    EXPECT_GE(line[k].y, share(high) - at - rounding);
    EXPECT_NEAR(area[k].y, static_cast<double>(band.upper[k]) / 12.0 - at, rounding);
    EXPECT_NEAR(area[197 - k].y, static_cast<double>(band.lower[k]) / 12.0 - at, rounding);
  }
}

TEST_F(PredictivePlot, bars_count_each_value_beside_the_counts_of_replicates) {
  const auto all = predictive("bars");
  const auto count = [](const Series& y, double v) {
    return static_cast<double>(std::count(y.begin(), y.end(), v));
  };
  const auto& bars = all[0].mark("bars", "observed").pieces;
  ASSERT_GE(bars.size(), 5u);
  double total = 0.0;
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const double value = std::round(0.5 * (bars[k][0].x + bars[k][2].x));
    EXPECT_NEAR(bars[k][1].y, count(kY, value), 1.1 * all[0].y_pixel) << value;
    total += count(kY, value);
    Series own;
    for (const Series& row : replicates_) own.push_back(count(row, value));
    const auto& wide = all[0].mark("spans", "interval").pieces[k];
    expect_at(all[0], wide[0], value, quantile_of(own, 0.05));
    expect_at(all[0], wide[1], value, quantile_of(own, 0.95));
  }
  EXPECT_EQ(total, static_cast<double>(kY.size()));
  EXPECT_EQ(run({"plot", at("fit.nc"), "overlay"}), 2) << "counts have no density";
  EXPECT_NE(said().find("bars"), std::string::npos) << said();
}

TEST_F(PredictivePlot, loo_pit_is_the_distribution_of_the_places_that_ppc_has) {
  const auto all = predictive("loo_pit");
  const Json pit = json({"ppc", at("fit.nc"), "--loo-pit", "--replicates", "60"})
                       .at("variables")
                       .items[0]
                       .at("loo_pit");
  ASSERT_EQ(pit.at("places").items.size(), 12u);
  const auto& line = all[0].mark("line", "posterior").pieces[0];
  ASSERT_EQ(line.size(), 99u);
  Index num_other = 0;
  for (std::size_t k = 0; k < 99; ++k) {
    const double at = static_cast<double>(k + 1) / 100.0;
    const auto share = [&](const std::vector<Json>& places) {
      return static_cast<double>(std::count_if(places.begin(), places.end(),
                                               [&](const Json& p) { return p.number <= at; })) /
             12.0;
    };
    expect_at(all[0], line[k], at, share(pit.at("places").items) - at);
    num_other +=
        share(pit.at("places").items) != share(checks_.at("variables").items[0].at("places").items);
  }
  EXPECT_GT(num_other, 0) << "the places of rows that aren't left out are others";
}

// Of a coin whose probability depends on x: the bins and rows of credo score, by their definitions.
class ClassPlot : public Plot {
 protected:
  ClassPlot() {
    write("coin.stan",
          "data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; }\n"
          "model { a ~ normal(0, 2); b ~ normal(0, 2); y ~ bernoulli_logit(a + b * x); }");
    std::string x, y;
    for (int n = 0; n < 60; ++n) {
      x += fmt::format("{}{}", n == 0 ? "" : ", ", 0.1 * (n % 20) - 1.0);
      y += fmt::format("{}{}", n == 0 ? "" : ", ", (n * n + n / 7) % 20 < n % 20 ? 1 : 0);
    }
    write("coin.json", fmt::format("{{\"N\": 60, \"x\": [{}], \"y\": [{}]}}", x, y));
    EXPECT_EQ(run({"sample", at("coin.stan"), "--data", at("coin.json"), "--draws", "250", "--seed",
                   "4", "--quiet", "-o", at("coin.nc")}),
              0)
        << said();
    scored_ = json({"score", at("coin.nc")});
  }
  Json scored_;
};

TEST_F(ClassPlot, reliability_has_shares_and_bands_of_all_bins) {
  const auto all = panels({"reliability"}, {at("coin.nc")});
  const auto& parts = scored_.at("calibration").at("reliability").items;
  ASSERT_EQ(all.size(), parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto& bins = parts[p].at("bins").items;
    ASSERT_GT(bins.size(), 2u);
    const SvgMark& band = all[p].mark("spans", "interval");
    ASSERT_EQ(band.pieces.size(), bins.size());
    std::size_t in = 0, out = 0;
    for (std::size_t b = 0; b < bins.size(); ++b) {
      const double at = bins[b].at("predicted").number;
      expect_at(all[p], band.pieces[b][0], at, bins[b].at("band_lower").number);
      expect_at(all[p], band.pieces[b][1], at, bins[b].at("band_upper").number);
      const bool is_outside = bins[b].at("outside").truth;
      const std::size_t k = is_outside ? out++ : in++;
      expect_at(all[p], all[p].mark("points", is_outside ? "unreliable" : "observed").points()[k],
                at, bins[b].at("observed").number);
    }
    const auto& diagonal = all[p].mark("line", "reference").pieces[0];
    for (const auto& point : diagonal)
      EXPECT_NEAR(point.x, point.y, 1.1 * (all[p].x_pixel + all[p].y_pixel));
  }
  EXPECT_EQ(run({"plot", at("fit.nc"), "reliability"}), 2) << "counts aren't classes";
}

TEST_F(ClassPlot, row_scores_are_those_of_each_row_and_their_mean) {
  const auto all = panels({"row_scores"}, {at("coin.nc")});
  std::size_t k = 0;
  for (const Json& score : scored_.at("scores").items) {
    if (score.at("name").text == "entropy") continue;  // it needs no outcome
    ASSERT_LT(k, all.size());
    const SvgPanel& panel = all[k++];
    EXPECT_TRUE(panel.title.starts_with(score.at("name").text + ": ")) << panel.title;
    const auto& rows = score.at("rows").items;
    const auto points = panel.mark("points", "posterior").points();
    ASSERT_EQ(points.size(), 60u);
    double mean = 0.0;
    for (std::size_t i = 0; i < 60; ++i) {
      expect_at(panel, points[i], static_cast<double>(i + 1), rows[i].number);
      mean += rows[i].number / 60.0;
    }
    EXPECT_NEAR(panel.mark("rule_y", "reference").pieces[0][0].y, mean, 1.1 * panel.y_pixel);
  }
  EXPECT_EQ(k, all.size());
  EXPECT_GE(k, 4u);
}

// A regression with intercepts and slopes of four groups, as a matrix, and one distant outcome.
class GroupPlot : public Plot {
 protected:
  GroupPlot() {
    write(
        "groups.stan",
        "data { int N; array[N] int g; vector[N] x; vector[N] y; }\n"
        "parameters { matrix[4, 2] b; real<lower=0> s; }\n"
        "model { to_vector(b) ~ normal(0, 100); s ~ normal(0, 5); y ~ normal(b[g, 1] + b[g, 2] .* "
        "x, s); }");
    std::string g, x;
    for (std::size_t n = 0; n < 32; ++n) {
      const double own = static_cast<double>(n % 4), at_x = static_cast<double>(n / 4) - 3.5;
      y_.push_back(200.0 + 10.0 * own + (1.0 + own) * at_x +
                   std::sin(5.0 * static_cast<double>(n)));
      g += fmt::format("{}{}", n == 0 ? "" : ", ", n % 4 + 1);
      x += fmt::format("{}{}", n == 0 ? "" : ", ", at_x);
    }
    y_[5] += 25.0;
    write("groups.json", fmt::format("{{\"N\": 32, \"g\": [{}], \"x\": [{}], \"y\": [{}]}}", g, x,
                                     fmt::join(y_, ", ")));
    EXPECT_EQ(run({"sample", at("groups.stan"), "--data", at("groups.json"), "--draws", "250",
                   "--seed", "4", "--quiet", "-o", at("groups.nc")}),
              0)
        << said();
  }
  Json drawn(std::vector<std::string> words) {
    words.insert(words.begin(), {"plot", at("groups.nc")});
    return json(words);
  }
  Series y_;
};

TEST_F(GroupPlot, matrices_are_drawn_in_the_order_of_their_names_and_columns_apart) {
  const Json forest = drawn({"forest", "--columns", "b", "--columns", "s"});
  ASSERT_EQ(forest.at("panels").items.size(), 3u);
  for (std::size_t p = 0; p < 2; ++p) {
    const Json& panel = forest.at("panels").items[p];
    EXPECT_EQ(panel.at("title").text, fmt::format("b[*,{}]", p + 1));
    ASSERT_EQ(panel.at("y").at("rows").items.size(), 4u);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_EQ(panel.at("y").at("rows").items[k].text, fmt::format("b[{},{}]", k + 1, p + 1));
  }
  const auto path = panels({"path", "--columns", "b"}, {at("groups.nc")});
  ASSERT_EQ(path.size(), 2u);
  const std::string file = at("groups.nc");
  const auto fit = open_fit(std::span(&file, 1));
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto draws =
          fit->quantities(false, *find_quantity(*fit, fmt::format("b.{}.{}", k + 1, p + 1)), 1);
      const auto values = draws.quantity(0);
      expect_at(path[p], path[p].mark("line", "observed").pieces[0][k], static_cast<double>(k + 1),
                quantile_of({values.begin(), values.end()}, 0.5));
    }
}

// A square matrix has one panel, unless its columns (intercepts and slopes) have different scales on a common axis.
TEST_F(GroupPlot, square_matrices_are_parted_by_columns_only_where_their_scales_differ) {
  const Json path = drawn({"path", "--columns", "b[2:3,*]"});
  EXPECT_EQ(path.at("panels").items.size(), 1u);
  const Json forest = drawn({"forest", "--columns", "b[2:3,*]"});
  ASSERT_EQ(forest.at("panels").items.size(), 2u);
  for (std::size_t p = 0; p < 2; ++p) {
    const Json& panel = forest.at("panels").items[p];
    EXPECT_EQ(panel.at("title").text, fmt::format("b[*,{}]", p + 1));
    ASSERT_EQ(panel.at("y").at("rows").items.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_EQ(panel.at("y").at("rows").items[k].text, fmt::format("b[{},{}]", k + 2, p + 1));
  }
}

TEST_F(GroupPlot, groups_have_the_figures_of_each_beside_those_of_its_replicates) {
  ASSERT_EQ(run({"ppc", at("groups.nc"), "--replicates", "60", "-o", at("rep.csv")}), 0) << said();
  const auto all = panels({"groups", "--replicates", "60"}, {at("groups.nc")});
  ASSERT_EQ(all.size(), 2u);  // means, and spreads of 8 values per group
  EXPECT_EQ(all[0].title, "mean of y by g");
  EXPECT_EQ(all[1].title, "sd of y by g");
  for (std::size_t k = 0; k < 4; ++k) {
    double mean = 0.0;
    for (std::size_t n = k; n < 32; n += 4) mean += y_[n] / 8.0;
    expect_at(all[0], all[0].mark("points", "observed").points()[k], mean, static_cast<double>(k));
    const auto& wide = all[0].mark("intervals", "interval").pieces[k];
    EXPECT_LT(wide[0].x, mean);
    EXPECT_GT(wide[1].x, mean);
  }
  EXPECT_EQ(run({"plot", at("groups.nc"), "groups", "--group", "gg"}), 2);
  EXPECT_NE(said().find("did you mean g?"), std::string::npos) << said();
  EXPECT_EQ(run({"plot", at("fit.nc"), "groups"}), 2) << "no variable groups these outcomes";
}

TEST_F(GroupPlot, groups_of_a_table_have_the_names_of_its_levels) {
  std::string table = "g,x,y\n";
  for (std::size_t n = 0; n < 32; ++n)
    table += fmt::format("{},{},{}\n", std::array{"north", "east", "south", "west"}[n % 4],
                         static_cast<double>(n / 4) - 3.5, y_[n]);
  write("groups.csv", table);
  ASSERT_EQ(run({"sample", at("groups.stan"), "--data", at("groups.csv"), "--draws", "100",
                 "--seed", "4", "--quiet", "-o", at("levels.nc")}),
            0)
      << said();
  const Json picture = json({"plot", at("levels.nc"), "groups", "--replicates", "40"});
  const auto& rows = picture.at("panels").items[0].at("y").at("rows").items;
  const auto& means = picture.at("panels").items[0].at("marks").items[2].at("x").items;
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t group = rows[k].text == "north"   ? 0u
                              : rows[k].text == "east"  ? 1u
                              : rows[k].text == "south" ? 2u
                                                        : 3u;
    EXPECT_TRUE(group != 3u || rows[k].text == "west") << rows[k].text;
    double mean = 0.0;
    for (std::size_t n = group; n < 32; n += 4) mean += y_[n] / 8.0;
    EXPECT_NEAR(means[k].number, mean, 1e-9) << rows[k].text;
  }
}

TEST_F(GroupPlot, elements_and_groups_of_checks_have_the_names_of_levels) {
  write("levels.stan",
        "data { int N; int num_g; array[N] int<lower=1, upper=num_g> g; vector[N] y; }\n"
        "parameters { vector[num_g] u; real<lower=0> s; }\n"
        "model { u ~ normal(0, 300); s ~ normal(0, 20); y ~ normal(u[g], s); }\n");
  std::string table = "g,y\n";
  for (std::size_t n = 0; n < 32; ++n)
    table += fmt::format("{},{}\n", std::array{"north", "east", "south", "west"}[n % 4], y_[n]);
  write("levels.csv", table);
  ASSERT_EQ(run({"sample", at("levels.stan"), "--data", at("levels.csv"), "--draws", "100",
                 "--seed", "4", "--quiet", "-o", at("named.nc")}),
            0)
      << said();
  const Json forest = json({"plot", at("named.nc"), "forest", "--columns", "u"});
  const auto& rows = forest.at("panels").items[0].at("y").at("rows").items;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].text, "u[1] east");
  EXPECT_EQ(rows[3].text, "u[4] west");
  ASSERT_EQ(run({"ppc", at("named.nc"), "--group", "g", "--replicates", "40"}), 0) << said();
  EXPECT_NE(printed().find("y[g = south]"), std::string::npos) << printed();
}

TEST_F(GroupPlot, overlay_has_the_densities_of_the_data_and_of_replicates) {
  const auto all = panels({"overlay", "--replicates", "60"}, {at("groups.nc")});
  std::size_t lines = 0;
  for (const SvgMark& mark : all[0].marks) {
    const auto& line = mark.pieces[0];
    double total = 0.0;
    for (std::size_t k = 1; k < line.size(); ++k)
      total += 0.5 * (line[k].y + line[k - 1].y) * (line[k].x - line[k - 1].x);
    EXPECT_NEAR(total, 1.0, 0.05);  // the ends of some tails aren't drawn
    lines += mark.role == "replicate" ? 1 : 0;
  }
  EXPECT_EQ(lines, 50u);
  EXPECT_EQ(run({"plot", at("groups.nc"), "bars"}), 2) << "real outcomes have no counts";
}

// A report counts the same rows as unreliable everywhere.
TEST_F(GroupPlot, unreliable_rows_have_one_count) {
  const Json loo = json({"loo", at("groups.nc")});
  const auto count = static_cast<Index>(loo.at("num_unreliable").number);
  ASSERT_GE(count, 1);
  std::size_t marked = 0;
  for (const Json& mark : drawn({"loo"}).at("panels").items[0].at("marks").items)
    if (mark.at("role").text == "unreliable") marked = mark.at("x").items.size();
  EXPECT_EQ(marked, static_cast<std::size_t>(count));
  for (const char* kind : {"loo", "loo_pit", "row_scores"}) {
    const std::string words = drawn({kind}).at("words").text;
    EXPECT_NE(words.find(fmt::format("Of 32 rows {} ", count)), std::string::npos) << words;
    EXPECT_EQ(words.find("Of 32 rows", words.find("Of 32 rows") + 1), std::string::npos) << words;
  }
}

TEST_F(GroupPlot, root_mean_square_errors_are_in_the_units_of_their_title) {
  const auto all = panels({"row_scores"}, {at("groups.nc")});
  const auto panel = std::find_if(
      all.begin(), all.end(), [](const SvgPanel& one) { return one.title.starts_with("rmse: "); });
  ASSERT_NE(panel, all.end());
  const double told = std::stod(panel->title.substr(6));
  double squares = 0.0;
  for (const auto& point : panel->mark("points", "posterior").points())
    squares += point.y * point.y / 32.0;
  EXPECT_NEAR(std::sqrt(squares), told, 1e-3 * told);  // four digits in the title, pixels
  EXPECT_NEAR(panel->mark("rule_y", "reference").pieces[0][0].y, told, 1e-3 * told);
}

TEST_F(Plot, loo_and_scores_are_those_of_each_row) {
  const auto loo = panels({"loo"}), scores = panels({"scores"});
  const Json all = json({"loo", at("fit.nc")});
  const double limit = all.at("k_limit").number;
  std::size_t good = 0, wrong = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const Json& row = all.at("rows").items[i];
    const bool is_wrong = row.at("pareto_k").number > limit;
    const char* role = is_wrong ? "unreliable" : "posterior";
    const std::size_t k = is_wrong ? wrong++ : good++;
    expect_at(loo[0], loo[0].mark("points", role).points()[k], static_cast<double>(i + 1),
              row.at("pareto_k").number);
    expect_at(scores[0], scores[0].mark("points", role).points()[k], static_cast<double>(i + 1),
              row.at("elpd_loo").number);
  }
  EXPECT_NEAR(loo[0].mark("rule_y", "reference").pieces[0][0].y, limit, 1.1 * loo[0].y_pixel);
  EXPECT_NEAR(scores[0].mark("rule_y", "reference").pieces[0][0].y,
              all.at("elpd_loo").at("value").number / 12.0, 1.1 * scores[0].y_pixel);
}

TEST_F(Plot, compare_has_the_differences_and_their_errors) {
  write("other.stan",
        "data { int N; vector[N] x; array[N] int y; } parameters { real a; } model { a ~ normal(0, "
        "2); y ~ poisson_log(a); }");
  ASSERT_EQ(run({"sample", at("other.stan"), "--data", at("d.json"), "--draws", "300", "--seed",
                 "2", "--quiet", "-o", at("other.nc")}),
            0)
      << said();
  const auto all = panels({"compare"}, {at("other.nc"), at("fit.nc")});
  const Json compared = json({"compare", at("other.nc"), at("fit.nc")});
  for (std::size_t k = 0; k < 2; ++k) {
    const Json& model = compared.at("models").items[k];
    const double difference = model.at("difference").number,
                 error = model.at("difference_error").number;
    expect_at(all[0], all[0].mark("points", "observed").points()[k], difference,
              static_cast<double>(k));
    expect_at(all[0], all[0].mark("intervals", "interval").pieces[k][0], difference - error,
              static_cast<double>(k));
    expect_at(all[0], all[0].mark("intervals", "interval").pieces[k][1], difference + error,
              static_cast<double>(k));
  }
  EXPECT_EQ(run({"plot", at("fit.nc"), "compare"}), 2);
}

TEST_F(Plot, ladder_has_the_rows_of_each_chain) {
  ASSERT_EQ(run({"sample", at("m.stan"), "--data", at("d.json"), "--sampler", "smc", "--chains",
                 "2", "--draws", "100", "--seed", "2", "--quiet", "-o", at("smc.nc")}),
            0)
      << said();
  const auto all = panels({"ladder"}, {at("smc.nc")});
  const std::string path = at("smc.nc");
  const auto fit = open_fit(std::span(&path, 1));
  const RowTable& table = fit->tables()[0];
  ASSERT_EQ(all.size(), table.columns.size());
  for (Index c = 0; c < 2; ++c) {
    const Series rows = fit->table_rows(0, c);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto& line = all[k].mark("line", "chain", c).pieces[0];
      ASSERT_EQ(line.size() * all.size(), rows.size());
      for (std::size_t r = 0; r < line.size(); ++r)
        expect_at(all[k], line[r], static_cast<double>(r + 1), rows[r * all.size() + k]);
    }
  }
  EXPECT_EQ(run({"plot", at("fit.nc"), "ladder"}), 2);
  EXPECT_NE(said().find("reports only its draws"), std::string::npos) << said();
}

TEST_F(Plot, draws_every_kind_in_the_terminal) {
  for (const report::PictureKind* kind : report::picture_kinds()) {
    if (kind->name == "compare" || kind->name == "ladder" || kind->name == "bound") continue;
    if (kind->name == "reliability") continue;  // of classes, which these outcomes aren't
    if (kind->name == "overlay" || kind->name == "groups") continue;  // these are counts, ungrouped
    ASSERT_EQ(run({"plot", at("fit.nc"), std::string(kind->name), "--width", "60"}), 0) << said();
    EXPECT_NE(printed().find("│"), std::string::npos) << kind->name;
  }
}

TEST_F(Plot, makes_png_and_pdf) {
  for (const auto& [name, begin] : {std::pair{"p.png", "\x89PNG"}, std::pair{"p.pdf", "%PDF"}}) {
    ASSERT_EQ(run({"plot", at("fit.nc"), "forest", "-o", at(name)}), 0) << said();
    EXPECT_TRUE(io::read_file(at(name)).starts_with(begin)) << name;
  }
}

TEST_F(Plot, says_what_can_not_be_drawn) {
  const auto refused = [&](std::vector<std::string> words, const char* part) {
    words.insert(words.begin(), {"plot", at("fit.nc")});
    EXPECT_EQ(run(words), 2);
    EXPECT_NE(said().find(part), std::string::npos) << said();
  };
  refused({"trac"}, "did you mean trace?");
  refused({"pairs", "--columns", "a"}, "two quantities at least");
  refused({"trace", "--columns", "t", "--columns", "a", "--columns", "b"},
          "5 quantities are named");
  refused({"energy", "--columns", "a"}, "of the whole run");
  refused({"trace", "-o", at("p.jpg")}, "neither .svg, .png nor .pdf");
  refused({"prior", "--columns", "k"}, "has no prior of its own");
  EXPECT_EQ(run({"plot", at("fit.nc")}), 2);
}

}  // namespace
}  // namespace credo::cli::plot_test
