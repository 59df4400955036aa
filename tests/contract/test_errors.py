"""Every call of `refusals.py` ends with its error, and what the message advises works."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lagcolor
from lagcolor import ColoringError, DeviceError, FormatError, GraphError, OptionError, color

from .refusals import PATH, SEVERAL, TABLE, written


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("files"))


@pytest.mark.parametrize("name", TABLE)
def test_refusals(name: str, files: Path) -> None:
    row = TABLE[name]
    with pytest.raises(row.error) as caught:
        row.call(files)
    assert row.says in str(caught.value).replace(str(files), "…")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.advice])
def test_the_advice_works(name: str, files: Path) -> None:
    TABLE[name].advice(files)  # type: ignore[misc]


@pytest.mark.skipif(lagcolor.has_gpu(), reason="there is a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:1", SEVERAL, "cuda:*"], ids=str)
def test_no_gpu(device: Any) -> None:
    with pytest.raises(DeviceError, match=r"no GPU|CuPy") as caught:
        color(PATH, device=device)
    assert "pip install" in str(caught.value) or "device='cpu'" in str(caught.value)


def test_each_class_of_errors_is_one_of_ours() -> None:
    for error in (GraphError, FormatError, ColoringError, OptionError):
        assert issubclass(error, lagcolor.LagcolorError) and issubclass(error, ValueError)
    for other in (DeviceError, lagcolor.ClusterError):
        assert issubclass(other, lagcolor.LagcolorError) and issubclass(other, RuntimeError)
