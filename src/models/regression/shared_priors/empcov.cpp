// empcov(terms): coefficients are normal with the covariance of their columns, which shrinks directions that the table hardly has
// [izmailov2021, arXiv 2106.11905].
#include <fmt/format.h>

#include "models/regression/shared_prior.hpp"

namespace credo::models {
namespace {
double covariance_of(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = sample_mean(a), mean_b = sample_mean(b);
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - mean_a) * (b[k] - mean_b);
  return sum / static_cast<double>(a.size() - 1);
}

SpecialBlock make(const Expression& call, SharedPriorContext& context) {
  const Index size = context.num_coefficients();
  std::vector<const std::vector<double>*> columns;
  for (const TermBlock* term : context.terms)
    for (const std::vector<double>& column : term->columns) columns.push_back(&column);
  const double scale = option_of(call, "scale", 1.0), ridge = option_of(call, "ridge", 1e-3);
  ProgramConstant covariance{.name = context.names.name("covariance", "empcov"),
                             .dims = {size, size},
                             .comment = "of the columns, with a small multiple of the identity"};
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = 0; b < columns.size(); ++b)
      covariance.values.push_back(scale * covariance_of(*columns[a], *columns[b]) +
                                  (a == b ? ridge : 0.0));
  context.names.parts.constants.push_back(covariance);
  SpecialBlock block;
  block.text = call.text();
  std::vector<std::string> all;
  for (const TermBlock* term : context.terms)
    all.push_back(term->is_number ? fmt::format("[{}]'", term->parameter) : term->parameter);
  std::string joined = all[0];
  for (std::size_t k = 1; k < all.size(); ++k)
    joined = fmt::format("append_row({}, {})", joined, all[k]);
  block.statements = {
      fmt::format("{} ~ multi_normal(rep_vector(0, {}), {})", joined, size, covariance.name)};
  block.words = "coefficients vary along the directions in which the columns do";
  return block;
}
}  // namespace

extern const SharedPriorRow empcov_prior{.name = "empcov",
                                         .words = "a prior with the covariance of the columns",
                                         .labels = {"scale", "ridge"},
                                         .make = make};
}  // namespace credo::models
