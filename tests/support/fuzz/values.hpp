// Any data and initial values for a program that declares a variable of every type. The data stand
// before the line "// init", the initial values behind it; both are JSON.
#pragma once
#include "support/fuzz/tracer.hpp"

namespace credo::fuzz {

inline constexpr const char* kEveryType = R"(
data {
  int<lower=0, upper=50> N;
  int K;
  real<offset=2, multiplier=3> r;
  complex z;
  vector<lower=0>[N] v;
  row_vector[K] w;
  matrix[N, K] m;
  complex_vector[K] cv;
  complex_matrix[K, N] cm;
  array[N] int<lower=0> counts;
  array[N, K] real<upper=1e6> reals;
  array[K] vector[N] vectors;
  array[2, K] matrix[N, K] matrices;
  tuple(int, real) pair;
  array[K] tuple(int, vector[N], tuple(real, array[2] int)) tuples;
  simplex[K] s;
  unit_vector[K] u;
  ordered[N] o;
  positive_ordered[K] p;
  sum_to_zero_vector[K] z0;
  cov_matrix[K] c;
  corr_matrix[K] cr;
  cholesky_factor_cov[K] lc;
  cholesky_factor_corr[K] lr;
  row_stochastic_matrix[2, K] rs;
  column_stochastic_matrix[K, 2] cs;
}
transformed data {
  int total = sum(counts);
}
parameters {
  real a;
  real<lower=0, upper=K + 1> b;
  array[2] vector<lower=-1>[N] e;
  tuple(real, simplex[3]) t;
  cholesky_factor_corr[3] l;
  array[2] ordered[3] oo;
  unit_vector[2] uu;
  cov_matrix[2] cc;
  sum_to_zero_vector[3] zz;
}
model {
  a ~ normal(r, 1);
  target += sum(e[1]) + total;
}
)";

inline void run_values(std::string_view bytes) {
  static const auto program = [] {
    lang::Diagnostics diagnostics;
    lang::SourceMap source;
    auto compiled = model::compile_text("every_type.stan", kEveryType, diagnostics, source);
    claim(compiled != nullptr, "the program is right");
    return compiled;
  }();
  const Patience patience(kPatience);
  const auto [data, init] = parts_at(bytes, "\n// init\n");
  may_be_refused([&] {
    const model::Model model(program, io::parse_json_data(data, "data.json"), small_work());
    const std::vector<double> fill = point_of(model.dimension(), 0.1);
    const auto values =
        init.empty() ? io::DataTable("no values") : io::parse_json_data(init, "init.json");
    may_be_refused([&] { (void)model.unconstrain(values); });
    const std::vector<double> point = model.unconstrain(values, fill);
    claim(ssize(point) == model.dimension(), "a point has all coordinates");
    Rng rng(StreamKey{.seed = 1});
    (void)model.draw_outputs().write(point, rng);
  });
}

}  // namespace credo::fuzz
