#include "cli/bench/bench_suite.hpp"

#include <fmt/format.h>

#include <thread>

#include "base/rng.hpp"
#include "cli/bench/bench_timing.hpp"
#include "numerics/machine_speed.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {

// A program with its data, and what a gradient of it must read or compute.
struct SuiteProgram {
  std::string_view name, text;
  io::DataTable (*data)();
  double bytes, operations;  // a batch, a gradient
};

io::DataTable logistic_data();
io::DataTable intercepts_data();
io::DataTable product_data();
io::DataTable cholesky_data();

constexpr Index kRows = 1'000'000, kColumns = 20;       // logistic regression
constexpr Index kOutcomes = 4'000'000, kGroups = 1000;  // varying intercepts
constexpr Index kProductSize = 200, kCholeskySize = 200;

constexpr std::string_view kLogistic = R"(
data { int N; int K; matrix[N, K] X; array[N] int y; }
parameters { real a; vector[K] b; }
model { y ~ bernoulli_logit(a + X * b); })";

constexpr std::string_view kIntercepts = R"(
data { int N; int J; vector[N] y; array[N] int g; }
parameters { vector[J] a; real<lower=0> s; }
model { y ~ normal(a[g], s); })";

constexpr std::string_view kProduct = R"(
data { int N; }
parameters { matrix[N, N] A; matrix[N, N] B; }
model { target += sum(A * B); })";

constexpr std::string_view kCholesky = R"(
data { int N; matrix[N, N] K; }
parameters { real<lower=0> s; }
model { target += sum(log(diagonal(cholesky_decompose(add_diag(K, s))))); })";

// Product: 2 n^3 for A B and for each adjoint. Cholesky: n^3 / 3, its adjoint twice that.
constexpr double cube(Index n) { return double(n) * double(n) * double(n); }
constexpr std::array<SuiteProgram, 4> kPrograms{
    {{"logistic regression, 10^6 x 20", kLogistic, logistic_data, 8.0 * kRows*(kColumns + 1), 0},
     {"varying intercepts, 4 10^6", kIntercepts, intercepts_data, (8.0 + 4.0) * kOutcomes, 0},
     {"product of matrices, 200", kProduct, product_data, 0, 6.0 * cube(kProductSize)},
     {"Cholesky and adjoint, 200", kCholesky, cholesky_data, 0, cube(kCholeskySize)}}};

io::DataValue integer(Index value) {
  io::DataValue result;
  result.kind = io::DataKind::integers;
  result.integers = {static_cast<std::int32_t>(value)};
  return result;
}

template <class Make>
io::DataValue reals(std::vector<Index> dims, Make make) {
  io::DataValue result;
  result.kind = io::DataKind::reals;
  Index size = 1;
  for (const Index dim : dims) size *= dim;
  result.dims = std::move(dims);
  for (Index i = 0; i < size; ++i) result.reals.push_back(make(i));
  return result;
}

template <class Make>
io::DataValue integers(Index size, Make make) {
  io::DataValue result;
  result.kind = io::DataKind::integers;
  result.dims = {size};
  for (Index i = 0; i < size; ++i) result.integers.push_back(static_cast<std::int32_t>(make(i)));
  return result;
}

Rng data_stream() { return Rng({.seed = 1, .purpose = purpose::kTest}); }

io::DataTable logistic_data() {
  Rng rng = data_stream();
  io::DataTable data("logistic");
  data.add("N", integer(kRows));
  data.add("K", integer(kColumns));
  data.add("X", reals({kRows, kColumns}, [&](Index) { return rng.normal(); }));
  data.add("y", integers(kRows, [&](Index) { return rng.uniform() < 0.5 ? 0 : 1; }));
  return data;
}

io::DataTable intercepts_data() {
  Rng rng = data_stream();
  io::DataTable data("intercepts");
  data.add("N", integer(kOutcomes));
  data.add("J", integer(kGroups));
  data.add("y", reals({kOutcomes}, [&](Index) { return rng.normal(); }));
  data.add("g", integers(kOutcomes, [&](Index) { return 1 + rng.index_below(kGroups); }));
  return data;
}

io::DataTable product_data() {
  io::DataTable data("product");
  data.add("N", integer(kProductSize));
  return data;
}

io::DataTable cholesky_data() {
  io::DataTable data("cholesky");
  data.add("N", integer(kCholeskySize));
  data.add("K", reals({kCholeskySize, kCholeskySize}, [](Index i) {
             const double distance = double(i / kCholeskySize - i % kCholeskySize) / 10.0;
             return std::exp(-0.5 * distance * distance);
           }));
  return data;
}

model::Model make_model(const SuiteProgram& program) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto compiled = model::compile_text(std::string(program.name), std::string(program.text),
                                      diagnostics, source);
  CREDO_ASSERT(compiled != nullptr, "the suite's programs are right");
  return model::Model(std::move(compiled), program.data(), {});
}

void time_program(const SuiteProgram& program, Index all_threads,
                  std::vector<SuiteResult>& results) {
  const model::Model model = make_model(program);
  const double start = clock_seconds();
  const auto traced =
      model.trace(std::vector<double>(static_cast<std::size_t>(model.dimension()), 0.0));
  const double trace_seconds = clock_seconds() - start;
  for (const Index threads : {Index{1}, all_threads}) {
    for (const Index lanes : {1, 8}) {
      GradientRunner runner(traced, lanes, threads);
      if (threads > 1 && !runner.splits()) continue;
      results.push_back({.name = std::string(program.name),
                         .lanes = lanes,
                         .threads = threads,
                         .trace_seconds = trace_seconds,
                         .microseconds = microseconds_per_gradient(runner),
                         .bytes = program.bytes / double(lanes),
                         .operations = program.operations});
    }
    if (all_threads == 1) return;
  }
}

// The best of several rounds: what the machine can do when nobody disturbs.
template <class Work>
double best_rate(Index num_threads, Work work) {
  double best = 0.0;
  for (int round = 0; round < 5; ++round) {
    std::vector<double> amounts(static_cast<std::size_t>(num_threads));
    const double start = clock_seconds();
    {
      std::vector<std::jthread> threads;
      for (Index t = 1; t < num_threads; ++t)
        threads.emplace_back([&, t] { amounts[static_cast<std::size_t>(t)] = work(t); });
      amounts[0] = work(Index{0});
    }
    const double seconds = clock_seconds() - start;
    double total = 0.0;
    for (const double amount : amounts) total += amount;
    best = std::max(best, total / seconds);
  }
  return best;
}

std::string share(double value) { return value > 0.0 ? fmt::format("{:.0f} %", 100 * value) : ""; }
}  // namespace

double SuiteResult::share_of_bandwidth(const MachineSpeed& machine) const {
  return 1e6 * bytes / microseconds / (threads > 1 ? machine.read_all : machine.read_one);
}
double SuiteResult::share_of_throughput(const MachineSpeed& machine) const {
  return 1e6 * operations / microseconds /
         (threads > 1 ? machine.operations_all : machine.operations_one);
}

MachineSpeed measure_machine() {
  MachineSpeed machine;
  machine.threads = num_processors();
  // Far beyond any cache; each thread reads a part of its own.
  AlignedArray buffer(Index{64} << 20);
  std::fill_n(buffer.data(), buffer.size(), 1.0);
  std::atomic<double> sink = 0.0;  // keeps the work from being left out
  const auto reader = [&](Index num_threads) {
    return [&, part = buffer.size() / num_threads](Index t) {
      const std::span<const double> all = buffer.span();
      sink = numerics::streaming_read(
          all.subspan(static_cast<std::size_t>(t * part), static_cast<std::size_t>(part)));
      return 8.0 * double(part);
    };
  };
  const auto operate = [&](Index) {
    const numerics::Operations done = numerics::multiply_adds(5'000'000);
    sink = done.value;
    return done.count;
  };
  machine.read_one = best_rate(1, reader(1));
  machine.read_all = best_rate(machine.threads, reader(machine.threads));
  machine.operations_one = best_rate(1, operate);
  machine.operations_all = best_rate(machine.threads, operate);
  return machine;
}

std::vector<SuiteResult> run_suite(Index threads) {
  std::vector<SuiteResult> results;
  for (const SuiteProgram& program : kPrograms) time_program(program, threads, results);
  return results;
}

std::string suite_text(const MachineSpeed& machine, std::span<const SuiteResult> results) {
  std::string text = fmt::format(
      "memory read: {:.1f} GB/s with one thread, {:.1f} GB/s with {}\n"
      "multiply-add: {:.1f} Gflop/s with one thread, {:.1f} Gflop/s with {}\n\n"
      "{:<32} {:>5} {:>7} {:>12} {:>12} {:>10} {:>10}\n",
      1e-9 * machine.read_one, 1e-9 * machine.read_all, machine.threads,
      1e-9 * machine.operations_one, 1e-9 * machine.operations_all, machine.threads, "program",
      "lanes", "threads", "us/gradient", "trace, s", "bandwidth", "flops");
  for (const SuiteResult& result : results) {
    text += fmt::format("{:<32} {:>5} {:>7} {:>12.1f} {:>12.3f} {:>10} {:>10}\n", result.name,
                        result.lanes, result.threads, result.microseconds, result.trace_seconds,
                        share(result.share_of_bandwidth(machine)),
                        share(result.share_of_throughput(machine)));
  }
  return text +
         "\nbandwidth: bytes of the data, once a batch, against as many threads that only read\n"
         "flops: operations of the textbook formula against as many threads that only multiply "
         "and add\n";
}

std::string suite_json(const MachineSpeed& machine, std::span<const SuiteResult> results) {
  results::ArrayList answer;
  answer.set_all("threads", machine.threads, "read_bytes_per_s", machine.read_one,
                 "read_bytes_per_s_all_threads", machine.read_all, "flops", machine.operations_one,
                 "flops_all_threads", machine.operations_all);
  auto add = answer.add_rows("programs", results).columns(results);
  add("name", &SuiteResult::name), add("lanes", &SuiteResult::lanes);
  add("threads", &SuiteResult::threads), add("us_per_gradient", &SuiteResult::microseconds);
  add("trace_s", &SuiteResult::trace_seconds), add("bytes", &SuiteResult::bytes);
  add("operations", &SuiteResult::operations);
  add("share_of_bandwidth",
      [&](const SuiteResult& result) { return result.share_of_bandwidth(machine); });
  add("share_of_throughput",
      [&](const SuiteResult& result) { return result.share_of_throughput(machine); });
  return answer_json(answer);
}

}  // namespace credo::cli
