#!/usr/bin/env python3
"""The C interface from Python's ctypes: equal to `credo log-prob` on all shipped examples, closed forms, copies of the
library that carry a program by their name, the page docs/c-interface.md.

usage: c_interface.py --library libcredo_c.so --credo credo --cc cc
"""
import argparse
import ctypes
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
DOUBLES = ctypes.POINTER(ctypes.c_double)
MESSAGE = ctypes.POINTER(ctypes.c_char_p)
FLAG, MODEL, TEXT, DOUBLE = ctypes.c_bool, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_double)
SIGNATURES = {
    "bs_model_construct": (MODEL, TEXT, ctypes.c_uint, MESSAGE),
    "credo_model_open": (MODEL, TEXT, TEXT, ctypes.c_uint, MESSAGE),
    "bs_model_destruct": (None, MODEL),
    "bs_free_error_msg": (None, ctypes.c_void_p),
    "bs_name": (TEXT, MODEL),
    "bs_param_names": (TEXT, MODEL, FLAG, FLAG),
    "bs_param_unc_names": (TEXT, MODEL),
    "bs_param_num": (ctypes.c_int, MODEL, FLAG, FLAG),
    "bs_param_unc_num": (ctypes.c_int, MODEL),
    "bs_param_constrain": (ctypes.c_int, MODEL, FLAG, FLAG, DOUBLES, DOUBLES, ctypes.c_void_p, MESSAGE),
    "bs_param_unconstrain": (ctypes.c_int, MODEL, DOUBLES, DOUBLES, MESSAGE),
    "bs_param_unconstrain_json": (ctypes.c_int, MODEL, TEXT, DOUBLES, MESSAGE),
    "bs_log_density": (ctypes.c_int, MODEL, FLAG, FLAG, DOUBLES, DOUBLE, MESSAGE),
    "bs_log_density_gradient": (ctypes.c_int, MODEL, FLAG, FLAG, DOUBLES, DOUBLE, DOUBLES, MESSAGE),
    "bs_log_density_hessian": (ctypes.c_int, MODEL, FLAG, FLAG, DOUBLES, DOUBLE, DOUBLES, DOUBLES, MESSAGE),
    "bs_rng_construct": (ctypes.c_void_p, ctypes.c_uint, MESSAGE),
    "bs_rng_destruct": (None, ctypes.c_void_p),
}
faults = 0


def claim(holds, words):
    global faults
    if not holds:
        faults += 1
        print(f"c_interface: false: {words}")


def load(path):
    library = ctypes.CDLL(path)
    for name, (result, *arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class Failure(Exception):
    pass


class Model:
    def __init__(self, library, data=None, program=None):
        self.library, self.pointer = library, None
        message = ctypes.c_char_p()
        data = None if data is None else data.encode()
        if program is None:
            self.pointer = library.bs_model_construct(data, 1, ctypes.byref(message))
        else:
            self.pointer = library.credo_model_open(program.encode(), data, 1, ctypes.byref(message))
        if not self.pointer:
            self.fail(message)
        self.dimension = library.bs_param_unc_num(self.pointer)

    def __del__(self):
        if self.pointer:
            self.library.bs_model_destruct(self.pointer)

    def fail(self, message):
        text = message.value.decode()
        self.library.bs_free_error_msg(message)
        raise Failure(text)

    def call(self, name, *arguments):
        message = ctypes.c_char_p()
        if getattr(self.library, name)(self.pointer, *arguments, ctypes.byref(message)) != 0:
            self.fail(message)

    def array(self, values):
        return (ctypes.c_double * len(values))(*values)

    def gradient(self, point, propto, jacobian):
        value, gradient = ctypes.c_double(), self.array([0.0] * self.dimension)
        self.call("bs_log_density_gradient", propto, jacobian, self.array(point), ctypes.byref(value), gradient)
        return value.value, list(gradient)

    def constrain(self, point, tp=False, gq=False, seed=1):
        out = self.array([0.0] * self.library.bs_param_num(self.pointer, tp, gq))
        rng = self.library.bs_rng_construct(seed, None)
        self.call("bs_param_constrain", tp, gq, self.array(point), out, rng)
        self.library.bs_rng_destruct(rng)
        return list(out)

    def unconstrain(self, theta):
        out = self.array([0.0] * self.dimension)
        self.call("bs_param_unconstrain", self.array(theta), out)
        return list(out)

    def unconstrain_json(self, values):
        out = self.array([0.0] * self.dimension)
        self.call("bs_param_unconstrain_json", json.dumps(values).encode(), out)
        return list(out)


def close(x, y, relative):
    return abs(x - y) <= relative * max(1.0, abs(y))


def log_prob(credo, stem, point, folder, *more):
    path = os.path.join(folder, "point.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump([point], file)
    done = subprocess.run([credo, "log-prob", stem + ".stan", "--data", stem + ".data.json", "--discrete", "sum",
                           "--unconstrained", path, *more], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(done.stderr)
    return json.loads(done.stdout)[0]


def examples_equal_the_command(library, credo, folder):
    """Sums of some thousand terms in another order of the same arithmetic: 1e-11 of the largest."""
    seen = 0
    for program in sorted(glob.glob(os.path.join(ROOT, "examples", "*.stan"))):
        stem = program.removesuffix(".stan")
        name = os.path.basename(stem)
        try:
            model = Model(library, stem + ".data.json", program)
        except Failure as failure:  # discrete parameters with too many states to be summed out
            claim("discrete" in str(failure), f"{name}: {failure}")
            continue
        seen += 1
        claim(library.bs_name(model.pointer).decode() == name + "_model", f"{name}: its name")
        point = [0.3 * math.sin(0.7 * (k + 1)) for k in range(model.dimension)]
        for propto in (False, True):
            expected = log_prob(credo, stem, point, folder, *(["--drop-constants"] if propto else []))
            value, gradient = model.gradient(point, propto, True)
            claim(close(value, expected["log_density"], 1e-11), f"{name}: {value} for {expected['log_density']}")
            largest = max(map(abs, expected["gradient"]))
            claim(all(abs(x - y) <= 1e-11 * max(1.0, largest) for x, y in zip(gradient, expected["gradient"])),
                  f"{name}: gradient")
            value, _ = model.gradient(point, propto, False)
            claim(close(value, expected["log_density_no_jacobian"], 1e-11), f"{name}: without Jacobian")
        theta = model.constrain(point)
        claim(all(close(x, y, 1e-9) for x, y in zip(model.unconstrain(theta), point)), f"{name}: there and back")
        full = model.constrain(point, True, True, 3)
        claim(full == model.constrain(point, True, True, 3), f"{name}: equal seeds, equal draws")
        names = library.bs_param_names(model.pointer, True, True).decode().split(",")
        claim(len(names) == len(full) and len(set(names)) == len(names), f"{name}: a name for each value")
    claim(seen >= 8, f"{seen} examples")


BERNOULLI = """data { int N; array[N] int<lower=0, upper=1> y; }
parameters { real<lower=0, upper=1> p; simplex[3] s; }
model { y ~ bernoulli(p); }
generated quantities { int r = bernoulli_rng(p); }"""


def closed_forms(library):
    model = Model(library, json.dumps({"N": 10, "y": [0, 1, 0, 0, 0, 0, 0, 0, 0, 1]}), BERNOULLI)
    x = 0.4
    p = 1 / (1 + math.exp(-x))
    point = [x, 0.0, 0.0]
    value, gradient = model.gradient(point, False, False)
    claim(close(value, 2 * math.log(p) + 8 * math.log(1 - p), 1e-13), "the log density of ten coins")
    claim(close(gradient[0], 2 - 10 * p, 1e-13) and gradient[1] == 0, "its gradient")
    uniform = [1 / 3] * 3
    claim(all(close(a, b, 1e-15) for a, b in zip(model.constrain(point), [p] + uniform)), "a simplex in the middle")
    claim(all(close(a, b, 1e-12) for a, b in zip(model.unconstrain_json({"p": p, "s": uniform}), point)), "from JSON")
    draws = [model.constrain(point, False, True, seed)[-1] for seed in range(200)]
    # 200 draws with p = 0.6: 120, standard deviation 6.9; 28 is four of them
    claim(92 <= sum(draws) <= 148, f"{sum(draws)} ones of 200 with probability 0.6")
    for data, words in (("{\"N\": 2}", "y"), ("{\"N\": 1, \"y\": [2]}", "y"), ("[", "data:1:")):
        try:
            Model(library, data, BERNOULLI)
            claim(False, f"data {data} are refused")
        except Failure as failure:
            claim(words in str(failure), f"data {data}: {failure}")


def copies_carry_programs(library_path, folder):
    """As a client of BridgeStan would load them: two programs in one process."""
    for name, scale in (("narrow", 1), ("wide", 10)):
        with open(os.path.join(folder, name + ".stan"), "w", encoding="utf-8") as file:
            file.write(f"parameters {{ real x; }} model {{ x ~ normal(0, {scale}); }}")
        shutil.copy(library_path, os.path.join(folder, name + "_model.so"))
    with open(os.path.join(folder, "including.stan"), "w", encoding="utf-8") as file:
        file.write("#include narrow.stan\n")
    included = Model(load(library_path), None, os.path.join(folder, "including.stan"))
    claim(included.gradient([2.0], True, True)[0] == -2.0, "a program includes files of its folder")
    models = {scale: Model(load(os.path.join(folder, name + "_model.so"))) for name, scale in (("narrow", 1), ("wide", 10))}
    for scale, model in models.items():
        value, gradient = model.gradient([2.0], True, True)
        claim(close(value, -2.0 / scale**2, 1e-15) and close(gradient[0], -2.0 / scale**2, 1e-15), f"the copy of {scale}")
    os.environ["CREDO_PROGRAM"] = os.path.join(folder, "wide.stan")
    claim(Model(load(library_path)).gradient([5.0], True, True)[0] == -0.125, "CREDO_PROGRAM")


def page_is_true(options, folder):
    """The program of the page compiles as C11 and prints what the page says."""
    with open(os.path.join(ROOT, "docs/c-interface.md"), encoding="utf-8") as file:
        page = file.read()
    program, said = re.search(r"^```c\n(.*?)^```\s+^```text output\n(.*?)^```", page, re.M | re.S).groups()
    source, binary = os.path.join(folder, "example.c"), os.path.join(folder, "example")
    with open(source, "w", encoding="utf-8") as file:
        file.write(program)
    place = os.path.dirname(os.path.abspath(options.library))
    subprocess.run([options.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(ROOT, "include"), source, "-o",
                    binary, "-L", place, "-lcredo_c", "-Wl,-rpath," + place], check=True)
    printed = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    claim(printed == said, f"the page's program prints {printed!r}, the page says {said!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--library", "--credo", "--cc"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    library = load(options.library)
    with tempfile.TemporaryDirectory() as folder:
        examples_equal_the_command(library, options.credo, folder)
        closed_forms(library)
        copies_carry_programs(options.library, folder)
        page_is_true(options, folder)
    print(f"c_interface: {faults} false claims")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
