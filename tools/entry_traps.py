"""Whether a run executes a function, without a build of its own and without debug information.

In a copy of the program every function of the given name begins with a breakpoint (int3); a run that comes to one ends by
SIGTRAP. A function that the compiler has put into all of its callers has no address, so nothing can be said of it.
Needs readelf and c++filt (binutils), and an x86-64 program.
"""
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from functools import lru_cache

SECTION = re.compile(r"\]\s+(\.\S+)\s+PROGBITS\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)")


def output_of(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def path_of(demangled):
    """The parts of a function's qualified name: without return type, arguments and those of templates."""
    text, depth = "", 0
    plain = re.sub(r"\[abi:\w+\]", "", demangled).replace("(anonymous namespace)", "anonymous").replace("operator()", "call")
    for letter in plain:
        if letter == "(" and depth == 0:
            break
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if depth == 0 and letter != ">":
            text += letter
    return text.split(" ")[-1].split("::")


@lru_cache(maxsize=None)
def functions(program):
    """Address, mangled name, parts of the name, file. The file only of functions that nothing else can see, else empty."""
    found, file = [], ""
    for line in output_of(["readelf", "-sW", program]).splitlines():
        fields = line.split(maxsplit=7)
        if len(fields) < 7 or not fields[0][:-1].isdigit():
            continue
        address, kind, binding, section, name = fields[1], fields[3], fields[4], fields[6], (fields[7:] or [""])[0]
        if kind == "FILE":  # of the local functions that follow; without a name: hidden ones of all files
            file = name
        elif kind == "FUNC" and section != "UND" and ".cold" not in name:
            found.append((int(address, 16), name.split(".")[0], file if binding == "LOCAL" else ""))
    names = output_of(["c++filt"], "\n".join(name for _, name, _ in found)).split("\n")
    return [(address, mangled, path_of(name), file) for (address, mangled, file), name in zip(found, names)]


@lru_cache(maxsize=None)
def sections(program):
    found = SECTION.findall(output_of(["readelf", "-SW", program]))
    return [tuple(int(number, 16) for number in numbers) for _, *numbers in found]


def objects_of(build, source):
    return glob.glob(os.path.join(build, "CMakeFiles", "*.dir", source + ".o"))


def is_compiled(build, source, symbol):
    """Whether SOURCE is compiled by itself and has a function of that name that isn't inlined everywhere."""
    return any(symbol in path for one in objects_of(build, source) for _, _, path, _ in functions(one))


def addresses(program, build, source, symbol):
    """Of the functions called SYMBOL, and of members of a class of that name; those of SOURCE, if it is compiled by itself."""
    objects = objects_of(build, source)
    names = {mangled for one in objects for _, mangled, _, _ in functions(one)}
    files = ("", os.path.basename(source))
    return [address for address, mangled, path, file in functions(program)
            if symbol in path and (not objects or (mangled in names and file in files))]


def is_touched(program, at, arguments, root, seconds=120):
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(program, folder)
        with open(copy, "r+b") as file:
            for address in at:
                begin, offset, _ = next(s for s in sections(program) if s[0] <= address < s[0] + s[2])
                file.seek(offset + address - begin)
                file.write(b"\xcc")
        try:
            done = subprocess.run([copy, *arguments], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=seconds,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == -signal.SIGTRAP
