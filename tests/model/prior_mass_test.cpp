// What priors as written integrate to: closed forms.
#include <gtest/gtest.h>

#include "io/json_reader.hpp"
#include "model/model.hpp"

namespace credo::model::prior_mass_test {
namespace {

density::PriorMass mass_of(const std::string& parameters, const std::string& body) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program =
      compile_text("test",
                   "functions { real mine_lpdf(vector y, real b) { return -dot_self(y - b); } "
                   "void add_lp(vector y, real b) { target += -dot_self(y - b); } "
                   "real part_lpdf(array[] real y, int first, int last, real b) { return "
                   "normal_lpdf(y | b, 1); } }"
                   "data { vector[3] y; } parameters { " +
                       parameters + " } model { " + body + " }",
                   diagnostics, source);
  EXPECT_NE(program, nullptr) << body;
  const Model model(program, io::parse_json_data(R"({"y": [0.1, 0.2, 0.3]})", "data"), {});
  return model.generative().prior_mass();
}

struct Case {
  const char *parameters, *body;
  double log_mass;
};

TEST(prior_mass, of_priors_cut_by_bounds_is_their_probability) {
  const double half = std::log(0.5);
  const Case cases[] = {
      {"real m;", "m ~ normal(0, 1);", 0.0},
      {"real<lower=0> s;", "s ~ normal(0, 3);", half},
      {"real<lower=0> s;", "target += cauchy_lpdf(s | 0, 3);", half},
      {"real<lower=0> s;", "s ~ normal(0, 3) T[0, ];", 0.0},
      {"real<lower=0> s;", "s ~ gamma(2, 3);", 0.0},
      {"real<lower=0> s;", "target += normal_lpdf(s | 0, 1) - normal_lccdf(0 | 0, 1);", 0.0},
      {"vector<lower=0>[4] s;",
       "target += student_t_lpdf(s | 3, 0, 2) - 4 * student_t_lccdf(0 | 3, 0, 2);", 0.0},
      {"real<lower=0> s;", "target += -log(3) / 2 + cauchy_lpdf(s | 0, 3);",
       half - std::log(3.0) / 2.0},
      {"real<lower=-1, upper=1> r;", "r ~ normal(0, 1);", std::log(0.6826894921370859)},
      {"real<upper=1> r;", "r ~ exponential(2);", std::log1p(-std::exp(-2.0))},
      {"vector<lower=0>[4] s;", "s ~ student_t(3, 0, 2);", 4.0 * half},
      {"array[3] real<lower=0> s;", "for (i in 1:3) s[i] ~ normal(0, i);", 3.0 * half},
      {"vector<lower=0>[3] s;", "s ~ normal(0, [1, 2, 3]');", 3.0 * half},
      {"ordered[3] c;", "c ~ normal(0, 2);", -std::log(6.0)},
      {"positive_ordered[3] c;", "c ~ normal(0, 2);", -std::log(6.0) + 3.0 * half},
      {"real<lower=2, upper=5> u;", "y ~ normal(u, 1);", std::log(3.0)},
      {"simplex[4] p;", "y ~ normal(p[1], 1);", -std::log(6.0)},
      {"real<lower=0> a; vector<lower=0>[2] s;", "a ~ normal(0, 1); s ~ gamma(a, 1);", half},
      {"int<lower=1, upper=3> k;", "k ~ poisson(2); y ~ normal(k, 1);",
       std::log(2.0 + 2.0 + 4.0 / 3.0) - 2.0},
      {"int<lower=1, upper=3> k;", "y ~ normal(k, 1);", std::log(3.0)},
  };
  for (const Case& c : cases) {
    const density::PriorMass mass = mass_of(c.parameters, c.body);
    EXPECT_NEAR(mass.log_mass, c.log_mass, 1e-12) << c.parameters << " " << c.body;
    EXPECT_TRUE(mass.not_judged.empty() && mass.improper.empty()) << c.parameters << " " << c.body;
  }
}

TEST(prior_mass, that_depends_on_parameters_is_not_entered_but_named) {
  const density::PriorMass mass =
      mass_of("real m; vector<lower=0>[2] s;", "m ~ normal(0, 1); s ~ normal(m, 1);");
  ASSERT_EQ(mass.not_judged.size(), 1u);
  EXPECT_EQ(mass.not_judged[0].parameter, "s");
  EXPECT_EQ(mass.not_judged[0].where.substr(0, 4), "test");
  EXPECT_EQ(mass.log_mass, 0.0);
}

TEST(prior_mass, of_a_tuple_is_not_judged) {
  const density::PriorMass mass =
      mass_of("tuple(real, vector<lower=0>[2]) t; real m;",
              "t.1 ~ normal(0, 1); t.2 ~ normal(0, 1); m ~ normal(t.1, 1);");
  ASSERT_EQ(mass.not_judged.size(), 1u);
  EXPECT_EQ(mass.not_judged[0].parameter, "t");
  EXPECT_EQ(mass.not_judged[0].reason, "it is a tuple");
}

TEST(prior_mass, of_a_flat_unbounded_parameter_is_infinite) {
  const density::PriorMass mass =
      mass_of("real m; real<lower=0> s;", "m ~ normal(0, 1); y ~ normal(m, s);");
  ASSERT_EQ(mass.improper.size(), 1u);
  EXPECT_EQ(mass.improper[0].parameter, "s");
}

TEST(prior_mass, is_left_open_where_a_prior_is_written_by_hand_twice_or_in_part) {
  for (const auto& [parameters, body] :
       {std::pair{"real<lower=0> s; real m;",
                  "m ~ normal(0, 1); target += normal_lpdf(s | m, 1) - normal_lccdf(0 | m, 1);"},
        std::pair{"real<lower=0> s;", "target += 2 * normal_lpdf(s | 0, 1);"},
        std::pair{"real<lower=0> s;", "target += -s;"},
        std::pair{"real s;", "s ~ normal(0, 1); s ~ normal(1, 1);"},
        std::pair{"real s;", "s ~ normal(0, 1); target += -abs(s);"},
        std::pair{"vector[2] s;", "s ~ normal(0, 1); sum(s) ~ normal(0, 0.1);"},
        std::pair{"real s;", "real p = -s; target += p - exp(p);"},
        std::pair{"vector[2] s;", "target += -0.5 * dot_self(s / 1e10);"},
        std::pair{"real<lower=0> s;", "target += -2 * log(1 + s);"},
        std::pair{"real s;", "real t = 2 * s; t ~ normal(0, 1);"}}) {
    const density::PriorMass mass = mass_of(parameters, body);
    EXPECT_EQ(mass.not_judged.size(), 1u) << body;
    EXPECT_TRUE(mass.entered.empty() && mass.improper.empty()) << body;
  }
}

// The likelihood is no prior, however it is written.
TEST(prior_mass, is_infinite_where_only_the_likelihood_reads_a_parameter) {
  for (const auto& [parameters, body] :
       {std::pair{"real b;", "target += normal_lpdf(y | b, 1);"},
        std::pair{"real b;", "target += mine_lpdf(y | b);"}, std::pair{"real b;", "y ~ mine(b);"},
        std::pair{"real b;", "vector[3] mu = rep_vector(0, 3); mu += b; y ~ normal(mu, 1);"},
        std::pair{"real b;",
                  "vector[3] mu; for (n in 1:3) { mu[n] = b; y[n] ~ normal(mu[n], 1); }"},
        std::pair{"real b;", "target += -0.5 * dot_self(y - b);"},
        std::pair{"real b;",
                  "real l = 0; for (n in 1:3) l += normal_lpdf(y[n] | b, 1); target += l;"},
        std::pair{"real b;",
                  "vector[3] l; for (n in 1:3) l[n] = -square(y[n] - b); target += sum(l);"},
        std::pair{"real b;",
                  "for (n in 1:3) target += log_mix(0.5, normal_lpdf(y[n] | b, 1), "
                  "normal_lpdf(y[n] | 0, 1));"},
        std::pair{"real b;", "add_lp(y, b);"}, std::pair{"real b;", "y - b ~ normal(0, 1);"},
        std::pair{"real b;", "if (y[1] > 0) target += -square(y[1] - b);"},
        std::pair{"real b;", "target += reduce_sum(part_lpdf, to_array_1d(y), 1, b);"},
        std::pair{"real b; real<lower=0> s;", "s ~ normal(0, 1); y ~ normal(b, s);"},
        std::pair{"vector[2] b;", "b[1] ~ normal(0, 1); y ~ normal(b[1] + b[2], 1);"},
        std::pair{"vector<lower=0>[3] b;", "b[1] ~ normal(0, 1);"},
        std::pair{"real a; real b;", "a ~ normal(0, exp(b)); y ~ normal(a, 1);"}}) {
    const density::PriorMass mass = mass_of(parameters, body);
    ASSERT_EQ(mass.improper.size(), 1u) << body;
    EXPECT_EQ(mass.improper[0].parameter.substr(0, 1), "b") << body;
    EXPECT_EQ(mass.improper[0].log_mass, kInfinity);
  }
}

TEST(prior_mass, is_infinite_where_a_prior_by_hand_does_not_fall_off) {
  for (const auto& [parameters, body] :
       {std::pair{"real<lower=0> b;", "target += -log(b);"},
        std::pair{"real<lower=0> b;", "target += log(b);"},
        std::pair{"real b;", "target += -log(1 + abs(b));"},
        std::pair{"real b;", "real t = exp(b); t ~ normal(0, 1);"},
        std::pair{"vector[3] b;", "target += -0.5 * dot_self(b[2:3] - b[1:2]);"},
        std::pair{"vector[3] b;", "b[2:3] - b[1:2] ~ normal(0, 1);"}}) {
    const density::PriorMass mass = mass_of(parameters, body);
    ASSERT_EQ(mass.improper.size(), 1u) << body;
    EXPECT_NE(mass.improper[0].reason.find("doesn't fall off"), std::string::npos);
  }
}

TEST(prior_mass, of_a_mixture_is_that_of_its_components_by_their_weights) {
  const double half = std::log(0.5);
  for (const auto& [parameters, body, log_mass] :
       {std::tuple{"real m;",
                   "target += log_mix(0.5, normal_lpdf(m | 0, 1), cauchy_lpdf(m | 0, 1));", 0.0},
        std::tuple{"real<lower=0> m;",
                   "target += log_mix(0.2, normal_lpdf(m | 0, 1), exponential_lpdf(m | 1));",
                   std::log(0.2 * 0.5 + 0.8)},
        std::tuple{"real m;",
                   "target += log_sum_exp(normal_lpdf(m | 0, 1), normal_lpdf(m | 1, 1));",
                   -half}}) {
    const density::PriorMass mass = mass_of(parameters, body);
    EXPECT_TRUE(mass.improper.empty() && mass.not_judged.empty()) << body;
    EXPECT_NEAR(mass.log_mass, log_mass, 1e-12) << body;
  }
}

// Which statement a reason must name.
struct Circle {
  const char *parameters, *body;
  std::vector<std::string> named;
};

TEST(prior_mass, is_not_known_where_priors_need_each_other) {
  const Circle circles[] = {
      {"real x; real z; real w;",
       "z ~ normal(x, 1); x ~ normal(w, 1); w ~ normal(x, 1);",
       {"`x ~ normal(w, 1)", "`w ~ normal(x, 1)"}},
      {"real x;", "x ~ normal(x, 1);", {"`x ~ normal(x, 1)"}},
      {"real x; real<lower=0> s;", "x ~ normal(0, s); s ~ lognormal(x, 1);", {"`x ~", "`s ~"}},
      {"real x; real<lower=0> s;",
       "x ~ normal(0, 1) T[-s, ]; s ~ lognormal(x, 1);",
       {"`x ~", "`s ~"}},
      {"vector[2] x;", "x[1] ~ normal(x[2], 1); x[2] ~ normal(x[1], 1);", {"`x[1] ~", "`x[2] ~"}},
      {"vector[5] x;", "for (i in 1:5) x[i] ~ normal(x[i % 5 + 1], 1);", {"`x[i] ~"}},
      {"vector[5] x;", "x ~ normal(x[{2, 3, 4, 5, 1}], 1);", {"`x ~"}},
      {"vector[40] x;",
       "x[1] ~ normal(0, 1); x[40] ~ normal(0, 1); for (i in 2:39) x[i] ~ normal(0.5 * (x[i - 1] + "
       "x[i + 1]), 1);",
       {"`x[i] ~"}},
      {"real a; real b; real c;",
       "real t = 2 * b; a ~ normal(t, 1); b ~ normal(c, 1); target += normal_lpdf(c | a, 1);",
       {"`a ~", "`b ~", "`target += normal_lpdf(c"}},
      {"vector[2] x; vector[2] m;",
       "x ~ multi_normal(m, identity_matrix(2)); m ~ normal(x[1], 1);",
       {"`x ~", "`m ~"}},
      {"simplex[3] p; real<lower=0> a;",
       "p ~ dirichlet(rep_vector(a, 3)); a ~ gamma(1 + p[1], 1);",
       {"`p ~", "`a ~"}},
      {"real x; real m;",
       "target += log_mix(0.5, normal_lpdf(x | m, 1), normal_lpdf(x | 0, 1)); m ~ normal(x, 1);",
       {"log_mix", "`m ~"}},
  };
  for (const Circle& c : circles) {
    const density::PriorMass mass = mass_of(c.parameters, c.body);
    ASSERT_EQ(mass.improper.size(), 1u) << c.body;
    const density::PriorMass::Part& part = mass.improper[0];
    EXPECT_TRUE(std::isnan(part.log_mass)) << c.body;
    for (const std::string& name : c.named)
      EXPECT_NE(part.reason.find(name), std::string::npos) << c.body << "\n" << part.reason;
    EXPECT_EQ(part.reason.find("`z ~"), std::string::npos) << part.reason;
  }
}

// Each of these has an order in which every density reads earlier elements only.
TEST(prior_mass, is_one_where_priors_read_each_other_in_an_order) {
  for (const auto& [parameters, body] :
       {std::pair{"vector[300] x;", "x[1] ~ normal(0, 1); x[2:300] ~ normal(x[1:299], 0.5);"},
        std::pair{"vector[300] x;", "x[1:299] ~ normal(x[2:300], 0.5); x[300] ~ normal(0, 1);"},
        std::pair{"vector[300] x;",
                  "for (i in 1:299) x[i] ~ normal(x[i + 1], 0.5); x[300] ~ normal(0, 1);"},
        std::pair{"vector[9] x;",
                  "x[1] ~ normal(0, 1); x[2] ~ normal(x[1], 1); for (i in 3:9) x[i] ~ normal(x[i - "
                  "1] - 0.5 * x[i - 2], 1);"},
        std::pair{"real x; real w; real z;",
                  "x ~ normal(w, 1); w ~ normal(z, 1); z ~ normal(0, 1);"},
        std::pair{"vector[2] x; vector[2] w;",
                  "x[1] ~ normal(0, 1); w[1] ~ normal(x[1], 1); x[2] ~ normal(w[1], 1); w[2] ~ "
                  "normal(x[2], 1);"},
        std::pair{"array[3] vector[2] x;",
                  "x[1] ~ normal(0, 1); x[2:3] ~ multi_normal(x[1:2], identity_matrix(2));"},
        std::pair{"array[2] vector[2] x;",
                  "x[1] ~ normal(0, 1); x[2] ~ multi_normal(x[1], identity_matrix(2));"},
        std::pair{"matrix[3, 2] x;",
                  "x[1] ~ normal(0, 1); for (t in 2:3) x[t] ~ normal(x[t - 1], 1);"},
        std::pair{"real m; real t; vector[3] e;",
                  "vector[3] b = m + exp(t) * e; e ~ normal(0, 1); t ~ normal(m, 1); m ~ normal(0, "
                  "1); y ~ normal(b, 1);"},
        std::pair{"real m;", "m ~ normal(y[1], 1); y ~ normal(m, 1);"}}) {
    const density::PriorMass mass = mass_of(parameters, body);
    EXPECT_TRUE(mass.improper.empty() && mass.not_judged.empty())
        << body << (mass.improper.empty() ? "" : mass.improper[0].reason);
    EXPECT_NEAR(mass.log_mass, 0.0, 1e-12) << body;
  }
}

}  // namespace
}  // namespace credo::model::prior_mass_test
