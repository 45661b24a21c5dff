// credo optimize --method proximal: modes of double-exponential priors against glmnet, and against coordinate descent.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::proximal_test {
namespace {
constexpr int kRows = 50, kColumns = 6;

double cell(int row, int column) {
  const double j = column + 1.0;
  return std::cos(0.7 * j * row + 0.3 * j * j);
}
double predictor(int row) { return 0.4 + 1.5 * cell(row, 0) - 0.8 * cell(row, 2); }
double outcome(int row) { return predictor(row) + 0.7 * std::sin(2.9 * row + 1.0); }
bool is_one(int row) { return predictor(row) + 1.2 * std::sin(5.3 * row) > 0.0; }

std::string digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

class Proximal : public testing::CommandRun {
 protected:
  Proximal() : CommandRun("proximal") { write("d.json", table()); }

  static std::string table() {
    std::string x, y, z;
    for (int n = 0; n < kRows; ++n) {
      std::string row;
      for (int j = 0; j < kColumns; ++j) row += (j == 0 ? "" : ",") + digits(cell(n, j));
      const std::string comma = n == 0 ? "" : ",";
      x += comma + "[" + row + "]", y += comma + digits(outcome(n)),
          z += comma + (is_one(n) ? "1" : "0");
    }
    return "{\"N\": 50, \"x\": [" + x + "], \"y\": [" + y + "], \"z\": [" + z + "]}";
  }
  static std::string program(const std::string& prior, const std::string& statement) {
    return "data { int N; matrix[N, 6] x; vector[N] y; array[N] int z; }\n"
           "parameters { real a; vector[6] b; }\nmodel { b ~ " +
           prior + "; " + statement + " }";
  }
  testing::Json optimize(const std::string& text, std::vector<std::string> more = {}) {
    write("m.stan", text);
    std::vector<std::string> words{"optimize", at("m.stan"), "--data", at("d.json"),
                                   "--method", "proximal",   "--seed", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
  std::string refusal(const std::string& text) {
    write("m.stan", text);
    EXPECT_NE(run({"optimize", at("m.stan"), "--data", at("d.json"), "--method", "proximal"}), 0);
    return on_one_line(said());
  }
  static std::vector<double> values(const testing::Json& found) {
    std::vector<double> all;
    for (const testing::Json& row : found.at("mode").items) all.push_back(row.at("value").value());
    return all;
  }
};

// tools/make_lasso.R, glmnet 4.1.
struct Peer {
  std::string prior, statement;
  std::array<double, 7> values;
};
const std::array<Peer, 5> kPeers{{{"double_exponential(0, 0.5)",
                                   "y ~ normal(a + x * b, 1);",
                                   {0.398567025, 1.451647702, 0, -0.761305826, -0.120486902, 0, 0}},
                                  {"double_exponential(0, 0.1)",
                                   "y ~ normal(a + x * b, 1);",
                                   {0.400612099, 1.139031943, 0, -0.440436577, 0, 0, 0}},
                                  {"double_exponential(0, 0.05)",
                                   "y ~ normal(a + x * b, 1);",
                                   {0.402114834, 0.751630968, 0, -0.047251876, 0, 0, 0}},
                                  {"double_exponential(0, 1)",
                                   "z ~ bernoulli_logit(a + x * b);",
                                   {0.121207822, 2.353912749, 0, -1.212458865, 0, 0.272652319, 0}},
                                  {"double_exponential(0, 0.3)",
                                   "z ~ bernoulli_logit(a + x * b);",
                                   {0.112239773, 1.432474930, 0, -0.456481835, 0, 0, 0}}}};

bool agrees(std::span<const double> found, std::span<const double> peer) {
  for (std::size_t k = 0; k < peer.size(); ++k)
    if (std::abs(found[k] - peer[k]) > 1e-6 || (peer[k] == 0.0) != (found[k] == 0.0)) return false;
  return true;
}

TEST_F(Proximal, coefficients_are_those_of_glmnet_with_the_same_exact_zeros) {
  for (const Peer& peer : kPeers) {
    const testing::Json found = optimize(program(peer.prior, peer.statement));
    EXPECT_TRUE(agrees(values(found), peer.values))
        << peer.prior << " " << peer.statement << said();
    for (const testing::Json& start : found.at("starts").items) {
      EXPECT_TRUE(start.at("converged").truth) << peer.prior;
      EXPECT_LT(start.at("gradient").number, 1e-8);  // the conditions of a maximum
    }
  }
  // A threshold that is two parts in a thousand too wide is seen.
  const testing::Json wrong =
      optimize(program("double_exponential(0, 0.499)", kPeers[0].statement));
  EXPECT_FALSE(agrees(values(wrong), kPeers[0].values));
}

// Coordinate descent with centres, widths and a normal intercept of its own.
std::vector<double> by_coordinates(std::span<const double> centres,
                                   std::span<const double> widths) {
  std::vector<double> b(kColumns, 0.0);
  double a = 0.0;
  for (int sweep = 0; sweep < 5000; ++sweep) {
    for (int j = -1; j < kColumns; ++j) {
      double square = 0.0, product = 0.0;
      for (int n = 0; n < kRows; ++n) {
        double rest = outcome(n) - (j < 0 ? 0.0 : a);
        for (int k = 0; k < kColumns; ++k)
          rest -= k == j ? centres[static_cast<std::size_t>(k)] * cell(n, k)
                         : b[static_cast<std::size_t>(k)] * cell(n, k);
        const double x = j < 0 ? 1.0 : cell(n, j);
        square += x * x, product += x * rest;
      }
      if (j < 0) {
        a = product / (square + 1.0 / 4.0);  // a ~ normal(0, 2)
        continue;
      }
      const auto at = static_cast<std::size_t>(j);
      const double rate = 1.0 / widths[at], size = std::max(std::abs(product) - rate, 0.0);
      b[at] = centres[at] + std::copysign(size, product) / square;
    }
  }
  b.insert(b.begin(), a);
  return b;
}

TEST_F(Proximal, centres_and_widths_are_those_of_each_coefficient) {
  const std::vector<double> centres{1.5, 0.25, 0, 0, -0.125, 0},
      widths{0.1, 0.2, 0.3, 0.05, 0.1, 0.4};
  const std::string text =
      "data { int N; matrix[N, 6] x; vector[N] y; } parameters { real a; vector[6] b; }\n"
      "model { a ~ normal(0, 2); b[1] ~ double_exponential(1.5, 0.1);\n"
      "for (j in 2:6) target += double_exponential_lpdf(b[j] | [0, 0.25, 0, 0, -0.125, 0][j], [0, "
      "0.2, 0.3, 0.05, 0.1, 0.4][j]);\n"
      "y ~ normal(a + x * b, 1); }";
  const std::vector<double> own = by_coordinates(centres, widths);
  const std::vector<double> found = values(optimize(text));
  ASSERT_EQ(found.size(), own.size());
  Index num_held = 0;
  for (std::size_t k = 0; k < own.size(); ++k) {
    EXPECT_NEAR(found[k], own[k], 1e-8) << k;
    if (k == 0 || own[k] != centres[k - 1]) continue;
    EXPECT_EQ(found[k], own[k]) << k;
    ++num_held;
  }
  EXPECT_GE(num_held, 2);
}

// With an unknown sd and small blocks, by differences of gradients: the same mode.
TEST_F(Proximal, blocks_of_coefficients_come_to_the_same_mode) {
  const std::string text =
      "data { int N; matrix[N, 6] x; vector[N] y; } parameters { real a; vector[6] b; "
      "real<lower=0> s; }\n"
      "model { b ~ double_exponential(0, 0.1); y ~ normal(a + x * b, s); }";
  const std::vector<double> whole = values(optimize(text)),
                            blocks = values(optimize(text, {"--max-curvature", "3"}));
  for (std::size_t k = 0; k < whole.size(); ++k) EXPECT_NEAR(blocks[k], whole[k], 1e-5) << k;
}

TEST_F(Proximal, densities_that_it_cannot_take_are_refused_with_the_reason) {
  EXPECT_NE(refusal(program("normal(0, 1)", "y ~ normal(a + x * b, 1);")).find("states none"),
            std::string::npos);
  EXPECT_NE(refusal("data { int N; matrix[N, 6] x; vector[N] y; } parameters { vector[6] b; "
                    "real<lower=0> w; }\n"
                    "model { b ~ double_exponential(0, w); y ~ normal(x * b, 1); }")
                .find("depends on parameters"),
            std::string::npos);
  EXPECT_NE(refusal("data { int N; vector[N] y; } parameters { real a; } model { y ~ "
                    "double_exponential(a, 1); }")
                .find("double_exponential"),
            std::string::npos);
  EXPECT_NE(refusal("data { int N; vector[N] y; } parameters { real<lower=0> a; }\n"
                    "model { a ~ double_exponential(0, 1); y ~ normal(a, 1); }")
                .find("without bounds"),
            std::string::npos);
}

TEST_F(Proximal, l_bfgs_at_a_kink_leads_to_it) {
  write("m.stan", program("double_exponential(0, 0.05)", "y ~ normal(a + x * b, 1);"));
  EXPECT_EQ(run({"optimize", at("m.stan"), "--data", at("d.json"), "--seed", "1"}), 0);
  EXPECT_NE(on_one_line(printed()).find("--method proximal"), std::string::npos);
}

TEST_F(Proximal, a_lasso_with_a_known_width_takes_it_by_itself) {
  std::string csv = "y,x1,x2,x3,x4,x5,x6\n";
  for (int n = 0; n < kRows; ++n) {
    csv += digits(outcome(n));
    for (int j = 0; j < kColumns; ++j) csv += "," + digits(cell(n, j));
    csv += "\n";
  }
  write("d.csv", csv);
  const testing::Json found = json(
      {"regression", "y ~ lasso(., width = 0.02)", "--data", at("d.csv"), "--method", "optimize"});
  EXPECT_EQ(found.at("method").text, "proximal");
  EXPECT_NE(found.at("kinks").text.find("exactly"), std::string::npos);
}

}  // namespace
}  // namespace credo::cli::proximal_test
