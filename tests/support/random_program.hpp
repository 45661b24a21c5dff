// Random Stan programs from a typed grammar: every program checks, its density is finite at
// moderate points, and it uses what passes have to get right: shared subexpressions, element
// writes, loops, broadcasting, decisions on parameters.
#pragma once
#include "base/rng.hpp"

namespace credo::testing {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed)
      : rng_(StreamKey{.seed = seed, .purpose = purpose::kTest + 77, .chain = 0, .iteration = 0}) {}

  std::string text() {
    std::string model;
    const Index statements = 2 + pick(5);
    for (Index s = 0; s < statements; ++s) model += statement(2);
    return "functions {\n  real f(real s, vector w) { return s + dot_self(w) / (1 + square(s)); "
           "}\n" +
           std::string(kBranchingFunctions) +
           "}\n"
           "data {\n  int<lower=1> N;\n  vector[N] x;\n  array[N] int<lower=1, upper=N> k;\n  real "
           "c;\n}\n"
           "parameters {\n  real a;\n  real<lower=0> b;\n  real<lower=-1, upper=2> p;\n  vector[N] "
           "v;\n"
           "  ordered[3] o;\n}\n"
           "model {\n  real s = a;\n  vector[N] w = v;\n  int z = 1;\n" +
           model + "  target += s + sum(w) - dot_self(v) - a^2 - b;\n}\n";
  }

 private:
  // The value of the other side is NaN or refused, with derivatives that aren't finite.
  static constexpr const char* kBranchingFunctions =
      "  real root(real x) { if (x < 0) return x; return sqrt(x + 0.25) * log1p(4 * x); }\n"
      "  real piece(real x, vector w) {\n"
      "    for (j in 1:3) if (x < j - 2) return log(j - 1.5 - x) + j;\n"
      "    if (x > 40) reject(\"too large: \", x);\n"
      "    return w[1] * x;\n  }\n"
      "  real bump_lp(real x) {\n"
      "    if (x < 0.2) { target += 0.1 * x; return 0; }\n"
      "    target += normal_lpdf(0.3 | 0, x);\n    return log(x);\n  }\n";

  Index pick(Index n) { return rng_.index_below(n); }
  std::string one_of(std::initializer_list<const char*> choices) {
    return *(choices.begin() + pick(static_cast<Index>(choices.size())));
  }

  std::string index() { return one_of({"1", "2", "N", "k[1]", "k[2]", "N - 1"}); }

  std::string scalar(int depth) {
    if (depth == 0) {
      const std::string leaf =
          one_of({"a", "b", "p", "c", "s", "1.5", "v[#]", "x[#]", "w[#]", "o[2]", "v[z]", "x[z]"});
      const std::size_t hole = leaf.find('#');
      return hole == std::string::npos ? leaf : leaf.substr(0, hole) + index() + "]";
    }
    const std::string left = scalar(depth - 1);
    switch (pick(14)) {
      case 12:
        return "root(" + left + ")";
      case 13:
        return "piece(" + left + ", tanh(" + vec(depth - 1) + "))";
      case 0:
        return "(" + left + " + " + scalar(depth - 1) + ")";
      case 1:
        return "(" + left + " - " + scalar(depth - 1) + ")";
      case 2:
        return "(" + left + " * tanh(" + scalar(depth - 1) + "))";
      case 3:
        return "(" + left + " / (2 + square(" + scalar(depth - 1) + ")))";
      case 4:
        return "log1p_exp(" + left + ")";
      case 5:
        return "sqrt(1 + square(" + left + "))";
      case 6:
        return "inv_logit(" + left + ")";
      case 7:
        return "log_sum_exp(" + vec(depth - 1) + ")";
      case 8:
        return "dot_product(" + vec(depth - 1) + ", tanh(" + vec(depth - 1) + "))";
      case 9:
        return "fmax(" + left + ", " + scalar(depth - 1) + ")";
      case 10:
        return "(" + left + " > " + scalar(depth - 1) + " ? " + scalar(depth - 1) + " : 0.5)";
      default:
        return "f(" + left + ", tanh(" + vec(depth - 1) + "))";
    }
  }

  std::string vec(int depth) {
    if (depth == 0) return one_of({"v", "x", "w", "v[k]", "reverse(v)"});
    switch (pick(7)) {
      case 0:
        return "(" + vec(depth - 1) + " + " + vec(depth - 1) + ")";
      case 1:
        return "(tanh(" + scalar(depth - 1) + ") * " + vec(depth - 1) + ")";
      case 2:
        return "(" + vec(depth - 1) + " .* inv_logit(" + vec(depth - 1) + "))";
      case 3:
        return "cumulative_sum(tanh(" + vec(depth - 1) + "))";
      case 4:
        return "softmax(" + vec(depth - 1) + ")";
      case 5:
        return "append_row(tanh(" + scalar(depth - 1) + "), " + vec(depth - 1) + "[2:N])";
      default:
        return "(" + vec(depth - 1) + " - " + scalar(depth - 1) + ")";
    }
  }

  // ---- loops over the data's rows: most become columns, some must not

  std::string row_scalar(const std::string& i, int depth) {
    if (depth == 0) {
      const std::string leaf = one_of({"a", "b", "p", "c", "x[#]", "v[#]", "v[k[#]]",
                                       "x[N + 1 - #]", "1.5", "w[#]", "w[k[#]]", "t", "(0.1 * #)"});
      std::string text;
      for (const char letter : leaf) text += letter == '#' ? i : std::string(1, letter);
      return text;
    }
    const std::string left = row_scalar(i, depth - 1);
    switch (pick(11)) {
      case 8:
        return "root(" + left + ")";
      case 9:
        return "piece(" + left + ", v)";
      case 10:
        return "(v[" + i + "] > a ? sqrt(v[" + i + "] - a + 0.1) : " + left + ")";
      case 0:
        return "(" + left + " + " + row_scalar(i, depth - 1) + ")";
      case 1:
        return "(" + left + " * tanh(" + row_scalar(i, depth - 1) + "))";
      case 2:
        return "log_sum_exp({" + left + ", " + row_scalar(i, depth - 1) + ", 0.5})";
      case 3:
        return "(x[" + i + "] > 0 ? " + left + " : " + row_scalar(i, depth - 1) + ")";
      case 4:
        return "log_mix(0.3, tanh(" + left + "), normal_lpdf(x[" + i + "] | tanh(" +
               row_scalar(i, depth - 1) + "), 1 + b))";
      case 5:
        return "f(" + left + ", [" + row_scalar(i, depth - 1) + ", 0.5]')";
      case 6:
        return "inv_logit(" + left + ")";
      default:
        return "(" + left + " - " + row_scalar(i, depth - 1) + ")";
    }
  }

  std::string row_statement(const std::string& i, int depth) {
    const std::string value = "tanh(" + row_scalar(i, 2) + ")";
    switch (pick(depth > 0 ? 11 : 8)) {
      case 0:
        return "    target += " + value + ";\n";
      case 1:
        return "    x[" + i + "] ~ normal(" + value + ", 1 + b);\n";
      case 2:
        return "    t = " + value + ";\n";
      case 3:
        return "    s += " + value + ";\n";
      case 4:
        return "    w[" + i + "] = " + value + ";\n";
      case 5:
        return "    w[" + one_of({"k[#]", "N + 1 - #", "min(N, 1 + #)"}) + "] = " + value + ";\n";
      case 6:
        return "    w[" + i + "] += " + value + ";\n";
      case 7:
        return "    t += " + value + ";\n";
      case 8: {
        const std::string j = "j" + std::to_string(loops_++);
        std::string sum = one_of({"t", "t", "w[#]", "w[@]"});
        if (sum == "w[@]") sum = "w[" + j + "]";
        return "    for (" + j + " in 1:" + one_of({"3", "N", "k[#]"}) + ") " + sum +
               " += 0.1 * tanh(v[" + j + "] * " + row_scalar(i, 1) + ");\n";
      }
      default:
        return "    if (" +
               one_of({"x[#] > 0", "k[#] > 5", "# > 2 && x[# - 1] < 0.3", "a > 0", "v[#] > a",
                       "x[#] > p - 1", "v[#] > a && x[#] < b"}) +
               ") {\n" + row_statement(i, depth - 1) + "    } else {\n" +
               row_statement(i, depth - 1) + "    }\n";
    }
  }

  std::string row_loop() {
    const std::string i = "i" + std::to_string(loops_++);
    std::string body = pick(3) == 0 ? "" : "    real t = " + row_scalar_outside() + ";\n";
    const bool own = !body.empty();
    const Index statements = 1 + pick(3);
    for (Index k = 0; k < statements; ++k) body += row_statement(i, 1);
    std::string text;
    for (const char letter : body) text += letter == '#' ? i : std::string(1, letter);
    const std::string loop =
        "  for (" + i + " in " + one_of({"1:N", "2:N", "1:N - 1"}) + ") {\n" + text + "  }\n";
    return own ? loop : "  {\n  real t = 0.2;\n" + loop + "  s += t;\n  }\n";
  }
  // Branches that only assign, whole numbers that depend on parameters.
  std::string moved() {
    return one_of({"a", "p - 1.5", "v[2]", "c * s", "w[z]", "-o[1]", "x[1]", "w[k[2]] + z"});
  }
  std::string condition() {
    return one_of({"a > p", "v[1] < v[z]", "a > 0 && p < 1", "s > w[2] || z > 2", "!(v[2] > 0)",
                   "z == N", "x[z] > b"});
  }
  std::string moves() {
    return one_of({"  s = #;\n", "  w[z - 1 + (z < 2)] = #;\n", "  w[2] = #;\n", "  w[k[1]] = #;\n",
                   "  z = N + 1 - z;\n", "  z = k[z];\n", "  w[1] = #;\n  s = w[1] - #;\n",
                   "  w = v + #;\n", "  z = 1 + (a > p);\n"});
  }
  std::string filled(const std::string& pattern) {
    std::string text;
    for (const char letter : pattern) text += letter == '#' ? moved() : std::string(1, letter);
    return text;
  }
  std::string choice() {
    const std::string otherwise = pick(2) == 0 ? "" : " else {\n" + filled(moves()) + "  }";
    const std::string inner =
        pick(3) > 0 ? "" : "  if (" + condition() + ") {\n" + filled(moves()) + "  }\n";
    return "  if (" + condition() + ") {\n" + filled(moves()) + inner + "  }" + otherwise + "\n";
  }
  std::string search() {
    const std::string i = "i" + std::to_string(loops_++);
    return "  for (" + i + " in 1:N) if (" + one_of({"v[#]", "w[#]", "x[#] - a"}).replace(2, 1, i) +
           " > " + one_of({"v[z]", "w[z]", "b"}) + ") z = " + i + ";\n  s += tanh(w[z]);\n";
  }
  std::string row_scalar_outside() { return one_of({"a", "0.3", "b * c", "p"}); }

  std::string statement(int depth) {
    switch (pick(depth > 0 ? 16 : 6)) {
      case 14:
        return "  s += tanh(bump_lp(" + scalar(1) + "));\n";
      case 15:
        return "  if (" + scalar(1) + " > 0.3) {\n" + statement(0) + statement(0) + "  }\n";
      case 0:
        return "  s = " + scalar(2) + ";\n";
      case 1:
        return "  w[" + index() + "] = tanh(" + scalar(2) + ");\n";
      case 2:
        return "  target += tanh(" + scalar(2) + ");\n";
      case 3:
        return "  v ~ normal(" + one_of({"a", "x", "tanh(s)"}) + ", 1 + b);\n";
      case 4:
        return "  x ~ student_t(4, tanh(" + vec(1) + "), exp(0.1 * tanh(" + scalar(1) + ")));\n";
      case 5:
        return "  w = tanh(" + vec(2) + ");\n";
      case 6: {
        // every loop has a variable of its own
        const std::string i = "i" + std::to_string(loops_++);
        return "  for (" + i + " in 2:N) {\n  w[" + i + "] = tanh(w[" + i + " - 1] + v[" + i +
               "] * " + scalar(1) + ");\n" + statement(depth - 1) + "  }\n";
      }
      case 7:
        return "  if (" + one_of({"c > 0", "N > 2", "k[1] == 1", "a > 0", "sum(v) < a"}) + ") {\n" +
               statement(depth - 1) + "  } else {\n" + statement(depth - 1) + "  }\n";
      case 8:
      case 9:
        return row_loop();
      case 10:
        return choice();
      case 11:
        return search();
      case 12:
        return "  s += tanh(" + condition() + " ? " + moved() + " : " + moved() + ");\n";
      default:
        return "  {\n  real s2 = " + scalar(2) + ";\n  s += tanh(s2);\n  }\n";
    }
  }

  Rng rng_;
  Index loops_ = 0;
};

}  // namespace credo::testing
