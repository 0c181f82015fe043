"""The pages of study teams with the statements that find what they show."""

ROWS = 51
BEFORE_ALL = {"before": "'infinity'", "before_id": "'ffffffff-ffff-ffff-ffff-ffffffffffff'"}
TROUBLES = "'{never_started,unreachable,unsent,quarantined}'"


class Page:
    """A page: its address, the goal in milliseconds, and the statements with their values as SQL."""

    def __init__(self, name, path, statements, goal=300):
        self.name, self.path, self.statements, self.goal = name, path, statements, goal


def pages(study, participant, enrolment, walk, first):
    """All measured pages of a study, with one participant, one walk, and the enrolments of the first page of lists."""
    ids, one = f"'{{{first}}}'", f"'{{{enrolment}}}'"
    home, of_study = f"/staff/{study}", {"study": f"'{study}'"}
    today = "(now() at time zone 'UTC')::date"
    numbers = ("count_studies", {"studies": f"'{{{study}}}'", "now": "now()", "from_date": f"{today} - 1", "to_date": f"{today} + 1"})
    alerts = ("count_open_alerts", {"studies": f"'{{{study}}}'"})

    def troubles(codes=TROUBLES, **more):
        return ("list_troubles", {**of_study, "now": "now()", "codes": codes, **more})

    def fitting(sort="participant_id", backwards="false", **more):
        return ("list_fitting_participants", {**of_study, "now": "now()", "sort": f"'{sort}'", "backwards": backwards, "limit_rows": str(ROWS), **more})

    def walks():
        # The server reads the last three days first.
        last = "ffffffff-ffff-ffff-ffff-ffffffffffff"
        return ("list_study_walks", {
            **of_study, "from_date": f"{today} - 1", "to_date": f"{today} + 1", "before": "'infinity'", "before_enrolment": f"'{last}'",
            "before_id": f"'{last}'", "limit_rows": str(ROWS)})

    def audit(**more):
        return ("list_study_audit", {**of_study, "before": "9223372036854775807", "limit_rows": str(ROWS), **more})

    rows = [
        ("list_occasions", {"enrolment_ids": ids}), ("list_unreachable_channels", {"enrolment_ids": ids}), troubles(enrolment_ids=ids),
        ("count_missing_records", {"enrolment_ids": ids})]
    entries = "'{occasion,sheet,edit,walk,calibration,observation,message,decision,alert,event,pause,zone,consent,arm,data_kind}'"
    return [
        Page("studies", "/staff", [numbers, alerts], goal=100),
        Page("overview", home, [("count_enrolments_by_day", {**of_study, "now": "now()", "days": "104"}), numbers, troubles(), alerts], goal=100),
        Page("participants", f"{home}/participants", [fitting(), *rows]),
        Page("participants, newest sheet first", f"{home}/participants?sort=-last_sheet_at", [fitting("last_sheet_at", "true"), *rows]),
        Page("participants, newest enrolment first", f"{home}/participants?sort=-enrolled_at", [fitting("enrolled_at", "true"), *rows]),
        Page("participants, lowest adherence first", f"{home}/participants?sort=adherence", [fitting("adherence"), *rows]),
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
