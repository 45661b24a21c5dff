#include "models/formula/terms.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"

namespace credo::models {
namespace {
using Kind = Expression::Kind;
constexpr std::size_t kMostTerms = 5000;

// Specials of the grammar that are known and not there yet, each with its meaning.
const std::map<std::string, std::string, std::less<>>& later() {
  static const std::map<std::string, std::string, std::less<>> kLater{
      {"s", "a smooth"},
      {"te", "a smooth of several columns"},
      {"gp", "a Gaussian process"},
      {"cs", "category specific effects"},
      {"bumps", "radial basis functions"}};
  return kLater;
}

class TermReader {
 public:
  TermReader(std::span<const std::string> all_columns, FormulaFaults& faults,
             const CallNames& calls)
      : all_columns_(all_columns), faults_(faults), calls_(calls) {}

  TermList read(const Expression& right) {
    std::vector<Term> terms = encode(right);
    std::erase_if(terms, [](const Term& term) { return term.empty(); });
    std::ranges::stable_sort(terms, {}, &Term::size);
    list_.terms = std::move(terms);
    return std::move(list_);
  }

 private:
  static void add(std::vector<Term>& all, const Term& term) {
    if (std::ranges::find(all, term) == all.end()) all.push_back(term);
  }
  static void add_all(std::vector<Term>& all, const std::vector<Term>& more) {
    for (const Term& term : more) add(all, term);
  }
  static Term join(const Term& a, const Term& b) {
    std::set<Index> both(a.begin(), a.end());
    both.insert(b.begin(), b.end());
    return {both.begin(), both.end()};
  }
  std::vector<Term> cross(const std::vector<Term>& a, const std::vector<Term>& b,
                          const Expression& at) {
    std::vector<Term> all;
    if (a.size() * b.size() > kMostTerms) {
      faults_.add(at.place, fmt::format("this has more than {} terms", kMostTerms));
      return all;
    }
    for (const Term& x : a)
      for (const Term& y : b) add(all, join(x, y));
    return all;
  }

  Index variable(const Expression& e) {
    Expression plain = e;
    plain.in_parentheses = false;
    const std::string text = plain.text();
    for (std::size_t k = 0; k < list_.variables.size(); ++k)
      if (list_.variables[k].text() == text) return static_cast<Index>(k);
    list_.variables.push_back(std::move(plain));
    return ssize(list_.variables) - 1;
  }

  std::vector<Term> encode(const Expression& e) {
    switch (e.kind) {
      case Kind::number:
        return number(e);
      case Kind::text:
        faults_.add(e.place, "a text is no term");
        return {};
      case Kind::name:
        return name(e);
      case Kind::call:
        return call(e);
      case Kind::operation:
        break;
    }
    if (e.word == "|" || e.word == "||") return group(e);
    if (e.parts.size() == 1) return signed_terms(e);
    if (e.word == "+") return sum(e);
    if (e.word == "-") return difference(e, encode(e.parts[0]), e.parts[1]);
    if (e.word == "^") return power(e);
    return product(e);
  }

  std::vector<Term> number(const Expression& e) {
    if (e.word == "1") {
      list_.has_intercept = true;
    } else if (e.word == "0") {
      list_.has_intercept = false;
    } else {
      faults_.add(e.place,
                  fmt::format("{} is no term: 1 is the intercept, 0 leaves it out", e.word),
                  "arithmetic stands in I(): I(2 * x)");
    }
    return {};
  }

  std::vector<Term> name(const Expression& e) {
    if (e.word != ".") return {{variable(e)}};
    std::vector<Term> all;
    for (const std::string& column : all_columns_)
      add(all, {variable({.kind = Kind::name, .word = column, .place = e.place})});
    if (all.empty()) faults_.add(e.place, "the table has no other column for the dot");
    return all;
  }

  std::vector<Term> call(const Expression& e) {
    if (calls_.is_special && calls_.is_special(e.word)) {
      list_.specials.push_back(e);
      return {};
    }
    if (calls_.is_shared_prior && calls_.is_shared_prior(e.word)) return shared_prior(e);
    if (const auto special = later().find(e.word); special != later().end()) {
      faults_.add(e.place, fmt::format("{}() ({}) is not there yet", e.word, special->second));
      return {};
    }
    if (e.word != "offset") return {{variable(e)}};
    if (e.parts.size() == 1)
      list_.offsets.push_back(e.parts[0]);
    else
      faults_.add(e.place, "offset() has one argument");
    return {};
  }

  std::vector<Term> shared_prior(const Expression& e) {
    if (e.parts.empty() || !e.labels[0].empty()) {
      faults_.add(e.place, fmt::format("{}() has no terms", e.word), e.word + "(x + z)");
      return {};
    }
    const bool kept = list_.has_intercept;
    std::vector<Term> terms = encode(e.parts[0]);
    list_.has_intercept = kept;
    std::erase_if(terms, [](const Term& term) { return term.empty(); });
    for (const SharedPrior& other : list_.shared_priors)
      for (const Term& term : terms)
        if (std::ranges::find(other.terms, term) != other.terms.end())
          faults_.add(e.place, fmt::format("a term of {}() has the prior {}(), too", e.word,
                                           other.call.word));
    list_.shared_priors.push_back({e, terms});
    return terms;
  }

  std::vector<Term> sum(const Expression& e) {
    std::vector<Term> all = encode(e.parts[0]);
    add_all(all, encode(e.parts[1]));
    return all;
  }

  std::vector<Term> signed_terms(const Expression& e) {
    return e.word == "+" ? encode(e.parts[0]) : difference(e, {}, e.parts[0]);
  }

  std::vector<Term> difference(const Expression& e, std::vector<Term> all, const Expression& less) {
    if (less.kind == Kind::number && (less.word == "0" || less.word == "1")) {
      list_.has_intercept = less.word == "0";
      return all;
    }
    if (less.is_operation("|") || less.is_operation("||") || less.is_call("offset")) {
      faults_.add(e.place, "groups and offsets can't be taken out again");
      return all;
    }
    const bool kept = list_.has_intercept;
    const std::vector<Term> out = encode(less);
    list_.has_intercept = kept;
    std::erase_if(all, [&](const Term& t) { return std::ranges::find(out, t) != out.end(); });
    return all;
  }

  std::vector<Term> power(const Expression& e) {
    const std::vector<Term> base = encode(e.parts[0]);
    const std::string& word = e.parts[1].word;
    const bool is_degree = e.parts[1].kind == Kind::number && word.size() == 1 && word[0] >= '1';
    if (!is_degree) {
      faults_.add(e.parts[1].place, "the power of terms is a number from 1 to 9",
                  "arithmetic stands in I(): I(x^2)");
      return base;
    }
    std::vector<Term> all = base;
    for (char k = '1'; k < word[0]; ++k) {
      std::vector<Term> next = all;
      add_all(next, cross(all, base, e));
      all = std::move(next);
    }
    return all;
  }

  std::vector<Term> product(const Expression& e) {
    const std::size_t num_groups = list_.groups.size(), num_specials = list_.specials.size();
    const bool kept = list_.has_intercept;
    const std::vector<Term> a = encode(e.parts[0]), b = encode(e.parts[1]);
    list_.has_intercept = kept;
    if (list_.groups.size() > num_groups)
      faults_.add(e.place, "a group can't be multiplied", "add it: ... + (1 | g)");
    if (list_.specials.size() > num_specials)
      faults_.add(e.place, "a special term can't be multiplied",
                  fmt::format("add it: ... + {}", list_.specials.back().text()));
    if (e.word == ":" || e.word == "%in%") return cross(a, b, e);
    if (e.word != "*" && e.word != "/") {
      faults_.add(e.place, fmt::format("'{}' combines no terms", e.word),
                  "arithmetic stands in I(): I(x^2)");
      return {};
    }
    std::vector<Term> all = a;
    if (e.word == "*") {
      add_all(all, b);
      add_all(all, cross(a, b, e));
      return all;
    }
    Term nest;
    for (const Term& term : a) nest = join(nest, term);
    add_all(all, cross({nest}, b, e));
    return all;
  }

  std::vector<Term> group(const Expression& e) {
    if (!e.in_parentheses) {
      faults_.add(e.place, "a group stands in parentheses", "(1 | g)");
      return {};
    }
    const bool has_id = e.parts[0].is_operation("|") || e.parts[0].is_operation("||");
    if (has_id && !is_id(e)) {
      faults_.add(e.parts[0].place, "a group has terms, an optional name, and columns",
                  "(1 + x | name | g): terms of one name and group are correlated");
      return {};
    }
    const Expression& terms = has_id ? e.parts[0].parts[0] : e.parts[0];
    const bool is_call =
        e.parts[1].kind == Kind::call && calls_.is_grouping && calls_.is_grouping(e.parts[1].word);
    for (std::vector<Expression>& grouping :
         is_call ? columns_of_call(e.parts[1]) : groupings(e.parts[1]))
      list_.groups.push_back({.terms = terms,
                              .grouping = std::move(grouping),
                              .call = is_call ? std::optional(e.parts[1]) : std::nullopt,
                              .is_correlated = e.word == "|",
                              .id = has_id ? e.parts[0].parts[1].word : "",
                              .place = e.place});
    return {};
  }
  static bool is_id(const Expression& e) {
    const Expression& inner = e.parts[0];
    return e.word == "|" && inner.word == "|" && inner.parts[1].kind == Kind::name &&
           !inner.parts[0].is_operation("|");
  }

  // The columns of mm(g1, g2), or those of the one group of gr(g:h).
  std::vector<std::vector<Expression>> columns_of_call(const Expression& e) {
    std::vector<Expression> columns;
    for (std::size_t k = 0; k < e.parts.size(); ++k) {
      if (!e.labels[k].empty()) continue;
      const auto own = groupings(e.parts[k]);
      if (own.size() > 1)
        faults_.add(
            e.parts[k].place, fmt::format("{} has several groups", e.parts[k].text()),
            fmt::format("write a term for each: (1 | {}(g)) + (1 | {}(g:h))", e.word, e.word));
      if (own.empty() || own.size() > 1) return {};
      columns.insert(columns.end(), own[0].begin(), own[0].end());
    }
    if (columns.empty()) faults_.add(e.place, fmt::format("{}() has no column", e.word));
    std::vector<std::vector<Expression>> all;
    if (!columns.empty()) all.push_back(std::move(columns));
    return all;
  }

  // g, g:h; g/h stands for g and g:h.
  std::vector<std::vector<Expression>> groupings(const Expression& e) {
    if (e.kind == Kind::name && e.word != ".") return {{e}};
    if (e.is_operation(":") || (e.is_operation("/") && e.parts.size() == 2)) {
      const auto a = groupings(e.parts[0]), b = groupings(e.parts[1]);
      std::vector<std::vector<Expression>> all;
      if (a.empty() || b.empty()) return all;
      if (e.word == "/") all = a;
      for (std::vector<Expression> joined : b) {
        joined.insert(joined.begin(), a.back().begin(), a.back().end());
        all.push_back(std::move(joined));
      }
      return all;
    }
    const auto special = later().find(e.word);
    if (e.kind == Kind::call && special != later().end())
      faults_.add(e.place, fmt::format("{}() ({}) is not there yet", e.word, special->second));
    else
      faults_.add(e.place, fmt::format("{} is no group", e.text()),
                  "a group is a column, g1/g2 or g1:g2");
    return {};
  }

  std::span<const std::string> all_columns_;
  FormulaFaults& faults_;
  const CallNames& calls_;
  TermList list_;
};

bool is_subset(const Term& a, const Term& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

// Without an intercept the first factor of the first term that has one is coded by its levels.
bool is_first_factor(const TermList& list, std::size_t k, Index variable,
                     const std::vector<bool>& is_factor) {
  for (std::size_t t = 0; t <= k; ++t)
    for (const Index v : list.terms[t])
      if (is_factor[static_cast<std::size_t>(v)]) return t == k && v == variable;
  return false;
}
}  // namespace

TermList read_terms(const Expression& right, std::span<const std::string> all_columns,
                    FormulaFaults& faults, const CallNames& calls) {
  return TermReader(all_columns, faults, calls).read(right);
}

bool is_coded_by_contrasts(const TermList& list, std::size_t k, Index variable,
                           const std::vector<bool>& is_factor) {
  if (!list.has_intercept && is_first_factor(list, k, variable, is_factor)) return false;
  Term rest = list.terms[k];
  std::erase(rest, variable);
  if (rest.empty()) return true;
  for (std::size_t t = 0; t < k; ++t)
    if (is_subset(rest, list.terms[t])) return true;
  return false;
}

}  // namespace credo::models
