// The operation table as a suite: every row with a kernel has samples here, or the suite fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "graph/core/op.hpp"
#include "graph/execute/program.hpp"
#include "graph/op_references.hpp"
#include "graph/passes/differentiate.hpp"
#include "numerics/arithmetic.hpp"
#include "support/ulp.hpp"

namespace credo::graph::ops_suite_test {
namespace {

constexpr Index kCount = 4;  // elements of each operand
using Operands = std::vector<Expr>;
using Build = std::function<Expr(const Op&, const Operands&)>;

struct Range {
  double lo, hi;
};
struct Sample {
  std::vector<Range> ranges;  // one an operand
  Build build = [](const Op& op, const Operands& in) { return graph::apply(op, in); };
};

Expr element_shaped(const Expr& x, Index rows, Index cols) {
  return x.reshaped(matrix_shape(rows, cols));
}
// Diagonally dominant: 5 on the diagonal.
Expr dominant(const Expr& x) {
  return element_shaped(x, 2, 2) + constant(matrix_shape(2, 2), std::array{5.0, 0.0, 0.0, 5.0});
}
Attributes shaped(std::vector<std::int32_t> ints, double size) {
  return {std::move(ints), {1.0, size, 1.0}};
}

void add_elementwise(std::map<std::string_view, Sample>& table) {
  const Range any{-1.4, 1.6}, positive{0.6, 2.7}, unit{-0.7, 0.8}, open{0.2, 0.7}, big{3.1, 5.2};
  for (const char* name :
       {"atan", "asinh", "cos",       "cosh",          "erf",       "erfc",          "exp",
        "exp2", "expm1", "inv_logit", "inverse_mills", "log1p_exp", "log_inv_logit", "log_phi",
        "neg",  "phi",   "sin",       "sinh",          "square",    "tanh"})
    table[name] = {{any}};
  for (const char* name :
       {"abs", "bessel_ratio", "bessel_ratio_1", "bessel_ratio_2", "cbrt", "digamma",
        "digamma_less_log", "lgamma", "log", "log10", "log1p", "log2", "log_bessel_i0",
        "pentagamma", "sqrt", "tetragamma", "trigamma", "log1pmx"})
    table[name] = {{positive}};
  for (const char* name : {"acos", "asin", "atanh", "tan"}) table[name] = {{unit}};
  for (const char* name : {"ceil", "floor", "trunc", "round"}) table[name] = {{{0.1, 0.4}}};
  for (const char* name : {"add", "sub", "mul", "log_sum_exp"}) table[name] = {{any, any}};
  for (const char* name :
       {"atan2", "hypot", "pow", "digamma_delta", "digamma_excess", "lbeta", "lgamma_delta",
        "lgamma_excess", "log_gamma_p", "log_gamma_q", "log_gamma_p_shape", "log_gamma_q_shape",
        "multiply_log", "scaled_log1p", "trigamma_excess"})
    table[name] = {{positive, positive}};
  for (const char* name : {"fmax", "fmin", "equal", "less", "less_equal", "log_diff_exp", "lchoose",
                           "log_inv_logit_diff"})
    table[name] = {{big, open}};
  for (const char* name : {"log_inc_beta", "log_inc_beta_by_a", "log_inc_beta_by_b"})
    table[name] = {{positive, positive, any}};
  table["acosh"] = {{big}}, table["inv_phi"] = {{open}}, table["log1m_exp"] = {{{-2.0, -0.3}}};
  table["div"] = {{any, positive}}, table["scaled_log1p_exp"] = {{positive, any}};
  table["select"] = {{positive, any, any}};
  const Range order{4.1, 4.4};  // truncated to 4, in derivatives to 1 ... 7
  for (const char* name : {"bessel_i", "bessel_j", "bessel_k", "bessel_y"})
    table[name] = {{order, big}};
  for (const char* name :
       {"log_bessel_i", "log_bessel_i_by_order", "log_bessel_i_by_argument",
        "log_bessel_i_by_order_twice", "log_bessel_i_by_both", "log_bessel_i_by_argument_twice"})
    table[name] = {{positive, positive}};
  table["fmod"] = {{{3.1, 3.4}, {2.0, 2.5}}};
  table["inv_inc_beta"] = {{positive, positive, open}};
}

void add_general(std::map<std::string_view, Sample>& table) {
  const Range any{-1.4, 1.6};
  for (const char* name : {"sum", "sum_log1p_exp", "log_sum_exp_all", "cumulative_sum", "prod",
                           "prod_others", "max_element", "min_element"})
    table[name] = {{any}};
  table["dot"] = {{any, any}};
  table["row_dots"] = {{any, any}, [](const Op& op, const Operands& in) {
                         return graph::apply(op, {in[0], in[1]}, {{1, kCount}, {}});
                       }};
  table["first_equal"] = {{any}, [](const Op& op, const Operands& in) {
                            return graph::apply(op, {in[0], max_element(in[0])});
                          }};
  table["broadcast"] = {{any}, [](const Op& op, const Operands& in) {
                          return graph::apply(op, {in[0].element(1)}, shaped({}, 3.0));
                        }};
  table["concat"] = {{any, any}, [](const Op& op, const Operands& in) {
                       return graph::apply(op, in, shaped({}, 2.0 * kCount));
                     }};
  table["pack"] = {{any, any}, [](const Op& op, const Operands& in) {
                     return graph::apply(op, {in[1].element(2), in[0].element(0)}, shaped({}, 2.0));
                   }};
  table["gather"] = {{any}, [](const Op& op, const Operands& in) {
                       return graph::apply(op, in, shaped({3, 0, 3}, 3.0));
                     }};
  table["scatter_add"] = {{any}, [](const Op& op, const Operands& in) {
                            return graph::apply(op, in, shaped({2, 0, 2, 1}, 3.0));
                          }};
  const Expr places = constant(vector_shape(kCount), std::array{2.0, 0.0, 2.0, 1.0});
  table["take"] = {{any}, [=](const Op& op, const Operands& in) {
                     return graph::apply(op, {in[0], places});
                   }};
  table["put"] = {{any}, [=](const Op& op, const Operands& in) {
                    return graph::apply(op, {in[0], places}, {{3, 1, 1}, {}});
                  }};
  table["matmul"] = {{any, any}, [](const Op&, const Operands& in) {
                       const Expr a = element_shaped(in[0], 2, 2), b = element_shaped(in[1], 2, 2);
                       return matmul(a, b) + matmul(a, b, true) + matmul(a, b, false, true) +
                              2.0 * matmul(a, b, true, true);
                     }};
  table["cholesky"] = {{any},
                       [](const Op&, const Operands& in) { return cholesky(dominant(in[0])); }};
  table["cholesky_adjoint"] = {
      {any, any}, [](const Op& op, const Operands& in) {
        return graph::apply(op, {dominant(in[0]), element_shaped(in[1], 2, 2)}, {{2}, {}});
      }};
  table["lower_outer"] = {{any, any}, [](const Op& op, const Operands& in) {
                            return graph::apply(
                                op, {element_shaped(in[0], 2, 2), element_shaped(in[1], 2, 2)},
                                {{2, 2}, {}});
                          }};
  table["solve_lower"] = {{any, any}, [](const Op&, const Operands& in) {
                            const Expr l = dominant(in[0]), b = element_shaped(in[1], 2, 2);
                            return solve_lower(l, b) + solve_lower(l, b, true);
                          }};
}

// Separated eigenvalues and singular values.
Expr spread_out(const Expr& x) {
  return element_shaped(x, 2, 2) + constant(matrix_shape(2, 2), std::array{6.0, 0.0, 0.0, 1.5});
}
void add_decompositions(std::map<std::string_view, Sample>& table) {
  const Range any{-1.4, 1.6}, small{-0.4, 0.6};
  table["solve"] = {{any, any}, [](const Op& op, const Operands& in) {
                      const Operands both{dominant(in[0]), element_shaped(in[1], 2, 2)};
                      return graph::apply(op, both, {{2, 2, 0}, {}}) +
                             2.0 * graph::apply(op, both, {{2, 2, 1}, {}});
                    }};
  for (const char* name : {"determinant", "log_abs_determinant"})
    table[name] = {{any}, [](const Op& op, const Operands& in) {
                     return graph::apply(op, {dominant(in[0])}, {{2}, {}});
                   }};
  table["matrix_exp"] = {{small}, [](const Op& op, const Operands& in) {
                           return graph::apply(op, {element_shaped(in[0], 2, 2)}, {{2}, {}});
                         }};
  table["symmetric_eigen"] = {{small}, [](const Op& op, const Operands& in) {
                                return graph::apply(op, {spread_out(in[0])}, {{2}, {}});
                              }};
  for (const char* name : {"qr", "singular_values"})
    table[name] = {{small}, [](const Op& op, const Operands& in) {
                     return graph::apply(op, {spread_out(in[0])}, {{2, 2}, {}});
                   }};
}

// A state-space model of two states and two outcomes at two times, of which the covariances are symmetric and positive definite.
Build kalman_model(bool variances) {
  return [variances](const Op& op, const Operands& in) {
    const auto covariance = [](const Expr& x) {
      return matmul(dominant(x), dominant(x), false, true);
    };
    const Expr noise =
        variances ? 1.0 + square(gather(vector_shape(2), in[3], {0, 1})) : covariance(in[3]);
    return graph::apply(
        op,
        {element_shaped(in[0], 2, 2), element_shaped(in[1], 2, 2), element_shaped(in[2], 2, 2),
         noise, covariance(in[4]), gather(vector_shape(2), in[5], {2, 3}), covariance(in[5])},
        {{2, 2, 2, variances, 1, 1}, {}});
  };
}
void add_kalman(std::map<std::string_view, Sample>& table) {
  const std::vector<Range> ranges(6, Range{-0.8, 0.9});
  for (const char* name : {"kalman_log_density", "kalman_score"})
    table[name] = {ranges, [](const Op& op, const Operands& in) {
                     const Expr together = kalman_model(false)(op, in),
                                one_by_one = kalman_model(true)(op, in);
                     return op.name == "kalman_score"
                                ? concat(vector_shape(together.size() + one_by_one.size()),
                                         std::array{together, one_by_one})
                                : together + 2.0 * one_by_one;
                   }};
}

// A series of two states and one unknown number at three times, of which the second has another kind of step.
Expr series_model(const Op& op, const Operands& in) {
  const auto part = [&](std::size_t k, std::vector<std::int32_t> places) {
    const auto size = static_cast<Index>(places.size());
    return gather(vector_shape(size), in[k], std::move(places));
  };
  const Expr root = dominant(in[4]);
  return graph::apply(
      op,
      {part(0, {0, 1, 2}), part(1, {0, 1}).reshaped(graph::matrix_shape(2, 1)),
       concat(graph::matrix_shape(2, 4),
              std::array{element_shaped(in[2], 2, 2), element_shaped(in[1], 2, 2)}),
       (0.5 + square(in[3])).reshaped(graph::matrix_shape(2, 2)), 1.0 + square(in[5].element(0)),
       part(5, {2, 3}), matmul(root, root, false, true),
       part(4, {1, 2}).reshaped(graph::matrix_shape(2, 1)),
       constant(vector_shape(3), std::array{1.0, 2.0, 1.0})},
      {{3, 2, 1, 2, 0, 0, 1, 1}, {}});
}
void add_series(std::map<std::string_view, Sample>& table) {
  const std::vector<Range> ranges(6, Range{0.2, 0.9});
  for (const char* name : {"series_log_density", "series_score"})
    table[name] = {ranges, [](const Op& op, const Operands& in) { return series_model(op, in); }};
}

void add_rare(std::map<std::string_view, Sample>& table) {
  const Range any{-1.4, 1.6}, positive{0.6, 2.7}, open{0.2, 0.7};
  table["order_places"] = {{any}};
  for (const char* name : {"hypergeometric", "hypergeometric_by_shapes"})
    table[name] = {{positive, positive, open}, [](const Op& op, const Operands& in) {
                     return graph::apply(op, {in[0], in[1], in[2].element(0)});
                   }};
}

// Rows without ranges above, from their references: near the second point, which must be away from kinks and from
// the ends of the domain.
void add_referenced(std::map<std::string_view, Sample>& table) {
  for (const auto& [name, reference] : references()) {
    if (table.contains(name) || reference.points.size() < 2) continue;
    const std::array<Real, 3> point{reference.points[1].a, reference.points[1].b,
                                    reference.points[1].c};
    Sample& sample = table[name];
    for (std::int32_t k = 0; k < find_op(name)->arity; ++k) {
      const auto x = static_cast<double>(point[static_cast<std::size_t>(k)]);
      sample.ranges.push_back({x - 0.05 * std::abs(x), x + 0.05 * std::abs(x)});
    }
  }
}

const std::map<std::string_view, Sample>& samples() {
  static const auto table = [] {
    std::map<std::string_view, Sample> all;
    add_elementwise(all);
    add_general(all);
    add_decompositions(all);
    add_kalman(all);
    add_series(all);
    add_rare(all);
    add_referenced(all);
    return all;
  }();
  return table;
}

// With values; checks have tests of their own below, rows that run a routine in routine_test.cpp.
std::vector<const Op*> rows() {
  std::vector<const Op*> found;
  for (const Op* op : op_table()) {
    const bool computes = op->kernel != nullptr && op->kind != OpKind::check;
    if (computes && !op->name.starts_with("routine")) found.push_back(op);
  }
  return found;
}

std::vector<double> draw_point(const Sample& sample, std::uint64_t seed) {
  test::SplitMix random{seed};
  std::vector<double> x;
  for (const Range& range : sample.ranges)
    for (Index i = 0; i < kCount; ++i)
      x.push_back(test::draw(test::Uniform{range.lo, range.hi}, random));
  return x;
}

std::vector<double> weights(Index n, std::uint64_t seed) {
  test::SplitMix random{seed};
  std::vector<double> w(static_cast<std::size_t>(n));
  for (double& value : w) value = 0.5 + random.uniform();
  return w;
}
Expr weighted(const Expr& x, std::uint64_t seed) {
  return dot(x, constant(x.shape(), weights(x.size(), seed)));
}

struct Tape {
  Graph graph;
  NodeId input = kNoNode;
  Expr out;
};

// Operands that are not in `shared` are slices of the input; the others are constants at `point`.
void trace(const Op& op, const Sample& sample, unsigned shared, Tape& t) {
  const Index n = ssize(sample.ranges) * kCount;
  t.input = t.graph.add_input(vector_shape(n));
  const Expr all(t.graph, Ref{t.input, -1});
  const std::vector<double> point = draw_point(sample, 1);
  Operands in;
  for (Index k = 0; k < ssize(sample.ranges); ++k) {
    std::vector<std::int32_t> index(kCount);
    std::iota(index.begin(), index.end(), static_cast<std::int32_t>(k * kCount));
    const bool constant_operand = (shared >> k & 1U) != 0;
    in.push_back(constant_operand
                     ? constant(vector_shape(kCount),
                                std::span(point).subspan(std::size_t(k * kCount), kCount))
                     : gather(vector_shape(kCount), all, index));
  }
  t.out = sample.build(op, in);
}

std::vector<double> evaluate(const Tape& t, const Expr& out,
                             std::span<const std::vector<double>> points) {
  const Program program(t.graph, t.input, std::array{out});
  Workspace workspace(program, ssize(points));
  workspace.set_lanes(ssize(points));
  for (std::size_t l = 0; l < points.size(); ++l)
    workspace.set_input(static_cast<Index>(l), points[l]);
  workspace.run();
  std::vector<double> values;
  for (Index l = 0; l < ssize(points); ++l)
    for (Index e = 0; e < program.output_size(0); ++e) values.push_back(workspace.output(0, e, l));
  return values;
}

double along(const Tape& t, const Expr& f, std::span<const double> x, std::span<const double> d,
             double h) {
  const auto at = [&](double step) {
    std::vector<double> y(x.begin(), x.end());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += step * d[i];
    return evaluate(t, f, std::array{y})[0];
  };
  return (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h);
}

// The lowest order of derivative (1 ... most) that differs from central differences of the one
// below; 0: none. The four-point formula errs by O(h^4): 15/16 of the difference between steps 2h
// and h; rounding adds 1.5 eps' |f| / h, where f is trusted to eps' = 1e-13 of max(1, |f|).
int wrong_order(const Op& op, const Sample& sample, int most) {
  Tape t;
  trace(op, sample, 0, t);
  const std::vector<double> x = draw_point(sample, 1), d = weights(ssize(x), 5);
  Expr f = weighted(t.out, 2);
  for (int order = 1; order <= most; ++order) {
    const Expr g = gradient(t.graph, f, std::array{t.input})[0];
    const double slope = evaluate(t, dot(g, constant(g.shape(), d)), std::array{x})[0];
    const double size = std::fabs(f.is_constant() ? f.value() : evaluate(t, f, std::array{x})[0]);
    const double h = 2e-3, fine = along(t, f, x, d, h), coarse = along(t, f, x, d, 2 * h);
    const double bound = std::fabs(fine - coarse) + 1.5e-13 * std::max(1.0, size) / h;
    if (!(std::fabs(slope - fine) <= bound)) return order;
    f = weighted(g, 7 + static_cast<std::uint64_t>(order));
  }
  return 0;
}

TEST(ops_suite, every_row_has_samples) {
  for (const Op* op : rows()) EXPECT_TRUE(samples().contains(op->name)) << op->name;
  for (const auto& [name, sample] : samples()) EXPECT_NE(find_op(name), nullptr) << name;
}

TEST(ops_suite, derivatives_up_to_the_third_match_differences) {
  for (const Op* op : rows()) {
    if (!samples().contains(op->name)) continue;
    EXPECT_EQ(wrong_order(*op, samples().at(op->name), std::min(op->order, 3)), 0) << op->name;
  }
}

TEST(ops_suite, a_row_with_a_wrong_partial_is_rejected) {
  Op mutant = *find_op("sin");
  mutant.rule = [](const RuleArgs& r) -> std::vector<Expr> { return {1.0001 * cos(r.in[0])}; };
  EXPECT_EQ(wrong_order(mutant, samples().at("sin"), 3), 1);
}

// Those of docs/design/operations.md, where the reasons are.
TEST(ops_suite, only_the_listed_rows_end_before_the_third_derivative) {
  const std::map<std::string, int, std::less<>> listed{{"com_poisson_covariance", 0},
                                                       {"com_poisson_log_sum", 2},
                                                       {"com_poisson_log_sum_above", 1},
                                                       {"com_poisson_log_sum_up_to", 1},
                                                       {"com_poisson_mean", 1},
                                                       {"com_poisson_mean_above", 0},
                                                       {"com_poisson_mean_log", 1},
                                                       {"com_poisson_mean_log_above", 0},
                                                       {"com_poisson_mean_log_up_to", 0},
                                                       {"com_poisson_mean_up_to", 0},
                                                       {"com_poisson_variance", 0},
                                                       {"com_poisson_variance_log", 0},
                                                       {"hypergeometric", 1},
                                                       {"hypergeometric_by_shapes", 0},
                                                       {"inv_inc_beta", 1},
                                                       {"kalman_log_density", 1},
                                                       {"kalman_score", 0},
                                                       {"log_bessel_i", 2},
                                                       {"log_bessel_i_by_argument", 1},
                                                       {"log_bessel_i_by_argument_twice", 0},
                                                       {"log_bessel_i_by_both", 0},
                                                       {"log_bessel_i_by_order", 1},
                                                       {"log_bessel_i_by_order_twice", 0},
                                                       {"log_gamma_p", 1},
                                                       {"log_gamma_p_shape", 0},
                                                       {"log_gamma_q", 1},
                                                       {"log_gamma_q_shape", 0},
                                                       {"log_inc_beta", 1},
                                                       {"log_inc_beta_by_a", 0},
                                                       {"log_inc_beta_by_b", 0},
                                                       {"pentagamma", 0},
                                                       {"series_log_density", 1},
                                                       {"series_score", 0},
                                                       {"student_t_quantile", 1},
                                                       {"tetragamma", 1},
                                                       {"trigamma", 2},
                                                       {"trigamma_excess", 2}};
  std::map<std::string, int, std::less<>> found;
  for (const Op* op : rows())
    if (op->order < 3) found.emplace(op->name, op->order);
  EXPECT_EQ(found, listed);
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

TEST(ops_suite, a_lane_has_the_bits_of_a_run_by_itself) {
  for (const Op* op : rows()) {
    if (!samples().contains(op->name)) continue;
    const Sample& sample = samples().at(op->name);
    for (unsigned shared = 0; shared + 1 < 1U << sample.ranges.size(); ++shared) {
      Tape t;
      trace(*op, sample, shared, t);
      for (const Index lanes : {2, 4, 8}) {
        std::vector<std::vector<double>> points;
        std::vector<double> alone;
        for (Index l = 0; l < lanes; ++l) {
          points.push_back(draw_point(sample, 40 + static_cast<std::uint64_t>(l)));
          const auto one = evaluate(t, t.out, std::array{points.back()});
          alone.insert(alone.end(), one.begin(), one.end());
        }
        EXPECT_TRUE(same_bits(evaluate(t, t.out, points), alone))
            << op->name << " " << lanes << " " << shared;
      }
    }
  }
}

std::vector<double> on_target(numerics::SimdTarget target, const Op& op) {
  numerics::force_target(target);
  Tape t;
  trace(op, samples().at(op.name), 0, t);
  return evaluate(t, t.out, std::array{draw_point(samples().at(op.name), 3)});
}

// The second arithmetic differs by rounding: 1e-13 of max(1, |value|) is 450 units of rounding.
TEST(ops_suite, targets_with_fused_arithmetic_agree_in_bits_and_all_to_rounding) {
  const auto before = numerics::active_target();
  for (const Op* op : rows()) {
    if (!samples().contains(op->name)) continue;
    const auto best = on_target(numerics::supported_targets().back(), *op);
    for (const auto target : numerics::supported_targets()) {
      const auto found = on_target(target, *op);
      const bool fused = target != numerics::SimdTarget::sse4;
      EXPECT_TRUE(!fused || same_bits(found, best)) << op->name;
      for (std::size_t i = 0; i < best.size(); ++i)
        EXPECT_NEAR(found[i], best[i], 1e-13 * std::max(1.0, std::fabs(best[i]))) << op->name;
    }
  }
  numerics::force_target(before);
}

TEST(ops_suite, nan_in_gives_nan_out_and_no_size_or_infinity_breaks_a_row) {
  const std::set<std::string_view> forgiving{"equal", "fmax",       "fmin",
                                             "less",  "less_equal", "select"};
  for (const Op* op : rows()) {
    if (op->kind != OpKind::elementwise || !samples().contains(op->name)) continue;
    const std::vector<double> x = draw_point(samples().at(op->name), 1);
    const std::size_t arity = static_cast<std::size_t>(op->arity);
    EXPECT_EQ(graph::apply(*op, Operands(arity, fill(vector_shape(0), 1.0))).size(), 0) << op->name;
    for (std::size_t k = 0; k < arity; ++k) {
      Operands in;
      for (std::size_t j = 0; j < arity; ++j) in.emplace_back(x[j * kCount]);
      const double plain = graph::apply(*op, in).value();
      Operands wide = in;
      wide[k] = fill(vector_shape(3), x[k * kCount]);
      EXPECT_EQ(graph::apply(*op, wide).value(2), plain) << op->name;  // scalars repeat
      for (const double end : {kInfinity, -kInfinity}) in[k] = end, graph::apply(*op, in);
      in[k] = kNaN;
      const bool is_nan = std::isnan(graph::apply(*op, in).value());
      EXPECT_TRUE(is_nan || forgiving.contains(op->name)) << op->name << k;
    }
  }
}

TEST(ops_suite, a_scalar_is_checked_against_every_bound_in_every_lane) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(1));
  const Expr x = Expr(graph, Ref{input, -1}).element(0);
  check_less(x, constant(vector_shape(3), std::array{9.0, 9.0, 2.0}), 4);
  const Program program(graph, input, std::array<Expr, 0>{});
  Workspace workspace(program, 2);
  workspace.set_lanes(2);
  workspace.set_input(0, std::array{1.0});
  workspace.set_input(1, std::array{3.0});
  workspace.run();
  EXPECT_EQ(workspace.status(0).check, 0);
  EXPECT_EQ(workspace.status(1).check, 4);
  EXPECT_EQ(workspace.status(1).value, 3.0);
}

// Against the C library in long double; 4 units in the last place of max(|value|, 0.1).
TEST(ops_suite, values_are_those_of_the_library) {
  using F = long double (*)(long double);
  const std::vector<std::pair<std::string_view, F>> references{
      {"acos", std::acos},   {"acosh", std::acosh}, {"asin", std::asin},     {"asinh", std::asinh},
      {"atan", std::atan},   {"atanh", std::atanh}, {"cbrt", std::cbrt},     {"cos", std::cos},
      {"cosh", std::cosh},   {"erf", std::erf},     {"erfc", std::erfc},     {"exp", std::exp},
      {"exp2", std::exp2},   {"expm1", std::expm1}, {"lgamma", std::lgamma}, {"log", std::log},
      {"log10", std::log10}, {"log1p", std::log1p}, {"log2", std::log2},     {"sin", std::sin},
      {"sinh", std::sinh},   {"sqrt", std::sqrt},   {"tan", std::tan},       {"tanh", std::tanh}};
  for (const auto& [name, reference] : references) {
    for (const double x : draw_point(samples().at(name), 11)) {
      const long double exact = reference(x);
      const double found = graph::apply(*find_op(name), {Expr(x)}).value();
      EXPECT_LE(std::fabs(found - exact), 4 * test::ulp(std::max(std::fabs(exact), 0.1L)))
          << name << " " << x;
    }
  }
}

}  // namespace
}  // namespace credo::graph::ops_suite_test
