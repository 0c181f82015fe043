import Foundation
import Postgres
import SaunterCore

extension Store {
    /// How many participants are read at once.
    private static let enrolmentsPerPage = 50

    /// What a version would do to the occasions of those who are enrolled in another one, those to come that are not stored yet among them, as far
    /// ahead as `PreviewReach` has it. One read-only snapshot, page by page; by the reckoning that `moveEnrolled` writes by.
    /// - Parameters:
    ///   - former: reads a published version; called with each one of the study, before anything is looked at.
    ///   - limit: no page is begun once so many participants have been looked at.
    ///   - progress: told how many participants have been looked at.
    package func effect(
        of study: Study, former: @Sendable (_ version: String) async throws -> Study?, now: Instant,
        limit: Int = .max, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> PublicationEffect {
        var found: [String: Study] = [:]
        for version in try await listStudyVersions(study.code) { found[version] = try await former(version) }
        let versions = found
        return try await research.read(isolation: .repeatableRead) { transaction in
            let people: Int = try await transaction.query(
                Statements.consents["count_enrolments_behind"],
                [.text(study.code), .text(study.version), .text(study.consentVersion)]
            ).one().get("count")
            let reach = Self.reach(of: min(people, limit), versions, study, now: now)
            var effect = PublicationEffect()
            var after = Self.firstID
            while true {
                let page = try await transaction.query(
                    Statements.consents["list_enrolments_behind"], Self.behind(study, after: after))
                guard let last = try page.last?.get("enrolment_id", as: UUID.self) else { return effect }
                let seen = effect.enrolments + effect.awaitingConsent
                guard seen < limit else {
                    effect.isComplete = false
                    return effect
                }
                after = last
                let covered = try page.filter {
                    try $0.get("consent_version", as: String.self) == study.consentVersion
                }.map { try $0.id("enrolment_id", as: EnrolmentID.self) }
                effect.awaitingConsent += page.count - covered.count
                try await add(
                    covered, versions, study, now: now, through: reach, in: transaction, to: &effect)
                progress(effect.enrolments + effect.awaitingConsent)
            }
        }
    }

    /// The last date that is looked at.
    private static func reach(
        of people: Int, _ versions: [String: Study], _ study: Study, now: Instant
    ) -> LocalDate {
        let following = PlanDensity(of: study)
        let staying = versions.values.map { PlanDensity(of: $0) }
        let days = PreviewReach.days(people: people) { days in
            following.most(in: days) + (staying.map { $0.most(in: days) }.max() ?? 0)
        }
        return Zone.utc.local(of: now).date.adding(days: days)
    }

    private func add(
        _ enrolments: [EnrolmentID], _ versions: [String: Study], _ study: Study, now: Instant,
        through reach: LocalDate, in transaction: Transaction, to effect: inout PublicationEffect
    ) async throws {
        guard !enrolments.isEmpty else { return }
        let reading = ParticipationReading(
            ids: enrolments, now: now,
            completions: versions.values.reduce(ParticipationReading.Completions(whatPlansNeed: study)) {
                $0.joined(with: .init(whatPlansNeed: $1))
            })
        let participations = try reading.participations(try await transaction.pipeline(reading.calls))
        for id in enrolments {
            guard let stored = participations[id] else { continue }
            // Two plans of a year take a while, and others wait for the processor.
            await Task.yield()
            // As everything would come, were they to stay on their version.
            let staying = difference(
                of: stored, to: versions[stored.enrolment.studyVersion] ?? study, now: now, through: reach)
            var present = stored
            present.occasions = staying.difference.applied(to: stored.occasions)
            let following = difference(of: present, to: study, now: now, through: reach)
            let told = stored.prompting(study, at: now)
                .told(before: following.difference, plannedAt: stored.plannedAt)
            effect.add(
                arm: stored.enrolment.arm, isArmKept: study.hasArm(stored.enrolment.arm),
                stored: present.occasions, difference: following.difference, told: Set(told.map(\.id)),
                now: now)
            if max(staying.planner.endDate, following.planner.endDate) > reach { effect.through = reach }
        }
    }

    /// Lets everybody who is enrolled and has consented to its text follow this version, one transaction each: what
    /// is interrupted goes on when it is begun again.
    /// - Returns: how many came to follow it.
    package func moveEnrolled(
        to study: Study, now: Instant, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Int {
        var moved = 0
        var after = Self.firstID
        while true {
            let page = try await research.query(
                Statements.consents["list_enrolments_behind"], Self.behind(study, after: after))
            guard let last = try page.last?.get("enrolment_id", as: UUID.self) else { return moved }
            after = last
            for row in page {
                let id: EnrolmentID = try row.id("enrolment_id")
                do {
                    if try await move(id, to: study, now: now) { moved += 1 }
                } catch is ErasedMeanwhile {
                    continue
                }
            }
            progress(moved)
        }
    }

    private func move(_ id: EnrolmentID, to study: Study, now: Instant) async throws -> Bool {
        try await research.writeRetrying(repeatable: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            guard enrolment.state == .active, enrolment.studyVersion != study.version,
                enrolment.consentVersion == study.consentVersion
            else { return false }
            _ = try await follow(study, enrolment, now: now, in: transaction)
            return true
        }
    }

    /// Under the participant's lock: the version, and the plan by it. What is open stays as it is.
    func follow(
        _ study: Study, _ enrolment: Enrolment, now: Instant, in transaction: Transaction
    ) async throws -> Enrolment {
        _ = try await transaction.pipeline([
            (
                Statements.consents["update_enrolment_version"],
                [.id(enrolment.id), .text(study.version)]
            ),
            Self.versionCall(of: enrolment.id, study.version, now: now),
        ])
        var moved = enrolment
        moved.studyVersion = study.version
        return try await replan(moved, study: study, now: now, in: transaction)
    }

    private static let firstID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private static func behind(_ study: Study, after: UUID) -> [Parameter] {
        [.text(study.code), .text(study.version), .uuid(after), .int(enrolmentsPerPage)]
    }
}
