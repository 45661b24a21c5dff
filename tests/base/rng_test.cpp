// Statistical claims use fixed seeds; a threshold names its false-alarm rate.
#include "base/rng.hpp"

#include <gtest/gtest.h>

#include "base/philox.hpp"
#include "base/rng_inv_phi.hpp"
#include "base/stream.hpp"
#include "base/types.hpp"

namespace credo::rng_test {
namespace {

StreamKey test_key(std::uint32_t chain = 0, std::uint32_t iteration = 0) {
  return {.seed = 20'240'501, .purpose = purpose::kTest, .chain = chain, .iteration = iteration};
}

double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Kolmogorov's distance times sqrt(n); above 2.28 with probability 6e-5 where the cdf is right.
constexpr double kKolmogorovLimit = 2.28;

double kolmogorov(std::vector<double> draws, const std::function<double(double)>& cdf) {
  std::sort(draws.begin(), draws.end());
  const double n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = cdf(draws[i]), rank = static_cast<double>(i);
    distance = std::max({distance, p - rank / n, (rank + 1.0) / n - p});
  }
  return distance * std::sqrt(n);
}

template <class Variate>
std::vector<double> draw_many(std::size_t n, Variate variate) {
  Rng rng(test_key());
  std::vector<double> draws(n);
  for (double& x : draws) x = variate(rng);
  return draws;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  double xx = 0, yy = 0, xy = 0;  // of variables with mean 0
  for (std::size_t i = 0; i < x.size(); ++i)
    xx += x[i] * x[i], yy += y[i] * y[i], xy += x[i] * y[i];
  return xy / std::sqrt(xx * yy);
}

// The known-answer vectors that come with the reference implementation of [salmon2011].
TEST(philox, gives_the_published_answers) {
  EXPECT_EQ(philox_block(0, {0, 0, 0, 0}), (PhiloxBlock{0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c}));
  EXPECT_EQ(philox_block(~0ull, {~0u, ~0u, ~0u, ~0u}),
            (PhiloxBlock{0x41c83b0e408f276d, 0x6d5451fda20bc7c6}));
  EXPECT_EQ(philox_block(0x299f31d0a4093822, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (PhiloxBlock{0x94fdccebd16cfe09, 0x24126ea15001e420}));
}

TEST(rng, uniform_follows_its_cdf) {
  const auto draws = draw_many(100'000, [](Rng& rng) { return rng.uniform(); });
  EXPECT_LT(kolmogorov(draws, [](double x) { return x; }), kKolmogorovLimit);
}

TEST(rng, uniform_stays_inside_the_open_interval) {
  const auto draws = draw_many(100'000, [](Rng& rng) { return rng.uniform(); });
  EXPECT_GT(*std::min_element(draws.begin(), draws.end()), 0.0);
  EXPECT_LT(*std::max_element(draws.begin(), draws.end()), 1.0);
}

TEST(rng, uniform_between_bounds_follows_its_cdf) {
  const auto draws = draw_many(100'000, [](Rng& rng) { return rng.uniform(-2.0, 3.0); });
  EXPECT_LT(kolmogorov(draws, [](double x) { return (x + 2.0) / 5.0; }), kKolmogorovLimit);
}

TEST(rng, normal_follows_its_cdf) {
  const auto draws = draw_many(100'000, [](Rng& rng) { return rng.normal(); });
  EXPECT_LT(kolmogorov(draws, phi), kKolmogorovLimit);
}

TEST(rng, exponential_follows_its_cdf) {
  const auto draws = draw_many(100'000, [](Rng& rng) { return rng.exponential(); });
  EXPECT_LT(kolmogorov(draws, [](double x) { return -std::expm1(-x); }), kKolmogorovLimit);
}

TEST(rng, the_distribution_test_rejects_a_normal_with_sd_1_04) {
  const auto draws = draw_many(100'000, [](Rng& rng) { return 1.04 * rng.normal(); });
  EXPECT_GT(kolmogorov(draws, phi), kKolmogorovLimit);
}

// |r| sqrt(n) is above 4 with probability 6e-5 for independent streams.
TEST(rng, streams_that_differ_in_one_word_of_the_key_are_uncorrelated) {
  const std::vector<StreamKey> keys = {test_key(),
                                       test_key(1),
                                       test_key(0, 1),
                                       test_key(1, 1),
                                       {.seed = 20'240'502, .purpose = purpose::kTest},
                                       {.seed = 20'240'501, .purpose = purpose::kTest + 1}};
  std::vector<std::vector<double>> streams;
  for (const StreamKey& key : keys) fill_normal(key, 0, streams.emplace_back(50'000));
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_LT(std::fabs(correlation(streams[i], streams[j])), 4.0 / std::sqrt(50'000.0))
          << i << j;
}

TEST(rng, neighbours_in_a_stream_are_uncorrelated) {
  std::vector<double> stream(100'001), shifted;
  fill_normal(test_key(), 0, stream);
  shifted.assign(stream.begin() + 1, stream.end());
  stream.pop_back();
  EXPECT_LT(std::fabs(correlation(stream, shifted)), 4.0 / std::sqrt(100'000.0));
}

TEST(rng, fills_equal_the_scalar_stream_bitwise_from_any_position) {
  for (const std::uint64_t first : {0u, 1u, 6u, 1001u}) {
    std::vector<double> uniforms(17), normals(17);
    fill_uniform(test_key(), first, uniforms);
    fill_normal(test_key(), first, normals);
    for (std::size_t i = 0; i < 17; ++i) {
      EXPECT_EQ(uniforms[i], Rng(test_key(), first + i).uniform());
      EXPECT_EQ(normals[i], Rng(test_key(), first + i).normal());
    }
  }
}

TEST(rng, every_kind_of_variate_takes_one_slot) {
  Rng rng(test_key());
  rng.uniform(), rng.normal(), rng.exponential(), rng.uniform(1, 2), rng.bits();
  for (int i = 0; i < 100; ++i) rng.index_below(Index{3} << 61);  // rejects one time in four
  EXPECT_EQ(rng.position(), 105u);
}

TEST(rng, continues_from_its_key_and_position) {
  Rng rng(test_key());
  for (int i = 0; i < 5; ++i) rng.normal();
  Rng resumed(rng.key(), rng.position());
  EXPECT_EQ(resumed.normal(), rng.normal());
  EXPECT_EQ(resumed.bits(), rng.bits());
}

// Pearson's statistic over k cells; mean k - 1, sd sqrt(2 (k - 1)).
double chi_square(const std::vector<int>& counts, double total) {
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0.0;
  for (int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// The 1 - 6e-5 quantiles of chi-square with 6 and 99 degrees of freedom are 30 and 164.
TEST(rng, index_below_is_uniform) {
  for (const auto& [n, limit] : {std::pair{7, 30.0}, std::pair{100, 164.0}}) {
    Rng rng(test_key());
    std::vector<int> counts(static_cast<std::size_t>(n));
    for (int i = 0; i < 100'000; ++i) ++counts[static_cast<std::size_t>(rng.index_below(n))];
    EXPECT_LT(chi_square(counts, 1e5), limit);
  }
}

// n = 3 * 2^61: multiply-high without rejection would give every third value twice as often.
TEST(rng, index_below_has_no_bias_where_n_does_not_divide_the_range) {
  Rng rng(test_key());
  std::vector<int> counts(3), counts_without_rejection(3);
  for (int i = 0; i < 30'000; ++i) {
    ++counts[static_cast<std::size_t>(rng.index_below(Index{3} << 61) % 3)];
    __extension__ using Wide = unsigned __int128;
    const auto biased = static_cast<std::uint64_t>((Wide{rng.bits()} * (3ull << 61)) >> 64);
    ++counts_without_rejection[biased % 3];
  }
  EXPECT_LT(chi_square(counts, 3e4), 19.5);  // 2 degrees of freedom: exceeded with probability 6e-5
  EXPECT_GT(chi_square(counts_without_rejection, 3e4), 19.5);
}

// Phi(inv_phi(p)) = p: the condition number of Phi turns an error of 1e-15 in x into
// 1e-15 |x| pdf(x) / Phi(x), at most 1e-15 (x^2 + 1) in the lower tail, to which erfc adds 4 ULP.
TEST(inv_phi, inverts_the_cdf_into_the_far_tail) {
  for (double p : {1e-300, 1e-100, 1e-20, 1e-10, 1e-5, 0.01, 0.07, 0.08, 0.3, 0.499999}) {
    const double x = inv_phi(p);
    EXPECT_NEAR(phi(x) / p, 1.0, 2e-15 * (x * x + 1.0)) << p;
  }
}

TEST(inv_phi, is_odd_about_one_half_and_infinite_at_the_ends) {
  for (int i = 1; i < 512; ++i) EXPECT_EQ(inv_phi(i / 1024.0), -inv_phi(1.0 - i / 1024.0));
  EXPECT_EQ(inv_phi(0.5), 0.0);
  EXPECT_EQ(inv_phi(0.0), -kInfinity);
  EXPECT_EQ(inv_phi(1.0), kInfinity);
  EXPECT_TRUE(std::isnan(inv_phi(-0.1)) && std::isnan(inv_phi(1.1)) && std::isnan(inv_phi(kNaN)));
}

// The constants hold a hash of the name; tools/structure reckons the same numbers.
TEST(streams, of_names_differ_and_keep_their_numbers) {
  static_assert(stream("filter.moves") != stream("filter.noise"));
  static_assert(stream("filter.moves") >= kFirstHashedStream);
  static_assert(stream("filter.moves") < kEndOfStreams);
  static_assert(stream("score", 100) == 100);
  EXPECT_EQ(stream("filter.moves"), 7254915u);
}

}  // namespace
}  // namespace credo::rng_test
