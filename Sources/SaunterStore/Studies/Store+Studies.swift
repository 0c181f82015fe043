import Postgres
import SaunterCore

/// A pack to be published.
package struct Publication: Sendable {
    /// A questionnaire version of the pack.
    package struct Instrument: Sendable {
        /// The code of the questionnaire.
        package var code: String
        /// Three numbers, such as `1.0.0`.
        package var version: String
        /// SHA-256 of the instrument's files, in hexadecimal digits.
        package var digest: String
        /// The questionnaire as JSON, in the form of the API.
        package var structure: JSON

        /// Creates the description of a read instrument.
        package init(code: String, version: String, digest: String, structure: JSON) {
            self.code = code
            self.version = version
            self.digest = digest
            self.structure = structure
        }
    }

    /// The code of the study.
    package var study: String
    /// Three numbers, such as `1.0.0`.
    package var version: String
    /// SHA-256 of the files of the pack, in hexadecimal digits.
    package var digest: String
    /// The text of each file, by path.
    package var files: [String: String]
    /// The files of the content library, which is published as an edition.
    package var libraryFiles: [String: String]
    /// The questionnaires of the study, one version of each.
    package var instruments: [Instrument]

    /// Creates a publication from the files of a checked pack.
    package init(
        study: String, version: String, digest: String, files: [String: String],
        libraryFiles: [String: String] = [:], instruments: [Instrument]
    ) {
        self.study = study
        self.version = version
        self.digest = digest
        self.files = files
        self.libraryFiles = libraryFiles
        self.instruments = instruments
    }
}

/// Why a pack cannot be published. A published version is immutable.
package enum PublicationFault: Error, CustomStringConvertible {
    case studyVersionTaken(study: String, version: String)
    case questionnaireVersionTaken(questionnaire: String, version: String)

    /// One line for the operator that says which version to raise.
    package var description: String {
        switch self {
        case .studyVersionTaken(let study, let version):
            "version \(version) of \(study) is already published with other content; raise its version"
        case .questionnaireVersionTaken(let questionnaire, let version):
            "version \(version) of the questionnaire \(questionnaire) is already published with other content; raise its version"
        }
    }
}

/// A study with a live version.
package struct StudyRow: Sendable {
    /// The code of the study.
    package var study: String
    /// The version that new participants join.
    package var liveVersion: String
    /// Since when the study accepts no enrolments; nil if it is open.
    package var closedAt: Instant?
}

/// A published version in a list.
package struct StudyVersionSummary: Sendable {
    /// Three numbers, such as `1.0.0`.
    package var version: String
    /// When it was published.
    package var publishedAt: Instant
    /// SHA-256 of the files, in hexadecimal digits.
    package var digest: String
    /// The number of enrolments that follow the version now, without withdrawn ones.
    package var enrolments: Int
}

extension Store {
    /// Stores a version and makes it live, in one transaction. If the version is already stored with the same content,
    /// it only becomes the live version again.
    /// - Parameter audit: is written if another version was live before.
    /// - Returns: whether the version is new.
    package func publish(
        _ publication: Publication, audit: AuditEntry? = nil, now: Instant
    ) async throws -> Bool {
        try await publish(
            publication, edition: nil, ending: nil, audit: audit.map { (version: $0, edition: $0) }, now: now
        ).isNew
    }

    /// Stores a version, makes it live, publishes the library as an edition, and ends the draft that contains them, all
    /// in one transaction. Parts that are published with the same content do not change.
    /// - Parameters:
    ///   - edition: the library; nil if the pack has none.
    ///   - draft: the draft with this content; nil for a pack that is no draft.
    ///   - audit: the entries for another live version and for a new edition.
    /// - Throws: `PublicationFault`; `StudyDraftFault` if the draft has another revision; `EditionOutdated`.
    package func publish(
        _ publication: Publication, edition: EditionDraft?, ending draft: PublishedDraft?,
        audit: (version: AuditEntry, edition: AuditEntry)? = nil, now: Instant
    ) async throws -> (isNew: Bool, edition: (edition: Int, isNew: Bool)?) {
        try await research.writeRetrying(idempotent: draft == nil) { transaction in
            _ = try await transaction.query(
                Statements.studies["lock_study"], ["study": .text(publication.study)])
            var base: Int?
            if let draft {
                base = try await Self.lock(draft, of: publication.study, now: now, in: transaction)
            }
            let version = try await publish(publication, audit: audit?.version, now: now, in: transaction)
            var published: (edition: Int, isNew: Bool)?
            if let edition {
                published = try await publish(
                    edition, audit: audit?.edition, base: base, isBound: draft != nil, now: now,
                    in: transaction)
            }
            if let draft {
                try await end(
                    draft, of: publication.study,
                    isPublished: version.becomesLive || published?.isNew == true,
                    now: now, in: transaction)
            }
            return (version.isNew, published)
        }
    }

    /// Stores a version and makes it live. The caller holds the lock of the study.
    private func publish(
        _ publication: Publication, audit: AuditEntry?, now: Instant, in transaction: Transaction
    ) async throws -> (isNew: Bool, becomesLive: Bool) {
        let found = try await transaction.query(
            Statements.studies["find_study_version"],
            ["study": .text(publication.study), "version": .text(publication.version)])
        let stored = try found.oneOrNone()?.get("digest", as: String.self)
        guard stored == nil || stored == publication.digest else {
            throw PublicationFault.studyVersionTaken(
                study: publication.study, version: publication.version)
        }
        if stored == nil { try await Self.insert(publication, now: now, in: transaction) }
        let live = try await transaction.query(
            Statements.studies["find_study"], ["study": .text(publication.study)]
        ).oneOrNone()?.get("live_version", as: String.self)
        // An enrolment that read the earlier live version commits before, and is among those that are moved.
        _ = try await transaction.pipeline([
            (Statements.studies["lock_live_version"], ["study": .text(publication.study)]),
            (
                Statements.studies["upsert_live_version"],
                ["study": .text(publication.study), "version": .text(publication.version)]
            ),
        ])
        let becomesLive = live != publication.version
        if let audit, becomesLive {
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
        }
        return (stored == nil, becomesLive)
    }

    /// The versions that prevent the publication of a pack, because they are published with other content: the version
    /// of the study, or of one of its questionnaires. Writes nothing.
    package func listPublicationFaults(_ publication: Publication) async throws -> [PublicationFault] {
        var faults: [PublicationFault] = []
        let stored = try await research.query(
            Statements.studies["find_study_version"],
            ["study": .text(publication.study), "version": .text(publication.version)])
        if let row = try stored.oneOrNone(), try row.get("digest", as: String.self) != publication.digest {
            faults.append(.studyVersionTaken(study: publication.study, version: publication.version))
        }
        for instrument in publication.instruments {
            let known = try await research.query(
                Statements.studies["find_questionnaire_version"],
                ["questionnaire": .text(instrument.code), "version": .text(instrument.version)])
            if let row = try known.oneOrNone(),
                try row.get("digest", as: String.self) != instrument.digest
            {
                faults.append(
                    .questionnaireVersionTaken(questionnaire: instrument.code, version: instrument.version))
            }
        }
        return faults
    }

    private static func insert(_ publication: Publication, now: Instant, in transaction: Transaction)
        async throws
    {
        // Inserted in one order to avoid a deadlock between two studies that share instruments.
        for instrument in publication.instruments.sorted(by: { ($0.code, $0.version) < ($1.code, $1.version) }
        ) {
            _ = try await transaction.query(
                Statements.studies["insert_questionnaire_version"],
                [
                    "questionnaire": .text(instrument.code), "version": .text(instrument.version),
                    "digest": .text(instrument.digest),
                    "structure": .json(instrument.structure), "now": .instant(now),
                ])
            let rows = try await transaction.query(
                Statements.studies["find_questionnaire_version"],
                ["questionnaire": .text(instrument.code), "version": .text(instrument.version)])
            guard try rows.one().get("digest", as: String.self) == instrument.digest else {
                throw PublicationFault.questionnaireVersionTaken(
                    questionnaire: instrument.code, version: instrument.version)
            }
        }
        let files = JSON.object(
            JSONObject(
                publication.files.sorted { $0.key < $1.key }.map {
                    .init(name: $0.key, value: .string($0.value))
                }))
        _ = try await transaction.query(
            Statements.studies["insert_study_version"],
            [
                "study": .text(publication.study), "version": .text(publication.version),
                "digest": .text(publication.digest), "files": .json(files),
                "now": .instant(now),
            ])
    }

    /// All studies, by code.
    package func listStudies() async throws -> [StudyRow] {
        try await research.query(Statements.studies["list_studies"], []).map(studyRow)
    }

    /// A study with its live version, or nil.
    package func findStudy(_ code: String) async throws -> StudyRow? {
        try await research.query(Statements.studies["find_study"], ["study": .text(code)]).oneOrNone().map(
            studyRow)
    }

    /// The live study version of the study of an enrolment; nil if there is no such enrolment.
    package func findLiveVersion(of id: EnrolmentID) async throws -> String? {
        try await research.query(Statements.studies["find_live_version"], ["enrolment_id": .id(id)])
            .oneOrNone()?
            .get("live_version")
    }

    /// The versions of a study in the order of publication.
    package func listStudyVersions(_ study: String) async throws -> [String] {
        try await research.query(Statements.studies["list_study_versions"], ["study": .text(study)]).map {
            try $0.get("version")
        }
    }

    /// The versions of a study with their enrolments, the newest first.
    package func listVersionSummaries(of study: String) async throws -> [StudyVersionSummary] {
        try await research.query(Statements.studies["list_version_summaries"], ["study": .text(study)]).map {
            StudyVersionSummary(
                version: try $0.get("version"), publishedAt: try $0.instant("published_at"),
                digest: try $0.get("digest"), enrolments: try $0.get("enrolments"))
        }
    }

    /// The files of a published version; nil if there is no such version.
    package func findStudyFiles(_ study: String, version: String) async throws -> (
        files: [String: String], digest: String
    )? {
        let rows = try await research.query(
            Statements.studies["find_study_version"], ["study": .text(study), "version": .text(version)])
        guard let row = try rows.oneOrNone() else { return nil }
        let members = try JSONReader.read(row.get("files", as: String.self)).object ?? [:]
        var files: [String: String] = [:]
        for member in members { files[member.name] = member.value.string }
        return (files, try row.get("digest"))
    }

    private func studyRow(_ row: Row) throws -> StudyRow {
        StudyRow(
            study: try row.get("study"), liveVersion: try row.get("live_version"),
            closedAt: try row.instantOptional("closed_at"))
    }
}
