// Maps of standard normal values that are stated as expressions: a function makes x and log |∂x/∂z| of one draw from parameters λ and z.
// Families of distributions (infer/variational/families/graph_family.hpp) and transported densities (transported_density.hpp) use
// them; flow.cpp has one.
#pragma once
#include "graph/execute/program.hpp"

namespace credo::infer {

// Expressions of one draw. A map keeps constants beside λ as members.
class GraphMap {
 public:
  virtual ~GraphMap() = default;
  virtual Index dimension() const = 0;
  virtual Index num_base() const { return dimension(); }
  virtual Index num_parameters() const = 0;
  virtual std::vector<double> start() const = 0;
  // x; adds log |∂x/∂z| to `log_jacobian`. A map whose x isn't a bijective function of z adds what makes log q true.
  virtual graph::Expr forward(const graph::Expr& parameters, const graph::Expr& z,
                              graph::Expr& log_jacobian) const = 0;
  // z; adds log |∂z/∂x|. Called only where there is an inverse.
  virtual bool has_inverse() const { return false; }
  virtual graph::Expr inverse(const graph::Expr& parameters, const graph::Expr& x,
                              graph::Expr& log_jacobian) const;
};

// A graph made ready to run, with its working memory, which is one thread's.
class GraphRunner {
 public:
  explicit GraphRunner(std::shared_ptr<const graph::Program> program, Index max_lanes);
  GraphRunner(const GraphRunner& other);
  GraphRunner& operator=(const GraphRunner&) = delete;
  // The first inputs, which all lanes share. They are written once for each version, which is above 0.
  void set_common(std::span<const double> values, std::uint64_t version);
  // The other inputs, one set a lane; lanes that are left over repeat the last one.
  void run(std::span<const double> inputs, Index count);
  void copy(std::size_t output, Index lane, std::span<double> into) const {
    workspace_.copy_output(output, lane, into);
  }
  // Adds an output, times a factor for each lane, one lane after another.
  void add(std::size_t output, std::span<const double> factors, std::span<double> into);
  Index max_lanes() const { return max_lanes_; }

 private:
  std::shared_ptr<const graph::Program> program_;
  Index max_lanes_;
  graph::Workspace workspace_;
  std::vector<double> inputs_, outputs_;  // all lanes, [element][lane]
  std::size_t num_common_ = 0;
  std::uint64_t common_version_ = 0;
};

// The map of a family at fixed parameters, and its derivatives by z: what carries a density to the base space. Working memory of one thread.
class GraphTransport {
 public:
  GraphTransport(std::shared_ptr<const GraphMap> map, std::span<const double> parameters);
  Index dimension() const { return map_->dimension(); }
  // x of S draws, S × D; log |∂x/∂z|, S.
  void place(std::span<const double> z, std::span<double> x, std::span<double> log_jacobian);
  // ∂/∂z of v · x + log |∂x/∂z|, S × D.
  void pull_back(std::span<const double> z, std::span<const double> v, std::span<double> into);
  bool has_inverse() const { return map_->has_inverse(); }
  void invert(std::span<const double> x, std::span<double> z);

 private:
  std::shared_ptr<const GraphMap> map_;
  std::optional<GraphRunner> forward_, backward_, inverse_;
  std::vector<double> inputs_;
};

// The programs of a map, whose parameters are an input where `fixed` is empty:
//   placing    (λ, z) → x, log |∂x/∂z|
//   pulling    (λ, z, v, w) → ∂/∂λ of v · x + w log |∂x/∂z|; with λ fixed (z, v, w) → ∂/∂z
//   density    (λ, x) → log q(x), and its slope by λ if that is requested
std::shared_ptr<const graph::Program> placing_program(const GraphMap& map,
                                                      std::span<const double> fixed);
std::shared_ptr<const graph::Program> pulling_program(const GraphMap& map,
                                                      std::span<const double> fixed);
std::shared_ptr<const graph::Program> density_program(const GraphMap& map, bool with_slope);

// log N(z; 0, I)
double log_normal_density(std::span<const double> z);

}  // namespace credo::infer
