// Rules on rows that move values: a move of a move is one move, and moving everything to where it
// is already isn't needed.
#include "graph/passes/simplify_rules.hpp"

namespace credo::graph {
namespace {

using Indices = std::vector<std::int32_t>;

std::size_t num_parts(const Expr& x) {
  return static_cast<std::size_t>(x.graph()->node(x.ref().node).num_operands);
}

bool is_identity(const Indices& index, Index size) {
  if (ssize(index) != size) return false;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

Expr gather_all(const Candidate& c) {
  return is_identity(c.attributes.ints, c.a().size()) ? c.a() : Expr();
}
Expr gather_gather(const Candidate& c) {
  if (!is_row(c.a(), rows().gather)) return {};
  const Indices& inner = attributes_of(c.a()).ints;
  Indices index;
  for (const std::int32_t i : c.attributes.ints)
    index.push_back(inner[static_cast<std::size_t>(i)]);
  return c.build.gather(c.shape, part_of(c.a(), 0), std::move(index));
}
Expr gather_broadcast(const Candidate& c) {
  if (!is_row(c.a(), rows().broadcast)) return {};
  return c.build.broadcast(c.shape, part_of(c.a(), 0));
}
Expr gather_pack(const Candidate& c) {
  if (!is_row(c.a(), rows().pack) || c.shape.size() > c.a().size()) return {};
  std::vector<Expr> elements;
  for (const std::int32_t i : c.attributes.ints)
    elements.push_back(part_of(c.a(), static_cast<std::size_t>(i)));
  return c.build.pack(c.shape, std::move(elements));
}
// Elements of one part of a concatenation.
Expr gather_concat(const Candidate& c) {
  if (!is_row(c.a(), rows().concat)) return {};
  const auto [low, high] = std::minmax_element(c.attributes.ints.begin(), c.attributes.ints.end());
  std::int32_t begin = 0;
  for (std::size_t k = 0; k < num_parts(c.a()); ++k) {
    const Expr part = part_of(c.a(), k);
    const auto end = begin + static_cast<std::int32_t>(part.size());
    if (*low >= begin && *high < end) {
      Indices index;
      for (const std::int32_t i : c.attributes.ints) index.push_back(i - begin);
      return c.build.gather(c.shape, part, std::move(index));
    }
    begin = end;
  }
  return {};
}

// Elements of one node: a gather of it, or the node itself.
Expr pack_of_one_node(const Candidate& c) {
  constexpr std::size_t kFew = 4;
  const Expr& first = c.a();
  if (first.is_constant() || first.ref().whole()) return {};
  Indices index;
  for (const Expr& x : c.in) {
    if (x.is_constant() || x.ref().whole() || x.ref().node != first.ref().node) return {};
    index.push_back(x.ref().element);
  }
  const Expr source(c.build.graph(), {first.ref().node, -1});
  if (is_identity(index, source.size())) return source;
  return index.size() >= kFew ? c.build.gather(c.shape, source, std::move(index)) : Expr();
}
Expr pack_of_one_scalar(const Candidate& c) {
  const bool one =
      std::all_of(c.in.begin(), c.in.end(), [&](const Expr& x) { return same(x, c.a()); });
  return one ? c.build.broadcast(c.shape, c.a()) : Expr();
}

// Neighbours that are gathers of one node become one gather.
Expr concat_of_one_node(const Candidate& c) {
  if (!std::all_of(c.in.begin(), c.in.end(),
                   [](const Expr& x) { return is_row(x, rows().gather); }))
    return {};
  const Expr source = part_of(c.a(), 0);
  Indices index;
  for (const Expr& x : c.in) {
    if (!same(part_of(x, 0), source)) return {};
    const Indices& own = attributes_of(x).ints;
    index.insert(index.end(), own.begin(), own.end());
  }
  return c.build.gather(c.shape, source, std::move(index));
}

// f(s 1, v) = f(s, v), and 1 f(s) if all operands are scalars.
Expr map_of_broadcast(const Candidate& c) {
  std::vector<Expr> in(c.in.begin(), c.in.end());
  bool found = false, full = false;
  for (Expr& x : in) {
    if (is_row(x, rows().broadcast)) {
      x = part_of(x, 0), found = true;
    } else {
      full |= !x.is_scalar();
    }
  }
  if (!found) return {};
  if (full) return c.build.apply(c.op, std::move(in), c.attributes, c.shape);
  return c.build.broadcast(c.shape, c.build.apply(c.op, std::move(in), c.attributes, Shape{}));
}

Expr scatter_broadcast(const Candidate& c) {
  if (!is_row(c.a(), rows().broadcast)) return {};
  const Expr ones = fill(c.a().shape(), 1.0);
  const Expr counts = c.build.interned(scatter_add(c.shape, ones, c.attributes.ints));
  return c.build.mul(part_of(c.a(), 0), counts);
}
// Scatter of s x and -x, if the result is the shorter.
Expr scatter_factor(const Candidate& c) {
  const Expr& x = c.a();
  if (c.shape.size() > x.size()) return {};
  const auto scattered = [&](const Expr& v) {
    return c.build.apply(c.op, {v}, c.attributes, c.shape);
  };
  if (is_row(x, rows().neg)) return c.build.neg(scattered(part_of(x, 0)));
  if (!is_row(x, rows().mul)) return {};
  if (part_of(x, 0).is_scalar()) return c.build.mul(part_of(x, 0), scattered(part_of(x, 1)));
  if (part_of(x, 1).is_scalar()) return c.build.mul(part_of(x, 1), scattered(part_of(x, 0)));
  return {};
}
Expr scatter_scatter(const Candidate& c) {
  if (!is_row(c.a(), rows().scatter_add)) return {};
  Indices index = attributes_of(c.a()).ints;
  for (std::int32_t& i : index) i = c.attributes.ints[static_cast<std::size_t>(i)];
  Attributes attributes = c.attributes;
  attributes.ints = std::move(index);
  return c.build.apply(c.op, {part_of(c.a(), 0)}, std::move(attributes), c.shape);
}
// Every place once: a reordering.
std::optional<Indices> inverse(const Indices& index, Index size) {
  if (ssize(index) != size) return std::nullopt;
  Indices from(index.size(), -1);
  for (std::size_t i = 0; i < index.size(); ++i) {
    std::int32_t& place = from[static_cast<std::size_t>(index[i])];
    if (place >= 0) return std::nullopt;
    place = static_cast<std::int32_t>(i);
  }
  return from;
}
Expr scatter_reorders(const Candidate& c) {
  auto from = inverse(c.attributes.ints, c.shape.size());
  return from ? c.build.gather(c.shape, c.a(), std::move(*from)) : Expr();
}
// Two sums by index are one; two halves of a container are laid side by side.
Expr add_scatters(const Candidate& c) {
  if (!is_row(c.a(), rows().scatter_add) || !is_row(c.b(), rows().scatter_add)) return {};
  const Expr x = part_of(c.a(), 0), y = part_of(c.b(), 0);
  Indices index = attributes_of(c.a()).ints;
  const Indices& more = attributes_of(c.b()).ints;
  index.insert(index.end(), more.begin(), more.end());
  if (ssize(index) > 2 * c.shape.size()) return {};  // the copy costs more than two short results
  const Expr both = c.build.concat(vector_shape(ssize(index)), {x, y});
  Attributes attributes = attributes_of(c.a());
  attributes.ints = std::move(index);
  return c.build.apply(*rows().scatter_add, {both}, std::move(attributes), c.shape);
}

constexpr std::array kStructureRules{
    SimplifyRule{"gather", "gather-all", "x[1..n] = x", gather_all},
    SimplifyRule{"gather", "gather-gather", "x[i][j] = x[i[j]]", gather_gather},
    SimplifyRule{"gather", "gather-broadcast", "(s 1)[i] = s 1", gather_broadcast},
    SimplifyRule{"gather", "gather-pack", "[a, b, c][i] = [b, a]", gather_pack},
    SimplifyRule{"gather", "gather-concat", "(x, y)[i] = y[i]", gather_concat},
    SimplifyRule{"pack", "pack-of-one-scalar", "[s, s] = s 1", pack_of_one_scalar},
    SimplifyRule{"pack", "pack-of-one-node", "[x1, x2] = x", pack_of_one_node},
    SimplifyRule{"concat", "concat-of-one-node", "(x[i], x[j]) = x[i, j]", concat_of_one_node},
    SimplifyRule{"", "map-of-broadcast", "f(s 1, v) = f(s, v)", map_of_broadcast},
    SimplifyRule{"scatter_add", "scatter-broadcast", "counts times s", scatter_broadcast},
    SimplifyRule{"scatter_add", "scatter-factor", "sums of s x are s times sums", scatter_factor},
    SimplifyRule{"scatter_add", "scatter-scatter", "sums of sums are sums", scatter_scatter},
    SimplifyRule{"scatter_add", "scatter-reorders", "one element a place: a gather",
                 scatter_reorders},
    SimplifyRule{"add", "add-scatters", "two sums by index are one", add_scatters},
};
}  // namespace

std::span<const SimplifyRule> structure_rules() { return kStructureRules; }

}  // namespace credo::graph
