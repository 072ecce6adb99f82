"""Which addresses count here: those of the environment, else those of the running instance."""

from __future__ import annotations

from pileup.runtime import home as home_folder
from pileup.runtime.errors import StartError
from pileup.settings import Settings


def resolve(settings: Settings) -> Settings:
    """Fill in the database and broker of the `pileup run` that holds this data folder."""
    facts = home_folder.read_instance(settings.home)
    update = {
        name: facts[name]
        for name in ("database_url", "broker_url")
        if getattr(settings, name) is None and isinstance(facts.get(name), str)
    }
    return settings.model_copy(update=update)


def need_database(settings: Settings) -> str:
    """The address of the database, or a sentence that says how to give one."""
    if settings.database_url is None:
        raise StartError(
            f"no database is known for the data folder {settings.home}: start `pileup run` "
            "there, or name a served one in PILEUP_DATABASE_URL."
        )
    return settings.database_url
