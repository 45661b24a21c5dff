// All that a run hands to its sink, as bits, and what each of its chains needs to go on.
#pragma once
#include <bit>

#include "infer/core/sample.hpp"

namespace credo::testing {

class Tape final : public infer::DrawSink {
 public:
  using Bits = std::vector<std::uint64_t>;

  // Keeps the states that chains have after so many steps; -1: none.
  Tape(Index num_steps, Index num_chains)
      : states(static_cast<std::size_t>(num_chains)), num_steps_(num_steps) {}

  void begin(const Sizes& sizes) override {
    num_walkers_ = static_cast<std::size_t>(sizes.num_chains) / states.size();
    told.resize(states.size() * (num_walkers_ + 1));
    num_told_before_.resize(told.size());
  }
  void draw(const infer::DrawRecord& record) override {
    Bits& bits = told[static_cast<std::size_t>(record.chain)];
    bits.push_back(static_cast<std::uint64_t>(record.iteration));
    append(record.position, bits);
    append(record.info, bits);
  }
  void row(const infer::RowRecord& record) override {
    Bits& bits = told[rows_of(static_cast<std::size_t>(record.chain))];
    bits.push_back(static_cast<std::uint64_t>(record.group));
    append(record.values, bits);
  }
  bool wants_state(Index, Index num_steps, bool) override { return num_steps == num_steps_; }
  void state(const infer::StateRecord& record) override {
    const auto chain = static_cast<std::size_t>(record.chain);
    states[chain] = record.bytes;
    for (std::size_t w = 0; w < num_walkers_; ++w) note_size(chain * num_walkers_ + w);
    note_size(rows_of(chain));
  }

  // What a run that goes on from the states has to tell; all of it where a chain had ended before.
  std::vector<Bits> told_later() const {
    std::vector<Bits> later;
    for (std::size_t k = 0; k < told.size(); ++k)
      later.emplace_back(told[k].begin() + num_told_before_[k], told[k].end());
    return later;
  }

  std::vector<Bits> told;  // by each chain of draws, then the rows by each chain of the run
  std::vector<std::string> states;

 private:
  static void append(std::span<const double> values, Bits& bits) {
    for (const double x : values) bits.push_back(std::bit_cast<std::uint64_t>(x));
  }
  std::size_t rows_of(std::size_t chain) const { return states.size() * num_walkers_ + chain; }
  void note_size(std::size_t k) { num_told_before_[k] = ssize(told[k]); }

  Index num_steps_;
  std::size_t num_walkers_ = 1;
  std::vector<std::ptrdiff_t> num_told_before_;
};

}  // namespace credo::testing
