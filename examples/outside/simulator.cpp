// A log density without a gradient: an epidemic is simulated with the parameters, and the cases of
// each day are compared with those that were counted.
#include <credo/credo.hpp>

#include "check.hpp"

namespace {
constexpr int kDays = 20, kStepsPerDay = 10;
constexpr double kPeople = 1000.0, kFirstCases = 3.0;

// Expected new cases of each day: people who can be infected, and who are infected, in steps.
std::vector<double> expected_cases(double contacts, double recovery) {
  double healthy = kPeople - kFirstCases, ill = kFirstCases;
  std::vector<double> cases;
  for (int day = 0; day < kDays; ++day) {
    double today = 0.0;
    for (int step = 0; step < kStepsPerDay; ++step) {
      const double infected = contacts * healthy * ill / kPeople / kStepsPerDay;
      healthy -= infected;
      ill += infected - recovery * ill / kStepsPerDay;
      today += infected;
    }
    cases.push_back(today);
  }
  return cases;
}
}  // namespace

int main() {
  // Rounded expectations at 0.9 contacts and 0.4 recoveries a day.
  std::vector<double> counted = expected_cases(0.9, 0.4);
  for (double& count : counted) count = std::round(count);

  credo::Parameters parameters;
  const auto contacts = parameters.real("contacts", credo::interval(0, 5));
  const auto recovery = parameters.real("recovery", credo::interval(0, 2));
  const credo::Model model =
      credo::without_gradient(parameters, [&](std::span<const double> theta) {
        const std::vector<double> expected =
            expected_cases(contacts.in(theta)[0], recovery.in(theta)[0]);
        double sum = 0.0;
        for (int day = 0; day < kDays; ++day) {
          const auto d = static_cast<std::size_t>(day);
          if (!(expected[d] > 0.0)) throw credo::Rejection("an epidemic without cases");
          sum += counted[d] * std::log(expected[d]) - expected[d];  // Poisson
        }
        return sum;
      });
  const credo::Fit fit = credo::sample(model, {.sampler = "factor_slice", .seed = 3});
  std::printf("%s\n%s", fit.summary_text().c_str(), fit.verdict().text.c_str());
  const credo::SummaryRow c = fit.summary("contacts"), r = fit.summary("recovery");
  // The counts are those of the true values, so the posterior lies about them.
  check_near("mean of contacts", c.mean, 0.9, 2.0 * c.sd);
  check_near("mean of recovery", r.mean, 0.4, 2.0 * r.sd);
  check_near("R-hat of contacts", c.r_hat, 1.0, 0.02);

  try {
    credo::sample(model);
    return 1;
  } catch (const credo::Error& error) {  // says which samplers would do
    std::printf("refused: %s\n", error.what());
  }
}
