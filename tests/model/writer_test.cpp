// Draws written by a traced program are the interpreted ones, bit for bit.
#include "model/writer.hpp"
#include "support/text_model.hpp"

#include <gtest/gtest.h>

namespace credo::model {
namespace {

std::unique_ptr<Model> model_of(const std::string& text) {
  return model_from(text,
                    R"({"N": 12, "y": [0.3, -1, 2, 0.1, 0.4, 3, -2, 0.7, 1.1, 0.2, -0.6, 1]})");
}

// Draws wander over the plane, so that decisions come out this way and that.
void expect_the_interpreted_draws(const std::string& text) {
  const auto model = model_of(text);
  Writer writer(*model);
  std::vector<double> row;
  for (int k = 0; k < 200; ++k) {
    std::vector<double> point;
    for (Index d = 0; d < model->dimension(); ++d) point.push_back(std::sin(0.37 * k + double(d)));
    const StreamKey key{.seed = 3,
                        .purpose = purpose::kGenerated,
                        .chain = 0,
                        .iteration = static_cast<std::uint32_t>(k)};
    Rng one(key), other(key);
    std::string note, interpreted_note;
    writer.write(point, one, row, &note);
    const std::vector<double> interpreted = model->write(point, other, &interpreted_note);
    ASSERT_EQ(row.size(), interpreted.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(row[i]), std::bit_cast<std::uint64_t>(interpreted[i]))
          << "draw " << k << ", output " << i << "\n"
          << text;
    EXPECT_EQ(note, interpreted_note);
  }
}

const std::string kData = "data { int N; vector[N] y; }\n";
const std::string kParameters = "parameters { real a; real<lower=0> s; simplex[3] p; }\n";

TEST(writer, gives_the_bits_of_the_interpreter) {
  expect_the_interpreted_draws(kData + kParameters + R"(
transformed parameters { vector[N] m = a + s * y; matrix[2, 3] q = rep_matrix(p', 2) * s; }
generated quantities {
  vector[N] log_lik;
  real total = sum(exp(m)) + log_sum_exp(p) + dot_self(y - m);
  int above = 7;
  for (n in 1 : N) log_lik[n] = normal_lpdf(y[n] | m[n], s);
})");
}

TEST(writer, follows_decisions_that_differ_between_draws) {
  expect_the_interpreted_draws(kData + kParameters + R"(
generated quantities {
  int best = 1;
  real far = 0;
  for (k in 2 : 3) if (p[k] > p[best]) best = k;
  if (a > 0.5) far = log(a) * s;
})");
}

TEST(writer, leaves_random_numbers_and_rejections_to_the_interpreter) {
  expect_the_interpreted_draws(kData + kParameters +
                               "generated quantities { real d = normal_rng(a, s); }");
  expect_the_interpreted_draws(kData + kParameters +
                               "generated quantities { real<lower=0> b = a + 0.2; real c = s; }");
}

TEST(writer, writes_parameters_alone) { expect_the_interpreted_draws(kData + kParameters); }

}  // namespace
}  // namespace credo::model
