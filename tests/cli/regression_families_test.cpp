// Families of regressions: densities, means and draws against R's distributions and closed forms
// (tools/make_family_reference.R), and a fit with predictions of each from the command line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "io/file.hpp"
#include "models/regression/regression.hpp"
#include "support/command_run.hpp"
#include "support/text_model.hpp"

namespace credo::cli::regression_families_test {
namespace {
using models::FamilyRow;
using models::FamilyText;

struct Reference {
  std::string family, link, values, y;
  double log_density = 0.0, mean = 0.0, second = 0.0;
};

std::vector<Reference> references() {
  std::istringstream lines(io::read_file(CREDO_SOURCE_DIR "/tests/data/regression/families.tsv"));
  std::vector<Reference> all;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    Reference r;
    std::getline(cells, r.family, '\t'), std::getline(cells, r.link, '\t');
    std::getline(cells, r.values, '\t'), std::getline(cells, r.y, '\t');
    cells >> r.log_density >> r.mean >> r.second;
    all.push_back(r);
  }
  return all;
}

FamilyText text_of(const FamilyRow& family, const std::string& link) {
  FamilyText t{.outcome = "y", .eta = "eta", .link = link};
  t.mean = models::inverse_link(link, "eta");
  t.trials = "trials";
  t.decision = "dec";
  for (const models::FamilyParameter& p : family.parameters) t.parameters[p.name] = p.name;
  return t;
}

// "eta = 0.7; trials = 9" as declarations.
std::string declarations(const std::string& values) {
  std::istringstream parts(values);
  std::string lines, part;
  while (std::getline(parts, part, ';')) {
    part = part.substr(part.find_first_not_of(' '));
    const bool is_vector = part.find('[') != part.npos, is_whole = part.starts_with("trials");
    const auto size = 1 + std::ranges::count(part, ',');
    lines += (is_vector  ? fmt::format("  vector[{}] ", size)
              : is_whole ? std::string("  int ")
                         : std::string("  real ")) +
             part + ";\n";
  }
  return lines;
}

// Outcomes by which constants of families are computed, as in the script.
const std::vector<double> kOutcomes{0.3, 0.8, 1.1, 2.0, 3.5, 6.0};

struct Prelude {
  std::string blocks, data;
};
// Functions of a family, and its constants as data.
Prelude prelude_of(const FamilyRow& family) {
  std::string functions, data, prepared;
  for (const models::StanFunction& f : family.functions) functions += f.text;
  models::StanParts parts;
  if (family.prepare != nullptr) {
    EXPECT_EQ(family.prepare(kOutcomes, parts), "");
  }
  for (const models::ProgramConstant& c : parts.constants) data += "  " + c.declaration() + "\n";
  for (const std::string& line : parts.prepared) prepared += "  " + line + "\n";
  return {fmt::format("functions {{\n{}}}\ndata {{\n{}}}\ntransformed data {{\n{}}}\n", functions,
                      data, prepared),
          models::constants_text(parts.constants)};
}

constexpr int kDraws = 20000;

// Log densities, variance, expected outcome, mean and mean square of draws, in this order.
std::string program_of(const FamilyRow& family, std::span<const Reference> group,
                       const std::string& distribution) {
  const FamilyText t = text_of(family, group[0].link);
  std::string densities;
  const bool is_real = family.role == models::ColumnRole::number;
  const std::size_t open = distribution.find('(');
  for (std::size_t k = 0; k < group.size(); ++k)
    densities +=
        fmt::format("  real log_density_{} = {}{}({} | {};\n", k, distribution.substr(0, open),
                    is_real ? "_lpdf" : "_lpmf",
                    is_real ? group[k].y : std::to_string(std::lround(std::stod(group[k].y))),
                    distribution.substr(open + 1));
  return fmt::format(
      "{}parameters {{ real unused; }}\ngenerated quantities {{\n{}{}  real "
      "variance = {};\n  real expected = {};\n  real mean_draw = 0;\n  real mean_square = 0;\n  "
      "for (n in 1:{}) {{\n    "
      "real x = {};\n    mean_draw += x / {};\n    mean_square += square(x) / {};\n  }}\n}}\n",
      prelude_of(family).blocks, declarations(group[0].values), densities,
      family.variance == nullptr ? "0" : family.variance(t),
      family.expected == nullptr ? "0" : family.expected(t), kDraws, family.draw(t), kDraws,
      kDraws);
}

// References of one family, link and parameters.
std::vector<std::vector<Reference>> groups() {
  std::vector<std::vector<Reference>> all;
  std::string last;
  for (const Reference& r : references()) {
    const std::string now = r.family + r.link + r.values;
    if (std::exchange(last, now) != now) all.emplace_back();
    all.back().push_back(r);
  }
  return all;
}

// The last numbers that the program writes.
std::vector<double> written(const std::string& program, std::size_t number,
                            const std::string& data) {
  const auto model = model::model_from(program, data);
  Rng rng({.seed = 11, .purpose = 1, .chain = 0, .iteration = 0});
  const std::vector<double> row = model->draw_outputs().write(std::vector<double>{0.0}, rng);
  return {row.end() - static_cast<Index>(number), row.end()};
}

// Operators of elements as those of numbers.
std::string of_numbers(std::string text) {
  for (const char* op : {"./", ".*"})
    for (std::size_t at = text.find(op); at != text.npos; at = text.find(op, at)) text.erase(at, 1);
  return text;
}

// R integrates to 1e-11 at best, and to 1e-8 where a density isn't smooth.
constexpr double kIntegral = 1e-8;

// Draws have the variance of the density, where the tails are light: 8 % is 5 standard errors of a variance with kurtosis 6 in
// 20,000 draws.
TEST(regression_families, have_the_densities_means_and_draws_of_independent_formulas) {
  static const std::set<std::string> kHeavy{"lognormal", "inverse_gaussian", "gev",
                                            "hurdle_lognormal", "student"};
  std::set<std::string> seen;
  for (const std::vector<Reference>& group : groups()) {
    const Reference& r = group[0];
    SCOPED_TRACE(r.family + " " + r.link + " " + r.values);
    const FamilyRow& family = *models::find_family(r.family);
    seen.insert(r.family);
    const std::vector<double> found =
        written(program_of(family, group, of_numbers(family.distribution(text_of(family, r.link)))),
                group.size() + 4, prelude_of(family).data);
    for (std::size_t k = 0; k < group.size(); ++k)
      EXPECT_NEAR(found[k], group[k].log_density,
                  kIntegral * (1.0 + std::abs(group[k].log_density)))
          << "y = " << group[k].y;
    const double* const figures = found.data() + group.size() + 1;
    const double variance = r.second - r.mean * r.mean, error = std::sqrt(variance / kDraws);
    EXPECT_NEAR(figures[1], r.mean, 4.0 * error);
    EXPECT_GT(std::abs(figures[1] - r.mean - 9.0 * error), 4.0 * error);  // a wrong mean is seen
    if (!kHeavy.contains(r.family)) {
      EXPECT_NEAR(figures[2] - figures[1] * figures[1], variance, 0.08 * variance);
    }
    if (family.variance != nullptr && std::isfinite(variance)) {
      EXPECT_NEAR(figures[-1], variance, 1e-6 * (1.0 + variance));  // a difference of two integrals
    }
    if (family.expected != nullptr && r.family != "von_mises") {
      EXPECT_NEAR(figures[0], r.mean, kIntegral * (1.0 + std::abs(r.mean)));
    }
  }
  for (const FamilyRow* family : models::family_rows())
    if (!family->has_columns) {  // regression_outcomes_test.cpp has the others
      EXPECT_TRUE(seen.contains(std::string(family->name))) << family->name;
    }
}

// Distribution functions of outcomes that are censored or truncated: the derivative is the density, by central differences, whose
// error is of the order of the squared step, 1e-8.
TEST(regression_families, have_distribution_functions_whose_derivative_is_the_density) {
  Index number = 0;
  for (const Reference& r : references()) {
    const FamilyRow& family = *models::find_family(r.family);
    if (family.tail == nullptr || family.role != models::ColumnRole::number) continue;
    if (std::stod(r.y) <= 0.0 && r.link == "log") continue;
    SCOPED_TRACE(r.family + " " + r.values + " y = " + r.y);
    const std::string tail = family.tail(text_of(family, r.link));
    const std::size_t open = tail.find('(');
    const auto at = [&](const char* suffix, const char* shift) {
      return tail.substr(0, open) + suffix + r.y + shift + " | " + tail.substr(open + 1);
    };
    const Prelude prelude = prelude_of(family);
    const std::vector<double> found = written(
        prelude.blocks + "parameters { real unused; }\ngenerated quantities {\n" +
            declarations(r.values) + "  real a = exp(" + at("_lcdf(", " + 1e-4") +
            ");\n  real b = exp(" + at("_lcdf(", " - 1e-4") + ");\n  real c = exp(" +
            at("_lccdf(", " + 1e-4") + ");\n  real d = " + at("_lpdf(", "") + ";\n}\n",
        4, prelude.data);
    EXPECT_NEAR((found[0] - found[1]) / 2e-4, std::exp(r.log_density), 1e-6);
    EXPECT_NEAR(found[0] + found[2], 1.0, 1e-12);
    EXPECT_NEAR(found[3], r.log_density, kIntegral * (1.0 + std::abs(r.log_density)));
    ++number;
  }
  EXPECT_GE(number, 18);
}

class FamilyRuns : public testing::CommandRun {
 protected:
  FamilyRuns() : CommandRun("family_runs") {}

  // 40 rows, with an outcome that each family takes.
  static std::string table() {
    std::string text = "x,real,positive,share,angle,count,n,ordered,flag,closed,some,rest,other\n";
    for (int k = 0; k < 40; ++k) {
      const double x = 0.1 * k - 2.0, noise = std::sin(37.0 * k),
                   wave = 0.5 + 0.4 * std::sin(11.0 * k);
      const double positive = std::exp(0.3 * x + 0.5 * noise);
      text += fmt::format(
          "{},{},{},{},{},{},12,{},{},{},{},{},{}\n", x, x + noise, positive, wave,
          std::sin(5.0 * k), k % 5 == 0 ? 0 : (k * 7) % 9, 1 + (k * 7 + k / 9) % 3, k % 2,
          k % 7 == 0    ? 0.0
          : k % 11 == 0 ? 1.0
                        : wave,
          k % 4 == 0 ? 0.0 : positive, 12 - (k % 5 == 0 ? 0 : (k * 7) % 9), 1.0 - wave);
    }
    return text;
  }
  static std::string outcome_of(const FamilyRow& family) {
    static const std::map<std::string, std::string, std::less<>> kOwn{
        {"beta", "share"},           {"zero_inflated_beta", "share"},
        {"von_mises", "angle"},      {"zero_one_inflated_beta", "closed"},
        {"bernoulli", "flag"},       {"hurdle_gamma", "some"},
        {"hurdle_lognormal", "some"},
        {"wiener", "positive | dec(flag)"}};
    if (const auto own = kOwn.find(family.name); own != kOwn.end()) return own->second;
    if (family.has_columns)
      return family.needs_trials ? "cbind(count, rest) | trials(n)" : "cbind(share, other)";
    if (family.needs_trials) return "count | trials(n)";
    if (family.has_categories()) return "ordered";
    if (family.role == models::ColumnRole::count) return "count";
    const bool is_positive = family.why_not(-1.0, 0.0).size() > 0;
    return is_positive ? "positive" : "real";
  }
};

// Each family fits and predicts from the command line, loo has a term for each row, and replicates are drawn.
TEST_F(FamilyRuns, fit_predict_leave_out_and_replicate) {
  write("t.csv", table());
  for (const FamilyRow* family : models::family_rows()) {
    SCOPED_TRACE(std::string(family->name));
    const std::string name(family->name);
    ASSERT_EQ(run({"regression", outcome_of(*family) + " ~ x", "--data", at("t.csv"), "--family",
                   name, "--seed", "1", "--chains", "2", "--warmup", "150", "--draws", "50",
                   "--quiet", "-o", at(name + ".nc")}) &
                  ~8,
              0)
        << said();
    write("new.csv", family->needs_trials ? "x,n\n0.5,12\n" : "x\n0.5\n");
    const auto alone = json({"predict", at(name + ".nc"), "--data", at("new.csv"), "--seed", "2"});
    EXPECT_GE(alone.items.size(), 2u);
    for (const auto& row : alone.items) EXPECT_TRUE(std::isfinite(row.at("mean").number));
    EXPECT_EQ(json({"loo", at(name + ".nc")}).at("rows").items.size(), 40u);
    EXPECT_EQ(run({"ppc", at(name + ".nc"), "--seed", "3"}) & ~8, 0) << said();
  }
}

TEST_F(FamilyRuns, know_parameters_that_the_family_states) {
  write("t.csv", table());
  ASSERT_EQ(run({"regression", "real ~ x", "--data", at("t.csv"), "--family",
                 "asymmetric_laplace(quantile = 0.9)", "--explain"}),
            0)
      << said();
  EXPECT_NE(printed().find("skew_double_exponential(eta[n], 2 * sigma, 0.9)"), std::string::npos)
      << printed();
  EXPECT_EQ(printed().find("real<lower=0, upper=1> quantile"), std::string::npos);
  EXPECT_EQ(run({"regression", "real ~ x", "--data", at("t.csv"), "--family",
                 "asymmetric_laplace(quantile = 1.5)"}),
            4);
  EXPECT_NE(said().find("quantile can't be 1.5"), std::string::npos) << said();
  EXPECT_EQ(run({"regression", "real ~ x; quantile ~ x", "--data", at("t.csv"), "--family",
                 "asymmetric_laplace(quantile = 0.5)"}),
            4);
  EXPECT_NE(said().find("quantile is known"), std::string::npos) << said();
}
}  // namespace
}  // namespace credo::cli::regression_families_test
