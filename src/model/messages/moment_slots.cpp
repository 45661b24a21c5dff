#include "model/messages/moment_slots.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace credo::model {
using density::MomentBlock;
using density::MomentFamily;
using graph::Atom;
using graph::AtomKind;
using graph::Expr;
using graph::MomentFactor;
using graph::MomentTerm;
using graph::NoMoments;
using Pair = std::pair<std::int32_t, std::int32_t>;

namespace {
bool is_normal(MomentFamily family) { return family == MomentFamily::normal; }

Expr constants(std::span<const double> values) {
  return values.size() == 1 ? Expr(values[0])
                            : graph::constant(graph::vector_shape(ssize(values)), values);
}

// The factor with weights of its distinct coordinates.
MomentFactor with_weights(const MomentFactor& f) {
  if (f.weights != nullptr) return f;
  std::map<std::int32_t, Index> columns;
  for (const std::int32_t c : *f.at) columns.try_emplace(c, 0);
  std::vector<std::int32_t> at;
  for (auto& [coordinate, column] : columns) {
    column = ssize(at);
    at.push_back(coordinate);
  }
  const Index rows = f.size();
  std::vector<double> weights(static_cast<std::size_t>(rows) * at.size(), 0.0);
  for (Index i = 0; i < rows; ++i)
    weights[static_cast<std::size_t>(columns[f.coordinate(i)] * rows + i)] = 1.0;
  MomentFactor result = f;
  result.rows = rows;
  result.at = graph::coordinates_of(std::move(at));
  result.weights = std::make_shared<const std::vector<double>>(std::move(weights));
  return result;
}

Expr matrix_of(const MomentFactor& f) {
  return graph::constant(graph::matrix_shape(f.rows, f.columns()), *f.weights);
}
}  // namespace

Expr MomentSlots::at(const Slots& slots) const {
  return graph::gather(graph::vector_shape(ssize(slots)), statistics_, slots);
}

Index MomentSlots::mean_slot(std::int32_t coordinate) const {
  return block_of(coordinate).first + place_of(coordinate);
}

Index MomentSlots::second_slot(std::int32_t a, std::int32_t b) const {
  const MomentBlock& block = block_of(a);
  const Index n = ssize(block.values);
  return block.first + n + std::min(place_of(a), place_of(b)) +
         n * std::max(place_of(a), place_of(b));
}

// Slots of all families except the normal ones.
Index MomentSlots::slot_of(const Atom& atom, std::int32_t coordinate) const {
  const MomentBlock& block = block_of(coordinate);
  const Index first = block.first, place = place_of(coordinate), n = ssize(block.values);
  switch (block.family) {
    case MomentFamily::power_gamma:
    case MomentFamily::power_gig:
      return first + (atom.kind == AtomKind::log ? 0 : atom.power == block.power ? 1 : 2);
    case MomentFamily::beta:
      return first + (atom.kind == AtomKind::log ? 0 : 1);
    case MomentFamily::dirichlet:
      return first + place;
    case MomentFamily::wishart:
    case MomentFamily::inv_wishart:
      return first + (atom.kind == AtomKind::log_det ? 0 : 1 + place);
    case MomentFamily::normal_gamma:  // the scale's block
      CREDO_ASSERT(place == n - 1, "the scale is the last value");
      return first + (atom.kind == AtomKind::log ? 0 : 1);
    default:
      return first + static_cast<Index>(atom.power) - block.lower;
  }
}

// The factor's own rows by columns.
Expr MomentSlots::linear(const MomentFactor& factor, const Expr& columns) const {
  if (factor.weights == nullptr) return columns;
  if (factor.rows == 1) return graph::dot(constants(*factor.weights), columns);
  return graph::matmul(matrix_of(factor), columns.reshaped(graph::matrix_shape(columns.size(), 1)))
      .reshaped(graph::vector_shape(factor.rows));
}

Expr MomentSlots::atoms(const MomentFactor& factor) const {
  Slots slots;
  for (const std::int32_t c : *factor.at)
    slots.push_back(static_cast<std::int32_t>(slot_of(factor.atom, c)));
  return linear(factor, at(slots));
}

// E x[a] x[b] of real values; values of different blocks are independent.
Expr MomentSlots::pairs(std::span<const Pair> all) const {
  Slots same, first, second;
  std::vector<double> is_same;
  for (const auto& [a, b] : all) {
    const bool joint = &block_of(a) == &block_of(b);
    is_same.push_back(joint ? 1.0 : 0.0);
    same.push_back(static_cast<std::int32_t>(joint ? second_slot(a, b) : mean_slot(a)));
    first.push_back(static_cast<std::int32_t>(mean_slot(a)));
    second.push_back(static_cast<std::int32_t>(mean_slot(b)));
  }
  const auto is_one = [](double x) { return x == 1.0; };
  if (std::ranges::all_of(is_same, is_one)) return at(same);
  const Expr product = at(first) * at(second);
  if (std::ranges::none_of(is_same, is_one)) return product;
  return graph::select(constants(is_same), at(same), product);
}

// Element i is the sum over columns k of f and l of g: weights[i, k] weights[i, l] E x[k] x[l].
Expr MomentSlots::weighted_product(const MomentFactor& f, const MomentFactor& g) const {
  const MomentFactor a = with_weights(f), b = with_weights(g);
  const Index p = a.columns(), q = b.columns();
  std::vector<Pair> all;
  for (Index l = 0; l < q; ++l)
    for (Index k = 0; k < p; ++k)
      all.emplace_back((*a.at)[static_cast<std::size_t>(k)], (*b.at)[static_cast<std::size_t>(l)]);
  const Expr moments = pairs(all).reshaped(graph::matrix_shape(p, q));
  const Expr left = graph::matmul(matrix_of(a), moments);  // rows x q
  const Index rows = std::max(a.rows, b.rows);
  const auto rows_of = [&](const Expr& x, Index have) {
    if (have == rows) return x;
    std::vector<std::int32_t> index;
    for (Index l = 0; l < q; ++l)
      index.insert(index.end(), static_cast<std::size_t>(rows), static_cast<std::int32_t>(l));
    return graph::gather(graph::matrix_shape(rows, q), x, std::move(index));
  };
  const Expr product = rows_of(left, a.rows) * rows_of(matrix_of(b), b.rows);
  const Expr ones = graph::fill(graph::matrix_shape(q, 1), 1.0);
  const Expr sums = graph::matmul(product, ones);
  return rows == 1 ? graph::sum(product) : sums.reshaped(graph::vector_shape(rows));
}

Expr MomentSlots::normal(const Factors& factors) const {
  const MomentFactor& f = *factors[0];
  std::vector<Pair> all;
  if (factors.size() == 1) {
    if (f.atom.kind == AtomKind::pair) {
      for (std::size_t k = 0; k < f.at->size(); k += 2)
        all.emplace_back((*f.at)[k], (*f.at)[k + 1]);
      return linear(f, pairs(all));
    }
    if (f.atom.power == 2.0) {
      for (const std::int32_t c : *f.at) all.emplace_back(c, c);
      return linear(f, pairs(all));
    }
    Slots slots;
    for (const std::int32_t c : *f.at) slots.push_back(static_cast<std::int32_t>(mean_slot(c)));
    return linear(f, at(slots));
  }
  const MomentFactor& g = *factors[1];
  if (factors.size() > 2 || f.atom != Atom{} || g.atom != Atom{})
    throw NoMoments{"has a product of more than two normal parameters that share a factor",
                    "add --separate, or use --method normal"};
  if (f.weights != nullptr || g.weights != nullptr) return weighted_product(f, g);
  for (Index i = 0; i < std::max(f.size(), g.size()); ++i)
    all.emplace_back(f.coordinate(i), g.coordinate(i));
  return pairs(all);
}

namespace {
constexpr std::string_view kWithoutScale =
    "uses a joined parameter without the scale that is joined with it";
constexpr std::string_view kScaleHint =
    "in a joint factor every term has the precision: mu ~ normal(m, inv_sqrt(k * tau)), or mu ~ "
    "multi_normal_prec(m, k * Lambda)";

bool is_power_alone(const MomentFactor* f) {
  return f->weights == nullptr && f->atom.kind == AtomKind::power;
}
}  // namespace

// s x[a] x[b], or s x[a] if b < 0.
Index MomentSlots::scaled_slot(std::int32_t scale, std::int32_t a, std::int32_t b) const {
  const MomentBlock& block = block_of(scale);
  if (&block_of(a) != &block || (b >= 0 && &block_of(b) != &block))
    throw NoMoments{std::string(kWithoutScale), std::string(kScaleHint)};
  const Index n = ssize(block.values) - 1, first = block.first + 2;
  if (b < 0) return first + place_of(a);
  return first + n + std::min(place_of(a), place_of(b)) + n * std::max(place_of(a), place_of(b));
}

// Products with the scale s of a joint factor: log s, s, s x, s x x.
Expr MomentSlots::scaled(const Factors& factors) const {
  Factors real;
  const MomentFactor* scale = nullptr;
  for (const MomentFactor* f : factors) {
    const std::int32_t c = f->at->front();
    const bool is_scale = place_of(c) == ssize(block_of(c).values) - 1;
    if (is_scale && scale != nullptr) throw NoMoments{"multiplies a scale by its logarithm"};
    if (is_scale)
      scale = f;
    else
      real.push_back(f);
  }
  if (scale != nullptr && real.empty()) return atoms(*scale);
  if (scale == nullptr || scale->atom != Atom{} || scale->weights != nullptr || real.size() > 2)
    throw NoMoments{std::string(kWithoutScale), std::string(kScaleHint)};
  const MomentFactor& f = *real[0];
  if (real.size() == 1 && f.weights != nullptr && scale->size() == 1)
    return weighted_scaled(*scale, f);
  if (!std::ranges::all_of(real, is_power_alone))
    throw NoMoments{"has a product of weighted sums of joined parameters", "use --method normal"};
  Index size = scale->size();
  for (const MomentFactor* g : real) size = std::max(size, g->size());
  Slots slots;
  for (Index e = 0; e < size; ++e) {
    const std::int32_t a = f.coordinate(e);
    const std::int32_t b = real.size() == 2 ? real[1]->coordinate(e) : f.atom.power == 2.0 ? a : -1;
    slots.push_back(static_cast<std::int32_t>(scaled_slot(scale->coordinate(e), a, b)));
  }
  return at(slots);
}

Expr MomentSlots::weighted_scaled(const MomentFactor& scale, const MomentFactor& f) const {
  const bool is_pair = f.atom.kind == AtomKind::pair;
  Slots slots;
  for (std::size_t k = 0; k < f.at->size(); k += is_pair ? 2 : 1) {
    const std::int32_t a = (*f.at)[k];
    const std::int32_t b = is_pair ? (*f.at)[k + 1] : f.atom.power == 2.0 ? a : -1;
    slots.push_back(static_cast<std::int32_t>(scaled_slot(scale.coordinate(0), a, b)));
  }
  return linear(f, at(slots));
}

// Products with the precision X of a joint factor: log |X|, X_ij, X_ij x_j, X_ij x_i x_j.
Expr MomentSlots::scaled_by_matrix(const Factors& factors) const {
  Index n = 1;
  while (n + n * n < ssize(block_of(factors[0]->at->front()).values)) ++n;
  const MomentFactor* matrix = nullptr;
  Factors real;
  for (const MomentFactor* f : factors)
    if (place_of(f->at->front()) < n)
      real.push_back(f);
    else
      matrix = f;
  if (matrix == nullptr || factors.size() - real.size() != 1 ||
      !std::ranges::all_of(real, is_power_alone))
    throw NoMoments{std::string(kWithoutScale), std::string(kScaleHint)};
  if (real.empty() && matrix->weights != nullptr) return weighted_matrix(*matrix, n);
  Index size = matrix->size();
  for (const MomentFactor* f : real) size = std::max(size, f->size());
  Slots slots;
  for (Index e = 0; e < size; ++e) {
    std::vector<Index> x;
    const std::int32_t element = matrix->coordinate(e);
    for (const MomentFactor* f : real) {
      if (&block_of(f->coordinate(e)) != &block_of(element))
        throw NoMoments{std::string(kWithoutScale), std::string(kScaleHint)};
      x.insert(x.end(), f->atom.power == 2.0 ? 2 : 1, place_of(f->coordinate(e)));
    }
    slots.push_back(static_cast<std::int32_t>(matrix->atom.kind == AtomKind::log_det
                                                  ? block_of(element).first
                                                  : matrix_slot(element, x, n)));
  }
  return at(slots);
}

Expr MomentSlots::weighted_matrix(const MomentFactor& matrix, Index n) const {
  Slots slots;
  for (const std::int32_t element : *matrix.at)
    slots.push_back(static_cast<std::int32_t>(matrix.atom.kind == AtomKind::log_det
                                                  ? block_of(element).first
                                                  : matrix_slot(element, {}, n)));
  return linear(matrix, at(slots));
}

Index MomentSlots::matrix_slot(std::int32_t element, std::span<const Index> x, Index n) const {
  const Index first = block_of(element).first + 1, place = place_of(element) - n, i = place % n,
              j = place / n;
  if (x.empty()) return first + place;
  if (x.size() == 1 && x[0] == j) return first + n * n + i + n * j;
  if (x.size() == 1 && x[0] == i) return first + n * n + j + n * i;
  const bool is_product = x.size() == 2 && std::minmax(x[0], x[1]) == std::minmax(i, j);
  if (!is_product)
    throw NoMoments{
        "multiplies elements of a joined vector and its precision that don't belong together"};
  return first + 2 * n * n + i + n * j;
}

void MomentSlots::require_apart(const Factors& factors) const {
  for (std::size_t j = 0; j < factors.size(); ++j)
    for (std::size_t k = j + 1; k < factors.size(); ++k) {
      const MomentFactor &f = *factors[j], &g = *factors[k];
      const bool plain = f.weights == nullptr && g.weights == nullptr;
      for (Index i = 0; i < std::max(f.size(), g.size()); ++i)
        if (!plain || &block_of(f.coordinate(i)) == &block_of(g.coordinate(i)))
          throw NoMoments{fmt::format("has a product of {} and {} that no family has",
                                      atom_name(f.atom, "a parameter"), atom_name(g.atom, "it")),
                          "use --method normal"};
    }
}

Expr MomentSlots::others(const Factors& factors) const {
  for (const MomentFactor* f : factors)
    if (f->atom.kind == AtomKind::pair)
      throw NoMoments{"has a product of two sums of positive parameters", "use --method normal"};
  require_apart(factors);
  Expr result = atoms(*factors[0]);
  for (std::size_t k = 1; k < factors.size(); ++k) result = result * atoms(*factors[k]);
  return result;
}

Expr MomentSlots::of(const MomentTerm& term) {
  std::vector<Factors> clusters;  // factors of one parameter, or of parameters that are joined
  for (const MomentFactor& f : term.factors) {
    const MomentBlock& block = block_of(f.at->front());
    const auto found = std::ranges::find_if(clusters, [&](const Factors& cluster) {
      const MomentFactor& first = *cluster.front();
      return first.group == f.group || &block_of(first.at->front()) == &block;
    });
    if (found == clusters.end())
      clusters.push_back({&f});
    else
      found->push_back(&f);
  }
  Expr result = constants(term.coefficient);
  try {
    for (const Factors& cluster : clusters) {
      const MomentFamily family = block_of(cluster.front()->at->front()).family;
      const Expr one = is_normal(family)                        ? normal(cluster)
                       : family == MomentFamily::normal_gamma   ? scaled(cluster)
                       : family == MomentFamily::normal_wishart ? scaled_by_matrix(cluster)
                                                                : others(cluster);
      result = result * one;
    }
  } catch (NoMoments& refused) {
    if (refused.statement == 0) refused.statement = term.statement;
    throw;
  }
  return term.is_summed ? graph::sum(result) : result;
}

Expr LabelledSlots::replaced(std::span<const Expr> alternatives, Index rows) {
  labels_.push_back({{alternatives.begin(), alternatives.end()}, rows, num_weights_});
  Expr sum = 0.0;
  for (const Expr& x : alternatives) {
    const Expr weight = weights_.empty() ? Expr(0.5)
                        : rows == 1
                            ? weights_.element(num_weights_)
                            : graph::slice(graph::vector_shape(rows), weights_, num_weights_);
    sum = sum + weight * x;
    num_weights_ += rows;
  }
  return sum;
}

// Sums of fewer rows than batches are whole in each.
graph::Expectations::Batch BatchSlots::batch_of(Index rows) {
  if (rows < num_batches_) return {};
  std::vector<std::int32_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  Rng rng(
      {.seed = 1, .purpose = purpose::kReplicate, .iteration = static_cast<std::uint32_t>(rows)});
  for (Index k = rows - 1; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)],
              order[static_cast<std::size_t>(rng.index_below(k + 1))]);
  Batch batch;
  for (Index k = number_; k < rows; k += num_batches_)
    batch.rows.push_back(order[static_cast<std::size_t>(k)]);
  batch.weight = static_cast<double>(rows) / static_cast<double>(batch.rows.size());
  return batch;
}

}  // namespace credo::model
