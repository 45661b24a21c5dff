#include "results/draws/predict.hpp"
#include "base/stream.hpp"
#include "results/files/result_file.hpp"

#include <fmt/format.h>
#include <mutex>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/stop.hpp"
#include "results/draws/fit_points.hpp"
#include "results/draws/row_likelihoods.hpp"
#include "results/draws/share_out.hpp"
#include "results/files/facts.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::results {
namespace {
// Generated quantities of the draws of a fit; iteration: the draw.
constexpr std::uint32_t kPrediction = stream("predict", 12);

// Places of the generated quantities among the outputs of a model.
std::vector<Index> places_of_generated(const density::Layout& outputs) {
  std::vector<Index> places;
  for (std::size_t v = 0; v < outputs.variables().size(); ++v)
    if (outputs.variables()[v].block == density::Block::generated_quantities)
      for (Index e = outputs.first(static_cast<Index>(v));
           e < outputs.first(static_cast<Index>(v) + 1); ++e)
        places.push_back(e);
  return places;
}

std::vector<Index> selected(std::vector<Index> places, const density::Layout& outputs,
                            const Selection& selection) {
  if (selection.empty()) return places;
  std::vector<Index> fewer;
  for (const Index k : chosen(selection, outputs.selected(places)))
    fewer.push_back(places[static_cast<std::size_t>(k)]);
  return fewer;
}

class PredictedFit final : public Fit {
 public:
  PredictedFit(const Fit& fit, const density::Model& model, const PredictOptions& options)
      : fit_(fit), origin_(fit.origin()), files_(options.files) {
    std::vector<Index> places = places_of_generated(model.outputs());
    if (fit.num_draws(false) == 0)
      throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
    if (places.empty() || options.outcomes)
      draw_outcomes(model, options.seed);
    else
      write_all(model, selected(std::move(places), model.outputs(), options.selection), options);
    origin_.group = kPredictionsGroup;
    origin_.model_name = model.name();
    origin_.model_path = options.model_path, origin_.data_path = options.data_path;
    origin_.data = data_variables(model);
    origin_.spec.clear();  // nothing runs so again
    origin_.settings.erase(kCommandSetting);
    if (!options.asked.empty()) origin_.settings[kCommandSetting] = options.asked;
  }

  bool are_outcomes() const { return are_outcomes_; }  // all statements, whatever is selected
  const std::vector<StatColumn>& columns() const override { return fit_.columns(); }
  const density::Layout& layout() const override { return layout_; }
  Index num_chains() const override { return fit_.num_chains(); }
  Index num_walkers() const override { return fit_.num_walkers(); }
  Index num_draws(bool warmup) const override { return warmup ? 0 : fit_.num_draws(false); }
  const FitOrigin& origin() const override { return origin_; }
  const infer::RunResult& result() const override { return fit_.result(); }
  std::vector<FitNote> notes() const override { return notes_; }
  io::InputFiles::Contents files() const override { return files_; }

  density::Draws read(const DrawSlab& wanted) const override {
    const DrawSlab slab = within(*this, wanted);
    density::Draws draws(slab.num_draws, slab.num_chains, slab.count);
    const Index num_columns = ssize(columns());
    for (Index k = 0; k < slab.count; ++k) {
      const Index quantity = slab.first + k;
      DrawSlab one = slab;
      one.first = quantity, one.count = 1;
      const density::Draws stored = quantity < num_columns ? fit_.read(one) : density::Draws();
      for (Index c = 0; c < slab.num_chains; ++c)
        for (Index s = 0; s < slab.num_draws; ++s)
          draws(s, c, k) = quantity < num_columns ? stored(s, c, 0)
                                                  : all_(slab.first_draw + s, slab.first_chain + c,
                                                         quantity - num_columns);
    }
    return draws;
  }

 private:
  void write_all(const density::Model& model, const std::vector<Index>& places,
                 const PredictOptions& options) {
    static constexpr MemoryUse kUse{"the predictions",
                                    "keep fewer generated quantities, or thin the draws"};
    const MemoryScope memory(kUse);
    layout_ = model.outputs().selected(places);
    all_ = density::Draws(fit_.num_draws(false), fit_.num_chains(), layout_.size());
    density::Written what;
    what.columns = places, what.keeps_reached = options.keeps_reached;
    const FitPoints points(fit_, model);
    const auto writer = model.writers().require(model.name()).make_writer(what);
    const Index together = std::max<Index>(writer->num_lanes(), 8);
    for (Index c = 0; c < fit_.num_chains(); ++c)
      for (Index s = 0; s < fit_.num_draws(false); s += together) {
        stop_if_asked();
        const auto at = points.read(c, s, std::min(together, fit_.num_draws(false) - s));
        std::vector<density::DrawRequest> requests;
        for (std::size_t k = 0; k < at.size(); ++k)
          requests.push_back(
              {.point = at[k],
               .rng = Rng({.seed = options.seed,
                           .purpose = kPrediction,
                           .chain = static_cast<std::uint32_t>(c),
                           .iteration = static_cast<std::uint32_t>(s + static_cast<Index>(k))})});
        writer->write(requests);
        for (std::size_t k = 0; k < requests.size(); ++k)
          take(requests[k], s + static_cast<Index>(k), c);
      }
  }
  void take(const density::DrawRequest& request, Index draw, Index chain) {
    all_.set(draw, chain, request.row);
    take_note(request.note);
  }
  void take_note(const std::string& text) {
    if (text.empty()) return;
    const auto known = std::find_if(notes_.begin(), notes_.end(),
                                    [&](const FitNote& note) { return note.text == text; });
    if (known == notes_.end())
      notes_.push_back({text, 1});
    else
      ++known->count;
  }
  // Draws outcomes by the statements of the likelihood. Each thread takes a part of the draws.
  void draw_outcomes(const density::Model& model, std::uint64_t seed) {
    are_outcomes_ = true;
    const FitPoints points(fit_, model);
    const std::vector<double> first = points.read(0, 0, 1).front();
    require_outcomes(model, first);
    const auto like = model.generative_side()->make_replicates(first);
    std::vector<density::Variable> variables = like->layout().variables();
    for (density::Variable& variable : variables) {
      variable.name += "_rep";
      variable.block = density::Block::generated_quantities;
    }
    layout_ = density::Layout(std::move(variables));
    all_ = density::Draws(fit_.num_draws(false), fit_.num_chains(), layout_.size());
    for (Index c = 0; c < fit_.num_chains(); ++c)
      draw_chain(model, points.read(c, 0, fit_.num_draws(false)), c, seed);
  }
  void draw_chain(const density::Model& model, const std::vector<std::vector<double>>& at,
                  Index chain, std::uint64_t seed) {
    std::mutex mutex;
    share_out(counted_from(0, ssize(at)), 0, [&]() -> PieceWorker {
      std::shared_ptr<density::Replicates> own =
          model.generative_side()->make_replicates(at.front());
      return [&, own](Index draw) {
        stop_if_asked();
        Rng rng({.seed = seed,
                 .purpose = kPrediction,
                 .chain = static_cast<std::uint32_t>(chain),
                 .iteration = static_cast<std::uint32_t>(draw)});
        std::string note;
        std::vector<double> row = own->draw(at[static_cast<std::size_t>(draw)], rng.bits(), &note);
        row.resize(static_cast<std::size_t>(layout_.size()), kNaN);
        const std::lock_guard lock(mutex);
        all_.set(draw, chain, row);
        take_note(note);
      };
    });
  }
  static void require_outcomes(const density::Model& model, std::span<const double> point) {
    const density::Capability can = can_replicate(model, point);
    if (!can.can)
      throw Error(ErrorCode::program, "the outcomes of the program can't be drawn: " + can.reason,
                  can.where.empty() ? model.name() : can.where,
                  "compute the predictions in generated quantities: y_new = normal_rng(...)");
  }

  const Fit& fit_;
  FitOrigin origin_;
  io::InputFiles::Contents files_;
  density::Layout layout_;
  density::Draws all_;
  std::vector<FitNote> notes_;
  bool are_outcomes_ = false;
};
}  // namespace

std::unique_ptr<Fit> predict(const Fit& fit, const density::Model& model,
                             const PredictOptions& options) {
  auto predicted = std::make_unique<PredictedFit>(fit, model, options);
  if (!predicted->are_outcomes()) return predicted;
  return results::selected(std::move(predicted), options.selection);
}

}  // namespace credo::results
