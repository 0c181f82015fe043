import Postgres
import SaunterCore

/// A media file of a study, without its bytes.
package struct StoredMedia: Sendable {
    /// The media type, such as `image/png`.
    package var mediaType: String
    /// The size of the file in bytes.
    package var byteCount: Int
}

/// A draft or an edition refers to media that the study has not uploaded.
package struct MediaNotStored: Error {
    /// The digests of the files.
    package let digests: [String]
}

/// Writing media. Their bytes are in parts, so that no statement carries a whole film.
extension Store {
    /// The size of a part in bytes. The table contains the same number.
    package static let mediaPartBytes = 1 << 20
    /// How long media are kept that no draft and no edition contains, in seconds: a day.
    private static let unusedMediaSeconds = 86_400

    /// Stores a file for a study.
    /// - Returns: whether the bytes were not stored before.
    package func saveMedia(
        _ media: ContentMedia, _ bytes: [UInt8], of study: String, now: Instant
    ) async throws -> Bool {
        try await research.writeRetrying(idempotent: true) { transaction in
            try await Self.store(
                media.digest, media.format.mediaType, bytes, of: study, now: now, in: transaction)
        }
    }

    private static func store(
        _ digest: String, _ mediaType: String, _ bytes: [UInt8], of study: String, now: Instant,
        in transaction: Transaction
    ) async throws -> Bool {
        _ = try await transaction.query(
            Statements.content["insert_media"],
            [
                "sha256": .text(digest), "media_type": .text(mediaType), "byte_count": .int(bytes.count),
                "study": .text(study), "now": .instant(now),
            ])
        for (part, start) in stride(from: 0, to: bytes.count, by: mediaPartBytes).enumerated() {
            let piece = [UInt8](bytes[start..<min(start + mediaPartBytes, bytes.count)])
            let isNew = try await !transaction.query(
                Statements.content["insert_media_part"],
                ["sha256": .text(digest), "part": .int(part), "bytes": .bytes(piece)]
            ).isEmpty
            // All parts of a file are stored in one transaction.
            if part == 0, !isNew { return false }
        }
        return true
    }

    /// Stores the media of an edition that is published in this transaction.
    /// - Throws: `MediaNotStored`.
    func store(
        _ media: [EditionDraft.Media], of study: String, now: Instant, in transaction: Transaction
    ) async throws {
        // Each publication locks the rows in the same order.
        for one in media.sorted(by: { $0.digest < $1.digest }) {
            if let bytes = one.bytes {
                _ = try await Self.store(
                    one.digest, one.mediaType, bytes, of: study, now: now, in: transaction)
                continue
            }
            let found = try await transaction.query(
                Statements.content["renew_media"],
                ["sha256": .text(one.digest), "study": .text(study), "now": .instant(now)])
            if found.isEmpty { throw MediaNotStored(digests: [one.digest]) }
        }
    }

    /// Keeps a file that an editor of the study has uploaded, or that the study has published, for a further day.
    /// - Returns: nil if there is no such file.
    package func renewMedia(_ digest: String, of study: String, now: Instant) async throws -> StoredMedia? {
        try await media(
            Statements.content["renew_media"],
            ["sha256": .text(digest), "study": .text(study), "now": .instant(now)])
    }

    /// The bytes of all media that the study has uploaded or published, together.
    package func sumMedia(of study: String) async throws -> Int {
        try await research.query(Statements.content["sum_media"], ["study": .text(study)]).one()
            .get("byte_count")
    }

    /// Deletes media that no draft and no edition contains, a day after they were uploaded.
    package func deleteUnusedMedia(now: Instant) async throws {
        _ = try await research.query(
            Statements.content["delete_unused_media"],
            ["before": .instant(now.adding(seconds: -Self.unusedMediaSeconds))])
    }
}

/// Reading media.
extension Store {
    /// A file of a collection that anyone can read, in the live edition of any study; nil if there is none.
    package func findPublicMedia(_ digest: String) async throws -> StoredMedia? {
        try await media(Statements.content["find_public_media"], ["sha256": .text(digest)])
    }

    /// A file of any edition of a study; nil if there is none.
    package func findMedia(_ digest: String, of study: String) async throws -> StoredMedia? {
        try await media(
            Statements.content["find_media_of_study"], ["sha256": .text(digest), "study": .text(study)])
    }

    /// A file that an editor of the study has uploaded, or that the study has published; nil if there is none.
    package func findUploadedMedia(_ digest: String, of study: String) async throws -> StoredMedia? {
        try await media(
            Statements.content["find_uploaded_media"], ["sha256": .text(digest), "study": .text(study)])
    }

    private func media(_ statement: Statement, _ arguments: Arguments) async throws -> StoredMedia? {
        try await research.query(statement, arguments).oneOrNone().map {
            StoredMedia(mediaType: try $0.get("media_type"), byteCount: try $0.get("byte_count"))
        }
    }

    /// The first bytes of a range of a file: up to the end of the range, or of the stored part.
    /// - Parameter range: offsets of bytes.
    package func readMedia(_ digest: String, _ range: Range<Int>) async throws -> [UInt8] {
        let part = range.lowerBound / Self.mediaPartBytes
        let start = range.lowerBound % Self.mediaPartBytes
        let count = min(range.count, Self.mediaPartBytes - start)
        return try await research.query(
            Statements.content["read_media_part"],
            [
                "sha256": .text(digest), "part": .int(part), "start": .int(start + 1),
                "byte_count": .int(count),
            ]
        ).oneOrNone()?.get("bytes") ?? []
    }

    /// The bytes of the media files of an edition, by path. Files of more than 1 MiB are not included.
    package func readMedia(of edition: StoredEdition) async throws -> [String: [UInt8]] {
        let digests = edition.files.compactMapValues { EditionDraft.digest(of: $0) }
        let bytes = try await readMedia(Set(digests.values).sorted())
        return digests.compactMapValues { bytes[$0] }
    }

    /// The bytes of several files of at most 1 MiB by digest.
    func readMedia(_ digests: [String]) async throws -> [String: [UInt8]] {
        guard !digests.isEmpty else { return [:] }
        let rows = try await research.query(
            Statements.content["read_media"], ["sha256s": .texts(digests)])
        return try Dictionary(
            rows.map { (try $0.get("sha256"), try $0.get("bytes")) }, uniquingKeysWith: { first, _ in first })
    }
}
