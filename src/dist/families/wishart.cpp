// Wishart: A of families/wishart_form.hpp with P = S^-1.
#include "dist/families/wishart_form.hpp"

namespace credo::dist::families::wishart_family {
namespace {

using namespace wishart_form;
Numbers statistic(Params x, Params) {
  const RowMatrix y = square_of(x);
  Numbers all{log_det(y)};
  const Numbers rest = packed(y);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}
double log_carrier(Params, Params) { return 0.0; }
Numbers to_natural(Params args) {
  return natural_from({args[0], inverse(square_of(args.subspan(1)))});
}
Numbers to_args(Params eta, Params) {
  const auto [nu, p] = arguments_of(eta);
  Numbers args{nu};
  const RowMatrix s = inverse(p);
  args.insert(args.end(), s.values.begin(), s.values.end());
  return args;
}
}  // namespace

extern const ExponentialFamily wishart{.name = "wishart",
                                       .distribution = "wishart",
                                       .statistics = {"log|x|", "x"},
                                       .naturals = {"(nu - n - 1) / 2", "-S^-1 / 2"},
                                       .carrier = "0",
                                       .reference = "kollo2005, ch. 2",
                                       .shapes = {ArgShape::number, ArgShape::square},
                                       .statistic = statistic,
                                       .log_carrier = log_carrier,
                                       .is_inside = is_inside,
                                       .log_partition = log_partition,
                                       .mean = mean,
                                       .fisher = fisher,
                                       .to_natural = to_natural,
                                       .to_args = to_args,
                                       .near_mean = near_mean};

}  // namespace credo::dist::families::wishart_family
