// Draws written by a traced program are the interpreted ones, bit for bit.
#include "model/writer.hpp"
#include "support/text_model.hpp"

#include <gtest/gtest.h>

#include <set>

namespace credo::model::writer_test {
namespace {

std::unique_ptr<Model> model_of(const std::string& text) {
  return model_from(text,
                    R"({"N": 12, "y": [0.3, -1, 2, 0.1, 0.4, 3, -2, 0.7, 1.1, 0.2, -0.6, 1]})");
}

// Draws wander over the plane, so that decisions come out this way and that. `most`: of the 200
// draws, those that the writer may leave to the interpreter.
void expect_the_interpreted_draws(const std::string& text, std::int64_t most = 200) {
  const auto model = model_of(text);
  Writer writer(model->draw_outputs());
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
    const std::vector<double> interpreted =
        model->draw_outputs().write(point, other, &interpreted_note);
    ASSERT_EQ(row.size(), interpreted.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(row[i]), std::bit_cast<std::uint64_t>(interpreted[i]))
          << "draw " << k << ", output " << i << "\n"
          << text;
    EXPECT_EQ(note, interpreted_note);
  }
  EXPECT_LE(writer.num_interpreted(), most) << text;
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

TEST(writer, leaves_rejections_to_the_interpreter) {
  expect_the_interpreted_draws(kData + kParameters +
                               "generated quantities { real<lower=0> b = a + 0.2; real c = s; }");
}

TEST(writer, traces_random_numbers) {
  expect_the_interpreted_draws(kData + kParameters + R"(
generated quantities {
  real d = normal_rng(a, s);
  array[N] real e = normal_rng(a + s * y, s);
  int n = poisson_rng(s);
  int b = binomial_rng(n, 0.4);
  real u = uniform_rng(a, a + s);
  int above = d > 0;
  real f = above == 1 ? e[1] : e[2];
})",
                               0);
}

TEST(writer, traces_draws_of_whole_containers) {
  expect_the_interpreted_draws(kData + kParameters + R"(
generated quantities {
  vector[3] q = dirichlet_rng(1 + p);
  int k = categorical_rng(p);
  array[3] int counts = multinomial_rng(p, 5);
  vector[2] m = multi_normal_rng([a, s]', [[1, 0.2], [0.2, s]]);
  array[2] vector[2] two = multi_normal_cholesky_rng({[a, s]', [s, a]'}, [[1, 0], [0.5, s]]);
  matrix[2, 2] w = wishart_rng(4, [[1, 0.2], [0.2, 1 + s]]);
})",
                               2);
}

TEST(writer, traces_functions_that_need_numbers) {
  expect_the_interpreted_draws(R"(
parameters { simplex[2] p; }
generated quantities {
  array[3] int s = hmm_latent_rng([[-1, -2, -3], [-2, -1, -1]], [p', p'], p);
  matrix[2, 3] q = hmm_hidden_state_prob([[-1, -2, -3], [-2, -1, -1]], [p', p'], p);
})",
                               0);
}

TEST(writer, draws_the_same_numbers_by_columns) {
  expect_the_interpreted_draws(kData + kParameters + R"(
generated quantities {
  array[N] int y_rep, nested;
  array[N] real z;
  array[N] real sums = rep_array(0.0, N);
  matrix[N, 3] c;
  int last = 0;
  for (n in 1 : N) y_rep[n] = bernoulli_logit_rng(a + s * y[n]);
  for (n in 1 : N) z[n] = y[n] > 0 ? normal_rng(a + y[n], s) : gamma_rng(s, 1);
  for (n in 1 : N) for (k in 1 : 3) c[n, k] = normal_rng(p[k], s);
  for (n in 1 : N) for (k in 1 : n) sums[n] += exponential_rng(1 + k);
  for (v in y) last = poisson_rng(exp(0.1 * v));
  for (n in 1 : N) if (y[n] > 0.2) nested[n] = poisson_rng(s + 1); else nested[n] = n;
})",
                               0);
}

TEST(writer, draws_the_same_numbers_in_user_functions_and_while_loops) {
  expect_the_interpreted_draws(R"(functions {
  real walk_rng(real a, int n) {
    real x = a;
    for (k in 1 : n) x += normal_rng(0, 1);
    return x;
  }
  int waits_rng(real p) {
    int n = 0;
    while (uniform_rng(0, 1) > p) n += 1;
    return n;
  }
}
)" + kData + kParameters + R"(
generated quantities {
  vector[N] w;
  for (n in 1 : N) w[n] = walk_rng(a, 3);
  real first = walk_rng(a, 2), second = walk_rng(a, 2);
  int n = waits_rng(0.3);
})");
}

// A zero-inflated count: the branch that isn't drawn has arguments that needn't hold.
TEST(writer, traces_choices_by_random_numbers) {
  expect_the_interpreted_draws(kData + kParameters + R"(
generated quantities {
  array[N] int k;
  for (n in 1 : N) if (bernoulli_rng(0.3)) k[n] = 0; else k[n] = poisson_rng(s);
})",
                               0);
}

TEST(writer, never_draws_a_number_twice) {
  const auto model = model_of(R"(
functions { real one_rng() { return uniform_rng(0, 1); } }
generated quantities {
  array[2, 12] real x;
  for (i in 1 : 2) for (j in 1 : 12) x[i, j] = uniform_rng(0, 1);
  array[12] real y;
  for (i in 1 : 12) y[i] = one_rng();
  real a = one_rng(), b = one_rng(), c = uniform_rng(0, 1);
  array[5] real z = uniform_rng(rep_array(0, 5), 1);
})");
  Writer writer(model->draw_outputs());
  Rng rng({.seed = 3, .purpose = purpose::kGenerated});
  std::vector<double> row;
  writer.write({}, rng, row);
  EXPECT_EQ(std::set<double>(row.begin(), row.end()).size(), row.size());
  EXPECT_EQ(row.size(), 44u);
}

TEST(writer, goes_on_in_the_stream_it_is_given) {
  const auto model = model_of("generated quantities { real x = uniform_rng(0, 1); }");
  Writer writer(model->draw_outputs());
  Rng rng({.seed = 3, .purpose = purpose::kGenerated}),
      other({.seed = 3, .purpose = purpose::kGenerated});
  for (int k = 0; k < 3; ++k) {
    std::vector<double> row;
    writer.write({}, rng, row);
    EXPECT_EQ(row, model->draw_outputs().write({}, other));
  }
}

TEST(writer, writes_parameters_alone) { expect_the_interpreted_draws(kData + kParameters); }

}  // namespace
}  // namespace credo::model::writer_test
