"""Roles of users: in the installation, and in one incident."""

from __future__ import annotations

from typing import Literal

Role = Literal["viewer", "contributor", "admin"]
"""The role of a user in the installation."""

MemberRole = Literal["viewer", "contributor", "lead"]
"""The role of a user or a team in one incident."""
