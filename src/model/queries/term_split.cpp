#include "model/queries/term_split.hpp"

namespace credo::model {
using graph::Expr;
using lang::Term;
using lang::TermKind;

bool is_jacobian(const Term& term) {
  return term.kind == TermKind::transform_jacobian || term.kind == TermKind::user_jacobian;
}

TermSplit::TermSplit(const ProgramSource& source, std::span<const Term> terms)
    : source_(source),
      terms_(terms),
      reads_(statement_reads(source.program)),
      is_likelihood_(terms.size(), 0) {
  std::map<std::size_t, std::size_t> place;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto [entry, is_new] = place.try_emplace(terms[k].group, groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[entry->second].push_back(k);
  }
  for (const auto& group : groups_) judge(group);
}

void TermSplit::refuse(const Term& term, std::string reason, std::string hint) {
  if (!capability_.can) return;
  capability_ = {.can = false,
                 .reason = std::move(reason),
                 .where = source_.where(term.statement),
                 .hint = std::move(hint)};
}

// Judges a group of terms. Terms added to densities of data alone belong to them, like a mixture's weight.
void TermSplit::judge(std::span<const std::size_t> group) {
  const auto any = [&](TermKind kind) {
    return std::any_of(group.begin(), group.end(),
                       [&](std::size_t k) { return terms_[k].kind == kind; });
  };
  const bool has_censored = std::any_of(group.begin(), group.end(),
                                        [&](std::size_t k) { return is_censored(terms_[k]); });
  const bool has_prior = any(TermKind::prior),
             has_likelihood = any(TermKind::likelihood) || has_censored;
  const bool is_one = has_likelihood && !has_prior;
  for (const std::size_t k : group) {
    const Term& term = terms_[k];
    const bool is_own_row = is_one || is_censored(term);
    const bool is_by_hand = term.kind == TermKind::unlabelled && !is_own_row;
    const bool is_constant = term.value.is_constant();
    const bool is_of_data = is_constant && reads_of(term).value;  // if of anything
    is_likelihood_[k] =
        is_own_row || term.kind == TermKind::likelihood || (is_by_hand && is_of_data) ? 1 : 0;
    if (term.kind == TermKind::prior && !has_likelihood) judge_outcome(term);
    if (is_by_hand && !is_constant) judge_by_hand(term);
    if (term.is_mixed && reads_of(term).value)
      refuse(
          term,
          "this term is prior and likelihood at once: it holds densities of data and of parameters",
          "write a statement for the data and one for the parameters");
  }
}

// True for the probability that an outcome lies above or below a number of the data. A subtracted term is the
// normaliser of a truncated density instead. If data decide which rows have the term, the number may be a literal of
// the program.
bool TermSplit::is_censored(const Term& term) const {
  return term.kind == TermKind::unlabelled && term.is_tail && !term.is_taken_off &&
         (reads_of(term).value || reads_of(term).decided);
}

void TermSplit::judge_outcome(const Term& term) {
  if (reads_of(term).mixed)
    refuse(term,
           "the outcome is made of data and parameters: it isn't known whether this is prior or "
           "likelihood",
           "write the data alone as the outcome: y ~ normal(mu, sigma), not y - mu ~ normal(0, "
           "sigma)");
}

void TermSplit::judge_by_hand(const Term& term) {
  if (reads_of(term).value || reads_of(term).decided)
    refuse(term,
           "a term that is written by hand reads data: it isn't known whether it is prior or "
           "likelihood",
           "write it as a density of the data: `target += name_lpdf(y | ...)` with a function of "
           "your own");
}

bool TermSplit::has(const density::Query& query, std::size_t term) const {
  switch (query.terms) {
    case density::Terms::all:
      return true;
    case density::Terms::prior:
      return !is_likelihood(term);
    case density::Terms::likelihood:
      return is_likelihood(term);
    case density::Terms::statement:
      return terms_[term].statement == query.statement;
  }
  return true;
}

// One row where the summands have different numbers of them.
Expr TermSplit::rows_of(std::span<const std::size_t> group) const {
  const auto complete = [&](const Term& term) { return term.value + term.dropped; };
  Index count = 1;
  for (const std::size_t k : group)
    if (!terms_[k].rows.empty()) count = std::max(count, terms_[k].rows.size());
  const bool by_rows = std::all_of(group.begin(), group.end(), [&](std::size_t k) {
    return !terms_[k].rows.empty() && terms_[k].rows.size() == count;
  });
  Expr sum;
  for (const std::size_t k : group) {
    const Expr value = by_rows ? terms_[k].rows : complete(terms_[k]);
    sum = sum.empty() ? value : sum + value;
  }
  return sum;
}

std::vector<StatementRows> TermSplit::rows() const {
  std::map<std::int32_t, std::vector<Expr>> parts;
  for (const auto& group : groups_) {
    std::vector<std::size_t> likelihood;
    for (const std::size_t k : group)
      if (is_likelihood(k)) likelihood.push_back(k);
    if (!likelihood.empty()) parts[terms_[likelihood[0]].statement].push_back(rows_of(likelihood));
  }
  std::vector<StatementRows> result;
  for (const auto& [statement, values] : parts) {
    Index size = 0;
    for (const Expr& x : values) size += x.size();
    result.push_back({statement, values.size() == 1
                                     ? values[0]
                                     : graph::concat(graph::vector_shape(size), values)});
  }
  return result;
}

}  // namespace credo::model
