// The names of a model and of its numbers: the layouts of its positions and of its outputs.
#pragma once
#include "density/layout.hpp"

namespace credo::density {

class Names {
 public:
  virtual ~Names() = default;
  virtual const std::string& name() const = 0;  // the name of the model in messages and results
  // Parameters, transformed parameters and generated quantities in order.
  virtual const Layout& outputs() const = 0;
  // The unconstrained values of a position, without its discrete block.
  virtual const Layout& continuous() const = 0;
  // A whole position: the unconstrained values, then the discrete block.
  virtual Layout unconstrained() const { return continuous(); }

  std::vector<std::string> free_names() const { return continuous().element_names(); }
  Index num_continuous() const { return continuous().size(); }
};

}  // namespace credo::density
