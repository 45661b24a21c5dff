#include "infer/jumps/jump.hpp"

#include <fmt/format.h>

#include "numerics/elementary.hpp"

namespace credo::infer::rj {
namespace {
constexpr double kHalfLog2Pi = 0.91893853320467274178;
constexpr double kLeadsBack = 1e-6;  // relative to the largest number that takes part, at least 1

class NormalAuxiliary final : public AuxiliaryDistribution {
 public:
  NormalAuxiliary(Index size, double mean, double sd)
      : size_(size), mean_(mean), sd_(sd), log_norm_(-kHalfLog2Pi - numerics::log(sd)) {}
  Index size() const override { return size_; }
  void draw(std::span<const double>, const Label&, std::span<double> u, Rng& rng) const override {
    for (double& value : u) value = mean_ + sd_ * rng.normal();
  }
  double log_density(std::span<const double>, const Label&,
                     std::span<const double> u) const override {
    double sum = 0.0;
    for (const double value : u) {
      const double z = (value - mean_) / sd_;
      sum += log_norm_ - 0.5 * z * z;
    }
    return sum;
  }

 private:
  Index size_;
  double mean_, sd_, log_norm_;
};

Index size_of(const std::shared_ptr<const AuxiliaryDistribution>& distribution) {
  return distribution ? distribution->size() : 0;
}

[[noreturn]] void refuse(const Jump& jump, const std::string& message, const std::string& hint) {
  throw Error(ErrorCode::usage, message,
              fmt::format("jump {} / {} of models {} and {}", jump.name, jump.back_name, jump.from,
                          jump.to),
              hint);
}

bool is_probability(double p) { return p >= 0.0 && p <= 1.0; }

void check_jump(const Family& family, const Jump& jump) {
  const auto exists = [&](Index m) { return m >= 0 && m < family.num_models(); };
  if (!exists(jump.from) || !exists(jump.to))
    refuse(jump, fmt::format("models are numbered 0 to {}", family.num_models() - 1), "");
  const double there = jump.there.probability, back = jump.back.probability;
  if (!is_probability(there) || !is_probability(back) || (there > 0.0) != (back > 0.0))
    refuse(jump,
           fmt::format("probabilities {} and {} must be in [0, 1], both 0 or none", there, back),
           "a jump needs its way back");
  if (!jump.map) refuse(jump, "there is no map", "identity_map is the simplest");
  if (jump.places) return;
  const Index in = family.dimension_of(jump.from) + size_of(jump.there.auxiliary),
              out = family.dimension_of(jump.to) + size_of(jump.back.auxiliary),
              size = jump.map->size();
  if (in != size || out != size)
    refuse(jump,
           fmt::format("the map is of {} numbers, coordinates and auxiliaries are {} before and {} "
                       "after",
                       size, in, out),
           "they must be equal: add auxiliaries to the smaller side");
}
}  // namespace

std::shared_ptr<const AuxiliaryDistribution> normal_auxiliary(Index size, double mean, double sd) {
  if (!(sd > 0.0) || !std::isfinite(sd) || !std::isfinite(mean))
    throw Error(ErrorCode::usage,
                fmt::format("mean {} must be finite and sd {} positive", mean, sd),
                "normal_auxiliary");
  return std::make_shared<NormalAuxiliary>(size, mean, sd);
}

// ---- all jumps of a family ----

Jumps::Jumps(const Family& family, std::vector<Jump> jumps)
    : family_(family),
      jumps_(std::move(jumps)),
      moves_(static_cast<std::size_t>(family.num_models())) {
  for (std::size_t j = 0; j < jumps_.size(); ++j) {
    const Jump& jump = jumps_[j];
    check_jump(family, jump);
    if (jump.there.probability == 0.0) continue;
    moves_[static_cast<std::size_t>(jump.from)].push_back({static_cast<Index>(j), true});
    moves_[static_cast<std::size_t>(jump.to)].push_back({static_cast<Index>(j), false});
  }
  for (Index m = 0; m < family.num_models(); ++m)
    if (update_probability(m) < 0.0)
      throw Error(ErrorCode::usage,
                  fmt::format("probabilities of the moves sum to {}, more than 1",
                              1.0 - update_probability(m)),
                  fmt::format("model '{}'", family.model(m).name));
}

double Jumps::probability(const Move& move) const {
  return move.there ? jump(move.jump).there.probability : jump(move.jump).back.probability;
}

const std::string& Jumps::name(const Move& move) const {
  return move.there ? jump(move.jump).name : jump(move.jump).back_name;
}

// A sum that is 1 up to rounding is 1.
double Jumps::update_probability(Index model) const {
  double sum = 0.0;
  for (const Move& move : moves_of(model)) sum += probability(move);
  return std::fabs(1.0 - sum) < 1e-12 ? 0.0 : 1.0 - sum;
}

void Jumps::check(Index num_points, std::uint64_t seed) const {
  Proposer proposer(*this);
  std::vector<double> from(static_cast<std::size_t>(family_.dimension())), to(from.size());
  for (Index model = 0; model < family_.num_models(); ++model) {
    for (Index i = 0; i < num_points; ++i) {
      Rng rng({.seed = seed,
               .purpose = purpose::kInitialState,
               .chain = static_cast<std::uint32_t>(model),
               .iteration = static_cast<std::uint32_t>(i)});
      for (double& value : from) value = rng.normal();
      from[0] = static_cast<double>(model);
      for (const Move& move : moves_of(model)) {
        const JumpTerms terms = proposer.propose(move, from, to, rng);
        if (terms.irreversible)
          refuse(jump(move.jump),
                 fmt::format("the inverse map doesn't lead '{}' back to where it came from",
                             name(move)),
                 "inverse(forward(x, u)) must be (x, u), and forward(inverse(y)) must be y");
        if (terms.jacobian == -kInfinity || terms.jacobian == kInfinity)
          refuse(jump(move.jump), fmt::format("the map of '{}' is singular", name(move)),
                 "its outputs must move in all directions when its inputs do");
      }
    }
  }
}

// ---- proposals ----

Proposer::Proposer(const Jumps& jumps) : jumps_(jumps) {
  Index largest = 0, most = 0;
  runners_.reserve(static_cast<std::size_t>(jumps.size()));
  for (Index j = 0; j < jumps.size(); ++j) {
    const Jump& jump = jumps.jump(j);
    runners_.emplace_back(*jump.map);
    largest = std::max(largest, jump.map->size());
    most = std::max({most, size_of(jump.there.auxiliary), size_of(jump.back.auxiliary)});
  }
  const auto width = static_cast<std::size_t>(jumps.family().dimension());
  for (std::vector<double>* array : {&in_, &out_, &again_})
    array->reserve(static_cast<std::size_t>(largest) + width);
  for (std::vector<double>* array : {&u_, &v_}) array->reserve(static_cast<std::size_t>(most));
  for (std::vector<Index>* places : {&source_, &target_}) places->reserve(width);
  in_source_.resize(width);
  in_target_.resize(width);
}

std::optional<Move> Proposer::choose(Index model, Rng& rng) const {
  const double u = rng.uniform();
  double sum = 0.0;
  for (const Move& move : jumps_.moves_of(model))
    if (u < (sum += jumps_.probability(move))) return move;
  return std::nullopt;
}

JumpTerms Proposer::propose(const Move& move, std::span<const double> from, std::span<double> to,
                            Rng& rng) {
  const Jump& jump = jumps_.jump(move.jump);
  const Direction& direction = move.there ? jump.there : jump.back;
  const Index source = move.there ? jump.from : jump.to;
  const auto x = from.subspan(1, static_cast<std::size_t>(jumps_.family().dimension_of(source)));
  label_ = direction.label ? direction.label->draw(x, rng) : Label{};
  u_.resize(static_cast<std::size_t>(size_of(direction.auxiliary)));
  if (direction.auxiliary) direction.auxiliary->draw(x, label_, u_, rng);
  return evaluate(move, from, to);
}

JumpTerms Proposer::propose_with(const Move& move, std::span<const double> from,
                                 std::span<double> to, const Label& label,
                                 std::span<const double> u) {
  label_ = label;
  u_.assign(u.begin(), u.end());
  return evaluate(move, from, to);
}

namespace {
double log_of(const Direction& direction, std::span<const double> x, const Label& label) {
  return direction.label ? direction.label->log_probability(x, label) : 0.0;
}
double log_of(const Direction& direction, std::span<const double> x, const Label& label,
              std::span<const double> u) {
  return direction.auxiliary ? direction.auxiliary->log_density(x, label, u) : 0.0;
}
}  // namespace

JumpTerms Proposer::evaluate(const Move& move, std::span<const double> from, std::span<double> to) {
  const Jump& jump = jumps_.jump(move.jump);
  const Family& family = jumps_.family();
  const Direction& go = move.there ? jump.there : jump.back;
  const Direction& back = move.there ? jump.back : jump.there;
  const Index source = move.there ? jump.from : jump.to;
  const Index target = move.there ? jump.to : jump.from;
  const auto x = from.subspan(1, static_cast<std::size_t>(family.dimension_of(source)));
  const auto y = to.subspan(1, static_cast<std::size_t>(family.dimension_of(target)));
  v_.resize(static_cast<std::size_t>(size_of(back.auxiliary)));
  place(move);
  take(x);
  JumpTerms terms{.jacobian = run_map(move)};
  std::fill(to.begin(), to.end(), 0.0);
  to[0] = static_cast<double>(target);
  give(x, y);
  terms.irreversible = !leads_back();
  terms.move = numerics::log(back.probability / go.probability);
  terms.label = log_of(back, y, label_) - log_of(go, x, label_);
  terms.auxiliary = log_of(back, y, label_, v_) - log_of(go, x, label_, u_);
  return terms;
}

void Proposer::place(const Move& move) {
  const Jump& jump = jumps_.jump(move.jump);
  source_.clear();
  target_.clear();
  std::vector<Index>& from = move.there ? source_ : target_;
  std::vector<Index>& to = move.there ? target_ : source_;
  if (jump.places) {
    jump.places->of_label(label_, from, to);
    return check_sizes(move);
  }
  for (Index d = 0; d < jumps_.family().dimension_of(jump.from); ++d) from.push_back(d);
  for (Index d = 0; d < jumps_.family().dimension_of(jump.to); ++d) to.push_back(d);
}

void Proposer::check_sizes(const Move& move) const {
  const Jump& jump = jumps_.jump(move.jump);
  const Index source = jumps_.family().dimension_of(move.there ? jump.from : jump.to),
              target = jumps_.family().dimension_of(move.there ? jump.to : jump.from);
  const Index size = jump.map->size(), in = ssize(source_) + ssize(u_),
              out = ssize(target_) + ssize(v_);
  if (in != size || out != size || source - ssize(source_) != target - ssize(target_))
    refuse(jump,
           fmt::format("'{}' touches {} of {} coordinates with {} auxiliaries and gives {} of {} "
                       "with {}; its map is of {} numbers",
                       jumps_.name(move), source_.size(), source, u_.size(), target_.size(), target,
                       v_.size(), size),
           "touched coordinates and auxiliaries must be as many as the map's numbers on both "
           "sides, untouched coordinates as many before as after");
}

void Proposer::take(std::span<const double> x) {
  in_.clear();
  for (const Index place : source_) in_.push_back(x[static_cast<std::size_t>(place)]);
  in_.insert(in_.end(), u_.begin(), u_.end());
}

double Proposer::run_map(const Move& move) {
  MapRunner& runner = runners_[static_cast<std::size_t>(move.jump)];
  out_.resize(in_.size());
  again_.resize(in_.size());
  if (move.there) {
    const double log_det = runner.forward(in_, out_);
    runner.inverse(out_, again_);
    return log_det;
  }
  runner.inverse(in_, out_);
  return -runner.forward(out_, again_);
}

void Proposer::give(std::span<const double> x, std::span<double> y) {
  std::fill(in_source_.begin(), in_source_.end(), false);
  std::fill(in_target_.begin(), in_target_.end(), false);
  for (const Index place : source_) in_source_[static_cast<std::size_t>(place)] = true;
  for (std::size_t i = 0; i < target_.size(); ++i) {
    y[static_cast<std::size_t>(target_[i])] = out_[i];
    in_target_[static_cast<std::size_t>(target_[i])] = true;
  }
  std::size_t next = 0;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (in_source_[d]) continue;
    while (in_target_[next]) ++next;
    y[next++] = x[d];
  }
  std::copy(out_.begin() + ssize(target_), out_.end(), v_.begin());
}

bool Proposer::leads_back() const {
  double largest = 1.0, off = 0.0;
  for (std::size_t i = 0; i < in_.size(); ++i) {
    if (!std::isfinite(out_[i])) return true;  // outside of the map's domain: refused as such
    largest = std::max({largest, std::fabs(in_[i]), std::fabs(out_[i])});
    off = std::isfinite(again_[i]) ? std::max(off, std::fabs(again_[i] - in_[i])) : kInfinity;
  }
  return off <= kLeadsBack * largest;
}

}  // namespace credo::infer::rj
