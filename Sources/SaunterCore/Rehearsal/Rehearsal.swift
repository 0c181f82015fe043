import Foundation

/// A made-up participant of a study at one moment. It shows what a participant would see and receive. It is pure:
/// nothing is stored, and the same input always returns the same result.
///
/// The made-up participant has no walks and reports no events. Random times follow from a fixed seed, so they differ
/// from those of real participants.
package struct Rehearsal: Sendable {
    /// An answer that the made-up participant has given.
    package struct Answer: Sendable, Hashable {
        /// What was answered.
        package enum Subject: Sendable, Hashable {
            /// A planned occasion.
            case occasion(OccasionID)
            /// A questionnaire at any time, by its code.
            case questionnaire(String)
        }

        /// What was answered.
        package var subject: Subject
        /// When it was answered.
        package var at: Instant

        /// Creates an answer without content.
        package init(_ subject: Subject, at: Instant) {
            self.subject = subject
            self.at = at
        }
    }

    /// A sheet that an answer became.
    package struct Completion: Sendable, Hashable {
        /// Follows from the occasion, or from the questionnaire and the time.
        package var sheet: SheetID
        /// The code of the questionnaire.
        package var questionnaire: String
        /// The occasion that the sheet fulfils; nil for an entry at any time.
        package var occasion: OccasionID?
        /// When it was completed.
        package var at: Instant
    }

    /// The id of every made-up enrolment. It is part of the ids of the occasions, so they stay the same while only the
    /// moment changes.
    package static let enrolmentID = EnrolmentID(
        UUID(uuid: (0x5A, 0x55, 0x4E, 0x54, 0x45, 0x52, 0x40, 0, 0x80, 0, 0x52, 0x45, 0x48, 0x45, 0x41, 0x52))
    )
    private static let seed = Array("saunter.rehearsal".utf8)

    /// The study, which can be unpublished.
    package let study: Study
    /// The code of the arm; nil if the study has none.
    package let arm: String?
    /// When the made-up participant enrolled.
    package let enrolledAt: Instant
    /// The moment that the rehearsal shows, not before the enrolment.
    package let moment: Instant
    /// The zone of the made-up participant, during the whole study.
    package let zone: Zone
    /// The sheets until the moment, in the order of completion.
    package let completions: [Completion]
    /// All occasions of the study, with those that are answered at the moment.
    package let occasions: [Occasion]
    private let planner: Planner

    /// Plans the study of the made-up participant.
    /// - Parameters:
    ///   - moment: the moment to show. A moment before the enrolment is the enrolment.
    ///   - answers: in any order. Answers after the moment are not given yet. An answer is ignored if the study has no
    ///     such questionnaire, if the occasion was not open, or if it was answered before.
    package init(
        study: Study, arm: String?, enrolledAt: Instant, at moment: Instant, zone: Zone,
        answers: [Answer] = []
    ) {
        self.study = study
        self.arm = arm
        self.enrolledAt = enrolledAt
        self.moment = max(moment, enrolledAt)
        self.zone = zone
        let given = answers.filter { [moment = self.moment] in enrolledAt <= $0.at && $0.at <= moment }
            .sorted { $0.at < $1.at }
        var input = PlanInput(
            study: study, enrolmentID: Self.enrolmentID, arm: arm, enrolledAt: enrolledAt,
            zones: [ZoneChange(from: enrolledAt, zone: zone)], seed: Self.seed)
        var planner = Planner(input)
        var planned = planner.occasions(from: .minimum, through: .maximum)
        var completions = Self.completions(given, planned, study)
        // A sheet can plan further occasions, which a later answer can fulfil.
        let followed = study.followedQuestionnaires
        var anchored: Set<SheetID> = []
        while let next = completions.first(where: {
            followed.contains($0.questionnaire) && !anchored.contains($0.sheet)
        }) {
            anchored.insert(next.sheet)
            input.anchors.append(.completion(of: next.questionnaire, sheet: next.sheet, at: next.at))
            planner = Planner(input)
            planned = planner.occasions(from: .minimum, through: .maximum)
            completions = Self.completions(given, planned, study)
        }
        self.planner = planner
        self.completions = completions
        occasions = Self.answered(planned, completions)
    }

    /// The sheets of the answers. Each occasion is answered once.
    private static func completions(
        _ answers: [Answer], _ planned: [Occasion], _ study: Study
    ) -> [Completion] {
        let byID = Dictionary(planned.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var found: [Completion] = []
        for answer in answers {
            let completion: Completion
            switch answer.subject {
            case .occasion(let id):
                guard let occasion = byID[id], occasion.state(at: answer.at).isAnswerable else { continue }
                completion = Completion(
                    sheet: SheetID(id.uuid), questionnaire: occasion.questionnaire, occasion: id,
                    at: answer.at)
            case .questionnaire(let code):
                guard let rule = study.anyTimeRule(of: code) else { continue }
                let fulfilled = planned.first { occasion in
                    occasion.key.schedule == rule.fulfilledSchedule
                        && occasion.state(at: answer.at).isAnswerable
                        && !found.contains { $0.occasion == occasion.id }
                }
                completion = Completion(
                    sheet: sheetID("\(code) \(answer.at)"), questionnaire: code, occasion: fulfilled?.id,
                    at: answer.at)
            }
            let isKnown = found.contains {
                $0.sheet == completion.sheet || $0.occasion != nil && $0.occasion == completion.occasion
            }
            if !isKnown { found.append(completion) }
        }
        return found
    }

    /// A UUID from the digest of a text.
    private static func sheetID(_ text: String) -> SheetID {
        let digits = Array(JSON.string(text).digest.utf8.prefix(32))
        func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x57 }
        let bytes = stride(from: 0, to: 32, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
        return SheetID(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }

    private static func answered(_ planned: [Occasion], _ completions: [Completion]) -> [Occasion] {
        let byOccasion = Dictionary(
            completions.compactMap { sheet in sheet.occasion.map { ($0, sheet) } },
            uniquingKeysWith: { first, _ in first })
        return planned.map { planned in
            var occasion = planned
            occasion.completedAt = byOccasion[planned.id]?.at
            occasion.sheetID = byOccasion[planned.id]?.sheet
            return occasion
        }
    }
}

// MARK: - The moment

extension Rehearsal {
    /// The local date of the enrolment, day 0.
    package var enrolledOn: LocalDate { planner.enrolmentDate }

    /// The local date of the moment.
    package var today: LocalDate { zone.local(of: moment).date }

    /// The number of the study day of the moment; 0 on the day of enrolment.
    package var day: Int { today.days - enrolledOn.days }

    /// The code of the first phase of the study that contains the moment; nil if none does.
    package var phase: String? {
        study.phases.first { planner.span(of: $0.code)?.contains(today, openAt: moment) ?? false }?.code
    }

    /// The occasions that a participant can know at the moment: up to two weeks ahead, as the server stores them, and
    /// occasions of schedules that have none until then, such as a final assessment.
    package var knownOccasions: [Occasion] {
        let last = planner.horizon(from: moment).upperBound
        let near = occasions.filter { $0.localDate <= last }
        let planned = Set(near.filter { $0.window.closeAt > moment }.map(\.key.schedule))
        let announced = Set(
            study.schedules.filter { !$0.anchor.isRepeated && !planned.contains($0.id) }.map(\.id))
        return near
            + occasions.filter {
                $0.localDate > last && $0.window.openAt > moment && announced.contains($0.key.schedule)
            }
    }

    /// What the overview needs besides the occasions.
    package var facts: EnrolmentFacts {
        let completedToday = completions.filter { zone.local(of: $0.at).date == today }
        return EnrolmentFacts(
            hasCalibration: false, status: .active,
            answeredToday: Dictionary(grouping: completedToday, by: \.questionnaire).mapValues(\.count),
            happened: Set(completions.map { Anchor.completion(questionnaire: $0.questionnaire) }))
    }

    /// One entry for each questionnaire; see `Study.overview`.
    package var overview: [OverviewEntry] {
        study.overview(arm: arm, occasions: knownOccasions, facts: facts, at: moment, zone: zone)
    }
}

// MARK: - Messages

extension Rehearsal {
    private static let maximumMessages = 50

    /// The reminders and notifications of the local date of the moment, if the participant does nothing on it besides
    /// the answers that were given. Quiet hours and the daily maximum are taken into account. Messages of decision
    /// rules are not included, because they depend on facts that a made-up participant does not have.
    package var messages: [PlannedMessage] {
        let end = zone.startOfDay(today.adding(days: 1))
        // A message at the first instant of the day counts.
        var now = max(zone.startOfDay(today), enrolledAt).adding(milliseconds: -1)
        var planner = ReminderPlanner(
            study: study, occasions: [], zone: zone, enrolledAt: enrolledAt, plannedThrough: .maximum)
        let candidates = occasions.filter {
            $0.window.closeAt > now && $0.window.openAt < end.adding(seconds: 86_400)
        }
        var found: [PlannedMessage] = []
        while found.count < Self.maximumMessages {
            planner.occasions = candidates.map { unanswered($0, at: now) }
            planner.facts = notificationFacts(at: now)
            let message = planner.upcomingMessages(after: now, limit: 1).first { $0.at < end }
            let answer = completions.first { $0.at > now && $0.at < end }
            // An answer changes which messages follow.
            if let answer, answer.at < message?.at ?? .maximum {
                now = answer.at
                continue
            }
            guard let message else { break }
            found.append(message)
            planner.records += message.reminders.map { record(of: $0, at: message.at, number: found.count) }
            now = message.at
        }
        return found
    }

    /// The occasion as it was known at an instant, before later answers.
    private func unanswered(_ occasion: Occasion, at now: Instant) -> Occasion {
        guard let completedAt = occasion.completedAt, completedAt > now else { return occasion }
        var known = occasion
        known.completedAt = nil
        known.sheetID = nil
        return known
    }

    private func notificationFacts(at now: Instant) -> NotificationFacts {
        let known = completions.filter { $0.at <= now }
        return NotificationFacts(
            lastActivity: known.map(\.at).max(),
            completions: Dictionary(known.map { ($0.questionnaire, $0.at) }, uniquingKeysWith: max))
    }

    /// The record of a message that arrived, so that it is not repeated.
    private func record(of reminder: Reminder, at instant: Instant, number: Int) -> ReminderRecord {
        let message = MessageID(
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number))))
        return ReminderRecord(
            key: reminder.key, message: message, plannedAt: reminder.at, claimedAt: instant, sentAt: instant,
            deliveredAt: instant)
    }
}
