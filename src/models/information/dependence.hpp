// Information of two columns about each other, from rows: levels by counts, numbers by neighbours or by kernels.
#pragma once
#include "models/information/discrete_distributions.hpp"
#include "models/information/entropy_estimator.hpp"

namespace credo::models {

struct InformationEstimate {
  double value = 0.0, sd = kNaN;  // nats; NaN: no error is known
  double p_value = kNaN;          // of independence; NaN: not tested
  Index num_permutations = 0;
};

struct DependenceOptions {
  EntropyOptions entropy = {};
  Index num_permutations = 999;  // 0: independence isn't tested
  Index neighbours = 4;          // of each row, for ksg
  std::uint64_t seed = 1;
  std::function<void()> stop_if_asked = [] {};
};

// Rows of levels: three columns of codes from 0, with their numbers of levels. `given` may have a single level.
struct LevelRows {
  std::vector<std::int32_t> first, second, given;
  Index num_first = 1, num_second = 1, num_given = 1;
  JointTable counts() const;  // first x second x given
};

// I(first; second | given) as H(F, G) + H(S, G) - H(F, S, G) - H(G), each by the estimator. Its variance is that of the plug-in
// estimate: the first term, the variance of log p(f, s | g) / (p(f | g) p(s | g)) over rows, over N, and the second one, half the
// degrees of freedom over N^2, the only one that isn't 0 where nothing depends. The test permutes `first` within the levels of
// `given`: the share of permutations whose plug-in estimate is at least as large. States that weren't seen count for the joint
// distribution as `num_states` says in the margins: products of levels. Throws Error(data) where the estimator refuses.
InformationEstimate information_of_levels(const LevelRows& rows, const EntropyEstimator& estimator,
                                          const DependenceOptions& options);

// Rows of numbers, without ties within a column.
//
// Kraskov, Stoegbauer, Grassberger: psi(k) + psi(N) - <psi(n_x + 1) + psi(n_y + 1)> over the k-th neighbours of rows in the
// larger of the two distances [kraskov2004, eq. 8]. Its sd comes from estimates of parts of the rows, whose variance falls as
// one over their number [holmes2019]. Columns are made standard beforehand. Throws Error(data) for ties, with their rows, and
// for fewer than 20 rows.
InformationEstimate information_by_neighbours(std::span<const double> x, std::span<const double> y,
                                              const DependenceOptions& options);
// Mean over rows of log p(x, y) / (p(x) p(y)) with normal kernels that leave the row out, and the sd of this mean over rows. The
// bandwidth is that of a normal distribution; the error doesn't contain the bias, which is downwards where the distribution is sharper.
InformationEstimate information_by_kernels(std::span<const double> x, std::span<const double> y,
                                           const DependenceOptions& options);

}  // namespace credo::models
