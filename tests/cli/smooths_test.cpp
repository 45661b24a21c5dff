// Smooths of credo regression and their predictions, against R's mgcv and against the columns that the front end computes.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "io/file.hpp"
#include "models/regression/smooths/smooth_basis.hpp"
#include "support/command_run.hpp"
#include "support/share.hpp"

namespace credo::cli::smooths_test {
namespace {
const std::string kTables = CREDO_SOURCE_DIR "/examples/regression/";
const std::string kData = CREDO_SOURCE_DIR "/tests/data/formula/";

struct Figure {
  double mean = kNaN, sd = kNaN, error = kNaN;
};

std::map<std::string, std::vector<double>> numbers_of(const std::string& path) {
  std::istringstream file(io::read_file(path));
  std::string line, cell;
  std::getline(file, line);
  std::vector<std::string> names;
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    for (const std::string& column : names) {
      std::getline(cells, cell, ',');
      columns[column].push_back(std::atof(cell.c_str()));
    }
  }
  return columns;
}

// A smooth of mcycle in tests/data/formula/smooths.txt.
struct Peer {
  double smoothing = 0.0, sigma = 0.0;
  std::vector<double> x, predicted;
};
Peer peer_of(const std::string& head) {
  std::ifstream file(kData + "smooths.txt");
  std::string line;
  while (std::getline(file, line) && line != "= mcycle " + head) {
  }
  std::getline(file, line), std::getline(file, line), std::getline(file, line);
  Peer peer;
  std::istringstream(line) >> peer.smoothing >> peer.sigma;
  std::getline(file, line);
  for (std::vector<double>* numbers : {&peer.x, &peer.predicted}) {
    std::getline(file, line);
    std::istringstream row(line);
    for (double x = 0.0; row >> x;) numbers->push_back(x);
  }
  return peer;
}

class Smooths : public testing::CommandRun {
 protected:
  Smooths() : CommandRun("smooths") {}

  void fit(const std::string& formula, const std::string& table,
           std::vector<std::string> more = {}) {
    std::vector<std::string> words{"regression", formula,   "--data", table,       "--seed",
                                   "1",          "--quiet", "-o",     at("fit.nc")};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said();
  }
  static std::map<std::string, Figure> figures(const testing::Json& rows) {
    std::map<std::string, Figure> all;
    for (const testing::Json& row : rows.items)
      all[row.at("name").text] = {row.at("mean").number, row.at("sd").number,
                                  row.at("mcse_mean").number};
    return all;
  }
  std::map<std::string, Figure> predicted(std::vector<std::string> words = {}) {
    words.insert(words.begin(),
                 {"predict", at("fit.nc"), "--seed", "3", "--scale", "linear"});
    return figures(json(std::move(words)));
  }
  void expect_rows_alone(const std::string& path, int every) {
    const auto whole = predicted();
    const std::string text = io::read_file(path);
    const std::size_t header = text.find('\n') + 1;
    std::size_t begin = header;
    for (int k = 1; begin < text.size(); ++k) {
      const std::size_t end = text.find('\n', begin) + 1;
      if (k % every == 1) {
        write("one.csv", text.substr(0, header) + text.substr(begin, end - begin));
        const auto alone = predicted({"--data", at("one.csv")});
        const double expected = whole.at("linear." + std::to_string(k)).mean;
        EXPECT_NEAR(alone.at("linear.1").mean, expected,
                    1e-12 * std::max(1.0, std::abs(expected)))
            << k;
      }
      begin = end;
    }
  }
};

// With the sd of the smooth and sigma held at mgcv's estimates the posterior's mean is mgcv's prediction, at new numbers and beyond the
// data, too. The widths of the two priors, a thousandth, move it by less than its Monte Carlo error.
TEST_F(Smooths, at_mgcvs_variances_predict_as_mgcv_does) {
  for (const char* kind : {"tp", "cr", "cc", "ps"}) {
    SCOPED_TRACE(kind);
    const Peer peer = peer_of(std::string(kind) + " 10 times NA");
    const auto times = numbers_of(kTables + "mcycle.csv").at("times");
    const models::SmoothMap map = models::smooth_map(
        models::find_smooth_kind(kind)->make({times}, 10), true);
    const double sd = map.peer_units * peer.sigma / std::sqrt(peer.smoothing);
    const auto held = [](const std::string& name, double value) {
      return name + " ~ normal(" + std::to_string(value) + ", " + std::to_string(value / 1000.0) + ")";
    };
    fit(std::string("accel ~ s(times, bs = \"") + kind + "\")", kTables + "mcycle.csv",
        {"--priors", "flat", "--prior", held("sd(s(times))", sd), "--prior",
         held("sigma", peer.sigma)});
    std::string table = "times\n";
    for (const double x : peer.x) table += std::to_string(x) + "\n";
    write("new.csv", table);
    const auto all = predicted({"--data", at("new.csv")});
    const bool has_note = said().find("outside of 2.4 to 57.6") != std::string::npos;
    EXPECT_EQ(has_note, std::string(kind) != "cc") << said();
    for (std::size_t k = 0; k < peer.x.size(); ++k) {
      const Figure& own = all.at("linear." + std::to_string(k + 1));
      EXPECT_NEAR(own.mean, peer.predicted[k], 4.0 * own.error + 1e-4 * peer.sigma) << peer.x[k];
    }
  }
}

// The program computes the columns that the front end has: the linear predictor of one draw is the sum of its parts.
TEST_F(Smooths, have_the_columns_of_the_front_end_in_their_program) {
  for (const char* kind : {"tp", "cr", "cc", "ps"}) {
    SCOPED_TRACE(kind);
    const auto table = numbers_of(kData + "smooth.csv");
    const models::SmoothBasis basis = models::find_smooth_kind(kind)->make({table.at("x")}, 9);
    const models::SmoothMap map = models::smooth_map(basis, true);
    fit(std::string("y ~ s(x, k = 9, bs = \"") + kind + "\")", kData + "smooth.csv",
        {"--chains", "1", "--warmup", "50", "--draws", "1"});
    auto draw = figures(json({"summary", at("fit.nc")}));
    const auto linear = predicted();
    const double slope = basis.num_slopes() == 1 ? draw.at("slope_x").mean : 0.0,
                 mean = models::sample_mean(table.at("x"));
    for (Index n = 0; n < 400; n += 13) {
      double sum = draw.at("intercept").mean +
                   slope * (table.at("x")[static_cast<std::size_t>(n)] - mean);
      Index num_known = 0;
      while (draw.contains("w_x." + std::to_string(num_known + 1))) ++num_known;
      EXPECT_GT(num_known, 0);
      for (Index c = 0; c < map.columns.cols; ++c)
        sum += map.columns(n, c) *
               (c < num_known ? draw.at("w_x." + std::to_string(c + 1)).mean
                              : draw.at("sd_x").mean *
                                    draw.at("z_x." + std::to_string(c - num_known + 1)).mean);
      EXPECT_NEAR(linear.at("linear." + std::to_string(n + 1)).mean, sum,
                  1e-9 * std::max(1.0, std::abs(sum)))
          << n;
    }
  }
}

TEST_F(Smooths, predict_a_row_alone_as_within_the_table) {
  const std::vector<std::string> few{"--draws", "20", "--warmup", "50", "--chains", "2"};
  fit("y ~ g + s(x, by = g, bs = \"ps\", k = 6) + s(z, bs = \"cc\", k = 6); sigma ~ s(x, z, k = 8)",
      kData + "smooth.csv", few);
  expect_rows_alone(kData + "smooth.csv", 83);
  fit("y ~ s(x, k = 6, by = z) + s(g, bs = \"re\") + s(g, x, bs = \"re\")", kData + "smooth.csv", few);
  expect_rows_alone(kData + "smooth.csv", 83);
}

// One smooth for each level: the rows of a level have the smooth that they have in a fit of their own, if sigma is known.
LONG_TEST_F(Smooths, by_levels_are_smooths_of_their_rows) {
  const std::vector<std::string> held{"--priors", "flat", "--prior", "sigma ~ normal(0.4, 0.0004)"};
  auto more = held;
  for (const char* level : {"a", "b", "c"})
    more.insert(more.end(), {"--prior", std::string("sd(s(x):g") + level + ") ~ normal(0.6, 0.0006)"});
  fit("y ~ 0 + g + s(x, by = g, bs = \"cr\", k = 6)", kData + "smooth.csv", more);
  write("new.csv", "g,x\nb,1\nb,5\nb,9\n");
  const auto together = predicted({"--data", at("new.csv")});
  // The rows of b alone, with the knots and the constraint of all rows: rows of the other levels say nothing of b.
  const auto table = numbers_of(kData + "smooth.csv");
  std::istringstream lines(io::read_file(kData + "smooth.csv"));
  std::string line, rows;
  for (int n = 0; std::getline(lines, line); ++n)
    rows += n == 0 ? line + "\n" : line.find(",b,") == line.npos ? "" : line + "\n";
  write("b.csv", rows);
  fit("y ~ s(x, bs = \"cr\", k = 6)", at("b.csv"),
      {"--priors", "flat", "--prior", held[3], "--prior", "sd(s(x)) ~ normal(0.6, 0.0006)"});
  const auto alone = predicted({"--data", at("new.csv")});
  for (const char* row : {"linear.1", "linear.2", "linear.3"}) {
    const Figure &a = together.at(row), &b = alone.at(row);
    // Knots differ a little, which changes the smooth by less than a tenth of its sd.
    EXPECT_NEAR(a.mean, b.mean, 4.0 * (a.error + b.error) + 0.1 * b.sd) << row;
  }
}

TEST_F(Smooths, refuse_calls_that_have_no_meaning) {
  const auto refused = [&](const std::string& formula, const std::string& words) {
    EXPECT_EQ(run({"regression", formula, "--data", kData + "smooth.csv", "--explain"}), 4) << formula;
    EXPECT_NE(said().find(words), std::string::npos) << said();
  };
  refused("y ~ s(x, bs = \"cx\")", "there is no smooth cx");
  refused("y ~ s(x, knots = 3)", "s() has no option knots");
  refused("y ~ s(x, k = 2.5)", "k is a whole number");
  refused("y ~ s(x, k = 2)", "has a basis of 3 functions or more");
  refused("y ~ s(x, k = 500)", "has 500 functions, and there are 400 different values");
  refused("y ~ s(log(x))", "smooths are of columns");
  refused("y ~ s(x, z, bs = \"cr\")", "a cubic regression spline is of one column");
  refused("y ~ x + s(x)", "x has a coefficient already");
  refused("y ~ s(x) + s(x, z)", "x has a coefficient already");
  refused("y ~ z + s(x, by = z)", "z has a coefficient already");
  refused("y ~ s(g)", "g has texts");
  refused("y ~ s()", "s() needs a column");
  EXPECT_EQ(run({"regression", "y ~ s(x)", "--data", kData + "smooth.csv", "--priors", "rstanarm", "--explain"}), 4);
  EXPECT_NE(said().find("rstanarm's prior of s(x) is not there"), std::string::npos) << said();
}
// ---- Gaussian processes

double covariance(const std::string& kernel, double distance, double sd, double length) {
  const double r = std::abs(distance) / length;
  if (kernel == "se") return sd * sd * std::exp(-0.5 * r * r);
  if (kernel == "matern12") return sd * sd * std::exp(-r);
  if (kernel == "matern32") return sd * sd * (1.0 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
  if (kernel == "matern52")
    return sd * sd * (1.0 + std::sqrt(5.0) * r + 5.0 / 3.0 * r * r) * std::exp(-std::sqrt(5.0) * r);
  const double s = std::sin(M_PI * distance / 3.0);  // the period of the test
  return sd * sd * std::exp(-2.0 * s * s / (length * length));
}

struct Process {
  std::string kernel;
  double sd = 1.5, length = 1.2, sigma = 0.4;
  std::vector<double> x, y;

  // The mean at new numbers for a flat intercept, by dense Gaussian elimination.
  std::vector<double> means(const std::vector<double>& at) const {
    const auto n = static_cast<Index>(x.size());
    numerics::DenseMatrix k(n), both(n, 2);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        k(i, j) = covariance(kernel, x[static_cast<std::size_t>(i)] - x[static_cast<std::size_t>(j)],
                             sd, length) +
                  (i == j ? sigma * sigma : 0.0);
      both(i, 0) = 1.0, both(i, 1) = y[static_cast<std::size_t>(i)];
    }
    const numerics::DenseMatrix solved = numerics::SymmetricEigen(k).inverse() * both;
    double ones = 0.0, sum = 0.0;
    for (Index i = 0; i < n; ++i) ones += solved(i, 0), sum += solved(i, 1);
    const double intercept = sum / ones;
    std::vector<double> made;
    for (const double z : at) {
      double mean = intercept;
      for (Index i = 0; i < n; ++i)
        mean += covariance(kernel, z - x[static_cast<std::size_t>(i)], sd, length) *
                (solved(i, 1) - intercept * solved(i, 0));
      made.push_back(mean);
    }
    return made;
  }
};

class Processes : public Smooths {
 protected:
  Processes() {
    std::string table = "x,y\n";
    for (int k = 0; k < 20; ++k) {
      process_.x.push_back(std::round(1e4 * 6.0 * std::fmod(0.6180339887 * k, 1.0)) / 1e4);
      process_.y.push_back(std::round(1e4 * (std::sin(2.0 * process_.x.back()) + 0.4 * std::sin(9.0 * k))) / 1e4);
      table += std::to_string(process_.x.back()) + "," + std::to_string(process_.y.back()) + "\n";
    }
    write("t.csv", table);
    write("new.csv", "x\n0.3\n1.7\n3.14159\n5.2\n" + std::to_string(process_.x[7]) + "\n");
  }
  void fit_held(const std::string& kernel, const std::string& more) {
    process_.kernel = kernel;
    const std::string call = kernel == "periodic" ? "gp(x, kernel = \"periodic\", period = 3" + more + ")"
                                                  : "gp(x, kernel = \"" + kernel + "\"" + more + ")";
    fit("y ~ " + call, at("t.csv"),
        {"--priors", "flat", "--prior", "sd(gp(x)) ~ normal(1.5, 0.0015)", "--prior",
         "length(gp(x)) ~ normal(1.2, 0.0012)", "--prior", "sigma ~ normal(0.4, 0.0004)", "--draws", "500"});
  }
  // The largest error in standard deviations of the prediction, beyond four Monte Carlo errors.
  double largest_error() {
    const auto own = predicted({"--data", at("new.csv")});
    const std::vector<double> wanted =
        process_.means({0.3, 1.7, 3.14159, 5.2, process_.x[7]});
    double largest = 0.0;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Figure& f = own.at("linear." + std::to_string(k + 1));
      largest = std::max(largest, (std::abs(f.mean - wanted[k]) - 4.0 * f.error) / f.sd);
    }
    return largest;
  }
  Process process_;
};

// By dense linear algebra with the closed forms of the kernels. A tenth of the prediction's sd is left to the approximation, whose formula
// promises that of length scales from 0.26 on (40 sines, squared exponential); with three sines it is far off.
TEST_F(Processes, by_sines_have_the_means_of_the_dense_covariance) {
  fit_held("matern52", ", k = 40");
  EXPECT_LT(largest_error(), 0.1);
  fit_held("matern52", ", k = 3");
  EXPECT_GT(largest_error(), 0.2);
}

LONG_TEST_F(Processes, have_the_means_of_the_dense_covariance_exactly_and_by_features) {
  for (const char* kernel : {"se", "matern32", "periodic"}) {
    SCOPED_TRACE(kernel);
    fit_held(kernel, ", exact = TRUE");
    EXPECT_LT(largest_error(), 0.02);
  }
  for (const char* kernel : {"se", "matern32", "matern52", "matern12", "periodic"}) {
    SCOPED_TRACE(kernel);
    fit_held(kernel, std::string(kernel) == "matern12" ? ", k = 150" : ", k = 40");
    EXPECT_LT(largest_error(), 0.1);
  }
  fit_held("se", ", k = 3");
  EXPECT_GT(largest_error(), 0.2);
}

TEST_F(Processes, predict_a_row_alone_as_within_the_table) {
  const std::vector<std::string> few{"--draws", "20", "--warmup", "50", "--chains", "2"};
  fit("y ~ gp(x, k = 10) + gp(z, kernel = \"periodic\", period = 2, k = 5)", kData + "smooth.csv", few);
  expect_rows_alone(kData + "smooth.csv", 83);
  fit("y ~ gp(x, z, k = 4, kernel = \"matern52\") + gp(x, by = z, k = 6)", kData + "smooth.csv", few);
  expect_rows_alone(kData + "smooth.csv", 83);
  fit("y ~ gp(x, exact = TRUE)", at("t.csv"), few);
  expect_rows_alone(at("t.csv"), 7);
}

TEST_F(Processes, refuse_calls_that_have_no_meaning) {
  const auto refused = [&](const std::string& formula, const std::string& words) {
    EXPECT_EQ(run({"regression", formula, "--data", at("t.csv"), "--explain"}), 4) << formula;
    EXPECT_NE(said().find(words), std::string::npos) << said();
  };
  refused("y ~ gp(x, kernel = \"matern53\")", "did you mean matern5");
  refused("y ~ gp(x, kernel = \"periodic\")", "belongs to the periodic kernel");
  refused("y ~ gp(x, period = 2)", "belongs to the periodic kernel");
  refused("y ~ gp(x, c = 1)", "c is how many times wider");
  refused("y ~ gp(x, x, x)", "of one or two columns");
  refused("y ~ gp(x, k = 5, exact = TRUE)", "stands in the place of k");
  fit("y ~ gp(x, k = 10)", at("t.csv"), {"--draws", "20", "--warmup", "50"});
  write("far.csv", "x\n20\n");
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("far.csv")}), 4);
  EXPECT_NE(said().find("the range of the sines"), std::string::npos) << said();
}

}  // namespace
}  // namespace credo::cli::smooths_test
