// Priors of several terms: the table of their rows, and how a predictor gets them.
#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/regression/regression.hpp"

namespace credo::models {
extern const SharedPriorRow ard_prior, empcov_prior, group_lasso_prior, horseshoe_prior,
    lasso_prior, spike_prior;

std::span<const SharedPriorRow* const> shared_prior_rows() {
  static constexpr std::array kRows{&ard_prior,       &empcov_prior, &group_lasso_prior,
                                    &horseshoe_prior, &lasso_prior,  &spike_prior};
  return kRows;
}

const SharedPriorRow* find_shared_prior(std::string_view name) {
  for (const SharedPriorRow* row : shared_prior_rows())
    if (row->name == name) return row;
  return nullptr;
}

double option_of(const Expression& call, std::string_view label, double otherwise) {
  for (std::size_t k = 0; k < call.parts.size(); ++k)
    if (call.labels[k] == label) return io::parse_number(call.parts[k].word).value_or(otherwise);
  return otherwise;
}

bool is_of_positive_numbers(const std::string& prior) {
  static constexpr std::array<std::string_view, 7> kNames{
      "lognormal", "gamma", "inv_gamma", "exponential", "weibull", "chi_square", "inv_chi_square"};
  return std::ranges::find(kNames, std::string_view(prior).substr(0, prior.find('('))) !=
         kNames.end();
}

bool TermBlock::is_positive() const {
  return !has_shared_prior && std::ranges::all_of(coefficients, [](const Coefficient& c) {
    return is_of_positive_numbers(c.prior);
  });
}

Index SharedPriorContext::num_coefficients() const {
  Index number = 0;
  for (const TermBlock* term : terms) number += ssize(term->coefficients);
  return number;
}

std::string SharedPriorContext::scales(const std::string& of) const {
  ProgramConstant scales{.name = names.name("scales", of),
                         .dims = {num_coefficients()},
                         .comment = "of coefficients that move the outcome by its sd"};
  for (const TermBlock* term : terms)
    for (const Coefficient& c : term->coefficients)
      scales.values.push_back(unit / (c.column_sd > 0.0 ? c.column_sd : 1.0));
  names.parts.constants.push_back(scales);
  return scales.name;
}

std::vector<std::string> SharedPriorContext::parts_of(const std::string& vector) const {
  std::vector<std::string> lines;
  Index first = 1;
  for (const TermBlock* term : terms) {
    const Index number = ssize(term->coefficients), last = first + number - 1;
    lines.push_back(term->is_number
                        ? fmt::format("real {} = {}[{}]", term->parameter, vector, first)
                        : fmt::format("vector[{}] {} = {}[{}:{}]", number, term->parameter, vector,
                                      first, last));
    first = last + 1;
  }
  return lines;
}

namespace {
bool check_options(const Expression& call, const SharedPriorRow& row, FormulaFaults& faults) {
  bool is_right = true;
  for (std::size_t k = 1; k < call.parts.size(); ++k) {
    const auto number = io::parse_number(call.parts[k].word);
    const bool is_known = std::ranges::find(row.labels, call.labels[k]) != row.labels.end();
    if (is_known && number && *number > 0.0) continue;
    is_right = false;
    if (!is_known)
      faults.add(call.parts[k].place,
                 fmt::format("{}() has no option {}", call.word,
                             call.labels[k].empty() ? call.parts[k].text() : call.labels[k]),
                 row.labels.empty() ? "it has its terms alone"
                                    : fmt::format("it has {}", fmt::join(row.labels, ", ")));
    else
      faults.add(call.parts[k].place, fmt::format("{} is a positive number", call.labels[k]));
  }
  return is_right;
}
}  // namespace

void add_shared_priors(Regression& made, std::size_t predictor, Frame& frame) {
  Predictor& own = made.predictors[predictor];
  for (const SharedPrior& prior : own.list.shared_priors) {
    const SharedPriorRow& row = *find_shared_prior(prior.call.word);
    if (!check_options(prior.call, row, frame.faults())) continue;
    SharedPriorContext context{
        .names = {
            .frame = frame, .parts = made.parts, .prefix = own.prefix(), .predictor = predictor}};
    for (std::size_t k = 0; k < own.terms.size(); ++k)
      if (std::ranges::find(prior.terms, own.design.terms[k].variables) != prior.terms.end())
        context.terms.push_back(&own.terms[k]);
    context.unit = predictor_unit(made, predictor);
    context.residual_sd = made.link() == "logit" ? 2.0 : 1.0;
    context.num_rows = made.num_rows;
    for (TermBlock* term : context.terms) term->has_shared_prior = true;
    own.specials.push_back(row.make(prior.call, context));
  }
}

}  // namespace credo::models
