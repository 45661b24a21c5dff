#include "numerics/ode/multistep.hpp"

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>

#include "base/error.hpp"

namespace credo::numerics {
namespace {
constexpr int kGoOn = 0, kTryShorter = 1, kGiveUp = -1;  // what CVODES' callbacks return

void demand(bool holds) {
  if (!holds) throw Error(ErrorCode::internal, "CVODES can't be set up", "ode solver");
}

bool all_finite(const double* values, Index count) {
  return std::all_of(values, values + count, [](double v) { return std::isfinite(v); });
}
}  // namespace

struct Multistep::Solver {
  Solver(MultistepMethod method, Index states, Index columns);
  ~Solver();
  OdeEnd solve(SensitivitySystem& system, const MultistepProblem& problem);

  void set_up_sensitivities();
  void start(const MultistepProblem& problem);
  void write(double* out);
  template <class Work>
  int guarded(Work work);

  static int derivative(realtype t, N_Vector y, N_Vector dy, void* self);
  static int jacobian(realtype t, N_Vector y, N_Vector dy, SUNMatrix j, void* self, N_Vector,
                      N_Vector, N_Vector);
  static int sensitivities(int count, realtype t, N_Vector y, N_Vector dy, N_Vector* s,
                           N_Vector* ds, void* self, N_Vector, N_Vector);
  static void be_silent(int, const char*, const char*, char*, void*) {}

  Index n, c;
  SensitivitySystem* system = nullptr;
  std::exception_ptr thrown;
  std::vector<double> rows, slopes, absolute;  // rows [state][column]
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  N_Vector* s = nullptr;  // by columns
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  void* memory = nullptr;
};

// A C library must not be left by an exception: it is kept and thrown again by solve.
template <class Work>
int Multistep::Solver::guarded(Work work) {
  try {
    return work();
  } catch (...) {
    thrown = std::current_exception();
    return kGiveUp;
  }
}

int Multistep::Solver::derivative(realtype t, N_Vector y, N_Vector dy, void* self) {
  auto& own = *static_cast<Solver*>(self);
  return own.guarded([&] {
    double* out = N_VGetArrayPointer(dy);
    if (!own.system->derivative(t, N_VGetArrayPointer(y), out)) return kGiveUp;
    return all_finite(out, own.n) ? kGoOn : kTryShorter;
  });
}

int Multistep::Solver::jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix j, void* self, N_Vector,
                                N_Vector, N_Vector) {
  auto& own = *static_cast<Solver*>(self);
  return own.guarded([&] {
    double* out = SUNDenseMatrix_Data(j);
    if (!own.system->jacobian(t, N_VGetArrayPointer(y), out)) return kGiveUp;
    return all_finite(out, own.n * own.n) ? kGoOn : kTryShorter;
  });
}

int Multistep::Solver::sensitivities(int, realtype t, N_Vector y, N_Vector, N_Vector* s,
                                     N_Vector* ds, void* self, N_Vector, N_Vector) {
  auto& own = *static_cast<Solver*>(self);
  return own.guarded([&] {
    for (Index j = 0; j < own.c; ++j) {
      const double* column = N_VGetArrayPointer(s[j]);
      for (Index i = 0; i < own.n; ++i) own.rows[std::size_t(i * own.c + j)] = column[i];
    }
    if (!own.system->sensitivities(t, N_VGetArrayPointer(y), own.rows.data(), own.slopes.data()))
      return kGiveUp;
    for (Index j = 0; j < own.c; ++j) {
      double* column = N_VGetArrayPointer(ds[j]);
      for (Index i = 0; i < own.n; ++i) column[i] = own.slopes[std::size_t(i * own.c + j)];
    }
    return all_finite(own.slopes.data(), own.n * own.c) ? kGoOn : kTryShorter;
  });
}

Multistep::Solver::Solver(MultistepMethod method, Index states, Index columns)
    : n(states),
      c(columns),
      rows(static_cast<std::size_t>(states * columns)),
      slopes(rows.size()),
      absolute(static_cast<std::size_t>(columns)) {
  demand(SUNContext_Create(nullptr, &context) == 0);
  y = N_VNew_Serial(n, context);
  matrix = SUNDenseMatrix(n, n, context);
  linear = SUNLinSol_Dense(y, matrix, context);
  memory = CVodeCreate(method == MultistepMethod::bdf ? CV_BDF : CV_ADAMS, context);
  demand(memory != nullptr && linear != nullptr);
  demand(CVodeSetErrHandlerFn(memory, be_silent, nullptr) == CV_SUCCESS);
  demand(CVodeInit(memory, derivative, 0.0, y) == CV_SUCCESS);
  demand(CVodeSStolerances(memory, 1e-6, 1e-6) == CV_SUCCESS);
  demand(CVodeSetUserData(memory, this) == CV_SUCCESS);
  demand(CVodeSetLinearSolver(memory, linear, matrix) == CV_SUCCESS);
  demand(CVodeSetJacFn(memory, jacobian) == CV_SUCCESS);
  if (c > 0) set_up_sensitivities();
}

void Multistep::Solver::set_up_sensitivities() {
  s = N_VCloneVectorArray(static_cast<int>(c), y);
  demand(s != nullptr);
  for (Index j = 0; j < c; ++j) N_VConst(0.0, s[j]);
  demand(CVodeSensInit(memory, static_cast<int>(c), CV_STAGGERED, sensitivities, s) == CV_SUCCESS);
  demand(CVodeSetSensErrCon(memory, SUNTRUE) == CV_SUCCESS);
}

Multistep::Solver::~Solver() {
  CVodeFree(&memory);
  if (s != nullptr) N_VDestroyVectorArray(s, static_cast<int>(c));
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  SUNContext_Free(&context);
}

void Multistep::Solver::start(const MultistepProblem& problem) {
  std::copy_n(problem.initial, n, N_VGetArrayPointer(y));
  for (Index j = 0; j < c; ++j) {
    double* column = N_VGetArrayPointer(s[j]);
    for (Index i = 0; i < n; ++i) column[i] = problem.initial[n + i * c + j];
  }
  const OdeTolerance& tolerance = problem.tolerance;
  demand(CVodeReInit(memory, problem.start, y) == CV_SUCCESS);
  demand(CVodeSStolerances(memory, tolerance.relative, tolerance.absolute) == CV_SUCCESS);
  demand(CVodeSetMaxNumSteps(memory, static_cast<long>(tolerance.max_steps)) == CV_SUCCESS);
  if (c == 0) return;
  std::fill(absolute.begin(), absolute.end(), tolerance.absolute);
  demand(CVodeSensReInit(memory, CV_STAGGERED, s) == CV_SUCCESS);
  demand(CVodeSensSStolerances(memory, tolerance.relative, absolute.data()) == CV_SUCCESS);
}

void Multistep::Solver::write(double* out) {
  std::copy_n(N_VGetArrayPointer(y), n, out);
  for (Index j = 0; j < c; ++j) {
    const double* column = N_VGetArrayPointer(s[j]);
    for (Index i = 0; i < n; ++i) out[n + i * c + j] = column[i];
  }
}

OdeEnd Multistep::Solver::solve(SensitivitySystem& f, const MultistepProblem& problem) {
  system = &f;
  thrown = nullptr;
  start(problem);
  double reached = problem.start;
  for (std::size_t k = 0; k < problem.times.size(); ++k) {
    int flag = CV_SUCCESS;
    if (problem.times[k] > reached) {
      flag = CVode(memory, problem.times[k], y, &reached, CV_NORMAL);
      if (flag >= 0 && c > 0) flag = CVodeGetSens(memory, &reached, s);
    }
    if (thrown != nullptr) std::rethrow_exception(std::exchange(thrown, nullptr));
    if (flag < 0) {
      return {.complete = false, .out_of_steps = flag == CV_TOO_MUCH_WORK, .reached = reached};
    }
    write(problem.out + static_cast<Index>(k) * n * (1 + c));
  }
  return {};
}

Multistep::Multistep(MultistepMethod method, Index states, Index columns)
    : solver_(std::make_unique<Solver>(method, states, columns)) {}
Multistep::~Multistep() = default;

OdeEnd Multistep::solve(SensitivitySystem& system, const MultistepProblem& problem) {
  return solver_->solve(system, problem);
}

}  // namespace credo::numerics
