// Eight schools by a traced callable: it is called once, on symbolic values, and becomes a program.
#include <credo/credo.hpp>

#include "check.hpp"

int main() {
  const std::vector<double> effects{28, 8, -3, 7, -1, 1, 18, 12};
  const std::vector<double> errors{15, 10, 16, 11, 9, 11, 10, 18};

  credo::Parameters parameters;
  const auto mu = parameters.real("mu");
  const auto tau = parameters.real("tau", credo::lower(0));
  const auto eta = parameters.vector("eta", 8);

  const credo::Model model = credo::traced(
      parameters,
      [&](credo::Trace& at) {
        const credo::Vector theta = at[mu] + at[tau] * at[eta];
        at.output("theta", theta);
        return normal_lpdf(at[mu], 0, 5) + cauchy_lpdf(at[tau], 0, 5) + std_normal_lpdf(at[eta]) +
               normal_lpdf(credo::data("y", effects), theta, credo::data("sigma", errors));
      },
      {.name = "eight_schools"});
  std::printf("%s\n", model.program().c_str());

  const credo::Fit fit = credo::sample(model, {.seed = 1});
  std::printf("%s\n%s", fit.summary_text().c_str(), fit.verdict().text.c_str());
  // Means known from long reference runs; more than 5 standard errors at 1000 effective draws.
  check_near("mean of mu", fit.summary("mu").mean, 4.4, 0.4);
  check_near("mean of tau", fit.summary("tau").mean, 3.6, 0.4);
  check_near("R-hat of theta[1]", fit.summary("theta[1]").r_hat, 1.0, 0.02);
}
