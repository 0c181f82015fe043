import Foundation
import Postgres
import SaunterCore

/// Another version became live, so no further participants are moved to this one.
package struct VersionNotLive: Error {
    /// The live version; nil if the study is not published.
    package let live: String?
    /// The number of participants who were moved before.
    package let moved: Int
}

extension Store {
    /// Enrolments read at once.
    private static let enrolmentsPerPage = 50

    /// Computes how publishing a version would change the occasions of participants who follow another version,
    /// including future occasions that are not stored yet, up to the period in `PreviewPeriod`. Uses the same
    /// computation as `moveEnrolments`. Reads one snapshot, page by page, and writes nothing.
    /// - Parameters:
    ///   - loadVersion: reads a published version. It is called for each version of the study before the first page.
    ///   - limit: no page is read after this number of participants.
    ///   - progress: gets the number of participants so far.
    package func previewEffect(
        of study: Study, loadVersion: @Sendable (_ version: String) async throws -> Study?, now: Instant,
        limit: Int = .max, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> PublicationEffect {
        var found: [String: Study] = [:]
        for version in try await listStudyVersions(study.code) {
            found[version] = try await loadVersion(version)
        }
        let versions = found
        return try await research.read(isolation: .repeatableRead) { transaction in
            let participants: Int = try await transaction.query(
                Statements.consents["count_enrolments_behind"],
                [
                    "study": .text(study.code), "study_version": .text(study.version),
                    "consent_version": .text(study.consentVersion),
                ]
            ).one().get("count")
            let reach = Self.reach(of: min(participants, limit), versions, study, now: now)
            var effect = PublicationEffect()
            var after = UUID.first
            while true {
                let page = try await transaction.query(
                    Statements.consents["list_enrolments_behind"], Self.behind(study, after: after))
                guard let last = try page.last?.get("enrolment_id", as: UUID.self) else { return effect }
                let counted = effect.enrolments + effect.awaitingConsent
                guard counted < limit else {
                    effect.isComplete = false
                    return effect
                }
                after = last
                let consented = try page.filter {
                    try $0.get("consent_version", as: String.self) == study.consentVersion
                }.map { try $0.id("enrolment_id", as: EnrolmentID.self) }
                effect.awaitingConsent += page.count - consented.count
                try await add(
                    consented, versions, study, now: now, through: reach, in: transaction, to: &effect)
                progress(effect.enrolments + effect.awaitingConsent)
            }
        }
    }

    /// The last date for which occasions are compared.
    private static func reach(
        of participants: Int, _ versions: [String: Study], _ study: Study, now: Instant
    ) -> LocalDate {
        let newDensity = PlanDensity(of: study)
        let presentDensities = versions.values.map { PlanDensity(of: $0) }
        let days = PreviewPeriod.days(participants: participants) { days in
            newDensity.maximumOccasions(in: days)
                + (presentDensities.map { $0.maximumOccasions(in: days) }.max() ?? 0)
        }
        return Zone.utc.local(of: now).date.adding(days: days)
    }

    /// Adds the changes of one page of enrolments to the effect.
    private func add(
        _ enrolments: [EnrolmentID], _ versions: [String: Study], _ study: Study, now: Instant,
        through reach: LocalDate, in transaction: Transaction, to effect: inout PublicationEffect
    ) async throws {
        guard !enrolments.isEmpty else { return }
        let query = ParticipantStateQuery(
            ids: enrolments, now: now,
            completions: versions.values.reduce(ParticipantStateQuery.Completions(neededFor: study)) {
                $0.union(.init(neededFor: $1))
            })
        let states = try query.states(from: try await transaction.pipeline(query.calls))
        for id in enrolments {
            guard let stored = states[id] else { continue }
            // Computing two plans of a year takes some time. Other tasks can use the thread in between.
            await Task.yield()
            // The occasions that the participant would get under the present version.
            let presentPlan = difference(
                of: stored, to: versions[stored.enrolment.studyVersion] ?? study, now: now, through: reach)
            var present = stored
            present.occasions = presentPlan.difference.applied(to: stored.occasions)
            let newPlan = difference(of: present, to: study, now: now, through: reach)
            let announced = stored.reminderPlanner(study, at: now)
                .announced(before: newPlan.difference, plannedAt: stored.plannedAt)
            effect.add(
                arm: stored.enrolment.arm, isArmKept: study.hasArm(stored.enrolment.arm),
                currentOccasions: present.occasions, difference: newPlan.difference,
                alreadyAnnounced: Set(announced.map(\.id)), now: now)
            if max(presentPlan.planner.endDate, newPlan.planner.endDate) > reach { effect.through = reach }
        }
    }

    /// Moves the enrolments of participants who have consented to the text of the live version to this version. Each
    /// move is one transaction, which checks that the version is still live. A call after an interruption moves the
    /// rest.
    /// - Parameters:
    ///   - audit: is written before the first move, with the version and the number of participants to move. Nothing is
    ///     written if there are none.
    ///   - goesOn: is called after each page of enrolments. If it returns false, the rest is not moved.
    /// - Returns: the number of moved enrolments.
    /// - Throws: `VersionNotLive`; the participants who were moved before stay moved.
    package func moveEnrolments(
        to study: Study, audit: AuditEntry? = nil, now: Instant,
        while goesOn: @Sendable () -> Bool = { true },
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Int {
        try await requireLive(study, moved: 0, in: research)
        if var audit {
            let behind = try await countEnrolmentsBehind(study)
            audit.detail["version"] = .string(study.version)
            audit.detail["enrolments"] = .int(behind)
            let entry = audit
            if behind > 0 {
                try await research.writeRetrying { transaction in
                    _ = try await transaction.pipeline([entry.call(at: now, secrets)])
                }
            }
        }
        var moved = 0
        var after = UUID.first
        while true {
            let page = try await research.query(
                Statements.consents["list_enrolments_behind"], Self.behind(study, after: after))
            guard let last = try page.last?.get("enrolment_id", as: UUID.self) else { return moved }
            after = last
            for row in page {
                let id: EnrolmentID = try row.id("enrolment_id")
                do {
                    if try await move(id, to: study, moved: moved, now: now) { moved += 1 }
                } catch is ConcurrentErasure {
                    continue
                }
            }
            progress(moved)
            guard goesOn() else { return moved }
        }
    }

    /// - Throws: `VersionNotLive`.
    private func requireLive(_ study: Study, moved: Int, in connection: any Querying) async throws {
        let live: String? = try await connection.query(
            Statements.studies["find_study"], ["study": .text(study.code)]
        ).oneOrNone()?.get("live_version")
        guard live == study.version else { throw VersionNotLive(live: live, moved: moved) }
    }

    /// The number of enrolments that `moveEnrolments` would move.
    package func countEnrolmentsBehind(_ study: Study) async throws -> Int {
        try await research.query(
            Statements.consents["count_enrolments_behind"],
            [
                "study": .text(study.code), "study_version": .text(study.version),
                "consent_version": .text(study.consentVersion),
            ]
        ).one().get("count")
    }

    private func move(
        _ id: EnrolmentID, to study: Study, moved: Int, now: Instant
    ) async throws -> Bool {
        try await research.writeRetrying(idempotent: true) { transaction in
            let enrolment = try await Self.lockEnrolment(id, in: transaction)
            // A later publication moves this participant after the lock ends. So the version is read with the lock.
            try await requireLive(study, moved: moved, in: transaction)
            guard enrolment.state == .active, enrolment.studyVersion != study.version,
                enrolment.consentVersion == study.consentVersion
            else { return false }
            _ = try await setVersion(study, of: enrolment, now: now, in: transaction)
            return true
        }
    }

    /// Sets the study version of an enrolment and replans. The caller has locked the participant. Open occasions stay
    /// unchanged.
    func setVersion(
        _ study: Study, of enrolment: Enrolment, now: Instant, in transaction: Transaction
    ) async throws -> Enrolment {
        _ = try await transaction.pipeline([
            (
                Statements.consents["update_enrolment_version"],
                ["enrolment_id": .id(enrolment.id), "study_version": .text(study.version)]
            ),
            Self.versionCall(of: enrolment.id, study.version, now: now),
        ])
        var moved = enrolment
        moved.studyVersion = study.version
        return try await replan(moved, study: study, now: now, in: transaction)
    }

    /// The arguments of `list_enrolments_behind`.
    private static func behind(_ study: Study, after: UUID) -> Arguments {
        [
            "study": .text(study.code), "study_version": .text(study.version), "after": .uuid(after),
            "limit_rows": .int(enrolmentsPerPage),
        ]
    }
}
