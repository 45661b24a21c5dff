"""usage: read_netcdf.py NAME:saved NAME:not ...   in a folder with NAME.nc, NAME_1.csv ... NAME_4.csv and NAME.json, a summary

saved: with warm-up. Opens every group of NAME.nc with xarray and netCDF4, computes with it, and compares: values with those of the CSV files of
the same run, bit by bit; means and effective sample sizes, computed here from their formulas, with the summary.
"""
import csv
import json
import sys
from statistics import NormalDist

import netCDF4
import numpy as np
import xarray

faults = 0


def claim(holds, words):
    global faults
    if not holds:
        faults += 1
        print(f"read_netcdf: false: {words}")


def groups_of(dataset, path=""):
    for name, group in dataset.groups.items():
        yield f"{path}{name}"
        yield from groups_of(group, f"{path}{name}/")


def csv_chain(path):
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        table = list(rows)
    return {name: np.array([float(row[name]) for row in table]) for name in rows.fieldnames}


def columns_of(name, variable):
    """CSV column and index of each element of a variable with dimensions chain, draw, ..."""
    for place in np.ndindex(variable.shape[2:]):
        yield ".".join([name] + [str(i + 1) for i in place]), (slice(None), slice(None), *place)


def ess_of(chains):
    """Of the mean of chains: autocorrelations by the FFT, Geyer's initial monotone sums [vehtari2021, sec. 3.2]."""
    m, n = chains.shape
    centred = chains - chains.mean(axis=1, keepdims=True)
    covariance = np.fft.irfft(np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2, axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    rho = 1 - (within - covariance) / (covariance[0] + chains.mean(axis=1).var(ddof=1))
    rho[0] = 1
    tau, least, t = -1.0, np.inf, 0
    while t < n - 5 and rho[t] + rho[t + 1] > 0:
        least = min(least, rho[t] + rho[t + 1])
        tau += 2 * least
        t += 2
    tau += max(rho[t], 0.0)  # half a pair, against the bias of antithetic chains
    return m * n / max(tau, 1 / np.log10(m * n))


def bulk_ess(chains):
    """Of the normal scores of the ranks in split chains [vehtari2021, eq. 14]."""
    half = chains.shape[1] // 2
    chains = np.concatenate([chains[:, :half], chains[:, -half:]])
    _, inverse, counts = np.unique(chains, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse].reshape(chains.shape)
    return ess_of(np.vectorize(NormalDist().inv_cdf)((ranks - 0.375) / (chains.size + 0.25)))


def read_all_groups(name):
    with netCDF4.Dataset(f"{name}.nc") as dataset:
        names = list(groups_of(dataset))
        for path in names:
            for variable in dataset[path].variables.values():
                claim(np.ma.count_masked(variable[:]) == 0, f"{name}: {path}/{variable.name} has missing values")
    found = {}
    for path in names:
        with xarray.open_dataset(f"{name}.nc", group=path) as opened:
            found[path] = opened.load()
        for variable in found[path].data_vars.values():
            if np.issubdtype(variable.dtype, np.number) and variable.size > 0:
                claim(np.isfinite(float(variable.mean())), f"{name}: the mean of {path}/{variable.name}")
    return found


def compare_with_csv(name, groups, is_saved):
    chains = [csv_chain(f"{name}_{chain}.csv") for chain in range(1, 5)]
    num_warmup = len(chains[0]["lp__"]) - groups["posterior"].sizes["draw"] * groups["posterior"].sizes["chain"] // 4
    compared = {True: set(), False: set()}  # warm-up or not -> columns
    for path, group in groups.items():
        if not {"chain", "draw"} <= set(group.dims):
            continue
        is_warmup, plain = path.startswith("warmup_"), not path.endswith("sample_stats")
        rows = slice(0, num_warmup) if is_warmup else slice(num_warmup, None)
        for variable in group.data_vars.values():
            stem = variable.name if plain else variable.attrs.get("stan_name", variable.attrs.get("own_name", "") + "__")
            for column, place in columns_of(stem, variable):
                expected = np.array([chain[column][rows] for chain in chains]).reshape(variable.shape[:2])
                claim(np.array_equal(variable.values[place].astype(float), expected), f"{name}: {path}: {column}")
                compared[is_warmup].add(column)
    claim(compared[False] == set(chains[0]), f"{name}: columns that the NetCDF file lacks: {set(chains[0]) - compared[False]}")
    claim(compared[True] == (set(chains[0]) if is_saved else set()), f"{name}: columns of warm-up")


def compare_with_summary(name, posterior):
    """Sums of a few thousand numbers: 1e-11; ranks and transforms are the same numbers up to rounding, their sums to 1e-8."""
    with open(f"{name}.json", encoding="utf-8") as file:
        rows = {row["name"]: row for row in json.load(file)}
    seen = 0
    for variable in posterior.data_vars.values():
        means = variable.mean(("chain", "draw"))
        for column, place in columns_of(variable.name, variable):
            row, chains = rows[column], variable.values[place].astype(float)
            mean = float(means.values[place[2:]])
            claim(abs(mean - row["mean"]) <= 1e-11 * max(1, abs(mean)), f"{name}: mean of {column}: {mean}, {row['mean']}")
            if np.ptp(chains) > 0:
                ess = bulk_ess(chains)
                claim(abs(ess - row["ess_bulk"]) <= 1e-8 * ess, f"{name}: bulk ESS of {column}: {ess}, {row['ess_bulk']}")
                seen += 1
    claim(seen > 20, f"{name}: {seen} effective sample sizes")


def main():
    runs = dict(word.split(":") for word in sys.argv[1:])
    for name, warmup in runs.items():
        groups = read_all_groups(name)
        compare_with_csv(name, groups, warmup == "saved")
        claim("constant_data" in groups or "observed_data" in groups, f"{name}: the data")
        compare_with_summary(name, groups["posterior"])
    print(f"read_netcdf: {len(runs)} files, {faults} false claims")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
