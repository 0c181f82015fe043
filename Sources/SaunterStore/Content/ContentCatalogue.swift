import Postgres
import SaunterCore
import Synchronization

/// A published edition with its parsed library. It is a class because it is large.
package final class PublishedEdition: Sendable {
    /// From 1.
    package let edition: Int
    /// SHA-256 of the library's files, in hexadecimal digits.
    package let digest: String
    /// The collections with their items.
    package let library: Library

    init(edition: Int, digest: String, library: Library) {
        self.edition = edition
        self.digest = digest
        self.library = library
    }
}

/// Caches the published editions, which are immutable. The caller supplies the function that parses files, so that the
/// store does not depend on packs.
package final class ContentCatalogue: Sendable {
    /// Parses the files of an edition. A media file is given by its bytes.
    package typealias Reader =
        @Sendable (
            _ files: [String: String], _ media: [String: [UInt8]], _ study: Study
        ) throws -> Library

    /// How many editions are kept in memory. Devices need the live edition of each study, and seldom an earlier one.
    private static let maximumEditions = 64

    private struct Key: Hashable {
        let study: String
        let edition: Int
    }

    private let store: Store
    private let read: Reader
    private let known = Mutex<[Key: PublishedEdition]>([:])

    /// Creates an empty catalogue. An edition is read when it is needed first.
    package init(store: Store, read: @escaping Reader) {
        self.store = store
        self.read = read
    }

    /// The newest edition of a study; nil if the study has published no library.
    /// - Parameters:
    ///   - study: the version whose languages, arms and settings the library uses.
    ///   - connection: a transaction; nil for any connection.
    package func findLive(
        _ study: Study, in connection: (any Querying)? = nil
    ) async throws -> PublishedEdition? {
        guard let edition = try await store.findLiveEdition(of: study.code, in: connection) else {
            return nil
        }
        return try await find(edition, of: study)
    }

    /// An edition of a study; nil if there is no such edition.
    package func find(_ edition: Int, of study: Study) async throws -> PublishedEdition? {
        let key = Key(study: study.code, edition: edition)
        if let published = known.withLock({ $0[key] }) { return published }
        guard let stored = try await store.findEdition(edition, of: study.code) else { return nil }
        let digests = stored.files.compactMapValues { EditionDraft.digest(of: $0) }
        let bytes = try await store.readMedia(Set(digests.values).sorted())
        let published = PublishedEdition(
            edition: edition, digest: stored.digest,
            library: try read(stored.files, digests.compactMapValues { bytes[$0] }, study))
        known.withLock { known in
            if known.count >= Self.maximumEditions { known.removeAll() }
            known[key] = published
        }
        return published
    }
}
