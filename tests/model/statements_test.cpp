// The list of a program's statements: one line an entry, from the text alone; the kinds against the traced density.
#include "model/statements/statements.hpp"

#include <gtest/gtest.h>

#include "support/text_model.hpp"

namespace credo::model::statements_test {
namespace {

constexpr const char* kFunctions = R"(functions {
  real own_lpdf(vector x, real m) { return -0.5 * dot_self(x - m); }
  real fit(vector x, real m) { real a = 2; return normal_lpdf(x | m, a); }
  real square_of(real x) { return -x * x; }
  real twice(real x) { return twice(x); }
  void add_prior_lp(real x, real s) { x ~ normal(0, s); target += -square(s); }
  real part(array[] real x, int first, int last, real m) { return normal_lpdf(x | m, 1); }
}
)";
constexpr const char* kData =
    R"(data { int N; int K; vector[N] y; matrix[N, K] X; array[N] int c; array[N] real z; int flag; }
transformed data { vector[N] w = y - mean(y); }
parameters { real a; real<lower=0> s; vector[K] b; simplex[K] pi; vector[N] e; }
)";

std::shared_ptr<const ProgramSource> compiled(const std::string& rest) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = compile_text("test.stan", kFunctions + (kData + rest), diagnostics, source);
  EXPECT_NE(program, nullptr) << lang::render(source, diagnostics);
  return program;
}

std::string text_of(const ProgramSource& program, const typed::Expression* e) {
  return e == nullptr ? "" : std::string(program.source.text(e->range));
}

std::string rows_of_entry(const ProgramSource& program, const ModelStatement& entry) {
  std::string text;
  for (const RowRange& range : entry.rows) {
    text += text.empty() ? "" : " x ";
    if (range.first != nullptr) text += text_of(program, range.first) + ":";
    text += range.last == nullptr ? "?" : text_of(program, range.last);
  }
  return text.empty() ? "1" : text;
}

std::string density_of_entry(const ProgramSource& program, const ModelStatement& entry) {
  std::string text(entry.density->function.name);
  for (std::size_t k = 0; k < entry.arguments.size(); ++k)
    text += (k == 0 ? "(" : ", ") + entry.arguments[k].role + " " +
            text_of(program, entry.arguments[k].value);
  return text + (entry.arguments.empty() ? "" : ")");
}

// "kind: outcome (selection of source variable) density(role argument, ...) rows"
std::string line_of(const ProgramSource& program, const ModelStatement& entry) {
  std::string text = std::string(to_string(entry.kind)) + ": ";
  if (entry.density == nullptr)
    return text + std::string(program.source.text(entry.range)) + ": " + entry.reason;
  const StatementOutcome& outcome = entry.outcome;
  text += text_of(program, outcome.expression) + " (" + std::string(to_string(outcome.selection));
  if (outcome.variable != nullptr)
    text += " of " + std::string(to_string(outcome.source)) + " " + outcome.variable->name;
  text += ") " + density_of_entry(program, entry) + " rows " + rows_of_entry(program, entry);
  if (entry.is_component) text += ", component";
  if (entry.is_negative) text += ", subtracted";
  for (const typed::Expression* factor : entry.factors)
    text += ", times " + text_of(program, factor);
  for (const StatementCondition& c : entry.conditions)
    text += (c.holds ? ", if " : ", unless ") + text_of(program, c.condition) +
            (c.reads_parameters ? " of parameters" : "");
  for (const typed::Call* call : entry.calls) text += ", in " + std::string(call->function.name);
  return text;
}

std::string listed(const std::string& rest) {
  const auto program = compiled(rest);
  if (program == nullptr) return "";
  std::string text;
  for (const ModelStatement& entry : model_statements(program->program))
    text += line_of(*program, entry) + "\n";
  return text;
}
std::string listed_in_model(const std::string& statements) {
  return listed("model { " + statements + " }");
}

TEST(statements, name_outcome_distribution_arguments_and_rows) {
  EXPECT_EQ(listed_in_model("a ~ normal(0, 1); y ~ normal(X * b, s); b[2] ~ std_normal();"),
            "prior: a (whole of parameter a) normal_lpdf(location parameter 0, scale parameter 1) "
            "rows 1\n"
            "likelihood: y (whole of data y) normal_lpdf(location parameter X * b, scale parameter "
            "s) rows N\n"
            "prior: b[2] (element of parameter b) std_normal_lpdf rows 1\n");
  EXPECT_EQ(
      listed_in_model("w ~ normal(a, 1); to_vector(X) ~ normal(0, s); y[2:N] ~ normal(a, s);"),
      "likelihood: w (whole of transformed data w) normal_lpdf(location parameter a, scale "
      "parameter 1) rows N\n"
      "likelihood: to_vector(X) (whole of data X) normal_lpdf(location parameter 0, scale "
      "parameter s) rows N "
      "x K\n"
      "likelihood: y[2:N] (slice of data y) normal_lpdf(location parameter a, scale parameter s) "
      "rows 2:N\n");
}

TEST(statements, count_rows_of_multivariate_distributions_by_outcomes) {
  const auto rows = [](const std::string& statement) {
    const auto program =
        compiled("model { matrix[K, K] L; array[3] vector[K] u; " + statement + " }");
    return rows_of_entry(*program, model_statements(program->program).at(0));
  };
  EXPECT_EQ(rows("b ~ multi_normal_cholesky(b, L);"), "1");
  EXPECT_EQ(rows("u ~ multi_normal_cholesky(b, L);"), "3");
  EXPECT_EQ(rows("c ~ categorical(pi);"), "N");
  EXPECT_EQ(rows("c ~ multinomial(pi);"), "1");
  EXPECT_EQ(rows("y ~ normal_id_glm(X, a, b, s);"), "N");
  EXPECT_EQ(rows("for (n in 2:N) u ~ multi_normal_cholesky(b, L);"), "2:N x 3");
  EXPECT_EQ(rows("while (a > 0) y ~ normal(a, s);"), "? x N");
  EXPECT_EQ(rows("y[c] ~ normal(0, s);"), "N");
}

TEST(statements, tell_loops_and_conditions) {
  EXPECT_EQ(
      listed_in_model(
          "for (n in 1:N) { if (a > 0) y[n] ~ normal(a, s); else if (flag) z[n] ~ normal(a, 1); }"),
      "likelihood: y[n] (element of data y) normal_lpdf(location parameter a, scale parameter s) "
      "rows 1:N, if a > 0 of "
      "parameters\n"
      "likelihood: z[n] (element of data z) normal_lpdf(location parameter a, scale parameter 1) "
      "rows 1:N, unless a > 0 "
      "of parameters, if flag\n");
}

TEST(statements, take_increments_apart) {
  EXPECT_EQ(
      listed_in_model("target += 2 * normal_lpdf(y | a, s) - exponential_lpdf(s | 1);"),
      "likelihood: y (whole of data y) normal_lpdf(location parameter a, scale parameter s) rows "
      "N, times 2\n"
      "prior: s (whole of parameter s) exponential_lpdf(inverse scale parameter 1) rows 1, "
      "subtracted\n");
  EXPECT_EQ(
      listed_in_model("target += student_t_lpdf(s | 3, 0, 1) - student_t_lccdf(0 | 3, 0, 1);"),
      "prior: s (whole of parameter s) student_t_lpdf(degrees of freedom parameter 3, location "
      "parameter 0, scale "
      "parameter 1) rows 1\n");
}

TEST(statements, follow_mixtures_through_local_variables) {
  EXPECT_EQ(listed_in_model("for (n in 1:N) { vector[K] lp = log(pi);\n"
                            "for (k in 1:K) lp[k] += normal_lpdf(y[n] | b[k], s);\n"
                            "target += log_sum_exp(lp); }"),
            "likelihood: y[n] (element of data y) normal_lpdf(location parameter b[k], scale "
            "parameter s) rows 1:N, "
            "component\n");
  EXPECT_EQ(listed_in_model("for (n in 1:N) target += log_mix(pi[1], normal_lpdf(y[n] | a, s), "
                            "normal_lpdf(y[n] | 0, s));"),
            "likelihood: y[n] (element of data y) normal_lpdf(location parameter a, scale "
            "parameter s) rows 1:N, component\n"
            "likelihood: y[n] (element of data y) normal_lpdf(location parameter 0, scale "
            "parameter s) rows 1:N, component\n");
}

TEST(statements, follow_sums_through_transformed_parameters) {
  EXPECT_EQ(listed("transformed parameters { real lprior = 0; lprior += normal_lpdf(a | 0, 1); "
                   "vector[N] ll;\n"
                   "for (n in 1:N) ll[n] = normal_lpdf(y[n] | a, s); }\n"
                   "model { target += lprior; target += sum(ll); }"),
            "prior: a (whole of parameter a) normal_lpdf(location parameter 0, scale parameter 1) "
            "rows 1\n"
            "likelihood: y[n] (element of data y) normal_lpdf(location parameter a, scale "
            "parameter s) rows 1:N\n");
}

TEST(statements, read_functions_of_the_program) {
  EXPECT_EQ(listed_in_model("target += fit(y, a); y ~ own(a); add_prior_lp(a, s); target += "
                            "reduce_sum(part, z, 1, a);"),
            "likelihood: y (whole of data y) normal_lpdf(location parameter m, scale parameter a) "
            "rows N, in fit\n"
            "likelihood: y (whole of data y) own_lpdf(m a) rows 1\n"
            "effects: a (whole of parameter a) normal_lpdf(location parameter 0, scale parameter "
            "s) rows 1, in "
            "add_prior_lp\n"
            "prior: -square(s): it is a formula that calls no density\n"
            "likelihood: z (whole of data z) normal_lpdf(location parameter m, scale parameter 1) "
            "rows N, in reduce_sum\n");
}

TEST(statements, say_why_a_term_has_no_distribution) {
  EXPECT_EQ(listed_in_model("target += -0.5 * dot_self(b); target += -sum(y) * a;"),
            "prior: -0.5 * dot_self(b): it is a formula that calls no density\n"
            "unknown: -sum(y) * a: it is a formula that calls no density\n");
  EXPECT_EQ(listed_in_model("target += square_of(a); target += twice(a);"),
            "prior: -x * x: it is a formula that calls no density\n"
            "prior: return twice(x);: the function twice calls itself\n");
}

TEST(statements, find_censored_outcomes_and_mixed_ones) {
  EXPECT_EQ(listed_in_model("target += normal_lccdf(y[1] | a, s); y - e ~ normal(0, s);"),
            "likelihood: y[1] (element of data y) normal_lccdf(location parameter a, scale "
            "parameter s) rows 1\n"
            "both: y - e (formula) normal_lpdf(location parameter 0, scale parameter s) rows N\n");
  EXPECT_EQ(listed_in_model("vector[N] full = y; full[1] = a; full ~ normal(0, s);"),
            "both: full (whole of local variable full) normal_lpdf(location parameter 0, scale "
            "parameter s) rows N\n");
  EXPECT_EQ(listed_in_model("vector[N] copy = y; copy ~ normal(0, s);"),
            "likelihood: copy (whole of local variable copy) normal_lpdf(location parameter 0, "
            "scale parameter s) rows N\n");
}

TEST(statements, variables_may_be_computed_from_themselves) {
  EXPECT_EQ(
      listed_in_model("real u = a; for (n in 1:N) u = normal_cdf(u | y[n], 1); u ~ normal(0, 1);"),
      "both: u (whole of local variable u) normal_lpdf(location parameter 0, scale parameter 1) "
      "rows 1\n");
}

TEST(statements, truncation_is_kept) {
  const auto program = compiled("model { a ~ normal(0, 1) T[-s, 2]; }");
  const std::vector<ModelStatement> all = model_statements(program->program);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(text_of(*program, all[0].lower), "-s");
  EXPECT_EQ(text_of(*program, all[0].upper), "2");
}

// One word for each statement of the model block: v: its value reads data, o: an outcome does, m: one number of an outcome is computed
// from data and parameters, d: elements of the data decide; -: none of it.
std::string reads_in(const std::string& body) {
  const auto program = compiled("model { " + body + " }");
  if (program == nullptr) return "";
  const std::vector<StatementReads> all = statement_reads(program->program);
  std::string text;
  for (const PlacedStatement& placed : placed_statements(program->program.model.statements)) {
    const bool adds = std::holds_alternative<typed::Distribution>(placed.statement->node) ||
                      std::holds_alternative<typed::TargetIncrement>(placed.statement->node);
    if (!adds) continue;
    const StatementReads& reads = all[static_cast<std::size_t>(placed.statement->id)];
    std::string word = std::string(reads.value ? "v" : "") + (reads.outcome ? "o" : "") +
                       (reads.mixed ? "m" : "") + (reads.decided ? "d" : "");
    text += (text.empty() ? "" : " ") + (word.empty() ? "-" : word);
  }
  return text;
}

TEST(statements, say_what_they_read_of_the_data) {
  const std::pair<const char*, const char*> cases[] = {
      {"a ~ normal(0, 1); y ~ normal(a, s);", "- vo"},
      {"a ~ normal(mean(y), 1); target += normal_lpdf(a | mean(y), 1);", "- v"},
      {"y - a ~ normal(0, s); target += normal_lpdf(y - a | 0, s);", "vom vom"},
      {"vector[N] full = append_row(head(y, 2), tail(e, N - 2)); full ~ normal(a, s);", "vo"},
      {"vector[N] sum_of = y; sum_of += a; sum_of ~ normal(0, s);", "vom"},
      {"vector[N] late; for (i in 1:2) { late ~ normal(0, 1); late = y; }", "vo"},
      {"target += -0.5 * dot_self(e[c]); target += -dot_self(e - y);", "- v"},
      {"for (n in 1:N) if (y[n] > 2) target += normal_lccdf(2 | a, s); if (flag) target += -a;",
       "d -"},
      {"target += rep_vector(a, N)[1] + fit(y, a); target += target();", "v v"}};
  for (const auto& [body, words] : cases) EXPECT_EQ(reads_in(body), words) << body;
}

// Programs whose densities are each of data or of parameters: the traced terms say the same of each statement.
TEST(statements, have_the_kinds_of_the_traced_terms) {
  const std::string data =
      R"({"N": 3, "K": 2, "y": [1, 2, 3.5], "X": [[1, 2], [3, 4], [5, 7]], "c": [1, 2, 1], "z": [0.1, 0.2, 0.4],
          "flag": 1})";
  for (const char* body :
       {"a ~ normal(0, 1); y ~ normal(X * b, s); e ~ normal(0, s);",
        "for (n in 1:N) { vector[K] lp = log(pi); for (k in 1:K) lp[k] += normal_lpdf(y[n] | b[k], "
        "s); target += "
        "log_sum_exp(lp); } a ~ normal(0, 1);",
        "target += fit(y, a); target += own_lpdf(e | a); w ~ normal(a, s);",
        "for (n in 1:N) if (y[n] > 2) target += normal_lccdf(2 | a, s); else y[n] ~ normal(a, s);",
        "vector[N] copy = y; copy ~ normal(a, s); target += -0.5 * dot_self(b);"}) {
    const auto model =
        model_from(kFunctions + (kData + ("model { " + std::string(body) + " }")), data);
    std::map<std::int32_t, std::set<bool>> traced, listed_kinds;
    const std::vector<double> point(static_cast<std::size_t>(model->dimension()), 0.3);
    for (const bool is_likelihood : {false, true}) {
      const auto part = model->with(
          {.terms = is_likelihood ? density::Terms::likelihood : density::Terms::prior});
      for (const TermSummary& term : part->trace(point)->terms)
        if (term.kind != lang::TermKind::transform_jacobian)
          traced[term.statement].insert(is_likelihood);
    }
    for (const ModelStatement& entry : model_statements(model->source().program)) {
      ASSERT_NE(entry.kind, StatementKind::unknown) << body;
      listed_kinds[entry.statement].insert(entry.kind == StatementKind::likelihood);
    }
    EXPECT_EQ(listed_kinds, traced) << body;
  }
}

TEST(statements, warn_of_an_outcome_that_no_statement_reads_at_its_declaration) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program = compile_text("test.stan",
                                    "data {\n  int N;\n  vector[N] x;\n  vector[N] y;\n"
                                    "  real prior_scale;\n}\nparameters {\n  real a;\n}\n"
                                    "model {\n  a ~ normal(0, prior_scale);\n}\n",
                                    diagnostics, source);
  ASSERT_NE(program, nullptr);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  const lang::Diagnostic& warning = diagnostics.all().front();
  EXPECT_EQ(warning.code, lang::DiagCode::unread_outcome);
  const lang::Position at = source.position(warning.range);
  EXPECT_EQ(std::tuple(at.line, at.column), std::tuple(4, 13));
}
TEST(statements, lists_the_densities_that_a_function_returns) {
  const auto program = compiled("model { }");
  const auto names_of = [&](std::string_view name) {
    std::vector<std::string> names;
    for (const typed::Function& f : program->program.functions)
      if (f.name == name)
        for (const ModelStatement& entry : function_statements(program->program, f))
          names.emplace_back(entry.distribution == nullptr ? "none" : entry.distribution->name);
    return names;
  };
  EXPECT_EQ(names_of("fit"), (std::vector<std::string>{"normal"}));
  EXPECT_EQ(names_of("part"), (std::vector<std::string>{"normal"}));
}

}  // namespace
}  // namespace credo::model::statements_test
