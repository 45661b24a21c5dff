// Summands of sites that meet no other are often a few scalars again and again: the log of a
// rater's probability of a rating. Then the log weights of all sites are a product
//
//   weights = counts * scalars,
//
// with one matrix of data for each value of the sites, and so is their adjoint. Other terms, a
// scalar of its own for each site, are looked up and added.
#include "model/discrete/site_sums.hpp"

#include <bit>

#include "graph/core/op.hpp"

namespace credo::model {
using graph::Expr;

namespace {
// -infinity times a count of 0 would be NaN: in products it is this number, which is as impossible.
constexpr double kFarBelow = -1e300;

Key key_of(std::span<const Summands* const> by_value);
std::optional<Expr> as_sums(std::span<const Summands* const> rows, SumForm form);
}  // namespace

// ---- summands

std::vector<Summands> summands_of(const Expr& x, Representatives& representatives) {
  std::vector<Summands> result(static_cast<std::size_t>(x.size()));
  const auto put = [&](Index to, std::span<const Expr> terms) {
    auto& list = result[static_cast<std::size_t>(to)];
    list.insert(list.end(), terms.begin(), terms.end());
  };
  const bool opens = !x.is_constant() && x.ref().whole();
  const graph::Node* node = opens ? &x.graph()->node(x.ref().node) : nullptr;
  const std::string_view row = opens ? node->op->name : "";
  std::vector<Expr> in;
  if (opens) {
    for (const graph::Ref& ref : x.graph()->operands(*node)) in.emplace_back(*x.graph(), ref);
  }
  if (row == "scatter_add") {
    const auto parts = summands_of(in[0], representatives);
    const auto& index = x.graph()->attributes(*node).ints;
    for (std::size_t k = 0; k < parts.size(); ++k) put(index[k], parts[k]);
  } else if (row == "add" && in[0].size() == in[1].size()) {
    for (const Expr& part : in) {
      const auto parts = summands_of(part, representatives);
      for (std::size_t k = 0; k < parts.size(); ++k) put(static_cast<Index>(k), parts[k]);
    }
  } else {
    for (Index k = 0; k < x.size(); ++k) {
      const Expr one = representatives.of(x.is_constant() ? Expr(x.value(k)) : x.element(k));
      put(k, {&one, 1});
    }
  }
  return result;
}

Expr Representatives::of(const Expr& scalar) {
  if (scalar.is_constant() || scalar.ref().whole()) return scalar;
  const auto [place, is_new] =
      known_.try_emplace({scalar.ref().node, scalar.ref().element}, scalar);
  if (!is_new) return place->second;
  const Expr representative = found(scalar);
  return known_[{scalar.ref().node, scalar.ref().element}] = representative;
}

// The scalar from which an element of a container is taken or computed.
Expr Representatives::found(const Expr& scalar) {
  graph::Graph& graph = *scalar.graph();
  const auto [id, element] = scalar.ref();
  const auto k = static_cast<std::size_t>(element);
  if (id == graph::kScalarConstants) return graph.scalar_constants()[k];
  if (graph.is_constant(id)) return graph.constant(id)->data()[k];
  const graph::Node& node = graph.node(id);
  const auto operands = graph.operands(node);
  if (node.op->name == "pack") return of({graph, operands[k]});
  if (node.op->name == "gather" && operands[0].whole())
    return of(Expr(graph, operands[0]).element(graph.attributes(node).ints[k]));
  return node.op->kind == graph::OpKind::elementwise ? of_elements(scalar, node) : scalar;
}

Expr Representatives::of_elements(const Expr& scalar, const graph::Node& node) {
  constexpr int kDeepest = 64;  // recurrences of vectors are deeper; their elements differ
  if (depth_ == kDeepest) return scalar;
  ++depth_;
  graph::Graph& graph = *scalar.graph();
  Key key{static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(node.op))};
  const std::vector<graph::Ref> operands(graph.operands(node).begin(), graph.operands(node).end());
  for (const graph::Ref& ref : operands) {
    const Expr operand(graph, ref);
    append_key(key, of(operand.element(operand.size() == 1 ? 0 : scalar.ref().element)));
  }
  --depth_;
  return computed_.try_emplace(std::move(key), scalar).first->second;
}

bool is_impossible(const Expr& x) { return x.is_constant() && x.value() == -kInfinity; }

void append_key(Key& key, const Expr& scalar) {
  if (scalar.is_constant()) {
    key.push_back(-1), key.push_back(std::bit_cast<std::int64_t>(scalar.value()));
  } else {
    key.push_back(scalar.ref().node), key.push_back(scalar.ref().element);
  }
}

// ---- sums that are made once

Expr SharedSums::total(std::span<const Expr> terms) {
  if (std::any_of(terms.begin(), terms.end(), is_impossible)) return -kInfinity;
  Expr total = 0.0;
  for (const Expr& term : terms) {
    Key key;
    append_key(key, total), append_key(key, term);
    const auto [place, is_new] = totals_.try_emplace(std::move(key));
    if (is_new) place->second = total + term;
    total = place->second;
  }
  return total;
}

Expr SharedSums::log_sum(std::span<const Expr> terms) {
  std::vector<Expr> possible;
  std::copy_if(terms.begin(), terms.end(), std::back_inserter(possible),
               std::not_fn(is_impossible));
  if (possible.empty()) return -kInfinity;
  if (possible.size() == 1) return possible[0];
  Key key;
  for (const Expr& term : possible) append_key(key, term);
  const auto [place, is_new] = log_sums_.try_emplace(std::move(key));
  if (!is_new) return place->second;
  return place->second = possible.size() == 2
                             ? graph::log_sum_exp(possible[0], possible[1])
                             : graph::log_sum_exp(graph::pack(
                                   graph::vector_shape(std::ssize(possible)), possible));
}

// ---- sites that meet no other

std::vector<std::int32_t> possible_values(std::span<const std::vector<Summands>> summands,
                                          std::size_t factor) {
  std::vector<std::int32_t> possible;
  for (std::size_t k = 0; k < summands.size(); ++k) {
    const Summands& terms = summands[k][factor];
    if (std::none_of(terms.begin(), terms.end(), is_impossible))
      possible.push_back(static_cast<std::int32_t>(k));
  }
  return possible;
}

LoneSites lone_sites(std::span<const std::int32_t> factors, std::vector<std::int32_t> possible,
                     std::span<const Expr> values,
                     std::span<const std::vector<Summands>> summands, SumForm form) {
  LoneSites result;
  result.possible = std::move(possible);
  std::map<Key, std::int32_t> rows;
  std::vector<std::int32_t> first;  // factor of each row
  std::vector<const Summands*> of_site;
  for (const std::int32_t f : factors) {
    of_site.clear();
    for (const std::int32_t k : result.possible)
      of_site.push_back(&summands[static_cast<std::size_t>(k)][static_cast<std::size_t>(f)]);
    const auto [place, is_new] =
        rows.try_emplace(key_of(of_site), static_cast<std::int32_t>(first.size()));
    if (is_new) first.push_back(f), result.counts.push_back(0.0);
    result.sites.push_back(f);
    result.rows.push_back(place->second);
    result.counts[static_cast<std::size_t>(place->second)] += 1.0;
  }
  for (const std::int32_t value : result.possible) {
    const auto k = static_cast<std::size_t>(value);
    std::vector<const Summands*> of_row;
    for (const std::int32_t f : first) of_row.push_back(&summands[k][static_cast<std::size_t>(f)]);
    std::optional<Expr> made = as_sums(of_row, form);
    result.weights.push_back(
        made ? *made : graph::gather(graph::vector_shape(std::ssize(first)), values[k], first));
  }
  return result;
}

namespace {
Key key_of(std::span<const Summands* const> by_value) {
  Key key;
  std::vector<std::array<std::int64_t, 2>> terms;
  for (const Summands* summands : by_value) {
    terms.clear();
    for (const Expr& term : *summands) {
      Key one;
      append_key(one, term);
      terms.push_back({one[0], one[1]});
    }
    std::sort(terms.begin(), terms.end());
    for (const auto& [node, element] : terms) key.push_back(node), key.push_back(element);
    key.push_back(-2);
  }
  return key;
}

// A row's summands: how often each scalar enters it, and a constant.
struct Counts {
  Summands scalars;
  std::vector<std::pair<std::size_t, std::size_t>> entries;  // row and scalar
  std::vector<double> constants;                             // by row
};

Counts counts_of(std::span<const Summands* const> rows) {
  Counts counts;
  std::map<Key, std::size_t> places;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double constant = 0.0;
    for (const Expr& term : *rows[r]) {
      if (term.is_constant()) {
        constant += term.value();
        continue;
      }
      Key key;
      append_key(key, term);
      const auto [place, is_new] = places.try_emplace(std::move(key), counts.scalars.size());
      if (is_new) counts.scalars.push_back(term);
      counts.entries.emplace_back(r, place->second);
    }
    counts.constants.push_back(constant);
  }
  return counts;
}

// A dense product takes a multiplication an entry of the matrix, by vectors; looking the scalars up
// and adding their adjoints takes some ten times as long for each that isn't 0.
constexpr std::size_t kSparsest = 16;

bool pays(const Counts& counts, std::size_t num_rows) {
  constexpr std::size_t kMostScalars = 256, kFewestUses = 2;
  const std::size_t columns = counts.scalars.size(), entries = counts.entries.size();
  return columns <= kMostScalars && entries >= kFewestUses * columns &&
         num_rows * columns <= kSparsest * entries;
}

// Scalars that few rows have are taken out of the counts: those of each row, in order.
std::vector<Summands> take_rare(Counts& counts, std::size_t num_rows) {
  std::vector<std::size_t> uses(counts.scalars.size(), 0), places(counts.scalars.size());
  for (const auto& [row, scalar] : counts.entries) ++uses[scalar];
  Counts common{.scalars = {}, .entries = {}, .constants = std::move(counts.constants)};
  for (std::size_t c = 0; c < uses.size(); ++c) {
    places[c] = common.scalars.size();
    if (kSparsest * uses[c] >= num_rows) common.scalars.push_back(counts.scalars[c]);
  }
  std::vector<Summands> rare(num_rows);
  for (const auto& [row, scalar] : counts.entries) {
    if (kSparsest * uses[scalar] >= num_rows) {
      common.entries.emplace_back(row, places[scalar]);
    } else {
      rare[row].push_back(counts.scalars[scalar]);
    }
  }
  for (Summands& terms : rare) {
    std::stable_sort(terms.begin(), terms.end(), [](const Expr& a, const Expr& b) {
      return std::pair(a.ref().node, a.ref().element) < std::pair(b.ref().node, b.ref().element);
    });
  }
  counts = std::move(common);
  return rare;
}

// Scalar number s of each row. Elements of one container are looked up there.
Expr slot(std::span<const Summands> rows, std::size_t s) {
  const graph::Shape shape = graph::vector_shape(std::ssize(rows));
  const graph::Ref first = rows[0][s].ref();
  Summands scalars;
  std::vector<std::int32_t> elements;
  for (const Summands& row : rows) {
    scalars.push_back(row[s]);
    const graph::Ref ref = row[s].ref();
    if (ref.node == first.node && !ref.whole()) elements.push_back(ref.element);
  }
  if (elements.size() < scalars.size()) return graph::pack(shape, scalars);
  return graph::gather(shape, Expr(*rows[0][s].graph(), graph::Ref{first.node}), elements);
}

Expr product_of(const Counts& counts, SumForm form) {
  const std::size_t num_rows = counts.constants.size(), columns = counts.scalars.size();
  const Index height = std::ssize(counts.constants), width = std::ssize(counts.scalars);
  std::vector<double> matrix(num_rows * columns, 0.0);
  for (const auto& [row, column] : counts.entries) matrix[column * num_rows + row] += 1.0;
  const Expr x = graph::pack(graph::vector_shape(width), counts.scalars);
  const Expr finite = form == SumForm::plain
                          ? x
                          : graph::select(graph::less(x, kFarBelow), kFarBelow, x);
  return graph::matmul(graph::constant(graph::matrix_shape(height, width), matrix),
                       finite.reshaped(graph::matrix_shape(width, 1)))
      .reshaped(graph::vector_shape(height));
}

// The rows' sums: a product, scalars of their own, and constants.
std::optional<Expr> as_sums(std::span<const Summands* const> rows, SumForm form) {
  Counts counts = counts_of(rows);
  std::vector<Summands> rare(rows.size());
  if (!counts.scalars.empty() && !pays(counts, rows.size())) rare = take_rare(counts, rows.size());
  constexpr std::size_t kMostSlots = 8;  // each has an adjoint as long as its container
  const std::size_t num_slots = rare[0].size();
  if (num_slots > kMostSlots || std::any_of(rare.begin(), rare.end(), [&](const Summands& terms) {
        return terms.size() != num_slots;
      }))
    return std::nullopt;
  const Expr constants = graph::constant(graph::vector_shape(std::ssize(rows)), counts.constants);
  std::vector<Expr> parts;
  if (!counts.scalars.empty()) parts.push_back(product_of(counts, form));
  for (std::size_t s = 0; s < num_slots; ++s) parts.push_back(slot(rare, s));
  if (parts.empty()) return constants;
  Expr total = parts[0];
  for (const Expr& part : std::span(parts).subspan(1)) total = total + part;
  const bool any = std::any_of(counts.constants.begin(), counts.constants.end(),
                               [](double c) { return c != 0.0; });
  return any ? total + constants : total;
}
}  // namespace

// floor has derivative 0, so the shift has none: its contributions would cancel.
Shifted shifted_exps(std::span<const Expr> x) {
  Expr largest = x[0];
  for (const Expr& other : x.subspan(1)) largest = graph::fmax(largest, other);
  Shifted result{graph::fmax(graph::floor(largest), kFarBelow), {}};  // -inf - -inf would be NaN
  for (const Expr& each : x) result.exps.push_back(graph::exp(each - result.shift));
  return result;
}

Expr log_sum(const LoneSites& sites, SumForm form) {
  if (sites.possible.empty()) return -kInfinity;
  Expr logs = sites.weights[0];
  if (form == SumForm::plain) {
    for (const Expr& weight : std::span(sites.weights).subspan(1))
      logs = graph::log_sum_exp(logs, weight);
  } else if (sites.weights.size() > 1) {
    const Shifted shifted = shifted_exps(sites.weights);
    Expr sum = shifted.exps[0];
    for (const Expr& term : std::span(shifted.exps).subspan(1)) sum = sum + term;
    logs = graph::log(sum) + shifted.shift;
  }
  const bool all_once =
      std::all_of(sites.counts.begin(), sites.counts.end(), [](double c) { return c == 1.0; });
  const Expr total =
      all_once ? graph::sum(logs) : graph::dot(graph::constant(logs.shape(), sites.counts), logs);
  if (form == SumForm::plain) return total;
  // -infinity if no value of a site is possible. The comparison doesn't stand between total and adjoint.
  return total + graph::select(graph::less(total, 0.1 * kFarBelow), -kInfinity, 0.0);
}

}  // namespace credo::model
