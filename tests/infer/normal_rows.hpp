// A normal mean with known posteriors after each row: x ~ N(0, 1), y_i ~ N(x, 1), as a model whose rows can be left out.
#pragma once
#include "density/function_density.hpp"
#include "density/model.hpp"
#include "infer/ensemble/tempered.hpp"
#include "infer/known_posteriors.hpp"

namespace credo::testing {

class NormalRows final : public density::Model, public density::Queries {
 public:
  // Planted faults of the density of the first rows, or of the rows.
  enum class Fault { none, row_too_many, no_prior, other_rows, unweighted };

  explicit NormalRows(std::vector<double> y, Fault fault = Fault::none, density::Query query = {})
      : y_(std::move(y)), fault_(fault), query_(std::move(query)) {}

  Index dimension() const override { return 1; }
  bool has_gradient() const override { return true; }
  Index num_rows() const override {
    if (query_.batch > 0) return query_.batch;
    return query_.without.empty() ? ssize(y_) : 0;
  }
  std::string describe(const density::Status&) const override { return "refused"; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(*this);
  }
  std::unique_ptr<density::LogDensity> prior() const override {
    return infer::reference_density(infer::normal_reference(1.0), 1);
  }
  density::Offered<density::Queries> queries() const override { return *this; }
  density::Query query() const override { return query_; }
  density::Capability can(const density::Query&, std::span<const double>) const override {
    return {};
  }
  std::unique_ptr<density::Model> asking(const density::Query& query) const override {
    return std::make_unique<NormalRows>(y_, fault_, query);
  }

  const std::string& name() const override { return name_; }
  const density::Layout& outputs() const override { return layout_; }
  const density::Layout& continuous() const override { return layout_; }

  // log p(y_{n+1} | y_1, ..., y_n) = log N(y; n mean / (n + 1), 1 + 1 / (n + 1)), n from 0.
  double log_predictive(std::size_t n) const {
    const double sum =
        std::accumulate(y_.begin(), y_.begin() + static_cast<std::ptrdiff_t>(n), 0.0);
    const double k = static_cast<double>(n) + 1.0;
    return normal_log_density(y_[n], sum / k, std::sqrt(1.0 + 1.0 / k));
  }
  double log_evidence() const {
    double sum = 0.0;
    for (std::size_t n = 0; n < y_.size(); ++n) sum += log_predictive(n);
    return sum;
  }

 private:
  class Evaluating final : public density::Evaluator {
   public:
    explicit Evaluating(const NormalRows& model) : model_(model) {}
    void evaluate(density::Want want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch)
        want == density::Want::pointwise ? rows(*request)
        : model_.query_.batch > 0        ? some_rows_of(*request)
                                         : whole(*request);
    }

   private:
    void rows(density::Request& request) const {
      for (std::size_t i = 0; i < model_.y_.size(); ++i)
        request.pointwise[i] = (model_.fault_ == Fault::other_rows ? 0.9 : 1.0) *
                               normal_log_density(model_.y_[i], request.position[0], 1.0);
    }
    void some_rows_of(density::Request& request) const {
      const double x = request.position[0];
      const double weight = model_.fault_ == Fault::unweighted ? 1.0 : request.weight;
      double sum = 0.0, slope = 0.0;
      for (const double row : request.rows) {
        const double y = model_.y_[static_cast<std::size_t>(row)];
        sum += weight * normal_log_density(y, x, 1.0), slope += weight * (y - x);
      }
      request.log_density = sum;
      if (!request.gradient.empty()) request.gradient[0] = slope;
    }
    void whole(density::Request& request) const {
      const double x = request.position[0];
      const bool is_part = !model_.query_.without.empty();
      const auto counts_prior = static_cast<double>(!is_part || model_.fault_ != Fault::no_prior);
      double sum = counts_prior * normal_log_density(x, 0.0, 1.0), slope = -counts_prior * x;
      std::size_t count = model_.y_.size() - model_.query_.without.size();
      if (is_part && model_.fault_ == Fault::row_too_many) ++count;
      for (std::size_t i = 0; i < count; ++i)
        sum += normal_log_density(model_.y_[i], x, 1.0), slope += model_.y_[i] - x;
      request.log_density = sum;
      if (!request.gradient.empty()) request.gradient[0] = slope;
    }
    const NormalRows& model_;
  };

  std::vector<double> y_;
  Fault fault_;
  density::Query query_;
  std::string name_ = "normal rows";
  density::Layout layout_{{{.name = "x", .block = density::Block::parameters}}};
};

inline std::vector<double> some_rows() {
  return {3.1, 2.4, 4.0, 3.7, 2.2, 3.9, 1.8, 3.3, 2.9, 4.4, 3.0, 2.6};
}

}  // namespace credo::testing
