# Evaluates in numpy the map that "npz to" wrote, and compares the features with those in the file:
#
#	python3 check.py map.npz
import sys
import numpy as np

f = np.load(sys.argv[1])
p = f["X"] @ f["frequencies"].T
waves = np.cos(p + f["phases"]) if "phases" in f else np.hstack([np.cos(p), np.sin(p)])
difference = abs(f["scale"] * waves - f["Z"]).max()
sys.exit(0 if difference <= 1e-12 else f"features differ by {difference}")
