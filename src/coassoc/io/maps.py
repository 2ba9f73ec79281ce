"""Maps of labels: arrays with two or three axes, PNG and GeoTIFF; each pixel is a sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coassoc.errors import DataError
from coassoc.io.arrays import choose_array
from coassoc.io.table import TableFile
from coassoc.io.text import ARRAYS, kind_of
from coassoc.io.untrusted import check_bytes, check_is_file, in_own_process, reading

#: Suffixes of GeoTIFF.
_TIFF = (".tif", ".tiff")


def write_maps(
    files: Sequence[Path],
    source: TableFile,
    stem: Path,
    maps: dict[str, Any],
    unlabelled: Sequence[int],
) -> list[Path]:
    """Write values of the pixels as maps like those of the source, GeoTIFF or .npy.

    Pixels without any label have 0 in maps of integers, and NaN in others.

    Parameters
    ----------
    files : sequence of path
        The files of the maps.
    source : TableFile
    stem : path
        Beginning of the names of the files, which the names of the maps follow.
    maps : dict of str to array
        Name → values of the labelled pixels.
    unlabelled : sequence of int
        The other pixels.
    """
    first = files[0]
    array, _ = read_map(first, source)
    is_stack = array.ndim == 3 and len(files) == 1
    shape = array.shape[1:] if is_stack else array.shape
    labelled = np.ones(int(np.prod(shape)), dtype=bool)
    labelled[[*unlabelled]] = False
    paths = []
    for name, values in maps.items():
        whole = values.dtype.kind in "iu"
        full = np.zeros(len(labelled), np.int32) if whole else np.full(len(labelled), np.nan, "f4")
        full[labelled] = values
        is_tiff = kind_of(first) in _TIFF
        path = stem.with_name(f"{stem.name}_{name}{'.tif' if is_tiff else '.npy'}")
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_tiff:
            import rasterio

            with rasterio.open(first, driver="GTiff") as like:
                form = {key: getattr(like, key) for key in ("crs", "transform", "width", "height")}
            form |= {"dtype": full.dtype, "nodata": 0 if whole else np.nan, "count": 1}
            with rasterio.open(path, "w", driver="GTiff", compress="deflate", **form) as file:
                file.write(full.reshape(shape), 1)
        else:
            np.save(path, full.reshape(shape))
        paths.append(path)
    return paths


def read_map(path: Path, source: TableFile) -> tuple[Any, Any]:
    """A map, masked where it has no data, and its georeference."""
    check_is_file(path)
    with reading(path):
        if kind_of(path) in ARRAYS:
            advice = source.say("variable", "NAME")
            array, place = choose_array(path, source.variable, advice, "labels")[1], None
        elif kind_of(path) == ".png":
            array, place = in_own_process(_png, path), None
        elif kind_of(path) in _TIFF:
            import rasterio  # noqa: F401  once here, not in each child process

            array, place = in_own_process(_geotiff, path)
        else:
            raise DataError(
                f"{path}: unknown kind of map. Give maps names that end in .png, "
                f"{', '.join(_TIFF)}, {', '.join(ARRAYS)}."
            )
    if getattr(array, "ndim", 0) not in (2, 3) or array.dtype.kind not in "iufb":
        raise DataError(
            f"{path}: a map has two or three axes of numbers. Save it as such an array."
        )
    return array, place


def _png(path: Path) -> Any:
    from PIL import Image

    with Image.open(path, formats=["PNG"]) as image:
        check_bytes(path, "the picture", 4 * image.width * image.height)
        if len(image.getbands()) > 1:
            raise DataError(
                f"{path}: the pixels have colours of {len(image.getbands())} numbers. Save labels "
                "in grey or with a palette."
            )
        return np.asarray(image)


def _geotiff(path: Path) -> tuple[Any, Any]:
    import rasterio

    with rasterio.open(path, driver="GTiff") as file:
        check_bytes(path, "the map", 8 * file.count * file.width * file.height)
        array = file.read(masked=True)
        return array[0] if file.count == 1 else array, (str(file.crs), tuple(file.transform))
