#!/usr/bin/env python3
"""Failovers of PostgreSQL under load: kills, stalls and hangs of the primary, with controls that must lose records.

    Tests/Nightly/failover.py [--kills 10] [--hangs 3] > failover.tsv

Needs a release build of the server. Everything runs on this machine: a monitor and three data nodes, two servers behind
nginx, a ledger of acknowledged records, and a mail server. Tests/Nightly/failover.md explains the columns.
"""

import argparse
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("SAUNTER_BIN_DIR", str(ROOT / ".build" / "release"))
sys.path.insert(0, str(ROOT / "Tests" / "Acceptance"))

from acceptance.available import remind, system  # noqa: E402
from acceptance.failover import take_over  # noqa: E402
from acceptance.ledger import Ledger  # noqa: E402
from acceptance.mailbox import Mailbox  # noqa: E402
from acceptance.people import Person  # noqa: E402
from acceptance.server import wait_until  # noqa: E402
from acceptance.retry_after_crash import check_retry_after_crash  # noqa: E402

PEOPLE = 6


def write_row(*cells):
    print(*cells, sep="\t", flush=True)


def one_round(cluster, servers, proxy, mailbox, kind, seed):
    """One fault of the primary, under load and with due reminders; then the ledger is compared with the database."""
    people = [Person(proxy, name=f"Ledger{n} Canary").register().enrol() for n in range(PEOPLE)]
    for person in people:
        mailbox.verify(person)
    ledger = Ledger(people, seed, url=proxy.plain_url).start()
    wait_until(lambda: ledger.acknowledged_count() >= 50, 60, "the load is under way")
    # Reminders become due while there is no primary.
    remind(people, seconds=4)

    def fault(primary):
        if kind == "hang":
            cluster.freeze(primary)
            return
        if kind in ("stall", "control"):
            cluster.stall_replication(primary)
            time.sleep(1)
        cluster.kill(primary)

    takeover = take_over(cluster, ledger, fault)
    if kind == "hang":
        cluster.thaw(takeover["from"])
    else:
        cluster.launch(takeover["from"])
    cluster.wait_until_settled()
    ledger.stop()
    assert all(server.is_alive() for server in servers), "no server needed a restart"
    ledger.retry()
    assert not ledger.unexpected, ledger.unexpected[:5]
    found = ledger.compare()
    # A mail whose worker died is not sent. The counts below show a missing mail.
    for person in people:
        try:
            mailbox.wait_for(person.email, seconds=60)
        except AssertionError:
            pass
    mails = [len(mailbox.to(person.email)) for person in people]
    write_row(
        kind, seed, f"{takeover['from']}>{takeover['to']}", len(ledger.acknowledged), ledger.attempts, len(found.lost), len(found.doubled),
        len(found.altered) + len(found.torn), takeover["gap_s"], takeover["alone_s"], "/".join(map(str, sorted(mails))))
    return len(found.lost), len(found.doubled), len(found.altered) + len(found.torn), sum(count != 1 for count in mails)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10, help="SIGKILL of the primary; in every other round replication stops one second before")
    parser.add_argument("--hangs", type=int, default=2, help="SIGSTOP of the primary; it continues when another node is the primary")
    parser.add_argument("--retries", type=int, default=1, help="retries without a write (ON CONFLICT DO NOTHING), which must lose a row")
    parser.add_argument("--controls", type=int, default=2, help="the same kills without synchronous replication, which must lose records")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    mailbox = Mailbox().start()
    write_row("kind", "seed", "nodes", "acknowledged", "attempts", "lost", "doubled", "altered_or_torn", "gap_s", "alone_s", "mails")
    wrong = 0
    with system(mailbox) as (cluster, servers, proxy):
        kinds = ["stall" if n % 2 else "kill" for n in range(given.kills)] + ["hang"] * given.hangs
        for number, kind in enumerate(kinds):
            wrong += sum(one_round(cluster, servers, proxy, mailbox, kind, given.seed + number))
        for number in range(given.retries):
            write_row(*check_retry_after_crash(cluster, servers[0]))
        if given.controls:
            cluster.make_asynchronous()
        seen = [one_round(cluster, servers, proxy, mailbox, "control", given.seed + 1000 + n)[0] for n in range(given.controls)]
    mailbox.stop()
    assert wrong == 0, f"{wrong} records lost, doubled, altered or torn, or participants without exactly one mail"
    assert not given.controls or any(seen), "the control lost no record, so the comparison may not work"


main()
