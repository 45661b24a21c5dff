// docs/distributions.md is what the tables say: which functions each distribution has, and under
// which names the language reaches them. CREDO_UPDATE_PAGES=1 writes the page anew.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "dist/audit.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/typed/signatures.hpp"

namespace credo::lang::distribution_page_test {
namespace {
using dist::Distribution;
using dist::Property;
using dist::Standing;

std::string cell(const Distribution& d, Property p) {
  const Standing s = dist::standing(d, p);
  if (s.kind == Standing::Kind::formula) return "formula";
  if (s.kind == Standing::Kind::derived) return std::string(s.how);
  if (s.kind == Standing::Kind::missing) return "MISSING";
  return "none";
}

bool is_reached(const Distribution& d, std::string_view suffix) {
  const std::string name = std::string(d.name) + std::string(suffix);
  return find_builtin(name) >= 0 && distribution_function(name).has_value();
}

std::string language_names(const Distribution& d) {
  std::string names;
  const auto add = [&](std::string_view name) {
    names += (names.empty() ? "`" : " `") + std::string(name) + "`";
  };
  for (const std::string_view suffix : {"_lpdf", "_lpmf", "_cdf", "_lcdf", "_lccdf", "_rng"})
    if (is_reached(d, suffix)) add(suffix);
  if (is_reached(d, "_lcdf") && is_reached(d, "_lccdf")) add("T[,]");
  return names;
}

std::string argument_names(const Distribution& d) {
  std::string names;
  for (const dist::Argument& a : d.args) names += (names.empty() ? "" : ", ") + std::string(a.name);
  return names.empty() ? "none" : names;
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& c : cells) line += " " + c + " |";
  return line + "\n";
}

bool has_one_number(const Distribution& d) {
  return d.kind == dist::Kind::univariate || d.num_categories != nullptr;
}

std::string rows_of_numbers() {
  std::string text = row({"distribution", "arguments", "cdf, log cdf, log ccdf", "quantile", "draw",
                          "mean", "variance", "entropy", "in the language"});
  text += "|---|---|---|---|---|---|---|---|---|\n";
  for (const Distribution* d : dist::table()) {
    if (!has_one_number(*d)) continue;
    text += row({"`" + std::string(d->name) + "`", argument_names(*d), cell(*d, Property::log_cdf),
                 cell(*d, Property::quantile), cell(*d, Property::draw), cell(*d, Property::mean),
                 cell(*d, Property::variance), cell(*d, Property::entropy), language_names(*d)});
  }
  return text;
}

std::string rows_of_containers() {
  std::string text = row(
      {"distribution", "arguments", "draw", "mean", "covariance", "entropy", "in the language"});
  text += "|---|---|---|---|---|---|---|\n";
  for (const Distribution* d : dist::table()) {
    if (has_one_number(*d)) continue;
    text += row({"`" + std::string(d->name) + "`", argument_names(*d), cell(*d, Property::draw),
                 cell(*d, Property::mean), cell(*d, Property::variance),
                 cell(*d, Property::entropy), language_names(*d)});
  }
  return text;
}

std::string what_is_undefined() {
  std::string text;
  for (const Distribution* d : dist::table()) {
    if (!has_one_number(*d)) continue;
    for (const Property p : dist::kProperties) {
      const Standing s = dist::standing(*d, p);
      if (s.kind != Standing::Kind::undefined) continue;
      text += "- `" + std::string(d->name) + "` has no " + std::string(dist::name_of(p)) + ": " +
              std::string(s.how) + ".\n";
    }
  }
  return text;
}

constexpr std::string_view kIntroduction =
    R"(# Distributions

Made of `src/dist/table.cpp` by `test_lang` (`CREDO_UPDATE_PAGES=1` writes it anew); a row that lacks a function without a
reason fails `test_dist`.

**formula**: a closed form. **inversion**: safeguarded Newton steps on the log tail that is small, so that quantiles of probabilities
like 10⁻³⁰⁰ and 1 − 10⁻³⁰⁰ (given by the logarithm of the upper tail) keep their digits. **sum**: over the masses, one by one
near the median and the ends, by Gauss rules with the Euler-Maclaurin correction between and beyond. **quadrature**: adaptive
Gauss rules between quantiles. **masses**: from those of the categories. **outcome by outcome**: those of the
regression's independent outcomes. No figure is estimated from draws.

From C++ every function is reached by name, `dist::find("gamma")`, then `dist::quantile`, `mean`, `variance`, `entropy`,
`log_mass` and `draw_within` (a truncated distribution), `moments` (several elements), `tail`, `log_density`
(`src/dist/distribution.hpp`). Entropies are in nats. Means and variances that diverge are infinite, those that aren't defined NaN.
The angle of `von_mises` has its tails and quantiles on [−π, π], its mean and variance within π of the location.

)";

std::string page() {
  return std::string(kIntroduction) + "## One number\n\n" + rows_of_numbers() + "\n" +
         what_is_undefined() + "\n## Several elements\n\n" + rows_of_containers() +
         "\nTheir cdfs, quantiles and truncation aren't defined here: the outcome has several "
         "elements.\n";
}

TEST(distribution_page, is_made_of_the_tables) {
  const std::string path = std::string(CREDO_SOURCE_DIR) + "/docs/distributions.md";
  if (std::getenv("CREDO_UPDATE_PAGES") != nullptr) std::ofstream(path) << page();
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_TRUE(text.str() == page())
      << path
      << " is stale: run CREDO_UPDATE_PAGES=1 test_lang --gtest_filter='distribution_page*'";
  EXPECT_EQ(page().find("MISSING"), std::string::npos);
}

}  // namespace
}  // namespace credo::lang::distribution_page_test
