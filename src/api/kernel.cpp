// The kernel of a program runs as a kernel of the library's: the step of the one resumes the step of
// the other, asks what that asks, and hands the answer back.
#include "api/kernel.hpp"

#include <fmt/format.h>

#include "base/rng.hpp"
#include "base/stop.hpp"
#include "infer/compose/part.hpp"
#include "infer/mcmc/walk/metropolis.hpp"
#include "infer/mcmc/walk/proposals.hpp"

namespace credo {

// ---- what a step is given

double Random::uniform() { return rng_.uniform(); }
double Random::uniform(double lo, double hi) { return rng_.uniform(lo, hi); }
double Random::normal() { return rng_.normal(); }
double Random::exponential() { return rng_.exponential(); }
Index Random::index_below(Index n) {
  if (n < 1)
    throw Error(ErrorCode::usage, fmt::format("index_below needs a number >= 1, is given {}", n));
  return rng_.index_below(n);
}

void Point::move_to(const Answer& answer) {
  if (!std::isfinite(answer.log_density))
    throw Error(ErrorCode::usage, fmt::format("it moves to log density {}", answer.log_density),
                "move_to", "stay where a point is refused: its log density is -infinity");
  if (answer.position.size() != position_.size())
    throw Error(
        ErrorCode::usage,
        fmt::format("it moves to {} values of {}", answer.position.size(), position_.size()),
        "move_to", "give what co_await evaluate(...) returned");
  if (answer.gradient.size() < gradient_.size())
    throw Error(ErrorCode::usage, "it moves to a point without a gradient, and needs one",
                "move_to", "ask with co_await evaluate(position, gradient)");
  std::copy(answer.position.begin(), answer.position.end(), position_.begin());
  std::copy_n(answer.gradient.begin(), gradient_.size(), gradient_.begin());
  log_density_ = answer.log_density;
}

namespace {
// Calls the program's code; what that throws is nested in an error that says who threw.
template <class F>
auto guarded(const std::string& who, const char* what, F f) {
  try {
    return f();
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& failure) {
    std::throw_with_nested(
        Error(ErrorCode::evaluation, fmt::format("{} threw: {}", what, failure.what()), who));
  } catch (...) {
    std::throw_with_nested(Error(ErrorCode::evaluation,
                                 fmt::format("{} threw what isn't a std::exception", what), who));
  }
}

// ---- a kernel

// Every call of a kernel's functions.
struct Guest {
  std::string title;  // "kernel 'walk'"
  std::shared_ptr<Kernel> kernel;

  template <class F>
  auto call(const char* what, F f) const {
    return guarded(title, what, [&] { return f(*kernel); });
  }

  // Saved like the state of a run: infer/compose/part.hpp saves it as the settings of a kernel.
  void save(ArchiveWriter& to) const {
    to(call("save", [](Kernel& k) { return k.save(); }));
  }
  void load(ArchiveReader& from) {
    std::vector<double> saved;
    from(saved);
    call("load", [&](Kernel& k) { k.load(saved); });
  }
};

bool is_word(const std::string& name) {
  const auto fits = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

void report_settings(const Guest& guest, infer::ChainResult& result) {
  for (Setting& setting : guest.call("settings", [](Kernel& k) { return k.settings(); })) {
    if (!is_word(setting.name))
      throw Error(ErrorCode::usage, fmt::format("a setting is called '{}'", setting.name),
                  guest.title, "take letters, digits and underscores");
    result.tuned.push_back({std::move(setting.name), std::move(setting.values)});
  }
}

template <bool kGradient>
class Host final : public infer::PooledKernel {
 public:
  using Options = Guest;
  using State = infer::PointState;
  struct Info {
    double accept_stat = kNaN;
    bool divergent = false;
  };
  static constexpr bool kNeedsGradient = kGradient;

  Host(const Guest& guest, Index dimension) : settings(guest), dimension_(dimension) {}

  infer::Step<Info> step(infer::PointState& current, Rng& rng) {
    Point at(current.position, current.log_density, current.gradient);
    Random random(rng);
    Step own = settings.call("step", [&](Kernel& k) { return k.step(at, random); });
    while (Question* question = settings.call("step", [&](Kernel&) { return own.resume(); })) {
      check(*question);
      const infer::Evaluation there =
          co_await infer::evaluate(question->position, question->gradient);
      question->log_density = there.log_density;
    }
    co_return checked(own.made());
  }

  void learn(infer::PointState& state, const Info& info) {
    const Point at(state.position, state.log_density, state.gradient);
    const Transition made{.accept_prob = info.accept_stat, .divergent = info.divergent};
    settings.call("learn", [&](Kernel& k) { k.learn(at, made); });
  }

  Guest settings;

 private:
  [[noreturn]] void refuse(const std::string& message, const char* hint) const {
    throw Error(ErrorCode::evaluation, message, settings.title, hint);
  }

  void check(const Question& question) const {
    if (ssize(question.position) != dimension_)
      refuse(
          fmt::format("it asks at {} values, and moves {}", question.position.size(), dimension_),
          "ask at as many values as its maker received");
    if (question.gradient.empty()) return;
    if (!kGradient)
      refuse("it asks for a gradient, and doesn't say that it needs one",
             "override needs_gradient to return true");
    if (ssize(question.gradient) != dimension_)
      refuse(
          fmt::format("it has room for {} derivatives of {}", question.gradient.size(), dimension_),
          "give as many as values");
  }

  Info checked(const Transition& made) const {
    if (made.accept_prob < 0.0 || made.accept_prob > 1.0)
      refuse(fmt::format("accept_prob must be in [0, 1], or NaN without a decision, is {}",
                         made.accept_prob),
             "cut it: std::min(1.0, ratio)");
    return {.accept_stat = made.accept_prob, .divergent = made.divergent};
  }

  Index dimension_;
};

class Warmup {
 public:
  Warmup(const infer::SampleOptions&, const auto&) {}
  bool learn(Index, const auto& info, infer::PointState& state, auto& host) {
    host.learn(state, info);
    return false;
  }
  void finish(auto& host) const {
    host.settings.call("finish_warmup", [](Kernel& k) { k.finish_warmup(); });
  }
  static void saved(auto&, auto&&) {}
};

Guest invited(const std::string& title, const KernelMaker& make, const infer::PartSetup& setup) {
  const Index dimension = setup.coordinates.empty() ? setup.dimension : ssize(setup.coordinates);
  Guest guest{title, guarded(title, "its maker", [&] { return make(dimension); })};
  if (guest.kernel == nullptr)
    throw Error(ErrorCode::usage, "its maker made none", title,
                "return std::make_unique<...>(dimension)");
  return guest;
}

// ---- a proposal

class OwnProposal final : public infer::Proposal {
 public:
  explicit OwnProposal(credo::Proposal proposal) : proposal_(std::move(proposal)) {}

  void draw(std::span<const double> from, std::span<double> to, Rng& rng) const override {
    Random random(rng);
    guarded("proposal", "draw", [&] { proposal_.draw(from, to, random); });
    const auto bad = std::find_if(to.begin(), to.end(), [](double x) { return !std::isfinite(x); });
    if (bad != to.end())
      throw Error(
          ErrorCode::evaluation,
          fmt::format("value {} that it draws must be finite, is {}", bad - to.begin(), *bad),
          "proposal", "fill all of `to` with numbers");
  }

  double log_ratio(std::span<const double> from, std::span<const double> to) const override {
    const double ratio =
        guarded("proposal", "log_ratio", [&] { return proposal_.log_ratio(from, to); });
    if (std::isnan(ratio) || ratio == kInfinity)
      throw Error(ErrorCode::evaluation,
                  fmt::format("log_ratio must be a number below infinity, is {}", ratio),
                  "proposal", "return log q(from | to) - log q(to | from), which draw can reach");
    return ratio;
  }

 private:
  credo::Proposal proposal_;
};
}  // namespace

infer::KernelMaker own_kernel(const std::string& name, KernelMaker make) {
  using Unique = std::unique_ptr<infer::TransitionKernel>;
  return [title = "kernel '" + name + "'",
          make = std::move(make)](const infer::PartSetup& setup) -> Unique {
    const Guest guest = invited(title, make, setup);
    if (!guest.call("needs_gradient", [](Kernel& k) { return k.needs_gradient(); }))
      return std::make_unique<infer::Part<Host<false>, Warmup>>(guest, setup);
    if (!setup.has_gradient)
      throw Error(ErrorCode::usage, "it needs a gradient, and the log density has none", title,
                  "write the gradient, or take a kernel without");
    return std::make_unique<infer::Part<Host<true>, Warmup>>(guest, setup);
  };
}

// ---- proposals of the library

namespace {
// A copy of the proposal shares its contents, which never change.
Proposal as_own(std::shared_ptr<const infer::Proposal> inner, Index least, Index most) {
  const auto require = [=](Index size) {
    if (size < least || size > most)
      throw Error(ErrorCode::usage,
                  fmt::format("it is made for {} values, is given {}", least, size), {},
                  "put it on parameters of so many: credo::on");
  };
  return {.draw =
              [=](std::span<const double> from, std::span<double> to, Random& random) {
                require(ssize(from));
                inner->draw(from, to, random.rng());
              },
          .log_ratio = [inner](std::span<const double> from,
                               std::span<const double> to) { return inner->log_ratio(from, to); }};
}
}  // namespace

Proposal predicted(std::vector<Prediction> predictions) {
  std::vector<infer::Prediction> own;
  for (Prediction& p : predictions)
    own.push_back({.weight = p.weight, .mean = std::move(p.mean), .sd = std::move(p.sd)});
  std::vector<Index> all(own.empty() ? 0 : own.front().mean.size());
  std::iota(all.begin(), all.end(), Index{0});
  const Index size = ssize(all);
  return as_own(infer::predicted_block(std::move(all), std::move(own)), size, size);
}

Proposal regenerated(Generator generator) {
  if (generator.regenerate == nullptr || generator.log_prior == nullptr || generator.first < 0)
    throw Error(ErrorCode::usage,
                "a generator has a first value from 0, and both regenerate and log_prior",
                "regenerated");
  const Index size = generator.first + generator.count;
  const auto regenerate = [own = std::move(generator.regenerate)](
                              std::span<double> position, Index begin, Index end, Rng& rng) {
    Random random(rng);
    own(position, begin, end, random);
  };
  return as_own(infer::regenerated_window({.first = generator.first,
                                           .count = generator.count,
                                           .window = generator.window,
                                           .regenerate = regenerate,
                                           .log_prior = std::move(generator.log_prior)}),
                size, std::numeric_limits<Index>::max());
}

// Each chain has a copy.
infer::KernelMaker own_metropolis(Proposal proposal) {
  return [proposal = std::move(proposal)](const infer::PartSetup& setup) {
    return infer::metropolis(std::make_shared<OwnProposal>(proposal))(setup);
  };
}

}  // namespace credo
