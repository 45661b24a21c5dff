#include "results/draws/support.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::results {
namespace {
using density::ConstraintKind;
using density::StatedVariable;

struct Support {
  double lower = -kInfinity, upper = kInfinity;  // bounds of each element
  double norm = 0.0;  // 1 or 2: the elements have this norm equal to 1; 0: no such rule

  bool is_everything() const { return lower == -kInfinity && upper == kInfinity; }
};

Support support_of(const StatedVariable& stated, std::span<const Index> dims) {
  const double norm_of_one =
      dims.size() == 1 ? 1.0 : 0.0;  // in arrays each element is checked by itself
  switch (stated.constraint) {
    case ConstraintKind::bounds:
      return {.lower = std::isnan(stated.lower.at) ? -kInfinity : stated.lower.at,
              .upper = std::isnan(stated.upper.at) ? kInfinity : stated.upper.at};
    case ConstraintKind::simplex:
      return {.lower = 0.0, .upper = 1.0, .norm = norm_of_one};
    case ConstraintKind::unit_vector:
      return {.lower = -1.0, .upper = 1.0, .norm = 2.0 * norm_of_one};
    case ConstraintKind::cholesky_factor_corr:
      return {.lower = -1.0, .upper = 1.0};
    case ConstraintKind::none:
    case ConstraintKind::affine:
    case ConstraintKind::cov_matrix:
    case ConstraintKind::other:
      return {};
  }
  return {};
}

struct DrawPlace {
  Index draw, chain;
};

class SupportCheck {
 public:
  SupportCheck(const Fit& fit, const StatedVariable& stated, const Support& support)
      : fit_(fit), stated_(stated), support_(support) {}

  void look(const density::Draws& draws, const density::Variable& variable, Index first) {
    for (Index k = 0; k < draws.num_quantities(); ++k) {
      const auto values = draws.quantity(k);
      const auto bad = std::ranges::find_if(values, [&](double x) { return is_outside(x); });
      if (bad == values.end()) continue;
      const Index place = static_cast<Index>(bad - values.begin());
      refuse(fmt::format("{} is {}", variable.element_name(first + k), io::number_text(*bad)),
             {place % draws.num_draws(), place / draws.num_draws()}, bound_text(*bad));
    }
  }

  // Checks the sum, or sum of squares, of the elements of a simplex or a unit vector.
  void look_at_norm(const density::Draws& draws) {
    constexpr double kTolerance = 1e-8;  // the tolerance of programs
    for (Index c = 0; c < draws.num_chains(); ++c)
      for (Index s = 0; s < draws.num_draws(); ++s) {
        double sum = 0.0, rounding = kTolerance;
        for (Index k = 0; k < draws.num_quantities(); ++k) {
          const double x = draws(s, c, k);
          sum += support_.norm == 1.0 ? x : x * x;
          rounding += 2.0 * rounding_of(x);
        }
        if (std::abs(sum - 1.0) > rounding)  // false if a value is missing
          refuse(fmt::format("the sum of {} is {:.10g}", norm_words(), sum), {s, c},
                 "it is declared to be 1");
      }
  }

 private:
  bool is_outside(double x) const {
    if (x >= support_.lower && x <= support_.upper) return false;
    return x < support_.lower - rounding_of(x) || x > support_.upper + rounding_of(x);
  }
  std::string bound_text(double x) const {
    return x < support_.lower
               ? fmt::format("its lower bound is {}", io::number_text(support_.lower))
               : fmt::format("its upper bound is {}", io::number_text(support_.upper));
  }
  std::string norm_words() const {
    return support_.norm == 1.0 ? stated_.name : stated_.name + "'s squares";
  }
  [[noreturn]] void refuse(const std::string& what, DrawPlace at, const std::string& rule) const {
    throw Error(ErrorCode::data,
                fmt::format("{} at draw {} of chain {}, and {} ({})", what, at.draw + 1,
                            at.chain + 1, rule, stated_.declared.where),
                fit_.origin().source,
                "no run of this program draws that: the file is damaged, or of another program; "
                "take another copy, or run again");
  }

  const Fit& fit_;
  const StatedVariable& stated_;
  Support support_;
};

// Half a unit of the last digit, for the shortest decimal that reads as this value.
double rounding_of_digits(double value) {
  constexpr int kMostDigits = 17;
  const double size = std::pow(10.0, std::floor(std::log10(std::abs(value))));
  for (int digits = 1; digits < kMostDigits; ++digits) {
    const std::string text = fmt::format("{:.{}e}", value, digits - 1);
    if (std::strtod(text.c_str(), nullptr) == value) return 0.5 * size * std::pow(10.0, 1 - digits);
  }
  return 0.0;
}
}  // namespace

double rounding_of(double value) {
  constexpr double kHalfFloat = 0x1p-24, kUlps = 4.0 * std::numeric_limits<double>::epsilon();
  if (value == 0.0 || !std::isfinite(value)) return 0.0;
  const bool is_float = static_cast<double>(static_cast<float>(value)) == value;
  return std::max({std::abs(value) * kUlps, rounding_of_digits(value),
                   is_float ? std::abs(value) * kHalfFloat : 0.0});
}

void require_support(const Fit& fit, const density::ProgramFacts& program) {
  const density::Layout& layout = fit.layout();
  for (Index v = 0; v < ssize(layout.variables()); ++v) {
    const density::Variable& variable = layout.variables()[static_cast<std::size_t>(v)];
    const StatedVariable* const stated = program.find_output(variable.name);
    if (stated == nullptr || variable.size() == 0) continue;
    const Support support = support_of(*stated, variable.dims);
    if (support.is_everything()) continue;
    SupportCheck check(fit, *stated, support);
    const Index first = first_output(fit) + layout.first(v);
    for_each_batch(
        fit, {.first = first, .count = variable.size()},
        [&](Index at, const density::Draws& draws) { check.look(draws, variable, at - first); });
    if (support.norm > 0.0) check.look_at_norm(fit.quantities(false, first, variable.size()));
  }
}

}  // namespace credo::results
