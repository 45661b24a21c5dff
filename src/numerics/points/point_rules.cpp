#include "base/row_list.hpp"
#include "numerics/points/point_rule.hpp"

namespace credo::numerics {

#define CREDO_ROWS(row) row(antithetic) row(grid) row(halton) row(independent) row(latin_hypercube) row(sobol)

namespace points {
using Row = PointRule;
CREDO_ROWS(CREDO_DECLARE_ROW)
constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
}  // namespace points

std::span<const PointRule* const> point_rules() { return points::kRows; }

}  // namespace credo::numerics
