"""Name the columns of rows of iostat -x whose heading is cut, by their number.

Source: sysstat 9 to 12. Which unit a rate has follows from the requests and their mean size, which
        every version prints as well.
"""

from __future__ import annotations

import math
import re

DEVICE = re.compile(
    r"(?:sd[a-z]{1,3}\d{0,2}|x?vd[a-z]{1,2}\d{0,2}|hd[a-z]\d{0,2}|nvme\d{1,3}n\d{1,3}(?:p\d{1,3})?"
    r"|dm-\d{1,4}|md\d{1,4}|rbd\d{1,4}|mmcblk\d(?:p\d{1,2})?|drbd\d{1,4}|nbd\d{1,3}):?$"
)
_NUMBER = re.compile(r"\d{1,15}[.,]\d{1,2}$")
_OLD = "rrqm/s wrqm/s r/s w/s r{0}/s w{0}/s avgrq-sz avgqu-sz await {1}svctm %util"
_NEW = (
    "r/s r{0}/s rrqm/s %rrqm r_await rareq-sz w/s w{0}/s wrqm/s %wrqm w_await wareq-sz "
    "d/s d{0}/s drqm/s %drqm d_await dareq-sz {1}aqu-sz %util"
)
_COLUMNS = {
    11: _OLD.replace("{1}", ""),
    13: _OLD.replace("{1}", "r_await w_await "),
    15: (
        "r/s w/s r{0}/s w{0}/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz "
        "svctm %util"
    ),
    20: _NEW.replace("{1}", ""),
    22: _NEW.replace("{1}", "f/s f_await "),
}
_FULL = 101.0


def columns_of(cells: list[str]) -> list[str] | None:
    """Return the columns of a row of a device; None for any other line."""
    names = _COLUMNS.get(len(cells) - 1)
    if names is None or not DEVICE.match(cells[0]) or not all(map(_NUMBER.match, cells[1:])):
        return None
    values = [float(cell.replace(",", ".")) for cell in cells[1:]]
    if values[-1] > _FULL:
        return None
    return names.format(_unit(dict(zip(names.split(), values, strict=True)))).split()


def _unit(values: dict[str, float]) -> str:
    """Return kB, MB or sec: what the rates of reading and writing are printed in."""
    rate = values["r{0}/s"] + values["w{0}/s"]
    if "avgrq-sz" in values:  # in sectors
        kib = (values["r/s"] + values["w/s"]) * values["avgrq-sz"] / 2
    else:
        kib = values["r/s"] * values["rareq-sz"] + values["w/s"] * values["wareq-sz"]
    units = {"kB": kib, "MB": kib / 1024, "sec": kib * 2}
    return min(units, key=lambda unit: abs(math.log((units[unit] + 1e-9) / (rate + 1e-9))))


__all__ = ["DEVICE", "columns_of"]
