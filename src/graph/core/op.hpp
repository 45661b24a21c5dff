// The operation table: one row per operation, the only place that knows it by name.
//
// An elementwise row states its partial derivatives as expressions of inputs and output;
// broadcasting and accumulation are the differentiation sweep's (graph/passes/differentiate.hpp). Any
// other row states the adjoint of each input. Both give expressions over rows, so they can be
// differentiated again.
#pragma once
#include "graph/core/expr.hpp"
#include "graph/core/kernel.hpp"

namespace credo::graph {

enum class OpKind {
  source,       // constants and inputs: no kernel
  elementwise,  // out[i] = f(in0[i], in1[i], ...); scalars are repeated
  general,
  check  // writes lane status, no output
};

inline constexpr int kSmooth = 99;  // can be differentiated as often as one likes

// Input of a derivative rule.
struct RuleArgs {
  std::span<const Expr> in;
  Expr out;
  Expr grad;  // adjoint of `out`; general rows only
  const Attributes* attributes = nullptr;
};

using Shapes = std::span<const Shape>;
using Rule = std::vector<Expr> (*)(const RuleArgs&);

struct Op;

// A kernel that computes an elementwise row of one operand (out) and another one of the same
// operand (second) together, each with the bits of its own kernel.
struct Joint {
  const Op* other = nullptr;
  BlockKernel (*kernel)() = nullptr;
};

struct Op {
  std::string_view name;
  OpKind kind = OpKind::elementwise;
  int arity = 1;        // -1: any number
  int order = kSmooth;  // how often it can be differentiated
  Rule rule =
      nullptr;  // elementwise: d out / d in[k]; general: adjoint of in[k]. An empty Expr: zero
  // elementwise: the adjoint of in[k], element by element. Used if the product of adjoint and partial derivative
  // would be NaN for an adjoint that isn't finite and is multiplied by zero. Null: that product
  Rule adjoint = nullptr;
  Kernel (*kernel)() = nullptr;                         // for the active SIMD target
  Shape (*shape)(Shapes, const Attributes&) = nullptr;  // general: shape of the result
  Index (*scratch)(Shapes,
                   const Attributes&) = nullptr;  // doubles of working memory per lane; null: none
  const RowKernels* (*row)() = nullptr;  // elementwise: kernels for tapes and blocks; may be null
  // general with one operand: its tape functions up to kGroup elements (a: operand, c: their
  // number), for 1, 2, 4 and 8 lanes; may be null
  const std::array<MicroFn, 4>* (*small)() = nullptr;
  Joint joint{};                     // elementwise: for fused groups that need both rows
  CheckKernel (*check)() = nullptr;  // check: kernel for a block in a fused group
};

std::span<const Op* const> op_table();  // every row
const Op* find_op(std::string_view name);
const Op& row_named(std::string_view name);  // throws Error(internal) if there isn't one

}  // namespace credo::graph
