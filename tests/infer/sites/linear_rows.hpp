// A model with a normal prior of independent values and rows that are functions of linear predictors: row n is f_n(a_nᵀ x).
#pragma once
#include "density/function_density.hpp"
#include "density/model.hpp"
#include "infer/known_posteriors.hpp"

namespace credo::testing {

struct RowValue {
  double log_density, slope;
};
using RowFunction = std::function<RowValue(std::size_t n, double s)>;

struct LinearRowsSpec {
  std::vector<double> prior_mean, prior_sd;
  std::vector<std::vector<double>> predictors;  // a_n
  RowFunction row;
  // Planted: rows that also depend on the square of the first value; a prior in which the squares of two values meet.
  double bend = 0.0, quartic = 0.0;
  // A factor of the prior of the last value; in its place where prior_sd is infinite.
  std::function<RowValue(double x)> last_prior = nullptr;
};

class LinearRows final : public density::Model, public density::Queries {
 public:
  explicit LinearRows(LinearRowsSpec spec, density::Query query = {})
      : spec_(std::move(spec)), query_(std::move(query)) {}

  Index dimension() const override { return ssize(spec_.prior_mean); }
  bool has_gradient() const override { return true; }
  Index num_rows() const override {
    return query_.batch > 0 ? query_.batch : ssize(spec_.predictors);
  }
  std::string describe(const density::Status&) const override { return "refused"; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(*this);
  }
  density::Offered<density::Queries> queries() const override { return *this; }
  density::Query query() const override { return query_; }
  density::Capability can(const density::Query&, std::span<const double>) const override {
    return {};
  }
  std::unique_ptr<density::Model> asking(const density::Query& query) const override {
    return std::make_unique<LinearRows>(spec_, query);
  }
  const std::string& name() const override { return name_; }
  const density::Layout& outputs() const override { return layout_; }
  const density::Layout& continuous() const override { return layout_; }

 private:
  class Evaluating final : public density::Evaluator {
   public:
    explicit Evaluating(const LinearRows& model) : model_(model) {}
    void evaluate(density::Want want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch)
        want == density::Want::pointwise ? each(*request) : whole(*request);
    }

   private:
    const LinearRowsSpec& spec() const { return model_.spec_; }
    double add_row(std::size_t n, std::span<const double> x, std::span<double> gradient) const {
      double s = spec().bend * x[0] * x[0];
      for (std::size_t d = 0; d < x.size(); ++d) s += spec().predictors[n][d] * x[d];
      const RowValue at = spec().row(n, s);
      for (std::size_t d = 0; d < gradient.size(); ++d)
        gradient[d] +=
            at.slope * (spec().predictors[n][d] + (d == 0 ? 2.0 * spec().bend * x[0] : 0.0));
      return at.log_density;
    }
    void each(density::Request& request) const {
      for (std::size_t n = 0; n < spec().predictors.size(); ++n)
        request.pointwise[n] = add_row(n, request.position, {});
    }
    double add_prior(std::span<const double> x, std::span<double> gradient) const {
      double sum = -spec().quartic * std::pow(x[0] * x.back(), 2);
      if (!gradient.empty()) {
        gradient[0] -= 2.0 * spec().quartic * x[0] * std::pow(x.back(), 2);
        gradient.back() -= 2.0 * spec().quartic * x.back() * std::pow(x[0], 2);
      }
      if (spec().last_prior != nullptr) {
        const RowValue at = spec().last_prior(x.back());
        sum += at.log_density;
        if (!gradient.empty()) gradient.back() += at.slope;
      }
      for (std::size_t d = 0; d < x.size(); ++d) {
        const double mean = spec().prior_mean[d], sd = spec().prior_sd[d];
        if (!std::isfinite(sd)) continue;  // flat
        sum += normal_log_density(x[d], mean, sd);
        if (!gradient.empty()) gradient[d] -= (x[d] - mean) / (sd * sd);
      }
      return sum;
    }
    void whole(density::Request& request) const {
      const density::Query& query = model_.query_;
      std::fill(request.gradient.begin(), request.gradient.end(), 0.0);
      double sum = 0.0;
      if (query.terms != density::Terms::likelihood)
        sum += add_prior(request.position, request.gradient);
      if (query.batch > 0)
        for (const double row : request.rows)
          sum += add_row(static_cast<std::size_t>(row), request.position, request.gradient);
      else if (query.terms != density::Terms::prior)
        for (std::size_t n = 0; n < spec().predictors.size(); ++n)
          sum += add_row(n, request.position, request.gradient);
      request.log_density = sum;
    }
    const LinearRows& model_;
  };

  LinearRowsSpec spec_;
  density::Query query_;
  std::string name_ = "linear rows";
  density::Layout layout_{
      {{.name = "x", .dims = {dimension()}, .block = density::Block::parameters}}};
};

}  // namespace credo::testing
