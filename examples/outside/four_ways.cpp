// One posterior, a logistic regression, written in the four ways there are.
#include <credo/credo.hpp>

#include "check.hpp"

namespace {
const std::vector<int> kOutcomes{0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1};
const std::vector<double> kDoses{-2.1, -1.6, -1.2, -0.9, -0.4, -0.1, 0.2, 0.6, 0.9, 1.3, 1.6, 2.2};

double log_density(std::span<const double> theta, std::span<double> gradient) {
  double sum = -(theta[0] * theta[0] + theta[1] * theta[1]) / 8.0;
  gradient[0] = -theta[0] / 4.0;
  gradient[1] = -theta[1] / 4.0;
  for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
    const double eta = theta[0] + theta[1] * kDoses[i];
    const double rest = kOutcomes[i] - 1.0 / (1.0 + std::exp(-eta));
    sum += kOutcomes[i] * eta - std::log1p(std::exp(eta));
    gradient[0] += rest;
    gradient[1] += rest * kDoses[i];
  }
  return sum;
}
}  // namespace

int main() {
  credo::Parameters parameters;
  const auto alpha = parameters.real("alpha"), beta = parameters.real("beta");
  const credo::Model ways[]{
      credo::stan_file("dose.stan", "dose.data.json"),
      credo::traced(parameters,
                    [&](credo::Trace& at) {
                      return normal_lpdf(at[alpha], 0, 2) + normal_lpdf(at[beta], 0, 2) +
                             credo::bernoulli_logit_lpmf(
                                 kOutcomes, at[alpha] + at[beta] * credo::Vector(kDoses));
                    }),
      credo::with_gradient(parameters, log_density),
      credo::without_gradient(parameters, [](std::span<const double> theta) {
        std::vector<double> unused(2);
        return log_density(theta, unused);
      })};
  std::vector<credo::SummaryRow> first;
  for (const credo::Model& model : ways) {
    credo::SampleOptions options{.draws = 4000, .seed = 5};
    if (!model.has_gradient()) options.sampler = "slice";
    const std::vector<credo::SummaryRow> rows = credo::sample(model, options).summary();
    if (first.empty()) first = rows;
    for (std::size_t k = 0; k < 2; ++k) {  // 5 standard errors of the difference
      const double error = std::hypot(rows[k].mcse_mean, first[k].mcse_mean);
      check_near(rows[k].name.c_str(), rows[k].mean, first[k].mean, 5.0 * error);
    }
  }
}
