// Colours of columns: all elements of a symmetric matrix are read from the products with them, and few products do.
#include "numerics/linear_algebra/star_colouring.hpp"

#include <gtest/gtest.h>

#include "support/ulp.hpp"

namespace credo::numerics::star_colouring_test {
namespace {

SparseSymmetric with_values(Index n, std::vector<SparseElement> elements, std::uint64_t seed) {
  for (Index k = 0; k < n; ++k) elements.push_back({k, k, 0.0});
  SparseSymmetric matrix(n, elements);
  test::SplitMix random{seed};
  for (double& value : matrix.values()) value = random.uniform() + 0.5;
  return matrix;
}

SparseSymmetric random_graph(Index n, double share, std::uint64_t seed) {
  test::SplitMix random{seed};
  std::vector<SparseElement> elements;
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i)
      if (random.uniform() < share) elements.push_back({i, j, 0.0});
  return with_values(n, std::move(elements), seed + 1);
}

SparseSymmetric arrow(Index n) {
  std::vector<SparseElement> elements;
  for (Index k = 1; k < n; ++k) elements.push_back({k, 0, 0.0});
  return with_values(n, std::move(elements), 5);
}

SparseSymmetric chain(Index n) {
  std::vector<SparseElement> elements;
  for (Index k = 1; k < n; ++k) elements.push_back({k, k - 1, 0.0});
  return with_values(n, std::move(elements), 6);
}

// Rows of two factors with `levels` levels each.
SparseSymmetric crossed(Index levels, Index rows) {
  test::SplitMix random{8};
  std::vector<SparseElement> elements;
  const auto level = [&] {
    return static_cast<Index>(random.uniform() * static_cast<double>(levels));
  };
  for (Index k = 0; k < rows; ++k) elements.push_back({levels + level(), level(), 0.0});
  return with_values(2 * levels, std::move(elements), 9);
}

// The elements as they are read from products with the sums of each colour's columns.
std::vector<double> read_back(const SparseSymmetric& matrix, const ColumnColours& colours) {
  const auto n = static_cast<std::size_t>(matrix.size());
  std::vector<std::vector<double>> products;
  for (std::int32_t c = 0; c < colours.num_colours; ++c) {
    std::vector<double> columns(n), product(n);
    for (std::size_t k = 0; k < n; ++k) columns[k] = colours.colour[k] == c ? 1.0 : 0.0;
    matrix.multiply(columns, product);
    products.push_back(product);
  }
  std::vector<double> found;
  for (const ColumnColours::Source& source : colours.sources)
    found.push_back(
        products[static_cast<std::size_t>(source.of)][static_cast<std::size_t>(source.row)]);
  return found;
}

// Each element is one term of a sum whose other terms are 0, so that it is read to the last bit.
TEST(star_colouring, products_with_colours_give_all_elements) {
  for (const SparseSymmetric& matrix :
       {random_graph(1, 0.0, 1), random_graph(30, 0.1, 2), random_graph(60, 0.3, 3),
        random_graph(12, 1.0, 4), arrow(200), chain(40), crossed(60, 400)}) {
    const ColumnColours colours = star_colours(matrix.pattern());
    const std::vector<double> found = read_back(matrix, colours);
    ASSERT_EQ(found.size(), matrix.values().size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k], matrix.values()[k]);
  }
}

// The mutant joins two colours: then some element is a sum of two.
TEST(star_colouring, elements_are_wrong_if_two_colours_are_joined) {
  const SparseSymmetric matrix = crossed(60, 400);
  ColumnColours colours = star_colours(matrix.pattern());
  for (std::int32_t& c : colours.colour) c = c == 1 ? 0 : c;
  for (ColumnColours::Source& source : colours.sources) source.of = source.of == 1 ? 0 : source.of;
  const std::vector<double> found = read_back(matrix, colours);
  EXPECT_FALSE(std::ranges::equal(found, matrix.values()));
}

TEST(star_colouring, few_products_do_for_chains_arrows_and_crossed_factors) {
  EXPECT_LE(star_colours(chain(1000).pattern()).num_colours, 3);
  EXPECT_EQ(star_colours(arrow(1000).pattern()).num_colours, 2);
  // One factor has a colour, the other at most one more than twice the pairs at distance two of a level; measured: 60.
  EXPECT_LE(star_colours(crossed(300, 2000).pattern()).num_colours, 80);
}

}  // namespace
}  // namespace credo::numerics::star_colouring_test
