// Options as values: kinds of fields, choices with options, what fields need.
#include <gtest/gtest.h>

#include "infer/compose/movers.hpp"
#include "infer/core/needs.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/smc/tempered_smc.hpp"
#include "known_posteriors.hpp"

namespace credo::infer::options_test {
namespace {
using namespace credo::testing;

struct Every {
  std::vector<double> numbers = {1.0, 2.0};
  std::vector<std::string> words = {};
  ChosenRow mover = {};
  Index most = 3;

  static void describe(auto& self, auto&& field) {
    field(self.numbers, FieldSpec{.name = "numbers", .help = "", .range = at_least(0.0)});
    field(self.words, FieldSpec{.name = "words", .help = ""});
    field(self.mover, kMoverField);
    field(self.most, FieldSpec{.name = "most", .help = "", .needs = "mover=slice|rwm,!words"});
  }
};

Error refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was refused";
  return Error(ErrorCode::internal, "");
}

std::string value_of(const auto& options, std::string_view name) {
  for (const FieldValue& field : fields_of(options))
    if (field.name == name) return field.value;
  return "no such field";
}

TEST(option_kinds, are_set_from_text_and_told_as_text) {
  Every all;
  set_field(all, "numbers", "0.5,3");
  set_field(all, "words", "theta[1,2],mu");
  EXPECT_EQ(all.numbers, (std::vector{0.5, 3.0}));
  EXPECT_EQ(all.words, (std::vector<std::string>{"theta[1,2]", "mu"}));
  EXPECT_EQ(value_of(all, "numbers"), "0.5,3");
  EXPECT_EQ(value_of(all, "words"), "theta[1,2],mu");
  set_field(all, "numbers", "");
  EXPECT_TRUE(all.numbers.empty());
  EXPECT_THROW(set_field(all, "numbers", "1,-2"), Error);
  EXPECT_THROW(set_field(all, "numbers", "1,,2"), Error);
  all.numbers = {-1.0};
  EXPECT_THROW(validate(all), Error);
}

TEST(chosen_rows, have_the_options_of_their_row) {
  SmcOptions options;
  EXPECT_EQ(value_of(options, "mover"), "");
  set_field(options, "mover", "nuts");
  EXPECT_EQ(value_of(options, "mover.max_tree_depth"), "10");
  set_field(options, "mover.max_tree_depth", "6");
  set_field(options, "mover", "nuts");  // the same row keeps what was set
  EXPECT_EQ(value_of(options, "mover.max_tree_depth"), "6");
  set_field(options, "mover", "hmc_static");
  EXPECT_EQ(value_of(options, "mover.max_tree_depth"), "no such field");
  EXPECT_EQ(value_of(options, "mover.num_steps"), "0");
  set_field(options, "mover", "");
  EXPECT_FALSE(options.mover.is_named());
}

TEST(chosen_rows, refuse_with_place_and_way_out) {
  SmcOptions options;
  const auto refused = [&](const char* field, const char* text, const char* where,
                           const char* words) {
    const Error error = refusal_of([&] { set_field(options, field, text); });
    EXPECT_EQ(error.where(), where);
    const std::string all = error.message() + "; " + error.hint();
    EXPECT_NE(all.find(words), std::string::npos) << all;
  };
  refused("mover.max_tree_depth", "6", "mover.max_tree_depth", "name a mover that has it: nuts");
  refused("mover.nothing", "6", "mover.nothing", "no mover has an option 'nothing'");
  refused("mover", "nutz", "mover", "did you mean nuts?");
  refused("mover", "tempering", "mover", "can't be a mover: it moves more than one point");
  set_field(options, "mover", "rwm");
  refused("mover.max_tree_depth", "6", "mover.max_tree_depth", "this is an option of: nuts");
  refused("mover.scal", "1", "mover.scal", "did you mean scale?");
  refused("mover.scale", "-1", "mover.scale", "scale must be");
  refused("mover.metric", "dense_e", "mover.metric", "only warm-up uses it");
  refused("movers", "rwm", "movers", "did you mean mover?");
  EXPECT_EQ(value_of(options, "mover.scale"), "0");
}

TEST(needs, are_conditions_on_other_fields) {
  Every all;
  require_needs(all);
  all.most = 4;
  EXPECT_EQ(refusal_of([&] { require_needs(all); }).where(), "most");
  all.mover = "rwm";
  require_needs(all);
  all.words = {"x"};
  EXPECT_EQ(refusal_of([&] { require_needs(all); }).message(), "most isn't used with words");
  const std::vector<Need> needs = parse_needs("a,!b,c=d|e");
  ASSERT_EQ(needs.size(), 3u);
  EXPECT_TRUE(needs[1].is_default);
  EXPECT_EQ(needs[2].values, (std::vector<std::string_view>{"d", "e"}));
}

TEST(movers, are_all_rows_that_move_one_point_and_others_say_why_not) {
  const auto names = kMovers.names();
  for (const SamplerSpec* row : samplers()) {
    const bool is_mover = std::ranges::find(names, row->name) != names.end();
    EXPECT_EQ(is_mover, row->make != nullptr) << row->name;
    EXPECT_EQ(why_no_part(*row).empty(), is_mover) << row->name;
    if (is_mover) continue;
    const Error error = refusal_of([&] { (void)kMovers.options(row->name); });
    EXPECT_NE(error.message().find(why_no_part(*row)), std::string::npos) << error.message();
  }
  for (const char* name : {"nuts", "hmc_static", "split_hmc", "mala", "slice", "rwm"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
}

// Every option that is used by a mover and isn't a word is one of its row, which reaches the kernel: with other options the
// particles are elsewhere.
TEST(movers, move_by_their_own_options) {
  const KnownPosterior model = conjugate_posterior();
  const auto draws = [&](const std::vector<std::pair<const char*, const char*>>& settings) {
    SampleOptions options{.sampler = "smc", .num_chains = 1, .num_draws = 50, .seed = 3};
    options.kernel = find_sampler("smc").options();
    for (const auto& [name, value] : settings) set_option(options, name, value);
    StoredDraws store;
    run_chains(*model.density, options, store);
    return std::vector<double>(store.draws.quantity(0).begin(), store.draws.quantity(0).end());
  };
  const auto plain = draws({});
  EXPECT_EQ(draws({{"mover", "nuts"}}), plain);
  EXPECT_EQ(draws({{"mover", "nuts"}, {"mover.max_tree_depth", "10"}}), plain);
  EXPECT_NE(draws({{"mover", "nuts"}, {"mover.max_tree_depth", "1"}}), plain);
  const auto fixed = draws({{"mover", "hmc_static"}});
  EXPECT_NE(draws({{"mover", "hmc_static"}, {"mover.num_steps", "2"}}), fixed);
  EXPECT_NE(draws({{"mover", "hmc_static"}, {"mover.integration_time", "1"}}), fixed);
  EXPECT_NE(draws({{"mover", "hmc_static"}, {"mover.integrator", "forest_ruth"}}), fixed);
  EXPECT_THROW(
      draws({{"mover", "hmc_static"}, {"mover.num_steps", "2"}, {"mover.integration_time", "1"}}),
      Error);
}

// Closed form: the evidence of a conjugate model. A mover whose options made it leave another density invariant would miss it.
TEST(movers, with_their_own_options_find_the_evidence) {
  const KnownPosterior model = conjugate_posterior();
  const std::vector<std::pair<const char*, const char*>> settings[] = {
      {{"mover", "hmc_static"}, {"mover.num_steps", "3"}},
      {{"mover", "nuts"}, {"mover.max_tree_depth", "2"}},
      {{"mover", "rwm"}, {"mover.scale", "0.5"}},
      {{"mover", "slice"}}};
  for (const auto& setting : settings) {
    SampleOptions options{.sampler = "smc", .num_chains = 20, .num_draws = 200, .seed = 5};
    options.kernel = find_sampler("smc").options();
    set_option(options, "conditional_ess", "0.97");
    for (const auto& [name, value] : setting) set_option(options, name, value);
    StoredDraws store;
    const LogEvidence found = *log_evidence(run_chains(*model.density, options, store));
    EXPECT_NEAR(found.value, model.log_evidence, 4.5 * found.error) << setting[0].second;
    EXPECT_LT(found.error, 0.1) << setting[0].second;
  }
}

TEST(hmc_static, takes_the_steps_that_are_asked_for) {
  const KnownPosterior model = conjugate_posterior();
  SampleOptions options{.num_chains = 1, .num_warmup = 0, .num_draws = 20, .seed = 1};
  options.sampler = "hmc_static";
  options.kernel = HmcStaticOptions{.step_size = 0.01, .num_steps = 7};
  StoredDraws store;
  run_chains(*model.density, options, store);
  std::size_t column = 0;
  while (store.columns[column].name != "num_leapfrog") ++column;
  for (const double steps : store.info.quantity(static_cast<Index>(column))) EXPECT_EQ(steps, 7.0);
}

}  // namespace
}  // namespace credo::infer::options_test
