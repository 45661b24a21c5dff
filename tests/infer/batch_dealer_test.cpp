// Batches of a population on several threads: the same answers, and what goes wrong is told.
#include "infer/core/batch_dealer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "infer/core/sample.hpp"
#include "infer/core/table.hpp"
#include "infer/ensemble/ensemble.hpp"
#include "infer/smc/tempered_smc.hpp"
#include "support/targets.hpp"

namespace credo::infer::batch_dealer_test {
namespace {

// log density -x², so slow that it is worth dealing; notes the threads that evaluated it.
class Slow final : public density::LogDensity {
 public:
  Index dimension() const override { return 1; }
  bool has_gradient() const override { return false; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Work>(*this);
  }
  std::string describe(const density::Status&) const override { return "at 13"; }

  double refused_from = 1e300;
  mutable std::atomic<bool> fails = false;
  mutable std::mutex mutex;
  mutable std::set<std::thread::id> threads;

 private:
  class Work final : public density::Evaluator {
   public:
    explicit Work(const Slow& all) : all_(all) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      {
        const std::lock_guard lock(all_.mutex);
        all_.threads.insert(std::this_thread::get_id());
      }
      for (density::Request* request : batch) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
        while (std::chrono::steady_clock::now() < end) {
        }
        const double x = request->position[0];
        if (all_.fails && x == 13.0) throw Error(ErrorCode::evaluation, "thirteen");
        request->log_density = -x * x;
        request->status = {.source = x == 13.0 || x >= all_.refused_from ? 1 : 0};
      }
    }

   private:
    const Slow& all_;
  };
};

class Batch {
 public:
  explicit Batch(std::size_t size) : positions_(size), requests_(size) {
    for (std::size_t k = 0; k < size; ++k) {
      positions_[k] = static_cast<double>(k);
      requests_[k].position = std::span(&positions_[k], 1);
      pointers.push_back(&requests_[k]);
    }
  }
  void expect_answered() const {
    for (std::size_t k = 0; k < requests_.size(); ++k) {
      const double x = positions_[k];
      EXPECT_EQ(requests_[k].log_density, -x * x);
      EXPECT_EQ(requests_[k].status.ok(), x != 13.0);
    }
  }
  std::vector<density::Request*> pointers;

 private:
  std::vector<double> positions_;
  std::vector<density::Request> requests_;
};

TEST(batch_dealer, gives_every_point_its_answer_on_several_threads) {
  const Slow density;
  BatchDealer dealer(density, 3);
  for (const std::size_t size : {1U, 7U, 16U, 17U, 64U, 131U, 131U, 131U, 131U}) {
    const Batch batch(size);
    dealer.evaluate(density::Want::value, batch.pointers);
    batch.expect_answered();
  }
  EXPECT_GT(density.threads.size(), 1U);
}

TEST(batch_dealer, tells_what_went_wrong_on_any_thread) {
  const Slow density;
  BatchDealer dealer(density, 2);
  const Batch batch(64);
  for (int k = 0; k < 5; ++k) dealer.evaluate(density::Want::value, batch.pointers);
  density.fails = true;
  EXPECT_THROW(dealer.evaluate(density::Want::value, batch.pointers), Error);
  density.fails = false;
  dealer.evaluate(density::Want::value, batch.pointers);
  batch.expect_answered();
}

TEST(batch_dealer, leaves_cheap_batches_to_one_thread) {
  const auto normal = testing::standard_normal(1).density;
  BatchDealer dealer(*normal, 2);
  const Batch batch(32);
  for (int k = 0; k < 10; ++k) dealer.evaluate(density::Want::value, batch.pointers);
}

// One ensemble: as many draws as walkers, equal for any number of threads.
TEST(batch_dealer, changes_no_draw_of_an_ensemble) {
  const Slow density;
  const auto draws = [&](Index num_threads) {
    StoredDraws store;
    run_chains(density,
               {.sampler = "ensemble",
                .num_chains = 1,
                .num_warmup = 10,
                .num_draws = 20,
                .num_threads = num_threads,
                .kernel = EnsembleOptions{.num_walkers = 64}},
               store);
    return std::vector<double>(store.draws.quantity(0).begin(), store.draws.quantity(0).end());
  };
  density.threads.clear();
  const std::vector<double> alone = draws(1);
  EXPECT_EQ(density.threads.size(), 1U);
  EXPECT_EQ(draws(3), alone);
  EXPECT_GT(density.threads.size(), 1U);
}

// One population moves in parts: the same draws, evaluations and refusals for any number of threads.
TEST(batch_dealer, changes_nothing_of_a_population) {
  Slow density;
  density.refused_from = 1.0;
  const auto run = [&](Index num_threads) {
    StoredDraws store;
    const RunResult result = run_chains(density,
                                        {.sampler = "smc",
                                         .num_chains = 1,
                                         .num_warmup = 0,
                                         .num_draws = 300,
                                         .num_threads = num_threads,
                                         .kernel = SmcOptions{.from = PathStart::normal}},
                                        store);
    EXPECT_EQ(result.refusals.size(), 1U);
    return std::tuple(
        std::vector<double>(store.draws.quantity(0).begin(), store.draws.quantity(0).end()),
        result.chains[0].num_evaluations, result.refusals.at(0).count);
  };
  density.threads.clear();
  const auto alone = run(1);
  EXPECT_EQ(density.threads.size(), 1U);
  EXPECT_EQ(run(3), alone);
  EXPECT_GT(density.threads.size(), 1U);
}

}  // namespace
}  // namespace credo::infer::batch_dealer_test
