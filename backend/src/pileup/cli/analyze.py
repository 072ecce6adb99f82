"""`pileup analyze`: the analysis of captured files, with no server and no database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pileup import process_limits
from pileup.cli import guard
from pileup.cli.redaction import redactor_of

if TYPE_CHECKING:
    from pileup.analysis.isolation import Result
    from pileup.formats.metrics.parts.csv_mapping import Mapping
    from pileup.report.redaction.redactor import Redactor


@click.command(name="analyze")
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
@click.option("--json", "as_json", is_flag=True, help="Print the analysis document as JSON.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report to this file, in the format of its ending: .html or .md.",
)
@click.option(
    "--redact",
    default="",
    metavar="KINDS",
    help="Replace by tokens: sql,hosts,users,addresses. Passwords always go.",
)
@click.option(
    "--timezone",
    "timezones",
    multiple=True,
    metavar="[HOST=]ZONE",
    help="Zone of a host's local times, such as db-01=America/Vancouver; repeatable.",
)
@click.option(
    "--mapping",
    "mapping_files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.json",
    help="Column mapping saved from Pileup, used for each file with its header; repeatable.",
)
@click.option(
    "--knowledge",
    "knowledge_dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="PILEUP_KNOWLEDGE_DIR",
    help="Folder of your own knowledge (issues.yaml, signatures.yaml, ...), added to ours.",
)
@click.option(guard.OPTION, "without", type=click.Path(dir_okay=False, path_type=Path), hidden=True)
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[Path, ...],
    as_json: bool,
    report: Path | None,
    redact: str,
    timezones: tuple[str, ...],
    mapping_files: tuple[Path, ...],
    knowledge_dir: Path | None,
    without: Path | None,
) -> None:
    """Analyse captured files, folders and archives: no server, no database."""
    if not guard.is_child(context, without):
        context.exit(guard.run("analyze", paths))
    try:
        _analyze(paths, as_json, report, redact, timezones, mapping_files, knowledge_dir, without)
    except MemoryError:
        context.exit(process_limits.MEMORY_CODE)


def _analyze(
    paths: tuple[Path, ...],
    as_json: bool,
    report: Path | None,
    redact: str,
    timezones: tuple[str, ...],
    mapping_files: tuple[Path, ...],
    knowledge_dir: Path | None,
    without: Path | None,
) -> None:
    # imported here: `--help` and a wrong option respond at once
    from pileup.analysis import isolation
    from pileup.cli.captures import Captures

    zones = _zones(timezones)
    redactor = redactor_of(redact)
    if report is not None and report.suffix.lower() not in (".html", ".htm", ".md"):
        raise click.BadParameter(
            f"{report.name} ends neither in .html nor in .md.", param_hint="--report"
        )
    _use(knowledge_dir)
    mappings = {file: _mapping(file) for file in mapping_files}
    plan = guard.plan_of(without)

    def read() -> Captures:
        captures = Captures(mappings=dict(mappings.values()), plan=plan)
        captures.read(paths)
        return captures

    captures = read()
    if plan.reads_only:
        return
    for line in captures.left_out:
        click.echo(f"left out: {line}", err=True)
    for file, (key, _) in mappings.items():
        if key not in captures.mapped:
            click.echo(f"{file}: no file has the header of this mapping", err=True)
    names = {artifact.sha256: artifact.path for artifact, _ in captures.artifacts}
    once = [captures.artifacts]  # the first reading; the analysis empties it
    result = isolation.analyse_incident(
        lambda: once.pop() if once else read().artifacts, isolation.Request(timezones=zones)
    )
    for sha, why in (plan.without | result.left_out).items():
        click.echo(f"{names.get(sha, sha)}: {why}", err=True)
    _publish(result, as_json, report, redactor)


def _publish(result: Result, as_json: bool, report: Path | None, redactor: Redactor) -> None:
    from pileup.report.redaction.document_redaction import Leak

    try:
        _write(result, as_json, report, redactor)
    except Leak as error:
        raise click.ClickException(
            f"{error} Choose other kinds with --redact, and please report this."
        ) from error


def _write(result: Result, as_json: bool, report: Path | None, redactor: Redactor) -> None:
    from pileup.analysis.contract import encode
    from pileup.report import ticket
    from pileup.report.redaction.known_records import learn_evidence
    from pileup.report.redaction.plain_redaction import redact_plain
    from pileup.views.evidence.capture_tables import FEW, MANY, table_blocks

    evidence, analysis = result.evidence, result.document
    learn_evidence(redactor, evidence)
    if report is not None:
        is_md = report.suffix.lower() == ".md"
        made = ticket.blocks(analysis, table_blocks(evidence, analysis, MANY))
        blocks = ticket.redacted(made, redactor)
        page = ticket.markdown(blocks) if is_md else ticket.html(blocks)
        ticket.check_rendered(page, redactor)
        try:
            report.write_text(page, encoding="utf-8")
        except OSError as error:
            raise click.ClickException(
                f"The report was not written to {report}: {error.strerror}. "
                "Choose a folder that exists and can be written."
            ) from error
    if as_json:
        click.echo(encode(redact_plain(analysis, redactor)))
    elif report is None:
        made = ticket.blocks(analysis, table_blocks(evidence, analysis, FEW))
        page = ticket.text(ticket.redacted(made, redactor))
        ticket.check_rendered(page, redactor)
        click.echo(page, nl=False)
    else:
        headline = analysis.headline
        story = redactor.text(headline.story or headline.text)
        click.echo(f"{story}\nThe page is in {report}.")


def _use(knowledge_dir: Path | None) -> None:
    from pileup import knowledge

    try:
        knowledge.use(knowledge_dir)
    except knowledge.KnowledgeError as error:
        raise click.BadParameter(str(error), param_hint="--knowledge") from error


def _mapping(file: Path) -> tuple[str, Mapping]:
    """Read a saved mapping and the key of its header."""
    from pileup.formats.metrics.parts import csv_mapping

    try:
        mapping = csv_mapping.load(file.read_bytes())
    except (OSError, ValueError) as error:
        raise click.BadParameter(
            f"{file} is no usable mapping: {error}. Save it again: open a table in "
            "Pileup, Tell Pileup what the columns are, Save as file.",
            param_hint="--mapping",
        ) from error
    return csv_mapping.mapping_key(mapping.header, ""), mapping


def _zones(given: tuple[str, ...]) -> dict[str, str]:
    from pileup.records.zones import time_zone

    zones = {}
    for name in given:
        host, text, zone = name.partition("=")
        host, zone = (host, zone) if text else ("*", host)
        if time_zone(zone) is None:
            raise click.BadParameter(
                f"{zone!r} is not a zone. Write HOST=Area/City or HOST=-08:00.",
                param_hint="--timezone",
            )
        zones[host] = zone
    return zones
