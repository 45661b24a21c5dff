#include "infer/variational/families/amortised_normal.hpp"

#include "base/rng.hpp"
#include "base/stream.hpp"
#include "infer/variational/families/shared_directions.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kLoadingStart = stream("variational.auxiliary");

// The coordinates of a network, and the normal distributions at the present parameters.
struct PlacedBlock {
  std::vector<std::size_t> at;  // rows × K
  FeatureTable features;
  RowNetwork network;
  std::size_t num_each = 0;  // K
  std::size_t first_parameter = 0, first_base = 0, first_offset = 0;
  // K each; spread: log standard deviation at the start.
  std::vector<double> centre = {}, unit = {}, spread = {};
  std::vector<double> mean = {}, scale = {};  // rows × K
  std::optional<SharedDirections> shared = {};
  std::size_t first_auxiliary = 0;  // among the base
  std::size_t num_shared() const { return shared ? shared->count() : 0; }
  std::size_t num_outputs() const { return num_each * (2 + num_shared()); }
};

class NetworkNormal final : public AmortisedNormal {
 public:
  NetworkNormal(const FamilySetup& setup, const AmortisedSetup& amortised);
  NetworkNormal(const NetworkNormal& other)
      : AmortisedNormal(other),
        rest_(other.rest_ ? other.rest_->clone() : nullptr),
        rest_at_(other.rest_at_),
        points_(other.points_),
        centres_(other.centres_),
        values_(other.values_),
        blocks_(other.blocks_),
        seed_(other.seed_),
        dimension_(other.dimension_),
        num_base_(other.num_base_),
        num_parameters_(other.num_parameters_),
        num_offsets_(other.num_offsets_),
        part_(other.part_),
        slopes_(other.slopes_),
        adjoint_(other.adjoint_),
        solved_(other.solved_) {}
  std::unique_ptr<NormalFamily> clone() const override {
    return std::make_unique<NetworkNormal>(*this);
  }
  Index dimension() const override { return dimension_; }
  Index num_base() const override { return static_cast<Index>(num_base_); }
  Index num_parameters() const override { return static_cast<Index>(num_parameters_); }
  std::vector<double> start() const override;
  void move_to(std::span<const double> parameters) override;
  std::span<const PointCoordinate> points() const override { return points_; }
  Index num_offsets() const override { return static_cast<Index>(num_offsets_); }
  std::vector<double> settled(std::span<const double> parameters) const override;
  void place(std::span<const double> z, std::span<double> x) const override;
  void pull_back(std::span<const double> z, std::span<const double> v,
                 std::span<double> into) override;
  void project(std::span<const double> v, std::span<double> z) override;
  double entropy() const override;
  void add_entropy_slope(std::span<double> into) override;
  void score(std::span<const double> x, std::span<double> into) override;
  double log_density(std::span<const double> x) override;
  BlockState block_state(std::size_t block) const override {
    const PlacedBlock& own = blocks_[block];
    return {own.centre, own.unit, own.spread, own.network.parameters()};
  }
  const NormalFamily* rest() const override { return rest_.get(); }
  std::span<const std::size_t> rest_coordinates() const override { return rest_at_; }
  void set_features(std::size_t block, FeatureTable features) override {
    blocks_[block].features = std::move(features);
  }

 private:
  void add_rest(const FamilySetup& setup, const AmortisedSetup& amortised);
  void add_block(const FamilySetup& setup, const NetworkBlock& block,
                 const AmortisedSetup& amortised);
  double solve_block(PlacedBlock& block, std::span<const double> x);
  void start_loadings(const PlacedBlock& block, std::span<double> parameters) const;
  void place_row(PlacedBlock& block, std::size_t n, std::span<const double> parameters);
  std::size_t num_rest_parameters() const {
    return rest_ ? static_cast<std::size_t>(rest_->num_parameters()) : 0;
  }
  std::size_t num_rest_base() const {
    return rest_ ? static_cast<std::size_t>(rest_->num_base()) : 0;
  }
  void gather_rest(std::span<const double> x) const {
    for (std::size_t k = 0; k < rest_at_.size(); ++k) part_[k] = x[rest_at_[k]];
  }
  void scatter_rest(std::span<const double> from, std::span<double> x) const {
    for (std::size_t k = 0; k < rest_at_.size(); ++k) x[rest_at_[k]] = from[k];
  }

  std::unique_ptr<NormalFamily> rest_;  // null: there are no other values
  std::vector<std::size_t> rest_at_;
  std::vector<PointCoordinate> points_;
  std::vector<double> centres_, values_;  // start and present values of the points
  std::vector<PlacedBlock> blocks_;
  std::uint64_t seed_;
  Index dimension_;
  std::size_t num_base_ = 0, num_parameters_ = 0, num_offsets_ = 0;
  mutable std::vector<double> part_;  // work: the other values of a point
  std::vector<double> slopes_, adjoint_, solved_;
};

double variance_in(const FamilySetup& setup, std::size_t d) {
  const std::size_t n = setup.mean.size();
  return setup.covariance[setup.covariance.size() == n ? d : d * n + d];
}

// The setup of some of the coordinates alone.
FamilySetup setup_of_part(const FamilySetup& setup, std::span<const std::size_t> at) {
  const std::size_t n = setup.mean.size();
  FamilySetup part{.mean = {}, .covariance = {}, .rank = setup.rank};
  for (const std::size_t i : at) {
    part.mean.push_back(setup.mean[i]);
    if (setup.covariance.size() == n) part.covariance.push_back(setup.covariance[i]);
  }
  if (setup.covariance.size() == n) return part;
  for (const std::size_t i : at)
    for (const std::size_t j : at) part.covariance.push_back(setup.covariance[i * n + j]);
  return part;
}

CovarianceShape shape_of_rest(CovarianceShape shape, std::size_t size) {
  constexpr std::size_t kMostFull = 200;
  if (shape != CovarianceShape::automatic) return shape;
  return size <= kMostFull ? CovarianceShape::full : CovarianceShape::low_rank;
}

NetworkNormal::NetworkNormal(const FamilySetup& setup, const AmortisedSetup& amortised)
    : seed_(amortised.seed), dimension_(ssize(setup.mean)) {
  add_rest(setup, amortised);
  num_parameters_ = num_rest_parameters() + amortised.points.size();
  num_base_ = num_rest_base();
  for (const Index j : amortised.points) {
    const auto d = static_cast<std::size_t>(j);
    points_.push_back({j, std::sqrt(variance_in(setup, d))});
    centres_.push_back(setup.mean[d]);
  }
  values_ = centres_;
  for (const NetworkBlock& block : amortised.blocks) add_block(setup, block, amortised);
  for (PlacedBlock& block : blocks_) {
    if (!amortised.has_offsets) break;
    block.first_offset = num_parameters_;
    num_offsets_ += 2 * block.at.size();
    num_parameters_ += 2 * block.at.size();
  }
  move_to(start());
}

void NetworkNormal::add_rest(const FamilySetup& setup, const AmortisedSetup& amortised) {
  std::vector<bool> is_taken(setup.mean.size(), false);
  for (const Index j : amortised.points) is_taken[static_cast<std::size_t>(j)] = true;
  for (const NetworkBlock& block : amortised.blocks)
    for (const Index j : block.coordinates) is_taken[static_cast<std::size_t>(j)] = true;
  for (std::size_t d = 0; d < is_taken.size(); ++d)
    if (!is_taken[d]) rest_at_.push_back(d);
  part_.resize(rest_at_.size()), slopes_.resize(rest_at_.size());
  if (rest_at_.empty()) return;
  rest_ = family_of(shape_of_rest(amortised.rest, rest_at_.size()))
              .make(setup_of_part(setup, rest_at_));
}

void NetworkNormal::add_block(const FamilySetup& setup, const NetworkBlock& block,
                              const AmortisedSetup& amortised) {
  const auto num_rows = static_cast<std::size_t>(block.features.num_rows);
  const std::size_t num_each = block.coordinates.size() / num_rows;
  const Index num_shared = blocks_.empty() ? amortised.num_auxiliary : 0;
  PlacedBlock own{.at = {block.coordinates.begin(), block.coordinates.end()},
                  .features = block.features,
                  .network = RowNetwork(block.features.num_features, amortised.num_hidden,
                                        static_cast<Index>(num_each) * (2 + num_shared)),
                  .num_each = num_each,
                  .first_parameter = num_parameters_,
                  .first_base = num_base_};
  const double count = static_cast<double>(num_rows);
  for (std::size_t k = 0; k < num_each; ++k) {
    double mean = 0.0, within = 0.0, between = 0.0;
    for (std::size_t n = 0; n < num_rows; ++n) {
      mean += setup.mean[own.at[n * num_each + k]] / count;
      within += variance_in(setup, own.at[n * num_each + k]) / count;
    }
    for (std::size_t n = 0; n < num_rows; ++n)
      between += std::pow(setup.mean[own.at[n * num_each + k]] - mean, 2) / count;
    own.centre.push_back(mean);
    own.unit.push_back(std::sqrt(within + between));
    own.spread.push_back(0.5 * std::log(within / (within + between)));
  }
  own.mean.resize(own.at.size()), own.scale.resize(own.at.size());
  if (num_shared > 0) own.shared.emplace(own.at.size(), static_cast<std::size_t>(num_shared));
  adjoint_.resize(std::max(adjoint_.size(), own.num_outputs()));
  num_parameters_ += static_cast<std::size_t>(own.network.num_parameters());
  num_base_ += own.at.size();
  own.first_auxiliary = num_base_;
  num_base_ += own.num_shared();
  blocks_.push_back(std::move(own));
}

// At loadings of 0 the bound has a saddle: they begin at a tenth of a standard deviation.
void NetworkNormal::start_loadings(const PlacedBlock& block, std::span<double> parameters) const {
  constexpr double kFirstLoading = 0.1;
  Rng rng({.seed = seed_, .purpose = kLoadingStart, .chain = 0, .iteration = 0});
  const auto first = static_cast<std::size_t>(block.features.num_features) * block.num_outputs();
  for (std::size_t o = 2 * block.num_each; o < block.num_outputs(); ++o)
    parameters[first + o] = kFirstLoading * rng.normal();
}

std::vector<double> NetworkNormal::start() const {
  std::vector<double> all(num_parameters_, 0.0);
  if (rest_) std::ranges::copy(rest_->start(), all.begin());
  for (const PlacedBlock& block : blocks_) {
    const auto own = std::span(all).subspan(
        block.first_parameter, static_cast<std::size_t>(block.network.num_parameters()));
    block.network.start(seed_, own);
    start_loadings(block, own);
  }
  return all;
}

void NetworkNormal::move_to(std::span<const double> parameters) {
  if (rest_) rest_->move_to(parameters.first(num_rest_parameters()));
  for (std::size_t j = 0; j < points_.size(); ++j)
    values_[j] = centres_[j] + points_[j].unit * parameters[num_rest_parameters() + j];
  for (PlacedBlock& block : blocks_) {
    block.network.run(parameters.subspan(block.first_parameter,
                                         static_cast<std::size_t>(block.network.num_parameters())),
                      block.features);
    for (std::size_t n = 0; n * block.num_each < block.at.size(); ++n)
      place_row(block, n, parameters);
    if (block.shared) block.shared->prepare(block.scale);
  }
}

// Means, scales and loadings of the values of a row.
void NetworkNormal::place_row(PlacedBlock& block, std::size_t n,
                              std::span<const double> parameters) {
  const std::span<const double> out = block.network.outputs(static_cast<Index>(n));
  for (std::size_t k = 0; k < block.num_each; ++k) {
    const std::size_t i = n * block.num_each + k;
    const double within = block.unit[k] * numerics::exp(block.spread[k]);
    block.mean[i] = block.centre[k] + block.unit[k] * out[k];
    double log_scale = block.spread[k] + out[block.num_each + k];
    if (num_offsets_ > 0) {
      const std::span<const double> offsets = parameters.subspan(block.first_offset + 2 * i, 2);
      block.mean[i] += within * offsets[0];
      log_scale += offsets[1];
    }
    block.scale[i] = block.unit[k] * numerics::exp(log_scale);
    for (std::size_t r = 0; r < block.num_shared(); ++r)
      block.shared->loading(i, r) = within * out[block.num_each * (2 + r) + k];
  }
}

// Weights of networks may wander while the distribution stays: means and log scales settle, in standard deviations.
std::vector<double> NetworkNormal::settled(std::span<const double> parameters) const {
  NetworkNormal member(*this);
  member.move_to(parameters);
  std::vector<double> all;
  if (rest_) all = rest_->settled(parameters.first(num_rest_parameters()));
  for (std::size_t j = 0; j < points_.size(); ++j)
    all.push_back(parameters[num_rest_parameters() + j]);
  for (const PlacedBlock& block : member.blocks_)
    for (std::size_t i = 0; i < block.at.size(); ++i) {
      const std::size_t k = i % block.num_each;
      all.push_back(block.mean[i] / (block.unit[k] * numerics::exp(block.spread[k])));
      all.push_back(numerics::log(block.scale[i]));
    }
  return all;
}

void NetworkNormal::place(std::span<const double> z, std::span<double> x) const {
  if (rest_) {
    rest_->place(z.first(num_rest_base()), part_);
    scatter_rest(part_, x);
  }
  for (std::size_t j = 0; j < points_.size(); ++j)
    x[static_cast<std::size_t>(points_[j].coordinate)] = values_[j];
  for (const PlacedBlock& block : blocks_)
    for (std::size_t i = 0; i < block.at.size(); ++i) {
      double& value = x[block.at[i]];
      value = block.mean[i] + block.scale[i] * z[block.first_base + i];
      for (std::size_t r = 0; r < block.num_shared(); ++r)
        value += block.shared->loading(i, r) * z[block.first_auxiliary + r];
    }
}

void NetworkNormal::pull_back(std::span<const double> z, std::span<const double> v,
                              std::span<double> into) {
  if (rest_) {
    gather_rest(v);
    rest_->pull_back(z.first(num_rest_base()), part_, into.first(num_rest_parameters()));
  }
  for (std::size_t j = 0; j < points_.size(); ++j)
    into[num_rest_parameters() + j] +=
        points_[j].unit * v[static_cast<std::size_t>(points_[j].coordinate)];
  for (const PlacedBlock& block : blocks_)
    for (std::size_t first = 0; first < block.at.size(); first += block.num_each) {
      for (std::size_t k = 0; k < block.num_each; ++k) {
        const std::size_t i = first + k;
        adjoint_[k] = v[block.at[i]] * block.unit[k];
        adjoint_[block.num_each + k] = v[block.at[i]] * block.scale[i] * z[block.first_base + i];
        const double within = adjoint_[k] * numerics::exp(block.spread[k]);
        for (std::size_t r = 0; r < block.num_shared(); ++r)
          adjoint_[block.num_each * (2 + r) + k] = within * z[block.first_auxiliary + r];
        if (num_offsets_ == 0) continue;
        into[block.first_offset + 2 * i] += within;
        into[block.first_offset + 2 * i + 1] += adjoint_[block.num_each + k];
      }
      block.network.pull_back(block.features, static_cast<Index>(first / block.num_each),
                              std::span(adjoint_).first(block.num_outputs()),
                              into.subspan(block.first_parameter));
    }
}

void NetworkNormal::project(std::span<const double> v, std::span<double> z) {
  if (rest_) {
    gather_rest(v);
    rest_->project(part_, z.first(num_rest_base()));
  }
  for (const PlacedBlock& block : blocks_)
    for (std::size_t i = 0; i < block.at.size(); ++i)
      z[block.first_base + i] = block.scale[i] * v[block.at[i]];
  for (const PlacedBlock& block : blocks_)
    for (std::size_t r = 0; r < block.num_shared(); ++r) {
      double& along = z[block.first_auxiliary + r];
      along = 0.0;
      for (std::size_t i = 0; i < block.at.size(); ++i)
        along += block.shared->loading(i, r) * v[block.at[i]];
    }
}

double NetworkNormal::entropy() const {
  double sum = rest_ ? rest_->entropy() : 0.0;
  for (const PlacedBlock& block : blocks_) {
    for (const double scale : block.scale) sum += numerics::log(scale) + kNormalConstant + 0.5;
    if (block.shared) sum += block.shared->half_log_ratio();
  }
  return sum;
}

void NetworkNormal::add_entropy_slope(std::span<double> into) {
  if (rest_) rest_->add_entropy_slope(into.first(num_rest_parameters()));
  for (const PlacedBlock& block : blocks_)
    for (std::size_t first = 0; first < block.at.size(); first += block.num_each) {
      for (std::size_t k = 0; k < block.num_each; ++k) {
        const std::size_t i = first + k;
        const double of_scale = block.shared ? block.shared->slope_of_scale(i) : 1.0;
        const double within = block.unit[k] * numerics::exp(block.spread[k]);
        adjoint_[k] = 0.0;
        adjoint_[block.num_each + k] = of_scale;
        for (std::size_t r = 0; r < block.num_shared(); ++r)
          adjoint_[block.num_each * (2 + r) + k] = within * block.shared->slope(i, r);
        if (num_offsets_ > 0) into[block.first_offset + 2 * i + 1] += of_scale;
      }
      block.network.pull_back(block.features, static_cast<Index>(first / block.num_each),
                              std::span(adjoint_).first(block.num_outputs()),
                              into.subspan(block.first_parameter));
    }
}

// D⁻¹ (x - μ), or Σ⁻¹ (x - μ), into solved_; returns (x - μ)ᵀ Σ⁻¹ (x - μ).
double NetworkNormal::solve_block(PlacedBlock& block, std::span<const double> x) {
  solved_.resize(block.at.size());
  for (std::size_t i = 0; i < block.at.size(); ++i)
    solved_[i] = (x[block.at[i]] - block.mean[i]) / (block.scale[i] * block.scale[i]);
  if (block.shared) block.shared->solve(solved_);
  double square = 0.0;
  for (std::size_t i = 0; i < block.at.size(); ++i)
    square += solved_[i] * (x[block.at[i]] - block.mean[i]);
  return square;
}

void NetworkNormal::score(std::span<const double> x, std::span<double> into) {
  if (rest_) {
    gather_rest(x);
    rest_->score(part_, slopes_);
    scatter_rest(slopes_, into);
  }
  for (const PointCoordinate& point : points_)
    into[static_cast<std::size_t>(point.coordinate)] = 0.0;
  for (PlacedBlock& block : blocks_) {
    solve_block(block, x);
    for (std::size_t i = 0; i < block.at.size(); ++i) into[block.at[i]] = -solved_[i];
  }
}

double NetworkNormal::log_density(std::span<const double> x) {
  double sum = 0.0;
  if (rest_) {
    gather_rest(x);
    sum += rest_->log_density(part_);
  }
  for (PlacedBlock& block : blocks_) {
    sum -= 0.5 * solve_block(block, x);
    if (block.shared) sum -= block.shared->half_log_ratio();
    for (const double scale : block.scale) sum -= numerics::log(scale) + kNormalConstant;
  }
  return sum;
}
}  // namespace

std::unique_ptr<AmortisedNormal> make_amortised_normal(const FamilySetup& setup,
                                                       const AmortisedSetup& amortised) {
  return std::make_unique<NetworkNormal>(setup, amortised);
}

}  // namespace credo::infer
