// Options of filters and smoothers, for each row of their tables: what the others' options say, and the page of help of the row.
#include "filters/filter.hpp"
#include "filters/smoother.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

#include "cli/options/row_options.hpp"

namespace credo::cli::method_options_test {
namespace {

class MethodOptions : public testing::CommandRun {
 protected:
  MethodOptions() : CommandRun("method_options") { write("m.stan", "parameters { real mu; }\n"); }

  template <class Kind>
  void each_row_has_its_own(const std::string& command, filters::MethodTable<Kind> rows) {
    for (const auto* row : rows) {
      const auto own = infer::fields_of(row->options());
      EXPECT_EQ(run({command, "--method", std::string(row->name), "--help"}), 0);
      const std::string page = printed();
      for (const auto* other : rows)
        for (const infer::FieldValue& field : infer::fields_of(other->options())) {
          const bool has =
              std::ranges::find(own, field.name, &infer::FieldValue::name) != own.end();
          const std::string option = option_of_field(field.name);
          EXPECT_EQ(page.find("  " + option + " ") != std::string::npos, has)
              << row->name << " " << option << page;
          if (!has)
            is_refused(
                {command, at("m.stan"), "--method", std::string(row->name), option, field.value},
                option, other->name);
        }
    }
  }

  void is_refused(const std::vector<std::string>& words, const std::string& option,
                  std::string_view method) {
    EXPECT_EQ(run(words), 2);
    const std::string why = on_one_line(said());
    for (const std::string& part :
         {option + ": error: needs --", std::string(method), ", or leave " + option + " out"})
      EXPECT_NE(why.find(part), std::string::npos) << words[3] << " " << part << "\n" << why;
  }
};

TEST_F(MethodOptions, of_filters_are_refused_by_others_by_name) {
  each_row_has_its_own("filter", filters::filter_methods());
}
TEST_F(MethodOptions, of_smoothers_are_refused_by_others_by_name) {
  each_row_has_its_own("smooth", filters::smoother_methods());
}

// Both spellings: the path, and the last name where that is enough.
TEST_F(MethodOptions, of_proposals_have_a_path_or_their_own_name) {
  write("linear.stan", R"(functions {
  real initial_rng() { return normal_rng(0, 1); }
  real initial_lpdf(real x) { return normal_lpdf(x | 0, 1); }
  real transition_rng(real before) { return normal_rng(sin(before), 0.5); }
  real transition_lpdf(real x, real before) { return normal_lpdf(x | sin(before), 0.5); }
  real observation_lpdf(real y, real x) { return normal_lpdf(y | x^2, 0.7); }
}
data { int T; vector[T] y; }
)");
  write("d.json", R"({"T": 3, "y": [0.9, 1.4, 0.2]})");
  const auto found = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {
        "filter", at("linear.stan"), "--data", at("d.json"), "--method",
        "guided", "--particles",     "20",     "--repeats",  "2"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words).at("log_likelihood").number;
  };
  const double wide = found({"--proposal", "ukf", "--kappa", "3"});
  EXPECT_EQ(found({"--proposal", "ukf", "--proposal.kappa", "3"}), wide);
  EXPECT_NE(found({"--proposal", "ukf"}), wide);
  const double learnt = found({"--proposal", "learned", "--learn", "vsmc", "--learn-steps", "5"});
  EXPECT_EQ(
      found({"--proposal", "learned", "--proposal.learn", "vsmc", "--proposal.learn-steps", "5"}),
      learnt);
  EXPECT_NE(found({"--proposal", "learned", "--learn-steps", "5"}), learnt);
  for (const auto& [words, part] :
       {std::pair{std::vector<std::string>{"--method", "guided", "--kappa", "1"},
                  "needs --proposal ukf"},
        {{"--kappa", "1"}, "needs --method ukf, or --method guided --proposal ukf"},
        {{"--learn", "vsmc"}, "--learn: error: needs --method guided --proposal learned"},
        {{"--method", "guided", "--proposal", "laplac"}, "did you mean laplace?"}}) {
    std::vector<std::string> all = {"filter", at("m.stan")};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(run(all), 2);
    EXPECT_NE(on_one_line(said()).find(part), std::string::npos) << part << "\n" << said();
  }
}

}  // namespace
}  // namespace credo::cli::method_options_test
