"""Pictures of the examples: the commands of each page are run, then `credo plot` draws from their results. What has been made stays
in the build folder under a hash of all it was made of: the program, the page, its files and the picture's words."""
import hashlib
import json
import os
import shutil
import subprocess

from pages import Fault

EXAMPLES = {  # example: [(name, words of credo plot, what it shows)]; the first one is its picture in the gallery
    "rats": [("predictive", "rats.nc predictive", "Replicated weights beside the observed ones."),
             ("forest", "rats.nc forest --columns own_growth", "The growth of each rat, in g a week."),
             ("loo_pit", "rats.nc loo_pit", "Where each weight lies among its replicates, given all others."),
             ("overlay", "rats.nc overlay", "The density of the weights and those of replicates."),
             ("groups", "rats.nc groups --group rat", "The mean weight of each rat beside its replicates.")],
    "radon": [("forest", "partial.nc forest --columns beta", "The difference of floors in each county."),
              ("compare", "partial.nc pooled.nc separate.nc compare", "A population of counties, one line for all, and separate lines.")],
    "beetles": [("intervals", "cloglog.nc intervals", "Beetles killed at each dose, and what the model draws for them."),
                ("compare", "logit.nc cloglog.nc compare", "Which of the two curves predicts better."),
                ("bars", "cloglog.nc bars", "How often each number of killed beetles occurs, and occurs in replicates."),
                ("calibration", "cloglog.nc calibration", "Whether the counts lie evenly among their replicates.")],
    "doctors": [("forest", "by_age.nc forest --columns ratio --columns excess", "The ratio falls with age, the excess of deaths rises."),
                ("scores", "by_age.nc scores", "Which cells the model predicts badly."),
                ("row_scores", "by_age.nc row_scores", "Proper scores of each cell.")],
    "lsat": [("prior", "lsat.nc prior --columns discrimination", "What a thousand people say beyond the prior."),
             ("forest", "lsat.nc forest --columns discrimination", "No question surely discriminates best.")],
    "galaxies": [("density", "three.nc density --columns mu", "Three clusters, 1000 km/s."),
                 ("trace", "nuts.nc trace --columns mu", "Chains of the No-U-Turn sampler stay in separate modes."),
                 ("ladder", "three.nc ladder", "The population on its way from the prior to the posterior.")],
    "earthquakes": [("path", "two.nc path --columns state", "Calm (1) and restless (2) years."),
                    ("statistics", "one.nc statistics --pair quakes=quakes_rep", "One state doesn't draw such data.")],
    "sprint": [("intervals", "curve.nc intervals", "Winning times and what the curve draws for them."),
               ("density", "curve.nc density --columns next_time --columns lengthscale", "The next final.")],
    "lynx": [("intervals", "lynx.nc intervals", "Pelts of hares and lynxes, and what the equations draw."),
             ("pairs", "lynx.nc pairs --columns birth --columns predation --columns death --columns conversion",
              "The four rates are known together better than apart.")],
    "leukaemia": [("density", "weibull.nc density --columns median_weeks --columns hazard_ratio",
                   "Median weeks with the drug and without, and the ratio of hazards."),
                  ("ranks", "weibull.nc ranks --columns shape", "The four chains tell one story.")],
    "nile": [("path", "all.nc path --columns level", "The level of the Nile, from 1871 to 1970."),
             ("unseen", "gaps.nc path --columns unseen", "The forty years that were taken out, filled in.")],
    "corn": [("pairs", "corn.nc pairs --columns slope --columns reliability", "The worse the measurement, the steeper the slope."),
             ("autocorrelation", "corn.nc autocorrelation --columns slope", "How long draws of the slope stay alike.")],
    "bcg": [("forest", "bcg.nc forest --columns own_effect --columns effect", "Log odds ratios of the trials, and their mean."),
            ("loo", "bcg.nc loo", "Why there is no comparison: most rows have a large Pareto k."),
            ("energy", "latitude.nc energy", "Energies of the run with the latitude.")],
}

# Kinds that no example can show, and why.
UNSHOWN = {"reliability": "It needs rows of two or more classes; the examples have none. `credo plot` draws it from a fit of "
                          "`examples/logistic_regression.stan`.",
           "bound": "It needs a fit of `credo approximate`, and the examples sample; `docs/approximations.md` draws it.",
           "states": "It needs a file of `credo filter` or `credo smooth`; `docs/algorithms/filters.md` makes one."}


def hash_of(*parts):
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(str(len(data)).encode() + b":" + data)
    return digest.hexdigest()[:16]


def contents(folder):
    texts = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            texts += [name, file.read()]
    return texts


class Pictures:
    """Of the examples, in `folder`. With `draw` false nothing is run: a page has the pictures that are there."""

    def __init__(self, root, credo, folder, draw):
        self.root, self.credo, self.folder, self.draw = root, os.path.realpath(credo), folder, draw
        self.num_run, self.num_drawn = 0, 0
        with open(self.credo, "rb") as file:
            self.program = hash_of(file.read())

    def of(self, example, code):
        """[{name, words, shows, file, title, kind}]; `code` is the text of the page's commands."""
        if example not in EXAMPLES:
            raise Fault(f"docs/examples/{example}.md: the example has no picture; add a row to EXAMPLES of tools/site_parts/pictures.py")
        key = hash_of(self.program, code, *contents(os.path.join(self.root, "examples", example)))
        place = os.path.join(self.folder, example)
        made = []
        for name, words, shows in EXAMPLES[example]:
            file = os.path.join(place, f"{name}.{hash_of(key, words)}.svg")
            if not os.path.exists(file) and self.draw:
                self.run(example, code, key)
                self.plot(example, words, file)
            if os.path.exists(file):
                made.append({"example": example, "name": name, "words": words, "shows": shows, "file": file})
        if self.draw:
            self.forget(place, {row["file"] for row in made})
        return made

    def environment(self):
        place = os.path.join(self.folder, "bin")
        os.makedirs(place, exist_ok=True)
        link = os.path.join(place, "credo")
        if os.path.realpath(link) != self.credo:
            if os.path.lexists(link):
                os.remove(link)
            os.symlink(self.credo, link)
        return {**os.environ, "PATH": place + ":" + os.environ["PATH"]}

    def run(self, example, code, key):
        place = os.path.join(self.folder, example)
        mark = os.path.join(place, "run.json")
        if os.path.exists(mark):
            with open(mark, encoding="utf-8") as file:
                if json.load(file) == key:
                    return
        print(f"site: runs the commands of docs/examples/{example}.md", flush=True)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        done = subprocess.run(["bash", "-c", "set -eo pipefail\n" + code], cwd=place, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, env=self.environment())
        if done.returncode != 0:
            raise Fault(f"docs/examples/{example}.md: its commands end with status {done.returncode}:\n{done.stderr[-2000:]}")
        with open(mark, "w", encoding="utf-8") as file:
            json.dump(key, file)
        self.num_run += 1

    def plot(self, example, words, file):
        done = subprocess.run([self.credo, "plot", *words.split(), "-o", file], cwd=os.path.join(self.folder, example),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise Fault(f"tools/site_parts/pictures.py: {example}: credo plot {words}: {done.stderr}")
        self.num_drawn += 1

    @staticmethod
    def forget(place, kept):
        """Pictures of other programs and other words."""
        for name in os.listdir(place) if os.path.isdir(place) else ():
            path = os.path.join(place, name)
            if name.endswith(".svg") and path not in kept:
                os.remove(path)
