// The plan of a program: which steps run in which order, and where every value lies, for any
// number of lanes. It is compiled to graph/execute/code.hpp for one number.
//
// Places count elements; a place times the number of lanes is a position in the workspace. Vectors
// start at multiples of eight elements and are filled up to them, so elementwise kernels need no
// tails.
#pragma once
#include "graph/core/expr.hpp"
#include "graph/execute/code.hpp"

namespace credo::graph {

enum class Form : std::uint8_t {
  row,
  sum,
  dot,
  sum_log1p_exp,
  gather,
  scatter_add,
  check,
  product,             // A x for a large constant A
  transposed_product,  // A'x
  copy,
  broadcast,
  small,  // a general row of few elements, with a tape function
  call
};

// An operand as a step sees it.
struct Source {
  enum Kind : std::uint8_t {
    place,      // `at` is a place
    repeated,   // a place whose one element is meant for all
    external,   // `at` counts the plan's external constants
    temporary,  // `at` counts the plan's steps: a value that lives in a block only
  };
  std::int32_t at = 0;
  Kind kind = place;
};

inline constexpr std::int32_t kNoPlace = -1;

struct Step {
  const RowKernels* row = nullptr;
  const std::array<MicroFn, 4>* small = nullptr;
  std::array<Source, 3> in{};
  std::int32_t out = kNoPlace;  // kNoPlace: the value lives in a block only
  std::int32_t size = 1;        // elements it runs over
  std::int32_t extra = 0;  // first of its index list, number of its call or check, columns of A
  NodeId node = kNoNode;
  Form form = Form::row;
  std::uint8_t num_in = 0;
  bool panels = false;  // products: the matrix lies in panels of eight rows
};

// Steps [first, last) run block by block together; a range of one scalar step isn't a group.
struct StepGroup {
  std::int32_t first = 0, last = 0;
  std::int32_t size = 1;
  bool fused = false;
};

struct PlannedCall {
  Kernel kernel = nullptr;
  std::vector<OperandSlot> operands;
  Shape shape;
  Attributes attributes;
};

// A check that judges a vector block by block.
struct PlannedCheck {
  CheckKernel kernel = nullptr;
  Attributes attributes;
};

// Constants that lie in the workspace, the same in all lanes.
struct Preset {
  std::int32_t place = 0;
  const double* values = nullptr;
  Index count = 0;
};

struct Plan {
  std::vector<Step> steps;
  std::vector<StepGroup> groups;  // in order, covering all steps
  std::vector<PlannedCall> calls;
  std::vector<PlannedCheck> checks;
  std::vector<std::int32_t> ints;
  std::vector<Buffer> external;
  std::vector<Preset> presets;
  std::vector<OperandSlot> outputs;
  OperandSlot input;
  const TapeKernels* kernels = nullptr;  // kernels of the SIMD target of the plan
  Index num_elements = 0;
  Index scratch = 0;                     // doubles per lane
  std::vector<Buffer> buffers;           // keeps alive what slots and presets point to
  std::vector<const Op*> rows;           // of each step, for dumps
  std::vector<std::int32_t> statements;  // of each step
};

// Throws Error{internal} for a plan that verify() refuses.
Plan make_plan(const Graph& graph, NodeId input, std::span<const Expr> outputs);
// The first step that reads an element which no earlier one has written, or writes one that another
// has; an empty text without such a step.
std::string verify(const Plan& plan);
Code make_code(const Plan& plan, Index lanes);
std::string dump(const Plan& plan);  // steps and groups, for people

}  // namespace credo::graph
