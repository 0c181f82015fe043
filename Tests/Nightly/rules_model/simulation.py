"""Follows a made-up participant over time and makes all decisions."""

import datetime

from variables_model.values import instant, shown

from .adaptive import is_quiet
from .clock import first_at, midnight, naive
from .draws import Draw
from .pack import action, kind, seconds
from .points import Point, expiry, is_true, points_between, transitions
from .state import State, Whole, event_fact

MILLISECOND = datetime.timedelta(milliseconds=1)
VISIT = datetime.timedelta(minutes=30)


def simulate(pack, person, days, start=None):
    """The decisions as `saunter rules … --json` prints them, without the values of variables."""
    whole = Whole(pack, person)
    first = instant(start) if start else whole.enrolled_at
    return Simulation(pack, whole, first, first + datetime.timedelta(days=days) - MILLISECOND).run()


class Simulation:
    def __init__(self, pack, whole, first, last):
        self.pack, self.whole, self.first, self.last = pack, whole, first, last
        self.decisions = []
        self.decided = set()
        # Of each action: rule and moment. Of each message: rule, moment, and whether it counts for the daily maximum.
        self.actions, self.messages = [], []
        self.awards = set()
        self.events = dict(whole.events)
        self.visits = {}

    def run(self):
        after = self.first - MILLISECOND
        for moment in [*self.record_moments(), None]:
            self.decide_times(after, moment)
            if moment is not None:
                self.decide_records(moment)
                after = moment
        return self.decisions

    def state(self, at, without=()):
        return State(self.whole, at, without, self.events)

    def record_moments(self):
        whole = self.whole
        moments = [fact.moment for fact in [*whole.sheets, *whole.usage, *whole.recordings, *whole.observations, *whole.events.values()]]
        moments += [start for start, _ in whole.zones] + [moment for pause in whole.breaks for moment in pause]
        moments += [publication[0] for publication in whole.publications]
        return sorted({moment for moment in moments if self.first <= moment <= self.last})

    # Points that follow from time

    def decide_times(self, after, moment):
        """The points after the last record, and then those at the moment of the next record, of which that record is known."""
        end = self.last if moment is None else moment - MILLISECOND
        while after < end:
            state = self.state(after)
            found = self.points(state, after + MILLISECOND, end)
            after = end
            for point in found:
                if self.decide(point) == "event":
                    after = point.moment
                    break
        if moment is not None:
            for point in self.points(self.state(moment), moment, moment):
                self.decide(point)

    def points(self, state, first, last):
        if first > last:
            return []
        found = []
        for order, rule in enumerate(self.pack.decision_rules):
            found += [(point.moment, order, point) for point in points_between(rule, state, max(first, self.whole.enrolled_at), last)]
        return [point for *_, point in sorted(found, key=lambda one: one[:2])]

    # Records

    def decide_records(self, moment):
        whole = self.whole
        sheets = sorted((sheet for sheet in whole.sheets if sheet.moment == moment), key=lambda sheet: whole.positions[sheet.sheet_id])
        walks = [walk for walk in whole.walks if walk.moment == moment]
        usage = [event for event in whole.usage if event.moment == moment]
        records = [*sheets, *walks, *usage]
        for position, record in enumerate(records):
            before = self.state(moment, without=records[position:])
            after = self.state(moment, without=records[position + 1:])
            name = f"sheet:{record.sheet_id}" if record in sheets else "walk" if record in walks else "usage"
            for rule in self.pack.decision_rules:
                match kind(rule):
                    case "entry" if record in sheets and record.questionnaire == rule["at"]["entry"]:
                        self.decide(Point(rule, name, moment, expiry(rule, moment)), after)
                    case "reached" if "first_after" not in rule["at"]:
                        for key in transitions(rule, before, after):
                            self.decide(Point(rule, name, moment, expiry(rule, moment), key), after)
            if record in usage and record.name == "app_opened":
                self.open_app(moment, after)

    def open_app(self, moment, state):
        for rule in self.pack.decision_rules:
            if kind(rule) != "app_open":
                continue
            if rule["at"]["app_open"]["once_per"] == "day":
                date = state.clock.date(moment)
                self.decide(Point(rule, str(date), moment, state.clock.instant(date + datetime.timedelta(days=1))), state)
                continue
            began = self.visits.get(rule["code"])
            if began is None or moment >= began + VISIT:
                self.decide(Point(rule, f"visit:{shown(moment)}", moment, moment + VISIT), state)

    # One decision

    def decide(self, point, state=None):
        name = (point.rule["code"], point.name, point.key)
        if name in self.decided:
            return None
        award = point.rule["do"].get("award")
        if award and award["code"] in self.awards and not award.get("repeatable"):
            return None
        state = state or self.state(point.moment)
        rule, now = point.rule, point.moment
        is_message, is_prompt = action(rule) == "message", kind(rule) == "app_open"
        outcome = self.unavailable(point, state, is_message)
        available, draw, send_at = outcome is None, None, None
        if outcome is None and "randomise" in rule:
            draw = Draw(self.whole.seed, self.whole.enrolment, rule["code"], point.name, point.key).number()
            if draw >= rule["randomise"]["probability"]:
                outcome = "randomised_out"
        if outcome is None and is_message:
            send_at = now if is_prompt else self.after_quiet_hours(state, now)
            if send_at != now and send_at >= point.expires_at:
                outcome = "quiet_hours"
            elif not is_prompt and self.is_day_full(state, send_at):
                outcome = "daily_cap"
        acts = outcome is None
        if acts:
            outcome = action(rule)
            self.act(rule, now, send_at, is_prompt)
        else:
            send_at = None
        # README: a point is evaluated once. A decision that is not stored is not remembered, so a setting that changes the times of
        # a date can repeat its point.
        if acts or "randomise" in rule or rule.get("log") == "all":
            self.decided.add(name)
            if is_prompt:
                self.visits[rule["code"]] = now
        self.decisions.append({
            "moment": shown(point.moment), "rule": rule["code"], "point": point.name, "key": point.key, "decided_at": shown(now),
            "outcome": outcome, "available": available, "probability": rule.get("randomise", {}).get("probability"), "draw": draw,
            "expires_at": shown(point.expires_at), "send_at": shown(send_at)})
        return outcome

    def unavailable(self, point, state, is_message):
        """The first step before the draw that stops the rule."""
        rule, now = point.rule, point.moment
        if is_message and state.is_paused:
            return "muted"
        if is_message and now >= point.expires_at:
            return "expired"
        if "when" in rule and not is_true(rule["when"], state, point.key):
            return "when"
        if "allowed" in rule and state.setting(rule["allowed"]["setting"]) is not True:
            return "allowed"
        if "cooldown" in rule:
            shortest = datetime.timedelta(seconds=seconds(rule["cooldown"]))
            if any(code == rule["code"] and now - moment < shortest for code, moment in self.actions):
                return "cooldown"
        if "limit" in rule:
            limit = rule["limit"]
            span = datetime.timedelta(seconds=seconds(limit["per"]))
            tagged = [one["code"] for one in self.pack.decision_rules if limit["among"] in one.get("tags", [])]
            if sum(code in tagged and now - moment < span for code, moment, _ in self.messages) >= limit["messages"]:
                return "limit"
        return None

    def after_quiet_hours(self, state, now):
        """Now, or the end of the quiet hours on the participant's clock."""
        zone = state.clock.zone(now)
        local = naive(now, zone)
        time = (local - midnight(local.date())).total_seconds()
        if not is_quiet(self.pack, time):
            return now
        date = local.date() if time < self.pack.quiet_to else local.date() + datetime.timedelta(days=1)
        return first_at(midnight(date) + datetime.timedelta(seconds=self.pack.quiet_to), zone, now)

    def is_day_full(self, state, send_at):
        if self.pack.most_per_day is None:
            return False
        # After a journey, earlier messages count for the date that they have in the present zone.
        zone = state.clock.zone(state.at)
        date = naive(send_at, zone).date()
        return sum(counts and naive(moment, zone).date() == date for _, moment, counts in self.messages) >= self.pack.most_per_day

    def act(self, rule, now, send_at, is_prompt):
        self.actions.append((rule["code"], send_at or now))
        match action(rule):
            case "message":
                self.messages.append((rule["code"], send_at, not is_prompt))
            case "award":
                self.awards.add(rule["do"]["award"]["code"])
            case "event":
                # An event happens once; the first moment counts.
                code = rule["do"]["event"]
                if code not in self.events or self.events[code].moment > now:
                    self.events[code] = event_fact(self.whole, now)
