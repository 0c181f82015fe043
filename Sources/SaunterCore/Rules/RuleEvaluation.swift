import Foundation

/// The evaluation of the rules of one participant at one instant.
final class RuleEvaluation {
    let plan: RulePlan
    let facts: RuleFacts
    let now: Instant
    let clock: RuleClock
    let settings: RuleSettings
    /// The first instant after the study's last date.
    private let end: Instant
    private let enrolledOn: LocalDate
    private let decided: [PointKey: RuleFacts.Decision]
    private lazy var variables = evaluation(facts.variables, at: now)

    private struct PointKey: Hashable {
        var rule: String
        var point: String
        var key: String
    }

    init(_ planner: RulePlanner, at now: Instant) {
        plan = planner.plan
        facts = planner.facts
        self.now = now
        let enrolledAt = facts.variables.enrolledAt
        clock = RuleClock(
            facts.variables.zones, enrolledAt: enrolledAt, fallback: plan.study.zone, at: now)
        settings = RuleSettings(values: facts.settings)
        enrolledOn = clock.date(of: enrolledAt)
        end = clock.start(of: enrolledOn.adding(days: plan.study.days + 1))
        decided = Dictionary(
            facts.decisions.map { (PointKey(rule: $0.rule, point: $0.point, key: $0.key), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    private func evaluation(_ facts: VariableFacts, at moment: Instant) -> VariableEvaluation {
        VariableEvaluation(
            plan.variables,
            FactIndex(facts, anyTime: plan.study.anyTime, zone: plan.study.zone, at: moment))
    }

    // MARK: Points

    /// The points of a rule that follow from time, after `from` and until `through`, in order of time.
    func points(of rule: PlannedRule, from: Instant, through: Instant) -> [PlannedPoint] {
        // Points exist from the enrolment, and from the version of the study, until the study's end.
        // A setting moves no point to a moment before its change.
        let changes = rule.definition.point.settings.compactMap { facts.settingsSince[$0] }
        let starts = [facts.variables.enrolledAt, facts.followedFrom] + changes
        let from = max(from, (starts.max() ?? .minimum).adding(milliseconds: -1))
        let through = min(through, end.adding(milliseconds: -1))
        guard from < through else { return [] }
        switch rule.definition.point {
        case .calendar, .perDay, .cycle: return dated(rule.definition).points(from: from, through: through)
        case .after(let after): return points(of: rule.definition, after, from: from, through: through)
        case .adaptive(let adaptive):
            return points(of: rule.definition, adaptive, from: from, through: through)
        case .reached(let reached):
            guard let span = reached.firstAfter else { return [] }
            return points(of: rule, span, from: from, through: through)
        case .published(let collection):
            let new = facts.publications.filter {
                $0.collection == collection && from < $0.publishedAt && $0.publishedAt <= min(through, now)
            }
            return new.sorted {
                ($0.publishedAt, $0.edition, $0.item) < ($1.publishedAt, $1.edition, $1.item)
            }
            .map {
                point(rule.definition, "edition:\($0.edition)", key: $0.item, at: $0.publishedAt)
            }
        case .entry, .appOpen: return []
        }
    }

    private func point(
        _ rule: DecisionRule, _ point: String, key: String = "", at moment: Instant, next: Instant = .maximum
    ) -> PlannedPoint {
        let validity = moment.adding(seconds: rule.validFor ?? DecisionRule.defaultValidity)
        return PlannedPoint(
            rule: rule.code, point: point, key: key, moment: moment,
            expiresAt: rule.validFor == nil ? min(validity, next) : validity)
    }

    private func dated(_ rule: DecisionRule) -> DatedPoints {
        DatedPoints(rule: rule, clock: clock, settings: settings, enrolledOn: enrolledOn) { [self] date in
            draw(rule.code, "\(date)", "")
        }
    }

    /// The random generator of a point: HMAC-SHA256 with the study's seed over the enrolment, the rule, the point and
    /// the key.
    private func draw(_ rule: String, _ point: String, _ key: String) -> SeededDraw {
        let uuid = withUnsafeBytes(of: facts.enrolment.uuid.uuid) { Array($0) }
        return SeededDraw(
            seed: facts.seed,
            label: [
                Array("saunter.rule".utf8), uuid, Array(rule.utf8), Array(point.utf8), Array(key.utf8),
            ])
    }

    // MARK: After

    private func points(
        of rule: DecisionRule, _ after: DecisionPoint.After, from: Instant, through: Instant
    ) -> [PlannedPoint] {
        guard let start = start(of: after.start) else { return [] }
        var found: [PlannedPoint] = []
        let first = moment(after.firstAfter, after: start.at, isInactivity: after.start == .inactive)
        guard var moment = first else { return [] }
        var ordinal = 1
        while moment <= through {
            let isLast = after.repeatEvery == nil || after.atMost.map { ordinal >= $0 } == true
            let next =
                isLast
                ? nil : self.moment(number: ordinal + 1, of: after, first: first ?? moment, start: start.at)
            let name = "\(start.name)#\(ordinal)"
            if from < moment, !isRepetition(rule.code, start, ordinal) {
                found.append(point(rule, name, at: moment, next: next ?? .maximum))
            }
            guard let next, next > moment else { break }
            moment = next
            ordinal += 1
        }
        return found
    }

    /// The moment of a later point: the first point and the repetitions. Months count from the day of the first point,
    /// so a short month does not move the later ones.
    private func moment(
        number: Int, of after: DecisionPoint.After, first: Instant, start: Instant
    ) -> Instant? {
        guard let every = after.repeatEvery else { return nil }
        if after.start == .inactive, case .seconds(let firstSeconds) = after.firstAfter,
            case .seconds(let seconds) = every
        {
            return moment(.seconds(firstSeconds + (number - 1) * seconds), after: start, isInactivity: true)
        }
        return clock.instant(every, times: number - 1, after: first)
    }

    private func moment(_ span: DecisionPoint.Span, after start: Instant, isInactivity: Bool) -> Instant? {
        guard isInactivity, case .seconds(let seconds) = span else {
            return clock.instant(span, after: start)
        }
        return NotificationFacts(pauses: facts.variables.breaks.filter { $0.from <= now })
            .instant(seconds, ofInactivitySince: start)
    }

    private struct StartOfPoints {
        var name: String
        var at: Instant
        /// The part of the name before the instant; nil if the name contains no instant.
        var stem: String?
    }

    private func start(of start: DecisionPoint.Start) -> StartOfPoints? {
        func named(_ stem: String, _ instant: Instant) -> StartOfPoints {
            StartOfPoints(name: "\(stem)@\(instant)", at: instant, stem: "\(stem)@")
        }
        func sheet(_ sheet: VariableFacts.Sheet?) -> StartOfPoints? {
            sheet.map { StartOfPoints(name: "sheet:\($0.id)", at: $0.completedAt) }
        }
        let sheets = variables.index.sheets
        switch start {
        case .enrolment: return StartOfPoints(name: "enrolment", at: facts.variables.enrolledAt)
        case .event(let code): return variables.index.moment(ofEvent: code).map { named("event:\(code)", $0) }
        case .firstCompletion(let code): return sheet(sheets.first { $0.questionnaire == code })
        case .lastCompletion(let code): return sheet(sheets.last { $0.questionnaire == code })
        case .variable(let id):
            guard case .instant(let instant) = variables.value(of: VariableName(id), at: nil) else {
                return nil
            }
            return named("variable:\(id)", instant)
        case .inactive:
            let enrolledAt = facts.variables.enrolledAt
            return named("inactive", max(facts.lastActivity ?? enrolledAt, enrolledAt))
        }
    }

    /// Whether a point with the same ordinal was decided after this start, counted from another instant. This happens
    /// if the instant became known late or was corrected.
    private func isRepetition(_ rule: String, _ start: StartOfPoints, _ ordinal: Int) -> Bool {
        guard let stem = start.stem else { return false }
        return facts.decisions.contains { decision in
            decision.rule == rule && decision.decidedAt >= start.at && decision.point.hasPrefix(stem)
                && decision.point.hasSuffix("#\(ordinal)") && decision.point != "\(start.name)#\(ordinal)"
        }
    }

    // MARK: Adaptive

    private func points(
        of rule: DecisionRule, _ adaptive: DecisionPoint.Adaptive, from: Instant, through: Instant
    ) -> [PlannedPoint] {
        var date = clock.date(of: from).adding(days: -2)
        let last = clock.date(of: through)
        var found: [PlannedPoint] = []
        while date <= last {
            let next = clock.start(of: date.adding(days: 1))
            // A point of an earlier date is possible only if a journey delayed it.
            if next > from || date >= clock.date(of: from).adding(days: -1) {
                let moment = moment(adaptive, on: date)
                if from < moment, moment <= through {
                    found.append(point(rule, "\(date)", at: moment, next: next))
                }
            }
            date = date.adding(days: 1)
        }
        return found
    }

    private func moment(_ adaptive: DecisionPoint.Adaptive, on date: LocalDate) -> Instant {
        let (hours, _) = hours(adaptive, on: date)
        return clock.instant(date, hours.seconds(adaptive, quietHours: plan.study.reminder?.quietHours))
    }

    /// The table of hours at the beginning of a local date, but not later than now.
    private func hours(
        _ adaptive: DecisionPoint.Adaptive, on date: LocalDate
    ) -> (hours: AdaptiveHour, value: VariableValue?) {
        guard let position = plan.variables.position(of: adaptive.by) else {
            return (AdaptiveHour(hours: [:], days: 0), nil)
        }
        let evaluation = evaluation(facts.variables, at: min(clock.start(of: date), now))
        let value = evaluation.value(of: position)
        var hours: [Int: (n: Int, mean: Quantity)] = [:]
        for entry in value.entries ?? [] where entry.n > 0 {
            guard let hour = Int(entry.key), let mean = entry.value.number else { continue }
            hours[hour] = (entry.n, mean)
        }
        return (AdaptiveHour(hours: hours, days: evaluation.dateCount(of: position)), value)
    }

    // MARK: Reached

    /// The keys for which the condition of `reached` is true, in their order; the empty key without `over`.
    func keysReached(_ rule: PlannedRule) -> [String] { keysReached(rule, variables) }

    private func keysReached(_ rule: PlannedRule, _ evaluation: VariableEvaluation) -> [String] {
        guard case .reached(let point) = rule.definition.point, let condition = rule.reached else {
            return []
        }
        guard let over = point.over else {
            return condition.value(in: evaluation.scope(at: nil)).truth == true ? [""] : []
        }
        guard let position = plan.variables.position(of: over),
            let type = plan.variables.variables[position].signature?.key?.type
        else { return [] }
        return (evaluation.value(of: position).entries ?? []).filter { entry in
            condition.value(in: evaluation.scope(at: (entry, type))).truth == true
        }.map(\.key)
    }

    /// The points some time after a sheet made the condition true. Only sheets can cause them.
    private func points(
        of rule: PlannedRule, _ span: DecisionPoint.Span, from: Instant, through: Instant
    ) -> [PlannedPoint] {
        let questionnaires = plan.variables.needs(for: rule.variables).questionnaires
        var found: [PlannedPoint] = []
        let sheets = variables.index.sheets
        for (position, sheet) in sheets.enumerated() where questionnaires.contains(sheet.questionnaire) {
            let moment = clock.instant(span, after: sheet.completedAt)
            guard from < moment, moment <= through else { continue }
            // Sheets of one moment follow one another.
            let later = sheets[(position + 1)...].prefix { $0.completedAt == sheet.completedAt }.map(\.id)
            let after = facts.variables.without(Set(later))
            let present = keysReached(rule, evaluation(after, at: sheet.completedAt))
            guard !present.isEmpty else { continue }
            let before = after.without([sheet.id])
            let known = Set(keysReached(rule, evaluation(before, at: sheet.completedAt)))
            found += present.filter { !known.contains($0) }.map {
                point(rule.definition, "sheet:\(sheet.id)", key: $0, at: moment)
            }
        }
        return found.sorted { $0.moment < $1.moment }
    }

    /// Whether the condition of an award's rule holds: `reached` for any key, and `when`.
    func holds(_ rule: PlannedRule) -> Bool {
        if rule.reached != nil {
            return keysReached(rule).contains { key in condition(of: rule, holdsAt: scopeKey(rule, key)) }
        }
        return condition(of: rule, holdsAt: nil)
    }

    // MARK: App

    /// The point of an `app_open` rule; nil if it has a decision in this visit or on this date.
    func openPoint(of rule: PlannedRule, _ visit: DecisionPoint.Visit) -> PlannedPoint? {
        let code = rule.definition.code
        let today = clock.date(of: now)
        let name: String
        let end: Instant
        switch visit {
        case .visit:
            let length = DecisionPoint.Visit.length
            let isOpen = facts.decisions.contains {
                $0.rule == code && $0.point.hasPrefix("visit:") && $0.decidedAt.adding(seconds: length) > now
            }
            guard !isOpen else { return nil }
            (name, end) = ("visit:\(now)", now.adding(seconds: length))
        case .day: (name, end) = ("\(today)", clock.start(of: today.adding(days: 1)))
        }
        let expiresAt = rule.definition.validFor.map { now.adding(seconds: $0) } ?? end
        return PlannedPoint(rule: code, point: name, moment: now, expiresAt: expiresAt)
    }

    // MARK: Next

    /// The next moment at which the rule must be evaluated; nil if there is none until the facts change.
    func nextMoment(of rule: PlannedRule) -> Instant? {
        if case .award(let award) = rule.definition.action, isGranted(award) { return nil }
        if case .adaptive = rule.definition.point {
            var date = clock.date(of: now).adding(days: 1)
            var tomorrow = clock.start(of: date)
            // After a journey to the west, the next local date can have begun before.
            while tomorrow <= now {
                date = date.adding(days: 1)
                tomorrow = clock.start(of: date)
            }
            let today = points(of: rule, from: now, through: tomorrow.adding(milliseconds: -1)).first?.moment
            return today ?? (tomorrow < end ? tomorrow : nil)
        }
        // The day, the week, the month, the year, and the whole study.
        for days in [1, 8, 40, 400] {
            let through = now.adding(seconds: days * 86_400)
            if let first = points(of: rule, from: now, through: through).first { return first.moment }
            if through >= end { return nil }
        }
        return points(of: rule, from: now, through: end).first?.moment
    }

    private func isGranted(_ award: DecisionRule.Award) -> Bool {
        !award.isRepeatable && facts.awards.contains(award.code)
    }
}

// MARK: Decisions

/// What earlier decisions leave for the next one.
private struct RuleHistory {
    var messages: [RuleFacts.Message]
    /// Rule -> its last action.
    var lastActions: [String: Instant] = [:]
    var awards: Set<String>

    init(_ facts: RuleFacts) {
        messages = facts.messages
        awards = facts.awards
        for decision in facts.decisions where decision.outcome.isAction {
            add(action: decision.rule, at: decision.decidedAt)
        }
        for message in facts.messages {
            if let rule = message.rule { add(action: rule, at: message.at) }
        }
    }

    mutating func add(action rule: String, at moment: Instant) {
        lastActions[rule] = max(lastActions[rule] ?? .minimum, moment)
    }
}

extension RuleEvaluation {
    private typealias Key = (entry: VariableValue.Entry, type: ExpressionType)

    /// Decides each point once, in the order of the moments, the rules and the keys.
    func decisions(_ candidates: [RuleCandidate]) -> [RuleDecision] {
        var history = RuleHistory(facts)
        let ordered = candidates.enumerated().sorted {
            ($0.element.point.moment, $0.element.position, $0.offset)
                < ($1.element.point.moment, $1.element.position, $1.offset)
        }.map(\.element)
        return ordered.compactMap { candidate in
            let point = candidate.point
            let key = PointKey(rule: point.rule, point: point.point, key: point.key)
            guard decided[key] == nil else { return nil }
            return decide(candidate, &history)
        }
    }

    /// The order of evaluation: `muted`, `expired`, `when`, `allowed`, `cooldown`, `limit`, the draw, `quiet_hours`,
    /// `daily_cap`. The first step that stops the rule is the outcome. Nil if the award was granted before.
    private func decide(_ candidate: RuleCandidate, _ history: inout RuleHistory) -> RuleDecision? {
        let rule = candidate.rule.definition
        if case .award(let award) = rule.action, !award.isRepeatable, history.awards.contains(award.code) {
            return nil
        }
        let key = scopeKey(candidate.rule, candidate.point.key)
        var decision = RuleDecision(
            point: candidate.point, decidedAt: now, outcome: .message,
            variables: values(of: candidate, at: key), probability: rule.probability, action: rule.action,
            channels: rule.point.isAppOpen ? [.inApp] : rule.channels, countsForDay: !rule.point.isAppOpen)
        if let outcome = unavailability(candidate, key, history) {
            decision.outcome = outcome
        } else {
            decision.isAvailable = true
            decision.outcome = act(rule, &decision, history)
        }
        decision.isLogged = decision.outcome.isAction || rule.logsAll || rule.probability != nil
        if decision.outcome.isAction { record(&decision, candidate.rule, &history) }
        return decision
    }

    /// The step that makes the point unavailable; nil if it is available.
    private func unavailability(
        _ candidate: RuleCandidate, _ key: Key?, _ history: RuleHistory
    ) -> RuleOutcome? {
        let rule = candidate.rule.definition
        if rule.message != nil {
            if facts.isMuted { return .muted }
            if now >= candidate.point.expiresAt { return .expired }
        }
        if !condition(of: candidate.rule, holdsAt: key) { return .when }
        if let item = rule.allowed, !settings.isOn(item) { return .allowed }
        if let cooldown = rule.cooldown, let last = history.lastActions[rule.code],
            last.adding(seconds: cooldown) > now
        {
            return .cooldown
        }
        if let limit = rule.limit {
            let tagged = Set(plan.study.rules.filter { $0.tags.contains(limit.among) }.map(\.code))
            let count = history.messages.count { message in
                message.rule.map { tagged.contains($0) } == true
                    && message.at.adding(seconds: limit.per) > now
            }
            if count >= limit.messages { return .limit }
        }
        return nil
    }

    /// Draws, and finds when a message is sent.
    private func act(
        _ rule: DecisionRule, _ decision: inout RuleDecision, _ history: RuleHistory
    ) -> RuleOutcome {
        if let probability = rule.probability {
            var source = draw(rule.code, decision.point.point, decision.point.key)
            // 53 bits, as many as a double holds exactly.
            let number = Double(source.word() >> 11) / 9_007_199_254_740_992
            decision.draw = number
            if number >= probability { return .randomisedOut }
        }
        switch rule.action {
        case .message: return send(rule, &decision, history)
        case .award: return .award
        case .event: return .event
        case .alert: return .alert
        case .report: return .report
        }
    }

    private func send(
        _ rule: DecisionRule, _ decision: inout RuleDecision, _ history: RuleHistory
    ) -> RuleOutcome {
        var sendAt = now
        if !rule.point.isAppOpen, let reminder = plan.study.reminder {
            let zone = clock.zone(at: now)
            sendAt = reminder.quietHours.postponed(now, zone: zone)
            guard sendAt < decision.point.expiresAt else { return .quietHours }
            if let maximum = reminder.maximumPerDay {
                let date = zone.local(of: sendAt).date
                let count = history.messages.count {
                    $0.countsForDay && zone.local(of: $0.at).date == date
                }
                if count >= maximum { return .dailyCap }
            }
        }
        decision.sendAt = sendAt
        return .message
    }

    private func record(
        _ decision: inout RuleDecision, _ rule: PlannedRule, _ history: inout RuleHistory
    ) {
        history.add(action: decision.point.rule, at: decision.sendAt ?? now)
        switch decision.action {
        case .message(let message):
            history.messages.append(
                RuleFacts.Message(
                    rule: decision.point.rule, at: decision.sendAt ?? now, countsForDay: decision.countsForDay
                ))
            decision.lines = lines(message, rule)
        case .award(let award): history.awards.insert(award.code)
        case .event, .alert, .report: break
        }
    }

    // MARK: Variables

    /// The key of a point as an expression sees it; nil if the rule has no keys.
    private func scopeKey(_ rule: PlannedRule, _ key: String) -> Key? {
        let elements = rule.definition.point.elements
        if elements.literal != nil { return (VariableValue.Entry(key: key, value: .blank, n: 0), .text) }
        guard let over = elements.variable, let position = plan.variables.position(of: over),
            let type = plan.variables.variables[position].signature?.key?.type
        else { return nil }
        let entry = variables.value(of: position).entries?.first { $0.key == key }
        return (entry ?? VariableValue.Entry(key: key, value: .blank, n: 0), type)
    }

    /// Whether `when` holds. A blank counts as false.
    private func condition(of rule: PlannedRule, holdsAt key: Key?) -> Bool {
        rule.condition.map { $0.value(in: variables.scope(at: key)).truth == true } ?? true
    }

    private func values(of candidate: RuleCandidate, at key: Key?) -> JSONObject {
        var values = JSONObject(
            candidate.rule.names.map { name in
                JSONObject.Member(
                    name: name, value: variables.value(of: VariableName(name), at: key).json)
            })
        if case .adaptive(let adaptive) = candidate.rule.definition.point,
            let date = LocalDate(candidate.point.point),
            let value = hours(adaptive, on: date).value
        {
            values[adaptive.by] = .object(value.json)
        }
        return values
    }

    private func lines(_ message: DecisionRule.Message, _ rule: PlannedRule) -> [RuleLine] {
        guard let list = message.lineFor, let position = plan.variables.position(of: list),
            let type = plan.variables.variables[position].signature?.key?.type
        else { return [] }
        return (variables.value(of: position).entries ?? []).map { entry in
            RuleLine(
                key: entry.key,
                values: JSONObject(
                    rule.lineNames.map { name in
                        JSONObject.Member(
                            name: name,
                            value: variables.value(of: VariableName(name), at: (entry, type)).json)
                    }))
        }
    }
}

extension DecisionPoint {
    /// Whether the rule is evaluated when the app requests prompts.
    package var isAppOpen: Bool { if case .appOpen = self { true } else { false } }

    /// Whether the rule is evaluated when a new item of a collection is published.
    package var isPublished: Bool { if case .published = self { true } else { false } }
}
