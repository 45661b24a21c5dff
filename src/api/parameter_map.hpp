// The map from unconstrained values x to the numbers theta of declared parameters, as programs:
//
//   forward    x          -> theta(x), log |det J(x)|
//   backward   x, adjoint -> the gradient by x of  adjoint . theta(x) + log |det J(x)|
//
// The second one is the chain rule for a density that is known by theta. Without constraints theta is x,
// and there are no programs.
#pragma once
#include "api/declaration.hpp"
#include "density/program_facts.hpp"
#include "graph/execute/program.hpp"
#include "transform/transform.hpp"

namespace credo {

class ParameterMap {
 public:
  explicit ParameterMap(const Parameters& parameters);

  const density::Layout& unconstrained() const { return unconstrained_; }
  const density::Layout& outputs() const { return outputs_; }
  bool is_identity() const { return forward_ == nullptr; }
  density::ProgramFacts facts() const;  // facts of the declarations; they have no places

  std::vector<double> constrain(std::span<const double> free) const;
  // Throws Error(data) where a constraint is broken.
  std::vector<double> unconstrain(std::span<const double> numbers) const;

  // One point on its way; spans of the asker's memory.
  struct Crossing {
    std::span<const double> free;
    std::span<double> theta = {};     // forward
    double log_jacobian = 0.0;        // forward
    std::span<double> adjoint = {};   // backward
    std::span<double> gradient = {};  // backward
    bool is_refused = false;          // forward: a number, or the Jacobian, isn't finite
  };

  // Working memory of one thread, for a map that isn't the identity.
  class Bridge {
   public:
    explicit Bridge(const ParameterMap& map);
    void forward(std::span<Crossing> points);
    void backward(std::span<Crossing> points);  // for points that aren't refused

   private:
    graph::Workspace forward_, backward_;
    std::vector<double> input_;
  };

 private:
  struct Piece {
    const transform::Transform* transform = nullptr;  // null: the values themselves
    graph::Shape unit = {};
    transform::Bounds bounds = {};
    Declaration declaration;
    Index num_free = 0;
  };
  struct Image {
    graph::Expr theta, log_jacobian;
  };
  static Piece piece_of(const Declaration& declaration);
  Image image_of(const graph::Expr& free) const;
  void make_programs();

  std::vector<Piece> pieces_;
  density::Layout unconstrained_, outputs_;
  std::unique_ptr<const graph::Program> forward_, backward_;
};

}  // namespace credo
