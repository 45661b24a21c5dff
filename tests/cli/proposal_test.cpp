// Particles that an unscented filter proposes: without bias against the Kalman filter, better than those of the transition, and a weight
// that is missing is found.
#include "infer/smc/particle_filter.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"
#include "model/states/unscented_proposal.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli {
namespace {

// Two elements with correlated noise, two outcomes of which single numbers are missing, and one time without any.
const std::string kLinear = R"(
functions {
  vector initial_rng() { return [normal_rng(1, 1), normal_rng(0, 2)]'; }
  real initial_lpdf(vector x) { return normal_lpdf(x[1] | 1, 1) + normal_lpdf(x[2] | 0, 2); }
  vector transition_rng(vector before, matrix Q) {
    return multi_normal_rng([0.7 * before[1] + 0.2 * before[2], 0.5 * before[2]]', Q);
  }
  real transition_lpdf(vector x, vector before, matrix Q) {
    return multi_normal_lpdf(x | [0.7 * before[1] + 0.2 * before[2], 0.5 * before[2]]', Q);
  }
  real observation_lpdf(row_vector y, vector x) {
    return normal_lpdf(y[1] | 2 * x[1] - 1, 0.2) + normal_lpdf(y[2] | x[1] + x[2], 0.3);
  }
}
data { int T; matrix[T, 2] y; matrix[2, 2] Q; }
)";

class Proposals : public testing::CommandRun {
 protected:
  Proposals() : CommandRun("proposals") {
    write("m.stan", kLinear);
    write("d.json", R"({"T": 5, "y": [[0.5, 1], [-1.2, 0.3], ["NaN", "NaN"], [0.3, -1], [2.9, 3]],
      "Q": [[0.3, 0.1], [0.1, 0.2]]})");
  }
  testing::Json filtered(std::vector<std::string> more) {
    std::vector<std::string> words{"filter", at("m.stan"), "--data", at("d.json")};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
};

std::string repeats() {
  const char* asked = std::getenv("CREDO_FILTER_SEEDS");
  return asked == nullptr ? "200" : asked;
}

// Standard score of the mean likelihood.
double score(const testing::Json& run, double exact) {
  double mean = 0.0, squares = 0.0;
  const auto& all = run.at("log_likelihoods").items;
  const double n = static_cast<double>(all.size());
  for (const auto& log_likelihood : all) {
    const double ratio = std::exp(log_likelihood.number - exact);
    mean += ratio / n, squares += ratio * ratio / n;
  }
  return (mean - 1.0) / std::sqrt((squares - mean * mean) / (n - 1.0));
}

// |z| < 3 fails for a right filter once in 370 seeds, and the seed is fixed.
TEST_F(Proposals, by_unscented_filters_are_weighed_without_bias_and_better_than_the_transition) {
  const double exact = filtered({"--method", "kalman"}).at("log_likelihood").number;
  const auto guided = filtered(
      {"--method", "guided", "--proposal", "ukf", "--particles", "50", "--repeats", repeats()});
  const auto plain = filtered({"--particles", "50", "--repeats", repeats()});
  std::printf("ukf: z = %.2f\n", score(guided, exact));
  EXPECT_LT(std::fabs(score(guided, exact)), 3.0);
  EXPECT_LT(guided.at("error").number, 0.5 * plain.at("error").number);
}

// The pendulum isn't linear in its angle: the likelihoods of both agree within 4 combined standard errors.
TEST_F(Proposals, agree_with_the_bootstrap_filter_of_the_pendulum) {
  const std::string folder = std::string(CREDO_SOURCE_DIR) + "/examples/filters/pendulum";
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"filter",         folder + ".stan", "--data",
                                   folder + ".json", "--repeats",      "10"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  };
  const auto guided = run({"--method", "guided", "--proposal", "ukf", "--particles", "100"}),
             plain = run({"--particles", "2000"});
  EXPECT_NEAR(guided.at("log_likelihood").number, plain.at("log_likelihood").number,
              4.0 * (guided.at("error").number + plain.at("error").number));
}

// The proposal, whose draws aren't weighed by the transition.
class Unweighed final : public density::StateSpace {
 public:
  explicit Unweighed(const density::StateSpace& model) : model_(model) {}
  Index num_times() const override { return model_.num_times(); }
  const density::Layout& state() const override { return model_.state(); }
  bool is_observed(Index time) const override { return model_.is_observed(time); }
  density::Capability can(density::Kernel) const override { return {}; }
  density::Capability can_look_ahead() const override { return {.can = false}; }
  std::unique_ptr<density::StateMover> make_mover(density::Kernel kernel) const override {
    return std::make_unique<Mover>(model_.make_mover(kernel), model_);
  }

 private:
  class Mover final : public density::StateMover {
   public:
    Mover(std::unique_ptr<density::StateMover> mover, const density::StateSpace& model)
        : mover_(std::move(mover)), model_(model) {}
    void move(const density::ParticleBlock& block) override {
      mover_->move(block);
      if (!model_.is_observed(block.time)) return;
      std::vector<double> log_transitions(density::StateSpace::kBlock);
      density::ParticleBlock asked = block;
      asked.log_weights = log_transitions.data();
      mover_->transitions(asked);
      for (std::size_t i = 0; i < static_cast<std::size_t>(block.count); ++i)
        block.log_weights[i] -= log_transitions[i];
    }
    void look_ahead(const density::ParticleBlock&) override {}

   private:
    std::unique_ptr<density::StateMover> mover_;
    const density::StateSpace& model_;
  };
  const density::StateSpace& model_;
};

TEST_F(Proposals, that_are_not_weighed_by_the_transition_are_found) {
  const double exact = filtered({"--method", "kalman"}).at("log_likelihood").number;
  lang::Diagnostics diagnostics;
  lang::SourceMap map;
  const auto source = model::compile_text("m.stan", kLinear, diagnostics, map);
  const model::Model program(source, io::parse_json_data(io::read_file(at("d.json")), "d.json"),
                             {});
  const model::StateModel states(program, {});
  const model::UnscentedProposal right(states, 0.0);
  const Unweighed wrong(right);
  const auto score_of = [&](const density::StateSpace& model, Index num_runs) {
    double mean = 0.0, squares = 0.0;
    const double n = static_cast<double>(num_runs);
    for (Index r = 0; r < num_runs; ++r) {
      const double ratio = std::exp(
          infer::run_filter(model, {.num_particles = 50, .method = infer::FilterMethod::guided}, r)
              .log_likelihood -
          exact);
      mean += ratio / n, squares += ratio * ratio / n;
    }
    return (mean - 1.0) / std::sqrt((squares - mean * mean) / (n - 1.0));
  };
  EXPECT_LT(std::fabs(score_of(right, 100)), 3.0);
  EXPECT_GT(std::fabs(score_of(wrong, 600)), 4.0);
}

TEST_F(Proposals, are_of_the_guided_filter_and_of_normal_densities) {
  EXPECT_EQ(run({"filter", at("m.stan"), "--data", at("d.json"), "--proposal", "ukf"}), 2);
  EXPECT_NE(on_one_line(said()).find("add --method guided"), std::string::npos) << said();
  const std::string folder = std::string(CREDO_SOURCE_DIR) + "/examples/filters/volatility";
  EXPECT_EQ(run({"filter", folder + ".stan", "--data", folder + ".json", "--parameters",
                 folder + "_at.json", "--method", "guided", "--proposal", "ukf", "--threads", "2",
                 "--particles", "100", "--repeats", "2"}),
            0)
      << said();
}

}  // namespace
}  // namespace credo::cli
