#include "models/regression/nonlinear.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/number_text.hpp"
#include "models/regression/outcome.hpp"

namespace credo::models {
namespace {

class ExpressionReader {
 public:
  ExpressionReader(Regression& made, const Formula& formula, Frame& frame, VectorNames& vectors)
      : made_(made),
        formula_(formula),
        frame_(frame),
        faults_(frame.faults()),
        vectors_(vectors),
        used_(columns_of(formula.parts[0].right)) {}

  bool read() {
    const std::size_t before = faults_.size();
    made_.location().list.has_intercept = false;
    for (std::size_t k = 1; k < formula_.parts.size(); ++k) add_parameter(*formula_.parts[k].left);
    if (vectors_.empty() && faults_.size() == before)
      faults_.add(formula_.parts[0].right.place, "no name of the expression has a formula",
                  "y ~ a * exp(-b * x); a ~ 1; b ~ 1");
    check_names(formula_.parts[0].right);
    return faults_.size() == before && use_columns(formula_.parts[0].right, frame_, vectors_);
  }

 private:
  bool is_family_parameter(const std::string& name) const {
    const auto& all = made_.family->parameters;
    return std::ranges::find(all, name, &FamilyParameter::name) != all.end();
  }
  bool is_column(const std::string& name) const {
    return std::ranges::any_of(frame_.column_names(), [&](const std::string& column) {
      return column == name || io::name_for_programs(column) == name;
    });
  }

  void add_parameter(const Expression& left) {
    const bool is_used = std::ranges::find(used_, left.word) != used_.end();
    if (left.kind != Expression::Kind::name) {
      faults_.add(left.place, fmt::format("{} is no parameter", left.text()), "a ~ 1");
    } else if (is_family_parameter(left.word)) {
      if (is_used)
        faults_.add(left.place,
                    fmt::format("{} is a parameter of the family {}, and of the expression",
                                left.word, made_.family->name),
                    "give the one of the expression another name");
    } else if (!is_used) {
      const std::string near = did_you_mean(left.word, used_);
      faults_.add(left.place,
                  fmt::format("{} has a formula and doesn't stand in the expression", left.word),
                  near.empty() ? "leave its formula out" : near);
    } else if (is_column(left.word)) {
      faults_.add(left.place,
                  fmt::format("{} is a column of the table, and has a formula", left.word),
                  "give the parameter another name");
    } else if (vectors_.contains(left.word)) {
      faults_.add(left.place, fmt::format("{} has two formulas", left.word));
    } else {
      vectors_[left.word] = frame_.names().take(io::name_for_programs(left.word));
    }
  }

  void check_names(const Expression& e) {
    if (e.kind == Expression::Kind::name && !vectors_.contains(e.word) && !is_column(e.word)) {
      std::vector<std::string> names = frame_.column_names();
      for (const auto& entry : vectors_) names.push_back(entry.first);
      const std::string near = did_you_mean(e.word, names);
      faults_.add(
          e.place, fmt::format("{} is neither a column nor a parameter", e.word),
          near.empty() ? fmt::format("a parameter has a formula: ...; {} ~ 1", e.word) : near);
    }
    for (const Expression& part : e.parts) check_names(part);
  }

  Regression& made_;
  const Formula& formula_;
  Frame& frame_;
  FormulaFaults& faults_;
  VectorNames& vectors_;
  const std::vector<std::string> used_;
};

double square_of(double x) { return x * x; }

// The arguments are numbers; the size of a heavy-tailed distribution is its scale, of others the standard deviation.
struct PriorRow {
  std::string_view name;
  std::size_t num_arguments;
  PriorFacts (*facts)(const std::vector<double>& a);
};
constexpr std::array<PriorRow, 11> kPriorRows{{
    {"normal", 2,
     [](const std::vector<double>& a) { return PriorFacts{.centre = a[0], .size = a[1]}; }},
    {"student_t", 3,
     [](const std::vector<double>& a) { return PriorFacts{.centre = a[1], .size = a[2]}; }},
    {"cauchy", 2,
     [](const std::vector<double>& a) { return PriorFacts{.centre = a[0], .size = a[1]}; }},
    {"logistic", 2,
     [](const std::vector<double>& a) {
       return PriorFacts{.centre = a[0], .size = a[1] * std::numbers::pi / std::sqrt(3.0)};
     }},
    {"double_exponential", 2,
     [](const std::vector<double>& a) {
       return PriorFacts{.centre = a[0], .size = a[1] * std::numbers::sqrt2};
     }},
    {"std_normal", 0,
     [](const std::vector<double>&) { return PriorFacts{.centre = 0.0, .size = 1.0}; }},
    {"lognormal", 2,
     [](const std::vector<double>& a) {
       return PriorFacts{
           .lower = 0.0,
           .size = std::exp(a[0] + 0.5 * square_of(a[1])) * std::sqrt(std::expm1(square_of(a[1])))};
     }},
    {"exponential", 1,
     [](const std::vector<double>& a) { return PriorFacts{.lower = 0.0, .size = 1.0 / a[0]}; }},
    {"gamma", 2,
     [](const std::vector<double>& a) {
       return PriorFacts{.lower = 0.0, .size = std::sqrt(a[0]) / a[1]};
     }},
    {"beta", 2,
     [](const std::vector<double>& a) {
       const double sum = a[0] + a[1];
       return PriorFacts{
           .lower = 0.0, .upper = 1.0, .size = std::sqrt(a[0] * a[1] / (sum + 1.0)) / sum};
     }},
    {"uniform", 2,
     [](const std::vector<double>& a) {
       return PriorFacts{.lower = a[0], .upper = a[1], .size = (a[1] - a[0]) / std::sqrt(12.0)};
     }},
}};

// The prior that the request states for a name; empty if it states none.
std::string stated_prior(const RegressionRequest& request, const std::vector<std::string>& names) {
  std::string prior;
  for (const std::string& text : request.priors) {
    const std::size_t at = text.find('~');
    if (at == text.npos) continue;
    std::string name = text.substr(0, at), own = text.substr(at + 1);
    std::erase(name, ' '), std::erase(own, ' ');
    if (std::ranges::find(names, name) != names.end()) prior = own;
  }
  return prior;
}
}  // namespace

bool use_expression(Regression& made, const Formula& formula, Frame& frame, VectorNames& vectors) {
  return ExpressionReader(made, formula, frame, vectors).read();
}

PriorFacts facts_of(const std::string& prior) {
  const std::size_t open = prior.find('(');
  if (open == prior.npos || !prior.ends_with(')')) return {};
  std::vector<double> arguments;
  for (std::size_t begin = open + 1; begin + 1 < prior.size();) {
    const std::size_t end = std::min(prior.find(',', begin), prior.size() - 1);
    std::string word = prior.substr(begin, end - begin);
    std::erase(word, ' ');
    const auto number = io::parse_number(word);
    if (!number) return {};
    arguments.push_back(*number);
    begin = end + 1;
  }
  for (const PriorRow& row : kPriorRows)
    if (prior.substr(0, open) == row.name && row.num_arguments == arguments.size())
      return row.facts(arguments);
  return is_of_positive_numbers(prior) ? PriorFacts{.lower = 0.0} : PriorFacts{};
}

std::string bounds_of(const Predictor& own) {
  const PriorFacts facts = facts_of(own.intercept_prior);
  if (facts.centre && facts.size)
    return fmt::format("<offset={}, multiplier={}>", io::number_text(*facts.centre),
                       io::number_text(*facts.size));
  if (facts.lower && facts.upper)
    return fmt::format("<lower={}, upper={}>", io::number_text(*facts.lower),
                       io::number_text(*facts.upper));
  return facts.lower ? fmt::format("<lower={}>", io::number_text(*facts.lower)) : "";
}

bool set_unit(Predictor& own, const RegressionRequest& request, FormulaFaults& faults) {
  if (request.preset == "flat") return true;
  const bool has_intercept = own.list.has_intercept;
  const std::string prior =
      stated_prior(request, {own.parameter, own.prefix() + (has_intercept ? "intercept" : "b")});
  if (prior.empty()) {
    faults.add_of_table("--prior", fmt::format("the parameter {} needs a prior", own.parameter),
                        fmt::format("its size isn't known from the table: --prior '{} ~ "
                                    "normal(CENTRE, SIZE)', or --priors flat",
                                    own.parameter));
    return false;
  }
  own.unit = facts_of(prior).size.value_or(0.0);
  const bool needs_unit = (has_intercept && !own.list.terms.empty()) ||
                          !own.list.specials.empty() || !own.list.groups.empty();
  if (!needs_unit || (own.unit > 0.0 && std::isfinite(own.unit))) return true;
  faults.add_of_table(
      "--prior",
      fmt::format("the prior {} of {} doesn't give the size of its slopes and effects", prior,
                  own.parameter),
      "use normal, student_t, lognormal, gamma, exponential, beta or uniform with numbers");
  return false;
}

}  // namespace credo::models
