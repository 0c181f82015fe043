"""Nothing that a participant records in the browser is lost or doubled, regardless of what is killed."""

import pathlib

from acceptance import device_campaign
from acceptance.server import Server

PACK = pathlib.Path(__file__).parent / "packs" / "pocket-diary"


def test_sheets_and_walks_arrive_once_over_random_kills(tmp_path):
    def make(port, public_url):
        return Server(port=port, public_url=public_url)

    with device_campaign.relayed(make) as server:
        server.run("publish", PACK / "studies" / "pocket-diary")

        outcome = device_campaign.run(server, tmp_path, "pocket-diary", seed=17, sheets=100, walks_count=2, kills=40)

    print(outcome)
    assert outcome.is_clean, (outcome, outcome.lost, outcome.doubled, outcome.refused)
    assert outcome.acknowledged >= 30, outcome
    assert outcome.queued == 102
