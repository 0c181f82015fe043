"""The pages of study teams with the statements that find what they show."""

import collections

ROWS = 51
LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"
BEFORE_ALL = {"before": "'infinity'", "before_id": f"'{LAST}'"}
TROUBLES = "'{never_started,unreachable,unsent,quarantined}'"


class Page:
    """A page: its address, the goal in milliseconds, and the statements with their values as SQL."""

    def __init__(self, name, path, statements, goal=300):
        self.name, self.path, self.statements, self.goal = name, path, statements, goal


def pages(study, participant, enrolment, walk, first, troubled, digests):
    """All measured pages of a study, with one participant, one walk, the enrolments of the first page of lists, and all problems.

    `troubled` is a list of pairs of enrolment and code of the problem. `digests` has those of the requests for statistics, as an SQL array.
    """
    ids, one = f"'{{{first}}}'", f"'{{{enrolment}}}'"
    home, of_study = f"/staff/{study}", {"study": f"'{study}'"}
    today = "(now() at time zone 'UTC')::date"
    numbers = ("count_studies", {"studies": f"'{{{study}}}'", "now": "now()", "from_date": f"{today} - 1", "to_date": f"{today} + 1"})
    alerts = ("count_open_alerts", {"studies": f"'{{{study}}}'"})

    def troubles(codes=TROUBLES, **more):
        return ("list_troubles", {**of_study, "now": "now()", "codes": codes, **more})

    def fitting(sort="participant_id", backwards="false", **more):
        return ("list_fitting_participants", {**of_study, "now": "now()", "sort": f"'{sort}'", "backwards": backwards, "limit_rows": str(ROWS), **more})

    def ranked(codes):
        """The participants with these problems, each with the number of them."""
        numbers = collections.Counter(one for one, code in troubled if code in codes)
        return {"ranked_ids": f"'{{{','.join(numbers)}}}'", "ranks": f"'{{{','.join(map(str, numbers.values()))}}}'"}

    def walks():
        # The server reads the last three days first.
        return ("list_study_walks", {
            **of_study, "from_date": f"{today} - 1", "to_date": f"{today} + 1", "before": "'infinity'", "before_enrolment": f"'{LAST}'",
            "before_id": f"'{LAST}'", "limit_rows": str(ROWS)})

    def messages(**more):
        # The server reads day by day, until the page is full.
        return ("list_study_reminders", {
            **of_study, "from_date": f"{today} - 12", "to_date": f"{today} + 1", "since": f"({today} - 1)::timestamp at time zone 'UTC'",
            "before": "'infinity'", "before_enrolment": f"'{LAST}'", "before_kind": "'~'", "before_subject": "'~'", "before_ordinal": "2147483647",
            "limit_rows": str(ROWS), **more})

    def decisions(**more):
        return ("list_decisions_of_rule", {
            **of_study, "rule": "'low'", "before": "'infinity'", "before_id": f"'{LAST}'", "before_point": "''", "before_key": "''",
            "limit_rows": str(ROWS), **more})

    def audit(**more):
        return ("list_study_audit", {**of_study, "before": "9223372036854775807", "limit_rows": str(ROWS), **more})

    rows = [
        ("list_occasions", {"enrolment_ids": ids}), ("list_unreachable_channels", {"enrolment_ids": ids}), troubles(enrolment_ids=ids),
        ("count_missing_records", {"enrolment_ids": ids})]
    statistics = [("find_feed_state", of_study), ("find_statistics_state", of_study), ("list_statistics", {**of_study, "request_digests": digests})]
    beside_messages = [
        ("count_reminders_by_day", {**of_study, "from_date": f"{today} - 12", "to_date": f"{today} + 1"}),
        ("list_study_unreachable", {**of_study, "after_participant": "''", "after_channel": "''", "limit_rows": str(ROWS)})]
    entries = "'{occasion,sheet,edit,walk,calibration,observation,message,decision,alert,event,pause,zone,consent,arm,data_kind}'"
    return [
        Page("studies", "/staff", [numbers, alerts], goal=100),
        Page("overview", home, [("count_enrolments_by_day", {**of_study, "now": "now()", "days": "104"}), numbers, troubles(), alerts], goal=100),
        Page("participants", f"{home}/participants", [fitting(), *rows]),
        Page("participants, newest sheet first", f"{home}/participants?sort=-last_sheet_at", [fitting("last_sheet_at", "true"), *rows]),
        Page("participants, newest enrolment first", f"{home}/participants?sort=-enrolled_at", [fitting("enrolled_at", "true"), *rows]),
        Page("participants, lowest adherence first", f"{home}/participants?sort=adherence", [fitting("adherence"), *rows]),
        Page("participants, by arm", f"{home}/participants?sort=arm", [fitting("arm", arms="'{birds,plants}'"), *rows]),
        Page("participants, by state", f"{home}/participants?sort=state", [
            troubles("'{never_started}'"), fitting("state", last_day="104", **ranked(["never_started"])), *rows]),
        Page("participants, latest study day first", f"{home}/participants?sort=-study_day", [fitting("study_day", "true"), *rows]),
        Page("participants, most missing records first", f"{home}/participants?sort=-unsent", [fitting("unsent", "true"), *rows]),
        Page("participants, most problems first", f"{home}/participants?sort=-trouble", [
            troubles(), fitting("trouble", "true", **ranked({code for _, code in troubled})), *rows]),
        Page("file of participants, lowest adherence first", f"{home}/participants?sort=adherence&format=csv", [fitting("adherence"), *rows]),
        Page("participants who never started", f"{home}/participants?state=never_started", [troubles("'{never_started}'"), fitting(), *rows]),
        Page("one participant", f"{home}/participants/{participant}", [
            ("find_participant_history", {"enrolment_id": f"'{enrolment}'"}), ("list_occasions", {"enrolment_ids": one}),
            ("list_participant_devices", {"enrolment_id": f"'{enrolment}'"}),
            ("list_timeline", {"enrolment_id": f"'{enrolment}'", "kinds": entries, "now": "now()", "is_newer": "false", "limit_rows": str(ROWS)})]),
        Page("adherence", f"{home}/adherence", [
            fitting(), ("list_occasions", {"enrolment_ids": ids}), ("count_messages", {"enrolment_ids": ids}),
            ("list_enrolment_zones", {"enrolment_ids": ids}), ("count_missing_records", {"enrolment_ids": ids})]),
        Page("scores of one questionnaire", f"{home}/scores/who_5/rows?scale=wellbeing", [
            ("list_study_scores", {
                **of_study, "questionnaires": "'{who_5}'", "scales": "'{wellbeing}'", "after_participant": "''", "after_at": "'-infinity'",
                "after_sheet": "'00000000-0000-0000-0000-000000000000'", "after_scale": "''", "limit_rows": str(ROWS)})]),
        Page("scores", f"{home}/scores", statistics),
        Page("statistics of one questionnaire", f"{home}/scores/phq_2", statistics),
        Page("messages", f"{home}/messages", [messages(), *beside_messages]),
        Page("messages that failed", f"{home}/messages?state=failed", [messages(state="'failed'"), *beside_messages]),
        Page("rules", f"{home}/rules", [("count_decisions", {**of_study, "rules": "'{low}'"})]),
        Page("one rule", f"{home}/rules/low", [decisions()]),
        Page("one rule, an outcome that never occurs", f"{home}/rules/low?outcome=randomised_out", [decisions(outcome="'randomised_out'")]),
        Page("walks of two weeks", f"{home}/walks", [walks()]),
        Page("walks of 92 days", f"{home}/walks?from=@90&to=@-1", [walks()]),
        Page("one walk", f"{home}/participants/{participant}/walks/{walk}", [
            ("find_walk", {"enrolment_id": f"'{enrolment}'", "walk_id": f"'{walk}'", "including_deleted": "false"})]),
        Page("devices", f"{home}/devices", [
            ("list_devices", {**of_study, "only_missing": "false", "after": "''", "after_id": "'00000000-0000-0000-0000-000000000000'", "limit_rows": str(ROWS)})]),
        Page("devices that miss records", f"{home}/devices?missing=true", [
            ("list_devices", {**of_study, "only_missing": "true", "after": "''", "after_id": "'00000000-0000-0000-0000-000000000000'", "limit_rows": str(ROWS)})]),
        Page("arms", f"{home}/arms", [("count_allocations", of_study), ("count_arm_moves", of_study), ("list_unblindings", {**of_study, "limit_rows": "101"})]),
        Page("datasets", f"{home}/exports", [
            ("list_export_jobs", {**of_study, "profiles": "'{deidentified,coded,full,public}'", "sees_codes": "true", **BEFORE_ALL, "limit_rows": str(ROWS)})]),
        Page("alerts", f"/staff/alerts?study={study}", [("list_alerts", {**of_study, "open": "true", **BEFORE_ALL, "limit_rows": "101"})]),
        Page("audit", f"{home}/audit", [audit()]),
        Page("audit of one action", f"{home}/audit?action=unblinded", [audit(action="'unblinded'")]),
    ]
