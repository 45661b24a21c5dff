// Replicates of the data of a program (docs/design/replicates.md).
#include "density/replicates.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/require.hpp"
#include "lang/typed/loop_facts.hpp"
#include "model/data/declarations.hpp"
#include "model/generative.hpp"
#include "model/replicates/data_text.hpp"
#include "model/replicates/replicate_run.hpp"
#include "model/statements/statements.hpp"
#include "model/states/state_likelihood.hpp"

namespace credo::model {
using lang::Value;
namespace typed = lang::typed;

class DataReplicates final : public density::Replicates {
 public:
  DataReplicates(const Densities& densities, std::span<const double> point, std::uint64_t seed)
      : densities_(densities), run_(densities.parts()) {
    run_.draw(complete(point, seed), seed);
    for (const Outcome& outcome : run_.outcomes()) add(outcome);
    for (const Outcome& outcome : run_.outcomes()) num_censored_.push_back(outcome.num_censored());
  }

  const density::Layout& layout() const override { return layout_; }
  std::span<const double> observed() const override { return observed_; }
  std::span<const char> is_drawn() const override { return is_drawn_; }
  std::vector<Index> num_censored() const override { return num_censored_; }
  const std::set<std::int32_t>& statements() const { return run_.statements(); }
  const lang::Value& value(int slot) { return run_.value(slot); }
  // An element of the variable that no statement draws, in the order of its storage; none: all are drawn.
  std::optional<Index> find_undrawn(int slot) const {
    for (const Outcome& outcome : run_.outcomes()) {
      if (outcome.slot != slot) continue;
      const auto found = std::ranges::find(outcome.drawn, 0);
      if (found == outcome.drawn.end()) return std::nullopt;
      return found - outcome.drawn.begin();
    }
    return 0;
  }

  std::vector<double> draw(std::span<const double> position, std::uint64_t seed,
                           std::string* note) override {
    try {
      run_.draw(complete(position, seed), seed);
      return values();
    } catch (const lang::Rejection& r) {
      if (note != nullptr)
        *note =
            data().source().where(r.failure.statement) + ": " + lang::message(r.failure, r.value);
    } catch (const NotDrawn& refused) {
      if (note != nullptr) *note = data().source().where(refused.statement) + ": " + refused.reason;
    }
    return {};
  }

  std::vector<double> last() const override { return values(); }

  std::string data_text() const override {
    for (const Outcome& outcome : run_.outcomes()) {
      const typed::GlobalVariable& variable = global(outcome.slot);
      if (outcome.num_censored() > 0)
        throw Error(ErrorCode::program,
                    variable.name +
                        " has censored elements; other data state which elements these are, and "
                        "such data can't be simulated",
                    data().name(), "simulate them in generated quantities");
      if (variable.block != typed::BlockKind::data)
        throw Error(ErrorCode::program,
                    variable.name +
                        " is transformed data: data that lead to other values of it aren't known",
                    data().name(), "state the density of a variable of the data block");
    }
    return model::data_text(run_.machine());
  }

 private:
  const ProgramData& data() const { return densities_.parts().data; }
  const typed::GlobalVariable& global(int slot) const {
    return data().source().program.globals[static_cast<std::size_t>(slot)];
  }
  // Discrete parameters that are summed out are drawn.
  std::vector<double> complete(std::span<const double> position, std::uint64_t seed) {
    std::vector<double> all = densities_.parts().parameters.completed(position);
    if (all.size() == position.size()) return all;
    if (drawer_ == nullptr) drawer_ = densities_.make_drawer(position);
    Rng rng({.seed = seed, .purpose = purpose::kReplicate, .chain = 0, .iteration = 0});
    drawer_->draw(position, rng, std::span(all).subspan(position.size()));
    return all;
  }
  void add(const Outcome& outcome) {
    const Value& now = data().globals()[static_cast<std::size_t>(outcome.slot)];
    layout_.add(output_variable(global(outcome.slot).name, now));
    places_.push_back(model::places_of(now));
    for (const std::int32_t place : places_.back()) {
      observed_.push_back(lang::scalar_of(now, place).known);
      is_drawn_.push_back(outcome.drawn[static_cast<std::size_t>(place)]);
    }
  }
  // Throws NotDrawn where other elements are drawn than at the first point.
  std::vector<double> values() const {
    std::vector<double> all;
    if (run_.outcomes().size() != places_.size()) refuse_change();
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const Outcome& outcome = run_.outcomes()[k];
      if (global(outcome.slot).name != layout_.variables()[k].name) refuse_change();
      const Value& value = run_.value(outcome.slot);
      for (const std::int32_t place : places_[k]) {
        if (outcome.drawn[static_cast<std::size_t>(place)] != is_drawn_[all.size()])
          refuse_change();
        all.push_back(lang::scalar_of(value, place).known);
      }
    }
    return all;
  }
  [[noreturn]] static void refuse_change() {
    throw NotDrawn{.reason = "which elements of the data are drawn depends on parameters",
                   .hint = "draw them in generated quantities, as y_rep"};
  }

  const Densities& densities_;
  mutable ReplicateRun run_;
  std::unique_ptr<DiscreteDrawer> drawer_;
  density::Layout layout_;
  std::vector<std::vector<std::int32_t>> places_;  // places of each variable, by elements
  std::vector<double> observed_;
  std::vector<char> is_drawn_;
  std::vector<Index> num_censored_;
};

// Unknown outcomes are drawn by statements that read nothing of them, and all of their elements are. With such a draw for
// data the model is judged as any other.
density::Capability Generative::can_replicate_unknown(std::span<const double> point) const {
  const ProgramSource& source = parts_.data.source();
  const UnknownOutcomes& unknown = parts_.data.unknown();
  const auto name_of = [&](int slot) -> const std::string& {
    return source.program.globals[static_cast<std::size_t>(slot)].name;
  };
  if (unknown.in_model)
    return {.can = false,
            .reason = fmt::format("{} isn't in the data, and the model block reads it: {}",
                                  name_of(unknown.in_model->slot),
                                  source.source.text(unknown.in_model->range)),
            .where = source.source.where(unknown.in_model->range),
            .hint = "give the outcomes, or predict by generated quantities"};
  DataReplicates replicates(densities_, point, 0);
  std::map<int, Value> drawn;
  for (const int slot : unknown.slots) {
    if (const auto undrawn = replicates.find_undrawn(slot))
      return {.can = false,
              .reason = fmt::format("element {} of {} isn't in the data, and no statement draws it",
                                    *undrawn + 1, name_of(slot)),
              .where = source.name,
              .hint = "give the outcomes, or predict by generated quantities"};
    drawn.emplace(slot, replicates.value(slot));
  }
  const ProgramParts filled{parts_.data.filled(drawn), parts_.parameters, parts_.outputs};
  const Densities densities(filled, densities_, densities_.query());
  return Generative(filled, densities).can_replicate(point);
}

// Every term of the likelihood is one of a statement that draws.
density::Capability Generative::can_replicate(std::span<const double> point) const {
  const ProgramSource& source = parts_.data.source();
  if (const auto whole = has_likelihood(source, densities_.query()); !whole.can) return whole;
  if (densities_.query().power != 1.0)
    return {.can = false,
            .reason = "the draws are of a power of the posterior's density",
            .hint = "sample without --temperature"};
  const auto no = [&](std::string reason, std::int32_t statement, std::string hint) {
    return density::Capability{.can = false,
                               .reason = std::move(reason),
                               .where = source.where(statement),
                               .hint = std::move(hint)};
  };
  constexpr const char* kOwn = "draw replicates in generated quantities: y_rep = normal_rng(...)";
  try {
    if (!parts_.data.unknown().empty()) return can_replicate_unknown(point);
    const DataReplicates replicates(densities_, point, 0);
    const std::vector<StatementReads> all_reads = statement_reads(source.program);
    for (const TermSummary& term : densities_.trace(point)->terms) {
      const StatementReads& reads = all_reads[static_cast<std::size_t>(term.statement)];
      const bool is_density =
          term.kind == lang::TermKind::prior || term.kind == lang::TermKind::unlabelled;
      const bool is_of_data = term.kind == lang::TermKind::likelihood ||
                              (is_density && reads.mixed) ||
                              (term.kind == lang::TermKind::unlabelled &&
                               (reads.value || (term.is_tail && reads.decided)));
      if (is_of_data && !replicates.statements().contains(term.statement))
        return no(
            "this term of the likelihood isn't one density of a variable of the data, which could "
            "be drawn from",
            term.statement, kOwn);
    }
    if (replicates.layout().size() == 0)
      return {.can = false,
              .reason = "no statement is a density of data",
              .where = {},
              .hint = "state how the data are distributed: y ~ ..."};
  } catch (const NotDrawn& refused) {
    return no(refused.reason, refused.statement, refused.hint);
  } catch (const lang::Rejection& r) {
    return no(lang::message(r.failure, r.value), r.failure.statement, kOwn);
  }
  return {};
}

std::unique_ptr<density::Replicates> Generative::make_replicates(
    std::span<const double> point) const {
  density::require(can_replicate(point), parts_.data.name());
  return std::make_unique<DataReplicates>(densities_, point, 0);
}

}  // namespace credo::model
