"""Maps of labels: pixels are samples, and the result is a map of the same pixels."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from coassoc import DataError, find_consensus
from coassoc.io.files import open_table
from coassoc.io.labels import labels_of
from coassoc.io.maps import write_maps
from coassoc.io.table import TableFile
from programs import coassoc
from refusals import refuses

RANDOM = np.random.default_rng(0)
I, J = np.indices((12, 9))
TRUE = (I // 4 + J // 3) % 3
MAPS = np.array([np.where(RANDOM.random(TRUE.shape) < 0.1, 0, TRUE) for _ in range(4)])


def source(path):
    return TableFile(str(path), each_file="map", spelled="--{}={}")


def read(path):
    return labels_of(open_table(source(path))).labels


def test_arrays_and_pictures_are_columns_of_pixels(tmp_path):
    for name in ("npy", "png", "volume"):
        (tmp_path / name).mkdir()
    for j, labels in enumerate(MAPS):
        np.save(tmp_path / f"npy/{j}.npy", labels)
        Image.fromarray(labels.astype(np.uint8)).save(tmp_path / f"png/{j}.png")
        np.save(tmp_path / f"volume/{j}.npy", labels.reshape(3, 4, 9))
    np.save(tmp_path / "stack.npy", MAPS)
    for name in ("npy", "png", "volume", "stack.npy", "npy/*.npy"):
        np.testing.assert_array_equal(read(tmp_path / name), MAPS.reshape(4, -1).T)
    np.save(tmp_path / "stack.npy", MAPS.T)
    with pytest.raises(DataError, match=r"first axis of .9, 12, 4. is not the shortest"):
        read(tmp_path / "stack.npy")
    np.save(tmp_path / "npy/2.npy", MAPS[2].T)
    refuses(DataError, r"2\.npy: the shape or the place of the map differs", read, tmp_path / "npy")
    Image.fromarray(np.zeros((12, 9, 3), np.uint8)).save(tmp_path / "png/1.png")
    refuses(DataError, "colours of 3 numbers", read, tmp_path / "png")


def test_the_result_is_a_map_with_its_confidence(tmp_path):
    maps = MAPS.astype(float)
    maps[:, :2, 3] = np.nan
    np.save(tmp_path / "stack.npy", maps)
    out = tmp_path / "out"
    words = ["--each-file", "map", "-k", 3, "-m", "EAC-AL", "-o", out]
    coassoc("consensus", tmp_path / "stack.npy", *words)
    labelled = ~np.isnan(maps[0])
    found = find_consensus(MAPS[:, labelled].T, 3, "EAC-AL")
    clusters = np.load(out / "consensus_EAC-AL.npy")
    np.testing.assert_array_equal(clusters[labelled], found.labels + 1)
    assert (clusters[~labelled] == 0).all()
    confidence = np.load(out / "consensus_EAC-AL_confidence.npy")
    np.testing.assert_allclose(confidence[labelled], found.confidence, rtol=1e-6)
    assert np.isnan(confidence[~labelled]).all()


def test_geotiff_keeps_its_georeference(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    place = {"crs": "EPSG:32633", "transform": rasterio.transform.from_origin(4e5, 5e6, 10, 10)}
    form = {"driver": "GTiff", "width": 9, "height": 12, "count": 1}
    form |= {"dtype": "uint8", "nodata": 255}
    maps = MAPS.copy()
    maps[:, 0] = 255
    for j, labels in enumerate(maps):
        with rasterio.open(tmp_path / f"{j}.tif", "w", **form, **place) as file:
            file.write(labels.astype(np.uint8), 1)
    labels = read(tmp_path / "*.tif")
    np.testing.assert_array_equal(labels[9:], MAPS.reshape(4, -1).T[9:])
    assert (labels[:9] == -1).all()
    (path,) = write_maps(
        [tmp_path / "0.tif"] * 4,
        source(tmp_path / "?.tif"),
        tmp_path / "consensus",
        {"A": labels[9:, 0] + 1},
        range(9),
    )
    with rasterio.open(path) as file:
        assert file.crs == place["crs"] and file.transform == place["transform"]
        found = file.read(1, masked=True)
    assert found.mask[0].all() and not found.mask[1:].any()
    with rasterio.open(tmp_path / "3.tif", "r+") as file:
        file.transform = rasterio.transform.from_origin(0, 0, 10, 10)
    refuses(DataError, r"3\.tif: the shape or the place", read, tmp_path / "?.tif")


def test_weights_and_reference_labels(tmp_path):
    table = pd.DataFrame(MAPS.reshape(4, -1).T, columns=list("abcd")).assign(truth=TRUE.ravel())
    table.to_csv(tmp_path / "t.csv", index=False)
    words = ["consensus", tmp_path / "t.csv", "-k", 3, "-m", "EAC-AL", "-o", tmp_path]
    said = coassoc(*words, "--truth", "truth", "--weight", "a=3").stdout
    assert all(name in said for name in ("ARI", "NMI", "ACC"))
    found = pd.read_csv(tmp_path / "consensus.csv")
    weighted = find_consensus(table[[*"abcd"]], 3, "EAC-AL", weights=[3, 1, 1, 1])
    repeated = find_consensus(table[[*"aaabcd"]].to_numpy(), 3, "EAC-AL")
    np.testing.assert_allclose(weighted.confidence, repeated.confidence)
    np.testing.assert_allclose(found["EAC-AL confidence"], repeated.confidence, atol=1e-4)
    said = coassoc(*words, "--weight", "e=3", code=2).stderr
    assert "--weight: 'e' is not a clustering" in said
