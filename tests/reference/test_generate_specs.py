"""Graphs by name, wrong parameters, and the random numbers beneath the generators."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_generate import digest

import lagcolor
from lagcolor import generate
from lagcolor.generate import counter

seeds = st.integers(0, 2**64 - 1)


# ---- names and wrong parameters


def test_from_spec_reads_places_names_and_seeds():
    expected = digest(generate.kron_g500(8, 16, seed=3))
    for spec in (
        "kron_g500:8,16,seed=3",
        " kron_g500 : 8 , edge_factor = 16 , seed = 3",
        "kron_g500:scale=8,edge_factor=16,seed=3",
    ):
        assert digest(generate.from_spec(spec)) == expected
    assert digest(generate.from_spec("kron_g500:8,16", seed=3)) == expected
    assert digest(generate.from_spec("grid2d:1_0,height=none")) == digest(generate.grid2d(10))
    assert generate.from_spec("uniform:1e3,2").n == 1000
    assert generate.from_spec("path:2**10").n == 1024
    assert generate.family("rgg").make(["6", "sort=morton"], seed=2).n == 64


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nosuch:3", "unknown family 'nosuch'; there are: .*rmat"),
        ("rmat", "rmat needs scale"),
        ("rmat:x", "rmat: scale must be a whole number, not 'x'"),
        ("rmat:1.5", "whole number"),
        ("rmat:1.5e0", "whole number"),
        ("rmat:1e999", "whole number"),
        ("rmat:8,a=x", "rmat: a must be a number"),
        ("rmat:8,a=nan", "a must be a number from 0 to 1"),
        ("rmat:8,a=0.9,b=0.2", "at most 1"),
        ("rmat:8,permute=perhaps", "true or false"),
        ("rmat:8,nosuch=1", "no parameter 'nosuch'; it has: scale"),
        ("rmat:8,device=cuda", "no parameter 'device'"),
        ("rmat:8,scale=8", "scale is given twice"),
        ("rmat:edge_factor=8,8", "without a name follows"),
        ("rmat:8,8,.4,.1,.1,1", "takes 2 values by place"),
        ("rmat:31", "scale must be a whole number from 0 to 30"),
        ("rmat:8,seed=-1", "seed must be"),
        ("grid2d:0", "width must be a whole number from 1"),
        ("grid2d:4,height=0", "height"),
        ("grid2d:50000", "2,500,000,000 vertices"),
        ("grid3d:2000", "vertices"),
        ("grid2d:3,seed=1", "no parameter 'seed'"),
        ("banded:-1,2", "n must be"),
        ("uniform:10,-1", "k must be"),
        ("erdos_renyi:10", "either p=.* or m="),
        ("erdos_renyi:10,p=0.5,m=3", "either p=.* or m="),
        ("erdos_renyi:10,p=1.5", "p must be a number from 0 to 1"),
        ("erdos_renyi:10,m=46", "m must be a whole number from 0 to 45"),
        ("planted:10,1", "k must be"),
        ("planted:4,5,clique=true", "a clique over k = 5 classes needs as many vertices, and n is 4"),
        ("barabasi_albert:10,0", "k must be"),
        ("barabasi_albert:2e9,2", "draws"),
        ("rgg:10,sort=hilbert", "sort must be 'cells', 'morton' or None, not 'hilbert'"),
        ("rgg:10,radius=-1", "radius"),
        ("delaunay:1", "scale must be a whole number from 2"),
        ("road:0", "width"),
        ("road:10,bends=0", "bends"),
        ("road:10,keep=2", "keep"),
        ("social:100,exponent=1", "exponent"),
        ("queen:0", "rows"),
        ("mycielski:0", "k must be"),
        ("cycle:2", "n must be a whole number from 3"),
        ("star:0", "n must be"),
        ("clique:-1", "n must be"),
        ("crown:-1", "n must be"),
        ("complete_bipartite:2e9,2e9", "vertices"),
    ],
)
def test_wrong_specs_say_what_is_wrong(spec, message):
    with pytest.raises(lagcolor.OptionError, match=message):
        generate.from_spec(spec)


def test_seed_given_twice_or_to_a_fixed_graph():
    for name in ("seed", "rng"):
        with pytest.raises(lagcolor.OptionError, match=f"seed=1 and the parameter {name} are both given"):
            generate.from_spec("rmat:8,seed=1", **{name: 2})
        with pytest.raises(lagcolor.OptionError, match=f"takes no {name}"):
            generate.from_spec("path:8", **{name: 2})


def test_suites_parse():
    for spec in [*generate.SUITE_H200.values(), *generate.SUITE_CPU.values()]:
        name, _, arguments = spec.partition(":")
        row = generate.family(name)
        assert set(row.parse(arguments.split(","))) <= set(row.parameters)
    assert len(generate.SUITE_H200) == 10
    assert len(generate.SUITE_CPU) == 9


# ---- random numbers by position


@given(start=st.integers(0, 1000), length=st.integers(0, 50), seed=seeds, key=st.integers(0, 9))
def test_stream_is_splitmix64(start, length, seed, key):
    stream = counter.Stream(seed, key)
    expected = []
    for i in range(start, start + length):
        z = (stream.base + i * counter.GOLDEN) & counter.MASK64
        z = ((z ^ (z >> 30)) * counter.MUL1) & counter.MASK64
        z = ((z ^ (z >> 27)) * counter.MUL2) & counter.MASK64
        expected.append(z ^ (z >> 31))
    assert stream.words(np, start, start + length).tolist() == expected


@given(bound=st.integers(1, 2**32), seed=seeds)
def test_below_is_the_upper_half_of_the_product(bound, seed):
    words = counter.Stream(seed, 0).words(np, 0, 50)
    expected = [(int(w) * bound) >> 64 for w in words]
    assert counter.below(words, bound).tolist() == expected
    assert counter.below(words, np.full(50, bound, np.uint64)).tolist() == expected


@given(n=st.integers(1, 3000), seed=seeds)
def test_shuffle_is_a_bijection(n, seed):
    image = counter.Shuffle(n, seed, 0).at(np, np.arange(n, dtype=np.uint64))
    assert sorted(image.tolist()) == list(range(n))


def test_pair_at_the_far_end():
    from lagcolor.generate.random import _pair

    ends = np.array([0, 1, 2, 3, 2**31 * (2**31 - 1) // 2 - 1, 2**30 * (2**30 - 1) // 2, 2**30 * (2**30 - 1) // 2 - 1])
    i, j = _pair(np, ends)
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == [
        (1, 0), (2, 0), (2, 1), (3, 0), (2**31 - 1, 2**31 - 2), (2**30, 0), (2**30 - 1, 2**30 - 2)
    ]  # fmt: skip
