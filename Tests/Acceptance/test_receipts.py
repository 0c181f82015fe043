"""A retry returns the receipt also after a withdrawal, and an unreachable mail address is rejected."""

from datetime import datetime, timedelta, timezone

import requests
from acceptance.moments import new_id
from acceptance.people import Person


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def test_a_retry_of_a_calibration_is_confirmed_after_the_withdrawal(server, contract):
    now = datetime.now(timezone.utc)
    ada = Person(server, contract, name="Ada Canary").register().enrol()
    path = ada.own("/calibrations/" + new_id())
    body = {"recorded_at": stamp(now), "mean_speed_kmh": 4.2, "reduction_percent": 10, "duration_s": 120}
    ada.call("PUT", path, json=body, status=201)
    ada.call("POST", ada.own("/withdrawal"), json={"mode": "stop"}, status=200)
    # The device's clock is an hour slow now, so the corrected time is after the withdrawal.
    again = ada.call("PUT", path, json=body | {"client_now": stamp(now - timedelta(hours=1))}, status=200)
    assert again["replayed"] is True


def test_an_address_without_a_mail_server_is_rejected(server):
    reply = requests.post(server.url + "/v1/accounts", json={"email": "ä@b.de", "password": "long enough words", "name": "A B", "language": "de"}, timeout=30)
    assert reply.status_code in (400, 422) and "email" in reply.text
