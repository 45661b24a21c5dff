// Contents of a bs_model: a model with the forms of its log density that were needed, the names of
// its parameters, and working memory for the threads that use it. Throws Error; the C functions
// around it turn that into messages.
#pragma once
#include "base/rng.hpp"
#include "capi/pool.hpp"
#include "model/model.hpp"
#include "model/queries/curvature.hpp"
#include "model/writer.hpp"

namespace credo::capi {

// A seed and the number of streams taken from it.
class Streams {
 public:
  explicit Streams(std::uint64_t seed) : seed_(seed) {}
  Rng next();

 private:
  std::uint64_t seed_, count_ = 0;
};

// Scalars that bs_param_names lists besides the parameters.
struct Included {
  bool transformed = false, generated = false;
};

class Handle {
 public:
  // program: a path that ends in .stan, or text; data: a path that ends in .json, text, or empty.
  Handle(const std::string& program, const std::string& data, std::uint64_t seed);

  const std::string& name() const { return name_; }
  const std::string& info() const { return info_; }
  const std::string& names(Included what) const { return listing(what).names; }
  Index count(Included what) const { return listing(what).count; }
  const std::string& free_names() const { return free_names_; }
  Index dimension() const { return model_->dimension(); }

  void constrain(Included what, const double* point, double* out, Streams* streams) const;
  void unconstrain(const double* row, double* out) const;
  void unconstrain_json(const std::string& json, double* out) const;

  // The log density; gradient, matrix and product are written where they aren't null.
  struct Derivatives {
    double* gradient = nullptr;
    double* hessian = nullptr;
    const double* direction = nullptr;
    double* product = nullptr;
  };
  double log_density(const density::Query& form, const double* point, const Derivatives& out) const;

 private:
  struct Listing {
    std::string names;
    Index count = 0;
  };
  struct Worker {
    explicit Worker(const model::Model& model)
        : evaluator(model.make_evaluator()), curvature(model.densities()), gradient(), matrix() {}
    std::unique_ptr<density::Evaluator> evaluator;
    model::CurvatureEvaluator curvature;
    std::vector<double> gradient, matrix;
  };
  struct Form {  // one form of the density, with its workers
    std::unique_ptr<model::Model> model;
    Pool<Worker> workers;
  };

  const Listing& listing(Included what) const {
    return listings_[(what.transformed ? 1u : 0u) + (what.generated ? 2u : 0u)];
  }
  bool lists(const density::Variable& variable, Included what) const;
  void list_names();
  Form& form(const density::Query& wanted) const;
  void second_derivatives(const Form& form, Worker& worker, std::span<const double> point,
                          const Derivatives& out) const;

  std::unique_ptr<const model::Model> model_;
  std::string name_, info_, free_names_;
  std::array<Listing, 4> listings_;
  mutable std::mutex forms_mutex_;
  mutable std::array<std::unique_ptr<Form>, 4> forms_;
  mutable std::array<Pool<model::Writer>, 3> writers_;  // parameters, and transformed, and all
};

}  // namespace credo::capi
