import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// The route that stores a picture, a sound or a film before a draft refers to it.
struct MediaUploadRoutes: Sendable {
    let context: ServerContext

    private static let mediaTypes =
        ["application/octet-stream"] + MediaFormat.allCases.map(\.mediaType)

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/media", who: .editor, tag: "Drafts",
            summary: "Store a picture, a sound or a film",
            description: """
                The body is a PNG, JPEG or WebP picture of at most 40 million pixels, an MP3, Ogg, WAV or M4A sound, or an \
                MP4 or WebM film, of at most 64 MiB. The format is recognised by the content. If Content-Type names a \
                format, it must be that of the content. Other files, and files that also contain a page, a script or an \
                archive, get 415.

                `PUT /v1/studies/{study}/draft/file` refers to the file by its digest. A file that no draft and no \
                edition contains is deleted after a day. At most two files of more than 16 MiB are received at once; \
                others get 503. The media of a study have at most 4 GiB together.
                """,
            parameters: [.study], body: .file(Self.mediaTypes, limit: ContentMedia.maximumBytes),
            outcomes: [
                .json(.created, "The file is stored.", Self.schema),
                .json(.ok, "The same file was stored before.", Self.schema),
            ],
            problems: [.draftInvalid]
        ) { call in
            let media = try await context.inspectMedia(call.rawBody, name: nil)
            let declared = BodyHeaders.mediaType(call.headers)
            guard declared.isEmpty || [Self.mediaTypes[0], media.format.mediaType].contains(declared) else {
                throw Problem(
                    .mediaTypeUnsupported,
                    "The content of the file is \(media.format.mediaType), and not \(declared).")
            }
            let isNew = try await context.saveMedia(
                media, call.rawBody, of: try call.text("study"), now: call.now)
            return .json(
                isNew ? .created : .ok,
                [
                    "sha256": .string(media.digest), "type": .string(media.format.mediaType),
                    "bytes": .int(media.byteCount),
                ])
        }
    }

    private static let schema = Schema.named(
        "StoredMedia",
        .object([
            .required("sha256", .string(), "SHA-256 of the file in hexadecimal digits."),
            .required("type", .string(), "The media type, such as audio/mpeg."),
            .required("bytes", .integer(min: 1), "The size of the file."),
        ]))
}

extension ServerContext {
    /// The most bytes of the media of a study together: 4 GiB.
    static let maximumMediaBytes = 4 << 30

    /// Checks that a file is a picture, a sound or a film.
    /// - Parameter name: the name or path of the file; nil if it has none.
    /// - Throws: `media-type-unsupported`; `draft-invalid` for a picture with too many pixels.
    func inspectMedia(_ bytes: [UInt8], name: String?) async throws -> ContentMedia {
        try await work.run {
            do throws(MediaInspection.Fault) {
                return try ContentMedia(inspecting: bytes, name: name)
            } catch {
                if case .pixels = error {
                    throw Problem(draft: [PackFault(file: name ?? "", line: 1, message: error.words)])
                }
                throw Problem(.mediaTypeUnsupported, error.sentence)
            }
        }
    }

    /// Stores a checked file for a study.
    /// - Returns: whether it was not stored before.
    /// - Throws: `body-too-large` if the study has too many bytes.
    func saveMedia(
        _ media: ContentMedia, _ bytes: [UInt8], of study: String, now: Instant
    ) async throws -> Bool {
        if try await store.findUploadedMedia(media.digest, of: study) == nil {
            let stored = try await store.sumMedia(of: study)
            guard stored + media.byteCount <= Self.maximumMediaBytes else {
                throw Problem(
                    .bodyTooLarge,
                    "The media of the study have \(stored >> 20) MiB. At most 4096 MiB are possible.")
            }
        }
        return try await store.saveMedia(media, bytes, of: study, now: now)
    }
}

extension MediaInspection.Fault {
    /// What is wrong, as an English sentence.
    fileprivate var sentence: String { words.prefix(1).uppercased() + words.dropFirst() + "." }
}
