#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stream.hpp"
#include "models/gp/solvers/features.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kFrequencies = stream("gp.frequencies");
constexpr double kDifference =
    1e-5;  // relative; central differences of frequencies and of log densities
constexpr double kBoxWidth = 2.5, kMostOutside = 1.5;  // in half ranges of the rows
constexpr Index kMostBoxInputs = 3;

bool is_constant(const KernelNode& atom) { return atom.row->name == "constant"; }

// Addends with their atoms; empty where a product has a sum as a factor.
std::vector<GpFeatureTerm> feature_terms(const Covariance& covariance) {
  std::vector<GpFeatureTerm> made;
  for (const KernelNode* term : covariance.terms()) {
    GpFeatureTerm own{.node = term, .scaled = {term}};
    if (term->kind == KernelNode::Kind::sum) return {};
    if (term->kind == KernelNode::Kind::atom && !is_constant(*term)) own.atoms = {term};
    for (const KernelNode& part : term->parts) {
      if (part.kind != KernelNode::Kind::atom) return {};
      own.scaled.push_back(&part);
      if (!is_constant(part)) own.atoms.push_back(&part);
    }
    made.push_back(std::move(own));
  }
  return made;
}

std::string why_no_terms(const GpProblem& p) {
  if (feature_terms(p.covariance).empty()) return "a product of sums has to be multiplied out";
  for (const KernelNode* atom : p.covariance.atoms())
    if (!atom->row->is_stationary) return fmt::format("{} isn't stationary", atom->text);
  return "";
}
}  // namespace

double GpFeatureTerm::amplitude(std::span<const double> theta) const {
  double variance = 1.0;
  for (const KernelNode* one : scaled) {
    variance *= one->factor;
    if (one->sd >= 0) variance *= std::pow(theta[static_cast<std::size_t>(one->sd)], 2);
  }
  return std::sqrt(variance);
}

std::string why_no_random_features(const GpProblem& problem) {
  if (std::string reason = why_no_terms(problem); !reason.empty()) return reason;
  for (const KernelNode* atom : problem.covariance.atoms())
    if (!is_constant(*atom) && atom->row->draw_frequency == nullptr)
      return fmt::format("{} has no distribution of frequencies", atom->text);
    else if (atom->row->spectral_peaks != nullptr)
      return fmt::format("{} has several peaks of frequencies, between which draws jump",
                         atom->text);
  return "";
}

std::string why_no_hilbert_features(const GpProblem& problem) {
  if (std::string reason = why_no_terms(problem); !reason.empty()) return reason;
  for (const GpFeatureTerm& term : feature_terms(problem.covariance)) {
    std::set<Index> columns;
    for (const KernelNode* atom : term.atoms) {
      if (atom->row->spectral_density == nullptr)
        return fmt::format("{} has no spectral density", atom->text);
      if (atom->columns.size() != 1 || !columns.insert(atom->columns[0]).second)
        return fmt::format("{} isn't a product of kernels of one input, each of another",
                           term.node->text);
    }
    if (ssize(columns) > kMostBoxInputs)
      return fmt::format("{} has more than {} inputs", term.node->text, kMostBoxInputs);
  }
  return "";
}

namespace {
class RandomFeatures final : public FeatureMap {
 public:
  RandomFeatures(const GpProblem& p, Index count, std::uint64_t seed) : p_(p), seed_(seed) {
    terms_ = feature_terms(p.covariance);
    const Index pairs = std::max<Index>(1, count / (2 * ssize(terms_)));
    for (GpFeatureTerm& term : terms_)
      term.first = size_, term.count = 2 * pairs, size_ += term.count;
  }

  void set(std::span<const double> theta) override {
    theta_.assign(theta.begin(), theta.end());
    frequencies_.clear();
    for (const GpFeatureTerm& term : terms_) frequencies_.push_back(frequencies(term, theta));
  }
  void fill(const CovariancePoints& at, Index i, Index by_column, double* out) const override {
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const GpFeatureTerm& term = terms_[t];
      const double scale = scale_of(term);
      for (Index k = 0; k < term.count / 2; ++k) {
        const double angle = angle_at(term, frequencies_[t], at, i, k);
        double* const to = out + term.first + 2 * k;
        const double c = scale * std::cos(angle), s = scale * std::sin(angle);
        if (by_column < 0) {
          to[0] = c, to[1] = s;
        } else {
          const double speed = speed_of(term, frequencies_[t], k, by_column);
          to[0] = -speed * s, to[1] = speed * c;
        }
      }
    }
  }
  // d cos = -sin dangle: frequencies move linearly over the differences, and the features are there.
  void add_slopes(const CovariancePoints& x, const double* weights, const double* features,
                  std::span<double> gradient) const override {
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const GpFeatureTerm& term = terms_[t];
      double sum = 0.0;
      std::vector<double> turns(static_cast<std::size_t>(width(term) * (term.count / 2)), 0.0);
      for (Index i = 0; i < x.count; ++i) {
        const double* const w = weights + i * size_ + term.first;
        const double* const f = features + i * size_ + term.first;
        for (Index k = 0; k < term.count / 2; ++k) {
          sum += w[2 * k] * f[2 * k] + w[2 * k + 1] * f[2 * k + 1];
          add_places(term, x, i, w[2 * k + 1] * f[2 * k] - w[2 * k] * f[2 * k + 1],
                     turns.data() + k * width(term));
        }
      }
      for (const KernelNode* one : term.scaled)  // features are proportional to each sd
        if (one->sd >= 0)
          gradient[static_cast<std::size_t>(one->sd)] +=
              sum / theta_[static_cast<std::size_t>(one->sd)];
      for (const KernelNode* atom : term.atoms)
        for (Index p = atom->first; p < atom->first + atom->num_parameters; ++p) {
          std::vector<double> up = theta_, down = theta_;
          const double h = kDifference * theta_[static_cast<std::size_t>(p)];
          up[static_cast<std::size_t>(p)] += h, down[static_cast<std::size_t>(p)] -= h;
          const std::vector<double> high = frequencies(term, up), low = frequencies(term, down);
          for (std::size_t e = 0; e < turns.size(); ++e)
            gradient[static_cast<std::size_t>(p)] += turns[e] * (high[e] - low[e]) / (2.0 * h);
        }
    }
  }

 private:
  double scale_of(const GpFeatureTerm& term) const {
    return term.amplitude(theta_) / std::sqrt(static_cast<double>(term.count / 2));
  }
  static Index width(const GpFeatureTerm& term) {
    Index sum = 0;
    for (const KernelNode* atom : term.atoms) sum += atom->options.dimension;
    return sum;
  }
  // Frequencies of the atoms beside each other, for each pair of features.
  std::vector<double> frequencies(const GpFeatureTerm& term, std::span<const double> theta) const {
    const Index d = width(term);
    std::vector<double> made(static_cast<std::size_t>(d * (term.count / 2)));
    for (Index k = 0; k < term.count / 2; ++k) {
      double* to = made.data() + k * d;
      for (const KernelNode* atom : term.atoms) {
        Rng rng({.seed = seed_,
                 .purpose = kFrequencies,
                 .chain = static_cast<std::uint32_t>(atom->atom),
                 .iteration = static_cast<std::uint32_t>(k)});
        atom->row->draw_frequency(atom->options, theta.data() + atom->first, rng, to);
        to += atom->options.dimension;
      }
    }
    return made;
  }
  double angle_at(const GpFeatureTerm& term, std::span<const double> w, const CovariancePoints& at,
                  Index i, Index k) const {
    const double* own = w.data() + k * width(term);
    double angle = 0.0;
    for (const KernelNode* atom : term.atoms) {
      const Index d = atom->options.dimension;
      const double* const x = at.by_atom[static_cast<std::size_t>(atom->atom)].data() + i * d;
      for (Index c = 0; c < d; ++c) angle += *own++ * x[c];
    }
    return angle;
  }
  static void add_places(const GpFeatureTerm& term, const CovariancePoints& at, Index i,
                         double weight, double* to) {
    for (const KernelNode* atom : term.atoms) {
      const Index d = atom->options.dimension;
      const double* const x = at.by_atom[static_cast<std::size_t>(atom->atom)].data() + i * d;
      for (Index c = 0; c < d; ++c) *to++ += weight * x[c];
    }
  }
  // d angle / d input
  static double speed_of(const GpFeatureTerm& term, std::span<const double> w, Index k,
                         Index column) {
    const double* own = w.data() + k * width(term);
    double speed = 0.0;
    for (const KernelNode* atom : term.atoms)
      for (const Index c : atom->columns) {
        if (c == column) speed += *own;
        ++own;
      }
    return speed;
  }

  const GpProblem& p_;
  std::uint64_t seed_;
  std::vector<double> theta_;
  std::vector<std::vector<double>> frequencies_;  // by term
};

class HilbertFeatures final : public FeatureMap {
 public:
  HilbertFeatures(const GpProblem& p, Index count) {
    terms_ = feature_terms(p.covariance);
    const double each = static_cast<double>(count) / static_cast<double>(terms_.size());
    for (GpFeatureTerm& term : terms_) {
      const auto d = ssize(term.atoms);
      const Index side =
          d == 0 ? 1
                 : std::max<Index>(1, static_cast<Index>(std::floor(
                                          std::pow(each, 1.0 / static_cast<double>(d)) + 1e-9)));
      sides_.push_back(side);
      term.first = size_, term.count = 1;
      for (Index c = 0; c < d; ++c) term.count *= side;
      size_ += term.count;
      for (const KernelNode* atom : term.atoms) {
        const auto [low, high] =
            std::ranges::minmax(p.x.by_atom[static_cast<std::size_t>(atom->atom)]);
        boxes_[atom->atom] = {0.5 * (low + high), high > low ? 0.5 * (high - low) : 1.0};
      }
    }
  }

  void set(std::span<const double> theta) override {
    theta_.assign(theta.begin(), theta.end());
    sizes_.clear();
    for (std::size_t t = 0; t < terms_.size(); ++t)
      for (const double size : log_sizes(t, theta)) sizes_.push_back(std::exp(size));
  }
  void fill(const CovariancePoints& at, Index i, Index by_column, double* out) const override {
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const GpFeatureTerm& term = terms_[t];
      std::fill_n(out + term.first, term.count, 1.0);
      Index stride = 1;
      bool depends = by_column < 0;
      for (const KernelNode* atom : term.atoms) {
        const bool is_slope = atom->columns[0] == by_column;
        depends = depends || is_slope;
        const std::vector<double> sines = waves(*atom, at, i, sides_[t], is_slope);
        for (Index m = 0; m < term.count; ++m)
          out[term.first + m] *= sines[static_cast<std::size_t>(m / stride % sides_[t])];
        stride *= sides_[t];
      }
      for (Index m = 0; m < term.count; ++m)
        out[term.first + m] *= depends ? sizes_[static_cast<std::size_t>(term.first + m)] : 0.0;
    }
  }
  void add_slopes(const CovariancePoints& x, const double* weights, const double* features,
                  std::span<double> gradient) const override {
    std::vector<double> sums(static_cast<std::size_t>(size_), 0.0);
    for (Index i = 0; i < x.count; ++i)
      for (Index m = 0; m < size_; ++m)
        sums[static_cast<std::size_t>(m)] += weights[i * size_ + m] * features[i * size_ + m];
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const GpFeatureTerm& term = terms_[t];
      std::vector<Index> own;
      for (const KernelNode* one : term.scaled)
        if (one->sd >= 0) own.push_back(one->sd);
      for (const KernelNode* atom : term.atoms)
        for (Index p = 0; p < atom->num_parameters; ++p) own.push_back(atom->first + p);
      for (const Index p : own) {
        std::vector<double> up = theta_, down = theta_;
        const double h = kDifference * theta_[static_cast<std::size_t>(p)];
        up[static_cast<std::size_t>(p)] += h, down[static_cast<std::size_t>(p)] -= h;
        const std::vector<double> high = log_sizes(t, up), low = log_sizes(t, down);
        for (Index m = 0; m < term.count; ++m) {
          const auto e = static_cast<std::size_t>(m);
          const double change = (high[e] - low[e]) / (2.0 * h);
          // a feature of size 0 has no part in the sums
          if (const double sum = sums[static_cast<std::size_t>(term.first + m)]; sum != 0.0)
            gradient[static_cast<std::size_t>(p)] += sum * change;
        }
      }
    }
  }

 private:
  struct Box {
    double centre = 0.0, half = 1.0;  // half the rows' range
  };
  double frequency(const KernelNode& atom, Index j) const {
    return std::numbers::pi * static_cast<double>(j + 1) /
           (2.0 * kBoxWidth * boxes_.at(atom.atom).half);
  }
  // Half the logarithm of the prior variance of each weight of a term.
  std::vector<double> log_sizes(std::size_t t, std::span<const double> theta) const {
    const GpFeatureTerm& term = terms_[t];
    std::vector<double> made(static_cast<std::size_t>(term.count), std::log(term.amplitude(theta)));
    Index stride = 1;
    for (const KernelNode* atom : term.atoms) {
      std::vector<double> own;
      for (Index j = 0; j < sides_[t]; ++j)
        own.push_back(0.5 * std::log(atom->row->spectral_density(
                                atom->options, theta.data() + atom->first, frequency(*atom, j))));
      for (Index m = 0; m < term.count; ++m)
        made[static_cast<std::size_t>(m)] += own[static_cast<std::size_t>(m / stride % sides_[t])];
      stride *= sides_[t];
    }
    return made;
  }
  // sin(f_j (x + L)) / sqrt(L) for j < side, or their derivatives.
  std::vector<double> waves(const KernelNode& atom, const CovariancePoints& at, Index i, Index side,
                            bool is_slope) const {
    const Box& box = boxes_.at(atom.atom);
    const double x =
        at.by_atom[static_cast<std::size_t>(atom.atom)][static_cast<std::size_t>(i)] - box.centre;
    if (std::abs(x) > kMostOutside * box.half * (1.0 + 1e-12))
      throw Error(ErrorCode::usage,
                  fmt::format("{} is {:.6g} at a point, and the box of the Hilbert features allows "
                              "{:.6g} to {:.6g}",
                              atom.text, x + box.centre, box.centre - kMostOutside * box.half,
                              box.centre + kMostOutside * box.half),
                  "--solver", "points nearer to the rows, or --solver features:random");
    const double width = kBoxWidth * box.half;
    std::vector<double> made;
    for (Index j = 0; j < side; ++j) {
      const double f = frequency(atom, j), angle = f * (x + width);
      made.push_back((is_slope ? f * std::cos(angle) : std::sin(angle)) / std::sqrt(width));
    }
    return made;
  }

  std::map<Index, Box> boxes_;  // by atom
  std::vector<Index> sides_;    // features for each input, by term
  std::vector<double> theta_, sizes_;
};
}  // namespace

std::unique_ptr<FeatureMap> make_random_features(const GpProblem& problem, Index count,
                                                 std::uint64_t seed) {
  return std::make_unique<RandomFeatures>(problem, count, seed);
}
std::unique_ptr<FeatureMap> make_hilbert_features(const GpProblem& problem, Index count) {
  return std::make_unique<HilbertFeatures>(problem, count);
}

}  // namespace credo::models
