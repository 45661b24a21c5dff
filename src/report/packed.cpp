#include "report/packed.hpp"

#include <bit>

#include "diagnose/trace.hpp"
#include "report/prior_marginal.hpp"

namespace credo::report {
namespace {
constexpr std::uint16_t kNothing = 65535;
constexpr double kLargest = 65534.0;
constexpr Index kHead = 8;  // doubles

class Block {
 public:
  explicit Block(Index num_bytes) { bytes_.reserve(static_cast<std::size_t>(num_bytes)); }
  void number(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int k = 0; k < 8; ++k) bytes_ += static_cast<char>(bits >> (8 * k));
  }
  // On the range; as many as `count`, of which those that aren't there are nothing.
  void values(std::span<const double> values, Index count, const Range& range) {
    const double scale = range.high > range.low ? kLargest / (range.high - range.low) : 0.0;
    for (Index k = 0; k < count; ++k) {
      const bool is_there = k < ssize(values) && std::isfinite(values[static_cast<std::size_t>(k)]);
      const double q = is_there ? (values[static_cast<std::size_t>(k)] - range.low) * scale : 0.0;
      word(is_there ? static_cast<std::uint16_t>(std::lround(std::clamp(q, 0.0, kLargest)))
                    : kNothing);
    }
  }
  void words(std::span<const Index> counts, Index count, Index unit) {
    for (Index k = 0; k < count; ++k)
      word(k < ssize(counts)
               ? static_cast<std::uint16_t>(counts[static_cast<std::size_t>(k)] / unit)
               : kNothing);
  }
  std::string done(Index num_bytes) {
    bytes_.resize(static_cast<std::size_t>(num_bytes), '\0');
    return std::move(bytes_);
  }

 private:
  void word(std::uint16_t value) {
    bytes_ += static_cast<char>(value);
    bytes_ += static_cast<char>(value >> 8);
  }
  std::string bytes_;
};

Series kept_draws(const diagnose::Chains& chains, const PackedSizes& sizes) {
  Series values;
  values.reserve(static_cast<std::size_t>(sizes.num_kept()));
  for (Index c = 0; c < chains.num_chains; ++c)
    for (const Index s : sizes.kept[static_cast<std::size_t>(c)])
      values.push_back(chains.chain(c)[static_cast<std::size_t>(s)]);
  return values;
}

Range finite_range(std::span<const double> values) {
  Range range{kInfinity, -kInfinity};
  for (const double v : values)
    if (std::isfinite(v)) range.low = std::min(range.low, v), range.high = std::max(range.high, v);
  return range.low <= range.high ? range : Range{kNaN, kNaN};
}

double top_of(const Marginal& marginal) {
  double top = 0.0;
  for (const double v : marginal.all) top = std::max(top, v);
  for (const Series& chain : marginal.chains)
    for (const double v : chain) top = std::max(top, v);
  return top;
}

void add_marginal(Block& block, const Marginal& marginal, const PackedSizes& sizes,
                  Index num_chains) {
  const Range range{0.0, top_of(marginal)};
  block.values(marginal.all, sizes.num_places, range);
  for (Index c = 0; c < num_chains; ++c)
    block.values(c < ssize(marginal.chains)
                     ? std::span<const double>(marginal.chains[static_cast<std::size_t>(c)])
                     : std::span<const double>(),
                 sizes.num_places, range);
}
}  // namespace

Index PackedSizes::num_kept() const {
  Index count = 0;
  for (const auto& chain : kept) count += ssize(chain);
  return count;
}

Index PackedSizes::num_bytes() const {
  const Index words = num_kept() + (num_chains + 2) * num_places + (num_chains + 1) * num_lags +
                      num_chains * num_bins;
  return (8 * kHead + 2 * words + 5) / 6 * 6;
}

PackedSizes packed_sizes(const Material& material, Index num_quantities, Index most_values) {
  const results::Fit& fit = material.fit();
  PackedSizes sizes{
      .num_chains = fit.num_chains(),
      .kept = std::vector<std::vector<Index>>(static_cast<std::size_t>(fit.num_chains())),
      .num_lags = material.options().num_lags + 1,
      .num_bins = material.options().num_bins};
  const Index draws = fit.num_draws(false);
  sizes.rank_unit = std::max<Index>(1, (draws + 65533) / 65534);
  const Index all = draws * fit.num_chains() * num_quantities;
  const Index step = std::max<Index>(1, (all + most_values - 1) / most_values);
  const Series divergent = step > 1 ? material.statistic("divergent") : Series();
  for (Index c = 0; c < fit.num_chains(); ++c)
    for (Index s = 0; s < draws; ++s)
      if (s % step == 0 ||
          (!divergent.empty() && divergent[static_cast<std::size_t>(c * draws + s)] != 0.0))
        sizes.kept[static_cast<std::size_t>(c)].push_back(s);
  return sizes;
}

std::string packed_block(const Material& material, const diagnose::Chains& chains, Index quantity,
                         const PackedSizes& sizes, bool has_prior) {
  const Series kept = kept_draws(chains, sizes);
  const Range range = finite_range(kept);
  const Marginal marginal =
      marginal_of(chains, material.is_whole(quantity), sizes.num_places, material.weights());
  const Marginal prior =
      has_prior ? prior_marginal(material, quantity, sizes.num_places) : Marginal();
  Block block(sizes.num_bytes());
  for (const double value : {range.low, range.high, marginal.low, marginal.step, top_of(marginal),
                             prior.low, prior.step, top_of(prior)})
    block.number(value);
  block.values(kept, ssize(kept), range);
  add_marginal(block, marginal, sizes, sizes.num_chains);
  const bool moves = !marginal.all.empty() && material.weights().empty();
  const Autocorrelations correlations =
      moves ? autocorrelations_of(chains, sizes.num_lags) : Autocorrelations();
  block.values(correlations.all, sizes.num_lags, {-1.0, 1.0});
  for (Index c = 0; c < sizes.num_chains; ++c)
    block.values(moves ? correlations.chains[static_cast<std::size_t>(c)] : Series(),
                 sizes.num_lags, {-1.0, 1.0});
  const diagnose::TraceRanks ranks =
      moves ? diagnose::trace_ranks(chains, sizes.num_bins, false) : diagnose::TraceRanks();
  block.words(ranks.counts, sizes.num_chains * sizes.num_bins, sizes.rank_unit);
  add_marginal(block, prior, sizes, 0);
  return block.done(sizes.num_bytes());
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  for (std::size_t i = 0, at = 0; i < bytes.size(); i += 3, at += 4) {
    const auto byte = [&](std::size_t k) {
      return k < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[k])) : 0u;
    };
    const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    const std::size_t letters = std::min<std::size_t>(bytes.size() - i, 3) + 1;
    for (std::size_t k = 0; k < letters; ++k) text[at + k] = kLetters[three >> (18 - 6 * k) & 63];
  }
  return text;
}

}  // namespace credo::report
