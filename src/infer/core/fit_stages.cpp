#include "infer/core/fit_stages.hpp"

namespace credo::infer {

// The stages of one fit.
class FitStages {
 public:
  explicit FitStages(FitKeeper& keeper) : keeper_(keeper) {}

  void end() { is_over_ = true; }

  // Number of a stage that begins; nothing within another one, or after the fit.
  std::optional<Index> open() {
    if (is_over_ || is_open_) return std::nullopt;
    if (num_begun_ == 0) begin();
    is_open_ = true;
    return num_begun_++;
  }
  void close() { is_open_ = false; }

  bool has_end(Index number) const { return std::ranges::find(ended_, number) != ended_.end(); }
  const std::string* kept(Index number) const {
    const auto place = std::ranges::find(ended_, number);
    if (place != ended_.end()) return &ends_[static_cast<std::size_t>(place - ended_.begin())];
    return number == current_ ? &state_ : nullptr;
  }
  bool is_due() { return keeper_.is_fit_due(); }
  void keep(Index number, std::string state) {
    current_ = number;
    state_ = std::move(state);
    keeper_.keep_fit(archived(*this));
  }
  void keep_end(Index number, std::string state) {
    ended_.push_back(number);
    ends_.push_back(std::move(state));
    if (number == current_) current_ = kNone, state_.clear();
    if (is_due()) keeper_.keep_fit(archived(*this));
  }

  static void saved(auto& self, auto&& field) {
    field(self.ended_);
    field(self.ends_);
    field(self.current_);
    field(self.state_);
  }

 private:
  static constexpr Index kNone = -1;
  void begin() {
    keeper_.begin_fit();
    if (const std::string state = keeper_.kept_fit(); !state.empty())
      ArchiveReader(state, "the state of a fit")(*this).finish();
  }

  FitKeeper& keeper_;
  bool is_over_ = false, is_open_ = false;
  Index num_begun_ = 0;
  // Stages that failed are in neither: they are made again, and fail again.
  std::vector<Index> ended_;
  std::vector<std::string> ends_;  // their ends
  Index current_ = kNone;          // the stage that `state_` is of
  std::string state_;
};

namespace {
constinit thread_local FitStages* present = nullptr;
}

FitScope::FitScope(FitKeeper* keeper)
    : own_(keeper != nullptr ? std::make_unique<FitStages>(*keeper) : nullptr),
      before_(std::exchange(present, own_.get())) {}

FitScope::~FitScope() { present = before_; }

void end_fit() {
  if (present != nullptr) present->end();
}

FitStage::FitStage(bool is_kept) : stages_(is_kept ? present : nullptr) {
  const std::optional<Index> number = stages_ != nullptr ? stages_->open() : std::nullopt;
  if (!number) {
    stages_ = nullptr;
    return;
  }
  number_ = *number;
  has_ended_ = stages_->has_end(number_);
}

FitStage::~FitStage() {
  if (stages_ != nullptr) stages_->close();
}

const std::string* FitStage::find_kept() {
  return stages_ != nullptr ? stages_->kept(number_) : nullptr;
}

bool FitStage::is_due() const { return stages_ != nullptr && stages_->is_due(); }
void FitStage::keep(std::string state) { stages_->keep(number_, std::move(state)); }
void FitStage::keep_end(std::string state) { stages_->keep_end(number_, std::move(state)); }

}  // namespace credo::infer
