#include "models/jumps/inclusion.hpp"

#include <fmt/format.h>

#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "numerics/special.hpp"

namespace credo::models {
using infer::metropolis_prob;
using infer::rj::ComponentLayout;
namespace {
Index num_columns(std::span<const double> values, Index num_rows, std::string_view name) {
  if (num_rows < 1 || ssize(values) % num_rows != 0)
    throw Error(ErrorCode::data,
                fmt::format("{} numbers aren't columns of {} rows", values.size(), num_rows),
                std::string(name));
  return ssize(values) / num_rows;
}

void check_finite(std::span<const double> values, std::string_view name) {
  for (const double value : values)
    if (!std::isfinite(value))
      throw Error(ErrorCode::data, fmt::format("data must be finite, found {}", value),
                  std::string(name));
}
void check_positive(double value, std::string_view name) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error(ErrorCode::data, fmt::format("must be positive and finite, is {}", value),
                std::string(name));
}

void check_numbers(const InclusionProblem& problem) {
  check_finite(problem.fixed, "fixed");
  check_finite(problem.candidates, "candidates");
  check_finite(problem.y, "y");
  check_positive(problem.fixed_scale, "fixed_scale");
  check_positive(problem.candidate_scale, "candidate_scale");
  check_positive(problem.noise.shape, "noise.shape");
  check_positive(problem.noise.rate, "noise.rate");
}
}  // namespace

InclusionSampler::InclusionSampler(const InclusionProblem& problem)
    : num_fixed_(num_columns(problem.fixed, ssize(problem.y), "fixed")),
      num_candidates_(num_columns(problem.candidates, ssize(problem.y), "candidates")),
      noise_(problem.noise),
      num_rows_(static_cast<double>(problem.y.size())),
      regression_(num_fixed_ + num_candidates_) {
  check_numbers(problem);
  const Index all = num_fixed_ + num_candidates_;
  if (ssize(problem.log_prior_of_number) != num_candidates_ + 1)
    throw Error(ErrorCode::data,
                fmt::format("{} prior probabilities of {} sizes",
                            problem.log_prior_of_number.size(), num_candidates_ + 1),
                "log_prior_of_number");
  for (Index k = 0; k <= num_candidates_; ++k)
    log_prior_.push_back(
        problem.log_prior_of_number[static_cast<std::size_t>(k)] -
        numerics::lchoose(static_cast<double>(num_candidates_), static_cast<double>(k)));
  all_scales_.assign(static_cast<std::size_t>(all), problem.candidate_scale);
  std::fill_n(all_scales_.begin(), num_fixed_, problem.fixed_scale);
  add_observations(problem);
}

void InclusionSampler::add_observations(const InclusionProblem& problem) {
  const Index all = num_fixed_ + num_candidates_;
  gram_.resize(static_cast<std::size_t>(all * all));
  moments_.resize(static_cast<std::size_t>(all));
  std::vector<double> row(static_cast<std::size_t>(all));
  for (Index i = 0; i < ssize(problem.y); ++i) {
    const double y = problem.y[static_cast<std::size_t>(i)];
    std::copy_n(problem.fixed.begin() + i * num_fixed_, num_fixed_, row.begin());
    std::copy_n(problem.candidates.begin() + i * num_candidates_, num_candidates_,
                row.begin() + num_fixed_);
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = 0; b < row.size(); ++b) gram_[a * row.size() + b] += row[a] * row[b];
      moments_[a] += row[a] * y;
    }
    squares_ += y * y;
  }
}

double InclusionSampler::log_joint(const Inclusion& inclusion) {
  columns_.clear();
  for (Index f = 0; f < num_fixed_; ++f) columns_.push_back(f);
  for (Index c = 0; c < num_candidates_; ++c)
    if (inclusion[static_cast<std::size_t>(c)]) columns_.push_back(num_fixed_ + c);
  const Index all = num_fixed_ + num_candidates_, p = ssize(columns_);
  regression_.start(p);
  regression_.set_squares(num_rows_, squares_);
  scales_.clear();
  for (Index i = 0; i < p; ++i) {
    const auto column = columns_[static_cast<std::size_t>(i)];
    for (Index j = 0; j <= i; ++j)
      regression_.product(i, j) =
          gram_[static_cast<std::size_t>(column * all + columns_[static_cast<std::size_t>(j)])];
    regression_.moment(i) = moments_[static_cast<std::size_t>(column)];
    scales_.push_back(all_scales_[static_cast<std::size_t>(column)]);
  }
  return regression_.log_evidence(scales_, noise_) +
         log_prior_[static_cast<std::size_t>(p - num_fixed_)];
}

InclusionSampler::State InclusionSampler::start(Inclusion inclusion) {
  const double value = log_joint(inclusion);
  const Index number = std::accumulate(inclusion.begin(), inclusion.end(), Index{0});
  return {std::move(inclusion), value, number};
}

bool InclusionSampler::step(State& state, Rng& rng) {
  if (num_candidates_ == 0) return false;
  candidate_ = state.inclusion;
  Index number = state.num_included;
  if (rng.uniform() < 0.5) {
    auto& side = candidate_[static_cast<std::size_t>(rng.index_below(num_candidates_))];
    number += side ? -1 : 1;
    side = side ? 0 : 1;
  } else {
    if (number == 0 || number == num_candidates_) return false;
    const Index out = nth(state.inclusion, rng.index_below(number), true);
    const Index in = nth(state.inclusion, rng.index_below(num_candidates_ - number), false);
    std::swap(candidate_[static_cast<std::size_t>(out)], candidate_[static_cast<std::size_t>(in)]);
  }
  const double value = log_joint(candidate_);
  if (!(rng.uniform() < metropolis_prob(value - state.log_joint))) return false;
  std::swap(state.inclusion, candidate_);
  state.log_joint = value;
  state.num_included = number;
  return true;
}

// The place of the n-th column on one side.
Index InclusionSampler::nth(const Inclusion& inclusion, Index n, bool in) const {
  Index place = 0;
  while ((inclusion[static_cast<std::size_t>(place)] != 0) != in || n-- > 0) ++place;
  return place;
}

InclusionProblem rbf_inclusion(const RbfProblem& problem, std::span<const double> centres) {
  const ComponentLayout layout = problem.collapsed_layout();
  InclusionProblem made{.fixed = {},
                        .candidates = {},
                        .y = problem.y,
                        .fixed_scale = problem.line_scale,
                        .candidate_scale = problem.bump_scale,
                        .noise = problem.noise,
                        .log_prior_of_number = {}};
  for (Index i = 0; i < problem.num_points(); ++i) {
    const auto point = problem.point(i);
    made.fixed.push_back(1.0);
    made.fixed.insert(made.fixed.end(), point.begin(), point.end());
    for (Index j = 0; j < layout.count(centres); ++j)
      made.candidates.push_back(problem.basis(point, layout.component(centres, j)));
  }
  RbfProblem sized = problem;
  sized.max_centres = layout.count(centres);
  made.log_prior_of_number = sized.log_prior_of_number();
  return made;
}

}  // namespace credo::models
