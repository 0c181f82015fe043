"""Rules of a study on two servers: what they decide and send while the servers are killed."""

from acceptance.faults import rules


def test_killed_servers_decide_and_send_everything_once(server):
    outcome = rules.once(server, seed=0, kills=3, people=2, devices_each=2, pause=0.5)

    assert outcome.reconciliation.is_clean, outcome
    assert outcome.notes["alerts"] and outcome.notes["awards"] == 2 and outcome.notes["messages"] > 20, outcome
