// Writers of the draws of a program: parameters, transformed parameters and generated quantities of a position.
#pragma once
#include "density/output_writers.hpp"
#include "density/parameter_inverse.hpp"
#include "model/densities.hpp"

namespace credo::model {

class Outputs final : public density::OutputWriters, public density::ParameterInverse {
 public:
  // Both must live as long.
  Outputs(const ProgramParts& parts, const Densities& densities)
      : parts_(parts), densities_(densities) {}
  Outputs(const Outputs&) = delete;

  const ProgramParts& parts() const { return parts_; }
  const Densities& densities() const { return densities_; }

  // ---- density::OutputWriters ----
  std::vector<double> write(std::span<const double> point, Rng& rng, std::string* note = nullptr,
                            const density::Written& what = {}) const override;
  // A model that lacks outcomes writes no generated quantity that needs one: asking for those throws Error(data).
  std::unique_ptr<density::Writer> make_writer(density::Written what = {}) const override;
  std::vector<double> with_discrete(std::span<const double> position, Rng& rng) const override;
  // ---- density::ParameterInverse ----
  std::vector<double> unconstrain_row(std::span<const double> row,
                                      double rounding = 0.0) const override;

  // Traces what writes draws, at this point; otherwise done when the first draw is written.
  void prepare(std::span<const double> point) const;
  // Runs the density's print statements at an unconstrained point; a rejection ends them.
  void print_density(std::span<const double> point) const;

  // `input`: a point and the words of a seed. The first program that was traced for this, or a new one; null where outputs are
  // interpreted: prints, rejections on this path.
  std::shared_ptr<const graph::Program> program(std::span<const double> input,
                                                const density::Written& what) const;
  std::shared_ptr<const graph::Program> trace(std::span<const double> input,
                                              const density::Written& what) const;

 private:
  const ModelOptions& options() const { return densities_.options(); }
  bool prints() const;
  void require_known(const density::Written& what) const;

  const ProgramParts& parts_;
  const Densities& densities_;
  struct Traced {
    density::Written what;
    std::shared_ptr<const graph::Program> program;
  };
  mutable std::mutex mutex_;              // not locked by steady-state writes
  mutable std::vector<Traced> programs_;  // made on first use
};

}  // namespace credo::model
