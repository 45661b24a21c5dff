#include "base/error.hpp"
#include "graph/core/op.hpp"
#include "graph/core/ops.hpp"
#include "graph/ops/kalman.hpp"
#include "graph/ops/series.hpp"

namespace credo::graph {
namespace ops {
const Op constant{.name = "constant", .kind = OpKind::source, .arity = 0};
const Op input{.name = "input", .kind = OpKind::source, .arity = 0};
}  // namespace ops

namespace {
std::vector<const Op*> join_all() {
  std::vector<const Op*> rows{&ops::constant, &ops::input};
  for (const auto part :
       {ops::elementwise_rows(), ops::trigonometric_rows(), ops::special_rows(),
        ops::special_library_rows(), ops::hypergeometric_rows(), ops::com_poisson_rows(),
        ops::reduction_rows(), ops::structure_rows(), ops::choice_rows(), ops::order_rows(),
        ops::linear_algebra_rows(), ops::decomposition_rows(), ops::kalman_rows(),
        ops::series_rows(), ops::check_rows(), ops::routine_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  std::sort(rows.begin(), rows.end(), [](const Op* a, const Op* b) { return a->name < b->name; });
  return rows;
}
}  // namespace

std::span<const Op* const> op_table() {
  static const std::vector<const Op*> rows = join_all();
  return rows;
}

const Op* find_op(std::string_view name) {
  for (const Op* op : op_table()) {
    if (op->name == name) return op;
  }
  return nullptr;
}

const Op& row_named(std::string_view name) {
  const Op* row = find_op(name);
  if (row == nullptr)
    throw Error(ErrorCode::internal, "there is no row " + std::string(name), "operation table");
  return *row;
}

}  // namespace credo::graph
