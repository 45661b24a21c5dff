// What calling every signature in every place found (tools/check_signatures): draws written by a
// traced program and by the interpreter have the same bits, and values are those of scalar calls.
#include <gtest/gtest.h>

#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model::signatures_test {
namespace {

struct Rows {
  std::vector<double> written, interpreted;
};

Rows rows_of(const Model& model, double first) {
  std::vector<double> point(static_cast<std::size_t>(model.dimension()), first);
  const StreamKey key{.seed = 3, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0};
  Rng one(key), other(key);
  Rows rows;
  Writer(model.draw_outputs()).write(point, one, rows.written);
  rows.interpreted = model.draw_outputs().write(point, other);
  return rows;
}

void expect_the_bits_of_the_interpreter(const std::string& text) {
  const auto model = model_from(text);
  for (int k = 0; k < 50; ++k) {
    const Rows rows = rows_of(*model, std::sin(0.37 * k) * 3.0);
    EXPECT_EQ(rows.written, rows.interpreted) << text;
  }
}

TEST(signatures, bounds_that_depend_on_parameters_are_written_as_interpreted) {
  expect_the_bits_of_the_interpreter(
      "parameters { real a; real<lower=a, upper=a + 3.3> b; vector<lower=a, upper=7>[3] c; }");
  expect_the_bits_of_the_interpreter(
      "parameters { real a; } "
      "generated quantities { real b = lower_upper_bound_constrain(a, 0.3 * a, 5); }");
}

TEST(signatures, bessel_functions_take_several_orders_of_one_number) {
  for (const std::string name : {"bessel_first_kind", "bessel_second_kind",
                                 "modified_bessel_first_kind", "modified_bessel_second_kind"}) {
    const auto model =
        model_from("parameters { real a; } generated quantities { array[3] real b = " + name +
                   "({0, 2, 1}, exp(a)); array[3] real c = {" + name + "(0, exp(a)), " + name +
                   "(2, exp(a)), " + name + "(1, exp(a))}; }");
    const Rows rows = rows_of(*model, 0.4);
    for (std::size_t k = 1; k <= 3; ++k) EXPECT_EQ(rows.written[k], rows.written[k + 3]) << name;
    EXPECT_EQ(rows.written, rows.interpreted) << name;
  }
}

TEST(signatures, spaces_between_ends_on_parameters_are_traced) {
  const auto model = model_from(
      "parameters { real d; } generated quantities { vector[4] v = linspaced_vector(4, d, d + 3);"
      "  array[3] real a = linspaced_array(3, -1, 0.1 * d); row_vector[1] r = "
      "linspaced_row_vector(1, d, 2);"
      "  vector[0] none = linspaced_vector(0, d, 2); }");
  Writer writer(model->draw_outputs());
  for (const double at : {0.25, -0.5, 1.5}) {
    Rng rng({.seed = 3, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0});
    std::vector<double> row;
    writer.write(std::vector{at}, rng, row);
    const std::vector expected{at,       at, at + 1, at + 2, at + 3, -1.0, (0.1 * at - 1) / 2,
                               0.1 * at, 2.0};
    ASSERT_EQ(row.size(), expected.size());
    for (std::size_t k = 0; k < row.size(); ++k) EXPECT_NEAR(row[k], expected[k], 1e-15);
  }
  EXPECT_EQ(writer.num_interpreted(), 0);
}

TEST(signatures, sums_of_no_elements_leave_nothing_behind) {
  const std::string head =
      "data { int n; } parameters { real d; } model { vector[n] v = rep_vector(2, n) * d; ";
  for (const std::string term : {"sum(v + d)", "sum(d * (v - d))", "distance(v, v * 2)",
                                 "sqrt(dot_self(v))", "dot_product(v + d, v * d)"}) {
    const auto model = model_from(head + "target += -square(d) + " + term + "; }", R"({"n": 0})");
    const PointEvaluation at = model->evaluate_in_full(std::vector<double>{0.75});
    EXPECT_EQ(at.log_density, -0.5625) << term;
    EXPECT_EQ(at.gradient[0], -1.5) << term;
  }
}

TEST(signatures, draws_of_a_given_size_check_their_arguments) {
  const auto note_of = [](const std::string& call) {
    const std::string type = call.starts_with("lkj") ? "matrix[2, 2]" : "array[2] int";
    const auto model = model_from("parameters { real d; } generated quantities { " + type +
                                  " y = " + call + "; }");
    Rng rng({.seed = 3, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0});
    std::string note;
    model->draw_outputs().write(std::vector<double>{0.5}, rng, &note);
    return note;
  };
  const auto names = [&](const std::string& call, std::string_view words) {
    EXPECT_NE(note_of(call).find(words), std::string::npos) << call << ": " << note_of(call);
  };
  names("dirichlet_multinomial_rng([not_a_number(), 1]', 6)", "prior sample sizes parameter");
  names("dirichlet_multinomial_rng([positive_infinity(), 1]', 6)", "prior sample sizes parameter");
  names("multinomial_rng([0.5, 0.6]', 6)", "probabilities parameter");
  names("multinomial_logit_rng([0.5, not_a_number()]', 6)", "log odds");
  names("multinomial_rng([0.5, 0.5]', -1)", "number of trials variable");
  names("lkj_corr_rng(0, 1.5)", "number of rows");
  names("lkj_corr_cholesky_rng(-1, 1.5)", "number of rows");
  names("lkj_corr_rng(2, not_a_number())", "shape parameter");
  names("lkj_corr_cholesky_rng(2, 0)", "shape parameter");
  EXPECT_EQ(note_of("lkj_corr_rng(2, 1.5)"), "");
  EXPECT_EQ(note_of("multinomial_rng([0.5, 0.5]', 6)"), "");
}

}  // namespace
}  // namespace credo::model::signatures_test
