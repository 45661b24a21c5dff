#include "lang/trace/indexing.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/trace/machine.hpp"

namespace credo::lang {

Selection whole_dimension(Index size) {
  Selection all;
  all.places.resize(static_cast<std::size_t>(size));
  std::iota(all.places.begin(), all.places.end(), 0);
  return all;
}

std::array<Index, Dims::kMax> strides_of(BaseType base, const Dims& dims) {
  std::array<Index, Dims::kMax> strides{};
  const int inner = inner_dims(base), arrays = dims.count - inner;
  Index step = 1;
  if (inner >= 1) strides[static_cast<std::size_t>(arrays)] = 1;
  if (inner == 2) strides[static_cast<std::size_t>(arrays + 1)] = dims[arrays];
  for (int d = arrays; d < dims.count; ++d) step *= dims[d];
  for (int d = arrays - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = step;
    step *= dims[d];
  }
  return strides;
}

namespace {
BaseType base_after(BaseType base, bool first_kept, bool second_kept) {
  if (base == BaseType::matrix) {
    if (first_kept && second_kept) return BaseType::matrix;
    if (first_kept) return BaseType::vector;
    return second_kept ? BaseType::row_vector : BaseType::real;
  }
  return inner_dims(base) == 1 && !first_kept ? BaseType::real : base;
}

// Storage order of the result: array dimensions row by row, then columns, then rows.
std::vector<int> loop_order(int arrays, int count) {
  std::vector<int> order;
  for (int d = 0; d < arrays; ++d) order.push_back(d);
  for (int d = count - 1; d >= arrays; --d) order.push_back(d);
  return order;
}
}  // namespace

Selected select(BaseType base, const Dims& dims, std::span<const Selection> selections) {
  CREDO_ASSERT(ssize(selections) == dims.count, "an index for every dimension");
  const int arrays = dims.count - inner_dims(base);
  const auto strides = strides_of(base, dims);
  const auto kept = [&](int d) {
    return d < dims.count && !selections[static_cast<std::size_t>(d)].single;
  };
  Selected result{base_after(base, kept(arrays), kept(arrays + 1)), {}, {0}};
  for (int d = 0; d < dims.count; ++d) {
    if (kept(d)) result.dims.push(ssize(selections[static_cast<std::size_t>(d)].places));
  }
  for (const int d : loop_order(arrays, dims.count)) {
    const auto& places = selections[static_cast<std::size_t>(d)].places;
    std::vector<std::int32_t> next;
    next.reserve(result.positions.size() * places.size());
    for (const std::int32_t position : result.positions) {
      for (const std::int32_t place : places) {
        next.push_back(position +
                       place * static_cast<std::int32_t>(strides[static_cast<std::size_t>(d)]));
      }
    }
    result.positions = std::move(next);
  }
  return result;
}

std::optional<Part> contiguous_part(BaseType base, const Dims& dims,
                                    std::span<const std::int32_t> singles) {
  const int inner = inner_dims(base), arrays = dims.count - inner,
            given = static_cast<int>(singles.size());
  if (inner == 2 && given == arrays + 1) return std::nullopt;  // a row of a matrix
  const auto strides = strides_of(base, dims);
  Part part{base, {}, 0};
  for (int d = 0; d < given; ++d) {
    part.begin += singles[static_cast<std::size_t>(d)] * strides[static_cast<std::size_t>(d)];
  }
  for (int d = given; d < dims.count; ++d) part.dims.push(dims[d]);
  if (part.dims.count < inner) part.base = base == BaseType::integer ? base : BaseType::real;
  return part;
}

namespace {
Value read_ints(const IntArray& array, Dims dims, std::span<const std::int32_t> positions) {
  if (dims.count == 0) return array.element(positions[0]);
  std::vector<std::int32_t> values;
  values.reserve(positions.size());
  for (const std::int32_t p : positions)
    values.push_back(array.values[static_cast<std::size_t>(p)]);
  Value result = make_ints(dims, std::move(values));
  for (std::size_t i = 0; i < positions.size() && !array.wholes.empty(); ++i)
    result.ints()->set(static_cast<Index>(i), array.element(positions[i]));
  return result;
}

Value read_reals(RealArray& array, const Selected& selected, graph::Graph* graph) {
  if (selected.dims.count == 0) return array.element(selected.positions[0]);
  // A few of many elements are references: the adjoint of a gather is as long as its source.
  constexpr Index kFew = 8;
  const Index count = ssize(selected.positions);
  const bool few = count <= kFew && 4 * count < array.size();
  const bool by_element = few || array.is_listed() || array.whole(graph).is_constant();
  if (!by_element) {
    const graph::Shape shape = shape_of(selected.base, selected.dims);
    return from_expr(graph::gather(shape, array.whole(graph), selected.positions), selected.base,
                     selected.dims);
  }
  std::vector<Scalar> elements;
  elements.reserve(selected.positions.size());
  for (const std::int32_t p : selected.positions) elements.push_back(array.element(p));
  return make_reals(selected.base, selected.dims, std::move(elements));
}
}  // namespace

Value read(const Value& container, const Selected& selected, graph::Graph* graph) {
  if (container.is_ints()) return read_ints(*container.ints(), selected.dims, selected.positions);
  return read_reals(*container.reals(), selected, graph);
}

Value read(const Value& container, const Part& part, graph::Graph* graph) {
  if (part.dims.count == 0) {
    if (container.is_ints()) return container.ints()->element(part.begin);
    return container.reals()->element(part.begin);
  }
  std::vector<std::int32_t> positions(static_cast<std::size_t>(part.dims.total()));
  std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(part.begin));
  return read(container, Selected{part.base, part.dims, std::move(positions)}, graph);
}

void write(Value& container, std::span<const std::int32_t> positions, const Value& value) {
  if (container.is_ints()) {
    IntArray& array = writable_ints(container);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      array.set(positions[i],
                value.is_ints() ? value.ints()->element(static_cast<Index>(i)) : value);
    }
    return;
  }
  RealArray& array = writable_reals(container);
  for (std::size_t i = 0; i < positions.size(); ++i)
    array.set(positions[i], scalar_of(value, static_cast<Index>(i)));
}

// ---- indices that depend on parameters: picks (docs/design/selects.md)

void Machine::require_inside(const Whole& index, Index size, SourceRange container) {
  if (index.least >= 1 && index.most <= size) return;
  const std::int32_t check = add_failure({FailureKind::out_of_range,
                                          statement_,
                                          name_of(container),
                                          {},
                                          {},
                                          fmt::format("the size is {}", size)});
  Expr x(*graph_, index.ref);
  if (!checks_->mask.empty()) {
    const graph::Gates::Open open(graph_);
    x = graph::select(checks_->mask, x, 1.0);
    checks_->count_masked(2);
  }
  graph::check_greater_equal(x, 1.0, check);
  graph::check_less_equal(x, static_cast<double>(size), check);
}

// Reads all elements that the indices may select, then takes those at the computed indices.
Value Machine::pick(const Value& container, std::span<const std::int32_t> places,
                    std::span<const Whole> open) {
  const Dims dims = dims_of(container);
  std::vector<Selection> reachable, first;
  for (int d = 0; d < dims.count; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const bool is_open = k < places.size() && open[k].ref.node >= 0;
    if (k < places.size() && !is_open) {
      reachable.push_back({true, {places[k]}});
      continue;
    }
    reachable.push_back(whole_dimension(dims[d]));
    first.push_back(is_open ? Selection{true, {0}} : whole_dimension(dims[d]));
  }
  const Selected candidates = select(base_of(container), dims, reachable);
  const Selected taken = select(candidates.base, candidates.dims, first);
  const auto strides = strides_of(candidates.base, candidates.dims);
  Expr begin = 0.0;
  std::size_t dimension = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(dims.count); ++k) {
    if (k < places.size() && open[k].ref.node < 0) continue;
    if (k < places.size())
      begin = begin + static_cast<double>(strides[dimension]) * (Expr(*graph_, open[k].ref) - 1.0);
    ++dimension;
  }
  return picked(container, candidates, taken, begin);
}

Value Machine::pick_each(const Value& container, const IntArray& places, SourceRange of) {
  const Index size = size_of(container);
  std::vector<Scalar> at;
  for (Index i = 0; i < places.dims.total(); ++i) {
    const Value place = places.element(i);
    if (place.is_whole()) {
      require_inside(place.whole(), size, of);
    } else if (place.integer() < 1 || place.integer() > size) {
      fail_index(place.integer(), size, of);
    }
    at.push_back(scalar_of(place));
  }
  const Expr from_one = expr(make_reals(BaseType::vector, places.dims, std::move(at)));
  const Expr value = graph::take(expr(container), from_one - 1.0);
  return taken_value(container, value, {base_of(container), places.dims, {}});
}

Value Machine::picked(const Value& container, const Selected& candidates, const Selected& taken,
                      const Expr& begin) {
  const bool all = ssize(candidates.positions) == size_of(container);
  const Value reachable = all ? container : read(container, candidates, graph_);
  Expr place = begin;
  if (taken.dims.count > 0) {
    const std::vector<double> offsets(taken.positions.begin(), taken.positions.end());
    place = begin + graph::constant(shape_of(taken.base, taken.dims), offsets);
  }
  return taken_value(reachable, graph::take(expr(reachable), place), taken);
}

// The value as the container's type. The bounds of ints are those of all elements that may be selected.
Value Machine::taken_value(const Value& reachable, const Expr& value, const Selected& taken) {
  if (!reachable.is_ints())
    return from_expr(value.reshaped(shape_of(taken.base, taken.dims)), taken.base, taken.dims);
  Whole bounds = bounds_of(reachable.ints()->element(0));
  for (Index i = 1; i < size_of(reachable); ++i) {
    const Whole other = bounds_of(reachable.ints()->element(i));
    bounds.least = std::min(bounds.least, other.least);
    bounds.most = std::max(bounds.most, other.most);
  }
  if (taken.dims.count == 0) return whole_number(value, bounds.least, bounds.most);
  Value result =
      make_ints(taken.dims, std::vector<std::int32_t>(static_cast<std::size_t>(value.size())));
  for (Index i = 0; i < value.size(); ++i)
    result.ints()->set(i, whole_number(value.element(i), bounds.least, bounds.most));
  return result;
}

}  // namespace credo::lang
