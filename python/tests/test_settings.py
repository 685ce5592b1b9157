"""Three worlds, one declaration: Rust, the command line, Python."""

import inspect
import re

import pytest

from merit_nmf import CommunityDetector, SeparableNMF, TopicModel, Unmixer
from merit_nmf._settings import PYTHON_NAMES, declared, text_of

#: Class, the settings that it takes, the command, and what it has besides settings.
WORLDS = [
    (SeparableNMF, ["factor"], "factor", {"axis", "n_jobs", "verbose", "callback", "checkpoint", "checkpoint_every", "settings"}),
    (TopicModel, ["topics", "tokens"], "topics", {"n_jobs", "verbose", "callback", "checkpoint", "checkpoint_every", "settings"}),
    (CommunityDetector, ["communities"], "communities", {"unweighted", "directed", "n_jobs", "verbose", "callback", "checkpoint", "checkpoint_every", "settings"}),
    (Unmixer, ["unmix"], "unmix", {"n_jobs", "verbose", "callback", "settings"}),
]


def parameters(cls):
    return {name: p.default for name, p in inspect.signature(cls).parameters.items()}


def settings(groups):
    return {name: one for group in groups for name, one in declared(group).items() if one["typed"]}


@pytest.mark.parametrize("cls, groups, command, own", WORLDS)
def test_signatures_have_every_setting_with_its_default(cls, groups, command, own):
    given, known = parameters(cls), settings(groups)
    missing, unknown = known.keys() - given.keys(), given.keys() - known.keys() - own
    assert not missing, f"add to the signature and docstring of {cls.__name__}: {sorted(missing)}"
    assert not unknown, f"no setting of these names is declared: {sorted(unknown)}"
    for name, one in known.items():
        text = text_of(name, given[name], one)
        same = text == one["default"] or (text and one["default"] and _number(text) == _number(one["default"]))
        assert same, f"{cls.__name__}({name}={given[name]!r}), but {one['default']} is declared"


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


@pytest.mark.parametrize("cls, groups, command, own", WORLDS)
def test_docstrings_explain_every_parameter(cls, groups, command, own):
    section = cls.__doc__.split("Parameters\n    ----------")[1].split("Attributes\n")[0]
    documented = set()
    for line in re.findall(r"^    (\w[\w, ]*?)(?: :.*)?$", section, re.MULTILINE):
        documented |= {name.strip() for name in line.split(",")}
    assert documented == set(parameters(cls)), documented ^ set(parameters(cls))
    for name, one in settings(groups).items():
        default = parameters(cls)[name]
        told = re.search(rf"^    {name} : .*default=(\S+)$", section, re.MULTILINE)
        if told:
            assert told.group(1).strip("\"'") == str(default).strip("'") or float(told.group(1)) == float(default)


@pytest.mark.parametrize("cls, groups, command, own", WORLDS)
def test_the_command_line_has_the_same(merit, cls, groups, command, own):
    text = merit(command, "--help").stdout
    for name, one in settings(groups).items():
        assert f"--{one['name'].replace('_', '-')}" in text, f"{command} has no flag for {name}"


def test_names_of_scikit_learn_are_used_everywhere():
    for cls, *_ in WORLDS:
        assert not set(PYTHON_NAMES) & set(parameters(cls)), "declared names that have another one in Python"


def test_settings_without_a_parameter_can_be_reached(X):
    model = SeparableNMF(3, regularization=0.1, settings={"pruning": "never", "iterations": 7}).fit(X)
    assert model.record_["settings"]["pruning"] == "never" and model.n_iter_ == 7
