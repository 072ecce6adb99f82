"""Names that the compiler mangled give the functions that a debugger prints."""

from __future__ import annotations

import random
import string

import pytest

from pileup.formats.stacks.parts.function_names import bare_function
from pileup.formats.stacks.parts.mangled_names import demangled
from tests.formats.checks import parse_bytes


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("_ZN10dict_sys_t9lock_waitEPKcj", "dict_sys_t::lock_wait"),
        ("_ZN14ssux_lock_implILb1EE7wr_waitILb1EEEvj", "ssux_lock_impl::wr_wait"),
        ("_ZNK4JOIN4execEv", "JOIN::exec"),
        ("_ZN3THDC1Ev", "THD::THD"),
        ("_ZN3THDD0Ev", "THD::~THD"),
        ("_Z16dispatch_command19enum_server_commandP3THDPcjb", "dispatch_command"),
        ("_ZL23handle_slave_connectionPv", "handle_slave_connection"),
        ("_ZN5tpool19thread_pool_generic11worker_mainEPNS_11worker_dataE",
         "tpool::thread_pool_generic::worker_main"),
    ],
)  # fmt: skip
def test_a_name_is_read(name: str, bare: str) -> None:
    assert demangled(name) == bare
    assert bare_function(name, "mariadbd") == bare


@pytest.mark.parametrize(
    "name",
    ["__GI___poll", "_Z", "_ZN", "_ZN5abcEE", "_ZN9999aE", "_ZNSt6thread11_State_implE", "_ZN3abc"],
)
def test_what_is_not_understood_stays(name: str) -> None:
    assert demangled(name) == name


@pytest.mark.seeds(20, 500)
def test_any_nested_name_is_read(seed: int) -> None:
    dice = random.Random(seed)
    parts = [
        dice.choice("abz_")
        + "".join(dice.choices(string.ascii_lowercase + "_", k=dice.randint(0, 30)))
        for _ in range(dice.randint(2, 5))
    ]
    arguments = dice.choice(["", "ILb1EE", "IiE", "IN3fooE3barE", "ILj16ESt4lessIjEE"])
    mangled = "_ZN" + "".join(f"{len(part)}{part}{arguments}" for part in parts) + "EPKcj"
    assert demangled(mangled) == "::".join(parts)


def test_stacks_of_a_core_show_their_functions() -> None:
    text = (
        "Stack trace of thread 81:\n"
        "#0  0x00007f1e2797e9aa syscall (libc.so.6 + 0x10d7e9)\n"
        "#1  0x000055d0c1e20d4e _ZN10dict_sys_t9lock_waitEPKcj (mariadbd + 0xc70d4e)\n"
        "#2  0x000055d0c1cf9bc1 _ZN11ha_innobase4openEPKcij (mariadbd + 0xb49bc1)\n"
    )
    frames = parse_bytes(text.encode()).frames["stack"]["frames"].to_list()[0]
    names = [frame["function"] for frame in frames]
    assert names == ["syscall", "dict_sys_t::lock_wait", "ha_innobase::open"]
