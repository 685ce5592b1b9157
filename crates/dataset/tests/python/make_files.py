"""Writes one matrix in every way NumPy and SciPy know, into the folder given; expected.f64 holds its values by columns.

Also checks the files that the Rust test wrote, when called with `check`.
"""

import sys
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

folder = Path(sys.argv[1])
rows, cols = 37, 53
generator = np.random.default_rng(7)
x = generator.integers(1, 100, (rows, cols)) * (generator.random((rows, cols)) < 0.3)

if sys.argv[2:] == ["check"]:
    dense = np.load(folder / "out.npy")
    assert dense.dtype == np.float64 and dense.flags.f_contiguous and (dense == x).all()
    sparse = scipy.sparse.load_npz(folder / "out.npz")
    assert sparse.format == "csc" and sparse.indices.dtype == np.int32 and sparse.has_canonical_format
    assert sparse.shape == x.shape and (sparse.toarray() == x).all()
    ours, theirs = np.load(folder / "out.npz"), np.load(folder / "csc_plain.npz")
    assert ours.files == theirs.files, (ours.files, theirs.files)
    for name in ours.files:
        assert ours[name].shape == theirs[name].shape and (ours[name] == theirs[name]).all(), name
        assert ours[name].dtype.kind == theirs[name].dtype.kind, name
    sys.exit()

x.astype("<f8").ravel("F").tofile(folder / "expected.f64")
for dtype in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
    for endian in "<>":
        y = x.astype(endian + dtype)
        name = ("little" if endian == "<" else "big") + "_" + dtype
        np.save(folder / f"{name}_c.npy", np.ascontiguousarray(y))
        np.save(folder / f"{name}_f.npy", np.asfortranarray(y))
np.savez(folder / "one.npz", x)
np.savez_compressed(folder / "one_compressed.npz", np.asfortranarray(x.astype(float)))
np.savez_compressed(folder / "one_compressed_c.npz", x.astype(np.float32))
for form in "csr", "csc", "coo":
    for compressed in True, False:
        y = scipy.sparse.coo_matrix(x.astype(float)).asformat(form)
        scipy.sparse.save_npz(folder / f"{form}_{'compressed' if compressed else 'plain'}.npz", y, compressed)
    scipy.sparse.save_npz(folder / f"{form}_array.npz", scipy.sparse.coo_array(x).asformat(form))
for compressed in True, False:
    tag = "compressed" if compressed else "plain"
    for dtype in "i1 i2 i4 i8 u1 u2 u4 u8 f4 f8".split():
        scipy.io.savemat(folder / f"{dtype}_{tag}.mat", {"X": x.astype(dtype)}, do_compression=compressed)
    y = scipy.sparse.csc_matrix(x.astype(float))
    scipy.io.savemat(folder / f"sparse_{tag}.mat", {"X": y, "text": "no matrix"}, do_compression=compressed)
scipy.io.mmwrite(folder / "coordinate.mtx", scipy.sparse.coo_matrix(x))
scipy.io.mmwrite(folder / "array.mtx", x.astype(float))
np.savetxt(folder / "plain.csv", x, delimiter=",")
np.savetxt(folder / "plain.tsv", x, delimiter="\t", fmt="%d")
