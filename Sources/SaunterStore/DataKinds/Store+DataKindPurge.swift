import Foundation
import Postgres
import SaunterCore

/// What is removed when a participant deletes all data of a kind.
package struct DataKindPurge: Sendable {
    /// One version of a questionnaire with items of the kind.
    package struct Form: Sendable {
        /// The version of the questionnaire.
        package var questionnaire: PublishedQuestionnaire
        /// The linkIds of the items.
        package var items: Set<String>

        /// Names the items of one version.
        package init(questionnaire: PublishedQuestionnaire, items: Set<String>) {
            self.questionnaire = questionnaire
            self.items = items
        }
    }

    /// The code of the kind.
    package var kind: String
    /// All published versions with items of the kind.
    package var forms: [Form]
    /// The columns of walks that belong to the kind.
    package var walkSeries: Set<DataKind.WalkSeries>
    /// The codes of observations that belong to the kind.
    package var observations: [DataKind.Code]

    /// - Parameter studies: the study versions that the enrolment has followed. Data of each version is removed.
    /// - Returns: nil if none of them has the kind.
    package init?(_ kind: String, in studies: [PublishedStudy]) {
        let definitions = studies.flatMap(\.study.dataKinds).filter { $0.code == kind }
        guard !definitions.isEmpty else { return nil }
        self.kind = kind
        walkSeries = Set(definitions.flatMap(\.walkSeries))
        observations = Array(Set(definitions.flatMap(\.observations)))
        let questionnaires = studies.flatMap { $0.questionnaires.values }
        let byVersion = Dictionary(
            questionnaires.map { ("\($0.questionnaire.code) \($0.questionnaire.version)", $0) },
            uniquingKeysWith: { first, _ in first })
        forms = byVersion.sorted { $0.key < $1.key }.compactMap { _, questionnaire in
            let items = questionnaire.items(of: [kind])
            return items.isEmpty ? nil : Form(questionnaire: questionnaire, items: items)
        }
    }

    fileprivate func form(_ questionnaire: String, _ version: String) -> Form? {
        forms.first {
            $0.questionnaire.questionnaire.code == questionnaire
                && $0.questionnaire.questionnaire.version == version
        }
    }

    /// The kinds of quarantined bodies that can contain the data.
    fileprivate var quarantinedKinds: [String] {
        (forms.isEmpty ? [] : ["answer_sheet", "correction"]) + (walkSeries.isEmpty ? [] : ["walk"])
            + (observations.isEmpty ? [] : ["observation"])
    }
}

extension Store {
    /// The number of revisions that one round trip blanks.
    private static let revisionsPerRoundTrip = 200

    /// Ends the permission for a kind of data and removes everything that is stored of it: answers in all revisions,
    /// series and totals of walks, observations, and quarantined bodies. Datasets that contain the data are deleted.
    /// Repeating the call removes nothing more.
    /// - Throws: `ConcurrentErasure`.
    package func purge(
        _ purge: DataKindPurge, of enrolment: EnrolmentID, now: Instant, audit: AuditEntry
    ) async throws {
        try await research.writeRetrying(idempotent: true) { transaction in
            let locked = try await Self.lockEnrolment(enrolment, in: transaction)
            _ = try await transaction.pipeline([
                (
                    Statements.answerSheets["lock_answer_sheets_of_enrolment"],
                    ["enrolment_id": .id(enrolment)]
                ),
                (
                    Statements.dataKinds["mark_data_kind_purged"],
                    ["enrolment_id": .id(enrolment), "kind": .text(purge.kind), "now": .instant(now)]
                ),
            ])
            let sheets = try await Self.blankAnswers(purge, of: enrolment, in: transaction)
            let walks = try await Self.dropSeries(purge.walkSeries, of: enrolment, in: transaction)
            let observations = try await Self.purgeObservations(
                purge.observations, of: enrolment, now: now, in: transaction)
            var calls: [(Statement, Arguments)] = [
                (
                    Statements.dataKinds["delete_quarantined_bodies"],
                    ["enrolment_id": .id(enrolment), "kinds": .texts(purge.quarantinedKinds)]
                ),
                (Statements.rules["blank_decisions"], ["enrolment_id": .id(enrolment)]),
                Self.markChangedCall(enrolment, kind: .enrolment, [enrolment.uuid]),
                Self.markChangedCall(enrolment, kind: .answerSheet, sheets.map(\.uuid)),
                Self.markChangedCall(enrolment, kind: .walk, walks.map(\.uuid)),
                Self.markChangedCall(enrolment, kind: .observation, observations.map(\.uuid)),
                audit.call(at: now, secrets),
            ]
            if !sheets.isEmpty || !walks.isEmpty || !observations.isEmpty {
                calls.append(Self.discardExportsCall(of: locked.study, now: now))
            }
            _ = try await transaction.pipeline(calls)
        }
    }

    /// Removes the answers to the items of the kind from all revisions, and from stored corrections.
    /// - Returns: the sheets that contained such answers.
    private static func blankAnswers(
        _ purge: DataKindPurge, of enrolment: EnrolmentID, in transaction: Transaction
    ) async throws -> [SheetID] {
        guard !purge.forms.isEmpty else { return [] }
        let rows = try await transaction.query(
            Statements.dataKinds["list_revisions"],
            [
                "enrolment_id": .id(enrolment),
                "questionnaires": .texts(
                    Array(Set(purge.forms.map(\.questionnaire.questionnaire.code))).sorted()),
            ])
        var calls: [(Statement, Arguments)] = []
        var changed: Set<SheetID> = []
        var itemsBySheet: [SheetID: Set<String>] = [:]
        for row in rows {
            let sheet: SheetID = try row.id("sheet_id")
            guard let form = purge.form(try row.get("questionnaire"), try row.get("version")) else {
                continue
            }
            itemsBySheet[sheet] = form.items
            var stored = StoredAnswers(
                slots: try row.get("slots"), numbers: try row.get("numbers"), texts: [:])
            stored.setRepeated(
                try row.getOptional("repeated", as: String.self).map { try JSONReader.read($0) })
            guard
                let (answers, items) = try form.questionnaire.codec.purging(
                    form.items, from: stored, as: .noConsent)
            else { continue }
            changed.insert(sheet)
            calls.append(
                (
                    Statements.dataKinds["blank_answers"],
                    [
                        "enrolment_id": .id(enrolment), "sheet_id": .id(sheet),
                        "revision": .int(try row.get("revision")), "slots": .int2s(answers.slots),
                        "numbers": .float8s(answers.numbers), "repeated": .json(answers.repeatedJSON),
                        "items": .texts(items),
                    ]
                ))
        }
        for start in stride(from: 0, to: calls.count, by: revisionsPerRoundTrip) {
            _ = try await transaction.pipeline(
                Array(calls[start..<min(start + revisionsPerRoundTrip, calls.count)]))
        }
        try await stripCorrections(itemsBySheet, of: enrolment, in: transaction)
        return changed.sorted()
    }

    /// Removes the answers to these items from the stored corrections of the sheets.
    private static func stripCorrections(
        _ items: [SheetID: Set<String>], of enrolment: EnrolmentID, in transaction: Transaction
    ) async throws {
        let rows = try await transaction.query(
            Statements.dataKinds["list_correction_bodies"], ["enrolment_id": .id(enrolment)])
        var calls: [(Statement, Arguments)] = []
        for row in rows {
            let sheet: SheetID = try row.id("subject_id")
            let body = try JSONReader.read(row.get("body", as: String.self))
            let stripped = body.withoutAnswers(to: items[sheet] ?? [])
            guard stripped != body else { continue }
            let correction: EditID = try row.id("amendment_id")
            calls.append(
                (
                    Statements.dataKinds["replace_correction_body"],
                    [
                        "enrolment_id": .id(enrolment), "amendment_id": .id(correction),
                        "body": .verbatim(stripped),
                    ]
                ))
        }
        if !calls.isEmpty { _ = try await transaction.pipeline(calls) }
    }

    /// Drops series and totals from all walks, and computes their summaries again. The walks are read one by one,
    /// because a walk can have 100,000 samples.
    /// - Returns: the walks that had such series or totals.
    private static func dropSeries(
        _ series: Set<DataKind.WalkSeries>, of enrolment: EnrolmentID, in transaction: Transaction
    ) async throws -> [WalkID] {
        guard !series.isEmpty else { return [] }
        var changed: [WalkID] = []
        let ids = try await transaction.query(
            Statements.dataKinds["list_walk_ids"], ["enrolment_id": .id(enrolment)])
        for id: WalkID in try ids.map({ try $0.id("walk_id") }) {
            let row = try await transaction.query(
                Statements.walks["find_walk"],
                ["enrolment_id": .id(enrolment), "walk_id": .id(id), "including_deleted": .bool(true)]
            ).one()
            var stored = try StoredWalk(row)
            try stored.readDetail(row)
            let permitted = PermittedWalk(try stored.walk(), without: series)
            guard !permitted.dropped.isEmpty else { continue }
            changed.append(id)
            let (statement, arguments) = replaceCall(stored, by: permitted, of: enrolment)
            _ = try await transaction.query(statement, arguments)
        }
        return changed
    }

    /// The call that replaces the series of a walk and everything that is computed from them.
    private static func replaceCall(
        _ stored: StoredWalk, by permitted: PermittedWalk, of enrolment: EnrolmentID
    ) -> (Statement, Arguments) {
        let walk = permitted.walk
        let summary = WalkSummary(of: walk, targetSpeedKmh: stored.summary["target_speed_kmh"]?.double)
        let flags = permitted.flags.map(\.rawValue).filter { !stored.flags.contains($0) }
        return (
            Statements.dataKinds["replace_walk_series"],
            [
                "enrolment_id": .id(enrolment), "walk_id": .id(stored.id),
                "flags": .texts(stored.flags + flags), "totals": .verbatim(walk.totals.map(\.json)),
                "t_ms": .ints(walk.series?.tMs ?? []), "speed_kmh": .float8s(walk.series?.speedKmh),
                "heart_rate_bpm": .float8s(walk.series?.heartRateBpm),
                "sample_distance_m": .float8s(walk.series?.distanceM),
                "sample_energy_kcal": .float8s(walk.series?.activeEnergyKcal),
                "distance_m": .float8(summary.distanceM), "mean_speed_kmh": .float8(summary.meanSpeedKmh),
                "mean_pace_s_per_km": .float8(summary.meanPaceSPerKm),
                "mean_heart_rate_bpm": .float8(summary.meanHeartRateBpm),
                "max_heart_rate_bpm": .float8(summary.maxHeartRateBpm),
                "active_energy_kcal": .float8(summary.activeEnergyKcal),
                "above_target_s": .float8(summary.aboveTargetS),
                "above_target_count": .int(summary.aboveTargetCount), "coverage": .float8(summary.coverage),
            ]
        )
    }

    /// Deletes the observations of these codes and removes their values.
    private static func purgeObservations(
        _ codes: [DataKind.Code], of enrolment: EnrolmentID, now: Instant, in transaction: Transaction
    ) async throws -> [ObservationID] {
        guard !codes.isEmpty else { return [] }
        return try await transaction.query(
            Statements.dataKinds["purge_observations"],
            [
                "enrolment_id": .id(enrolment), "codes": .texts(codes.map { "\($0.system) \($0.code)" }),
                "now": .instant(now),
            ]
        ).map { try $0.id("observation_id") }
    }
}

extension StoredWalk {
    /// The walk as it was uploaded. The caller has read the detail.
    /// - Throws: `Faults` if the stored walk is damaged.
    fileprivate func walk() throws -> Walk {
        let bounds = detail?.pausesMs ?? []
        let pauses = stride(from: 0, to: bounds.count - 1, by: 2).map { index in
            WalkPause(
                from: startedAt.adding(milliseconds: Int64(bounds[index])),
                to: startedAt.adding(milliseconds: Int64(bounds[index + 1])))
        }
        let totals = detail?.totals.map { totals in
            WalkTotals(
                distanceM: totals["distance_m"]?.double,
                activeEnergyKcal: totals["active_energy_kcal"]?.double,
                meanHeartRateBpm: totals["mean_heart_rate_bpm"]?.double,
                maxHeartRateBpm: totals["max_heart_rate_bpm"]?.double)
        }
        return try Walk(
            startedAt: startedAt, endedAt: endedAt, pauses: pauses, totals: totals, series: detail?.series)
    }
}
