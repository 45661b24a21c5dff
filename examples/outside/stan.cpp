// A Stan program with its data: the log density at a point, draws, and a file of them.
#include <credo/credo.hpp>

#include "check.hpp"

int main() {
  const credo::Model model = credo::stan_file("dose.stan", "dose.data.json");
  const std::vector<double> point{0.5, 1.0};
  const credo::Evaluation at = model.evaluate(point);

  // The same by the formula: a logistic regression with normal priors.
  const std::vector<int> y{0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1};
  const std::vector<double> x{-2.1, -1.6, -1.2, -0.9, -0.4, -0.1, 0.2, 0.6, 0.9, 1.3, 1.6, 2.2};
  double sum = -std::log(8.0 * std::acos(-1.0)) - (0.25 + 1.0) / 8.0, slope = -0.5 / 4.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double eta = 0.5 + x[i], probability = 1.0 / (1.0 + std::exp(-eta));
    sum += y[i] == 1 ? std::log(probability) : std::log1p(-probability);
    slope += y[i] - probability;
  }
  check_near("log density", at.log_density, sum, 1e-12);  // rounding of 14 terms
  check_near("gradient by alpha", at.gradient[0], slope, 1e-12);

  const credo::Fit fit = credo::sample(model, {.seed = 4});
  std::printf("%s", fit.summary_text().c_str());
  const std::string file = "/tmp/credo_outside_" + std::to_string(std::rand()) + ".nc";
  fit.save(file);  // as credo sample writes it: credo diagnose and ArviZ read it
  if (std::remove(file.c_str()) != 0) return 1;

  try {
    credo::stan_text("parameters { real x; } model { x ~ normal(0, sigma); }");
    return 1;
  } catch (const credo::Error& error) {
    std::printf("refused: %s\n", error.what());
  }
}
