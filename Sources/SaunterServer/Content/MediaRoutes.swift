import HTTPTypes
import NIOCore
import SaunterCore
import SaunterStore

/// Routes that serve the pictures, sounds and films of the content library. A file is named by its digest, so it never
/// changes.
struct MediaRoutes: Sendable {
    /// Files are read from the database in parts of this size.
    private static let partBytes = 256 * 1024

    let context: ServerContext

    private static let digest = PathParameter.text(
        "sha256", "SHA-256 of the file in hexadecimal digits.",
        example: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")

    private static let outcomes: [Outcome] = [
        .file(.ok, "The whole file.", contentType: "*/*", headers: [Outcome.entityTag]),
        .file(.partialContent, "The part of the file that Range names.", contentType: "*/*"),
    ]

    var open: Route {
        Route(
            .get, "/v1/media/{sha256}", who: .anyone, tag: "Library",
            summary: "Get a file of a collection that anyone can read",
            description:
                "The media type of the response is that of the file. A client can request a range of bytes.",
            parameters: [Self.digest], outcomes: Self.outcomes, problems: [.rangeNotSatisfiable]
        ) { call in
            let digest = try call.text("sha256")
            guard let media = try await context.store.findPublicMedia(digest) else {
                throw Problem(.notFound)
            }
            return try reply(digest, media, call)
        }
    }

    var own: Route {
        Route(
            .get, "/v1/enrolments/{id}/media/{sha256}", who: .participant, tag: "Library",
            summary: "Get a file of the participant's library",
            description:
                "The media type of the response is that of the file. A client can request a range of bytes.",
            parameters: [.enrolment, Self.digest], outcomes: Self.outcomes,
            problems: [.entitlementRequired, .notFound, .rangeNotSatisfiable]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let digest = try call.text("sha256")
            guard let media = try await context.store.findMedia(digest, of: enrolment.study) else {
                throw Problem(.notFound)
            }
            let study = try await context.study(of: enrolment)
            let isLocked = try await LibraryService(context: context).isLocked(
                media: digest, for: enrolment, study, at: call.now)
            guard !isLocked else { throw Problem(.entitlementRequired) }
            return try reply(digest, media, call)
        }
    }

    private func reply<Caller>(
        _ digest: String, _ media: StoredMedia, _ call: Call<Caller>
    ) throws(Problem) -> Reply {
        let tag = EntityTag(digest)
        var headers: HTTPFields = [
            .acceptRanges: "bytes", .contentType: media.mediaType,
            .cacheControl: "private, max-age=31536000, immutable",
            // A browser that opens the file itself runs nothing in it.
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        switch ByteRange(of: call.headers, tag: tag, length: media.byteCount) {
        case .whole: return stream(.ok, headers, digest, 0..<media.byteCount, tag)
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(media.byteCount)"
            return stream(.partialContent, headers, digest, range, tag)
        case .unsatisfiable:
            throw Problem(
                .rangeNotSatisfiable, "The file has \(media.byteCount) bytes.",
                headers: [.contentRange: "bytes */\(media.byteCount)"])
        }
    }

    private func stream(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ digest: String, _ range: Range<Int>,
        _ tag: EntityTag
    ) -> Reply {
        Reply(
            status: status, headers: headers,
            body: .stream(length: range.count) { writer in
                var start = range.lowerBound
                while start < range.upperBound {
                    let end = min(start + Self.partBytes, range.upperBound)
                    let bytes = try await context.store.readMedia(digest, start..<end)
                    // Fewer bytes than asked for at the end of a stored part; none if the file has just been deleted.
                    guard !bytes.isEmpty else { throw Problem(.internalError) }
                    try await writer.write(ByteBuffer(bytes: bytes))
                    start += bytes.count
                }
            }, entityTag: tag)
    }
}
