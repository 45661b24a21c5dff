// Every stored reference record of the distributions in the table: values, gradients, and which
// calls fail.
#include "support/reference.hpp"
#include "dist/distribution.hpp"

namespace credo::dist::reference_test {
namespace {
using testing::ReferenceRecord;

enum class Role { density, cdf, log_cdf, log_ccdf };
struct Called {
  const Distribution* distribution = nullptr;
  Role role = Role::density;
};

Called called(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Role>, 5> kSuffixes{{{"_lpdf", Role::density},
                                                                        {"_lpmf", Role::density},
                                                                        {"_lcdf", Role::log_cdf},
                                                                        {"_lccdf", Role::log_ccdf},
                                                                        {"_cdf", Role::cdf}}};
  for (const auto& [suffix, role] : kSuffixes) {
    if (!function.ends_with(suffix)) continue;
    return {find(function.substr(0, function.size() - suffix.size())), role};
  }
  return {};
}

Expr call(const Called& c, std::string_view function, std::span<const Expr> args, Checks& checks) {
  const Args rest = args.subspan(1);
  if (c.role == Role::density)
    return log_density(*c.distribution, args[0], rest, {.function = function}, checks).value;
  const Tail which = c.role == Role::cdf       ? Tail::cdf
                     : c.role == Role::log_cdf ? Tail::log_cdf
                                               : Tail::log_ccdf;
  return tail(*c.distribution, which, args[0], rest, function, checks);
}

// The exceptions of the records' README: derivatives of incomplete functions by shape 1e-7.
testing::Tolerances tolerances(const Called& c) {
  return c.role == Role::density ? testing::Tolerances{} : testing::Tolerances{1e-10, 1e-7};
}

// Disagreements that are meant or known, with the reason.
struct Explained {
  std::string_view record, reason;
};
constexpr std::string_view kAtInfinity =
    "the derivative of a log tail at an infinite outcome: 0 here for every distribution, elsewhere "
    "the limit for some";
constexpr std::string_view kNegativeOutcome =
    "elsewhere the tails refuse a negative outcome; the support begins at the location";
constexpr std::array kExplained{
    Explained{"continuous_cdf.jsonl:38 normal_lcdf", kAtInfinity},
    Explained{"continuous_cdf.jsonl:56 normal_lccdf", kAtInfinity},
    Explained{"continuous_cdf.jsonl:382 double_exponential_lcdf", kAtInfinity},
    Explained{"continuous_cdf.jsonl:400 double_exponential_lccdf", kAtInfinity},
    Explained{"continuous_cdf.jsonl:496 gumbel_lcdf", kAtInfinity},
    Explained{"discrete_univariate.jsonl:174 poisson_lpmf",
              "an infinite rate is refused; elsewhere it has log mass -infinity"},
    Explained{
        "continuous_univariate.jsonl:667 von_mises_lpdf",
        "a concentration of 1000 has a density here; elsewhere the Bessel function overflows"},
    Explained{"continuous_cdf.jsonl:1239 pareto_type_2_cdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1242 pareto_type_2_cdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1245 pareto_type_2_cdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1257 pareto_type_2_lcdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1259 pareto_type_2_lcdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1262 pareto_type_2_lcdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1265 pareto_type_2_lcdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1266 pareto_type_2_lcdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1277 pareto_type_2_lccdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:1284 pareto_type_2_lccdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:2000 pareto_type_2_cdf", kNegativeOutcome},
    Explained{"continuous_cdf.jsonl:2003 pareto_type_2_lcdf", kNegativeOutcome},
    Explained{"discrete_cdf.jsonl:163 beta_binomial_lccdf",
              "one of three outcomes is the largest possible: the log tail is -infinity"}};

bool is_explained(const ReferenceRecord& record) {
  const std::string name = record.place + " " + record.function;
  return std::any_of(kExplained.begin(), kExplained.end(),
                     [&](const Explained& e) { return e.record == name; });
}

class ReferenceRecords : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceRecords, agree_in_value_gradient_and_error) {
  int judged = 0, failed = 0, explained = 0;
  const auto records = testing::load_records(
      GetParam(), [](const std::string& f) { return called(f).distribution != nullptr; });
  for (const ReferenceRecord& record : records) {
    const Called c = called(record.function);
    const auto outcome = testing::evaluate(record, [&](std::span<const Expr> args, Checks& checks) {
      return call(c, record.function, args, checks);
    });
    const std::string trouble = testing::judge(record, outcome, tolerances(c));
    ++judged;
    if (is_explained(record)) {
      ++explained;
      EXPECT_NE(trouble, "") << record.place << " agrees by now: take it off the list";
      continue;
    }
    if (trouble.empty()) continue;
    ++failed;
    ADD_FAILURE() << trouble;
  }
  std::cout << GetParam() << ": " << judged << " records judged, " << judged - failed - explained
            << " passed, " << failed << " failed, " << explained << " differ for a stated reason\n";
}

INSTANTIATE_TEST_SUITE_P(Stored, ReferenceRecords,
                         ::testing::Values("continuous_univariate.jsonl", "continuous_cdf.jsonl",
                                           "discrete_univariate.jsonl", "discrete_cdf.jsonl",
                                           "categorical_ordered.jsonl", "multivariate.jsonl",
                                           "glm.jsonl"));

TEST(ReferenceJudge, rejects_a_density_without_its_constant) {
  const auto records = testing::load_records(
      "continuous_univariate.jsonl", [](const std::string& f) { return f == "normal_lpdf"; });
  for (const ReferenceRecord& record : records) {
    if (record.error || record.value == 0.0 || std::isinf(record.value)) continue;
    const auto outcome = testing::evaluate(record, [&](std::span<const Expr> args, Checks& checks) {
      return call(called(record.function), record.function, args, checks) + 0.91893853320467274178;
    });
    EXPECT_NE(testing::judge(record, outcome, {}), "") << record.place;
  }
}

}  // namespace
}  // namespace credo::dist::reference_test
