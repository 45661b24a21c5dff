#include "lang/typed/types.hpp"

namespace credo::lang::types_test {
namespace {
using enum BaseType;

TEST(types, are_spelt_as_in_programs) {
  EXPECT_EQ(to_string(UnsizedType(real)), "real");
  EXPECT_EQ(to_string(UnsizedType(row_vector, 3)), "array[,,] row_vector");
  EXPECT_EQ(to_string(UnsizedType::tuple({integer, UnsizedType(matrix, 1)}, 2)),
            "array[,] tuple(int, array[] matrix)");
}

TEST(types, promotion_costs_are_one_per_step_and_add_over_tuples) {
  EXPECT_EQ(promotion_cost(integer, real), 1);
  EXPECT_EQ(promotion_cost(real, complex), 1);
  EXPECT_EQ(promotion_cost(integer, complex), 2);
  EXPECT_EQ(promotion_cost(UnsizedType(integer, 2), UnsizedType(real, 2)), 1);
  EXPECT_EQ(promotion_cost(row_vector, complex_row_vector), 1);
  EXPECT_EQ(
      promotion_cost(UnsizedType::tuple({integer, real}), UnsizedType::tuple({real, complex})), 2);
}

TEST(types, neither_demote_nor_change_their_container) {
  EXPECT_FALSE(promotion_cost(real, integer));
  EXPECT_FALSE(promotion_cost(complex, real));
  EXPECT_FALSE(promotion_cost(UnsizedType(real, 1), vector));
  EXPECT_FALSE(promotion_cost(vector, row_vector));
  EXPECT_FALSE(promotion_cost(UnsizedType(integer, 1), UnsizedType(real, 2)));
  EXPECT_FALSE(promotion_cost(integer, vector));
  EXPECT_FALSE(
      promotion_cost(UnsizedType::tuple({integer}), UnsizedType::tuple({integer, integer})));
}

TEST(types, a_common_type_promotes_both_elementwise_in_tuples) {
  EXPECT_EQ(common_type(integer, real), UnsizedType(real));
  EXPECT_EQ(common_type(UnsizedType(complex, 1), UnsizedType(integer, 1)), UnsizedType(complex, 1));
  EXPECT_EQ(common_type(UnsizedType::tuple({integer, real}), UnsizedType::tuple({real, integer})),
            UnsizedType::tuple({real, real}));
  EXPECT_FALSE(common_type(vector, row_vector));
  EXPECT_FALSE(common_type(vector, real));
}

TEST(types, know_their_dimensions_and_elements) {
  EXPECT_EQ(num_dimensions(UnsizedType(matrix, 2)), 4);
  EXPECT_EQ(num_dimensions(complex_vector), 1);
  EXPECT_EQ(element_type(UnsizedType(vector, 1)), UnsizedType(vector));
  EXPECT_EQ(element_type(matrix), UnsizedType(real));
  EXPECT_EQ(element_type(complex_row_vector), UnsizedType(complex));
  EXPECT_FALSE(element_type(real));
}

TEST(types, int_based_means_every_scalar_is_int) {
  EXPECT_TRUE(is_int_based(UnsizedType(integer, 2)));
  EXPECT_FALSE(is_int_based(UnsizedType::tuple({integer, real})));
  EXPECT_TRUE(contains_int(UnsizedType::tuple({real, UnsizedType::tuple({integer}, 1)})));
  EXPECT_TRUE(contains_complex(UnsizedType(complex_matrix, 1)));
  EXPECT_FALSE(contains_complex(matrix));
}

TEST(types, poison_fits_everywhere) {
  EXPECT_TRUE(promotes(UnsizedType(), vector));
  EXPECT_TRUE(promotes(matrix, UnsizedType()));
  EXPECT_EQ(common_type(UnsizedType(), vector), UnsizedType(vector));
}
}  // namespace
}  // namespace credo::lang::types_test
