#include "infer/ensemble/tempered.hpp"

#include "base/error.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr double kLogRootTwoPi = 0.91893853320467274178;

class NormalReference final : public Reference {
 public:
  NormalReference(std::vector<double> mean, std::vector<double> sd)
      : mean_(std::move(mean)), sd_(std::move(sd)) {}

  double log_density(std::span<const double> position) const override {
    double sum = 0.0;
    for (std::size_t d = 0; d < position.size(); ++d) {
      const double z = (position[d] - mean(d)) / sd(d);
      sum -= 0.5 * z * z + numerics::log(sd(d)) + kLogRootTwoPi;
    }
    return sum;
  }
  void add_gradient(std::span<const double> position, double factor,
                    std::span<double> gradient) const override {
    for (std::size_t d = 0; d < position.size(); ++d)
      gradient[d] -= factor * (position[d] - mean(d)) / (sd(d) * sd(d));
  }
  void draw(Rng& rng, std::span<double> position) const override {
    for (std::size_t d = 0; d < position.size(); ++d) position[d] = mean(d) + sd(d) * rng.normal();
  }

 private:
  // One value stands for all.
  double mean(std::size_t d) const { return mean_[mean_.size() == 1 ? 0 : d]; }
  double sd(std::size_t d) const { return sd_[sd_.size() == 1 ? 0 : d]; }

  std::vector<double> mean_, sd_;
};

class ReferenceDensity final : public density::LogDensity {
 public:
  ReferenceDensity(std::shared_ptr<const Reference> reference, Index dimension)
      : reference_(std::move(reference)), dimension_(dimension) {}
  Index dimension() const override { return dimension_; }
  bool has_gradient() const override { return true; }
  std::string describe(const density::Status&) const override {
    return "the reference has no density there";
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(*reference_);
  }
  density::Capability can_draw() const override { return {}; }
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override {
    return std::make_unique<Drawing>(*this);
  }

 private:
  class Evaluating final : public density::Evaluator {
   public:
    explicit Evaluating(const Reference& reference) : reference_(reference) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch) {
        request->log_density = reference_.log_density(request->position);
        request->status = {.source = std::isfinite(request->log_density) ? 0 : 1};
        std::fill(request->gradient.begin(), request->gradient.end(), 0.0);
        if (!request->gradient.empty())
          reference_.add_gradient(request->position, 1.0, request->gradient);
      }
    }

   private:
    const Reference& reference_;
  };

  class Drawing final : public density::ExactDraws {
   public:
    explicit Drawing(const ReferenceDensity& of) : of_(of) {}
    std::optional<density::Start> next(Rng& rng) override {
      density::Start start{.position =
                               std::vector<double>(static_cast<std::size_t>(of_.dimension_))};
      of_.reference_->draw(rng, start.position);
      start.log_density = of_.reference_->log_density(start.position);
      return start;
    }

   private:
    const ReferenceDensity& of_;
  };

  std::shared_ptr<const Reference> reference_;
  Index dimension_;
};

// A density whose answers are changed: change(request) after each evaluation.
template <class Change>
class Changed final : public density::LogDensity {
 public:
  Changed(const density::LogDensity& density, Change change)
      : density_(density), change_(std::move(change)) {}
  Index dimension() const override { return density_.dimension(); }
  bool has_gradient() const override { return density_.has_gradient(); }
  std::string describe(const density::Status& status) const override {
    return density_.describe(status);
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Changing>(density_.make_evaluator(), change_);
  }

 private:
  class Changing final : public density::Evaluator {
   public:
    Changing(std::unique_ptr<density::Evaluator> inner, const Change& change)
        : inner_(std::move(inner)), change_(change) {}
    void evaluate(density::Want want, std::span<density::Request* const> batch) override {
      inner_->evaluate(want, batch);
      for (density::Request* request : batch)
        if (request->status.ok()) change_(*request);
    }

   private:
    std::unique_ptr<density::Evaluator> inner_;
    const Change& change_;
  };

  const density::LogDensity& density_;
  Change change_;
};

template <class Change>
std::unique_ptr<density::LogDensity> changed(const density::LogDensity& density, Change change) {
  return std::make_unique<Changed<Change>>(density, std::move(change));
}

void check_sd(std::span<const double> sd) {
  for (const double value : sd)
    if (!(value > 0.0) || !std::isfinite(value))
      throw Error(ErrorCode::usage,
                  "a reference's standard deviation must be > 0, is " + std::to_string(value),
                  "reference");
}
}  // namespace

std::shared_ptr<const Reference> normal_reference(double sd) {
  return normal_reference(std::vector<double>{0.0}, std::vector<double>{sd});
}

std::shared_ptr<const Reference> normal_reference(std::vector<double> mean,
                                                  std::vector<double> sd) {
  check_sd(sd);
  return std::make_shared<NormalReference>(std::move(mean), std::move(sd));
}

std::unique_ptr<density::LogDensity> reference_density(std::shared_ptr<const Reference> reference,
                                                       Index dimension) {
  return std::make_unique<ReferenceDensity>(std::move(reference), dimension);
}

std::unique_ptr<density::LogDensity> tempered(const density::LogDensity& density,
                                              double temperature) {
  require_continuous(density, "tempering");
  if (!(temperature > 0.0))
    throw Error(ErrorCode::usage, "a temperature must be > 0, is " + std::to_string(temperature),
                "tempered");
  return changed(density, [power = 1.0 / temperature](density::Request& request) {
    request.log_density *= power;
    for (double& g : request.gradient) g *= power;
  });
}

std::unique_ptr<density::LogDensity> on_path(const density::LogDensity& density,
                                             std::shared_ptr<const Reference> reference,
                                             double inverse_temperature) {
  require_continuous(density, "tempering");
  return changed(
      density, [reference = std::move(reference), inverse_temperature](density::Request& request) {
        temper(*reference, inverse_temperature, request);
      });
}

void temper(const Reference& reference, double inverse_temperature, density::Request& request) {
  if (request.log_density == -kInfinity) return;
  const double rest = 1.0 - inverse_temperature;
  request.log_density =
      inverse_temperature * request.log_density + rest * reference.log_density(request.position);
  for (double& g : request.gradient) g *= inverse_temperature;
  if (!request.gradient.empty()) reference.add_gradient(request.position, rest, request.gradient);
}

}  // namespace credo::infer
