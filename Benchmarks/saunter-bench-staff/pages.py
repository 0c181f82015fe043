"""The pages of study teams with the statements that find what they show."""

import collections

ROWS = 51
LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"
BEFORE_ALL = {"before": "'infinity'", "before_id": f"'{LAST}'"}
TROUBLES = "'{never_started,unreachable,unsent,quarantined}'"


class Page:
    """A page or a route of the API: its address, the goal in milliseconds, and the statements with their values as SQL.

    A page without statements is compared with nothing. `of_draft` pages are those of the draft of another study, which its editor opens.
    """

    def __init__(self, name, path, statements=(), goal=300, of_draft=False):
        self.name, self.path, self.statements, self.goal, self.of_draft = name, path, list(statements), goal, of_draft


def pages(study, drafted, participant, enrolment, walk, sheet, first, troubled, digests):
    """All measured pages of a study, with one participant, one walk, one sheet, the enrolments of the first page of lists, and all problems.

    `drafted` is the study with a draft. `@account` in an address is the account that opens the page. `troubled` is a list of pairs of enrolment and code of the problem. `digests` has those of the requests for statistics, as an SQL array.
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
    adherence = [
        fitting(), ("list_occasions", {"enrolment_ids": ids}), ("count_messages", {"enrolment_ids": ids}), ("list_enrolment_zones", {"enrolment_ids": ids}),
        ("count_missing_records", {"enrolment_ids": ids})]
    statistics = [("find_feed_state", of_study), ("find_statistics_state", of_study), ("list_statistics", {**of_study, "request_digests": digests})]
    beside_messages = [
        ("count_reminders_by_day", {**of_study, "from_date": f"{today} - 12", "to_date": f"{today} + 1"}),
        ("list_study_unreachable", {**of_study, "after_participant": "''", "after_channel": "''", "limit_rows": str(ROWS)})]
    entries = "'{occasion,sheet,edit,walk,calibration,observation,message,decision,alert,event,pause,zone,consent,arm,data_kind}'"
    return [
        Page("studies", "/staff", [numbers, alerts], goal=100),
        Page("overview", home, [("count_enrolments_by_day", {**of_study, "now": "now()", "days": "104"}), numbers, troubles(), alerts], goal=100),
        *participants(home, fitting, troubles, ranked, rows, {code for _, code in troubled}),
        Page("one participant", f"{home}/participants/{participant}", [
            ("find_participant_history", {"enrolment_id": f"'{enrolment}'"}), ("list_occasions", {"enrolment_ids": one}),
            ("list_participant_devices", {"enrolment_id": f"'{enrolment}'"}),
            ("list_timeline", {"enrolment_id": f"'{enrolment}'", "kinds": entries, "now": "now()", "is_newer": "false", "limit_rows": str(ROWS)})]),
        Page("adherence", f"{home}/adherence", adherence),
        Page("adherence, 90 days", f"{home}/adherence?span=90", adherence),
        Page("adherence, 90 days of one arm and questionnaire", f"{home}/adherence?span=90&arm=birds&questionnaire=who_5", [
            fitting(arm="'birds'"), *adherence[1:]]),
        Page("file of adherence, 90 days", f"{home}/adherence?span=90&format=csv", adherence),
        Page("route of adherence, 90 days", f"/v1/studies/{study}/adherence?limit=50&from_day=0&to_day=89", adherence),
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
        Page("one sheet", f"{home}/participants/{participant}/sheets/{sheet}", [
            ("find_sheet_revision", {"enrolment_id": f"'{enrolment}'", "sheet_id": f"'{sheet}'"}),
            ("list_sheet_revisions", {"enrolment_id": f"'{enrolment}'", "sheet_id": f"'{sheet}'"})]),
        Page("samples of one walk", f"{home}/participants/{participant}/walks/{walk}/samples.csv", [
            ("find_walk", {"enrolment_id": f"'{enrolment}'", "walk_id": f"'{walk}'", "including_deleted": "false"})]),
        Page("entitlements of one participant", f"{home}/participants/{participant}/entitlements", [("list_entitlements", {"enrolment_id": f"'{enrolment}'"})]),
        Page("broadcasts", f"{home}/broadcasts", [("list_broadcasts", {**of_study, **BEFORE_ALL, "limit_rows": str(ROWS)})]),
        Page("variables", f"{home}/variables"),
        Page("versions", f"{home}/versions", [("list_version_summaries", of_study)]),
        Page("one version", f"{home}/versions/1.0.0"),
        Page("joining", f"{home}/join", [("list_enrolment_codes", {**of_study, **BEFORE_ALL, "limit_rows": str(ROWS)})]),
        Page("poster", f"{home}/join/poster?language=en"),
        Page("roles", f"{home}/roles", [("list_study_grants", of_study), ("list_invitations", of_study)]),
        Page("removal of a role", f"{home}/roles/@account/researcher"),
        Page("tokens", f"{home}/tokens", [("list_api_tokens", {**of_study, "after": "'00000000-0000-0000-0000-000000000000'", "limit_rows": str(ROWS)})]),
        Page("login", "/staff/login"),
        Page("trying a version", f"{home}/draft/try?version=1.0.0&day=3&time=18:30"),
        Page("trying a questionnaire", f"{home}/draft/try/q/who_5?version=1.0.0"),
        Page("dry run", f"{home}/draft/dry-run?version=1.0.0&participants=2&days=2"),
        *pages_of_draft(drafted),
    ]


def participants(home, fitting, troubles, ranked, rows, codes):
    """The list of participants in each order and direction, with filters, as a file, and as the route of the API."""
    api = home.replace("/staff/", "/v1/studies/")
    orders = ("participant_id", "arm", "state", "study_day", "enrolled_at", "last_sheet_at", "adherence", "unsent", "trouble")
    values = {"arm": {"arms": "'{birds,plants}'"}, "state": {"last_day": "104", **ranked(["never_started"])}, "trouble": ranked(codes)}
    before = {"state": [troubles("'{never_started}'")], "trouble": [troubles()]}

    def statements(sort, backwards="false", **more):
        return [*before.get(sort, []), fitting(sort, backwards, **values.get(sort, {}), **more), *rows]

    return [
        *(
            Page(f"participants by {sort}, {direction}", f"{home}/participants?sort={sign}{sort}", statements(sort, backwards))
            for sort in orders for direction, sign, backwards in (("up", "", "false"), ("down", "-", "true"))),
        *(
            Page(f"participants who are {state}", f"{home}/participants?state={state}", [
                fitting(statuses="'{stopped}'" if state == "stopped" else "'{active}'", **({"finished_after": "104"} if state == "finished" else {})), *rows])
            for state in ("active", "finished", "stopped")),
        *(
            Page(f"participants with {code}", f"{home}/participants?state={code}", [
                troubles(f"'{{{code}}}'"), fitting(enrolment_ids=ranked([code])["ranked_ids"]), *rows])
            for code in ("never_started", "unreachable", "unsent", "quarantined")),
        Page("participants of one arm", f"{home}/participants?arm=plants", [fitting(arm="'plants'"), *rows]),
        Page("participants of one arm, lowest adherence first", f"{home}/participants?arm=plants&sort=adherence", statements("adherence", arm="'plants'")),
        Page("active participants of one arm, lowest adherence first", f"{home}/participants?state=active&arm=plants&sort=adherence", statements(
            "adherence", arm="'plants'", statuses="'{active}'")),
        Page("active participants, most problems first", f"{home}/participants?state=active&sort=-trouble", statements("trouble", "true", statuses="'{active}'")),
        Page("file of participants, lowest adherence first", f"{home}/participants?sort=adherence&format=csv", statements("adherence")),
        *(
            Page(f"route of participants by {sort}", f"{api}/participants?limit=50&sort={sort}", statements(sort.lstrip("-"), "true" if sort.startswith("-") else "false"))
            for sort in ("participant_id", "adherence", "-trouble", "-last_sheet_at")),
    ]


def pages_of_draft(study):
    """The pages of a draft with journeys, practices and collections, and the routes behind the largest."""
    page, route = f"/staff/{study}/draft", f"/v1/studies/{study}/draft"
    paths = {
        "draft": page, "words of a draft": f"{page}/words", "schedule of a draft": f"{page}/schedule",
        "file of a draft": f"{page}/file?path=studies/{study}/study.yaml", "picture of a draft": f"{page}/file/picture?path=studies/{study}/media/icon.png",
        "upload to a draft": f"{page}/file/upload", "journeys of a draft": f"{page}/programmes", "one journey of a draft": f"{page}/programmes/control",
        "practice of a draft": f"{page}/practices/control_morning", "collections of a draft": f"{page}/collections",
        "one collection of a draft": f"{page}/collections/news", "item of a draft": f"{page}/collections/contacts/de_telefonseelsorge",
        "new item of a draft": f"{page}/collections/contacts/items/new", "publication of a draft": f"{page}/publish", "import into a draft": f"{page}/import",
        "route of a draft": route, "route of journeys of a draft": f"{route}/programmes", "route of a practice of a draft": f"{route}/practices/control_morning",
        "route of collections of a draft": f"{route}/collections"}
    of_study = {"study": f"'{study}'"}
    return [Page(name, path, [("find_draft", of_study), ("list_draft_files", of_study)], of_draft=True) for name, path in paths.items()]
