"""Rules of a study on two servers: what they decide and send while the servers are killed, and while their clocks differ."""

import time

from acceptance.faults import rules
from acceptance.moments import new_id


def test_killed_servers_decide_and_send_everything_once(server):
    outcome = rules.once(server, seed=0, kills=3, people=2, devices_each=2, pause=0.5)

    assert outcome.reconciliation.is_clean, outcome
    assert outcome.notes["alerts"] and outcome.notes["awards"] == 2 and outcome.notes["messages"] > 20, outcome


def test_every_sheet_is_decided_if_the_clocks_of_the_servers_differ(server):
    with rules.rig(server, people=1, seconds_ahead=3) as rig:
        [person] = rig.people
        sent = []
        for number in range(12):
            questionnaire, sheet = ("signal", "distress")[number % 3 // 2], new_id()
            at = person.on(rig.servers[number % 2])
            at.call("PUT", at.own(f"/answer-sheets/{sheet}"), json=at.sheet(questionnaire, {"number": number}), status=201)
            sent.append((person.enrolment["enrolment_id"], questionnaire, sheet))
            time.sleep(0.5)
        rules.settle(rig)

        found, *_ = rules.compare(rig, sent)

        assert found.is_clean, found
