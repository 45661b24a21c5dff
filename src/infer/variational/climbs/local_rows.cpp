#include "infer/variational/climbs/local_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stream.hpp"
#include "infer/core/kernel_options.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kLocalPoint = stream("variational.local_rows");

const density::Model& model_with_names(const density::LogDensity& density,
                                       std::string_view option) {
  const density::Model* model = density.as_model();
  if (model != nullptr) return *model;
  throw Error(ErrorCode::usage, "the density has no parameters with names", std::string(option),
              "take --method normal");
}

std::size_t place_of_parameter(const density::Layout& layout, const std::string& name,
                               std::string_view option) {
  if (const auto place = layout.find_variable(name)) return static_cast<std::size_t>(*place);
  std::vector<std::string> names;
  for (const density::Variable& v : layout.variables()) names.push_back(v.name);
  throw Error(ErrorCode::usage, fmt::format("there is no parameter '{}'", name),
              std::string(option), hint_for_name(name, names));
}

void require_once(std::span<const std::string> names, std::string_view option) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (std::ranges::count(names, names[k]) > 1)
      throw Error(ErrorCode::usage, fmt::format("{} is named twice", names[k]), std::string(option),
                  "name each parameter once");
}

// Number of the first index of an element, from 0.
Index first_index_of(const density::Variable& variable, Index element) {
  if (variable.dims.size() == 1) return element;
  const std::string name = variable.element_name(element).substr(variable.name.size() + 1);
  return static_cast<Index>(std::stoll(name)) - 1;
}

// The values of each row of one parameter.
std::vector<std::vector<Index>> rows_of_parameter(const density::Variable& variable, Index first) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(variable.dims.front()));
  for (Index e = 0; e < variable.size(); ++e)
    rows[static_cast<std::size_t>(first_index_of(variable, e))].push_back(first + e);
  return rows;
}

const density::ObservedVariable& data_named(std::span<const density::ObservedVariable> data,
                                            const std::string& name) {
  std::vector<std::string> names;
  for (const density::ObservedVariable& own : data) {
    if (own.variable.name == name) return own;
    names.push_back(own.variable.name);
  }
  throw Error(ErrorCode::usage, fmt::format("there are no data '{}'", name), "features",
              hint_for_name(name, names));
}

// Log likelihoods of the rows at a point; empty where it is refused.
class RowLikelihoods {
 public:
  explicit RowLikelihoods(const density::LogDensity& density)
      : num_rows_(static_cast<std::size_t>(density.num_rows())),
        evaluator_(density.make_evaluator()) {}
  std::vector<double> at(std::span<const double> x) {
    std::vector<double> rows(num_rows_);
    density::Request request{.position = x, .gradient = {}, .status = {}, .pointwise = rows};
    density::Request* batch[] = {&request};
    evaluator_->evaluate(density::Want::pointwise, batch);
    return request.status.ok() ? rows : std::vector<double>();
  }

 private:
  std::size_t num_rows_;
  std::unique_ptr<density::Evaluator> evaluator_;
};

Error not_local(std::span<const std::string> names, const std::string& why) {
  return Error(
      ErrorCode::usage, why, "local",
      fmt::format("row n of the likelihood must meet {} in its own values alone: state the "
                  "outcome of row n by {}[n], or leave the parameter out of --local",
                  fmt::join(names, ", "), names.front()));
}

// Rows of the likelihood that a move changes.
std::vector<bool> changed_rows(std::span<const double> before, std::span<const double> after) {
  constexpr double kRounding = 1e-12;
  std::vector<bool> changed;
  for (std::size_t n = 0; n < before.size(); ++n)
    changed.push_back(
        !(std::fabs(after[n] - before[n]) <= kRounding * (1.0 + std::fabs(before[n]))));
  return changed;
}

// A random point where all rows have log likelihoods.
std::vector<double> point_with_rows(const density::LogDensity& density, RowLikelihoods& rows,
                                    std::uint64_t seed) {
  constexpr std::uint32_t kMostPoints = 100;
  std::vector<double> x(static_cast<std::size_t>(density.dimension()));
  for (std::uint32_t k = 0; k < kMostPoints; ++k) {
    Rng rng({.seed = seed, .purpose = kLocalPoint, .chain = 0, .iteration = k});
    for (double& v : x) v = 2.0 * rng.uniform() - 1.0;
    if (!rows.at(x).empty()) return x;
  }
  throw Error(ErrorCode::evaluation,
              fmt::format("the likelihood has no rows at {} random points", kMostPoints), "local",
              "declare the ranges of the parameters");
}
}  // namespace

LocalValues local_values(const density::LogDensity& density, std::span<const std::string> names) {
  const density::Layout& layout = model_with_names(density, "local").continuous();
  require_once(names, "local");
  LocalValues all;
  std::vector<std::vector<Index>> rows;
  for (const std::string& name : names) {
    const std::size_t k = place_of_parameter(layout, name, "local");
    const density::Variable& variable = layout.variables()[k];
    if (variable.dims.empty())
      throw Error(ErrorCode::usage, fmt::format("{} is one value, not one for each row", name),
                  "local", "name a parameter whose first index is the row of the data");
    auto own = rows_of_parameter(variable, layout.first(static_cast<Index>(k)));
    if (!rows.empty() && rows.size() != own.size())
      throw Error(ErrorCode::usage,
                  fmt::format("{} has {} rows, and {} has {}", names.front(), rows.size(), name,
                              own.size()),
                  "local", "name parameters with a value for each row");
    rows.resize(own.size());
    for (std::size_t n = 0; n < own.size(); ++n)
      rows[n].insert(rows[n].end(), own[n].begin(), own[n].end());
  }
  all.num_rows = ssize(rows);
  all.num_each = rows.empty() ? 0 : ssize(rows.front());
  for (const auto& row : rows)
    all.coordinates.insert(all.coordinates.end(), row.begin(), row.end());
  return all;
}

std::vector<Index> coordinates_of(const density::LogDensity& density,
                                  std::span<const std::string> names, std::string_view option) {
  std::vector<Index> all;
  if (names.empty()) return all;
  require_once(names, option);
  const density::Layout& layout = model_with_names(density, option).continuous();
  for (const std::string& name : names) {
    const std::size_t k = place_of_parameter(layout, name, option);
    for (Index e = 0; e < layout.variables()[k].size(); ++e)
      all.push_back(layout.first(static_cast<Index>(k)) + e);
  }
  return all;
}

FeatureTable features_of(std::span<const density::ObservedVariable> data,
                         std::span<const std::string> names, Index num_rows) {
  std::vector<std::vector<double>> rows;
  for (const std::string& name : names) {
    const density::ObservedVariable& own = data_named(data, name);
    const std::vector<Index>& dims = own.variable.dims;
    const Index length = dims.empty() ? 1 : dims.front();
    if (num_rows == 0) num_rows = length;
    if (length != num_rows)
      throw Error(ErrorCode::usage,
                  fmt::format("{} has {} rows, and there are {}", name, length, num_rows),
                  "features", "name data with a value for each row");
    rows.resize(static_cast<std::size_t>(num_rows));
    for (std::size_t e = 0; e < own.values.size(); ++e)  // the first index varies fastest
      rows[e % rows.size()].push_back(own.values[e]);
  }
  FeatureTable table{.num_rows = num_rows, .num_features = rows.empty() ? 0 : ssize(rows.front())};
  for (const auto& row : rows) table.values.insert(table.values.end(), row.begin(), row.end());
  return table;
}

FeatureScale scale_of(const FeatureTable& features) {
  FeatureScale scale;
  const double count = static_cast<double>(features.num_rows);
  for (std::size_t k = 0; k < static_cast<std::size_t>(features.num_features); ++k) {
    double mean = 0.0, square = 0.0;
    for (Index n = 0; n < features.num_rows; ++n) mean += features.row(n)[k] / count;
    for (Index n = 0; n < features.num_rows; ++n)
      square += std::pow(features.row(n)[k] - mean, 2) / count;
    scale.mean.push_back(mean);
    scale.sd.push_back(square > 0.0 ? std::sqrt(square) : 1.0);
  }
  return scale;
}

void standardise(FeatureTable& features, const FeatureScale& scale) {
  for (std::size_t i = 0; i < features.values.size(); ++i) {
    const std::size_t k = i % scale.mean.size();
    features.values[i] = (features.values[i] - scale.mean[k]) / scale.sd[k];
  }
}

void require_local(const density::LogDensity& density, const LocalValues& local,
                   std::span<const std::string> names, std::uint64_t seed) {
  constexpr double kMove = 0.37;
  if (density.num_rows() == 0) throw not_local(names, "the rows of the likelihood aren't known");
  RowLikelihoods rows(density);
  const std::vector<double> x = point_with_rows(density, rows, seed);
  const std::vector<double> before = rows.at(x);
  const auto changed_by = [&](Index digit, Index side) {
    std::vector<double> y = x;
    for (std::size_t i = 0; i < local.coordinates.size(); ++i)
      if (((static_cast<Index>(i) / local.num_each) & digit) == side)
        y[static_cast<std::size_t>(local.coordinates[i])] += kMove;
    const std::vector<double> after = rows.at(y);
    return after.empty() ? std::vector<bool>(before.size(), false) : changed_rows(before, after);
  };
  for (Index digit = 1; digit < local.num_rows; digit *= 2) {
    const std::vector<bool> by_zeros = changed_by(digit, 0), by_ones = changed_by(digit, digit);
    for (std::size_t r = 0; r < before.size(); ++r) {
      if (by_zeros[r] && by_ones[r])
        throw not_local(names, fmt::format("row {} of the likelihood meets {} in several rows",
                                           r + 1, fmt::join(names, ", ")));
      const bool is_own = ((static_cast<Index>(r) & digit) != 0) ? !by_zeros[r] : !by_ones[r];
      if (density.num_rows() == local.num_rows && !is_own)
        throw not_local(names, fmt::format("row {} of the likelihood meets {} in another row",
                                           r + 1, fmt::join(names, ", ")));
    }
  }
}

}  // namespace credo::infer
