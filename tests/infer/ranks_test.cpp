// Runs over ranks are the run of one process, bit for bit, for any number of ranks; what goes wrong on one is told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "infer/core/far_evaluators.hpp"
#include "infer/core/rank_share.hpp"
#include "infer/core/table.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/quick_options.hpp"
#include "infer/tape.hpp"
#include "support/share.hpp"
#include "support/targets.hpp"
#include "support/thread_ranks.hpp"

namespace credo::infer::ranks_test {
namespace {
using namespace credo::testing;

SampleOptions rank_run(const std::string& sampler, Index num_chains) {
  SampleOptions options{.sampler = sampler,
                        .num_chains = num_chains,
                        .num_warmup = 60,
                        .num_draws = 40,
                        .save_warmup = true,
                        .seed = 7,
                        .num_threads = 1};
  if (!find_sampler(sampler).has_warmup) options.num_warmup = 0;
  return options;
}

// What a run said: the draws, rows and figures of each chain, without times.
struct Said {
  std::vector<Tape::Bits> told;
  std::string figures;
  bool operator==(const Said&) const = default;
};

std::string figures_of(const RunResult& run) {
  ArchiveWriter writer;
  for (ChainResult chain : run.chains) {
    chain.warmup_seconds = 0.0;
    writer(chain);
  }
  writer(run.divergences);
  for (const Refusal& refusal : run.refusals) writer(refusal.kind)(refusal.count);
  writer(run.interrupted);
  return writer.take();
}

Said alone(const density::LogDensity& density, const SampleOptions& options) {
  Tape tape(-1, options.num_chains);
  const RunResult run = run_chains(density, options, tape);
  return {tape.told, figures_of(run)};
}

// Each rank with options and a density of its own, which are equal unless a test plants something.
struct RankPlan {
  std::function<SampleOptions(Index rank)> options;
  std::function<const density::LogDensity&(Index rank)> density;
};
Said over_ranks(Index num_ranks, const RankPlan& plan) {
  Tape tape(-1, plan.options(0).num_chains);
  Said said;
  ThreadRanks(num_ranks).run([&](Ranks& ranks) {
    Tape none(-1, plan.options(0).num_chains);  // of the other ranks: stays empty
    const RunResult run = run_chains(plan.density(ranks.rank()), plan.options(ranks.rank()),
                                     ranks.rank() == 0 ? tape : none);
    said.figures = figures_of(run);
  });
  said.told = tape.told;
  return said;
}
Said over_ranks(Index num_ranks, const density::LogDensity& density, const SampleOptions& options) {
  return over_ranks(num_ranks, {[&](Index) { return options; },
                                [&](Index) -> const density::LogDensity& { return density; }});
}

// As another density, but each point takes a while, so that batches are worth sending; notes the threads.
class Slowed final : public density::LogDensity {
 public:
  Slowed(const density::LogDensity& inner, Index microseconds)
      : inner_(inner), microseconds_(microseconds) {}
  Index dimension() const override { return inner_.dimension(); }
  bool has_gradient() const override { return inner_.has_gradient(); }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Work>(*this);
  }
  std::string describe(const density::Status& status) const override {
    return inner_.describe(status);
  }
  std::optional<density::Start> draw_start(Rng& rng, double radius) const override {
    return inner_.draw_start(rng, radius);
  }
  density::Capability can_draw() const override { return inner_.can_draw(); }
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override {
    return inner_.make_exact_draws();
  }
  std::unique_ptr<density::LogDensity> prior() const override { return inner_.prior(); }

  mutable std::mutex mutex;
  mutable std::set<std::thread::id> threads;

 private:
  class Work final : public density::Evaluator {
   public:
    explicit Work(const Slowed& all) : all_(all), inner_(all.inner_.make_evaluator()) {}
    void evaluate(density::Want want, std::span<density::Request* const> batch) override {
      inner_->evaluate(want, batch);
      {
        const std::lock_guard lock(all_.mutex);
        all_.threads.insert(std::this_thread::get_id());
      }
      const auto end = std::chrono::steady_clock::now() +
                       std::chrono::microseconds(all_.microseconds_ * ssize(batch));
      while (std::chrono::steady_clock::now() < end) {
      }
    }

   private:
    const Slowed& all_;
    std::unique_ptr<density::Evaluator> inner_;
  };
  const density::LogDensity& inner_;
  const Index microseconds_;
};

TEST(ranks, every_job_has_one_leader_and_every_rank_one_team) {
  for (Index num_ranks = 1; num_ranks <= 9; ++num_ranks)
    for (Index num_jobs = 1; num_jobs <= 9; ++num_jobs) {
      SCOPED_TRACE(fmt::format("{} jobs over {} ranks", num_jobs, num_ranks));
      std::vector<Index> num_leaders(static_cast<std::size_t>(num_jobs), 0);
      for (Index r = 0; r < num_ranks; ++r) {
        const RankShare share = share_of(r, num_ranks, num_jobs);
        EXPECT_TRUE(share.leads(r) || (r >= share.first_helper && r < share.end_rank));
        EXPECT_TRUE(share.end_rank == share.first_helper || share.end_job == share.first_job + 1);
        for (Index c = 0; share.leads(r) && c < num_jobs; ++c)
          num_leaders[static_cast<std::size_t>(c)] += share.has(c) ? 1 : 0;
      }
      for (const Index count : num_leaders) EXPECT_EQ(count, 1);
    }
}

// 2 chains over 3 ranks: one has a helper.
TEST(ranks, have_the_draws_of_one_process_for_every_sampler) {
  Index num_samplers = 0;
  for (const SamplerSpec* row : samplers()) {
    if (!is_sampler(*row) || row->needs_states || row->needs_rows || row->needs_program ||
        row->needs_simulations)
      continue;
    SCOPED_TRACE(row->name);
    // Rejection takes a million tries a draw of the larger one.
    const KnownPosterior model = row->name == "rejection" ? half() : conjugate_posterior();
    SampleOptions options = rank_run(std::string(row->name), 2);
    options.kernel = quick_options(*row);
    EXPECT_EQ(over_ranks(3, *model.density, options), alone(*model.density, options));
    ++num_samplers;
  }
  EXPECT_GE(num_samplers, 20);
}

TEST(ranks, have_the_draws_of_one_process_for_any_number_of_ranks) {
  const auto density = eight_schools();
  const SampleOptions options = rank_run("nuts", 3);
  const Said whole = alone(*density, options);
  for (const Index num_ranks : {2, 3, 4, 5}) {
    SCOPED_TRACE(num_ranks);
    EXPECT_EQ(over_ranks(num_ranks, *density, options), whole);
  }
}

// A population over three ranks, two of which evaluate points for the first; half of the line is refused. Batches of
// ensembles and ladders are of a few points.
LONG_TEST(ranks, share_the_points_of_one_population) {
  const KnownPosterior posterior = half();
  const std::pair<const char*, Index> populations[] = {
      {"smc", 10}, {"nested", 10}, {"ais", 10}, {"ensemble", 150}, {"tempering", 150}};
  for (const auto& [name, microseconds] : populations) {
    SCOPED_TRACE(name);
    const Slowed slow(*posterior.density, microseconds);
    SampleOptions options = rank_run(name, 1);
    if (options.num_warmup > 0) options.num_warmup = options.num_draws = 10;
    const Said whole = alone(slow, options);
    slow.threads.clear();
    EXPECT_EQ(over_ranks(3, slow, options), whole);
    EXPECT_EQ(slow.threads.size(), 3U) << "no rank helped";
  }
}

TEST(ranks, refuse_one_that_does_something_else_by_name) {
  const auto density = eight_schools();
  const auto options = [](Index rank) {
    SampleOptions own = rank_run("nuts", 2);
    own.seed += rank == 1 ? 1 : 0;
    return own;
  };
  try {
    over_ranks(2, {options, [&](Index) -> const density::LogDensity& { return *density; }});
    FAIL() << "a rank with another seed took part";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "the ranks don't do the same: seed is 7 on rank 0 and 8 on rank 1");
  }
  const auto other = standard_normal(10).density;
  EXPECT_THROW(over_ranks(2, {[](Index) { return rank_run("nuts", 2); },
                              [&](Index rank) -> const density::LogDensity& {
                                return rank == 0 ? *density : *other;
                              }}),
               Error);
}

// The comparison of these tests must see a rank whose arithmetic differs where nobody looks beforehand.
TEST(ranks, a_rank_with_other_bits_is_found_by_its_draws) {
  const auto density = standard_normal(2).density;
  const auto planted = density_of(2, [](Point x, Slope gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) gradient[d] = -x[d], sum -= 0.5 * x[d] * x[d];
    return x[0] > 1.0 ? std::nextafter(sum, 0.0) : sum;
  });
  const SampleOptions options = rank_run("rwm", 2);
  const RankPlan plan{
      [&](Index) { return options; },
      [&](Index rank) -> const density::LogDensity& { return rank == 0 ? *density : *planted; }};
  EXPECT_NE(over_ranks(2, plan), alone(*density, options));
}

TEST(ranks, a_failure_on_any_of_them_ends_the_run_with_its_words) {
  const auto density = normal_where(
      1, [](Point) { return true; }, kNaN);
  const auto nowhere = normal_where(
      1, [](Point x) { return std::abs(x[0] - 0.25) < 1e-9; }, kNaN);  // the point of comparison
  try {
    over_ranks(2, {[](Index) { return rank_run("rwm", 2); },
                   [&](Index rank) -> const density::LogDensity& {
                     return rank == 0 ? *density : *nowhere;
                   }});
    FAIL() << "the failure of a rank was lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::evaluation);
    EXPECT_EQ(error.where(), "chain 2");
  }
}

// From the end of warm-up, where every chain has a state, on another number of ranks.
TEST(ranks, go_on_from_the_states_of_a_run_on_others) {
  const auto density = eight_schools();
  SampleOptions options = rank_run("nuts", 3);
  Tape whole(options.num_warmup, 3), rest(-1, 3);
  ThreadRanks(2).run([&](Ranks&) { run_chains(*density, options, whole); });
  options.states = whole.states;
  ThreadRanks(4).run([&](Ranks& ranks) {
    SampleOptions own = options;
    if (ranks.rank() > 0) own.states = {};  // rank 0 alone has read them
    run_chains(*density, own, rest);
  });
  for (const std::string& state : whole.states) EXPECT_FALSE(state.empty());
  EXPECT_EQ(rest.told, whole.told_later());
}

// The flag is rank 0's; the chains would take days.
TEST(ranks, all_end_when_rank_0_is_told_to) {
  const auto density = eight_schools();
  StopFlag stop{false};
  ThreadRanks room(3);
  bool interrupted = false;
  const std::jthread clock([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = true;
  });
  room.run([&](Ranks& ranks) {
    SampleOptions own = rank_run("nuts", 3);
    own.num_draws = 1'000'000'000;
    own.thin = 1'000'000;
    if (ranks.rank() == 0) own.stop = &stop;
    Tape tape(-1, 3);
    interrupted = run_chains(*density, own, tape).interrupted;
  });
  EXPECT_TRUE(interrupted);
  EXPECT_EQ(room.num_shares_done(), 2);
}

}  // namespace
}  // namespace credo::infer::ranks_test
