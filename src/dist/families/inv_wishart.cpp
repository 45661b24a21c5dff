// Inverse Wishart: its inverse is a Wishart matrix with P = S (families/wishart_form.hpp), whose log determinant has the other sign. The Jacobian of the
// inverse adds n + 1 to the degrees of freedom in the natural parameter of log|x|.
#include "dist/families/wishart_form.hpp"

namespace credo::dist::families::inv_wishart_family {
namespace {

using namespace wishart_form;
// Natural parameters of the Wishart distribution of the inverse, and back: -(nu + n + 1) / 2 and (nu - n - 1) / 2.
Numbers of_inverse(Params eta) {
  Numbers natural(eta.begin(), eta.end());
  natural[0] = -eta[0] - static_cast<double>(side_of(eta.size() - 1)) - 1.0;
  return natural;
}
Numbers statistic(Params x, Params) {
  const RowMatrix y = inverse(square_of(x));
  Numbers all{-log_det(y)};
  const Numbers rest = packed(y);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}
double log_carrier(Params, Params) { return 0.0; }
bool is_inside(Params eta) { return wishart_form::is_inside(of_inverse(eta)); }
double log_partition(Params eta, Params known) {
  return wishart_form::log_partition(of_inverse(eta), known);
}
Numbers mean(Params eta, Params known) {
  Numbers all = wishart_form::mean(of_inverse(eta), known);
  all[0] = -all[0];
  return all;
}
Numbers fisher(Params eta, Params known) {
  Numbers all = wishart_form::fisher(of_inverse(eta), known);
  for (std::size_t k = 1; k < eta.size(); ++k) {
    all[k] = -all[k];
    all[k * eta.size()] = -all[k * eta.size()];
  }
  return all;
}
Numbers to_natural(Params args) {
  return of_inverse(natural_from({args[0], square_of(args.subspan(1))}));
}
Numbers to_args(Params eta, Params) {
  const auto [nu, p] = arguments_of(of_inverse(eta));
  Numbers args{nu};
  args.insert(args.end(), p.values.begin(), p.values.end());
  return args;
}
Numbers near_mean(Params mean, Params known) {
  Numbers of_wishart(mean.begin(), mean.end());
  of_wishart[0] = -mean[0];
  return of_inverse(wishart_form::near_mean(of_wishart, known));
}
}  // namespace

extern const ExponentialFamily inv_wishart{.name = "inv_wishart",
                                           .distribution = "inv_wishart",
                                           .statistics = {"log|x|", "x^-1"},
                                           .naturals = {"-(nu + n + 1) / 2", "-S / 2"},
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

}  // namespace credo::dist::families::inv_wishart_family
