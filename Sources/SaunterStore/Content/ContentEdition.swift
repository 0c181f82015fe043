import Foundation
import Postgres
import SaunterCore

/// The library of a study pack, to be published as an edition.
package struct EditionDraft: Sendable {
    /// A picture, sound or film of the library.
    package struct Media: Sendable {
        /// SHA-256 of the bytes, in hexadecimal digits.
        package var digest: String
        /// The media type, such as `image/png`.
        package var mediaType: String
        /// The file; nil if it is stored already, because it is larger than 1 MiB.
        package var bytes: [UInt8]?
        /// Whether anyone can read it, because an item of a public collection refers to it.
        package var isPublic: Bool

        /// Creates the description of a file.
        package init(digest: String, mediaType: String, bytes: [UInt8]?, isPublic: Bool) {
            self.digest = digest
            self.mediaType = mediaType
            self.bytes = bytes
            self.isPublic = isPublic
        }
    }

    /// The code of the study.
    package var study: String
    /// SHA-256 of the library's files, in hexadecimal digits.
    package var digest: String
    /// The text of each file, by path. The text of a media file begins with `sha256:` and its digest.
    package var files: [String: String]
    /// The media files.
    package var media: [Media]
    /// Code of the collection -> the ids of its items. `programmes` contains the codes of the programmes.
    package var items: [String: [String]]

    /// The name under which programmes are published. No collection can have it.
    package static let programmes = "programmes"

    /// The reference that replaces the text of a media file in `files`.
    package static func reference(to digest: String) -> String { referencePrefix + digest }

    /// The digest to which such a text refers; nil for other texts, also for the reference of `PackFiles` to a file of
    /// more than 1 MiB.
    static func digest(of text: String) -> String? {
        text.hasPrefix(referencePrefix) && !text.contains(";")
            ? String(text.dropFirst(referencePrefix.count)) : nil
    }

    private static let referencePrefix = "sha256:"

    /// Creates a draft from the files of a checked pack.
    package init(
        study: String, digest: String, files: [String: String], media: [Media], items: [String: [String]]
    ) {
        self.study = study
        self.digest = digest
        self.files = files
        self.media = media
        self.items = items
    }
}

/// The files of a published edition.
package struct StoredEdition: Sendable {
    /// From 1.
    package var edition: Int
    /// SHA-256 of the library's files, in hexadecimal digits.
    package var digest: String
    /// The text of each file, by path. The text of a media file is `sha256:` and its digest.
    package var files: [String: String]
    /// When it was published.
    package var publishedAt: Instant
}

/// A draft contains an older library than the live edition, so its publication would undo changes that its editors have
/// not seen.
package struct EditionOutdated: Error {
    /// The live edition.
    package let live: Int
}

extension Store {
    /// Publishes the library as the next edition, in one transaction. If the live edition has the same files, nothing
    /// changes.
    /// - Parameter audit: is written if the edition is new.
    /// - Returns: the number of the live edition, and whether it is new.
    package func publish(
        _ draft: EditionDraft, audit: AuditEntry? = nil, now: Instant
    ) async throws -> (edition: Int, isNew: Bool) {
        try await research.writeRetrying(idempotent: true) { transaction in
            _ = try await transaction.query(
                Statements.studies["lock_study"], ["study": .text(draft.study)])
            return try await publish(draft, audit: audit, now: now, in: transaction)
        }
    }

    /// Publishes the library in the transaction of the caller, who holds the lock of the study.
    /// - Parameter base: the edition that the editors of the library saw; nil if they saw none.
    /// - Throws: `EditionOutdated` if `isBound`, and another edition with other files is newer; `MediaNotStored`.
    func publish(
        _ draft: EditionDraft, audit: AuditEntry?, base: Int? = nil, isBound: Bool = false, now: Instant,
        in transaction: Transaction
    ) async throws -> (edition: Int, isNew: Bool) {
        let live = try await transaction.query(
            Statements.content["find_live_edition"], ["study": .text(draft.study)]
        ).oneOrNone()
        let number: Int = try live?.get("edition") ?? 0
        if let live, try live.get("digest", as: String.self) == draft.digest { return (number, false) }
        guard !isBound || number <= base ?? 0 else { throw EditionOutdated(live: number) }
        try await store(draft.media, of: draft.study, now: now, in: transaction)
        let files = JSONObject(
            draft.files.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })
        let digests = Set(draft.media.map(\.digest)).sorted()
        let publicDigests = Set(draft.media.filter(\.isPublic).map(\.digest)).sorted()
        _ = try await transaction.query(
            Statements.content["insert_edition"],
            [
                "study": .text(draft.study), "edition": .int(number + 1), "digest": .text(draft.digest),
                "files": .json(.object(files)), "media": .texts(digests),
                "public_media": .texts(publicDigests), "now": .instant(now),
            ])
        let items = draft.items.sorted { $0.key < $1.key }.flatMap { collection, items in
            items.map { (collection: collection, item: $0) }
        }
        _ = try await transaction.pipeline([
            // `decide_after_publication` must see each enrolment whose rules can be evaluated before this commit.
            (Statements.studies["lock_live_version"], ["study": .text(draft.study)]),
            (
                Statements.content["insert_publications"],
                [
                    "study": .text(draft.study), "edition": .int(number + 1),
                    "collections": .texts(items.map(\.collection)), "items": .texts(items.map(\.item)),
                    "now": .instant(now),
                ]
            ),
            (
                Statements.content["decide_after_publication"],
                ["study": .text(draft.study), "now": .instant(now)]
            ),
        ])
        if var audit {
            audit.detail["edition"] = .int(number + 1)
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
        }
        return (number + 1, true)
    }

    /// The new items of editions that were published after `since`, in collections that existed before.
    package func listPublications(
        of study: String, since: Instant, in connection: any Querying
    ) async throws -> [RuleFacts.Publication] {
        try await connection.query(
            Statements.content["list_publications"], ["study": .text(study), "since": .instant(since)]
        ).map {
            RuleFacts.Publication(
                collection: try $0.get("collection"), edition: try $0.get("edition"),
                item: try $0.get("item"),
                publishedAt: try $0.instant("published_at"))
        }
    }

    /// Whether an edition of the study has contained a programme that was not withdrawn.
    package func hasPublished(programme: String, of study: String) async throws -> Bool {
        try await research.query(
            Statements.content["find_publication"],
            [
                "study": .text(study), "collection": .text(EditionDraft.programmes),
                "item": .text(programme),
            ]
        ).oneOrNone() != nil
    }

    /// The number of the study's newest edition; nil if it has none.
    /// - Parameter connection: a transaction; nil for any connection.
    package func findLiveEdition(
        of study: String, in connection: (any Querying)? = nil
    ) async throws -> Int? {
        try await (connection ?? research).query(
            Statements.content["find_live_edition"], ["study": .text(study)]
        )
        .oneOrNone()?.get("edition")
    }

    /// The editions of a study with the moments of their publication, the newest first.
    package func listEditions(of study: String) async throws -> [(edition: Int, publishedAt: Instant)] {
        try await research.query(Statements.content["list_editions"], ["study": .text(study)]).map {
            (try $0.get("edition"), try $0.instant("published_at"))
        }
    }

    /// The files of an edition; nil if there is no such edition.
    package func findEdition(_ edition: Int, of study: String) async throws -> StoredEdition? {
        let rows = try await research.query(
            Statements.content["find_edition"], ["study": .text(study), "edition": .int(edition)])
        guard let row = try rows.oneOrNone() else { return nil }
        var files: [String: String] = [:]
        for member in try JSONReader.read(row.get("files", as: String.self)).object ?? [:] {
            files[member.name] = member.value.string
        }
        return StoredEdition(
            edition: try row.get("edition"), digest: try row.get("digest"), files: files,
            publishedAt: try row.instant("published_at"))
    }
}
