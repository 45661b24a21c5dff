#include "infer/variational/fits/named_blocks.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/model.hpp"
#include "infer/core/kernel_options.hpp"

namespace credo::infer {
namespace {
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names{""};
  for (const char c : text)
    if (c == '+')
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  return names;
}

// The coordinates of a parameter that no block has yet; marks it as taken.
std::vector<Index> take_parameter(const density::Layout& layout, const std::string& name,
                                  std::vector<bool>& taken) {
  const auto place = layout.find_variable(name);
  if (!place) {
    std::vector<std::string> names;
    for (const density::Variable& v : layout.variables()) names.push_back(v.name);
    throw Error(ErrorCode::usage, fmt::format("there is no parameter '{}'", name), "join",
                hint_for_name(name, names));
  }
  const auto k = static_cast<std::size_t>(*place);
  if (taken[k])
    throw Error(ErrorCode::usage, fmt::format("{} is in two blocks", name), "join",
                "name each parameter once");
  taken[k] = true;
  std::vector<Index> all(static_cast<std::size_t>(layout.variables()[k].size()));
  std::iota(all.begin(), all.end(), layout.first(*place));
  return all;
}

std::vector<std::vector<Index>> each_alone(Index dimension) {
  std::vector<std::vector<Index>> blocks;
  for (Index d = 0; d < dimension; ++d) blocks.push_back({d});
  return blocks;
}
}  // namespace

std::vector<std::vector<Index>> named_blocks(const density::LogDensity& density,
                                             std::span<const std::string> texts) {
  const density::Model* model = density.as_model();
  if (model == nullptr && !texts.empty())
    throw Error(ErrorCode::usage, "the density has no parameters with names", "join",
                "take --covariance full, diagonal or low_rank");
  if (model == nullptr) return each_alone(density.dimension());
  const density::Layout layout = model->unconstrained();
  std::vector<bool> taken(layout.variables().size(), false);
  std::vector<std::vector<Index>> blocks;
  for (const std::string& text : texts) {
    std::vector<Index> block;
    for (const std::string& name : names_in(text)) {
      const std::vector<Index> own = take_parameter(layout, name, taken);
      block.insert(block.end(), own.begin(), own.end());
    }
    if (!block.empty()) blocks.push_back(std::move(block));
  }
  for (std::size_t k = 0; k < taken.size(); ++k) {
    const density::Variable& variable = layout.variables()[k];
    if (!taken[k] && variable.size() > 0)
      blocks.push_back(take_parameter(layout, variable.name, taken));
  }
  return blocks;
}

std::unique_ptr<density::LogDensity> density_of_batches(const density::LogDensity& density,
                                                        Index size) {
  const density::Model* model = density.as_model();
  const auto refuse = [](const std::string& why, const std::string& hint) {
    return Error(ErrorCode::usage, "the likelihood has no batches of rows: " + why, "batch", hint);
  };
  if (model == nullptr) throw refuse("the log density doesn't report rows", "leave --batch out");
  density::Query query = model->query();
  query.batch = size;
  const std::vector<double> origin(static_cast<std::size_t>(model->dimension()), 0.0);
  if (const density::Capability can = model->can(query, origin); !can.can)
    throw refuse(can.reason, can.hint);
  if (size > density.num_rows())
    throw Error(
        ErrorCode::usage,
        fmt::format("batches have {} rows, and the likelihood {}", size, density.num_rows()),
        "batch", "take fewer, or leave --batch out for all");
  return model->asking(query);
}

}  // namespace credo::infer
