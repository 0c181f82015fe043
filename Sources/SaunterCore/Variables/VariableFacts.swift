import Foundation

/// Everything about one participant from which variables are computed. All lists are in any order.
///
/// Only current sheets count: the newest revision of each sheet that is neither deleted nor a duplicate. The facts may
/// contain other sheets; they are ignored.
package struct VariableFacts: Sendable {
    /// A revision of an answer sheet.
    package struct Sheet: Sendable {
        /// The id of the sheet.
        package var id: SheetID
        /// From 1. Only the newest revision counts.
        package var revision: Int
        /// The code of the questionnaire.
        package var questionnaire: String
        /// The completion by the corrected clock.
        package var completedAt: Instant
        /// The stored offset from UTC at the completion. It gives the local date.
        package var offsetMinutes: Int
        /// The sheet that this sheet is about; nil for none.
        package var refersTo: SheetID?
        /// `participant`, or the code of the partner that wrote the sheet.
        package var source: String
        /// The sheet that had already fulfilled the occasion; nil for none.
        package var duplicateOf: SheetID?
        /// When the participant deleted the sheet; nil if it is not deleted.
        package var deletedAt: Instant?
        /// Nil if the plan needs no answers of the questionnaire.
        package var answers: KnownAnswers?
        /// Scale -> score of the active key. A scale without a score is absent.
        package var scores: [String: Double]

        /// Creates a sheet; by default the first revision of one that counts.
        package init(
            id: SheetID, revision: Int = 1, questionnaire: String, completedAt: Instant, offsetMinutes: Int,
            refersTo: SheetID? = nil, source: String = "participant", duplicateOf: SheetID? = nil,
            deletedAt: Instant? = nil, answers: KnownAnswers? = nil, scores: [String: Double] = [:]
        ) {
            self.id = id
            self.revision = revision
            self.questionnaire = questionnaire
            self.completedAt = completedAt
            self.offsetMinutes = offsetMinutes
            self.refersTo = refersTo
            self.source = source
            self.duplicateOf = duplicateOf
            self.deletedAt = deletedAt
            self.answers = answers
            self.scores = scores
        }
    }

    /// The answers of a sheet, as far as they were read.
    package enum KnownAnswers: Sendable {
        /// All answers.
        case sheet(AnswerSheet)
        /// The answers to some items, in the order of the items.
        case items(AnswerCodec.Items, [Answer?])

        /// The answer to an item; nil if there is none.
        func answer(to linkId: String) -> Answer? {
            switch self {
            case .sheet(let sheet): sheet.answer(to: linkId)
            case .items(let items, let answers): items.position(of: linkId).flatMap { answers[$0] }
            }
        }
    }

    /// How and when the server received a record that is not a sheet.
    package struct Arrival: Sendable, Hashable {
        /// `walk`, `usage` or `observation`.
        package var kind: String
        /// The id of the record.
        package var id: UUID
        /// By the server's clock.
        package var receivedAt: Instant

        /// Creates an arrival.
        package init(_ kind: String, _ id: UUID, at receivedAt: Instant) {
            self.kind = kind
            self.id = id
            self.receivedAt = receivedAt
        }

        /// The name of the decision points that the record causes, such as `walk:<id>`.
        package var name: String { "\(kind):\(id.uuidString.lowercased())" }
    }

    /// A usage event of the app.
    package struct UsageEvent: Sendable {
        /// The kind, see `UsageEventKind`.
        package var event: String
        /// By the corrected clock.
        package var happenedAt: Instant
        /// Minutes east of UTC. They give the local date.
        package var offsetMinutes: Int
        /// The code of the feature of the study; nil for none.
        package var feature: String?
        /// How long it lasted; nil if it has no duration.
        package var seconds: Double?
        /// Nil for a made-up event.
        package var arrival: Arrival?

        /// Creates a usage event.
        package init(
            event: String, happenedAt: Instant, offsetMinutes: Int, feature: String? = nil,
            seconds: Double? = nil, arrival: Arrival? = nil
        ) {
            self.event = event
            self.happenedAt = happenedAt
            self.offsetMinutes = offsetMinutes
            self.feature = feature
            self.seconds = seconds
            self.arrival = arrival
        }
    }

    /// A walk that is not deleted.
    package struct WalkFact: Sendable {
        /// By the corrected clock.
        package var startedAt: Instant
        /// Minutes east of UTC. They give the local date.
        package var offsetMinutes: Int
        /// Whether the recording counts as a walk. False if it has the flag `not_a_walk`.
        package var isWalk: Bool
        /// The metrics that were measured.
        package var metrics: [WalkMetric: Double]
        /// Nil for a made-up walk.
        package var arrival: Arrival?

        /// Creates a walk; by default without metrics.
        package init(
            startedAt: Instant, offsetMinutes: Int, isWalk: Bool = true, metrics: [WalkMetric: Double] = [:],
            arrival: Arrival? = nil
        ) {
            self.startedAt = startedAt
            self.offsetMinutes = offsetMinutes
            self.isWalk = isWalk
            self.metrics = metrics
            self.arrival = arrival
        }
    }

    /// An observation that is not deleted.
    package struct ObservationFact: Sendable {
        /// The URI of the code system.
        package var system: String
        /// The code in that system.
        package var code: String
        /// By the corrected clock.
        package var startedAt: Instant
        /// Minutes east of UTC. They give the local date.
        package var offsetMinutes: Int
        /// The mean of the first component; nil if nothing was measured.
        package var value: Double?
        /// Nil for a made-up observation.
        package var arrival: Arrival?

        /// Creates an observation.
        package init(
            system: String, code: String, startedAt: Instant, offsetMinutes: Int, value: Double?,
            arrival: Arrival? = nil
        ) {
            self.system = system
            self.code = code
            self.startedAt = startedAt
            self.offsetMinutes = offsetMinutes
            self.value = value
            self.arrival = arrival
        }
    }

    /// A message that was sent because of a rule.
    package struct Message: Sendable {
        /// The code of the rule.
        package var rule: String
        /// When a channel accepted the message.
        package var sentAt: Instant
        /// When the device received it, as it reported; nil if it did not report it.
        package var deliveredAt: Instant?
        /// When the participant opened it, as the device reported; nil if it did not report it.
        package var openedAt: Instant?

        /// Creates a message; by default an unconfirmed one.
        package init(rule: String, sentAt: Instant, deliveredAt: Instant? = nil, openedAt: Instant? = nil) {
            self.rule = rule
            self.sentAt = sentAt
            self.deliveredAt = deliveredAt
            self.openedAt = openedAt
        }
    }

    /// When the participant enrolled. The study days count from its local date.
    package var enrolledAt: Instant
    /// The zone at enrolment and all later zones.
    package var zones: [ZoneChange]
    /// Local dates that a break touches neither extend nor end a streak.
    package var breaks: [Pause]
    /// In any order.
    package var sheets: [Sheet]
    /// In any order.
    package var usageEvents: [UsageEvent]
    /// In any order.
    package var walks: [WalkFact]
    /// In any order.
    package var observations: [ObservationFact]
    /// Code of a named event of the study -> its instant.
    package var events: [String: Instant]
    /// In any order.
    package var messages: [Message]
    /// In any order.
    package var occasions: [Occasion]

    /// Creates the facts; by default nothing has happened.
    package init(
        enrolledAt: Instant, zones: [ZoneChange], breaks: [Pause] = [], sheets: [Sheet] = [],
        usageEvents: [UsageEvent] = [], walks: [WalkFact] = [], observations: [ObservationFact] = [],
        events: [String: Instant] = [:], messages: [Message] = [], occasions: [Occasion] = []
    ) {
        self.enrolledAt = enrolledAt
        self.zones = zones
        self.breaks = breaks
        self.sheets = sheets
        self.usageEvents = usageEvents
        self.walks = walks
        self.observations = observations
        self.events = events
        self.messages = messages
        self.occasions = occasions
    }
}

extension [VariableFacts.Sheet] {
    /// The current sheets that were completed by an instant, ordered by completion, then id.
    func current(at now: Instant) -> [VariableFacts.Sheet] {
        var newest: [SheetID: Int] = [:]
        // Revision numbers of a sheet are unique. If all are 1, each sheet has one revision here.
        let eachHasOneRevision = allSatisfy { $0.revision == 1 }
        if !eachHasOneRevision {
            newest.reserveCapacity(count)
            for (position, sheet) in enumerated() {
                if let other = newest[sheet.id], self[other].revision > sheet.revision { continue }
                newest[sheet.id] = position
            }
        }
        let positions = indices.filter { position in
            (eachHasOneRevision || newest[self[position].id] == position) && self[position].duplicateOf == nil
                && self[position].deletedAt == nil && self[position].completedAt <= now
        }
        return positions.map { (position: $0, completedAt: self[$0].completedAt, id: self[$0].id) }
            .sorted { ($0.completedAt, $0.id) < ($1.completedAt, $1.id) }
            .map { self[$0.position] }
    }
}

extension VariableFacts {
    /// Which of these records are walks, usage events and observations, in the order of arrival.
    package func arrivals(among ids: Set<UUID>) -> [Arrival] {
        let all =
            walks.lazy.compactMap(\.arrival) + usageEvents.lazy.compactMap(\.arrival)
            + observations.lazy.compactMap(\.arrival)
        return all.filter { ids.contains($0.id) }.sorted {
            ($0.receivedAt, $0.name) < ($1.receivedAt, $1.name)
        }
    }

    /// The facts without some walks, usage events and observations.
    package func withoutArrivals(_ ids: Set<UUID>) -> VariableFacts {
        func isNew(_ arrival: Arrival?) -> Bool { arrival.map { ids.contains($0.id) } ?? false }
        var facts = self
        facts.walks.removeAll { isNew($0.arrival) }
        facts.usageEvents.removeAll { isNew($0.arrival) }
        facts.observations.removeAll { isNew($0.arrival) }
        return facts
    }

    /// The facts without some sheets.
    package func without(_ ids: Set<SheetID>) -> VariableFacts {
        guard !ids.isEmpty else { return self }
        var facts = self
        facts.sheets.removeAll { ids.contains($0.id) }
        return facts
    }
}
