#include "models/selection/selection_table.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "models/formula/design.hpp"
#include "models/formula/formula_rows.hpp"

namespace credo::models {
namespace {
using TextOf = std::function<const std::string&(const std::string&)>;

void collect_names(const Expression& e, std::vector<std::string>& names) {
  if (e.kind == Expression::Kind::name) names.push_back(e.word);
  for (const Expression& part : e.parts) collect_names(part, names);
}

class SelectionMaker {
 public:
  SelectionMaker(const SelectionRequest& request, const TextOf& text_of, FormulaFaults& faults)
      : request_(request),
        faults_(faults),
        rows_(request.data, request.is_usable, text_of, faults),
        frame_(rows_.frame()) {}

  SelectionTable make() {
    if (!read_formula() || !read_rows()) return std::move(made_);
    const Design design = make_design(terms_, frame_, parts_);
    if (!faults_.empty()) return std::move(made_);
    take_outcome();
    for (const DesignTerm& term : design.terms) take(term);
    mark_kept();
    if (faults_.empty() && made_.problem.terms.empty())
      faults_.add(formula_.parts[0].right.place, "there is no term to select",
                  "y ~ . takes all other columns");
    made_.problem.settle();
    return std::move(made_);
  }

 private:
  bool read_formula() {
    formula_ = parse_formula(request_.formula, faults_);
    made_.formula = formula_.text;
    if (!faults_.empty()) return false;
    if (formula_.parts.size() > 1 || !formula_.parts[0].left) {
      faults_.add(formula_.parts[0].right.place, "a selection has one outcome", "y ~ a + b");
      return false;
    }
    const Expression& left = *formula_.parts[0].left;
    made_.outcome = left.text();
    std::vector<std::string> on_left, others;
    collect_names(left, on_left);
    for (const std::string& column : frame_.column_names())
      if (std::ranges::find(on_left, column) == on_left.end()) others.push_back(column);
    const bool has_outcome = use_columns(left, frame_);
    terms_ = read_terms(formula_.parts[0].right, others, faults_);
    const bool has_terms = use_terms(terms_, frame_);
    for (const GroupTerm& group : terms_.groups)
      faults_.add(group.place, "terms are selected, not effects of groups",
                  "leave the group out, or fit it: credo regression, then credo select --project");
    if (!terms_.has_intercept)
      faults_.add(formula_.parts[0].right.place, "the intercept is always in", "leave out the 0");
    if (!terms_.offsets.empty())
      faults_.add(formula_.parts[0].right.place, "an offset isn't there yet",
                  "subtract it from the outcome: I(y - z) ~ ...");
    return has_outcome && has_terms && faults_.empty();
  }

  bool read_rows() {
    if (!rows_.read(3)) return false;
    made_.num_rows = rows_.num_rows();
    made_.num_dropped = rows_.num_dropped();
    return true;
  }

  void take_outcome() {
    std::vector<double> y = arithmetic_of(*formula_.parts[0].left, frame_).values;
    for (std::size_t n = 0; n < y.size(); ++n)
      if (!std::isfinite(y[n])) {
        faults_.add(formula_.parts[0].left->place,
                    fmt::format("{} is {} in row {}", made_.outcome, y[n], n + 1));
        return;
      }
    const auto [mean, sd] = centre(y);
    if (!(sd > 0.0))
      faults_.add(formula_.parts[0].left->place, "the outcome is the same in all rows");
    made_.outcome_mean = mean, made_.outcome_sd = sd;
    made_.problem.y = std::move(y);
  }
  static std::pair<double, double> centre(std::vector<double>& x) {
    const auto n = static_cast<double>(x.size());
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
    double sum = 0.0;
    for (double& v : x) v -= mean, sum += v * v;
    return {mean, std::sqrt(sum / (n - 1.0))};
  }
  void take(const DesignTerm& term) {
    SelectionTerm made{.name = term.text, .columns = {}};
    for (std::size_t k = 0; k < term.columns.size(); ++k) {
      std::vector<double> column = term.columns[k];
      const auto [mean, sd] = centre(column);
      if (!(sd > 1e-12 * std::abs(mean)) || !std::isfinite(sd)) {
        faults_.add(term.place,
                    fmt::format("{} is the same in all rows, or no number", term.names[k]),
                    "leave the term out");
        continue;
      }
      for (double& v : column) v /= sd;
      made.columns.push_back(ssize(made_.problem.columns));
      made_.problem.columns.push_back(std::move(column));
      made_.names.push_back(term.names[k]);
      made_.means.push_back(mean), made_.scales.push_back(sd);
    }
    made_.problem.terms.push_back(std::move(made));
  }
  void mark_kept() {
    std::vector<std::string> names;
    for (const SelectionTerm& term : made_.problem.terms) names.push_back(term.name);
    for (const std::string& kept : request_.kept) {
      const auto found = std::ranges::find(names, kept);
      if (found == names.end()) {
        const std::string near = did_you_mean(kept, names);
        faults_.add_of_table(
            "--keep", fmt::format("{} is no term of the formula", kept),
            near.empty() ? fmt::format("the terms are {}", fmt::join(names, ", ")) : near);
      } else {
        made_.problem.terms[static_cast<std::size_t>(found - names.begin())].is_kept = true;
      }
    }
  }

  const SelectionRequest& request_;
  FormulaFaults& faults_;
  FormulaRows rows_;
  Frame& frame_;
  Formula formula_;
  TermList terms_;
  StanParts parts_;
  SelectionTable made_;
};
}  // namespace

double SelectionTable::intercept(std::span<const double> standard) const {
  double value = outcome_mean;
  for (Index c = 0; c < ssize(standard); ++c)
    value -=
        coefficient(c, standard[static_cast<std::size_t>(c)]) * means[static_cast<std::size_t>(c)];
  return value;
}

std::string SelectionTable::text_of(const TermSet& set) const {
  std::string text;
  for (std::size_t t = 0; t < set.size(); ++t)
    if (set[t]) text += (text.empty() ? "" : " + ") + problem.terms[t].name;
  return text.empty() ? "1" : text;
}

SelectionTable make_selection(const SelectionRequest& request, const TextOf& text_of,
                              FormulaFaults& faults) {
  return SelectionMaker(request, text_of, faults).make();
}

}  // namespace credo::models
