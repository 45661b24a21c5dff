// What the flow of Hamilton's equations has and its leapfrog keeps, on a banana, whose equations aren't linear: it goes back
// when momenta are turned, keeps volumes, and in the limit of small steps the energy. And a transition of static Hamiltonian
// Monte Carlo as a sweep of two blocks: Gibbs for momenta, Metropolis for positions with the leapfrog as the proposal.
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

#include <gtest/gtest.h>

#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "support/kernel_checks.hpp"

namespace credo::infer::hamiltonian_flow_test {
namespace {
using namespace credo::testing;

struct Phase {
  std::vector<double> x, p;
};

// `count` steps by the library, with unit masses.
class Flow {
 public:
  explicit Flow(const Target& target)
      : evaluator_(target.density->make_evaluator()),
        points_(2, target.density->dimension()),
        metric_(MetricKind::unit, target.density->dimension()) {}

  Phase go(const Phase& from, double step_size, int count) {
    set(points_[0], from);
    for (int i = 0; i < count; ++i) {
      first_half(points_[0], points_[1], step_size, metric_);
      look(points_[1]);
      second_half(points_[1], step_size, metric_);
      std::swap(points_[0], points_[1]);
    }
    energy = points_[0].energy;
    return {{points_[0].position.begin(), points_[0].position.end()},
            {points_[0].momentum.begin(), points_[0].momentum.end()}};
  }
  double energy_at(const Phase& at) {
    set(points_[0], at);
    double kinetic = 0.0;
    for (const double p : at.p) kinetic += 0.5 * p * p;
    return kinetic - points_[0].log_density;
  }

  double energy = 0.0;  // where go() ended

 private:
  void look(PhasePoint& point) {
    Evaluate question = evaluate(point.position, point.gradient);
    answer(*evaluator_, question);
    point.log_density = question.request.log_density;
  }
  void set(PhasePoint& point, const Phase& at) {
    std::copy(at.x.begin(), at.x.end(), point.position.begin());
    std::copy(at.p.begin(), at.p.end(), point.momentum.begin());
    metric_.velocity(point.momentum, point.velocity);
    look(point);
  }

  std::unique_ptr<density::Evaluator> evaluator_;
  PhasePoints points_;
  Metric metric_;
};

const Phase kStart{{0.4, -0.3}, {1.1, 0.7}};

Phase turned(Phase at) {
  for (double& p : at.p) p = -p;
  return at;
}

TEST(hamiltonian_flow, goes_back_when_momenta_are_turned) {
  Flow flow(banana());
  const Phase back = turned(flow.go(turned(flow.go(kStart, 0.05, 60)), 0.05, 60));
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_NEAR(back.x[d], kStart.x[d], 1e-11);  // rounding of 120 steps
    EXPECT_NEAR(back.p[d], kStart.p[d], 1e-11);
  }
}

// dH/dt = 0: the energy of a flow of time 2 differs by c h², c a few units here.
TEST(hamiltonian_flow, keeps_the_energy_in_the_limit_of_small_steps) {
  Flow flow(banana());
  const double before = flow.energy_at(kStart);
  double last = kInfinity;
  for (const int count : {50, 200, 800, 3200}) {
    const double step_size = 2.0 / count;
    flow.go(kStart, step_size, count);
    const double off = std::fabs(flow.energy - before);
    EXPECT_LT(off, 10.0 * step_size * step_size) << count;
    EXPECT_LT(off, last / 8.0) << count;  // 16 times, to first order
    last = off;
  }
}

double determinant(std::array<std::array<double, 4>, 4> a) {
  double product = 1.0;
  for (std::size_t k = 0; k < 4; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < 4; ++i)
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    if (pivot != k) std::swap(a[k], a[pivot]), product = -product;
    product *= a[k][k];
    for (std::size_t i = k + 1; i < 4; ++i)
      for (std::size_t j = 4; j-- > k;) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  return product;
}

// By central differences with distance 1e-5: errors of 1e-10 and, by rounding, 1e-11 for each entry, times cofactors of the
// order of 10.
double volume_factor(const std::function<Phase(const Phase&)>& map) {
  constexpr double kDistance = 1e-5;
  std::array<std::array<double, 4>, 4> jacobian{};
  for (std::size_t j = 0; j < 4; ++j) {
    Phase up = kStart, down = kStart;
    (j < 2 ? up.x[j] : up.p[j - 2]) += kDistance;
    (j < 2 ? down.x[j] : down.p[j - 2]) -= kDistance;
    const Phase above = map(up), below = map(down);
    for (std::size_t i = 0; i < 4; ++i)
      jacobian[i][j] =
          (i < 2 ? above.x[i] - below.x[i] : above.p[i - 2] - below.p[i - 2]) / (2.0 * kDistance);
  }
  return determinant(jacobian);
}

TEST(hamiltonian_flow, keeps_volumes) {
  Flow flow(banana());
  for (const int count : {1, 10, 40})
    EXPECT_NEAR(volume_factor([&](const Phase& at) { return flow.go(at, 0.05, count); }), 1.0, 1e-7)
        << count;
}

// Euler's method moves both at once from the same place.
TEST(hamiltonian_flow, is_told_from_a_method_that_keeps_neither_volume_nor_energy) {
  const auto euler = [](const Phase& from) {
    Phase at = from;
    for (int i = 0; i < 40; ++i) {
      const double off = at.x[1] - 0.5 * at.x[0] * at.x[0];
      const std::array<double, 2> force = {-at.x[0] + 4.0 * off * at.x[0], -4.0 * off};
      for (std::size_t d = 0; d < 2; ++d) at.x[d] += 0.05 * at.p[d];
      for (std::size_t d = 0; d < 2; ++d) at.p[d] += 0.05 * force[d];
    }
    return at;
  };
  Flow flow(banana());
  EXPECT_GT(std::fabs(volume_factor(euler) - 1.0), 0.1);
  EXPECT_GT(std::fabs(flow.energy_at(euler(kStart)) - flow.energy_at(kStart)), 0.1);
}

// ---- blocks

constexpr double kStep = 0.3;
constexpr int kSteps = 5;

double banana_log_density(const std::vector<double>& x) {
  const double off = x[1] - 0.5 * x[0] * x[0];
  return -0.5 * x[0] * x[0] - 2.0 * off * off;
}
std::array<double, 2> banana_force(const std::vector<double>& x) {
  const double off = x[1] - 0.5 * x[0] * x[0];
  return {-x[0] + 4.0 * off * x[0], -4.0 * off};
}

// Momenta from their distribution, whatever they were: Gibbs, because they don't depend on positions.
void draw_momenta(Phase& at, Rng& rng) {
  for (double& p : at.p) p = rng.normal();
}

// The proposal leads to one place only, and back: turned leapfrog is its own inverse with volume 1.
void move_positions(Phase& at, Rng& rng, bool with_kinetic_energy = true) {
  Phase to = at;
  for (int i = 0; i < kSteps; ++i) {
    auto force = banana_force(to.x);
    for (std::size_t d = 0; d < 2; ++d) to.p[d] += 0.5 * kStep * force[d];
    for (std::size_t d = 0; d < 2; ++d) to.x[d] += kStep * to.p[d];
    force = banana_force(to.x);
    for (std::size_t d = 0; d < 2; ++d) to.p[d] += 0.5 * kStep * force[d];
  }
  double log_ratio = banana_log_density(to.x) - banana_log_density(at.x);
  for (std::size_t d = 0; d < 2 && with_kinetic_energy; ++d)
    log_ratio += 0.5 * (at.p[d] * at.p[d] - to.p[d] * to.p[d]);
  if (std::log(rng.uniform()) < log_ratio) at = turned(to);
}

TEST(hmc_static, is_gibbs_of_momenta_and_metropolis_of_positions_by_the_leapfrog) {
  const Target target = banana();
  const auto evaluator = target.density->make_evaluator();
  HmcStatic kernel({.step_size = kStep, .integration_time = kStep * (kSteps + 0.01)}, 2);
  PointState state = state_at(*evaluator, std::vector<double>{0.4, -0.3});
  Phase blocks{{0.4, -0.3}, {0.0, 0.0}};
  int moved = 0;
  for (std::uint32_t k = 0; k < 200; ++k) {
    const StreamKey key{.seed = test_seed(51), .purpose = purpose::kTest, .iteration = k};
    Rng one(key), other(key);
    run_alone(kernel.step(state, one), *evaluator);
    const std::vector<double> before = blocks.x;
    draw_momenta(blocks, other);
    move_positions(blocks, other);
    moved += before != blocks.x;
    for (std::size_t d = 0; d < 2; ++d) {
      ASSERT_NEAR(state.position[d], blocks.x[d], 1e-12);  // 5 steps in another order of sums
      blocks.x[d] = state.position[d];                     // so that rounding doesn't grow
    }
  }
  EXPECT_GT(moved, 100);
  EXPECT_LT(moved, 200);  // some are rejected
}

// Either block by itself keeps the joint distribution of both: ends from exact draws have its moments, |z| below 4 for
// each of them. A block that forgets the kinetic energy doesn't.
double worst_joint_moment(const std::function<void(Phase&, Rng&)>& block) {
  const Target target = banana();
  constexpr int kStarts = 20'000;
  std::array<double, 6> sums{}, squares{};
  for (std::uint32_t i = 0; i < kStarts; ++i) {
    Rng rng({.seed = test_seed(52), .purpose = purpose::kTest, .iteration = i});
    Phase at{{0.0, 0.0}, {0.0, 0.0}};
    target.draw(rng, at.x);
    draw_momenta(at, rng);
    block(at, rng);
    const std::array<double, 6> off = {at.x[0],
                                       at.x[0] * at.x[0] - 1.0,
                                       at.x[1] - 0.5,
                                       at.p[0] * at.p[0] - 1.0,
                                       at.p[1] * at.p[1] - 1.0,
                                       at.x[0] * at.p[0]};
    for (std::size_t m = 0; m < off.size(); ++m) sums[m] += off[m], squares[m] += off[m] * off[m];
  }
  double worst = 0.0;
  for (std::size_t m = 0; m < sums.size(); ++m)
    worst = std::max(worst, std::fabs(sums[m]) / std::sqrt(squares[m]));
  return worst;
}

TEST(hmc_static, has_two_blocks_of_which_each_keeps_the_joint_distribution) {
  EXPECT_LT(worst_joint_moment([](Phase& at, Rng& rng) { draw_momenta(at, rng); }), 4.0);
  EXPECT_LT(worst_joint_moment([](Phase& at, Rng& rng) { move_positions(at, rng); }), 4.0);
  EXPECT_GT(worst_joint_moment([](Phase& at, Rng& rng) { move_positions(at, rng, false); }), 4.0);
}

}  // namespace
}  // namespace credo::infer::hamiltonian_flow_test
