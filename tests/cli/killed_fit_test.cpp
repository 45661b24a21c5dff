// Approximations that are killed or stopped during their fit: the run file is there, and the resumed run ends with the bits of a run that
// nobody disturbed.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "cli/killed_run.hpp"
#include "infer/core/recorder.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"

namespace credo::cli::killed_fit_test {
namespace {
namespace fs = std::filesystem;
using testing::Words;

// Fits of a second or more, each with another kind of state.
struct LongFit {
  const char* name;
  const char* program;
  Words options;
};

const std::vector<LongFit>& long_fits() {
  static const std::vector<LongFit> fits = {
      {"batches",
       "logistic",
       {"--method", "normal", "--batch", "20", "--tolerance", "1e-6", "--max-steps", "40000"}},
      {"windows",
       "logistic",
       {"--method", "normal", "--batch", "20", "--stop", "patience", "--patience", "1000000",
        "--max-steps", "40000"}},
      {"steps",
       "schools",
       {"--method", "normal", "--optimizer", "adam", "--tolerance", "1e-6", "--max-steps",
        "30000"}},
      {"flow", "schools", {"--method", "flow", "--layers", "iaf:2", "--max-steps", "3000"}},
      {"neutra",
       "schools",
       {"--sampler", "neutra", "--layers", "iaf:2", "--max-steps", "3000", "--warmup", "50"}},
      {"network",
       "schools",
       {"--method", "amortized", "--local", "z", "--features", "y,sigma", "--optimizer", "adam",
        "--tolerance", "1e-6", "--max-steps", "20000"}},
      {"implicit", "schools", {"--method", "implicit", "--rounds", "60"}},
      {"trajectories", "schools", {"--method", "hamiltonian", "--max-iterations", "60"}},
      {"draws", "schools", {"--method", "moments", "--layers", "maf:2"}},
      {"collapsed",
       "schools",
       {"--method", "normal", "--marginal", "z", "--optimizer", "adam", "--tolerance", "1e-6",
        "--max-steps", "3000"}},
      {"rounds",
       "logistic",
       {"--method", "cvi", "--damping", "0.01", "--tolerance", "1e-12", "--max-rounds", "60"}},
      {"sweeps",
       "mixture",
       {"--method", "cavi", "--num-starts", "4", "--tolerance", "0", "--damping", "0.001",
        "--max-sweeps", "8000"}},
  };
  return fits;
}

class KilledFit : public testing::KilledRun {
 protected:
  KilledFit() : KilledRun("killed_fit") {
    write("schools.stan", R"(data { int J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] z; }
model {
  mu ~ normal(0, 5);
  tau ~ normal(0, 5);
  z ~ normal(0, 1);
  y ~ normal(mu + tau * z, sigma);
}
)");
    write("schools.json", R"({"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12],
"sigma": [15, 10, 16, 11, 9, 11, 10, 18]})");
    write("logistic.stan", R"(data { int N; matrix[N, 3] X; array[N] int<lower=0, upper=1> y; }
parameters { real a; vector[3] b; }
model {
  a ~ normal(0, 3);
  b ~ normal(0, 1);
  y ~ bernoulli_logit(a + X * b);
}
)");
    write("mixture.stan", R"(data { int N; vector[N] y; }
parameters { simplex[2] p; vector[2] mu; vector<lower=0>[2] tau; }
model {
  p ~ dirichlet([2, 2]');
  mu ~ normal(0, 10);
  tau ~ gamma(2, 1);
  for (n in 1:N)
    target += log_sum_exp(log(p) + [normal_lpdf(y[n] | mu[1], inv_sqrt(tau[1])),
                                    normal_lpdf(y[n] | mu[2], inv_sqrt(tau[2]))]');
}
)");
    Rng rng({.seed = 3, .purpose = purpose::kTest});
    constexpr int kRows = 2000;
    std::string x, y, z;
    for (int n = 0; n < kRows; ++n) {
      const double one = rng.normal(), two = rng.normal(), three = rng.normal();
      const double eta = 0.3 + one - 0.5 * two;
      const char* comma = n == 0 ? "" : ",";
      x += fmt::format("{}[{:.3f},{:.3f},{:.3f}]", comma, one, two, three);
      y += fmt::format("{}{}", comma, rng.uniform() < 1.0 / (1.0 + std::exp(-eta)) ? 1 : 0);
      z += fmt::format("{}{:.3f}", comma, one + (two > 0.0 ? 1.0 : -1.0));
    }
    write("mixture.json", fmt::format(R"({{"N": {}, "y": [{}]}})", kRows, z));
    write("logistic.json", fmt::format(R"({{"N": {}, "X": [{}], "y": [{}]}})", kRows, x, y));
  }

  Words words_of(const LongFit& fit) const {
    const bool is_sampler = fit.options.front() == "--sampler";
    const std::string command = is_sampler ? "sample" : "approximate";
    const std::string program = fit.program;
    return with({command, at(program + ".stan"), "--data", at(program + ".json"), "--chains", "1",
                 "--draws", "50", "--seed", "4", "--quiet"},
                fit.options);
  }

  // The file of a run that is at its fit.
  static bool is_at_fit(const std::string& file) {
    if (!results::is_run_file(file)) return false;
    try {
      const io::RunFile kept = io::RunFile::open(file);
      return kept.facts().contains("fit") && kept.chains().empty();
    } catch (const Error&) {  // it is gone by now
      return false;
    }
  }
  void expect_whole(const std::string& name) {
    EXPECT_EQ(content(at("part.nc")), content(at("whole.nc"))) << name;
    EXPECT_FALSE(fs::exists(at("part.nc.run"))) << name;
    fs::remove(at("part.nc"));
  }
};

TEST_F(KilledFit, is_resumed_to_the_same_bits) {
  for (const LongFit& fit : long_fits()) {
    if (!testing::this_share().has(fit.name)) continue;
    SCOPED_TRACE(fit.name);
    const Words words = words_of(fit);
    ASSERT_EQ(run(with(words, {"--threads", "1", "-o", at("whole.nc")})), 0) << said();
    // Killed as soon as there is a state, and again a moment after it was resumed.
    ASSERT_TRUE(kill_when(start(with(words, {"--threads", "2", "-o", at("part.nc")})), [&] {
      return is_at_fit(at("part.nc.run"));
    })) << "the fit was too short";
    const double end = infer::clock_seconds() + 0.3;
    kill_when(start({"resume", at("part.nc.run")}), [&] { return infer::clock_seconds() > end; });
    if (fs::exists(at("part.nc.run"))) {
      ASSERT_EQ(run({"resume", at("part.nc.run"), "--threads", "1"}), 0) << said();
    }
    expect_whole(fit.name);
  }
}

// Exit status of a process that runs the words; 77 if it was stopped and doesn't say what is kept, and how to resume.
int status_of_stopped(const std::function<int()>& run, const std::function<std::string()>& said) {
  const pid_t child = fork();
  if (child == 0) {
    const int status = run();
    const std::string text = on_one_line(said());
    const bool is_named = text.find("credo resume ") != std::string::npos;
    _exit(status == 7 && !is_named ? 77 : status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(KilledFit, ends_at_a_limit_of_time_and_goes_on) {
  const Words words = words_of(long_fits().front());
  ASSERT_EQ(run(with(words, {"--threads", "1", "-o", at("whole.nc")})), 0) << said();
  const double begin = infer::clock_seconds();
  const auto limited = [&](const Words& own) {
    return status_of_stopped(
        [&] {
          return run(with(own, {"--max-time", "0.2"}));
        },
        [&] { return said(); });
  };
  EXPECT_EQ(limited(with(words, {"-o", at("part.nc")})), 7);
  EXPECT_LT(infer::clock_seconds() - begin, 20.0);  // a fit that keeps nothing is given a minute
  ASSERT_TRUE(is_at_fit(at("part.nc.run")));
  EXPECT_EQ(limited({"resume", at("part.nc.run")}), 7);
  ASSERT_EQ(run({"resume", at("part.nc.run")}), 0) << said();
  expect_whole("limited again and again");
}

// A fit that fails leaves nothing behind that would be in the way of the next command.
TEST_F(KilledFit, leaves_no_file_where_the_fit_fails) {
  write("flat.stan", "parameters { real a; real b; } model { a + b ~ normal(0, 1); }\n");
  EXPECT_EQ(run({"approximate", at("flat.stan"), "--method", "laplace", "--num-starts", "2000",
                 "-o", at("part.nc")}),
            5)
      << said();
  EXPECT_FALSE(fs::exists(at("part.nc.run")));
}

}  // namespace
}  // namespace credo::cli::killed_fit_test
