// A kernel and its adaptation as a part of a composition.
//
// The kernel runs on a density of its own coordinates: its request is put into its place in
// the whole point, evaluated there, and the answer taken back.
#pragma once
#include "infer/core/transition_kernel.hpp"

namespace credo::infer {

template <class Kernel, class Adaptation>
class Part final : public TransitionKernel {
 public:
  Part(const typename Kernel::Options& options, const PartSetup& setup)
      : coordinates_(coordinates_of(setup)),
        kernel_(options, ssize(coordinates_)),
        adaptation_(planned(setup), kernel_) {
    static_cast<PointState&>(state_) = make_point(ssize(coordinates_), Kernel::kNeedsGradient);
    whole_ = make_point(setup.dimension, Kernel::kNeedsGradient);
    seen_.assign(whole_.position.size(), kNaN);
  }

  Step<PartInfo> step(PointState& state, Rng& rng) override {
    PartInfo info;
    info.num_evaluations += co_await take(state, rng);
    Step<typename Kernel::Info> inner = kernel_.step(state_, rng);
    for (inner.resume(); !inner.done(); inner.resume(), ++info.num_evaluations) {
      Evaluate& question = *inner.pending();
      place(question.request.position);
      answer(question, co_await ask(question.want));
    }
    info_ = inner.result();
    give(state);
    note(info);
    moved_ = true;
    co_return info;
  }

  Step<Nothing> search(PointState& state, Rng& rng) override {
    if constexpr (requires { adaptation_.search(kernel_, state_, rng); }) {
      co_await take(state, rng);
      Step<Nothing> inner = adaptation_.search(kernel_, state_, rng);
      for (inner.resume(); !inner.done(); inner.resume()) {
        Evaluate& question = *inner.pending();
        place(question.request.position);
        answer(question, co_await ask(question.want));
      }
      give(state);
    }
    co_return Nothing{};
  }

  bool learn() override {
    if (!std::exchange(moved_, false)) return false;
    return adaptation_.learn(num_learned_++, info_, state_, kernel_);
  }
  void finish() override { adaptation_.finish(kernel_); }
  void forget() override { std::fill(seen_.begin(), seen_.end(), kNaN); }
  void report_tuned(ChainResult& result) const override {
    ChainResult own;
    report_settings(kernel_.settings, own);
    if (own.step_size > 0.0) result.tuned.push_back({"step_size", {own.step_size}});
    std::move(own.tuned.begin(), own.tuned.end(), std::back_inserter(result.tuned));
  }
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.state_);
    field(self.kernel_.settings);
    if constexpr (Saved<Kernel>) field(self.kernel_);
    field(self.adaptation_);
    field(self.seen_);
    field(self.num_learned_);
    field(self.moved_);
    field(self.begun_);
  }
  static std::vector<Index> coordinates_of(const PartSetup& setup) {
    std::vector<Index> all(setup.coordinates.begin(), setup.coordinates.end());
    if (!all.empty()) return all;
    all.resize(static_cast<std::size_t>(setup.dimension));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  // The run as this part will see it.
  static SampleOptions planned(const PartSetup& setup) {
    SampleOptions run;
    run.adapt = setup.run.adapt;
    run.num_warmup =
        static_cast<Index>(setup.share * static_cast<double>(setup.run.num_warmup) + 0.5);
    return run;
  }

  // The whole point becomes the kernel's; returns the number of evaluations that took.
  Step<Index> take(PointState& state, Rng& rng) {
    const bool is_new = state.position != seen_;
    whole_.position = state.position;
    for (std::size_t d = 0; d < coordinates_.size(); ++d)
      state_.position[d] = state.position[static_cast<std::size_t>(coordinates_[d])];
    state_.log_density = state.log_density;
    if constexpr (requires { kernel_.init(state_, rng); }) {
      if (!begun_) kernel_.init(state_, rng);
    }
    begun_ = true;
    if (!Kernel::kNeedsGradient || !is_new) co_return 0;
    co_await ask(density::Want::gradient);
    gather(state_.gradient);
    co_return 1;
  }

  // The kernel's point becomes the whole one.
  void give(PointState& state) {
    for (std::size_t d = 0; d < coordinates_.size(); ++d)
      state.position[static_cast<std::size_t>(coordinates_[d])] = state_.position[d];
    state.log_density = state_.log_density;
    seen_ = state.position;
  }

  void place(std::span<const double> position) {
    for (std::size_t d = 0; d < coordinates_.size(); ++d)
      whole_.position[static_cast<std::size_t>(coordinates_[d])] = position[d];
  }
  Evaluate ask(density::Want want) {
    return want == density::Want::value ? evaluate(whole_.position)
                                        : evaluate(whole_.position, whole_.gradient);
  }
  void answer(Evaluate& question, const Evaluation& at) {
    question.request.log_density = at.log_density;
    question.request.status = at.status;
    gather(question.request.gradient);
  }
  void gather(std::span<double> gradient) const {
    for (std::size_t d = 0; d < gradient.size(); ++d)
      gradient[d] = whole_.gradient[static_cast<std::size_t>(coordinates_[d])];
  }

  void note(PartInfo& info) const {
    if constexpr (requires { info_.accept_stat; })
      if (!std::isnan(info_.accept_stat))  // a kernel of others may have none
        info.accept_sum = info_.accept_stat, info.num_decisions = 1;
    if constexpr (requires { info_.divergent; }) info.num_divergent = info_.divergent ? 1 : 0;
  }

  std::vector<Index> coordinates_;
  Kernel kernel_;
  Adaptation adaptation_;
  typename Kernel::State state_;
  typename Kernel::Info info_;
  PointState whole_;          // with the kernel's coordinates where it asks
  std::vector<double> seen_;  // the whole point when the kernel last had its gradient
  Index num_learned_ = 0;
  bool moved_ = false, begun_ = false;
};

}  // namespace credo::infer
