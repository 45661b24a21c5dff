// Draws of the built-in _rng functions against ../shared/reference/functions/rng.jsonl: shares
// below stated points, probabilities, means and covariances.
//
// Each figure is judged by its standard error. Of about 2500 figures the largest of right ones is
// near 3.5 standard errors, and beyond 5.2 with probability 5e-4.
#include <fstream>
#include <iostream>
#include <set>

#include "model/reference_call.hpp"

namespace credo::lang::reference_draws_test {
namespace {
using Draws = std::vector<std::vector<double>>;  // each in the order of the record's text
constexpr std::size_t kDraws = 4000;
constexpr double kErrors = 5.2;

class Sampler {
 public:
  Sampler(std::string name, std::span<const Argument> arguments, const Match& match)
      : name_(std::move(name)), machine_(program_, {.limits = {}, .seed = DrawSeed::of(20261121)}) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      values_.push_back(known_value(arguments[k], is_int_based(match.arguments[k])));
      call_.arguments.emplace_back();
    }
    call_.function.name = name_;
  }
  std::vector<double> draw() {
    machine_.start_at(deeper(0, num_draws_++));
    const Value result = builtin_function(name_)({machine_, call_, name_, values_});
    std::vector<double> out;
    for (const std::size_t place : storage_places(base_of(result), dims_of(result)))
      out.push_back(to_expr(scalar_of(result, static_cast<Index>(place)), nullptr).value());
    return out;
  }

 private:
  std::string name_;
  std::uint64_t num_draws_ = 0;
  typed::Program program_;
  Machine machine_;
  typed::Call call_;
  std::vector<Value> values_;
};

// How many standard errors a mean over draws is off; the error is at least that of one draw more,
// so that an event that hardly ever fails may not fail at all, and one that hardly ever happens may
// not happen.
double errors_off(std::span<const double> values, double expected) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0.0;
  for (const double v : values) square += (v - mean) * (v - mean);
  const double one = square == 0.0 ? std::max(std::abs(mean), 1.0) : std::abs(mean);
  const double error = std::max(std::sqrt(square / (n - 1.0) / n), one / n) + 1e-300;
  return std::abs(mean - expected) / error;
}
// Of a share: its own standard error, at least that of one draw.
double share_errors_off(double share, double probability) {
  const double n = static_cast<double>(kDraws);
  const double error = std::sqrt(std::max(probability * (1.0 - probability), 1.0 / n) / n);
  return std::abs(share - probability) / error;
}

template <class Function>
std::vector<double> each(const Draws& draws, const Function& function) {
  std::vector<double> out;
  for (const auto& draw : draws) out.push_back(function(draw));
  return out;
}

double worst_share(const Json& pairs, const Draws& draws, bool cumulative) {
  double worst = 0.0;
  for (const Json& pair : pairs.items) {
    const double at = pair.items[0].value(), wanted = pair.items[1].value();
    const auto hits = each(draws, [&](const std::vector<double>& x) {
      return (cumulative ? x[0] <= at : x[0] == at) ? 1.0 : 0.0;
    });
    const double share = std::accumulate(hits.begin(), hits.end(), 0.0) / double(kDraws);
    worst = std::max(worst, share_errors_off(share, wanted));
  }
  return worst;
}

// L L' of a factor by rows.
std::vector<double> product_of_factor(const std::vector<double>& l) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(double(l.size()))));
  std::vector<double> out(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) out[i * n + j] += l[i * n + k] * l[j * n + k];
    }
  }
  return out;
}

std::vector<double> numbers(const Json& json) {
  std::vector<double> out;
  json.flatten(out);
  return out;
}

// Of states 1, 2, ... in rows, at each step.
double worst_state(const Json& probabilities, const Draws& draws) {
  double worst = 0.0;
  for (std::size_t k = 0; k < probabilities.items.size(); ++k) {
    const std::vector<double> wanted = numbers(probabilities.items[k]);
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      const auto hits = each(draws, [&](const std::vector<double>& x) {
        return x[n] == static_cast<double>(k + 1) ? 1.0 : 0.0;
      });
      const double share = std::accumulate(hits.begin(), hits.end(), 0.0) / double(kDraws);
      worst = std::max(worst, share_errors_off(share, wanted[n]));
    }
  }
  return worst;
}

double worst_mean(const std::vector<double>& mean, const Draws& draws) {
  double worst = 0.0;
  for (std::size_t i = 0; i < mean.size(); ++i)
    worst = std::max(worst, errors_off(each(draws, [&](const auto& x) { return x[i]; }), mean[i]));
  return worst;
}

double worst_covariance(const std::vector<double>& covariance, const std::vector<double>& mean,
                        const Draws& draws) {
  double worst = 0.0;
  const std::size_t n = mean.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto products =
          each(draws, [&](const auto& x) { return (x[i] - mean[i]) * (x[j] - mean[j]); });
      worst = std::max(worst, errors_off(products, covariance[i * n + j]));
    }
  }
  return worst;
}

// The variance, about a mean of 0, of the elements beside the diagonal.
double worst_offdiagonal(double variance, const Draws& draws) {
  double worst = 0.0;
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(double(draws[0].size()))));
  for (std::size_t i = 0; i < n * n; ++i) {
    if (i % n == i / n) continue;
    worst = std::max(worst,
                     errors_off(each(draws, [&](const auto& x) { return x[i] * x[i]; }), variance));
  }
  return worst;
}

double worst_figure(const Json& record, Draws draws) {
  double worst = 0.0;
  if (record.at("f").text == "von_mises_rng")  // angles: any of them modulo 2 pi
    for (auto& draw : draws) draw[0] = std::remainder(draw[0], 2.0 * std::acos(-1.0));
  if (const Json* pairs = record.find("cdf"))
    worst = std::max(worst, worst_share(*pairs, draws, true));
  if (const Json* pairs = record.find("pmf"))
    worst = std::max(worst, worst_share(*pairs, draws, false));
  if (record.at("f").text.ends_with("_cholesky_rng") && record.find("covariance") == nullptr)
    for (auto& draw : draws) draw = product_of_factor(draw);
  if (const Json* states = record.find("state_probabilities"))
    worst = std::max(worst, worst_state(*states, draws));
  const Json* mean = record.find("mean");
  if (mean == nullptr) return worst;
  worst = std::max(worst, worst_mean(numbers(*mean), draws));
  if (const Json* variance = record.find("offdiagonal_variance"))
    worst = std::max(worst, worst_offdiagonal(variance->value(), draws));
  if (const Json* covariance = record.find("covariance"))
    worst = std::max(worst, worst_covariance(numbers(*covariance), numbers(*mean), draws));
  return worst;
}

// A record that states something, of a function that is there, with arguments that can be made.
std::optional<Sampler> sampler_of(const Json& record) {
  const std::string name = record.at("f").text;
  if (!is_implemented(name)) return std::nullopt;
  std::vector<Argument> arguments;
  for (const Json& argument : record.at("args").items) {
    auto parsed = parse_argument(argument);
    const bool is_plain = parsed && parsed->function.empty() && parsed->parts.empty();
    if (!is_plain) return std::nullopt;  // draws of latent values: passed_functions_test.cpp
    arguments.push_back(std::move(*parsed));
  }
  const auto match = resolve(name, arguments);
  if (!match) return std::nullopt;
  return std::optional<Sampler>(std::in_place, name, arguments, *match);
}

Draws draw_all(Sampler& sampler) {
  Draws draws;
  for (std::size_t i = 0; i < kDraws; ++i) draws.push_back(sampler.draw());
  return draws;
}

TEST(reference_draws, follow_the_stated_distributions) {
  std::ifstream in(std::string(CREDO_REFERENCE_DIR) + "/functions/rng.jsonl");
  if (!in) GTEST_SKIP() << "NO REFERENCE VALUES at " << CREDO_REFERENCE_DIR;
  int judged = 0;
  std::set<std::string> functions;
  for (std::string line; std::getline(in, line);) {
    const Json record = testing::parse_json(line);
    auto sampler = sampler_of(record);
    if (!sampler) continue;
    ++judged;
    functions.insert(record.at("f").text);
    EXPECT_LT(worst_figure(record, draw_all(*sampler)), kErrors) << line.substr(0, 400);
  }
  std::cout << judged << " records of " << functions.size() << " functions\n";
  EXPECT_GT(functions.size(), 55u);
}

// The planted mutant: draws that are 30 % too large.
TEST(reference_draws, of_another_scale_are_rejected) {
  std::ifstream in(std::string(CREDO_REFERENCE_DIR) + "/functions/rng.jsonl");
  if (!in) GTEST_SKIP() << "NO REFERENCE VALUES at " << CREDO_REFERENCE_DIR;
  int judged = 0, rejected = 0;
  for (std::string line; std::getline(in, line);) {
    const Json record = testing::parse_json(line);
    auto sampler = sampler_of(record);
    if (!sampler || record.find("mean") == nullptr) continue;
    Draws draws = draw_all(*sampler);
    for (auto& draw : draws)
      for (double& x : draw) x *= 1.3;
    ++judged;
    rejected += worst_figure(record, draws) > kErrors ? 1 : 0;
  }
  EXPECT_GT(rejected, (9 * judged) / 10);
}
}  // namespace
}  // namespace credo::lang::reference_draws_test
