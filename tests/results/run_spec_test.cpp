// Run specifications: what is written is read back; what isn't one is refused with its place.
#include "results/files/run_spec.hpp"

#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/smc/tempered_smc.hpp"

namespace credo::results::run_spec_test {
namespace {

RunSpec unusual_spec() {
  RunSpec spec;
  spec.model = {.model = "a \"b\".stan",
                .data = "d.json",
                .include_dirs = {"lib", "more"},
                .seed = 18446744073709551615u,
                .terms = "prior",
                .discrete = "gibbs",
                .max_lanes = 2};
  spec.run.num_chains = 7;
  spec.run.num_threads = 3;
  spec.run.seed = (std::uint64_t{1} << 60) + 1;
  spec.run.adapt.engaged = false;
  spec.run.adapt.schedule.init_buffer = 11;
  spec.run.kernel = infer::NutsOptions{.metric = infer::MetricKind::dense, .max_tree_depth = 5};
  spec.init = "0.25";
  spec.output = {
      .file = "o.nc", .selection = {.keep = {"theta[1,*]"}}, .no_data = true, .sig_figs = 4};
  return spec;
}

TEST(run_spec, comes_back_from_its_text) {
  const RunSpec spec = unusual_spec();
  const std::string text = to_json(spec);
  const RunSpec read = parse_run_spec(text, "spec.json");
  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.model.model, spec.model.model);
  EXPECT_EQ(read.model.seed, spec.model.seed);
  EXPECT_EQ(read.model.include_dirs, spec.model.include_dirs);
  EXPECT_EQ(read.run.seed, spec.run.seed);
  EXPECT_EQ(read.run.num_chains, 7);
  EXPECT_FALSE(read.run.adapt.engaged);
  EXPECT_EQ(read.run.adapt.schedule.init_buffer, 11);
  ASSERT_NE(read.run.kernel.as<infer::NutsOptions>(), nullptr);
  EXPECT_EQ(read.run.kernel.as<infer::NutsOptions>()->max_tree_depth, 5);
  EXPECT_EQ(read.run.kernel.as<infer::NutsOptions>()->metric, infer::MetricKind::dense);
  EXPECT_EQ(read.init, "0.25");
  EXPECT_EQ(read.output.selection.keep, spec.output.selection.keep);
  EXPECT_TRUE(read.output.no_data);
}

// So that no option of a sampler is lost, nor one of its warm-up.
TEST(run_spec, has_every_option_of_every_sampler) {
  for (const infer::SamplerSpec* row : infer::samplers()) {
    RunSpec spec;
    spec.run.sampler = row->name;
    spec.run.kernel = row->options();
    const std::string text = to_json(spec);
    for (const infer::FieldValue& field : infer::fields_of(row->options()))
      EXPECT_NE(text.find("\"" + std::string(field.spec.name) + "\""), std::string::npos);
    EXPECT_EQ(to_json(parse_run_spec(text, "spec.json")), text) << row->name;
  }
}

// A choice with options is an object; a name alone is read, too, as runs were written before.
TEST(run_spec, has_the_options_of_rows_that_options_name) {
  RunSpec spec;
  spec.run.sampler = "smc";
  spec.run.kernel = infer::find_sampler("smc").options();
  EXPECT_NE(to_json(spec).find("\"mover\":\"\""), std::string::npos);
  infer::set_field(spec.run.kernel, "mover", "nuts");
  infer::set_field(spec.run.kernel, "mover.max_tree_depth", "6");
  const std::string text = to_json(spec);
  const RunSpec read = parse_run_spec(text, "s");
  EXPECT_EQ(to_json(read), text);
  ASSERT_NE(read.run.kernel.as<infer::SmcOptions>(), nullptr);
  const infer::ChosenRow& mover = read.run.kernel.as<infer::SmcOptions>()->mover;
  EXPECT_EQ(mover.name, "nuts");
  ASSERT_NE(mover.options.as<infer::NutsOptions>(), nullptr);
  EXPECT_EQ(mover.options.as<infer::NutsOptions>()->max_tree_depth, 6);
  const RunSpec old = parse_run_spec(
      R"({"spec": 1, "algorithm": {"name": "smc", "options": {"mover": "rwm"}}})", "s");
  EXPECT_EQ(old.run.kernel.as<infer::SmcOptions>()->mover.name, "rwm");
}

TEST(run_spec, takes_points_to_begin_at) {
  RunSpec spec;
  spec.run.kernel = infer::NutsOptions{};
  spec.init.clear();
  spec.run.init = {{0.5, -1.25}, {kNaN, 3.0}};
  spec.run.init_radius = 0.01;
  const RunSpec read = parse_run_spec(to_json(spec), "spec.json");
  EXPECT_TRUE(read.init.empty());
  ASSERT_EQ(read.run.init.size(), 2u);
  EXPECT_EQ(read.run.init[0], spec.run.init[0]);
  EXPECT_TRUE(std::isnan(read.run.init[1][0]));
  EXPECT_EQ(read.run.init_radius, 0.01);
}

TEST(run_spec, that_says_little_has_the_defaults) {
  const RunSpec read = parse_run_spec(
      R"({"spec": 1, "model": {"program": "m.stan"}, "run": {"init": "prior", "num_draws": 5}})",
      "s");
  EXPECT_EQ(read.run.sampler, "nuts");
  EXPECT_EQ(read.run.num_draws, 5);
  EXPECT_EQ(read.run.num_warmup, 1000);
  EXPECT_NE(read.run.kernel.as<infer::NutsOptions>(), nullptr);
}

TEST(run_spec, that_can_be_repeated_lacks_what_changes_no_draw) {
  const RunSpec spec = unusual_spec(), again = spec.repeatable();
  EXPECT_EQ(again.run.num_threads, 0);
  EXPECT_EQ(again.model.max_lanes, 8);
  EXPECT_TRUE(again.output.file.empty());
  EXPECT_EQ(again.output.selection.keep, spec.output.selection.keep);
  EXPECT_EQ(again.run.seed, spec.run.seed);
}

struct Wrong {
  const char *text, *place, *said;
};
const Wrong kWrong[] = {
    {"[1]", "s", "must be an object"},
    {"{}", "s", "no run specification of this version"},
    {R"({"spec": 2})", "s", "no run specification of this version"},
    {R"({"spec": 1, "modle": {}})", "s:1:", "no member 'modle'"},
    {"{\"spec\": 1,\n \"run\": {\"num_drawn\": 3}}", "s:2:", "no member 'num_drawn'"},
    {R"({"spec": 1, "run": {"num_draws": -3}})", "s:1:", "num_draws"},
    {R"({"spec": 1, "run": {"num_draws": "many"}})", "s:1:", "must be a number"},
    {R"({"spec": 1, "run": {"num_draws": 1.5}})", "s:1:", "whole number"},
    {R"({"spec": 1, "run": {"save_warmup": 3}})", "s:1:", "true or false"},
    {R"({"spec": 1, "run": {"init": [1, 2]}})", "s:1:", "a point of init"},
    {R"({"spec": 1, "algorithm": {"name": "nut"}})", "s:1:", "no sampler 'nut'"},
    {R"({"spec": 1, "run": {"init_radius": 0.5}})", "s:1:", "given by init"},
    {R"({"spec": 1, "run": {"init": 1, "init_prior": true}})", "s:1:", "given by init"},
    {R"({"spec": 1, "run": {"seed": 9007199254740993}})", "s:1:", "2^53 or more"},
    {R"({"spec": 1, "model": {"max_trace_steps": 1e300}})", "s:1:", "2^53 or more"},
    {R"({"spec": 1, "algorithm": {"name": "slice", "options": {"max_tree_depth": 3}}})",
     "s:1:", "no member 'max_tree_depth'"},
    {R"({"spec": 1, "algorithm": {"options": {"metric": "round"}}})", "s:1:", "one of"},
    {R"({"spec": 1, "algorithm": {"name": "composition"}})", "s:1:", "needs a scheme"},
    {R"({"spec": 1, "algorithm": {"name": "composition", "scheme": {"cycle": []}}})",
     "s:1:", "no part"},
    {R"({"spec": 1, "algorithm": {"name": "composition", "scheme": {"sampler": "nuts"}, "options": {}}})",
     "s:1:", "no member 'options'"},
    {R"({"spec": 1, "model": {"program": ["m.stan"]}})", "s:1:", "program must be"},
    {R"({"spec": 1, "model": {"include": "lib"}})", "s:1:", "include"},
    {R"({"spec": 1, "algorithm": {"name": "smc", "options": {"mover": {"name": "nutz"}}}})",
     "s:1:72", "no sampler 'nutz'"},
    {R"({"spec": 1, "algorithm": {"name": "smc", "options": {"mover": {"options": {}}}}})",
     "s:1:", "has options, but no name"},
    {R"({"spec": 1, "algorithm": {"name": "smc", "options": {"mover": {"name": "rwm", "options": {"max_tree_depth": 3}}}}})",
     "s:1:", "options of the mover rwm has no member 'max_tree_depth'"},
    {R"({"spec": 1, "algorithm": {"name": "smc", "options": {"mover": {"name": "nuts", "options": {"max_tree_depth": 0}}}}})",
     "s:1:", "max_tree_depth must be"},
    {R"({"spec": 1, "algorithm": {"name": "smc", "options": {"mover": {"name": "nuts", "options": {"metric": "dense_e"}}}}})",
     "s:1:", "only warm-up uses it"},
    {R"({"spec": 1, "algorithm": {"name": "smc", "options": {"mover": {"name": "ensemble"}}}})",
     "s:1:", "can't be a mover"},
};

TEST(run_spec, that_is_wrong_is_refused_with_its_place) {
  for (const Wrong& wrong : kWrong) {
    SCOPED_TRACE(wrong.text);
    try {
      parse_run_spec(wrong.text, "s");
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_NE(error.message().find(wrong.said), std::string::npos) << error.message();
      EXPECT_TRUE(error.where().starts_with(wrong.place)) << error.where();
    }
  }
}

}  // namespace
}  // namespace credo::results::run_spec_test
