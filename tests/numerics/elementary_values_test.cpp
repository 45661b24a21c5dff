// Special values, exact values and symmetries of the elementary functions, and the claim that
// number of lanes, neighbours and target among those with fused multiply-add change no bit.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "numerics/arithmetic.hpp"
#include "numerics/elementary.hpp"
#include "support/ulp.hpp"

namespace credo::numerics::elementary_values_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kPi = 3.141592653589793, kLn2 = 0.6931471805599453;

// Equal as values, zeros by sign; NaN equals NaN.
bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

struct UnaryValue {
  Unary function;
  double x, expected;
};

const UnaryValue kUnaryValues[] = {
    {Unary::exp, 0, 1},
    {Unary::exp, -0.0, 1},
    {Unary::exp, kInf, kInf},
    {Unary::exp, -kInf, 0},
    {Unary::exp, 710, kInf},
    {Unary::exp, -746, 0},
    {Unary::exp, -745.13, kTiny},
    {Unary::exp, 709.782712893384, 1.7976931348622732e308},
    {Unary::exp, kMax, kInf},
    {Unary::exp, -kMax, 0},
    {Unary::exp, kTiny, 1},
    {Unary::exp2, 10, 1024},
    {Unary::exp2, -1074, kTiny},
    {Unary::exp2, 1024, kInf},
    {Unary::exp2, 1023, 0x1p1023},
    {Unary::exp2, -1080, 0},
    {Unary::exp2, -kInf, 0},
    {Unary::expm1, 0, 0},
    {Unary::expm1, -0.0, -0.0},
    {Unary::expm1, kInf, kInf},
    {Unary::expm1, -kInf, -1},
    {Unary::expm1, kTiny, kTiny},
    {Unary::expm1, 710, kInf},
    {Unary::expm1, -100, -1},
    {Unary::expm1, -kTiny, -kTiny},
    {Unary::log, 1, 0},
    {Unary::log, 0, -kInf},
    {Unary::log, -0.0, -kInf},
    {Unary::log, -1, kNaN},
    {Unary::log, kInf, kInf},
    {Unary::log, -kInf, kNaN},
    {Unary::log, -kTiny, kNaN},
    {Unary::log, kTiny, -744.4400719213812},
    {Unary::log, kMax, 709.782712893384},
    {Unary::log2, 8, 3},
    {Unary::log2, kTiny, -1074},
    {Unary::log2, 0x1p1023, 1023},
    {Unary::log2, 0, -kInf},
    {Unary::log2, -1, kNaN},
    {Unary::log2, kInf, kInf},
    {Unary::log10, 1, 0},
    {Unary::log10, 1000, 3},
    {Unary::log10, 1e22, 22},
    {Unary::log10, 0, -kInf},
    {Unary::log10, -1, kNaN},
    {Unary::log10, kInf, kInf},
    {Unary::log1p, 0, 0},
    {Unary::log1p, -0.0, -0.0},
    {Unary::log1p, -1, -kInf},
    {Unary::log1p, -2, kNaN},
    {Unary::log1p, kInf, kInf},
    {Unary::log1p, kTiny, kTiny},
    {Unary::log1p, -kInf, kNaN},
    {Unary::log1p, kMax, 709.782712893384},
    {Unary::sqrt, 4, 2},
    {Unary::sqrt, -0.0, -0.0},
    {Unary::sqrt, -1, kNaN},
    {Unary::sqrt, kInf, kInf},
    {Unary::inv_logit, 0, 0.5},
    {Unary::inv_logit, kInf, 1},
    {Unary::inv_logit, -kInf, 0},
    {Unary::inv_logit, 800, 1},
    {Unary::inv_logit, -800, 0},
    {Unary::inv_logit, -745.13, kTiny},
    {Unary::log1p_exp, 0, kLn2},
    {Unary::log1p_exp, kInf, kInf},
    {Unary::log1p_exp, -kInf, 0},
    {Unary::log1p_exp, 1e300, 1e300},
    {Unary::log1p_exp, -745.13, kTiny},
    {Unary::log1m_exp, 0, -kInf},
    {Unary::log1m_exp, -0.0, -kInf},
    {Unary::log1m_exp, 1, kNaN},
    {Unary::log1m_exp, kTiny, kNaN},
    {Unary::log1m_exp, kInf, kNaN},
    {Unary::log1m_exp, -kInf, -0.0},
    {Unary::log1m_exp, -745.13, -kTiny},
    {Unary::log1m_exp, -kTiny, -744.4400719213812},
    {Unary::log_inv_logit, kInf, -0.0},
    {Unary::log_inv_logit, -kInf, -kInf},
    {Unary::log_inv_logit, -1e300, -1e300},
    {Unary::log1m_inv_logit, -kInf, -0.0},
    {Unary::log1m_inv_logit, kInf, -kInf},
    {Unary::logit, 0.5, 0},
    {Unary::logit, 0, -kInf},
    {Unary::logit, 1, kInf},
    {Unary::logit, -0.1, kNaN},
    {Unary::logit, 1.1, kNaN},
    {Unary::logit, kTiny, -744.4400719213812},
    {Unary::floor, -0.5, -1},
    {Unary::ceil, -0.5, -0.0},
    {Unary::trunc, -1.5, -1},
    {Unary::round, 0.5, 1},
    {Unary::round, -2.5, -3},
    {Unary::round, 0.49999999999999994, 0},
    {Unary::round, 4503599627370497.0, 4503599627370497.0},
    {Unary::round, -kInf, -kInf},
    {Unary::round, -0.2, -0.0},
    {Unary::round, 2251799813685247.5, 2251799813685248.0},
    {Unary::square, -3, 9},
    {Unary::cbrt, 27, 3},
    {Unary::cbrt, -8, -2},
    {Unary::cbrt, -0.0, -0.0},
    {Unary::cbrt, kInf, kInf},
    {Unary::cbrt, -kInf, -kInf},
    {Unary::cbrt, 0x1p-1074, 0x1p-358},
    {Unary::sin, 0, 0},
    {Unary::sin, -0.0, -0.0},
    {Unary::sin, kInf, kNaN},
    {Unary::sin, -kInf, kNaN},
    {Unary::sin, kPi, 1.2246467991473532e-16},
    {Unary::sin, kTiny, kTiny},
    {Unary::sin, 6381956970095103.0 * 0x1p797,
     1.0},  // nearest of all doubles to a multiple of pi/2
    {Unary::cos, 6381956970095103.0 * 0x1p797, -4.6871659242546277e-19},
    {Unary::cos, 0, 1},
    {Unary::cos, -0.0, 1},
    {Unary::cos, kInf, kNaN},
    {Unary::tan, 0, 0},
    {Unary::tan, -0.0, -0.0},
    {Unary::tan, kInf, kNaN},
    {Unary::tan, kPi / 2, 1.633123935319537e16},
    {Unary::asin, 1, kPi / 2},
    {Unary::asin, -1, -kPi / 2},
    {Unary::asin, -0.0, -0.0},
    {Unary::asin, 1.0000000000000002, kNaN},
    {Unary::asin, kInf, kNaN},
    {Unary::acos, 1, 0},
    {Unary::acos, -1, kPi},
    {Unary::acos, 0, kPi / 2},
    {Unary::acos, 2, kNaN},
    {Unary::atan, kInf, kPi / 2},
    {Unary::atan, -kInf, -kPi / 2},
    {Unary::atan, -0.0, -0.0},
    {Unary::atan, 1, kPi / 4},
    {Unary::atan, kTiny, kTiny},
    {Unary::atan, kMax, kPi / 2},
    {Unary::sinh, -0.0, -0.0},
    {Unary::sinh, kInf, kInf},
    {Unary::sinh, -kInf, -kInf},
    {Unary::sinh, 711, kInf},
    {Unary::sinh, kTiny, kTiny},
    {Unary::cosh, 0, 1},
    {Unary::cosh, -kInf, kInf},
    {Unary::cosh, 711, kInf},
    {Unary::tanh, -0.0, -0.0},
    {Unary::tanh, kInf, 1},
    {Unary::tanh, -kInf, -1},
    {Unary::tanh, 1e300, 1},
    {Unary::asinh, -0.0, -0.0},
    {Unary::asinh, kInf, kInf},
    {Unary::asinh, -kInf, -kInf},
    {Unary::asinh, kMax, 710.4758600739439},
    {Unary::acosh, 1, 0},
    {Unary::acosh, 0.5, kNaN},
    {Unary::acosh, -5, kNaN},
    {Unary::acosh, kInf, kInf},
    {Unary::acosh, -kInf, kNaN},
    {Unary::atanh, 1, kInf},
    {Unary::atanh, -1, -kInf},
    {Unary::atanh, 2, kNaN},
    {Unary::atanh, -kInf, kNaN},
    {Unary::atanh, -0.0, -0.0},
};

TEST(elementary_functions, have_their_special_values_on_every_target) {
  for (SimdTarget target : supported_targets()) {
    force_target(target);
    for (const auto& [f, x, expected] : kUnaryValues) {
      const double value = function(f).scalar(x);
      EXPECT_TRUE(same(value, expected)) << function(f).name << "(" << x << ") = " << value
                                         << ", not " << expected << " on " << target_name(target);
    }
    for (size_t f = 0; f < static_cast<size_t>(Unary::count); ++f) {
      const UnaryFunction& row = function(static_cast<Unary>(f));
      EXPECT_TRUE(std::isnan(row.scalar(kNaN))) << row.name;
    }
  }
}

struct BinaryValue {
  Binary function;
  double x, y, expected;
};

// C99 annex F.9.4.4 and F.9.1.4, and what our own functions promise
const BinaryValue kBinaryValues[] = {
    {Binary::pow, 0, -3, kInf},
    {Binary::pow, -0.0, -3, -kInf},
    {Binary::pow, -0.0, -2, kInf},
    {Binary::pow, 0, -kInf, kInf},
    {Binary::pow, -0.0, 3, -0.0},
    {Binary::pow, -0.0, 2, 0},
    {Binary::pow, 0, 0.5, 0},
    {Binary::pow, -0.0, 0.5, 0},
    {Binary::pow, -0.0, kInf, 0},
    {Binary::pow, -1, kInf, 1},
    {Binary::pow, -1, -kInf, 1},
    {Binary::pow, 1, kNaN, 1},
    {Binary::pow, 1, kInf, 1},
    {Binary::pow, kNaN, 0, 1},
    {Binary::pow, kNaN, -0.0, 1},
    {Binary::pow, 0, 0, 1},
    {Binary::pow, -8, 1.0 / 3, kNaN},
    {Binary::pow, kNaN, 1, kNaN},
    {Binary::pow, 2, kNaN, kNaN},
    {Binary::pow, 0.5, -kInf, kInf},
    {Binary::pow, 2, -kInf, 0},
    {Binary::pow, 0.5, kInf, 0},
    {Binary::pow, 2, kInf, kInf},
    {Binary::pow, -kInf, -3, -0.0},
    {Binary::pow, -kInf, -2, 0},
    {Binary::pow, -kInf, 3, -kInf},
    {Binary::pow, -kInf, 2, kInf},
    {Binary::pow, -kInf, 0.5, kInf},
    {Binary::pow, kInf, -1, 0},
    {Binary::pow, kInf, 2, kInf},
    {Binary::pow, -2, 3, -8},
    {Binary::pow, -2, 2, 4},
    {Binary::pow, -2, 1025, -kInf},
    {Binary::pow, 2, 1024, kInf},
    {Binary::pow, 2, -1074, kTiny},
    {Binary::pow, 2, -1076, 0},
    {Binary::pow, -2, -1075, -0.0},
    {Binary::pow, 3, 5, 243},
    {Binary::pow, 10, 22, 1e22},
    {Binary::pow, -1, 9007199254740991.0, -1},
    {Binary::pow, -1, 9007199254740992.0, 1},
    {Binary::pow, kTiny, 1, kTiny},
    {Binary::pow, kMax, 1, kMax},
    {Binary::pow, kTiny, -1, kInf},
    {Binary::pow, 1.5, 1e300, kInf},
    {Binary::pow, 1.5, -1e300, 0},
    {Binary::pow, 7, 1e-300, 1},
    {Binary::pow, -0.5, -kInf, kInf},
    {Binary::pow, 4, 0.5, 2},
    {Binary::pow, kTiny, kMax, 0},
    {Binary::atan2, 0, 1, 0},
    {Binary::atan2, -0.0, 1, -0.0},
    {Binary::atan2, 0, -1, kPi},
    {Binary::atan2, -0.0, -1, -kPi},
    {Binary::atan2, 0, 0, 0},
    {Binary::atan2, 0, -0.0, kPi},
    {Binary::atan2, -0.0, -0.0, -kPi},
    {Binary::atan2, 1, 0, kPi / 2},
    {Binary::atan2, -1, 0, -kPi / 2},
    {Binary::atan2, kInf, kInf, kPi / 4},
    {Binary::atan2, kInf, -kInf, 3 * kPi / 4},
    {Binary::atan2, kInf, 1, kPi / 2},
    {Binary::atan2, 1, kInf, 0},
    {Binary::atan2, 1, -kInf, kPi},
    {Binary::atan2, kNaN, 1, kNaN},
    {Binary::atan2, 1, kNaN, kNaN},
    {Binary::atan2, 1, 1, kPi / 4},
    {Binary::hypot, 3, 4, 5},
    {Binary::hypot, kInf, kNaN, kInf},
    {Binary::hypot, kNaN, -kInf, kInf},
    {Binary::hypot, kNaN, 1, kNaN},
    {Binary::hypot, 0, 0, 0},
    {Binary::hypot, 3e300, 4e300, 5e300},
    {Binary::hypot, kTiny, 0, kTiny},
    {Binary::hypot, kMax, kMax, kInf},
    {Binary::fmod, 5.5, 2, 1.5},
    {Binary::fmod, -5.5, 2, -1.5},
    {Binary::fmod, 1, 0, kNaN},
    {Binary::fmod, kInf, 1, kNaN},
    {Binary::fmod, 1, kInf, 1},
    {Binary::fmod, -0.0, 1, -0.0},
    {Binary::log_sum_exp, -kInf, -kInf, -kInf},
    {Binary::log_sum_exp, kInf, kInf, kInf},
    {Binary::log_sum_exp, -kInf, 3, 3},
    {Binary::log_sum_exp, 3, -kInf, 3},
    {Binary::log_sum_exp, kInf, -kInf, kInf},
    {Binary::log_sum_exp, 0, 0, kLn2},
    {Binary::log_sum_exp, kNaN, kInf, kNaN},
    {Binary::log_sum_exp, 0, kNaN, kNaN},
    {Binary::log_diff_exp, 1, 1, -kInf},
    {Binary::log_diff_exp, 1, 2, kNaN},
    {Binary::log_diff_exp, 3, -kInf, 3},
    {Binary::log_diff_exp, -kInf, -kInf, -kInf},
    {Binary::log_diff_exp, kInf, 1, kInf},
    {Binary::log_diff_exp, kInf, kInf, kNaN},
    {Binary::log_diff_exp, kNaN, 1, kNaN},
};

TEST(elementary_functions_of_two, have_their_special_values_on_every_target) {
  for (SimdTarget target : supported_targets()) {
    force_target(target);
    for (const auto& [f, x, y, expected] : kBinaryValues) {
      const double value = function(f).scalar(x, y);
      EXPECT_TRUE(same(value, expected))
          << function(f).name << "(" << x << ", " << y << ") = " << value << ", not " << expected
          << " on " << target_name(target);
    }
  }
}

// Arguments of every kind next to each other, so that a lane that leaves the usual path has
// neighbours that don't.
std::vector<double> mixed_arguments(uint64_t seed) {
  test::SplitMix random{seed};
  const test::Range ranges[] = {test::Uniform{-3, 3}, test::Uniform{-800, 800}, test::Uniform{0, 1},
                                test::AllDoubles{kTiny, kMax}, test::AllDoubles{-kMax, -kTiny}};
  const double special[] = {0, -0.0, kInf, -kInf, kNaN, kTiny, -kTiny, kMax, 1, -1, 1e300, 0.5};
  std::vector<double> x(20011);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = i % 7 == 0 ? special[random.bits() % std::size(special)]
                      : draw(ranges[random.bits() % std::size(ranges)], random);
  }
  return x;
}

// All NaNs alike: their sign is the compiler's, which may exchange the operands of a sum (IEEE
// 754, 6.3).
std::vector<uint64_t> bits_of(std::vector<double> x) {
  for (double& value : x) {
    if (std::isnan(value)) value = kNaN;
  }
  std::vector<uint64_t> bits(x.size());
  std::memcpy(bits.data(), x.data(), x.size() * sizeof(double));
  return bits;
}

std::vector<uint64_t> by_array(Unary f, const std::vector<double>& x) {
  std::vector<double> out(x.size());
  function(f).array(x.data(), out.data(), x.size());
  return bits_of(out);
}

std::vector<uint64_t> by_array(Binary f, const std::vector<double>& x) {
  std::vector<double> y = mixed_arguments(2), out(x.size());
  function(f).array(x.data(), y.data(), out.data(), x.size());
  return bits_of(out);
}

std::vector<uint64_t> one_by_one(Unary f, const std::vector<double>& x) {
  std::vector<double> out;
  for (double argument : x) out.push_back(function(f).scalar(argument));
  return bits_of(out);
}

std::vector<uint64_t> one_by_one(Binary f, const std::vector<double>& x) {
  std::vector<double> y = mixed_arguments(2), out;
  for (size_t i = 0; i < x.size(); ++i) out.push_back(function(f).scalar(x[i], y[i]));
  return bits_of(out);
}

template <class Function, class Claim>
void for_each_function(Claim claim) {
  for (size_t f = 0; f < static_cast<size_t>(Function::count); ++f) claim(static_cast<Function>(f));
}

TEST(elementary_functions, give_a_scalar_the_bits_it_has_within_an_array) {
  const auto x = mixed_arguments(1);
  const auto claim = [&](auto f) {
    EXPECT_EQ(by_array(f, x), one_by_one(f, x)) << function(f).name;
  };
  for (SimdTarget target : supported_targets()) {
    force_target(target);
    for_each_function<Unary>(claim);
    for_each_function<Binary>(claim);
  }
}

TEST(elementary_functions, give_equal_bits_on_avx2_and_avx512) {
  const auto& have = supported_targets();
  if (have.back() != SimdTarget::avx512) GTEST_SKIP() << "this CPU has no AVX-512";
  const auto x = mixed_arguments(3);
  const auto claim = [&](auto f) {
    force_target(SimdTarget::avx2);
    const auto four_lanes = by_array(f, x);
    force_target(SimdTarget::avx512);
    EXPECT_EQ(four_lanes, by_array(f, x)) << function(f).name;
  };
  for_each_function<Unary>(claim);
  for_each_function<Binary>(claim);
}

TEST(odd_functions, keep_their_bits_but_the_sign_for_negated_arguments) {
  const auto x = mixed_arguments(4);
  for (Unary f : {Unary::sin, Unary::tan, Unary::asin, Unary::atan, Unary::sinh, Unary::tanh,
                  Unary::asinh, Unary::atanh, Unary::cbrt}) {
    for (double a : x) EXPECT_TRUE(same(function(f).scalar(-a), -function(f).scalar(a))) << a;
  }
}

TEST(simd_target, can_be_forced_again_and_again) {
  for (int round = 0; round < 3; ++round) {
    for (SimdTarget target : supported_targets()) {
      force_target(target);
      EXPECT_EQ(active_target(), target);
      EXPECT_EQ(parse_target(target_name(target)), target);
    }
  }
}

TEST(simd_target, refuses_a_name_it_does_not_know) {
  try {
    parse_target("neon");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.message().find("neon"), std::string::npos);
  }
}

// That forcing a target reaches the kernels: without fused multiply-add some results differ.
TEST(simd_target, sse4_is_a_second_arithmetic) {
  const auto& have = supported_targets();
  if (have.back() == SimdTarget::sse4) GTEST_SKIP() << "this CPU has no fused multiply-add";
  const auto x = mixed_arguments(5);
  force_target(SimdTarget::sse4);
  const auto second = by_array(Unary::log, x);
  force_target(have.back());
  EXPECT_NE(second, by_array(Unary::log, x));
}

}  // namespace
}  // namespace credo::numerics::elementary_values_test
