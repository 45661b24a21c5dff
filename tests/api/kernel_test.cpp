// Kernels and proposals of a program's own, alone and composed with those of the library.
#include "credo/kernel.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/kernel.hpp"
#include "api/own_kernels.hpp"
#include "api/support.hpp"
#include "base/archive.hpp"
#include "base/rng.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/invariance/suite.hpp"
#include "results/files/fit.hpp"
#include "results/files/run_spec.hpp"

namespace credo::kernel_test {
namespace {
namespace fs = std::filesystem;

Model schools(Index max_lanes = 8) {
  return stan_text(kSchoolsProgram, kSchoolsData, {.max_lanes = max_lanes});
}

bool same_draws(const Fit& a, const Fit& b) {
  return std::ranges::all_of(a.names(), [&](const std::string& name) {
    const Draws x = a.draws(name), y = b.draws(name);
    return std::ranges::equal(x.element(0), y.element(0));
  });
}

void expect_said(const std::string& said, const std::string& part) {
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

// ---- draws

TEST(own_kernels, draw_what_the_library_draws_where_the_algorithm_is_the_same) {
  SampleOptions options{.chains = 3, .warmup = 0, .draws = 400, .seed = 5};
  options.scheme = walk(0.3);
  const Fit mine = sample(schools(), options);
  options.scheme = kernel("rwm", {{"scale", 0.3}, {"metric", "unit_e"}});
  EXPECT_TRUE(same_draws(mine, sample(schools(), options)));
  options.scheme = metropolis({[](auto from, auto to, Random& random) {
                                 for (std::size_t d = 0; d < to.size(); ++d)
                                   to[d] = from[d] + 0.3 * random.normal();
                               },
                               symmetric});
  EXPECT_TRUE(same_draws(mine, sample(schools(), options)));
  options.seed = 6;
  EXPECT_FALSE(same_draws(mine, sample(schools(), options)));
}

Scheme some_of_each() {
  return blocks(
      {{{"mu", "tau"}, mixture({{0.6, langevin(0.1)}, {0.4, tuned_walk()}})},
       {{"eta"}, cycle({kernel("nuts", {{"max-depth", 4}}), on({"eta[1:3]"}, tuned_walk())})},
       {{"tau"}, metropolis({draw_multiples, log_ratio_of_multiples})}});
}

TEST(own_kernels, draw_the_same_with_any_number_of_threads_and_lanes) {
  SampleOptions options{.scheme = some_of_each(), .chains = 8, .warmup = 100, .draws = 50};
  options.seed = 11;
  const auto run = [&](Index threads, Index lanes) {
    options.threads = threads;
    return sample(schools(lanes), options);
  };
  const Fit first = run(1, 8);
  EXPECT_TRUE(same_draws(first, run(4, 8)));
  EXPECT_TRUE(same_draws(first, run(4, 1)));
  EXPECT_TRUE(same_draws(first, run(1, 1)));
}

// Means that differ by more than 5 of their standard errors: 6e-7 a comparison by chance.
TEST(own_kernels, find_the_posterior_that_nuts_finds) {
  const Fit nuts = sample(schools(), {.draws = 2000, .seed = 1});
  const Scheme schemes[] = {some_of_each(), mixture({{0.5, tuned_walk()}, {0.5, langevin(0.2)}})};
  for (const Scheme& scheme : schemes) {
    const Fit mine = sample(schools(), {.scheme = scheme, .draws = 10'000, .seed = 2});
    for (const char* name : {"mu", "tau", "eta.1", "eta.8", "theta.3"}) {
      const SummaryRow x = nuts.summary(name), y = mine.summary(name);
      EXPECT_LT(std::abs(x.mean - y.mean), 5.0 * std::hypot(x.mcse_mean, y.mcse_mean)) << name;
      EXPECT_LT(std::abs(x.sd - y.sd), 5.0 * std::hypot(x.mcse_sd, y.mcse_sd)) << name;
    }
  }
}

TEST(own_kernels, run_on_callables_and_on_traced_ones) {
  const SampleOptions options{.scheme = cycle({on({"mu", "tau"}, walk(1.0)), tuned_walk()}),
                              .chains = 2,
                              .warmup = 200,
                              .draws = 200,
                              .seed = 3};
  for (const Model& model : {traced_schools(), plain_schools(), hand_written_schools()}) {
    const Fit fit = sample(model, options);
    EXPECT_EQ(fit.num_draws(), 200);
    EXPECT_GT(fit.summary("tau").sd, 0.0);
    EXPECT_FALSE(fit.verdict().sentence.empty());
  }
}

TEST(own_kernels, report_what_compositions_report) {
  const Fit fit = sample(schools(), {.scheme = mixture({{1, walk(0.3)}, {1, kernel("nuts")}}),
                                     .chains = 1,
                                     .warmup = 50,
                                     .draws = 100});
  for (const char* name : {"log_density", "accept_stat", "num_evaluations", "divergent"})
    EXPECT_EQ(fit.draws(name).num_draws(), 100) << name;
}

// One that decides nothing leaves the acceptance to others.
TEST(own_kernels, may_have_no_acceptance) {
  const Scheme still = own_step([](Point&, Random&) -> Step { co_return {}; });
  const SampleOptions options{
      .scheme = cycle({still, walk(0.3)}), .chains = 1, .warmup = 0, .draws = 100, .seed = 4};
  SampleOptions alone = options;
  alone.scheme = walk(0.3);
  const Fit both = sample(schools(), options), one = sample(schools(), alone);
  EXPECT_TRUE(std::ranges::equal(both.draws("accept_stat").element(0),
                                 one.draws("accept_stat").element(0)));
  alone.scheme = still;
  EXPECT_EQ(sample(schools(), alone).draws("accept_stat")(0, 0), 1.0);
}

// The coroutine that waits for an answer goes with the run.
TEST(own_kernels, can_be_stopped_while_they_wait) {
  std::atomic<bool> stop = false;
  SampleOptions options{.scheme = some_of_each(), .chains = 2, .warmup = 100, .draws = 1'000'000};
  options.stop = &stop;
  options.threads = 1;  // so that no chain is behind the other
  options.on_progress = [&](const Progress& p) {
    if (p.iteration > 500) stop = true;
  };
  const Fit fit = sample(schools(), options);
  EXPECT_TRUE(fit.interrupted());
  EXPECT_GT(fit.num_draws(), 0);
}

// ---- warm-up, state and files

class OwnFiles : public ::testing::Test {
 protected:
  OwnFiles() { fs::create_directories(folder_); }
  ~OwnFiles() override { fs::remove_all(folder_); }
  std::unique_ptr<results::Fit> saved(const Scheme& scheme) {
    const std::string path = folder_ / "fit.nc";
    sample(schools(), {.scheme = scheme, .chains = 2, .warmup = 150, .draws = 40}).save(path);
    return results::open_fit(std::span(&path, 1));
  }
  fs::path folder_ = fs::temp_directory_path() / ("credo_kernels_" + std::to_string(getpid()));
};

TEST_F(OwnFiles, have_what_warm_up_tuned) {
  const auto fit = saved(tuned_walk());
  std::map<std::string, std::vector<double>> tuned;
  for (const infer::TunedSetting& setting : fit->result().chains.at(0).tuned)
    tuned[setting.name] = setting.values;
  EXPECT_EQ(tuned.at("num_learnt"), std::vector<double>{150.0});
  EXPECT_EQ(tuned.at("finished"), std::vector<double>{1.0});
  EXPECT_NE(tuned.at("scale").at(0), 1.0);
}

// What they say of the run can be read, and not be run again.
TEST_F(OwnFiles, name_kernels_that_no_command_can_run) {
  const auto options_of = [&](const Scheme& scheme) {
    return results::parse_run_spec(saved(scheme)->origin().spec, "fit.nc").run;
  };
  EXPECT_NO_THROW(infer::require_kernels(options_of(cycle({kernel("nuts"), kernel("slice")}))));
  const infer::SampleOptions own = options_of(cycle({kernel("nuts"), walk(0.3)}));
  expect_said(
      message_of([&] { infer::require_kernels(own); }),
      "the kernel 'walk' is of a program of its own, and isn't here (run that program again");
  const infer::SampleOptions proposal =
      options_of(metropolis({draw_multiples, log_ratio_of_multiples}));
  expect_said(message_of([&] { infer::require_kernels(proposal); }), "the kernel 'metropolis'");
}

TEST(own_kernels, go_on_from_what_they_saved) {
  const infer::SampleOptions run;
  const auto make = own_kernel(
      "tuned_walk", [](Index dimension) { return std::make_unique<TunedWalk>(dimension); });
  const infer::invariance::Target target = infer::invariance::banana();
  const auto evaluator = target.density->make_evaluator();
  const auto first = make({.run = run, .dimension = 2}),
             second = make({.run = run, .dimension = 2});
  infer::PointState at = infer::invariance::state_at(*evaluator, std::vector<double>{0.3, 0.1});
  const auto move = [&](infer::TransitionKernel& kernel, infer::PointState& state, Index i) {
    Rng rng({.seed = 1, .iteration = static_cast<std::uint32_t>(i)});
    infer::invariance::run_alone(kernel.step(state, rng), *evaluator);
    kernel.learn();
  };
  for (Index i = 0; i < 30; ++i) move(*first, at, i);
  ArchiveWriter written;
  first->save(written);
  ArchiveReader read(written.bytes(), "bytes");
  second->load(read);
  infer::PointState same = at;
  for (Index i = 30; i < 60; ++i) {
    move(*first, at, i);
    move(*second, same, i);
    ASSERT_EQ(at.position, same.position) << i;
  }
}

// ---- what ends a run

TEST(own_kernels, that_throw_end_the_run_and_are_carried) {
  for (const Index threads : {1, 3}) {
    const Scheme broken = own_step([](Point&, Random& random) -> Step {
      if (random.uniform() < 0.01) throw std::domain_error("out of fuel");
      co_return {};
    });
    try {
      sample(schools(), {.scheme = broken, .threads = threads});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::evaluation);
      expect_said(error.what(), "kernel 'mine': step threw: out of fuel");
      EXPECT_THROW(std::rethrow_if_nested(error), std::domain_error);
    }
  }
}

// Each of its functions, and the maker.
class Throwing final : public Kernel {
 public:
  explicit Throwing(std::string where) : where_(std::move(where)) {}
  Step step(Point&, Random&) override { co_return {}; }
  bool needs_gradient() const override { return thrown("needs_gradient"), false; }
  void learn(const Point&, const Transition&) override { thrown("learn"); }
  void finish_warmup() override { thrown("finish_warmup"); }
  std::vector<Setting> settings() const override {
    return thrown("settings"), std::vector<Setting>();
  }

 private:
  void thrown(const std::string& here) const {
    if (here == where_) throw std::runtime_error("no " + here);
  }
  std::string where_;
};

TEST(own_kernels, say_which_of_their_functions_threw) {
  for (const std::string where : {"needs_gradient", "learn", "finish_warmup", "settings"}) {
    const Scheme scheme = own("it", [=](Index) { return std::make_unique<Throwing>(where); });
    expect_said(message_of([&] { sample(schools(), {.scheme = scheme}); }),
                "kernel 'it': " + where + " threw: no " + where);
  }
  const Scheme unmade = own("it", [](Index) -> std::unique_ptr<Kernel> { throw 7; });
  expect_said(message_of([&] { sample(schools(), {.scheme = unmade}); }),
              "kernel 'it': its maker threw what isn't a std::exception");
  const Scheme none = own("it", [](Index) { return nullptr; });
  expect_said(message_of([&] { sample(schools(), {.scheme = none}); }), "its maker made none");
}

// What a step that moves wrongly is told: `how` is a coroutine.
template <class How>
std::string said_of_step(How how) {
  return message_of([&] { sample(schools(), {.scheme = own_step(how), .chains = 1}); });
}

TEST(own_kernels, are_refused_where_they_move_wrongly) {
  expect_said(said_of_step([to = std::vector<double>(10, NAN)](Point& at, Random&) -> Step {
                at.move_to(co_await evaluate(to));
                co_return {};
              }),
              "it moves to log density -inf (stay where a point is refused");
  expect_said(said_of_step([](Point& at, Random&) -> Step {
                at.move_to({.position = {}, .log_density = NAN});
                co_return {};
              }),
              "it moves to log density nan");
  expect_said(said_of_step([to = std::vector<double>(3)](Point&, Random&) -> Step {
                co_await evaluate(to);
                co_return {};
              }),
              "it asks at 3 values, and moves 10 (ask at as many");
  expect_said(said_of_step([to = std::vector<double>(3)](Point& at, Random&) -> Step {
                at.move_to({.position = to});
                co_return {};
              }),
              "it moves to 3 values of 10");
  expect_said(said_of_step([to = std::vector<double>(10)](Point&, Random&) mutable -> Step {
                co_await evaluate(to, to);
                co_return {};
              }),
              "it asks for a gradient, and doesn't say that it needs one (override needs_gradient");
  expect_said(said_of_step([](Point&, Random&) -> Step { co_return {.accept_prob = 1.5}; }),
              "accept_prob must be in [0, 1], or NaN without a decision, is 1.5 (cut it");
  expect_said(said_of_step([](Point&, Random& random) -> Step {
                random.index_below(0);
                co_return {};
              }),
              "index_below needs a number >= 1, is given 0");
}

// Asks for gradients with the wrong room, or for none where it must.
class Half final : public Kernel {
 public:
  explicit Half(std::size_t room) : gradient_(room) {}
  bool needs_gradient() const override { return true; }
  Step step(Point& at, Random&) override {
    to_.assign(at.position().begin(), at.position().end());
    at.move_to(co_await evaluate(to_, gradient_));
    co_return {};
  }

 private:
  std::vector<double> to_, gradient_;
};

TEST(own_kernels, are_refused_where_a_gradient_is_missing) {
  const auto said = [](const Model& model, std::size_t room) {
    return message_of([&] {
      sample(model, {.scheme = own("half", [=](Index) { return std::make_unique<Half>(room); })});
    });
  };
  expect_said(said(schools(), 4), "room for 4 derivatives of 10");
  expect_said(said(schools(), 0), "a point without a gradient, and needs one (ask with");
  expect_said(said(plain_schools(), 10),
              "kernel 'half': it needs a gradient, and the log density has none");
  EXPECT_EQ(said(schools(), 10), "no error");
}

TEST(own_kernels, have_settings_with_names_of_files) {
  class Named final : public Kernel {
   public:
    Step step(Point&, Random&) override { co_return {}; }
    std::vector<Setting> settings() const override { return {{"my scale", {1.0}}}; }
  };
  const Scheme named = own("it", [](Index) { return std::make_unique<Named>(); });
  expect_said(message_of([&] { sample(schools(), {.scheme = named}); }),
              "a setting is called 'my scale' (take letters");
}

TEST(own_proposals, are_refused_where_they_are_no_numbers) {
  const auto said = [](Proposal proposal) {
    return message_of([&] { sample(schools(), {.scheme = metropolis(proposal)}); });
  };
  const auto stay = [](auto from, auto to, Random&) { std::ranges::copy(from, to.begin()); };
  expect_said(
      said({[](auto, auto to, Random&) { std::ranges::fill(to, 0.0), to[2] = NAN; }, symmetric}),
      "proposal: value 2 that it draws must be finite, is nan");
  for (const double wrong : {NAN, INFINITY})
    expect_said(said({stay, [=](auto, auto) { return wrong; }}),
                "log_ratio must be a number below infinity");
  expect_said(said({stay, [](auto, auto) -> double { throw std::runtime_error("no ratio"); }}),
              "proposal: log_ratio threw: no ratio");
  EXPECT_EQ(said({stay, symmetric}), "no error");
}

// Two far modes that a predictor names, with weights 1/4 and 3/4: the walk alone stays in one. Within
// four errors of some 1,000 independent jumps.
TEST(own_proposals, that_predict_modes_jump_between_them) {
  const Model modes = stan_text(
      "parameters { real x; } model { target += log_mix(0.25, normal_lpdf(x | -20, 1), "
      "normal_lpdf(x | 20, 1)); }");
  const Proposal two = predicted({{.mean = {-20.0}, .sd = {1.5}}, {.mean = {20.0}, .sd = {1.5}}});
  const Fit fit = sample(modes, {.scheme = mixture({{0.6, kernel("rwm")}, {0.4, metropolis(two)}}),
                                 .warmup = 100,
                                 .draws = 5000,
                                 .seed = 3});
  double low = 0.0;
  const Draws x = fit.draws("x");
  for (const double value : x.element(0)) low += value < 0.0;
  EXPECT_NEAR(low / 20'000.0, 0.25, 4.0 * std::sqrt(0.25 * 0.75 / 1000.0));
}

// A stationary autoregression, observed with noise.
constexpr const char* kPath = R"(
data { vector[8] y; }
parameters { real mean; vector[8] x; }
model {
  mean ~ normal(0, 1);
  x[1] ~ normal(0, 1.4);
  x[2:8] ~ normal(0.7 * x[1:7], 1);
  y ~ normal(mean + x, 0.5);
})";

// The values of a stretch from the left, each given the one before: the last one's distribution given the one
// behind the stretch is left to log_prior, so that windows have one value.
void regenerate_value(std::span<double> x, Index begin, Index, Random& random) {
  const auto i = static_cast<std::size_t>(begin);
  const double before = i == 0 ? 1.0 / (1.4 * 1.4) : 1.0, after = i == 7 ? 0.0 : 0.7 * 0.7;
  const double precision = before + after;
  const double weighted = (i == 0 ? 0.0 : 0.7 * x[i - 1]) + (i == 7 ? 0.0 : 0.7 * x[i + 1]);
  x[i] = weighted / precision + random.normal() / std::sqrt(precision);
}
double log_prior_of_path(std::span<const double> x) {
  double sum = -0.5 * x[0] * x[0] / (1.4 * 1.4);
  for (std::size_t t = 1; t < 8; ++t) sum -= 0.5 * std::pow(x[t] - 0.7 * x[t - 1], 2);
  return sum;
}

TEST(own_proposals, that_regenerate_a_path_find_its_posterior) {
  const Model model = stan_text(kPath, R"({"y": [0.9, 1.4, 0.2, -0.1, 0.8, 1.9, 2.2, 1.0]})");
  const Scheme window = metropolis(
      regenerated({.count = 8, .regenerate = regenerate_value, .log_prior = log_prior_of_path}));
  const Scheme sweep = cycle({on({"mean"}, kernel("rwm")), on({"x"}, cycle({window, window}))});
  const Fit nuts = sample(model, {.seed = 1});
  const Fit mine = sample(model, {.scheme = sweep, .draws = 20'000, .seed = 2});
  for (const std::string& name : mine.names()) {
    const SummaryRow a = nuts.summary(name), b = mine.summary(name);
    EXPECT_LT(std::abs(a.mean - b.mean), 5.0 * std::hypot(a.mcse_mean, b.mcse_mean)) << name;
  }
}

TEST(own_proposals, of_the_library_are_refused_where_they_do_not_fit) {
  expect_said(message_of([] { predicted({}); }), "a prediction has a finite weight");
  expect_said(message_of([] { predicted({{.mean = {1.0}, .sd = {0.0}}}); }), "deviation > 0");
  expect_said(message_of([] { regenerated({.count = 8}); }), "both regenerate and log_prior");
  expect_said(message_of([] {
                regenerated({.regenerate = regenerate_value, .log_prior = log_prior_of_path});
              }),
              "at least one coordinate");
  const Scheme one = metropolis(predicted({{.mean = {1.0}, .sd = {1.0}}}));
  expect_said(message_of([&] { sample(schools(), {.scheme = one}); }),
              "it is made for 1 values, is given 10 (put it on");
}

// ---- schemes

TEST(schemes, are_refused_at_once_where_they_make_no_sense) {
  expect_said(message_of([] { kernel("nutz"); }), "nutz");
  expect_said(message_of([] { kernel("ensemble"); }), "'ensemble' can't be a part");
  expect_said(message_of([] { kernel("composition"); }), "a composition is no sampler");
  expect_said(message_of([] { kernel("nuts", {{"no-such-option", 1}}); }), "no_such_option");
  expect_said(message_of([] { cycle({}); }), "a composition has no part (give it one");
  expect_said(message_of([] { on({}, walk(1.0)); }), "'on' names no parameter");
  expect_said(message_of([] { own("it", nullptr); }), "the maker of kernel 'it' is empty");
  expect_said(message_of([] {
                metropolis({draw_multiples, nullptr});
              }),
              "has no log_ratio (give both");
  expect_said(message_of([] { metropolis({nullptr, symmetric}); }), "has no draw");
  for (const double weight : {0.0, -1.0, double{NAN}, double{INFINITY}})
    expect_said(message_of([=] {
                  mixture({{1.0, walk(1.0)}, {weight, walk(2.0)}});
                }),
                "weight must be > 0 and finite");
}

TEST(schemes, are_refused_where_they_do_not_fit_the_model) {
  const auto said = [](const Scheme& scheme, const Model& model = schools()) {
    return message_of([&] { sample(model, {.scheme = scheme}); });
  };
  expect_said(said(cycle({on({"nu"}, walk(1.0)), walk(1.0)})), "no parameter that 'nu' fits");
  expect_said(said(on({"mu", "eta"}, walk(1.0))), "no part of the scheme moves tau");
  expect_said(said(on({"mu"}, on({"tau"}, walk(1.0)))),
              "the part moves tau, which the part around");
  expect_said(said(cycle({kernel("slice"), kernel("nuts")}), plain_schools()),
              "nuts needs a gradient");
}

TEST(schemes, are_told_apart_from_samplers_and_their_options) {
  const auto said = [](SampleOptions options) {
    options.scheme = walk(0.3);
    return message_of([&] { sample(schools(), options); });
  };
  expect_said(said({.sampler = "slice"}), "a scheme names its samplers itself");
  expect_said(said({.options = {{"max-depth", 3}}}), "the scheme gives the options of samplers");
  expect_said(said({.options = {{"init-buffer", "x"}}}), "init_buffer must be");
  EXPECT_EQ(said({.warmup = 50, .draws = 10, .options = {{"init-buffer", 10}}}), "no error");
}

}  // namespace
}  // namespace credo::kernel_test
