#include "models/kernels/covariance.hpp"

namespace credo::models {
namespace {
double natural_fraction(double free) { return 1.0 / (1.0 + std::exp(-free)); }

// Buffers of node `id`: kMostAtOnce numbers each.
double* buffer(std::vector<double>& all, Index id) {
  return all.data() + id * Covariance::kMostAtOnce;
}
// Most parameters that an atom of the expression has lie in one buffer of slopes.
double* slope_buffer(std::vector<double>& all, Index atom) {
  return all.data() + atom * Covariance::kMostAtOnce * kMostKernelParameters;
}
}  // namespace

double CovarianceParameter::to_free(double natural) const {
  return kind.transform == KernelTransform::positive ? std::log(natural)
                                                     : std::log(natural / (1.0 - natural));
}
double CovarianceParameter::from_free(double free) const {
  return kind.transform == KernelTransform::positive ? std::exp(free) : natural_fraction(free);
}
double CovarianceParameter::slope(double natural) const {
  return kind.transform == KernelTransform::positive ? natural : natural * (1.0 - natural);
}
std::pair<double, double> CovarianceParameter::log_prior(double free) const {
  const double at = kind.transform == KernelTransform::positive ? std::log(this->centre()) : 0.0;
  const double off = (free - at) / kind.spread;
  return {-0.5 * off * off - std::log(kind.spread) - 0.5 * std::log(2.0 * std::numbers::pi),
          -off / kind.spread};
}

Covariance::Covariance(KernelNode root, std::vector<CovarianceParameter> parameters)
    : root_(std::move(root)), parameters_(std::move(parameters)) {
  number(root_, num_nodes_);
}

Covariance::Covariance(const Covariance& other)
    : root_(other.root_), parameters_(other.parameters_), num_nodes_(other.num_nodes_) {
  collect(root_);
}
Covariance& Covariance::operator=(const Covariance& other) {
  root_ = other.root_, parameters_ = other.parameters_, num_nodes_ = other.num_nodes_;
  atoms_.clear();
  collect(root_);
  return *this;
}

void Covariance::number(KernelNode& node, Index& next) {
  node.id = next++;
  if (node.kind == KernelNode::Kind::atom) {
    node.atom = ssize(atoms_);
    node.num_parameters = ssize(node.row->parameters(node.options));
    atoms_.push_back(&node);
  }
  for (KernelNode& part : node.parts) number(part, next);
}
void Covariance::collect(const KernelNode& node) {
  if (node.kind == KernelNode::Kind::atom) atoms_.push_back(&node);
  for (const KernelNode& part : node.parts) collect(part);
}

std::vector<const KernelNode*> Covariance::terms() const {
  std::vector<const KernelNode*> all;
  if (root_.kind != KernelNode::Kind::sum || root_.sd >= 0 || root_.factor != 1.0) return {&root_};
  for (const KernelNode& part : root_.parts) all.push_back(&part);
  return all;
}

CovariancePoints Covariance::points(std::span<const std::vector<double>> columns) const {
  CovariancePoints made{.count = columns.empty() ? 0 : ssize(columns[0]), .by_atom = {}};
  for (const KernelNode* atom : atoms_) {
    const auto width = static_cast<std::size_t>(atom->options.dimension);
    std::vector<double> x(static_cast<std::size_t>(made.count) * width, 0.0);
    for (std::size_t n = 0; n < static_cast<std::size_t>(made.count); ++n)
      for (std::size_t d = 0; d < width && !atom->columns.empty(); ++d) {
        const std::size_t num = atom->columns.size();
        if (atom->projection.empty()) {
          x[n * width + d] = columns[static_cast<std::size_t>(atom->columns[d])][n];
        } else {
          for (std::size_t c = 0; c < num; ++c)
            x[n * width + d] += atom->projection[d * num + c] *
                                columns[static_cast<std::size_t>(atom->columns[c])][n];
        }
      }
    made.by_atom.push_back(std::move(x));
  }
  return made;
}

double Covariance::scale_of(const KernelNode& node, std::span<const double> theta) const {
  if (node.sd < 0) return node.factor;
  const double sd = theta[static_cast<std::size_t>(node.sd)];
  return node.factor * sd * sd;
}

void Covariance::values(const KernelNode& node, std::span<const double> theta,
                        const CovariancePoints& a, Index i, const CovariancePoints& b, Index first,
                        Index count, double* out, Work& work) const {
  work.values.resize(static_cast<std::size_t>(num_nodes_ * kMostAtOnce));
  if (node.kind == KernelNode::Kind::atom) {
    const Index d = node.options.dimension;
    const auto atom = static_cast<std::size_t>(node.atom);
    node.row->values(node.options, theta.data() + node.first, a.by_atom[atom].data() + i * d,
                     b.by_atom[atom].data() + first * d, count, out);
  } else {
    const bool is_sum = node.kind == KernelNode::Kind::sum;
    values(node.parts[0], theta, a, i, b, first, count, out, work);
    for (std::size_t p = 1; p < node.parts.size(); ++p) {
      double* part = buffer(work.values, node.parts[p].id);
      values(node.parts[p], theta, a, i, b, first, count, part, work);
      if (is_sum)
        for (Index j = 0; j < count; ++j) out[j] += part[j];
      else
        for (Index j = 0; j < count; ++j) out[j] *= part[j];
    }
  }
  if (const double scale = scale_of(node, theta); scale != 1.0)
    for (Index j = 0; j < count; ++j) out[j] *= scale;
}

double Covariance::variance(const KernelNode& node, std::span<const double> theta,
                            const CovariancePoints& a, Index i, Work& work) const {
  double value = 0.0;
  values(node, theta, a, i, a, i, 1, &value, work);
  return value;
}

// Forwards, each node's values and each atom's slopes are kept; backwards, the weights of a node's value become those of its parts.
void Covariance::add_slopes(std::span<const double> theta, const CovariancePoints& a, Index i,
                            const CovariancePoints& b, Index first, Index count,
                            const double* weights, double* gradient, Work& work) const {
  work.values.resize(static_cast<std::size_t>(num_nodes_ * kMostAtOnce));
  work.weights.resize(static_cast<std::size_t>(num_nodes_ * kMostAtOnce));
  work.slopes.resize(atoms_.size() * static_cast<std::size_t>(kMostAtOnce * kMostKernelParameters));
  const auto forward = [&](const auto& self, const KernelNode& node) -> void {
    double* const own = buffer(work.values, node.id);  // without the scale
    if (node.kind == KernelNode::Kind::atom) {
      const Index d = node.options.dimension;
      const auto atom = static_cast<std::size_t>(node.atom);
      node.row->slopes(node.options, theta.data() + node.first, a.by_atom[atom].data() + i * d,
                       b.by_atom[atom].data() + first * d, count, own,
                       slope_buffer(work.slopes, node.atom));
      return;
    }
    const bool is_sum = node.kind == KernelNode::Kind::sum;
    std::fill_n(own, count, is_sum ? 0.0 : 1.0);
    for (const KernelNode& part : node.parts) {
      self(self, part);
      const double* from = buffer(work.values, part.id);
      const double scale = scale_of(part, theta);
      for (Index j = 0; j < count; ++j)
        own[j] = is_sum ? own[j] + scale * from[j] : own[j] * (scale * from[j]);
    }
  };
  forward(forward, root_);
  std::copy_n(weights, count, buffer(work.weights, root_.id));
  const auto backward = [&](const auto& self, const KernelNode& node) -> void {
    double* const weight = buffer(work.weights, node.id);
    const double* const own = buffer(work.values, node.id);
    if (node.sd >= 0) {
      double sum = 0.0;
      for (Index j = 0; j < count; ++j) sum += weight[j] * own[j];
      gradient[node.sd] += 2.0 * node.factor * theta[static_cast<std::size_t>(node.sd)] * sum;
    }
    if (const double scale = scale_of(node, theta); scale != 1.0)
      for (Index j = 0; j < count; ++j) weight[j] *= scale;
    if (node.kind == KernelNode::Kind::atom) {
      const double* slope = slope_buffer(work.slopes, node.atom);
      for (Index p = 0; p < node.num_parameters; ++p) {
        double sum = 0.0;
        for (Index j = 0; j < count; ++j) sum += weight[j] * slope[p * count + j];
        gradient[node.first + p] += sum;
      }
      return;
    }
    for (const KernelNode& part : node.parts) {
      double* to = buffer(work.weights, part.id);
      std::copy_n(weight, count, to);
      if (node.kind == KernelNode::Kind::product)
        for (const KernelNode& other : node.parts) {
          if (&other == &part) continue;
          const double* value = buffer(work.values, other.id);
          const double scale = scale_of(other, theta);
          for (Index j = 0; j < count; ++j) to[j] *= scale * value[j];
        }
      self(self, part);
    }
  };
  backward(backward, root_);
}

std::array<double, 4> Covariance::by_input(const KernelNode& node, std::span<const double> theta,
                                           const CovariancePoints& a, Index i,
                                           const CovariancePoints& b, Index j, Index column) const {
  std::array<double, 4> total{0.0, 0.0, 0.0, 0.0};
  if (node.kind == KernelNode::Kind::atom) {
    const Index d = node.options.dimension;
    const auto atom = static_cast<std::size_t>(node.atom);
    const auto place = std::ranges::find(node.columns, column);
    const Index coordinate = place == node.columns.end() ? -1 : place - node.columns.begin();
    node.row->by_input(node.options, theta.data() + node.first, a.by_atom[atom].data() + i * d,
                       b.by_atom[atom].data() + j * d, coordinate, total);
  } else {
    bool is_first = true;
    for (const KernelNode& part : node.parts) {
      const std::array<double, 4> k = by_input(part, theta, a, i, b, j, column);
      if (is_first) {
        total = k;
      } else if (node.kind == KernelNode::Kind::sum) {
        for (std::size_t q = 0; q < 4; ++q) total[q] += k[q];
      } else {
        total = {total[0] * k[0], total[1] * k[0] + total[0] * k[1],
                 total[2] * k[0] + total[0] * k[2],
                 total[3] * k[0] + total[1] * k[2] + total[2] * k[1] + total[0] * k[3]};
      }
      is_first = false;
    }
  }
  for (double& x : total) x *= scale_of(node, theta);
  return total;
}

int Covariance::smoothness() const {
  int least = kSmooth;
  for (const KernelNode* atom : atoms_)
    least = std::min(least, atom->row->smoothness(atom->options));
  return least;
}
bool Covariance::is_stationary() const {
  return std::ranges::all_of(atoms_,
                             [](const KernelNode* atom) { return atom->row->is_stationary; });
}

}  // namespace credo::models
