#include "graph/moments/moment_terms.hpp"

#include <fmt/format.h>

namespace credo::graph {
namespace {
constexpr std::size_t kMostTerms = 1'000'000;

double at_or_only(std::span<const double> x, Index i) {
  return x[x.size() == 1 ? 0 : static_cast<std::size_t>(i)];
}

std::size_t mixed(std::size_t hash, std::size_t value) {
  return hash ^ (value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2));
}

// Long lists are hashed by some of their elements.
std::size_t hash_of(const MomentTerm& term) {
  constexpr std::size_t kHashed = 8;
  std::size_t hash = term.is_summed ? 1 : 0;
  for (const MomentFactor& f : term.factors) {
    hash = mixed(hash, static_cast<std::size_t>(f.group + 2));
    hash = mixed(hash, static_cast<std::size_t>(f.atom.kind));
    hash = mixed(hash, std::hash<double>()(f.atom.power));
    hash = mixed(hash, f.at->size());
    for (std::size_t k = 0; k < std::min(kHashed, f.at->size()); ++k)
      hash = mixed(hash, static_cast<std::size_t>((*f.at)[k]));
  }
  return hash;
}

bool same_factors(const MomentTerm& a, const MomentTerm& b) {
  return !a.is_summed && !b.is_summed && a.factors.size() == b.factors.size() &&
         std::equal(a.factors.begin(), a.factors.end(), b.factors.begin(), is_same);
}

bool comes_before(const MomentFactor& a, const MomentFactor& b) {
  if (a.group != b.group) return a.group < b.group;
  if (a.atom != b.atom) return a.atom < b.atom;
  if (a.at->size() != b.at->size()) return a.at->size() < b.at->size();
  return (*a.at)[0] < (*b.at)[0];
}

bool is_plain_power(const MomentFactor& f) {
  return f.atom.kind == AtomKind::power && f.weights == nullptr;
}
bool are_at_one_place(const MomentFactor& a, const MomentFactor& b) {
  if (a.at == b.at) return true;
  const Index n = std::max(a.size(), b.size());
  for (Index i = 0; i < n; ++i)
    if (a.coordinate(i) != b.coordinate(i)) return false;
  return true;
}

// Multiplies by one more factor: powers of the same coordinates are joined, and indicators of the same whole numbers are one or nothing.
// False if the product is 0.
bool join(MomentTerm& term, const MomentFactor& more) {
  for (std::size_t k = 0; k < term.factors.size(); ++k) {
    MomentFactor& f = term.factors[k];
    if (f.group != more.group) continue;
    const bool powers = is_plain_power(f) && is_plain_power(more),
               indicators = f.atom.kind == AtomKind::one_hot && more.atom.kind == AtomKind::one_hot;
    if ((!powers && !indicators) || !are_at_one_place(f, more)) continue;
    if (f.size() < more.size()) f.at = more.at;
    if (indicators) return f.atom.power == more.atom.power;
    f.atom.power += more.atom.power;
    if (f.atom.power == 0.0)
      term.factors.erase(term.factors.begin() + static_cast<std::ptrdiff_t>(k));
    return true;
  }
  term.factors.push_back(more);
  return true;
}

std::optional<MomentTerm> product(const MomentTerm& a, const MomentTerm& b) {
  if ((a.is_summed && b.num_elements() > 1) || (b.is_summed && a.num_elements() > 1))
    throw NoMoments{"multiplies a sum over rows by another vector of parameters",
                    "write the product inside of the sum"};
  MomentTerm result{.coefficient = times(a.coefficient, b.coefficient),
                    .factors = a.factors,
                    .is_summed = a.is_summed || b.is_summed,
                    .statement = std::max(a.statement, b.statement)};
  for (const MomentFactor& f : b.factors)
    if (!join(result, f)) return std::nullopt;
  std::sort(result.factors.begin(), result.factors.end(), comes_before);
  return result;
}
}  // namespace

Coordinates coordinates_of(std::vector<std::int32_t> at) {
  return std::make_shared<const std::vector<std::int32_t>>(std::move(at));
}

bool is_same(const MomentFactor& a, const MomentFactor& b) {
  if (a.group != b.group || a.atom != b.atom || a.rows != b.rows) return false;
  if ((a.weights == nullptr) != (b.weights == nullptr)) return false;
  if (a.at != b.at && *a.at != *b.at) return false;
  return a.weights == b.weights || *a.weights == *b.weights;
}

Index MomentTerm::num_elements() const {
  Index size = ssize(coefficient);
  for (const MomentFactor& f : factors) size = std::max(size, f.size());
  return size;
}

void MomentSum::add(MomentTerm term) {
  // Indicators of whole numbers are complete sets: those with coefficient 0 stay.
  const bool has_indicator = std::ranges::any_of(
      term.factors, [](const MomentFactor& f) { return f.atom.kind == AtomKind::one_hot; });
  if (!has_indicator && std::ranges::all_of(term.coefficient, [](double c) { return c == 0.0; }))
    return;
  if (MomentTerm* const old = like(term)) {
    const Index n = std::max(ssize(old->coefficient), ssize(term.coefficient));
    std::vector<double> sum(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i)
      sum[static_cast<std::size_t>(i)] =
          at_or_only(old->coefficient, i) + at_or_only(term.coefficient, i);
    old->coefficient = std::move(sum);
    old->statement = std::min(old->statement, term.statement);
    return;
  }
  if (terms_.size() == kMostTerms)
    throw NoMoments{fmt::format("has more than {} products of parameters", kMostTerms),
                    "write sums over rows as operations on vectors"};
  if (!index_.empty()) index_.emplace(hash_of(term), terms_.size());
  terms_.push_back(std::move(term));
}

// Long sums are searched by hash.
MomentTerm* MomentSum::like(const MomentTerm& term) {
  constexpr std::size_t kFewTerms = 12;
  if (terms_.size() <= kFewTerms) {
    const auto found =
        std::ranges::find_if(terms_, [&](const MomentTerm& t) { return same_factors(t, term); });
    return found == terms_.end() ? nullptr : &*found;
  }
  if (index_.empty())
    for (std::size_t k = 0; k < terms_.size(); ++k) index_.emplace(hash_of(terms_[k]), k);
  const auto [first, last] = index_.equal_range(hash_of(term));
  for (auto entry = first; entry != last; ++entry)
    if (same_factors(terms_[entry->second], term)) return &terms_[entry->second];
  return nullptr;
}

void MomentSum::set_statement(std::int32_t statement) {
  for (MomentTerm& term : terms_) term.statement = statement;
}

void MomentSum::add(const MomentSum& other) {
  for (const MomentTerm& term : other.terms_) add(term);
}

std::optional<std::vector<double>> MomentSum::constant() const {
  std::vector<double> value{0.0};
  for (const MomentTerm& term : terms_) {
    const bool is_zero = std::ranges::all_of(term.coefficient, [](double c) { return c == 0.0; });
    if (term.is_constant())
      value = term.coefficient;
    else if (!is_zero)
      return std::nullopt;
  }
  return value;
}

std::vector<double> times(std::span<const double> a, std::span<const double> b) {
  const Index n = std::max(ssize(a), ssize(b));
  std::vector<double> result(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    result[static_cast<std::size_t>(i)] = at_or_only(a, i) * at_or_only(b, i);
  return result;
}

MomentSum product(const MomentSum& a, const MomentSum& b) {
  MomentSum result;
  for (const MomentTerm& s : a.terms())
    for (const MomentTerm& t : b.terms())
      if (auto both = product(s, t)) result.add(std::move(*both));
  return result;
}

MomentSum scaled(const MomentSum& a, std::span<const double> by) {
  return product(a, MomentTerm{.coefficient = {by.begin(), by.end()}});
}

// ---- elements

namespace {
MomentFactor elements_of(const MomentFactor& f, std::span<const std::int32_t> index) {
  if (f.size() == 1) return f;
  MomentFactor result = f;
  if (f.weights == nullptr) {
    std::vector<std::int32_t> at;
    for (const std::int32_t i : index) at.push_back((*f.at)[static_cast<std::size_t>(i)]);
    if (std::ranges::all_of(at, [&](std::int32_t c) { return c == at[0]; })) at.resize(1);
    result.at = coordinates_of(std::move(at));
    return result;
  }
  std::vector<double> weights;
  for (Index c = 0; c < f.columns(); ++c)
    for (const std::int32_t i : index)
      weights.push_back((*f.weights)[static_cast<std::size_t>(c * f.rows + i)]);
  result.weights = std::make_shared<const std::vector<double>>(std::move(weights));
  result.rows = ssize(index);
  return result;
}
}  // namespace

MomentSum elements_of(const MomentSum& a, std::span<const std::int32_t> index) {
  MomentSum result;
  for (const MomentTerm& term : a.terms()) {
    MomentTerm taken = term;
    taken.factors.clear();
    if (term.is_summed) {
      result.add(term);
      continue;
    }
    if (term.coefficient.size() > 1) {
      taken.coefficient.clear();
      for (const std::int32_t i : index)
        taken.coefficient.push_back(term.coefficient[static_cast<std::size_t>(i)]);
    }
    for (const MomentFactor& f : term.factors) taken.factors.push_back(elements_of(f, index));
    result.add(std::move(taken));
  }
  return result;
}

// ---- sums over elements

namespace {
MomentFactor weighted(const MomentFactor& f, std::map<std::int32_t, double> weights) {
  std::vector<std::int32_t> at;
  std::vector<double> w;
  for (const auto& [coordinate, weight] : weights) at.push_back(coordinate), w.push_back(weight);
  MomentFactor result = f;
  result.rows = 1;
  result.at = coordinates_of(std::move(at));
  result.weights = std::make_shared<const std::vector<double>>(std::move(w));
  return result;
}

// The sum of c[i] f[i]; one coordinate stays an atom, whose weight goes to the coefficient.
MomentFactor weighted_sum(const MomentFactor& f, std::span<const double> c, double& coefficient) {
  coefficient = 1.0;
  if (f.weights == nullptr) {
    std::map<std::int32_t, double> weights;
    for (Index i = 0; i < f.size(); ++i) weights[f.coordinate(i)] += at_or_only(c, i);
    if (weights.size() > 1) return weighted(f, std::move(weights));
    MomentFactor one = f;
    one.at = coordinates_of({weights.begin()->first});
    coefficient = weights.begin()->second;
    return one;
  }
  std::vector<double> weights;
  for (Index k = 0; k < f.columns(); ++k) {
    double sum = 0.0;
    for (Index i = 0; i < f.rows; ++i)
      sum += at_or_only(c, i) * (*f.weights)[static_cast<std::size_t>(k * f.rows + i)];
    weights.push_back(sum);
  }
  MomentFactor result = f;
  result.rows = 1;
  result.weights = std::make_shared<const std::vector<double>>(std::move(weights));
  return result;
}

bool is_linear(const MomentFactor& f) { return f.atom == Atom{} && f.atom.kind == AtomKind::power; }

// Adds weight to a pair, the smaller coordinate first.
using PairWeights = std::map<std::pair<std::int32_t, std::int32_t>, double>;
void add_pair(PairWeights& pairs, std::int32_t a, std::int32_t b, double weight) {
  pairs[{std::min(a, b), std::max(a, b)}] += weight;
}

MomentFactor factor_of(const PairWeights& pairs) {
  std::vector<std::int32_t> at;
  std::vector<double> weights;
  for (const auto& [pair, weight] : pairs) {
    at.push_back(pair.first), at.push_back(pair.second);
    weights.push_back(weight);
  }
  return {.group = kNoGroup,
          .atom = {AtomKind::pair, 1.0},
          .at = coordinates_of(std::move(at)),
          .weights = std::make_shared<const std::vector<double>>(std::move(weights)),
          .rows = 1};
}

// Σ_i c[i] f[i] g[i] of two vectors of linear functions.
MomentFactor pair_sum(const MomentFactor& f, const MomentFactor& g, std::span<const double> c,
                      Index n) {
  PairWeights pairs;
  if (f.weights == nullptr && g.weights == nullptr) {
    for (Index i = 0; i < n; ++i)
      add_pair(pairs, f.coordinate(i), g.coordinate(i), at_or_only(c, i));
    return factor_of(pairs);
  }
  const auto weight = [](const MomentFactor& h, Index i, Index k) {
    return (*h.weights)[static_cast<std::size_t>(k * h.rows + (h.rows == 1 ? 0 : i))];
  };
  const auto each = [&](const MomentFactor& h, Index i, const auto& visit) {
    if (h.weights == nullptr) return visit(h.coordinate(i), 1.0);
    for (Index k = 0; k < h.columns(); ++k)
      visit((*h.at)[static_cast<std::size_t>(k)], weight(h, i, k));
  };
  for (Index i = 0; i < n; ++i)
    each(f, i, [&](std::int32_t a, double u) {
      each(g, i,
           [&](std::int32_t b, double v) { add_pair(pairs, a, b, at_or_only(c, i) * u * v); });
    });
  return factor_of(pairs);
}

// Rows whose coordinates are all the same are one row.
MomentTerm summed_by_rows(const MomentTerm& term, Index n) {
  MomentTerm result = term;
  result.is_summed = n > 1;
  const bool has_weights = std::ranges::any_of(
      term.factors, [](const MomentFactor& f) { return f.weights != nullptr && f.rows > 1; });
  if (has_weights) return result;
  std::map<std::vector<std::int32_t>, double> rows;
  for (Index i = 0; i < n; ++i) {
    std::vector<std::int32_t> key;
    for (const MomentFactor& f : term.factors)
      if (f.size() > 1) key.push_back(f.coordinate(i));
    rows[std::move(key)] += at_or_only(term.coefficient, i);
  }
  result.coefficient.clear();
  for (const auto& [key, weight] : rows) result.coefficient.push_back(weight);
  std::size_t k = 0;
  for (MomentFactor& f : result.factors) {
    if (f.size() == 1) continue;
    std::vector<std::int32_t> at;
    for (const auto& [key, weight] : rows) at.push_back(key[k]);
    f.at = coordinates_of(std::move(at));
    ++k;
  }
  result.is_summed = rows.size() > 1;
  return result;
}

MomentTerm total_of(const MomentTerm& term, Index n) {
  std::vector<std::size_t> vectors;
  for (std::size_t k = 0; k < term.factors.size(); ++k)
    if (term.factors[k].size() > 1) vectors.push_back(k);
  MomentTerm result = term;
  if (vectors.empty()) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) sum += at_or_only(term.coefficient, i);
    result.coefficient = {sum};
    return result;
  }
  if (vectors.size() == 1) {
    double coefficient = 1.0;
    MomentFactor& f = result.factors[vectors[0]];
    f = weighted_sum(f, term.coefficient, coefficient);
    result.coefficient = {coefficient};
    return result;
  }
  const MomentFactor &f = term.factors[vectors[0]], &g = term.factors[vectors[1]];
  if (vectors.size() == 2 && is_linear(f) && is_linear(g) && (f.weights || g.weights)) {
    const MomentFactor pairs = pair_sum(f, g, term.coefficient, n);
    result.factors.erase(result.factors.begin() + static_cast<std::ptrdiff_t>(vectors[1]));
    result.factors[vectors[0]] = pairs;
    result.coefficient = {1.0};
    std::sort(result.factors.begin(), result.factors.end(), comes_before);
    return result;
  }
  return summed_by_rows(term, n);
}
}  // namespace

MomentSum total(const MomentSum& a, Index size) {
  MomentSum result;
  for (const MomentTerm& term : a.terms()) {
    if (!term.is_summed) {
      result.add(total_of(term, size));
      continue;
    }
    MomentTerm repeated = term;
    for (double& c : repeated.coefficient) c *= static_cast<double>(size);
    result.add(std::move(repeated));
  }
  return result;
}

namespace {
// The summands of a factor that is one number.
MomentSum summands_of(const MomentFactor& f, std::int32_t statement) {
  MomentSum result;
  const std::size_t step = f.atom.kind == AtomKind::pair ? 2 : 1;
  for (std::size_t k = 0; k < f.at->size(); k += step) {
    const double weight = f.weights == nullptr ? 1.0 : (*f.weights)[k / step];
    MomentTerm term{.coefficient = {weight}, .statement = statement};
    for (std::size_t e = 0; e < step; ++e) {
      MomentFactor one{.group = f.group, .atom = f.atom, .at = coordinates_of({(*f.at)[k + e]})};
      term.factors.push_back(std::move(one));
    }
    result.add(std::move(term));
  }
  return result;
}

bool can_expand(const MomentTerm& term) {
  return std::ranges::none_of(term.factors, [](const MomentFactor& f) {
    return f.atom.kind == AtomKind::pair;  // its groups aren't known here
  });
}

std::size_t num_summands(const MomentTerm& term) {
  std::size_t count = term.is_summed ? static_cast<std::size_t>(term.num_elements()) : 1;
  for (const MomentFactor& f : term.factors)
    if (f.weights != nullptr) count *= static_cast<std::size_t>(f.columns());
  return count;
}
}  // namespace

MomentSum expanded(const MomentSum& a, std::size_t most) {
  std::size_t count = 0;
  for (const MomentTerm& term : a.terms())
    count += can_expand(term) ? num_summands(term) : most + 1;
  if (count == a.terms().size() || count > most) return a;
  MomentSum result;
  for (const MomentTerm& term : a.terms()) {
    const Index rows = term.is_summed ? term.num_elements() : 1;
    for (Index r = 0; r < rows; ++r) {
      const auto row = static_cast<std::int32_t>(r);
      MomentSum one(MomentTerm{.coefficient = {at_or_only(term.coefficient, r)},
                               .statement = term.statement});
      for (const MomentFactor& f : term.factors)
        one = product(one, summands_of(elements_of(f, std::array{row}), term.statement));
      result.add(one);
    }
  }
  return result;
}

MomentSum product(std::span<const double> matrix, Index rows, const MomentSum& a) {
  const Index columns = ssize(matrix) / rows;
  MomentSum result;
  for (const MomentTerm& term : a.terms()) {
    std::size_t vectors = 0;
    for (const MomentFactor& f : term.factors) vectors += f.size() > 1 ? 1 : 0;
    if (vectors > 1 || term.is_summed) {  // column by column
      for (Index c = 0; c < columns; ++c) {
        const auto column = static_cast<std::int32_t>(c);
        const MomentSum one = elements_of(MomentSum(term), std::array{column});
        result.add(scaled(one, matrix.subspan(static_cast<std::size_t>(c * rows),
                                              static_cast<std::size_t>(rows))));
      }
      continue;
    }
    std::vector<double> weights(matrix.begin(), matrix.end());
    for (Index c = 0; c < columns; ++c)
      for (Index r = 0; r < rows; ++r)
        weights[static_cast<std::size_t>(c * rows + r)] *= at_or_only(term.coefficient, c);
    MomentTerm one = term;
    one.coefficient = {1.0};
    const auto vector =
        std::ranges::find_if(one.factors, [](const MomentFactor& f) { return f.size() > 1; });
    if (vector == one.factors.end()) {  // a constant vector
      std::vector<double> sums(static_cast<std::size_t>(rows), 0.0);
      for (std::size_t k = 0; k < weights.size(); ++k)
        sums[k % static_cast<std::size_t>(rows)] += weights[k];
      one.coefficient = std::move(sums);
    } else if (vector->weights == nullptr) {
      vector->weights = std::make_shared<const std::vector<double>>(std::move(weights));
      vector->rows = rows;
    } else {
      const Index inner = vector->columns();
      std::vector<double> both(static_cast<std::size_t>(rows * inner), 0.0);
      for (Index k = 0; k < inner; ++k)
        for (Index c = 0; c < columns; ++c)
          for (Index r = 0; r < rows; ++r)
            both[static_cast<std::size_t>(k * rows + r)] +=
                weights[static_cast<std::size_t>(c * rows + r)] *
                (*vector->weights)[static_cast<std::size_t>(k * columns + c)];
      vector->weights = std::make_shared<const std::vector<double>>(std::move(both));
      vector->rows = rows;
    }
    result.add(std::move(one));
  }
  return result;
}

// ---- powers and logarithms

namespace {
const MomentTerm& only_term(const MomentSum& a, std::string_view function) {
  const MomentTerm* only = nullptr;
  for (const MomentTerm& term : a.terms()) {
    if (std::ranges::all_of(term.coefficient, [](double c) { return c == 0.0; })) continue;
    if (only != nullptr)
      throw NoMoments{fmt::format("takes {} of a sum of parameters", function),
                      "give the sum a parameter of its own, or use --method normal"};
    only = &term;
  }
  if (only == nullptr) throw NoMoments{fmt::format("takes {} of 0", function)};
  if (only->is_summed)
    throw NoMoments{fmt::format("takes {} of a sum of parameters", function),
                    "use --method normal"};
  for (const MomentFactor& f : only->factors)
    if (!is_plain_power(f))
      throw NoMoments{
          fmt::format("takes {} of a weighted sum or a function of parameters", function),
          "use --method normal"};
  return *only;
}

// 1 - x, for a single number x.
const MomentFactor* one_minus(const MomentSum& a) {
  const MomentFactor* found = nullptr;
  for (const MomentTerm& term : a.terms()) {
    const auto all = [&](double value) {
      return std::ranges::all_of(term.coefficient, [&](double c) { return c == value; });
    };
    if (term.is_constant() && all(1.0)) continue;
    if (found != nullptr || term.factors.size() != 1 || !all(-1.0) ||
        !is_plain_power(term.factors[0]) || term.factors[0].atom.power != 1.0)
      return nullptr;
    found = &term.factors[0];
  }
  return a.terms().size() == 2 ? found : nullptr;
}
}  // namespace

MomentSum power_of(const MomentSum& a, double exponent) {
  if (exponent == 1.0) return a;
  if (exponent == 2.0) return product(a, a);
  MomentTerm result = only_term(a, "a power");
  for (double& c : result.coefficient) c = std::pow(c, exponent);
  for (MomentFactor& f : result.factors) f.atom.power *= exponent;
  return result;
}

MomentSum log_of(const MomentSum& a) {
  if (const MomentFactor* f = one_minus(a)) {
    MomentFactor log = *f;
    log.atom = {AtomKind::log1m, 1.0};
    return MomentTerm{.factors = {log}};
  }
  const MomentTerm& from = only_term(a, "the logarithm");
  MomentTerm constant{.coefficient = from.coefficient};
  for (double& c : constant.coefficient) c = std::log(c);
  MomentSum result(std::move(constant));
  for (const MomentFactor& f : from.factors) {
    MomentFactor log = f;
    log.atom = {AtomKind::log, 1.0};
    result.add(
        MomentTerm{.coefficient = {f.atom.power}, .factors = {log}, .statement = from.statement});
  }
  return result;
}

MomentSum exp_of(const MomentSum& a) {
  MomentSum result(MomentTerm{});
  for (const MomentTerm& term : a.terms()) {
    if (term.is_constant()) {
      std::vector<double> factor = term.coefficient;
      for (double& c : factor) c = std::exp(c);
      result = scaled(result, factor);
      continue;
    }
    const bool is_log = !term.is_summed && term.factors.size() == 1 &&
                        term.coefficient.size() == 1 &&
                        term.factors[0].atom.kind == AtomKind::log && !term.factors[0].weights;
    if (!is_log)
      throw NoMoments{"takes exp of a parameter",
                      "a positive parameter with a gamma or inverse gamma prior has its place"};
    MomentFactor power = term.factors[0];
    power.atom = {AtomKind::power, term.coefficient[0]};
    result = product(result, MomentTerm{.factors = {power}, .statement = term.statement});
  }
  return result;
}

}  // namespace credo::graph
