#!/usr/bin/env python3
"""Shares of long tests and checks: which of them a commit runs (CONTRIBUTING.md, "Long tests and checks").

usage: shares.py                prints the share of the commit, such as 3/10: its number of ancestors modulo ten
A check that has long parts takes `--share K/N`, by default from CREDO_SHARE, and runs share K (from 0) of N; without both,
everything. `--parts` prints the parts that would run. Test programs read CREDO_SHARE, too (tests/support/share.hpp).
"""
import os
import re
import subprocess
import sys

NUM_SHARES = 10
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def hash_of(name):
    """FNV-1a in 32 bits."""
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 % 2**32
    return value


class Share:
    def __init__(self, text="0/1"):
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if not found or int(found[1]) >= int(found[2]):
            raise ValueError(f"{text}: expected K/N with 0 <= K < N, such as 3/10")
        self.number, self.count = int(found[1]), int(found[2])

    def has(self, item):
        """Numbers in turn, names by their hash."""
        return (item if isinstance(item, int) else hash_of(item)) % self.count == self.number

    def __str__(self):
        return f"{self.number}/{self.count}"


def add_options(parser):
    parser.add_argument("--share", type=Share, default=os.environ.get("CREDO_SHARE", "0/1"), metavar="K/N",
                        help="of the long parts only share K of N (default: CREDO_SHARE, or everything)")
    parser.add_argument("--parts", action="store_true", help="print the parts that would run, and run nothing")


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def share_of_commit():
    """Consecutive commits have consecutive shares. A shallow clone can't count: there the commit's hash decides."""
    if not git("rev-parse", "HEAD"):
        return Share(f"0/{NUM_SHARES}")
    if git("rev-parse", "--is-shallow-repository") == "true":
        return Share(f"{int(git('rev-parse', 'HEAD'), 16) % NUM_SHARES}/{NUM_SHARES}")
    return Share(f"{int(git('rev-list', '--count', 'HEAD')) % NUM_SHARES}/{NUM_SHARES}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    print(share_of_commit())
