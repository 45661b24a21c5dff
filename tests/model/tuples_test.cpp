// Tuples among parameters and data: the density is that of the same variables without the tuple.
#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model::tuples_test {
namespace {

const char* const kData = R"({"d": {"1": 3, "2": [0.5, -1, 2], "3": {"1": 0.7, "2": 1}}})";

const char* const kTuples = R"(
data { tuple(int<lower=1>, vector[3], tuple(real<lower=0>, int)) d; }
parameters {
  real m;
  tuple(real<lower=m>, simplex[d.1], tuple(vector<lower=0>[2], matrix[2, 2])) t;
  ordered[2] o;
}
transformed parameters { tuple(real, vector[2]) u = (t.1 + o[1], t.3.1 * d.3.1); }
model {
  m ~ normal(0, 1);
  t.1 ~ normal(m, 2);
  t.2 ~ dirichlet([2, 3, 4]');
  t.3.1 ~ exponential(d.3.2);
  to_vector(t.3.2) ~ normal(u.2[1], 1);
  o ~ normal(dot_product(t.2, d.2), 1);
}
generated quantities { real total = sum(t.2) + t.3.1[2] + u.1; })";

const char* const kPlain = R"(
parameters {
  real m;
  real<lower=m> t1;
  simplex[3] t2;
  vector<lower=0>[2] t31;
  matrix[2, 2] t32;
  ordered[2] o;
}
model {
  m ~ normal(0, 1);
  t1 ~ normal(m, 2);
  t2 ~ dirichlet([2, 3, 4]');
  t31 ~ exponential(1);
  to_vector(t32) ~ normal(t31[1] * 0.7, 1);
  o ~ normal(dot_product(t2, [0.5, -1, 2]'), 1);
})";

std::vector<double> point_of(const Model& model) {
  std::vector<double> point;
  for (Index d = 0; d < model.dimension(); ++d) point.push_back(std::sin(0.7 * double(d) + 0.2));
  return point;
}

TEST(tuples, among_parameters_have_the_density_of_their_elements) {
  const auto model = model_from(kTuples, kData), plain = model_from(kPlain);
  ASSERT_EQ(model->dimension(), plain->dimension());
  constexpr double kRounding = 1e-14;
  expect_same_density(*model, *plain, point_of(*model), {kRounding, kRounding});
}

TEST(tuples, among_parameters_have_a_column_for_each_element) {
  const auto model = model_from(kTuples, kData);
  const std::vector<std::string> expected{
      "m",       "t:1",       "t:2.1",     "t:2.2",     "t:2.3",     "t:3.1.1",
      "t:3.1.2", "t:3.2.1.1", "t:3.2.2.1", "t:3.2.1.2", "t:3.2.2.2", "o.1",
      "o.2",     "u:1",       "u:2.1",     "u:2.2",     "total"};
  EXPECT_EQ(model->outputs().element_names(), expected);
  const auto names = model->free_names();
  EXPECT_EQ(names[1], "t:1");
  EXPECT_EQ(names[2], "t:2.1");
  EXPECT_EQ(std::ssize(names), model->dimension());
}

TEST(tuples, among_parameters_are_written_and_read_back) {
  const auto model = model_from(kTuples, kData);
  const std::vector<double> point = point_of(*model);
  const StreamKey key{.seed = 1, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0};
  Rng one(key), other(key);
  std::vector<double> row;
  Writer(model->draw_outputs()).write(point, one, row);
  EXPECT_EQ(row, model->draw_outputs().write(point, other));
  const std::vector<double> back = model->draw_outputs().unconstrain_row(row);
  ASSERT_EQ(back.size(), point.size());
  constexpr double kRounding = 1e-13;  // logarithms of exponentials
  for (std::size_t d = 0; d < point.size(); ++d) EXPECT_NEAR(back[d], point[d], kRounding) << d;
}

TEST(tuples, among_parameters_take_initial_values) {
  const auto model = model_from(kTuples, kData);
  const auto given = io::parse_json_data(
      R"({"m": 0.5, "t": {"1": 1.5, "2": [0.2, 0.3, 0.5], "3": {"1": [1, 2], "2": [[1, 2], [3, 4]]}},
          "o": [1, 2]})",
      "init.json");
  const std::vector<double> free = model->unconstrain(given);
  Rng rng(StreamKey{.seed = 1, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0});
  const std::vector<double> row = model->draw_outputs().write(free, rng);
  const std::vector<double> expected{0.5, 1.5, 0.2, 0.3, 0.5, 1, 2, 1, 3, 2, 4, 1, 2};
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(row[k], expected[k], 1e-14) << k;
}

std::string error_of(const std::string& text, const std::string& data, const char* init = nullptr) {
  try {
    const auto model = model_from(text, data);
    if (init != nullptr) model->unconstrain(io::parse_json_data(init, "init.json"));
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(tuples, that_are_given_wrongly_are_refused_with_their_place) {
  EXPECT_EQ(error_of(kTuples, R"({"d": {"1": 0, "2": [1, 2, 3], "3": {"1": 1, "2": 1}}})"),
            "data:1:7: d.1: value is 0, but must be at least the lower bound (give a value inside "
            "the declared constraint)");
  EXPECT_EQ(
      error_of(kTuples, R"({"d": {"1": 3, "2": [1, 2], "3": {"1": 1, "2": 1}}})"),
      "data:1:21: variable d.2: found an array of 2 integers, expected vector (size 3), declared "
      "at test.stan:2:66 (give 3 elements, or change what this size is computed from)");
  EXPECT_EQ(error_of(kTuples, R"({"d": {"1": 3, "2": [1, 2, 3]}})"),
            "data:1:7: variable d: found a tuple of 2, expected tuple(int, vector, tuple(real, "
            "int)), declared at test.stan:2:66 (a tuple is {\"1\": ..., \"2\": ...})");
  EXPECT_EQ(error_of("parameters { tuple(real, simplex[2]) t; }", "{}",
                     R"({"t": {"1": 0, "2": [0.5, 0.6]}})"),
            "init.json:1:7: t.2: sum of the elements is 1.1, but must be 1 (within 1e-8) (give a "
            "value inside the declared constraint)");
}

TEST(tuples, in_arrays_and_with_whole_numbers_among_parameters_are_refused_with_their_place) {
  EXPECT_EQ(error_of("parameters { array[2] tuple(real, real) t; }", "{}"),
            "test.stan:1:41: arrays of tuples are not implemented yet");
  const std::string whole = error_of("parameters { tuple(real, int) t; }", "{}");
  EXPECT_TRUE(whole.find("test.stan:1:31: error[int-parameter]") != whole.npos) << whole;
}

}  // namespace
}  // namespace credo::model::tuples_test
