"""Simulate a person who types in a live text over HTTP like a browser, even offline."""

from __future__ import annotations

import base64
import threading
import time

import httpx
from pycrdt import Doc, Text


class Typist(threading.Thread):
    """Client that types letter by letter and resends what the server did not accept."""

    def __init__(self, client: httpx.Client, incident: str, key: str, letters: str) -> None:
        super().__init__(daemon=True)
        self.client = client
        self.address = f"/api/v1/incidents/{incident}/texts/{key}"
        self.letters = letters
        self.taken = 0
        """Number of letters that the server confirmed."""
        self.refusals = 0
        """Times that it did not answer."""

    def run(self) -> None:
        document: Doc[Text] = Doc()
        whole = self.client.get(self.address).raise_for_status().json()
        document.apply_update(base64.b64decode(whole["state"]))
        text, acknowledged = document.get("text", type=Text), document.get_state()
        for typed, letter in enumerate(self.letters, start=1):
            text.insert(len(str(text)), letter)
            state = document.get_state()
            if self._send(document.get_update(acknowledged)):
                acknowledged, self.taken = state, typed
            time.sleep(0.01)
        while not self._send(document.get_update(acknowledged)):
            time.sleep(0.1)
        self.taken = len(self.letters)

    def _send(self, update: bytes) -> bool:
        try:
            answer = self.client.post(
                f"{self.address}/updates", json={"update": base64.b64encode(update).decode()}
            )
        except httpx.TransportError:
            self.refusals += 1
            return False
        return answer.raise_for_status().is_success
