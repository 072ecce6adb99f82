"""Provide an installation for tests: the real application, a real database, and users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import msgspec
from fastapi import FastAPI
from fastapi.testclient import TestClient

from pileup.analysis import analyse
from pileup.analysis.blocked_time.first_view import first_waits
from pileup.analysis.evidence.evidence import Evidence
from pileup.api.app import create_app
from pileup.settings import Settings
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.credentials import hash_password
from pileup.storage.accounts.records import Verb
from pileup.storage.database import Database
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.search import replace_entries
from pileup.storage.roles import Role
from pileup.views.search_entries import search_entries
from tests.support.checked_bodies import CheckedBodies

PASSWORD = "correct horse battery"


def settings_for(home: Path, database_url: str, **more: Any) -> Settings:
    """Build settings of a temporary installation, independent of the environment."""
    values: dict[str, Any] = {
        "home": home,
        "database_url": database_url,
        "broker_url": "memory://",
        "min_free_bytes": 0,
        "analysis_debounce_s": 0.0,
        "worker_heartbeat_s": 1,
    }
    home.mkdir(parents=True, exist_ok=True)
    return Settings(**(values | more))


@dataclass
class Site:
    """The application, and a signed-in client per role."""

    settings: Settings
    app: FastAPI
    stranger: TestClient
    admin: TestClient

    def client(self, role: Role, name: str = "") -> TestClient:
        """Return a client signed in by password as a user with this role."""
        email = f"{name or role}@example.org"
        with self.database.unit() as unit:
            Accounts(unit).create_user(name or role, email, role, hash_password(PASSWORD))
        return self.signed_in(email)

    def signed_in(self, email: str) -> TestClient:
        """Return a client with the session and the CSRF header of this user."""
        client = self._another_client()
        answer = client.post("/api/v1/session", json={"email": email, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        client.headers["X-CSRF-Token"] = client.cookies["pileup_csrf"]
        return client

    def with_token(
        self, verbs: str, owner: TestClient | None = None, incident: str | None = None
    ) -> TestClient:
        """Return a client that sends a new token with these verbs, separated by spaces.

        verbs: "full" for every verb. incident: the only one that it opens.
        """
        chosen = get_args(Verb) if verbs == "full" else verbs.split()
        body = {"name": "test", "verbs": chosen, "incident_id": incident}
        made = (owner or self.admin).post("/api/v1/tokens", json=body)
        assert made.status_code == 201, made.text
        client = self._another_client()
        client.headers["Authorization"] = f"Bearer {made.json()['token']}"
        return client

    def guest(self, incident: str, lead: TestClient | None = None, redact: str = "") -> TestClient:
        """Return a client that opened a new guest link to the incident."""
        ends = (datetime.now(UTC) + timedelta(days=7)).isoformat()
        made = (lead or self.admin).post(
            f"/api/v1/incidents/{incident}/guest-links",
            json={"name": "vendor", "expires_at": ends, "redact": redact},
        )
        assert made.status_code == 201, made.text
        client = self._another_client()
        opened = client.post("/api/v1/session/guest", json={"link": made.json()["secret"]})
        assert opened.status_code == 200, opened.text
        client.headers["X-CSRF-Token"] = client.cookies["pileup_csrf"]
        return client

    def _another_client(self) -> TestClient:
        """Return a client in the event loop of the first; otherwise each request starts a loop."""
        client = TestClient(self.app, raise_server_exceptions=False)
        client.portal = self.stranger.portal
        return client

    @property
    def database(self) -> Database:
        """Return the database of the site."""
        found = self.app.state.services.database
        assert isinstance(found, Database)
        return found

    def incident(self, title: str = "checkout stall") -> str:
        """Create an incident as the admin and return its id."""
        made = self.admin.post("/api/v1/incidents", json={"title": title})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    def analysed(self, evidence: Evidence, incident: str | None = None) -> str:
        """Place and analyse evidence as a worker does, in a new incident or this; return its id."""
        made = incident or self.incident()
        document = analyse(evidence)
        placed = self.app.state.services.placed
        placed.replace(made, evidence, first_waits(evidence, document))
        with self.database.unit() as unit:
            Analyses(unit).replace(made, msgspec.to_builtins(document), 0.1)
            replace_entries(unit, made, search_entries(document, evidence))
        return made

    def upload(self, incident_id: str, path: str, content: bytes) -> dict[str, Any]:
        """Upload one file as the admin and return the artifact."""
        made = self.admin.post(
            f"/api/v1/incidents/{incident_id}/artifacts", files={"file": (path, content)}
        )
        assert made.status_code == 201, made.text
        (artifact,) = made.json()["items"]
        return dict(artifact)


@contextmanager
def open_site(settings: Settings) -> Iterator[Site]:
    """Start the application, on an existing database too; its first user is the admin."""
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False) as stranger:
        app.state.sign_in_limits.pauses.pause_s = 0.0
        app.state.bodies = CheckedBodies("tests", app.state.services.database)
        site = Site(settings, app, stranger, stranger)
        with site.database.unit() as unit:
            known = Accounts(unit).has_users()
        site.admin = site.signed_in("admin@example.org") if known else site.client("admin")
        yield site
