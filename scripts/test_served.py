"""Run the browser journey through PgBouncer in transaction mode, and on RabbitMQ.

Both are programs of the system (Debian: pgbouncer, rabbitmq-server), started here on free ports
with their data in a folder that is thrown away; PGBOUNCER and RABBITMQ_SERVER name other paths.
PostgreSQL is the embedded one.

Usage: test_served.py pgbouncer rabbitmq [-- arguments for the browser tests]
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(https?://\S+)/sign-in\?link=\S+")
PROGRAMS = {
    "pgbouncer": ("PGBOUNCER", "/usr/sbin/pgbouncer"),
    "rabbitmq": ("RABBITMQ_SERVER", "/usr/sbin/rabbitmq-server"),
}
START_S = 120


def main() -> int:
    """Run; return what the browser tests return."""
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    services, arguments = words[:at], words[at + 1 :] or ["--project=journey"]
    unknown = set(services) - set(PROGRAMS)
    if unknown or not services:
        sys.exit(f"name one or both of {', '.join(PROGRAMS)}; not {' '.join(unknown)}")
    programs = {name: _program(name) for name in services}
    sys.path.insert(0, str(REPOSITORY / "backend" / "src"))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pileup-served-")))
        folder.chmod(0o711)
        environment = {**os.environ, "PILEUP_HOME": str(folder / "home"), "PYTHONUNBUFFERED": "1"}
        if "pgbouncer" in programs:
            environment |= _pgbouncer(stack, folder, programs["pgbouncer"])
        if "rabbitmq" in programs:
            environment |= _rabbitmq(stack, folder, programs["rabbitmq"])
        return _journey(stack, environment, arguments)


def _program(name: str) -> str:
    variable, usual = PROGRAMS[name]
    found = os.environ.get(variable) or shutil.which(name) or usual
    if not Path(found).exists():
        sys.exit(f"{found} is not there: install {name}, or name its program in {variable}")
    return found


def _pgbouncer(stack: ExitStack, folder: Path, program: str) -> dict[str, str]:
    from pileup.runtime.postgres import EmbeddedPostgres

    (folder / "run").mkdir(mode=0o711)
    server = EmbeddedPostgres(folder / "postgres", folder / "run", folder / "postgres.log")
    server.start()
    stack.callback(server.stop)
    port = _free_port()
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\npileup = host={server.sockets} port=5432 user=pileup\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n"
        "pool_mode = transaction\ndefault_pool_size = 20\nmax_client_conn = 300\n"
        "unix_socket_dir =\n"
    )
    command = [program, str(settings)]
    if os.geteuid() == 0:  # it refuses root; PostgreSQL's folder belongs to the same account
        account = pwd.getpwuid(server.data.stat().st_uid)
        command = [program, "--user", account.pw_name, str(settings)]
    log = stack.enter_context((folder / "pgbouncer.log").open("ab"))
    child = subprocess.Popen(command, stdout=log, stderr=log)
    stack.callback(_end, child)
    _answers("PgBouncer", port, folder / "pgbouncer.log")
    return {
        "PILEUP_DATABASE_URL": f"postgresql://pileup@127.0.0.1:{port}/pileup",
        "PILEUP_DATABASE_LISTEN_URL": server.url(),
    }


def _rabbitmq(stack: ExitStack, folder: Path, program: str) -> dict[str, str]:
    port, distribution, mapper = _free_port(), _free_port(), _free_port()
    home = folder / "rabbitmq"
    home.mkdir()
    (home / "rabbitmq.conf").write_text("loopback_users = none\n")
    (home / "enabled_plugins").write_text("[].\n")
    if os.geteuid() == 0:  # Debian's script becomes another user
        for path in (home, *home.iterdir()):
            shutil.chown(path, "rabbitmq", "rabbitmq")
    environment = {
        **os.environ,
        "HOME": str(home),
        "RABBITMQ_NODENAME": f"pileup{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_MNESIA_BASE": str(home / "data"),
        "RABBITMQ_LOG_BASE": str(home / "logs"),
        "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "enabled_plugins"),
        "ERL_EPMD_PORT": str(mapper),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    log = stack.enter_context((folder / "rabbitmq.log").open("ab"))
    child = subprocess.Popen(
        [program], env=environment, stdout=log, stderr=log, start_new_session=True
    )
    stack.callback(_end, child)
    stack.callback(
        subprocess.run, ["epmd", "-port", str(mapper), "-kill"], check=False, capture_output=True
    )
    _answers("RabbitMQ", port, folder / "rabbitmq.log")
    return {"PILEUP_BROKER_URL": f"amqp://guest:guest@127.0.0.1:{port}//"}


def _journey(stack: ExitStack, environment: dict[str, str], arguments: list[str]) -> int:
    server = subprocess.Popen(
        [sys.executable, "-m", "pileup", "run", "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    stack.callback(_end, server)
    assert server.stdout is not None
    for line in server.stdout:
        print(f"  | {re.sub('link=.*', 'link=…', line)}", end="", flush=True)
        if match := LINK.search(line):
            break
    else:
        return 1
    address = {"BASE_URL": match[1], "SIGN_IN_LINK": match[0].strip()}
    browser = REPOSITORY / "frontend" / "e2e" / "run.mjs"
    done = subprocess.run(
        ["node", browser, *arguments],
        env={**environment, **address},
        cwd=REPOSITORY / "frontend",
        check=False,
    )
    if done.returncode:
        for log in sorted(Path(environment["PILEUP_HOME"], "logs").glob("*.log")):
            print(f"---- end of {log.name}\n{log.read_text(errors='replace')[-4000:]}")
    return done.returncode


def _answers(name: str, port: int, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"{name} does not answer:\n{log.read_text(errors='replace')[-3000:]}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _end(child: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    child.terminate()
    try:
        child.wait(20)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


if __name__ == "__main__":
    sys.exit(main())
