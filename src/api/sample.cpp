#include "credo/sample.hpp"

#include <fmt/format.h>

#include "api/fit.hpp"
#include "api/scheme.hpp"
#include "infer/core/table.hpp"
#include "results/files/evidence.hpp"
#include "results/files/scheme_text.hpp"

namespace credo {
namespace {
// The algorithm with its own options, none of which a scheme has.
void choose_algorithm(const SampleOptions& asked, infer::SampleOptions& own) {
  if (!asked.scheme) {
    own.sampler = asked.sampler;
    own.kernel = infer::find_sampler(asked.sampler).options();
    return;
  }
  if (asked.sampler != SampleOptions{}.sampler)
    throw Error(ErrorCode::usage, "a scheme names its samplers itself", "sampler",
                "leave out one of sampler and scheme");
  own.sampler = infer::kCompositionName;
  own.kernel = infer::SchemeOptions{.scheme = asked.scheme->impl().scheme};
}

void set_options(const SampleOptions& asked, infer::SampleOptions& own) {
  for (const auto& [name, value] : asked.options) {
    if (asked.scheme && !infer::is_warmup_option(own, field_of(name)))
      throw Error(ErrorCode::usage, "the scheme gives the options of samplers", name,
                  "give it there: kernel(\"...\", {{\"" + name + "\", ...}})");
    infer::set_option(own, field_of(name), value.text);
  }
}

infer::SampleOptions own_options(const SampleOptions& asked) {
  infer::SampleOptions own;
  choose_algorithm(asked, own);
  own.num_chains = asked.chains;
  own.num_warmup = asked.warmup;
  own.num_draws = asked.draws;
  own.thin = asked.thin;
  own.save_warmup = asked.save_warmup;
  own.seed = asked.seed;
  own.num_threads = asked.threads;
  own.init_prior = !asked.init_radius && asked.init.empty();
  if (asked.init_radius) own.init_radius = *asked.init_radius;
  own.init = asked.init;
  own.adapt.step_size.target_accept = asked.adapt_delta;
  own.stop = asked.stop;
  if (!infer::find_sampler(own.sampler).has_warmup) own.num_warmup = 0;
  set_options(asked, own);
  if (asked.on_progress)
    own.on_progress = [notify = asked.on_progress](const infer::Progress& p) {
      notify({.chain = p.chain,
              .iteration = p.iteration,
              .num_iterations = p.num_iterations,
              .warmup = p.warmup});
    };
  infer::validate(own);
  return own;
}

results::RunSpec spec_of(const Model::Impl& model, const infer::SampleOptions& own) {
  results::RunSpec spec;
  spec.model.model = model.files.model;
  spec.model.data = model.files.data;
  if (model.program != nullptr) {
    spec.model.seed = model.program->options().seed;
    spec.model.passes = model.program->options().passes;
  }
  spec.run = own;
  spec.init = own.init_prior ? "prior" : fmt::format("{}", own.init_radius);
  if (!own.init.empty()) spec.init.clear();
  return spec;
}

io::RunFile::Facts facts_of(const Model::Impl& model, const infer::SampleOptions& own) {
  io::RunFile::Facts facts = results::facts_of_run(*model.model, spec_of(model, own));
  facts["model_name"] = model.name;
  if (model.program == nullptr) {  // a callable: nobody else can run it
    facts.erase("spec");
    return facts;
  }
  results::add_files(facts, model.files);
  return facts;
}
}  // namespace

std::vector<SamplerInfo> samplers() {
  std::vector<SamplerInfo> all;
  for (const infer::SamplerSpec* row : infer::samplers()) {
    if (!infer::is_sampler(*row)) continue;
    all.push_back({.name = std::string(row->name),
                   .summary = std::string(row->summary),
                   .needs_gradient = row->needs_gradient,
                   .options = {}});
    for (const infer::FieldValue& field : infer::fields_of(row->options()))
      all.back().options.emplace_back(field.name, field.value);
  }
  return all;
}

void require_sampler(const Model::Impl& model, const std::string& sampler) {
  if (infer::climbs_to_modes(sampler))
    throw Error(ErrorCode::usage, sampler + " climbs to a mode and draws nothing", "sampler",
                "save the program and use credo optimize");
  if (!infer::find_sampler(sampler).needs_gradient || model.model->has_gradient()) return;
  std::string others;
  for (const infer::SamplerSpec* row : infer::samplers())
    if (!row->needs_gradient) others += (others.empty() ? "" : ", ") + std::string(row->name);
  throw Error(ErrorCode::usage, sampler + " needs a gradient, and the log density has none",
              "sampler", "use one of " + others + "; or write the gradient");
}

// Each sampler can run on the model, and the names of a scheme are its parameters.
void fit_to_model(const Model::Impl& model, infer::SampleOptions& own) {
  if (own.sampler != infer::kCompositionName) return require_sampler(model, own.sampler);
  infer::SchemeOptions options{.scheme = infer::scheme_of(own.kernel)};
  for (const std::string& name : infer::samplers_of(*options.scheme)) require_sampler(model, name);
  results::find_coordinates(*options.scheme, *model.model);
  own.kernel = std::move(options);
}

// A ready-made model has its own kernel and its own starts.
void require_defaults(const Model::Impl& model, const SampleOptions& asked) {
  if (asked.sampler == SampleOptions{}.sampler && !asked.scheme && asked.init.empty() &&
      !asked.init_radius && asked.options.empty())
    return;
  throw Error(ErrorCode::usage, model.name + " moves by a kernel of its own from its own starts",
              "sample", "leave out sampler, scheme, init, init_radius and options");
}

Fit sample(const Model& model, const SampleOptions& options) {
  const Model::Impl& of = model.impl();
  const bool is_ready = of.own_run != nullptr;
  if (is_ready) require_defaults(of, options);
  infer::SampleOptions own = own_options(options);
  if (is_ready)
    own.sampler = of.own_algorithm, own.kernel = {};
  else
    fit_to_model(of, own);
  auto fit = std::make_shared<Fit::Impl>(model, std::move(own));
  if (of.program == nullptr && !is_ready)
    check_callable(model, options.init, options.check_gradient && model.has_gradient());
  fit->store.emplace(*of.model, fit->options,
                     results::RunPlace{.facts = facts_of(of, fit->options)});
  infer::RunResult ended = is_ready ? of.own_run(fit->options, *fit->store)
                                    : infer::run_chains(*of.model, fit->options, *fit->store);
  fit->store->close();
  if (of.program != nullptr) results::normalise_evidence(ended, *of.program);
  fit->store->keep(std::move(ended));
  return Fit(std::move(fit));
}

}  // namespace credo
