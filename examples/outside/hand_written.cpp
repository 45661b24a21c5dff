// A hand-written gradient: the mean and the precision of normal data, whose posterior is known.
#include <credo/credo.hpp>

#include "check.hpp"

int main() {
  const std::vector<double> y{1.2, -0.4, 0.9, 2.1, 0.3, 1.7, 0.8, 1.1};
  const double n = static_cast<double>(y.size());

  credo::Parameters parameters;
  const auto mu = parameters.real("mu");
  const auto precision = parameters.real("precision", credo::lower(0));

  // A flat prior of mu, 1 / precision of the precision: then mu is t-distributed, the precision
  // gamma-distributed with shape (n - 1) / 2 and mean 1 / s^2 [gelman2013, section 3.2].
  const auto log_density = [&](std::span<const double> theta, std::span<double> gradient) {
    const double m = mu.in(theta)[0], p = precision.in(theta)[0];
    double squares = 0.0, sum = 0.0;
    for (const double value : y) {
      squares += (value - m) * (value - m);
      sum += value - m;
    }
    mu.in(gradient)[0] = p * sum;
    precision.in(gradient)[0] = (0.5 * n - 1.0) / p - 0.5 * squares;
    return (0.5 * n - 1.0) * std::log(p) - 0.5 * p * squares;
  };
  const credo::Model model = credo::with_gradient(parameters, log_density);
  const credo::Fit fit = credo::sample(model, {.draws = 4000, .seed = 2});
  std::printf("%s\n", fit.summary_text().c_str());

  double mean = 0.0, squares = 0.0;
  for (const double value : y) mean += value / n;
  for (const double value : y) squares += (value - mean) * (value - mean);
  const credo::SummaryRow m = fit.summary("mu"), p = fit.summary("precision");
  check_near("mean of mu", m.mean, mean, 5.0 * m.mcse_mean);
  check_near("mean of precision", p.mean, (n - 1.0) / squares, 5.0 * p.mcse_mean);

  // A mistake in a gradient would be a silent wrong answer: it is found before the run.
  const credo::Model wrong = credo::with_gradient(
      parameters, [&](std::span<const double> theta, std::span<double> gradient) {
        const double value = log_density(theta, gradient);
        mu.in(gradient)[0] *= 1.01;
        return value;
      });
  try {
    credo::sample(wrong);
    std::printf("WRONG: the gradient was believed\n");
    return 1;
  } catch (const credo::Error& error) {
    std::printf("refused: %s\n", error.what());
  }
}
