// Every option of warm-up can be set from the command line.
#include <gtest/gtest.h>

#include "cli/options/sampler_arguments.hpp"
#include "infer/core/kernel_options.hpp"

namespace credo::cli::warmup_options_test {
namespace {

infer::SampleOptions applied(const std::vector<std::string>& words) {
  SamplerArguments sampler;
  Arguments arguments;
  sampler.describe(arguments);
  assign(arguments, read_words(arguments, words));
  infer::SampleOptions options;
  sampler.apply(options);
  return options;
}

TEST(warmup_options, are_all_on_the_command_line) {
  SamplerArguments sampler;
  Arguments arguments;
  sampler.describe(arguments);
  for (const auto& field : infer::fields_of(infer::AdaptOptions{})) {
    if (field.spec.name == "target_accept") continue;  // --adapt-delta, an option of the run
    EXPECT_NE(arguments.find(option_of_field(field.spec.name)), nullptr) << field.spec.name;
  }
}

TEST(warmup_options, reach_the_run) {
  const infer::SampleOptions options =
      applied({"--init-buffer=11", "--base-window=12", "--term-buffer=13", "--shrinkage=0.2",
               "--relaxation=0.8", "--stabilisation=14", "--adapt-engaged=false",
               "--lbfgs-memory=15", "--max-depth=7"});
  EXPECT_EQ(options.adapt.schedule.init_buffer, 11);
  EXPECT_EQ(options.adapt.schedule.base_window, 12);
  EXPECT_EQ(options.adapt.schedule.term_buffer, 13);
  EXPECT_EQ(options.adapt.step_size.shrinkage, 0.2);
  EXPECT_EQ(options.adapt.step_size.relaxation, 0.8);
  EXPECT_EQ(options.adapt.step_size.stabilisation, 14.0);
  EXPECT_FALSE(options.adapt.engaged);
  EXPECT_EQ(options.adapt.lbfgs_memory, 15);
  EXPECT_EQ(options.adapt.step_size.target_accept, infer::AdaptOptions{}.step_size.target_accept);
}

TEST(warmup_options, out_of_range_name_the_option) {
  try {
    applied({"--base-window=0"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "--base-window");
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

}  // namespace
}  // namespace credo::cli::warmup_options_test
