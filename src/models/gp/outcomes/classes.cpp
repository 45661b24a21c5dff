// Classes: one process for each, all with the same covariance, and softmax probabilities, by Laplace's approximation [rasmussen2006,
// section 3.5, algorithms 3.3 and 3.4; the derivatives as in 5.5.1].
//
//   W = diag(pi) - Pi Pi',  E_c = D_c (1 + D_c K D_c)^-1 D_c,  D_c = sqrt(pi_c),  S = sum E_c
//   R = (K + W^-1)^-1: blocks R_cd = E_c [c = d] - E_c S^-1 E_d;  log det(1 + K W) = sum log det(1 + D_c K D_c) + log det S
//
// Vectors over rows and classes lie class by class.
#include "base/error.hpp"
#include "base/stop.hpp"
#include "models/gp/outcomes/latent_normal.hpp"

namespace credo::models {

extern const OutcomeFamily kCategoricalLogit;
const OutcomeFamily kCategoricalLogit{.name = "categorical",
                                      .link = "logit",
                                      .summary = "classes, with a process for each, by softmax",
                                      .is_categorical = true};

namespace {
using numerics::DenseMatrix;
constexpr int kMostClassSteps = 200;
constexpr Index kReadBehind = 32;

using ClassVectors = std::vector<std::vector<double>>;  // [class][row]

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Probabilities at f, and log p(y | f).
struct ClassLikelihood {
  ClassVectors probability, slope;  // slope: y - probability
  double value = 0.0;
};
ClassLikelihood class_likelihood(const GpOutcome& outcome, const ClassVectors& f) {
  ClassLikelihood made{.probability = f, .slope = f};
  for (std::size_t n = 0; n < outcome.sites.size(); ++n) {
    double most = -kInfinity, sum = 0.0;
    for (const auto& own : f) most = std::max(most, own[n]);
    for (const auto& own : f) sum += std::exp(own[n] - most);
    const auto y = static_cast<std::size_t>(outcome.sites[n].y);
    made.value += f[y][n] - most - std::log(sum);
    for (std::size_t c = 0; c < f.size(); ++c) {
      made.probability[c][n] = std::exp(f[c][n] - most) / sum;
      made.slope[c][n] = (c == y ? 1.0 : 0.0) - made.probability[c][n];
    }
  }
  return made;
}

struct ClassPoint {
  ClassVectors alpha, f;
  ClassLikelihood at;
  double value = -kInfinity;  // log posterior
};
ClassPoint class_point(const GpOutcome& outcome, const DenseMatrix& k, ClassVectors alpha) {
  ClassPoint made{.alpha = std::move(alpha), .f = {}, .at = {}};
  for (const auto& own : made.alpha) made.f.push_back(times(k, own));
  made.at = class_likelihood(outcome, made.f);
  made.value = made.at.value;
  for (std::size_t c = 0; c < made.f.size(); ++c)
    made.value -= 0.5 * inner(made.alpha[c], made.f[c]);
  return made;
}

// E_c and the factor of S at a point.
struct ClassCurvature {
  std::vector<DenseMatrix> e;
  std::unique_ptr<TiledFactor> sum;
  double log_determinant = 0.0;
  bool is_defined = false;

  // R x
  ClassVectors times_r(const ClassVectors& x) const {
    ClassVectors made;
    std::vector<double> all(x[0].size(), 0.0);
    for (std::size_t c = 0; c < e.size(); ++c) {
      made.push_back(times(e[c], x[c]));
      for (std::size_t n = 0; n < all.size(); ++n) all[n] += made[c][n];
    }
    sum->solve(all), sum->solve_transposed(all);
    for (std::size_t c = 0; c < e.size(); ++c) {
      const std::vector<double> less = times(e[c], all);
      for (std::size_t n = 0; n < all.size(); ++n) made[c][n] -= less[n];
    }
    return made;
  }
  // M^-1 A for S = M M'.
  DenseMatrix solved(DenseMatrix a) const {
    const std::size_t size = a.values.size();
    a.values.resize(size + static_cast<std::size_t>(kReadBehind));
    sum->solve_columns(a.values.data(), a.cols);
    a.values.resize(size);
    return a;
  }
};
ClassCurvature class_curvature(const LatentPrior& prior, const DenseMatrix& k,
                               const ClassPoint& at) {
  ClassCurvature made;
  const Index n = k.rows;
  made.sum = std::make_unique<TiledFactor>(n, prior.team);
  for (const auto& probability : at.at.probability) {
    LatentNormal own(
        prior, k,
        {.precision = probability, .shift = std::vector<double>(static_cast<std::size_t>(n), 0.0)});
    if (!own.is_defined) return made;
    made.log_determinant += own.log_determinant;
    made.e.push_back(own.take_r());
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) *made.sum->at(i, j) += made.e.back()(i, j);
  }
  made.is_defined = made.sum->factor();
  if (made.is_defined) made.log_determinant += made.sum->log_determinant();
  return made;
}

struct ClassMode {
  ClassPoint at;
  ClassCurvature curvature;
  bool is_found = false;
};

double class_distance(const ClassPoint& at) {
  double off = 0.0;
  for (std::size_t c = 0; c < at.alpha.size(); ++c)
    for (std::size_t n = 0; n < at.alpha[c].size(); ++n)
      off = std::max(off, std::abs(at.alpha[c][n] - at.at.slope[c][n]));
  return off;
}
// b = W f + y - pi; alpha = b - R K b
ClassVectors newton_alpha(const ClassMode& mode, const DenseMatrix& k) {
  ClassVectors b = mode.at.at.slope, kb;
  const ClassVectors& p = mode.at.at.probability;
  for (std::size_t n = 0; n < b[0].size(); ++n) {
    double mean = 0.0;
    for (std::size_t c = 0; c < b.size(); ++c) mean += p[c][n] * mode.at.f[c][n];
    for (std::size_t c = 0; c < b.size(); ++c) b[c][n] += p[c][n] * (mode.at.f[c][n] - mean);
  }
  for (const auto& own : b) kb.push_back(times(k, own));
  const ClassVectors less = mode.curvature.times_r(kb);
  for (std::size_t c = 0; c < b.size(); ++c)
    for (std::size_t n = 0; n < b[c].size(); ++n) b[c][n] -= less[c][n];
  return b;
}

ClassMode find_class_mode(const LatentPrior& prior, const DenseMatrix& k) {
  const GpOutcome& outcome = prior.outcome;
  ClassMode mode;
  mode.at = class_point(
      outcome, k,
      ClassVectors(outcome.classes.size(), std::vector<double>(outcome.sites.size(), 0.0)));
  double last = kInfinity;
  for (int step = 0; step < kMostClassSteps; ++step) {
    stop_if_asked();
    mode.curvature = class_curvature(prior, k, mode.at);
    if (!mode.curvature.is_defined) return mode;
    const double off = class_distance(mode.at);
    mode.is_found = has_settled(off, last);
    last = off;
    if (mode.is_found) return mode;
    const ClassVectors wanted = newton_alpha(mode, k), before = mode.at.alpha;
    double share = 1.0;
    for (; share > 1e-10; share *= 0.5) {
      ClassVectors alpha = before;
      for (std::size_t c = 0; c < alpha.size(); ++c)
        for (std::size_t n = 0; n < alpha[c].size(); ++n)
          alpha[c][n] += share * (wanted[c][n] - before[c][n]);
      ClassPoint next = class_point(outcome, k, std::move(alpha));
      if (!(next.value >= mode.at.value - 1e-12 * std::abs(mode.at.value))) continue;
      mode.at = std::move(next);
      break;
    }
    if (!(share > 1e-10)) return mode;
  }
  return mode;
}

// Covariances of the classes' f at each row: K - K R K, [row] C x C.
std::vector<DenseMatrix> row_covariances(const ClassCurvature& curvature, const DenseMatrix& k,
                                         WorkerTeam& team) {
  const std::size_t num = curvature.e.size();
  const Index n = k.rows;
  std::vector<DenseMatrix> x,
      made(static_cast<std::size_t>(n), DenseMatrix(static_cast<Index>(num)));
  std::vector<std::vector<double>> direct(num);
  for (std::size_t c = 0; c < num; ++c) {
    DenseMatrix product(n);
    team.for_each(n, [&](Index j, Index) {
      const std::vector<double> column =
          times(curvature.e[c], std::span(k.values).subspan(static_cast<std::size_t>(j * n),
                                                            static_cast<std::size_t>(n)));
      std::copy(column.begin(), column.end(), &product(0, j));
    });
    for (Index j = 0; j < n; ++j) {
      double sum = 0.0;
      for (Index i = 0; i < n; ++i) sum += k(i, j) * product(i, j);
      direct[c].push_back(sum);
    }
    x.push_back(curvature.solved(std::move(product)));
  }
  for (Index j = 0; j < n; ++j)
    for (std::size_t c = 0; c < num; ++c)
      for (std::size_t d = 0; d < num; ++d) {
        double sum = 0.0;
        for (Index i = 0; i < n; ++i) sum += x[c](i, j) * x[d](i, j);
        if (c == d) sum += k(j, j) - direct[c][static_cast<std::size_t>(j)];
        made[static_cast<std::size_t>(j)](static_cast<Index>(c), static_cast<Index>(d)) = sum;
      }
  return made;
}

// d (-log det(1 + K W) / 2) / d f: -tr(Sigma_n dW_n / df_c) / 2 for each row and class.
ClassVectors determinant_slopes(const ClassMode& mode, const std::vector<DenseMatrix>& covariance) {
  ClassVectors made = mode.at.f;
  const auto num = static_cast<Index>(made.size());
  for (std::size_t n = 0; n < covariance.size(); ++n) {
    const DenseMatrix& s = covariance[n];
    std::vector<double> p, sp(made.size(), 0.0);
    for (const auto& own : mode.at.at.probability) p.push_back(own[n]);
    double trace = 0.0;
    for (Index c = 0; c < num; ++c) {
      trace += s(c, c) * p[static_cast<std::size_t>(c)];
      for (Index d = 0; d < num; ++d)
        sp[static_cast<std::size_t>(c)] += s(c, d) * p[static_cast<std::size_t>(d)];
    }
    const double square = inner(sp, p);
    for (std::size_t c = 0; c < made.size(); ++c) {
      const double own = s(static_cast<Index>(c), static_cast<Index>(c));
      made[c][n] = -0.5 * p[c] * (own - trace - 2.0 * (sp[c] - square));
    }
  }
  return made;
}

// Points of a rank-1 lattice by the generalised golden ratio, in the unit cube: the same ones at each call.
std::vector<std::vector<double>> lattice_normals(std::size_t dimension, Index count) {
  double ratio = 2.0;
  for (int k = 0; k < 60; ++k)
    ratio = std::pow(1.0 + ratio, 1.0 / (static_cast<double>(dimension) + 1.0));
  std::vector<std::vector<double>> made;
  for (Index k = 0; k < count; ++k) {
    std::vector<double> z;
    for (std::size_t d = 0; d < dimension; ++d) {
      const double u =
          0.5 + static_cast<double>(k + 1) * std::pow(ratio, -static_cast<double>(d + 1));
      z.push_back(numerics::inv_phi(u - std::floor(u)));
    }
    made.push_back(std::move(z));
  }
  return made;
}

class ClassesPosterior final : public GpPosterior {
 public:
  ClassesPosterior(const LatentPrior& prior, std::span<const double> theta, ClassMode mode)
      : prior_(prior), theta_(theta.begin(), theta.end()), mode_(std::move(mode)) {}

  // The function of the first class.
  GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                    const DenseMatrix* h) const override {
    GpMoments made;
    each_point(node, at, h, [&](const std::vector<double>& mean, const DenseMatrix& covariance) {
      made.mean.push_back(mean[0]), made.variance.push_back(std::max(0.0, covariance(0, 0)));
    });
    return made;
  }
  DenseMatrix covariance(const CovariancePoints&, const DenseMatrix*) const override { refuse(); }
  GpMoments derivative(const CovariancePoints&, Index, const DenseMatrix*) const override {
    refuse();
  }
  std::vector<double> coefficients() const override { return {}; }
  std::vector<double> coefficient_sds() const override { return {}; }
  std::span<const double> weights() const override { refuse(); }
  // Softmax probabilities averaged over the joint normal distribution of the classes' f, by 2,048 points.
  std::vector<std::vector<double>> outcomes(const CovariancePoints& at,
                                            const DenseMatrix* h) const override {
    constexpr Index kPoints = 2048;
    const std::size_t num = prior_.outcome.classes.size();
    const auto normals = lattice_normals(num, kPoints);
    std::vector<std::vector<double>> made(num);
    each_point(prior_.problem.covariance.root(), at, h,
               [&](const std::vector<double>& mean, const DenseMatrix& covariance) {
                 const std::vector<double> p = probabilities(mean, covariance, normals);
                 for (std::size_t c = 0; c < num; ++c) made[c].push_back(p[c]);
               });
    return made;
  }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::usage,
                "classes have several processes, for which draws and derivatives aren't computed",
                "--family", "leave --draws and --derivative out");
  }
  static std::vector<double> probabilities(const std::vector<double>& mean,
                                           const DenseMatrix& covariance,
                                           const std::vector<std::vector<double>>& normals) {
    const numerics::SymmetricEigen eigen(covariance);
    std::vector<double> sum(mean.size(), 0.0), f(mean.size()), e(mean.size());
    for (const std::vector<double>& z : normals) {
      f = mean;
      for (std::size_t v = 0; v < z.size(); ++v) {
        const double size = std::sqrt(std::max(0.0, eigen.values[v])) * z[v];
        for (std::size_t c = 0; c < f.size(); ++c) f[c] += size * eigen.vector(v)[c];
      }
      const double most = std::ranges::max(f);
      double total = 0.0;
      for (std::size_t c = 0; c < f.size(); ++c) total += e[c] = std::exp(f[c] - most);
      for (std::size_t c = 0; c < f.size(); ++c)
        sum[c] += e[c] / total / static_cast<double>(normals.size());
    }
    return sum;
  }
  // Mean and covariance over the classes at each point: k' alpha_c, and k(x, x) [c = d] - k' R_cd k.
  template <class Take>
  void each_point(const KernelNode& node, const CovariancePoints& at, const DenseMatrix* h,
                  const Take& take) const {
    const auto num = static_cast<Index>(mode_.curvature.e.size());
    const DenseMatrix own = h == nullptr ? DenseMatrix() : prior_.mean.scaled(*h);
    Covariance::Work work;
    for (Index j = 0; j < at.count; ++j) {
      const DenseMatrix k = prior_.cross(node, theta_, at, j, 1, h == nullptr ? nullptr : &own);
      double variance = prior_.problem.covariance.variance(node, theta_, at, j, work);
      for (Index c = 0; c < own.cols; ++c) variance += own(j, c) * own(j, c);
      std::vector<double> mean;
      DenseMatrix b(k.rows, num), covariance(num);
      for (Index c = 0; c < num; ++c) {
        mean.push_back(inner(k.values, mode_.at.alpha[static_cast<std::size_t>(c)]));
        const std::vector<double> e =
            times(mode_.curvature.e[static_cast<std::size_t>(c)], k.values);
        covariance(c, c) = variance - inner(k.values, e);
        std::copy(e.begin(), e.end(), &b(0, c));
      }
      b = mode_.curvature.solved(std::move(b));
      for (Index c = 0; c < num; ++c)
        for (Index d = 0; d < num; ++d)
          for (Index i = 0; i < k.rows; ++i) covariance(c, d) += b(i, c) * b(i, d);
      take(mean, covariance);
    }
  }

  const LatentPrior& prior_;
  std::vector<double> theta_;
  ClassMode mode_;
};

class ClassesSolver final : public GpSolver {
 public:
  ClassesSolver(const GpProblem& problem, const GpOutcome& outcome) : prior_(problem, outcome) {}

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    const DenseMatrix k = prior_.covariance(theta);
    const ClassMode mode = find_class_mode(prior_, k);
    if (!mode.is_found) return {};
    GpEvidence made{.value = mode.at.value - 0.5 * mode.curvature.log_determinant};
    if (with_slopes) made.slopes = slopes(theta, k, mode);
    return made;
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override {
    ClassMode mode = find_class_mode(prior_, prior_.covariance(theta));
    if (!mode.is_found)
      throw Error(ErrorCode::evaluation,
                  "the posterior's mode was not found at these hyperparameters", "",
                  "other starts: --seed; or state some hyperparameters: se(x, length = 2)");
    return std::make_unique<ClassesPosterior>(prior_, theta, std::move(mode));
  }

 private:
  // sum over classes of alpha alpha' - R_cc, halved, and v g'.
  std::vector<double> slopes(std::span<const double> theta, const DenseMatrix& k,
                             const ClassMode& mode) {
    const Index n = k.rows;
    const ClassVectors s =
        determinant_slopes(mode, row_covariances(mode.curvature, k, prior_.team));
    ClassVectors v = s, ks;
    for (const auto& own : s) ks.push_back(times(k, own));
    const ClassVectors less = mode.curvature.times_r(ks);
    DenseMatrix weight(n);
    for (std::size_t c = 0; c < v.size(); ++c) {
      for (std::size_t i = 0; i < v[c].size(); ++i) v[c][i] -= less[c][i];
      const DenseMatrix half = mode.curvature.solved(mode.curvature.e[c]);  // M^-1 E_c
      const auto &a = mode.at.alpha[c], &g = mode.at.at.slope[c];
      prior_.team.for_each(n, [&](Index j, Index) {
        const auto y = static_cast<std::size_t>(j);
        for (Index i = j; i < n; ++i) {
          const auto x = static_cast<std::size_t>(i);
          double r = mode.curvature.e[c](i, j);
          for (Index m = 0; m < n; ++m) r -= half(m, i) * half(m, j);
          weight(i, j) += 0.5 * (a[x] * a[y] - r + v[c][x] * g[y] + v[c][y] * g[x]);
        }
      });
    }
    return prior_.slopes(theta, [&](Index i, Index j) { return weight(i, j); });
  }

  LatentPrior prior_;
};
}  // namespace

std::unique_ptr<GpSolver> make_classes_solver(const GpProblem& problem, const GpOutcome& outcome) {
  return std::make_unique<ClassesSolver>(problem, outcome);
}

}  // namespace credo::models
