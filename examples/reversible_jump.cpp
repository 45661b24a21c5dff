// Which of two models six numbers come from, by a chain that visits both. A: N(0, 1). B: N(m, 1)
// with m uniform on (-L, L). The numbers' mean is 1, so the odds of A are
//
//   O = Z_A / Z_B = 2 L e^-3 sqrt(6 / 2 pi) / (Phi((L - 1) sqrt 6) - Phi((-L - 1) sqrt 6)),
//
// which is 0.0973 L for large L (X18 of the catalogue's file on Markov chains and statistics). The
// map is m = sinh(u): its Jacobian comes from the graph.
#include "infer/jumps/reversible_jump.hpp"
#include "density/function_density.hpp"
#include "examples/support/experiment.hpp"
#include "numerics/special.hpp"

namespace {
using namespace credo;
using namespace credo::infer;

constexpr std::array kData = {1.343, 1.343, 1.343, 0.657, 0.657, 0.657};

double log_likelihood(double mean) {
  double sum = 0.0;
  for (const double y : kData) sum -= 0.5 * (y - mean) * (y - mean);
  return sum;  // without a constant that both models have
}

rj::Family models(double half_width) {
  auto a =
      density::make_value_density(0, [](std::span<const double>) { return log_likelihood(0.0); });
  auto b = density::make_value_density(1, [=](std::span<const double> m) {
    const bool inside = std::fabs(m[0]) < half_width;
    return inside ? log_likelihood(m[0]) - std::log(2.0 * half_width) : -kInfinity;
  });
  return rj::Family({{.name = "A", .density = std::move(a)},
                     {.name = "B", .density = std::move(b), .update = kernel("slice")}});
}

std::vector<rj::Jump> birth_and_death() {
  using rj::Scalars, rj::Expr;
  return {{.name = "birth",
           .back_name = "death",
           .from = 0,
           .to = 1,
           .map = std::make_shared<const rj::SmoothMap>(rj::MapFormulas{
               .size = 1,
               .forward = [](Scalars u) { return std::vector<Expr>{sinh(u[0])}; },
               .inverse = [](Scalars m) { return std::vector<Expr>{asinh(m[0])}; }}),
           .there = {.probability = 0.5, .auxiliary = rj::normal_auxiliary(1, 0.8, 0.4)},
           .back = {.probability = 0.4}}};
}

double exact_odds(double half_width) {
  const double root = std::sqrt(6.0);
  const double mass =
      numerics::phi((half_width - 1.0) * root) - numerics::phi((-half_width - 1.0) * root);
  return 2.0 * half_width * std::exp(-3.0) * root / std::sqrt(2.0 * 3.14159265358979324) / mass;
}

StoredDraws draws_of(const rj::Family& family, Index num_draws) {
  const rj::Jumps jumps(family, birth_and_death());
  StoredDraws store;
  rj::run(jumps, {.num_chains = 4, .num_warmup = 200, .num_draws = num_draws, .seed = 1}, store);
  return store;
}

// Odds of A over all draws so far, chain by chain.
void write_running_odds(const density::Draws& draws, examples::Table& table) {
  std::array<double, 4> in_b{};
  for (Index i = 0; i < draws.num_draws(); ++i) {
    std::vector<double> row = {static_cast<double>(i + 1)};
    for (Index c = 0; c < 4; ++c) {
      in_b[static_cast<std::size_t>(c)] += draws(i, c, 0);
      const double b = in_b[static_cast<std::size_t>(c)];
      row.push_back((static_cast<double>(i + 1) - b) / b);
    }
    if (i % 100 == 99) table.row(std::move(row));
  }
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Two models and their Bayes factor by reversible jumps", argc,
                                  argv);
  experiment.within("odds / L, L large, against 0.0973", exact_odds(10.0) / 10.0, 0.0973043, 1e-7);
  examples::Table& odds = experiment.table("odds", {"L", "odds", "error", "exact"});
  for (const double half_width : {1.0, 2.0, 3.0, 5.0, 10.0, 20.0}) {
    const rj::Family family = models(half_width);
    const StoredDraws store = draws_of(family, 20'000);
    const rj::LogOdds found = rj::log_odds(store.draws, 1, 0);
    const double exact = exact_odds(half_width);
    experiment.within("log odds of A at L = " + std::to_string(static_cast<int>(half_width)),
                      found.value, std::log(exact), 4.0 * found.mcse);
    odds.row({half_width, std::exp(found.value), std::exp(found.value) * 2.0 * found.mcse, exact});
    if (half_width == 10.0)
      write_running_odds(store.draws,
                         experiment.table("running", {"iteration", "1", "2", "3", "4"}));
    experiment.at_most("its standard error", found.mcse, 0.05);
  }
  return experiment.finish();
}
