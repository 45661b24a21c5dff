#include "models/regression/table_checks.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {
constexpr Index kRareRows = 2, kTimesRarer = 10, kMostReported = 3;
constexpr std::size_t kShortestWord = 5, kMostCompared = 2000;
constexpr double kSmallCount = 10.0;  // median of counts that a normal distribution doesn't fit

constexpr std::array<std::pair<std::string_view, std::string_view>, 36> kElsewhere{
    {{"gaussian", "normal"},
     {"Gaussian", "normal"},
     {"Normal", "normal"},
     {"lm", "normal"},
     {"Gamma", "gamma"},
     {"Beta", "beta"},
     {"beta_family", "beta"},
     {"betar", "beta"},
     {"t", "student"},
     {"t_family", "student"},
     {"student_t", "student"},
     {"scat", "student"},
     {"inverse.gaussian", "inverse_gaussian"},
     {"logit", "bernoulli"},
     {"logistic", "bernoulli"},
     {"Poisson", "poisson"},
     {"quasipoisson", "negbinomial"},
     {"genpois", "negbinomial"},
     {"negative.binomial", "negbinomial"},
     {"negative_binomial", "negbinomial"},
     {"neg_binomial_2", "negbinomial"},
     {"nbinom", "negbinomial"},
     {"nbinom2", "negbinomial"},
     {"nb", "negbinomial"},
     {"nbinom1", "negbinomial1"},
     {"quasibinomial", "beta_binomial"},
     {"betabinomial", "beta_binomial"},
     {"zip", "zero_inflated_poisson"},
     {"ziP", "zero_inflated_poisson"},
     {"zinb", "zero_inflated_negbinomial"},
     {"zero_inflated_beta_family", "zero_inflated_beta"},
     {"multinom", "multinomial"},
     {"softmax", "categorical"},
     {"polr", "cumulative"},
     {"ordinal", "cumulative"},
     {"Weibull", "weibull"}}};

// Without blanks, signs and case.
std::string plain_form(std::string_view level) {
  std::string plain;
  for (const char c : level)
    if (c != ' ' && c != '_' && c != '-' && c != '.' && c != '\t')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}
// "Site A" and "Site B" differ on purpose, "plot12" and "plot13" too.
bool has_code(std::string_view level) {
  std::size_t length = 0;
  for (const char c : level) {
    const bool is_letter =
        std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) > 127;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || (!is_letter && length == 1))
      return true;
    length = is_letter ? length + 1 : 0;
  }
  return length == 1;
}
bool is_misspelt(std::string_view a, std::string_view b, Index rows_a, Index rows_b) {
  const Index rare = std::min(rows_a, rows_b), frequent = std::max(rows_a, rows_b);
  return rare <= kRareRows && frequent >= kTimesRarer * std::max<Index>(rare, 1) &&
         std::min(a.size(), b.size()) >= kShortestWord && !has_code(a) && !has_code(b) &&
         edit_distance(a, b) == 1;
}

// A side of a formula's outcome: the columns that stand in it, without those of modifiers.
void collect_names(const Expression& e, std::vector<std::string>& names) {
  if (e.kind == Expression::Kind::name) names.push_back(e.word);
  for (const Expression& part : e.parts) collect_names(part, names);
}

class TableChecks {
 public:
  TableChecks(Regression& made, const RegressionRequest& request, const Frame& frame,
              FormulaFaults& faults)
      : made_(made), request_(request), frame_(frame), faults_(faults) {}

  void run() {
    if (made_.family->name == "bernoulli") check_separation();
    check_levels();
    check_family();
  }

 private:
  void note(std::string words) { made_.notes.push_back(std::move(words)); }

  void check_separation() {
    const Predictor& own = made_.location();
    const std::vector<double>& outcome = made_.outcome.values;
    if (!own.has_intercept || made_.outcome.modifiers.is_by_row() || !own.offsets.empty() ||
        made_.num_without_earlier > 0)
      return;
    Index number = 0;
    for (const TermBlock& term : own.terms)
      for (std::size_t k = 0; k < term.columns.size(); ++k) {
        const auto found = separation_by(term.columns[k], outcome);
        if (found && ++number <= kMostReported)
          report(term, term.coefficients[k], *found, term.columns[k]);
      }
    if (number > kMostReported)
      note(fmt::format("{} other columns separate the outcomes, too", number - kMostReported));
  }
  void report(const TermBlock& term, const Coefficient& coefficient, const Separation& found,
            std::span<const double> column) {
    const std::string side = side_words(coefficient.name, found, column);
    const bool is_flat = !term.has_shared_prior && !term.is_computed && coefficient.prior.empty();
    if (is_flat && !made_.location().intercept_prior.empty())
      note(
          fmt::format("{} separates the outcomes: {}. Its coefficient has no prior, so that only the "
                      "intercept's prior can bound it: see the verdict",
                      coefficient.name, side));
    else if (is_flat)
      faults_.add_of_table("",
                           fmt::format("{} separates the outcomes: {}. Its coefficient has no "
                                       "maximum, and with a flat prior no posterior",
                                       coefficient.name, side),
                           "--priors default has a prior for it; or leave the term out");
    else
      note(
          fmt::format("{} separates the outcomes: {}. Its coefficient is as large as its prior "
                      "allows",
                      coefficient.name, side));
  }
  // "all rows above 3.2 have 1, all rows below have 0"; a column of two numbers names the one with outcomes of one kind.
  static std::string side_words(const std::string& name, const Separation& found,
                                std::span<const double> column) {
    const auto [least, most] = std::ranges::minmax(column);
    const int high = found.is_above ? 1 : 0;
    const bool is_flag = std::ranges::all_of(column, [](double x) { return x == 0.0 || x == 1.0; });
    const std::string border = io::number_text(found.border);
    if (is_flag && !found.is_complete)
      return found.border == least ? fmt::format("all rows with {} = 1 have {}", name, high)
                                   : fmt::format("all rows with {} = 0 have {}", name, 1 - high);
    if (found.is_complete)
      return fmt::format("all rows with {} from {} on have {}, all others {}", name, border, high,
                         1 - high);
    if (found.border == least)
      return fmt::format("all rows with {} above {} have {}", name, border, high);
    if (found.border == most)
      return fmt::format("all rows with {} below {} have {}", name, border, 1 - high);
    return fmt::format("all rows with {0} above {1} have {2}, all below {1} have {3}", name, border,
                       high, 1 - high);
  }

  void check_levels() {
    for (const auto& [column, levels] : made_.levels) {
      if (levels.size() > kMostCompared) continue;
      std::vector<Index> counts(levels.size(), 0);
      for (const std::int32_t code : frame_.codes(column))
        if (code >= 1 && static_cast<std::size_t>(code) <= levels.size())
          ++counts[static_cast<std::size_t>(code) - 1];
      for (const SimilarLevels& pair : similar_levels(levels, counts))
        note(
            fmt::format("{} has the levels '{}' ({} row{}) and '{}' ({} row{}): if they are one, "
                        "correct the table",
                        column, levels[pair.frequent], counts[pair.frequent],
                        counts[pair.frequent] == 1 ? "" : "s", levels[pair.rare], counts[pair.rare],
                        counts[pair.rare] == 1 ? "" : "s"));
    }
  }

  void check_family() {
    const std::vector<double>& y = made_.outcome.values;
    if (request_.family != "auto" || made_.family->name != "normal" || y.size() < 3 ||
        !made_.outcome.function.empty() || !made_.outcome.columns.empty())
      return;
    const bool is_whole = std::ranges::all_of(
        y, [](double value) { return value >= 0.0 && value == std::floor(value); });
    const auto [least, most] = std::ranges::minmax(y);
    if (!is_whole || least != 0.0 || most == 0.0) return;
    if (most == 1.0)
      note(
          fmt::format("{} is 0 or 1 in all rows and was taken as normal: --family bernoulli is for "
                      "such outcomes",
                      made_.outcome.text));
    else if (sample_quantile(y, 0.5) <= kSmallCount)
      note(
          fmt::format("{} has small whole numbers from 0 on and was taken as normal: if they are "
                      "counts, --family poisson or negbinomial is for them",
                      made_.outcome.text));
  }

  Regression& made_;
  const RegressionRequest& request_;
  const Frame& frame_;
  FormulaFaults& faults_;
};
}  // namespace

std::string family_elsewhere(std::string_view name) {
  for (const auto& [other, own] : kElsewhere)
    if (other == name) return std::string(own);
  return {};
}

void refuse_outcome_as_term(const Formula& formula, FormulaFaults& faults) {
  const Expression* left = &*formula.parts[0].left;
  if (left->is_operation("|")) left = &left->parts[0];
  std::vector<std::string> outcomes;
  collect_names(*left, outcomes);
  const auto check = [&](auto&& self, const Expression& e) -> void {
    if (e.is_call("lag") || e.is_call("diff")) return;
    if (e.is_operation("-") && e.parts.size() == 2) return self(self, e.parts[0]);  // a term that is taken away
    if (e.kind == Expression::Kind::name && std::ranges::find(outcomes, e.word) != outcomes.end())
      faults.add(e.place, fmt::format("{} is the outcome, and can't explain itself", e.word),
                 fmt::format("leave it out; lag({}) is the row before", e.word));
    for (std::size_t k = 0; k < e.parts.size(); ++k) {
      const bool is_option = k < e.labels.size() && !e.labels[k].empty();
      const bool is_id = e.is_operation("|") && k == 0 && e.parts[0].is_operation("|");
      if (is_id) self(self, e.parts[0].parts[0]);  // (terms | id | group)
      if (!is_option && !is_id) self(self, e.parts[k]);
    }
  };
  check(check, formula.parts[0].right);
}

std::vector<SimilarLevels> similar_levels(std::span<const std::string> levels,
                                          std::span<const Index> counts) {
  std::vector<std::string> plain;
  for (const std::string& level : levels) plain.push_back(plain_form(level));
  std::vector<SimilarLevels> found;
  for (std::size_t j = 1; j < levels.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const bool is_same =
          plain[i] == plain[j] && !plain[i].empty() && std::ranges::any_of(plain[i], [](char c) {
            return std::isalpha(static_cast<unsigned char>(c)) != 0;
          });
      if (!is_same && !is_misspelt(levels[i], levels[j], counts[i], counts[j])) continue;
      const bool first_is_frequent = counts[i] >= counts[j];
      found.push_back({first_is_frequent ? i : j, first_is_frequent ? j : i});
    }
  return found;
}

std::optional<Separation> separation_by(std::span<const double> column,
                                        std::span<const double> outcome) {
  double least[2] = {kInfinity, kInfinity}, most[2] = {-kInfinity, -kInfinity};
  for (std::size_t n = 0; n < column.size(); ++n) {
    const std::size_t kind = outcome[n] > 0.5 ? 1 : 0;
    least[kind] = std::min(least[kind], column[n]);
    most[kind] = std::max(most[kind], column[n]);
  }
  if (least[0] > most[0] || least[1] > most[1]) return std::nullopt;
  for (const std::size_t high : {std::size_t{1}, std::size_t{0}}) {
    const std::size_t low = 1 - high;
    const bool varies = least[low] < most[high];
    if (varies && least[high] >= most[low])
      return Separation{
          .is_above = high == 1, .is_complete = least[high] > most[low], .border = least[high]};
  }
  return std::nullopt;
}

void check_table(Regression& made, const RegressionRequest& request, const Frame& frame,
                 FormulaFaults& faults) {
  TableChecks(made, request, frame, faults).run();
}

}  // namespace credo::models
