// Indexing of containers: which elements a bracket selects, in which order, and how the result is
// shaped (language facts, section 7). Indices here are evaluated: concrete and 1-based.
#pragma once
#include "lang/trace/value.hpp"

namespace credo::lang {

// One evaluated index.
struct Selection {
  bool single = false;               // removes the dimension
  std::vector<std::int32_t> places;  // 0-based; one place when single
};

Selection whole_dimension(Index size);

// Part of a container that a bracket selects.
struct Selected {
  BaseType base;  // base of the result
  Dims dims;      // of the result; count 0: a scalar
  std::vector<std::int32_t>
      positions;  // storage positions in the source, in the result's storage order
};

// Distance in storage between neighbours along each dimension.
std::array<Index, Dims::kMax> strides_of(BaseType base, const Dims& dims);

// `selections` has one entry per dimension of `dims`.
Selected select(BaseType base, const Dims& dims, std::span<const Selection> selections);

// Only single indices: the position and shape of the part they reach, which is contiguous unless a
// matrix row is. Nothing when the general form is needed.
struct Part {
  BaseType base;
  Dims dims;
  Index begin;
};
std::optional<Part> contiguous_part(BaseType base, const Dims& dims,
                                    std::span<const std::int32_t> singles);

Value read(const Value& container, const Selected& selected, graph::Graph* graph);
Value read(const Value& container, const Part& part, graph::Graph* graph);

// Writes `value` (as many scalars as positions, in its storage order).
void write(Value& container, std::span<const std::int32_t> positions, const Value& value);

}  // namespace credo::lang
