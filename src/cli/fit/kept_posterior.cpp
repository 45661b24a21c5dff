#include "cli/fit/kept_posterior.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "results/arrays/array_file.hpp"

namespace credo::cli {
namespace {
using infer::conjugate::BlockState;

constexpr const char* kBlocks = "posterior_blocks";
constexpr const char* kWayOut = "name a file that credo exact --method conjugate -o has written";

// A list of numbers for each block, as rows of block and value.
void add_numbers(results::ArrayList& arrays, const std::string& name,
                 const std::vector<BlockState>& blocks, std::vector<double> BlockState::*list,
                 const char* help) {
  const auto all = results::elements_within(blocks, list);
  if (all.empty()) return;
  arrays.add_rows(name, all, {.key = results::kHidden, .of = kBlocks})
      .add_column({.name = "value", .help = help}, all, std::identity());
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), arrays_(results::read_arrays(path)) {}

  KeptPosterior read() const {
    if (arrays_->find_group(kBlocks) == nullptr)
      throw Error(ErrorCode::usage, "the file has no posterior in closed form", path_, kWayOut);
    KeptPosterior kept{.source = path_,
                       .names = texts("posterior_parameters", "parameter"),
                       .blocks = {},
                       .data = texts("posterior_data", "digest")};
    kept.blocks = blocks();
    for (const BlockState& block : kept.blocks) {
      for (const Index place : block.places) require_place(place, ssize(kept.names));
      if (block.kind == "normal_scale") require_place(block.scale_place, ssize(kept.names));
    }
    return kept;
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(ErrorCode::data, fmt::format("the posterior in the file is damaged: {}", what),
                path_, kWayOut);
  }
  void require_place(Index place, Index size) const {
    if (place < 0 || place >= size) damaged("a block has a parameter that isn't there");
  }
  std::vector<std::string> texts(const std::string& group, const std::string& field) const {
    const results::Group* found = arrays_->find_group(group);
    const results::Field* of = found == nullptr ? nullptr : found->find(field);
    if (of == nullptr) damaged(fmt::format("{} of {} is missing", field, group));
    std::vector<std::string> all;
    for (const double value : arrays_->read(*found, *of)) {
      if (!(value >= 0.0 && value < static_cast<double>(of->labels.size())))
        damaged(fmt::format("{} of {} has no text", field, group));
      all.push_back(of->labels[static_cast<std::size_t>(value)]);
    }
    return all;
  }
  // Appends the numbers of each block to its list.
  void add_to(std::vector<BlockState>& blocks, const std::string& group,
              std::vector<double> BlockState::*list) const {
    const std::vector<double> values = arrays_->find(group, "value"),
                              links = arrays_->find(group, kBlocks);
    if (values.size() != links.size()) damaged(group + " has other numbers of blocks and values");
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!(links[k] >= 1.0 && links[k] <= static_cast<double>(blocks.size())))
        damaged(group + " names a block that isn't there");
      (blocks[static_cast<std::size_t>(links[k]) - 1].*list).push_back(values[k]);
    }
  }
  std::vector<BlockState> blocks() const {
    const std::vector<std::string> kinds = texts(kBlocks, "kind"),
                                   families = texts(kBlocks, "family");
    const std::vector<double> powers = arrays_->find(kBlocks, "power"),
                              scales = arrays_->find(kBlocks, "scale");
    if (families.size() != kinds.size() || powers.size() != kinds.size() ||
        scales.size() != kinds.size())
      damaged("blocks have other numbers of kinds and families");
    std::vector<BlockState> all;
    for (std::size_t b = 0; b < kinds.size(); ++b)
      all.push_back({.kind = kinds[b],
                     .places = {},
                     .mean = {},
                     .covariance = {},
                     .family = families[b],
                     .power = powers[b],
                     .scale_place = static_cast<Index>(scales[b])});
    add_to(all, "posterior_means", &BlockState::mean);
    add_to(all, "posterior_covariances", &BlockState::covariance);
    add_to(all, "posterior_arguments", &BlockState::arguments);
    std::vector<BlockState> places = all;  // their places as numbers
    for (BlockState& block : places) block.mean.clear();
    add_to(places, "posterior_places", &BlockState::mean);
    for (std::size_t b = 0; b < all.size(); ++b)
      for (const double place : places[b].mean) all[b].places.push_back(static_cast<Index>(place));
    return all;
  }

  std::string path_;
  std::unique_ptr<results::ArrayResult> arrays_;
};
}  // namespace

void add_kept(results::ArrayList& arrays, const KeptPosterior& posterior) {
  const std::vector<BlockState>& blocks = posterior.blocks;
  arrays.add_rows(kBlocks, blocks, {.key = results::kHidden})
      .add_column({.name = "kind"}, blocks, &BlockState::kind)
      .add_column(
          {.name = "family", .help = "family of the block's number or scale, raised to `power`"},
          blocks, &BlockState::family)
      .add_column({.name = "power"}, blocks, &BlockState::power)
      .add_column({.name = "scale", .help = "place of the scale among the parameters; -1: none"},
                  blocks, &BlockState::scale_place);
  const auto places = results::elements_within(blocks, &BlockState::places);
  arrays.add_rows("posterior_places", places, {.key = results::kHidden, .of = kBlocks})
      .add_column({.name = "value", .help = "place of a parameter"}, places, std::identity());
  add_numbers(arrays, "posterior_means", blocks, &BlockState::mean, "means of real numbers");
  add_numbers(arrays, "posterior_covariances", blocks, &BlockState::covariance,
              "covariances of real numbers, by columns; with a scale: for precision 1");
  add_numbers(arrays, "posterior_arguments", blocks, &BlockState::arguments,
              "arguments of the family");
  arrays.add_rows("posterior_data", posterior.data, {.key = results::kHidden})
      .add_column({.name = "digest", .help = "digest of each part of the data that was seen"},
                  posterior.data, std::identity());
}

KeptPosterior read_kept(const std::string& path) { return Reader(path).read(); }

}  // namespace credo::cli
