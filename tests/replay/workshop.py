"""What campaigns of random programs share: commands that must succeed, and seeds tried two at a time until enough are
verified."""
import collections
import concurrent.futures
import os
import subprocess

PATIENCE = 600  # seconds, for each command; it takes one, and longer where others work
JOBS = min(2, os.cpu_count())


class Failed(Exception):
    """A program that shows a fault."""


class PassedOver(Exception):
    """A program that proves nothing, and why."""


def run(command, directory, codes=(0,), **options):
    """What it printed. A command that ends with another code, or not at all, is a failure."""
    try:
        done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=PATIENCE, **options)
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(command)}\nhas not ended after {PATIENCE} seconds")
    if done.returncode not in codes:
        raise Failed(f"{' '.join(command)}\nexit code {done.returncode}\n{done.stdout}")
    return done.stdout


def read_again(hindcast, elf, log, directory):
    """The second reader of logs reads the same."""
    run([os.path.join(os.path.dirname(os.path.abspath(__file__)), "../format/compare.py"), hindcast, elf, log], directory)


def try_seeds(try_seed, first, count):
    """TRY_SEED(seed) gives how it went ("verified", "failed", or why it was passed over) and what to print. Goes on until
    COUNT were verified or failed, or too many passed over. Returns how many went how."""
    results = collections.Counter()
    seed = first
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        while (missing := count - results["verified"] - results["failed"]) > 0 and results.total() < 3 * count + 30:
            seeds = range(seed, seed + missing)
            for tried, (how, text) in zip(seeds, pool.map(try_seed, seeds)):
                results[how] += 1
                print(f"seed {tried}: {text}", flush=True)
            seed += missing
    return results
