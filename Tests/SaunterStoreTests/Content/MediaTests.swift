import SaunterCore
import Testing

@testable import SaunterStore

/// Media are stored in parts. They are kept while a draft or an edition contains them.
@Suite struct MediaTests {
    /// Bytes that differ from part to part.
    private static let film = (0..<(2 << 20) + 100).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) }

    private static func describe(_ bytes: [UInt8]) -> ContentMedia {
        ContentMedia(
            digest: Hex.encode(RandomToken.digest(of: "\(bytes.count)")), format: .mp4, byteCount: bytes.count
        )
    }

    private static func read(_ store: Store, _ digest: String, _ range: Range<Int>) async throws -> [UInt8] {
        var found: [UInt8] = []
        while found.count < range.count {
            let piece = try await store.readMedia(digest, range.lowerBound + found.count..<range.upperBound)
            try #require(!piece.isEmpty)
            found += piece
        }
        return found
    }

    @Test func `a large file is stored once, in parts, and ranges are read across them`() async throws {
        try await StoreFixture.with { fixture in
            let (store, film) = (fixture.store, Self.film)
            let media = Self.describe(film)

            #expect(try await store.saveMedia(media, film, of: "walks", now: .start))
            #expect(try await store.saveMedia(media, film, of: "walks", now: .start) == false)

            let parts: Int = try await fixture.value("select count(*)::int as value from research.media_part")
            #expect(parts == 3)
            #expect(try await store.sumMedia(of: "walks") == film.count)
            for range in [0..<film.count, 0..<1, (1 << 20) - 2..<(1 << 20) + 3, film.count - 1..<film.count] {
                #expect(try await Self.read(store, media.digest, range) == Array(film[range]), "\(range)")
            }
            // It belongs to the studies that uploaded it, and to no participant before an edition has it.
            #expect(try await store.findUploadedMedia(media.digest, of: "walks")?.byteCount == film.count)
            #expect(try await store.findUploadedMedia(media.digest, of: "other") == nil)
            #expect(try await store.renewMedia(media.digest, of: "other", now: .start) == nil)
            #expect(try await store.findMedia(media.digest, of: "walks") == nil)
            #expect(try await store.findPublicMedia(media.digest) == nil)
            #expect(try await store.saveMedia(media, film, of: "other", now: .start) == false)
            #expect(try await store.findUploadedMedia(media.digest, of: "other") != nil)
        }
    }

    @Test func `files that nothing contains are deleted after a day`() async throws {
        try await StoreFixture.with { fixture in
            let (store, editor) = (fixture.store, try await fixture.makeAccount())
            // One that a draft contains, one that an edition contains, and one that was uploaded by mistake.
            let files = (1...3).map { [UInt8](repeating: UInt8($0), count: (1 << 20) + $0) }
            let media = files.map(Self.describe)
            for (one, bytes) in zip(media, files) {
                _ = try await store.saveMedia(one, bytes, of: "walks", now: .start)
            }
            _ = try await store.saveDraft(
                ["studies/walks/library/media/a.mp4": "sha256:\(media[0].digest);mp4;\(media[0].byteCount)"],
                of: "walks", basedOn: nil, expecting: nil, by: editor, now: .start)
            func edition(_ digest: String) -> EditionDraft {
                EditionDraft(
                    study: "walks", digest: String(repeating: "1", count: 64), files: [:],
                    media: [.init(digest: digest, mediaType: "video/mp4", bytes: nil, isPublic: false)],
                    items: [:])
            }
            func kept() async throws -> Set<String> {
                Set(try await fixture.values("select sha256 as value from research.media") as [String])
            }
            // An edition never refers to bytes that are not stored.
            await #expect(throws: MediaNotStored.self) {
                try await store.publish(edition(String(repeating: "f", count: 64)), now: .start)
            }
            _ = try await store.publish(edition(media[1].digest), now: .start)

            try await store.deleteUnusedMedia(now: .start.plus(hours: 23))
            #expect(try await kept() == Set(media.map(\.digest)))
            try await store.deleteUnusedMedia(now: .start.plus(hours: 25))

            #expect(try await kept() == Set(media.prefix(2).map(\.digest)))
            let parts: Int = try await fixture.value("select count(*)::int as value from research.media_part")
            #expect(parts == 4)
            #expect(try await store.findMedia(media[1].digest, of: "walks")?.byteCount == files[1].count)
        }
    }
}
