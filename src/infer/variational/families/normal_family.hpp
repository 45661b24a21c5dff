// Families of normal distributions of the unconstrained values, over which an objective is climbed:
//
//   x = μ + R z,   z ~ N(0, I) of B >= D values,   Σ = R Rᵀ
//
// μ and R are functions of the parameters λ. λ = 0, or nearly, is the distribution that the family was started at, and λ is in units of
// it: 1 is about one of its standard deviations, or a factor of e in one of them.
//
// A new family is a class, a file and a row of families() (table.cpp); the suite tests/infer/families_test.cpp runs over the rows.
#pragma once
#include "infer/core/fields.hpp"
#include "infer/variational/families/distribution_family.hpp"

namespace credo::infer {

// A covariance as results keep it: D × D, or scales and B by columns, Σ = diag(scales²) + B Bᵀ.
struct CovarianceParts {
  std::vector<double> covariance = {}, scales = {}, loadings = {};
};

// A coordinate without variance: a parameter of the model that is climbed itself. λ is in this unit of it.
struct PointCoordinate {
  Index coordinate;
  double unit;
};

class NormalFamily : public DistributionFamily {
 public:
  virtual std::unique_ptr<NormalFamily> clone() const = 0;
  std::unique_ptr<DistributionFamily> clone_family() const final { return clone(); }
  NormalFamily* as_normal() final { return this; }
  bool has_log_density() const final { return true; }
  void place_draws(std::span<const double> z, std::span<double> x, std::span<double> log_q) final;
  void pull_back_draws(std::span<const double> z, std::span<const double> v,
                       std::span<const double> w, std::span<double> into) final;
  // Numbers by which a climb has settled, in units of λ: λ itself, where no other λ is the same distribution.
  virtual std::vector<double> settled(std::span<const double> parameters) const {
    return {parameters.begin(), parameters.end()};
  }

  // Coordinates that aren't part of q: log q, entropy and score leave them out.
  virtual std::span<const PointCoordinate> points() const { return {}; }
  // Number of the last parameters that are offsets of single rows, which inner gradient steps move (inner_steps.hpp).
  virtual Index num_offsets() const { return 0; }

  // x = μ + R z. Neither this nor the other functions of single points allocate.
  virtual void place(std::span<const double> z, std::span<double> x) const = 0;
  // ∂x/∂λ transposed, at the draw of z, times v: added to `into`.
  virtual void pull_back(std::span<const double> z, std::span<const double> v,
                         std::span<double> into) = 0;
  // z = Rᵀ v
  virtual void project(std::span<const double> v, std::span<double> z) = 0;
  // E[-log q] = ½ log |2πe Σ|, and its gradient by λ, which is added to `into`.
  virtual double entropy() const = 0;
  virtual void add_entropy_slope(std::span<double> into) = 0;
  // ∇_x log q = -Σ⁻¹ (x - μ).
  virtual void score(std::span<const double> x, std::span<double> into) = 0;

  // The natural gradient: Fisher⁻¹ times a gradient by λ, in its place. False where the family doesn't know it.
  virtual bool precondition(std::span<double> /*gradient*/) { return false; }

  // ∂ log q(x) / ∂λ, x held fixed: added to `into`. With s = Σ⁻¹ (x - μ) it is ∂μᵀ s + ½ sᵀ ∂Σ s - ∂ entropy, of which the first
  // two are the pull-back of s at z = Rᵀ s.
  void add_parameter_score(std::span<const double> x, std::span<double> into);

  std::vector<double> mean() const;
  std::vector<double> covariance() const;  // D × D
  std::vector<double> variances() const;   // its diagonal, without the rest
  // Empty where the family has another form and too many values for a matrix.
  virtual CovarianceParts covariance_parts() const;

 protected:
  NormalFamily() = default;

 private:
  void for_each_column(const std::function<void(std::span<const double>)>& visit) const;
  std::vector<double> slope_, projected_, entropy_slope_;  // work of add_parameter_score
};

// Options of shapes, as every method that fits a family has them.
inline constexpr FieldSpec kRankField{
    .name = "rank",
    .help = "directions of a low-rank covariance, beside its diagonal",
    .range = {.lo = 1.0, .hi = 1000.0},
    .needs = "covariance=low_rank"};
inline constexpr FieldSpec kJoinField{
    .name = "join",
    .help = "parameters in one block, as mu+tau,a+b; every other parameter is a block of its own",
    .needs = "covariance=blocks"};

// Normal distribution that a family begins at, and the options of its shape.
struct FamilySetup {
  std::vector<double> mean;                     // D
  std::vector<double> covariance;               // D × D, or D variances
  Index rank = 1;                               // of low_rank
  std::vector<std::vector<Index>> blocks = {};  // of blocks: each coordinate once
};

// Throws Error(evaluation) where a covariance isn't positive definite.
struct FamilySpec {
  std::string_view name;
  std::unique_ptr<NormalFamily> (*make)(const FamilySetup& setup);
};

// The last one is a choice among the others, by the number of values.
enum class CovarianceShape { full, diagonal, low_rank, blocks, automatic };
inline constexpr std::array<std::string_view, 5> kCovarianceShapeNames = {
    "full", "diagonal", "low_rank", "blocks", "auto"};
inline constexpr std::span<const std::string_view> enum_names(CovarianceShape) {
  return kCovarianceShapeNames;
}
std::span<const FamilySpec> families();  // a row of each shape but the choice, in the same order
const FamilySpec& family_of(CovarianceShape shape);

std::unique_ptr<NormalFamily> make_full_normal(const FamilySetup& setup);
std::unique_ptr<NormalFamily> make_diagonal_normal(const FamilySetup& setup);
std::unique_ptr<NormalFamily> make_low_rank_normal(const FamilySetup& setup);
std::unique_ptr<NormalFamily> make_block_normal(const FamilySetup& setup);

// Precision of a setup: D × D where its covariance is, else D values.
std::vector<double> precision_of(const FamilySetup& setup);

inline constexpr double kNormalConstant = 0.91893853320467274178;  // ½ log 2π

}  // namespace credo::infer
