import Postgres
import SaunterCore

/// A pack as it goes into the database.
package struct Publication: Sendable {
    package struct Instrument: Sendable {
        package var code: String
        package var version: String
        package var digest: String
        package var structure: JSON

        package init(code: String, version: String, digest: String, structure: JSON) {
            self.code = code
            self.version = version
            self.digest = digest
            self.structure = structure
        }
    }

    package var study: String
    package var version: String
    package var digest: String
    /// Path -> text, verbatim.
    package var files: [String: String]
    package var instruments: [Instrument]

    package init(
        study: String, version: String, digest: String, files: [String: String], instruments: [Instrument]
    ) {
        self.study = study
        self.version = version
        self.digest = digest
        self.files = files
        self.instruments = instruments
    }
}

/// Why a pack cannot be published: what is published never changes.
package enum PublicationFault: Error, CustomStringConvertible {
    case studyVersionTaken(study: String, version: String)
    case questionnaireVersionTaken(questionnaire: String, version: String)

    package var description: String {
        switch self {
        case .studyVersionTaken(let study, let version):
            "version \(version) of \(study) is published with other content; raise its version"
        case .questionnaireVersionTaken(let questionnaire, let version):
            "version \(version) of the questionnaire \(questionnaire) is published with other content; raise its version"
        }
    }
}

/// A study that people can see.
package struct StudyRow: Sendable {
    package var study: String
    package var liveVersion: String
    package var closedAt: Instant?
}

extension Store {
    /// Stores a version and makes it the live one, all or nothing. The same content again stores nothing; an older version becomes the live
    /// one again by it.
    /// - Returns: whether the version is new.
    package func publish(_ publication: Publication, now: Instant) async throws -> Bool {
        try await research.writeRetrying(repeatable: true) { transaction in
            _ = try await transaction.query(Statements.studies["lock_study"], [.text(publication.study)])
            let found = try await transaction.query(
                Statements.studies["find_study_version"],
                [.text(publication.study), .text(publication.version)])
            let stored = try found.oneOrNone()?.get("digest", as: String.self)
            guard stored == nil || stored == publication.digest else {
                throw PublicationFault.studyVersionTaken(
                    study: publication.study, version: publication.version)
            }
            if stored == nil {
                try await Self.insert(publication, now: now, in: transaction)
            }
            _ = try await transaction.query(
                Statements.studies["upsert_live_version"],
                [.text(publication.study), .text(publication.version)])
            return stored == nil
        }
    }

    /// - Throws: `PublicationFault` where a version of the study, or of one of its questionnaires, is published with other
    ///   content. Writes nothing.
    package func checkPublication(_ publication: Publication) async throws {
        let stored = try await research.query(
            Statements.studies["find_study_version"], [.text(publication.study), .text(publication.version)])
        if let row = try stored.oneOrNone(), try row.get("digest", as: String.self) != publication.digest {
            throw PublicationFault.studyVersionTaken(
                study: publication.study, version: publication.version)
        }
        for instrument in publication.instruments {
            let known = try await research.query(
                Statements.studies["find_questionnaire_version"],
                [.text(instrument.code), .text(instrument.version)])
            if let row = try known.oneOrNone(),
                try row.get("digest", as: String.self) != instrument.digest
            {
                throw PublicationFault.questionnaireVersionTaken(
                    questionnaire: instrument.code, version: instrument.version)
            }
        }
    }

    private static func insert(_ publication: Publication, now: Instant, in transaction: Transaction)
        async throws
    {
        // In one order, so that two studies which share instruments can be published at once.
        for instrument in publication.instruments.sorted(by: { ($0.code, $0.version) < ($1.code, $1.version) }
        ) {
            _ = try await transaction.query(
                Statements.studies["insert_questionnaire_version"],
                [
                    .text(instrument.code), .text(instrument.version), .text(instrument.digest),
                    .json(instrument.structure), .instant(now),
                ])
            let rows = try await transaction.query(
                Statements.studies["find_questionnaire_version"],
                [.text(instrument.code), .text(instrument.version)])
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
                .text(publication.study), .text(publication.version), .text(publication.digest), .json(files),
                .instant(now),
            ])
    }

    package func listStudies() async throws -> [StudyRow] {
        try await research.query(Statements.studies["list_studies"], []).map(studyRow)
    }

    package func findStudy(_ code: String) async throws -> StudyRow? {
        try await research.query(Statements.studies["find_study"], [.text(code)]).oneOrNone().map(studyRow)
    }

    /// The files of a published version; nil when there is none.
    package func findStudyFiles(_ study: String, version: String) async throws -> (
        files: [String: String], digest: String
    )? {
        let rows = try await research.query(
            Statements.studies["find_study_version"], [.text(study), .text(version)])
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
