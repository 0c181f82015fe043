import Foundation
import Postgres
import SaunterCore
import Synchronization

/// Everything about one participant from which the decisions of rules follow, read under the lock of the enrolment.
package struct DecisionState: Sendable {
    /// The enrolment with its plan.
    package var participant: ParticipantState
    /// Every decision point until this moment is decided.
    package var decidedUntil: Instant
    /// The stored decisions.
    package var decisions: [RuleFacts.Decision]
    /// Messages of at least the last 32 days, of rules and of reminders.
    package var messages: [RuleFacts.Message]
    /// The codes of the awards.
    package var awards: Set<String>
    /// The sheets that arrived since the last evaluation, in the order of arrival.
    package var newSheets: [(id: SheetID, questionnaire: String)]
    /// The ids of all records that arrived since the last evaluation.
    package var newRecords: Set<UUID>
}

/// The words of a message, and the content in it.
package struct ComposedMessage: Sendable {
    /// The item of the library that the message shows.
    package struct Content: Sendable {
        /// The code of the collection.
        package var collection: String
        /// The item, with its edition.
        package var selected: SelectedItem
        /// The date for which the item is selected; nil for an item that only this message shows.
        package var date: LocalDate?

        /// Creates the content of a message.
        package init(collection: String, selected: SelectedItem, date: LocalDate?) {
            self.collection = collection
            self.selected = selected
            self.date = date
        }
    }

    /// One line.
    package var subject: String
    /// Plain text.
    package var body: String
    /// An https address, or a path in the app; nil for the first page.
    package var target: String?
    /// Nil if the message shows no content.
    package var content: Content?

    /// Creates a message; by default only with its words.
    package init(subject: String, body: String, target: String? = nil, content: Content? = nil) {
        self.subject = subject
        self.body = body
        self.target = target
        self.content = content
    }
}

/// What the rules decided for one participant.
package struct RuleDecisions: Sendable {
    /// The version of the study whose rules decided.
    package var study: Study
    /// In the order in which they were made.
    package var decisions: [RuleDecision]
    /// When the rules are evaluated next; nil if nothing is planned.
    package var next: Instant?
    /// The codes of the awards whose condition no longer holds.
    package var revokedAwards: [String]
    /// Whether each channel sends a message. Otherwise the first one that works does.
    package var sendsByAllChannels: Bool
    /// The collection from which a message takes its content; nil for none.
    package var collection: @Sendable (RuleDecision) -> String?
    /// Fills the words of a message. Nil if its collection has no item for the participant.
    package var compose: @Sendable (RuleDecision, ContentHistory?) throws -> ComposedMessage?

    /// Creates a result.
    package init(
        study: Study, decisions: [RuleDecision], next: Instant?, revokedAwards: [String] = [],
        sendsByAllChannels: Bool,
        collection: @escaping @Sendable (RuleDecision) -> String?,
        compose: @escaping @Sendable (RuleDecision, ContentHistory?) throws -> ComposedMessage?
    ) {
        self.study = study
        self.decisions = decisions
        self.next = next
        self.revokedAwards = revokedAwards
        self.sendsByAllChannels = sendsByAllChannels
        self.collection = collection
        self.compose = compose
    }
}

extension RuleDecisions {
    /// Whether a rule recorded an event.
    fileprivate var recordsEvents: Bool { decisions.contains { $0.outcome == .event } }
}

extension Store {
    /// How long messages are remembered for the limits of rules, in seconds: longer than the longest `cooldown` that a
    /// month needs.
    private static let messageMemory = 32 * 86_400
    /// How many due evaluations are read at once. New records wait for the evaluations of a list, which take some
    /// milliseconds each.
    private static let decisionsListedAtOnce = 100

    /// Evaluates the rules of one participant whose evaluation is due, and stores what they decide, in one transaction.
    /// The transaction holds the lock of the enrolment, so no other server decides the same point, and a server that
    /// dies before the commit leaves the evaluation due.
    /// - Parameter decide: the rules; nil if the study has none. It reads by the transaction, because a second
    ///   connection might not be free while all are in use. If it throws, the evaluation of this participant is
    ///   postponed by one hour, so that one fault does not delay the others. Then the error is rethrown.
    /// - Returns: nil if no evaluation is due.
    package func decideRules(
        now: Instant,
        decide: @Sendable (DecisionState, Transaction) async throws -> RuleDecisions?
    ) async throws -> EnrolmentID? {
        let claimed = Mutex<EnrolmentID?>(nil)
        do {
            return try await research.writeRetrying(idempotent: true) { transaction in
                guard let (id, decidedUntil) = try await claimDecision(now: now, in: transaction) else {
                    return nil
                }
                claimed.withLock { $0 = id }
                guard
                    let state = try await Self.decisionState(
                        id, decidedUntil: decidedUntil, now: now, in: transaction)
                else { return nil }
                let decisions = try await decide(state, transaction)
                if let decisions {
                    try await store(decisions, for: state, now: now, in: transaction)
                }
                // Rules can count from an event that was just recorded.
                let next = decisions?.recordsEvents == true ? now : decisions?.next
                _ = try await transaction.query(
                    Statements.rules["finish_decisions"],
                    [
                        "enrolment_id": .id(id), "next_decision_at": .instant(next),
                        "decided_until": .instant(now),
                    ])
                return id
            }
        } catch let error where !Self.isTemporary(error) {
            if let id = claimed.withLock({ $0 }) {
                _ = try await research.query(
                    Statements.rules["postpone_decisions"],
                    ["enrolment_id": .id(id), "next_decision_at": .instant(now.adding(seconds: 3600))])
            }
            throw error
        }
    }

    /// Evaluates rules of one participant now, whether their evaluation is due or not, and stores what they decide.
    /// What is due stays due.
    package func decideRules(
        of id: EnrolmentID, now: Instant,
        decide: @Sendable (DecisionState, Transaction) async throws -> RuleDecisions?
    ) async throws {
        try await research.writeRetrying(idempotent: true) { transaction in
            guard try await Self.lockEnrolment(id, in: transaction).state == .active,
                let state = try await Self.decisionState(id, decidedUntil: now, now: now, in: transaction)
            else { return }
            if let decisions = try await decide(state, transaction) {
                try await store(decisions, for: state, now: now, in: transaction)
            }
        }
    }

    /// When the rules of a participant are evaluated next, or a queued message is sent. It may be in the past. Nil if
    /// nothing is planned.
    package func findNextRuleWork() async throws -> Instant? {
        try await research.query(Statements.rules["find_next_rule_work"], [:]).oneOrNone()?
            .instantOptional("next_at")
    }

    /// The call that lets a worker evaluate the rules of these participants as soon as possible.
    /// - Parameter records: new records of these participants.
    static func decideSoonCall(
        _ ids: [EnrolmentID], records: [RecordKey] = [], now: Instant
    ) -> (Statement, Arguments) {
        (
            Statements.rules["decide_soon"],
            [
                "enrolment_ids": .ids(ids), "record_enrolments": .ids(records.map(\.enrolment)),
                "records": .uuids(records.map(\.id)), "now": .instant(now),
            ]
        )
    }

    /// Locks one enrolment whose evaluation is due, as `claimDue` does for reminders.
    private func claimDecision(
        now: Instant, in transaction: Transaction
    ) async throws -> (EnrolmentID, Instant)? {
        if let claimed = try await claimListedDecision(now: now, in: transaction) { return claimed }
        dueDecisions.fill(
            try await transaction.query(
                Statements.rules["list_due_decisions"],
                ["now": .instant(now), "limit_rows": .int(Self.decisionsListedAtOnce)]
            ).map { try $0.id("enrolment_id") })
        return try await claimListedDecision(now: now, in: transaction)
    }

    private func claimListedDecision(
        now: Instant, in transaction: Transaction
    ) async throws -> (EnrolmentID, Instant)? {
        while let id = dueDecisions.next() {
            let claimed = try await transaction.query(
                Statements.rules["claim_due_decision"], ["enrolment_id": .id(id), "now": .instant(now)])
            if let claimed = try claimed.oneOrNone() { return (id, try claimed.instant("decided_until")) }
        }
        return nil
    }

    private static func decisionState(
        _ id: EnrolmentID, decidedUntil: Instant, now: Instant, in transaction: Transaction
    ) async throws -> DecisionState? {
        let query = ParticipantStateQuery(ids: [id], now: now)
        let own: [(Statement, Arguments)] = [
            (Statements.rules["list_decisions"], ["enrolment_id": .id(id)]),
            (
                Statements.rules["list_rule_messages"],
                ["enrolment_id": .id(id), "since": .instant(now.adding(seconds: -messageMemory))]
            ),
            (Statements.rules["list_awards"], ["enrolment_ids": .ids([id])]),
            (Statements.rules["list_new_sheets"], ["enrolment_id": .id(id)]),
            (Statements.rules["list_undecided_records"], ["enrolment_id": .id(id)]),
        ]
        let results = try await transaction.pipeline(query.calls + own)
        let stateCount = query.calls.count
        guard let participant = try query.states(from: Array(results[..<stateCount]))[id] else { return nil }
        let rest = results[stateCount...].map { $0 }
        return DecisionState(
            participant: participant, decidedUntil: decidedUntil,
            decisions: try rest[0].compactMap { row in
                // An outcome that a newer server has written is unknown here.
                guard let outcome = RuleOutcome(rawValue: try row.get("outcome")) else { return nil }
                return RuleFacts.Decision(
                    rule: try row.get("rule"), point: try row.get("point"), key: try row.get("key"),
                    decidedAt: try row.instant("decided_at"), outcome: outcome)
            },
            messages: try rest[1].map { row in
                RuleFacts.Message(
                    rule: try row.getOptional("rule"), at: try row.instant("planned_at"),
                    countsForDay: try row.get("counts_for_day"))
            },
            awards: Set(try rest[2].map { try $0.get("award") }),
            newSheets: try rest[3].map { (try $0.id("sheet_id"), try $0.get("questionnaire")) },
            newRecords: Set(
                try rest[4].one().get("records", as: [String?].self).compactMap {
                    $0.flatMap { UUID(uuidString: $0) }
                }))
    }

    // MARK: - Writing

    private func store(
        _ made: RuleDecisions, for state: DecisionState, now: Instant, in transaction: Transaction
    ) async throws {
        let enrolment = state.participant.enrolment
        var rows: [RuleDecision] = []
        var messages: [(decision: RuleDecision, id: MessageID, words: ComposedMessage)] = []
        for var decision in made.decisions {
            if decision.outcome == .message {
                let history: ContentHistory? =
                    if let collection = made.collection(decision) {
                        try await Self.contentHistory(
                            collection, of: enrolment.id, today: enrolment.zone.local(of: now).date,
                            in: transaction)
                    } else {
                        nil
                    }
                if let words = try made.compose(decision, history) {
                    let id = MessageID(UUID())
                    messages.append((decision, id, words))
                    // The next message of this evaluation must see the item as shown.
                    if let content = words.content {
                        try await Self.select(
                            content, by: decision.point, of: enrolment.id, now: now, in: transaction)
                    }
                } else {
                    decision.outcome = .noContent
                }
            }
            if decision.isLogged || decision.outcome.isAction { rows.append(decision) }
        }
        let ids = Dictionary(messages.map { ($0.decision.point, $0.id) }) { first, _ in first }
        if !rows.isEmpty {
            _ = try await transaction.query(
                Statements.rules["insert_decisions"],
                Self.arguments(rows, messages: ids, of: enrolment.id, version: made.study.version))
        }
        for (decision, id, words) in messages {
            let point = decision.point
            let message = NewInboxMessage(
                id: id, rule: point.rule, key: "\(point.rule)/\(point.point)/\(point.key)", words: words,
                channels: decision.channels, countsForDay: decision.countsForDay,
                sendsByAllChannels: made.sendsByAllChannels, sendAt: decision.sendAt ?? now,
                expiresAt: point.expiresAt)
            try await Self.insert(message, for: enrolment, now: now, in: transaction)
        }
        for decision in rows where decision.outcome == .alert {
            guard case .alert(let about) = decision.action else { continue }
            _ = try await transaction.query(
                Statements.staffMessages["insert_alert"],
                [
                    "enrolment_id": .id(enrolment.id), "alert_id": .uuid(UUID()),
                    "rule": .text(decision.point.rule), "about": .text(about), "now": .instant(now),
                ])
        }
        for decision in rows where decision.outcome == .award {
            guard case .award(let award) = decision.action else { continue }
            _ = try await transaction.query(
                Statements.rules["insert_award"],
                [
                    "enrolment_id": .id(enrolment.id), "award": .text(award.code),
                    "repeatable": .bool(award.isRepeatable), "rule": .text(decision.point.rule),
                    "now": .instant(now),
                ])
        }
        try await recordEvents(rows, of: enrolment, made.study, now: now, in: transaction)
        if !made.revokedAwards.isEmpty {
            _ = try await transaction.query(
                Statements.rules["delete_awards"],
                ["enrolment_id": .id(enrolment.id), "awards": .texts(made.revokedAwards)])
        }
    }

    /// Records the events that rules decided, and plans the occasions that count from them. If an event already has an
    /// instant, it keeps it.
    private func recordEvents(
        _ decisions: [RuleDecision], of enrolment: Enrolment, _ study: Study, now: Instant,
        in transaction: Transaction
    ) async throws {
        let codes = decisions.compactMap { decision -> String? in
            guard decision.outcome == .event, case .event(let code) = decision.action else { return nil }
            return code
        }
        guard !codes.isEmpty else { return }
        let known = try await transaction.query(
            Statements.enrolments["list_enrolment_events"], ["enrolment_ids": .ids([enrolment.id])]
        ).map { try Self.event($0).code }
        let new = Set(codes).subtracting(known)
        guard !new.isEmpty else { return }
        for code in new.sorted() {
            _ = try await transaction.query(
                Statements.enrolments["insert_enrolment_event"],
                [
                    "enrolment_id": .id(enrolment.id), "event": .text(code), "occurred_at": .instant(now),
                    "now": .instant(now),
                ])
        }
        _ = try await replan(enrolment, study: study, now: now, in: transaction)
    }

    private static func arguments(
        _ decisions: [RuleDecision], messages: [PlannedPoint: MessageID], of id: EnrolmentID, version: String
    ) -> Arguments {
        [
            "enrolment_id": .id(id), "study_version": .text(version),
            "rules": .texts(decisions.map(\.point.rule)), "points": .texts(decisions.map(\.point.point)),
            "keys": .texts(decisions.map(\.point.key)), "moments": .instants(decisions.map(\.point.moment)),
            "decided_ats": .instants(decisions.map(\.decidedAt)),
            "outcomes": .texts(decisions.map(\.outcome.rawValue)),
            "availables": .bools(decisions.map(\.isAvailable)),
            "probabilities": .float8s(decisions.map(\.probability)),
            "draws": .float8s(decisions.map(\.draw)),
            "variables": .texts(decisions.map { JSON.object($0.variables).text }),
            "message_ids": .uuids(decisions.map { messages[$0.point]?.uuid }),
        ]
    }

    private static func select(
        _ content: ComposedMessage.Content, by point: PlannedPoint, of id: EnrolmentID, now: Instant,
        in transaction: Transaction
    ) async throws {
        let (selector, slot) =
            content.date.map { (dailySelector, $0.description) } ?? (
                point.rule, "\(point.point)/\(point.key)"
            )
        try await insertSelections(
            [(slot, content.selected.item)], selector, content.collection, of: id,
            edition: content.selected.edition, now: now, in: transaction)
    }
}

/// A stored decision, for researchers.
package struct StoredDecision: Sendable {
    /// The enrolment.
    package var enrolment: EnrolmentID
    /// The pseudonym of the participant.
    package var participantID: String
    /// The name of the decision point.
    package var point: String
    /// The element or key of the rule; empty for none.
    package var key: String
    /// The version whose rule decided.
    package var studyVersion: String
    /// When the decision point was.
    package var moment: Instant
    /// When the server decided.
    package var decidedAt: Instant
    /// The raw value of a `RuleOutcome`.
    package var outcome: String
    /// Whether the action was possible before the draw.
    package var isAvailable: Bool
    /// Nil if the rule does not randomise.
    package var probability: Double?
    /// Nil without a draw.
    package var draw: Double?
    /// Name -> value.
    package var variables: JSON
    /// The message that was sent; nil for none.
    package var message: MessageID?
}

/// A position in the decisions of a rule, newest first.
package struct DecisionPosition: Sendable {
    var decidedAt: Instant
    var enrolment: EnrolmentID
    var point: String
    var key: String

    /// After the decision with these values.
    package init(decidedAt: Instant, enrolment: EnrolmentID, point: String, key: String) {
        self.decidedAt = decidedAt
        self.enrolment = enrolment
        self.point = point
        self.key = key
    }
}

/// Which decisions of a rule are listed. Nil selects all.
package struct DecisionFilter: Sendable {
    /// Only those of this participant.
    package var enrolment: EnrolmentID?
    /// The raw value of a `RuleOutcome`.
    package var outcome: String?
    /// Only decisions at this instant or later.
    package var since: Instant?
    /// Only decisions before this instant.
    package var until: Instant?

    /// Creates a filter that selects all decisions.
    package init() {}
}

/// How many decisions of a rule have an outcome.
package struct DecisionCount: Sendable {
    /// The code of the rule.
    package var rule: String
    /// The raw value of a `RuleOutcome`.
    package var outcome: String
    /// The number of stored decisions, at least 1.
    package var decisions: Int
    /// When the newest of them was made.
    package var lastDecidedAt: Instant
}

extension Store {
    /// The stored decisions of rules of a study by outcome. Excluded participants are left out. The time is
    /// proportional to the number of decisions.
    package func countDecisions(of rules: [String], in study: String) async throws -> [DecisionCount] {
        try await export.query(
            Statements.rules["count_decisions"], ["study": .text(study), "rules": .texts(rules)]
        ).map { row in
            DecisionCount(
                rule: try row.get("rule"), outcome: try row.get("outcome"),
                decisions: try row.get("decisions"), lastDecidedAt: try row.instant("last_decided_at"))
        }
    }

    /// A page of the decisions of a rule, the newest first. Excluded participants are left out.
    package func listDecisions(
        of rule: String, in study: String, _ filter: DecisionFilter = DecisionFilter(),
        after position: DecisionPosition?, limit: Int
    ) async throws -> [StoredDecision] {
        try await research.query(
            Statements.rules["list_decisions_of_rule"],
            [
                "study": .text(study), "rule": .text(rule), "enrolment_id": .id(filter.enrolment),
                "outcome": .text(filter.outcome), "since": .instant(filter.since),
                "until": .instant(filter.until),
                "before": .instant(position?.decidedAt ?? .maximum),
                "before_id": .uuid(position?.enrolment.uuid ?? .last),
                "before_point": .text(position?.point ?? ""), "before_key": .text(position?.key ?? ""),
                "limit_rows": .int(limit),
            ]
        ).map { row in
            StoredDecision(
                enrolment: try row.id("enrolment_id"), participantID: try row.get("participant_id"),
                point: try row.get("point"), key: try row.get("key"),
                studyVersion: try row.get("study_version"), moment: try row.instant("moment"),
                decidedAt: try row.instant("decided_at"), outcome: try row.get("outcome"),
                isAvailable: try row.get("available"), probability: try row.getOptional("probability"),
                draw: try row.getOptional("draw"),
                variables: try JSONReader.read(row.get("variables", as: String.self)),
                message: try row.idOptional("message_id"))
        }
    }
}
