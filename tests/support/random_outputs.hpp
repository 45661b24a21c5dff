// Random Stan programs of outputs: transformed parameters and generated quantities from a typed
// grammar. They use what writing draws has to get right: containers filled, sliced and written in
// parts, loops, branches, functions, random numbers and what is made of them.
#pragma once
#include "base/rng.hpp"

namespace credo::testing {

class RandomOutputs {
 public:
  explicit RandomOutputs(std::uint64_t seed)
      : rng_(StreamKey{.seed = seed, .purpose = purpose::kTest + 78, .chain = 0, .iteration = 0}) {}

  std::string text() {
    const std::string transformed = statements(1 + pick(3), false);
    return functions() + data() + parameters() + "transformed parameters {\n" + transformed +
           "}\ngenerated quantities {\n" + statements(2 + pick(5), true) + "}\n";
  }

 private:
  using Names = std::vector<std::string>;
  Names reals_{"a", "b", "p", "c", "0.7"}, vectors_{"v", "x"}, wholes_{"N", "k[2]", "1"},
      matrices_{"m"};  // vectors have N elements, whole numbers are from 1 to N, matrices are 3 x N

  static std::string functions() {
    return R"(functions {
  real f(real s, vector w) { return s + dot_self(w) / (1 + square(s)); }
  vector last_of(vector w, int n) { vector[n] t; t = w[rows(w) - n + 1 : rows(w)]; return t; }
  real walk_rng(real s, int n) {
    real t = s;
    for (i in 1:n) t += normal_rng(0, 1);
    return t;
  }
  array[] int counts_rng(vector w) {
    array[rows(w)] int n;
    for (i in 1:rows(w)) n[i] = poisson_log_rng(fmin(w[i], 2));
    return n;
  }
}
)";
  }
  static std::string data() {
    return "data { int<lower=1> N; vector[N] x; matrix[N, 3] r; array[N] int<lower=1, upper=N> k; "
           "real c; }\n";
  }
  static std::string parameters() {
    return "parameters { real a; real<lower=0> b; real<lower=-1, upper=2> p; vector[N] v;\n"
           "  ordered[3] o; simplex[4] q; matrix[3, N] m; }\n";
  }

  Index pick(Index n) { return rng_.index_below(n); }
  const std::string& any(const Names& names) {
    return names[static_cast<std::size_t>(pick(ssize(names)))];
  }

  // One of the patterns, filled: # a vector, $ a real, @ a matrix, ! a whole number, ~ a slice,
  // % a number of elements, ` the name.
  std::string one_of(std::initializer_list<const char*> patterns, const std::string& name = {}) {
    std::string text;
    for (const char letter : std::string_view(*(patterns.begin() + pick(ssize_of(patterns)))))
      text += filled(letter, name);
    return text;
  }
  static Index ssize_of(std::initializer_list<const char*> list) {
    return static_cast<Index>(list.size());
  }
  std::string filled(char letter, const std::string& name) {
    switch (letter) {
      case '#':
        return any(vectors_);
      case '$':
        return any(reals_);
      case '@':
        return any(matrices_);
      case '!':
        return any(wholes_);
      case '~':
        return any(slices());
      case '%':
        return any(sizes());
      case '`':
        return name;
      default:
        return {letter};
    }
  }
  static const Names& slices() {
    static const Names all{
        "2:4", "4:5", "1:N", ":3", "3:", "1:1", "k[1:3]", "{1, 1, 5}", "N - 2:N", "1:10"};
    return all;
  }
  // Around the limits of the planner: one, a group, small vectors, blocks.
  static const Names& sizes() {
    static const Names all{"1", "2", "3", "7", "8", "9", "64", "65", "400", "600"};
    return all;
  }

  std::string real() {
    return one_of({"sum(#[~])",
                   "f($, #[~])",
                   "max(#)",
                   "#[!]",
                   "($ * $)",
                   "sum(head(#, 5))",
                   "($ > $ ? $ : 0.25)",
                   "@[2, !]",
                   "(mean(#[~]) + !)",
                   "normal_lpdf($ | $, 1.5)",
                   "sum(rep_vector($, %))",
                   "sum(head(rep_vector($, 400), 300))",
                   "dot_self(#[~])",
                   "log_sum_exp(#)",
                   "sum(@[2])",
                   "inv_logit($)",
                   "sum(o[2:3])",
                   "(q[2] + $)",
                   "sum(to_vector(@))",
                   "dot_product(#, #)",
                   "sum(last_of(#, 4))"});
  }
  std::string vector() {
    return one_of({"#", "rep_vector($, N)", "# + $", "$ * #", "reverse(#)", "#[k]", "# .* #",
                   "append_row($, tail(#, N - 1))", "append_row(#[1:4], #[5:N])", "exp(-square(#))",
                   "cumulative_sum(#)", "sort_desc(#)", "(@[1] + @[3])'", "to_vector(@[2])",
                   "softmax(#)", "rep_vector(sum(#[~]), N)", "append_row(last_of(#, 5), #[1:6])",
                   "(@' * [$, 1, 2]')"});
  }
  std::string matrix() {
    return one_of({"@", "@ + $", "rep_matrix($, 3, N)", "rep_matrix(#', 3)", "-@",
                   "diag_pre_multiply([$, 1, $]', @)", "append_row(@[2:3], @[1])",
                   "to_matrix(append_row(#, append_row(#, #)), 3, N)",
                   "block(append_col(@, @), 1, 2, 3, N)", "@ * diag_matrix(#)"});
  }
  std::string row(const std::string& i) {  // of a loop over i from 2 to N
    return one_of({"#[`]",
                   "($ * #[`])",
                   "#[N + 1 - `]",
                   "#[k[`]]",
                   "k[`]",
                   "tanh(#[` - 1])",
                   "(x[`] > 0 ? $ : #[`])",
                   "sum(#[1:`])",
                   "@[1, `]",
                   "sum(@[, `])",
                   "normal_lpdf(x[`] | #[`], 1.2)",
                   "f($, #[1:2])",
                   "sum(rep_vector(#[`], 3))",
                   "m[1:3, `]' * o",
                   "r[`] * #[1:3]",
                   "dot_product(to_vector(r[`]), o)",
                   "log_mix(0.3, $, #[`])",
                   "log_sum_exp(#[`], $)",
                   "categorical_lpmf(1 + (k[`] > 3) | q)",
                   "mean(r[`])",
                   "bernoulli_logit_lpmf(x[`] > 0 | $ + r[`] * o)",
                   "(r[`] * o + $)"},
                  i);
  }
  std::string condition() {
    return one_of({"$ > $", "x[2] > 0", "! > 3", "#[1] < #[!]", "$ > 0 && ! < 9"});
  }
  std::string random_real() {
    return one_of({"normal_rng($, 1 + square($))", "exponential_rng(exp(fmin(2, $)))",
                   "walk_rng($, 3)", "gamma_rng(1.5, 2 + square($))", "uniform_rng($, 1e6)",
                   "std_normal_rng()", "student_t_rng(4, $, 1)", "beta_rng(1 + b, 2)"});
  }
  std::string random_whole() {  // from 1 to N
    return one_of({"1 + bernoulli_logit_rng($)", "1 + bernoulli_rng(0.4)", "categorical_rng(q)",
                   "1 + binomial_rng(N - 1, inv_logit($))", "min(N, 1 + poisson_rng(2))",
                   "k[categorical_rng(q)]"});
  }
  std::string random_row(const std::string& i) {
    return one_of({"normal_rng(#[`], 1.5)", "#[`] + normal_rng(0, 1)", "exponential_rng(` * 0.5)",
                   "walk_rng(#[`], 2)", "(x[`] > 0 ? normal_rng($, 1) : #[`])",
                   "(uniform_rng(0, 1) > 0.4 ? #[`] : $)"},
                  i);
  }

  // ---- statements, each of one more output

  std::string fresh(Names& names) {
    fresh_.emplace_back(&names, "g" + std::to_string(++num_names_));
    return fresh_.back().second;
  }
  std::string statements(Index count, bool generated) {
    std::string text;
    for (Index i = 0; i < count; ++i) {
      text += generated && pick(2) == 0 ? drawn() : pick(3) == 0 ? looped(generated) : plain();
      for (const auto& [names, name] : std::exchange(fresh_, {})) names->push_back(name);
    }
    return text;
  }
  std::string plain() {
    std::string name;
    switch (pick(8)) {
      case 0:
        name = fresh(matrices_);
        return "  matrix[3, N] " + name + " = " + matrix() + ";\n";
      case 1:
        name = fresh(vectors_);
        return "  vector[N] " + name + ";\n  " + name + "[1:4] = (" + vector() + ")[2:5];\n  " +
               name + "[5:N] = (" + vector() + ")[5:N];\n";
      case 2:
        name = fresh(others_);
        return one_of(
            {"  vector[400] `; `[1:400] = rep_vector($, 400); `[2:3] = #[~][1:1][{1, 1}];\n",
             "  array[2] vector[N] ` = {#, #}; `[2, 3:4] = #[1:2];\n",
             "  vector[6] `; `[1:6] = rep_vector($, 6);\n",
             "  array[3, 2] real ` = {{$, $}, {1, $}, {$, 2}};\n",
             "  row_vector[N] ` = #'; `[2:3] = @[1, 2:3];\n"},
            name);
      case 6: {
        name = fresh(reals_);
        const std::string i = "i" + name;
        const std::string begin =
            "  real " + name + " = " + real() + ";\n  for (" + i + " in 2:N) ";
        if (pick(2) == 0) return begin + name + one_of({" += ", " -= "}) + row(i) + ";\n";
        return begin + "if (x[" + i + "] > 0) " + name + " -= " + row(i) + "; else " + name +
               " += " + row(i) + ";\n";
      }
      case 3:
      case 4:
        name = fresh(vectors_);
        return "  vector[N] " + name + " = " + vector() + ";\n";
      default:
        name = fresh(reals_);
        return "  real " + name + " = " + real() + " + tanh(" + real() + ");\n";
    }
  }
  std::string looped(bool generated) {
    const std::string name = fresh(vectors_), i = "i" + std::to_string(num_names_);
    const std::string value = generated && pick(2) == 0 ? random_row(i) : row(i);
    const std::string begin =
        "  vector[N] " + name + " = " + vector() + ";\n  for (" + i + " in 2:N) ";
    const std::string target = name + "[" + i + "]";
    switch (pick(7)) {
      case 5:
      case 6:
        return begin + "{ " + target + " = " + value + "; " + name + "[1] " + one_of({"+=", "-="}) +
               " " + row(i) + "; }\n";
      case 0:
        return begin + target + " = tanh(" + name + "[" + i + " - 1] + " + value + ");\n";
      case 1:
        return begin + "{ if (" + condition() + ") " + target + " = " + value + "; else " + target +
               " = " + row(i) + "; }\n";
      case 2:
        return begin + "{ real t = " + value + "; " + target + " += t; }\n";
      case 3:
        return begin + "for (j in 1:3) " + target + " += m[j, " + i + "] * " + value + ";\n";
      default:
        return begin + target + " = " + value + ";\n";
    }
  }
  std::string drawn() {
    std::string name;
    switch (pick(6)) {
      case 0:
        name = fresh(wholes_);
        return "  int " + name + " = " + random_whole() + ";\n";
      case 1:
        name = fresh(others_);
        return one_of(
            {"  array[N] real ` = normal_rng(#, 1.5);\n", "  array[N] int ` = counts_rng(#);\n",
             "  vector[4] ` = dirichlet_rng(q + 1);\n",
             "  array[N] int `; for (i in 1:N) `[i] = bernoulli_logit_rng(#[i]);\n",
             "  array[N] int ` = k; for (i in 1:N) if (bernoulli_rng(0.3)) `[i] = 0; else `[i] = "
             "poisson_rng(exp(fmin(#[i], 2)));\n",
             "  vector[3] ` = multi_normal_rng(o, diag_matrix([1, 1 + b, 2]'));\n",
             "  array[3, N] int `; for (j in 1:3) for (i in 1:N) `[j, i] = poisson_rng(1 + b);\n"},
            name);
      case 2:
        name = fresh(vectors_);
        return "  vector[N] " + name + " = to_vector(normal_rng(" + vector() + ", 1 + b));\n";
      default:
        name = fresh(reals_);
        return "  real " + name + " = " + random_real() + ";\n";
    }
  }

  Rng rng_;
  Index num_names_ = 0;
  Names others_;                                       // outputs that nothing reads
  std::vector<std::pair<Names*, std::string>> fresh_;  // not yet assigned
};

}  // namespace credo::testing
