import Foundation
import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterPacks
import SaunterStore

/// One file of a draft in requests and responses.
enum DraftFile {
    /// The query parameter with the path of a file.
    static let path = QueryParameter(
        "path", .string(minLength: 1, maxLength: 400),
        "The path of the file in the pack, such as studies/mindful-walking/study.yaml. Required.")

    /// The path in the query.
    /// - Throws: `request-invalid` if it is missing, or if the pack of the study cannot contain such a file.
    static func path(_ call: Call<Identity>) throws(Problem) -> String {
        guard let path = call.query("path"), PackPath.isFile(path, ofStudy: try call.text("study")) else {
            throw Problem(
                .requestInvalid,
                Faults([
                    Fault(
                        pointer: "/path", code: "not_a_value",
                        detail: "It must be the path of a file below studies/<code>/ or "
                            + "instruments/<code>/<version>/.")
                ]))
        }
        return path
    }

    /// The media type by the name of the file.
    static func mediaType(_ path: String) -> String {
        let ending = path.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased()
        guard !PackPath.isMedia(path) else {
            return MediaInspection.format(ofName: path)?.mediaType ?? "application/octet-stream"
        }
        return switch ending {
        case "yaml": "application/yaml"
        case "md": "text/markdown"
        case "csv": "text/csv"
        default: "text/plain"
        }
    }

    /// The body of a request in the form of `PackFiles`: a JSON object with `text` or `sha256`, or bytes. A medium of
    /// more than 1 MiB is stored here, and the draft gets a reference to it.
    /// - Throws: `body-unreadable`, `body-invalid`, `body-too-large`, `media-type-unsupported`, `draft-invalid`.
    static func content(
        of path: String, _ context: ServerContext, _ call: Call<Identity>
    ) async throws -> String {
        let isJSON = BodyHeaders.mediaType(call.headers) == "application/json"
        let isMedia = PackPath.isMedia(path)
        guard isJSON || call.body.object != nil else {
            guard isMedia else { return try text(of: path, call.rawBody) }
            return try await media(at: path, context, call)
        }
        guard call.rawBody.count <= textLimit else { throw BodyReader.tooLarge(textLimit) }
        let body = call.body.object != nil ? call.body : try JSONReader.read(call.rawBody)
        let faults = bodySchema.faults(in: body)
        guard faults.isEmpty else { throw Problem(.bodyInvalid, Faults(faults)) }
        guard (body["text"] == nil) != (body["sha256"] == nil) else {
            throw Fault(pointer: "", code: "not_a_value", detail: "Send either text or sha256.")
        }
        if let digest = body["sha256"]?.string {
            return try await stored(digest, at: path, context, call)
        }
        guard !isMedia else {
            throw Fault(
                pointer: "/text", code: "not_a_text", detail: "Send the bytes as application/octet-stream.")
        }
        return try text(of: path, Array((body["text"]?.string ?? "").utf8))
    }

    /// The largest body with a text. A text of 1 MiB can be longer in JSON.
    private static let textLimit = 4 << 20

    private static func text(of path: String, _ bytes: [UInt8]) throws -> String {
        guard bytes.count <= textLimit else { throw BodyReader.tooLarge(textLimit) }
        do {
            return try PackFiles.content(of: path, Data(bytes))
        } catch {
            throw Problem(draft: [error])
        }
    }

    /// The bytes of a medium, or a reference to them.
    private static func media(
        at path: String, _ context: ServerContext, _ call: Call<Identity>
    ) async throws -> String {
        let limit = PackPath.maximumBytes(path)
        guard call.rawBody.count <= limit else {
            throw Problem(.bodyTooLarge, "A media file in this folder has at most \(limit >> 20) MiB.")
        }
        let media = try await context.inspectMedia(call.rawBody, name: path)
        guard media.byteCount > PackFiles.maximumFileBytes else {
            return PackFiles.encoded(Data(call.rawBody))
        }
        _ = try await context.saveMedia(media, call.rawBody, of: try call.text("study"), now: call.now)
        return PackFiles.reference(to: media)
    }

    /// A file that an editor of the study has uploaded before.
    private static func stored(
        _ digest: String, at path: String, _ context: ServerContext, _ call: Call<Identity>
    ) async throws -> String {
        func fault(_ detail: String) -> Fault {
            Fault(pointer: "/sha256", code: "not_a_value", detail: detail)
        }
        guard PackPath.isLibraryMedia(path) else {
            throw fault("Only a file in library/media can refer to a stored file.")
        }
        guard
            let found = try await context.store.renewMedia(digest, of: try call.text("study"), now: call.now),
            let format = MediaFormat.allCases.first(where: { $0.mediaType == found.mediaType })
        else { throw fault("The study has no such file.") }
        guard MediaInspection.format(ofName: path) == format else {
            throw Problem(
                .mediaTypeUnsupported,
                "The content of the file is \(format.mediaType); its name has another ending.")
        }
        guard found.byteCount <= PackFiles.maximumFileBytes else {
            return PackFiles.reference(
                to: ContentMedia(digest: digest, format: format, byteCount: found.byteCount))
        }
        return PackFiles.encoded(
            Data(try await context.store.readMedia(digest, 0..<found.byteCount)))
    }

    private static let bodySchema = Schema.object([
        .optional("text", .string(), "The text of the file."),
        .optional("sha256", .string(maxLength: 64), "The digest of a stored picture, sound or film."),
    ])

    /// A pack as a zip archive: the folder of the packs below one folder.
    /// - Parameter folder: the name of this folder.
    static func archive(_ pack: PackFiles, in folder: String) throws -> [UInt8] {
        let stream = try ZipStream()
        var bytes: [UInt8] = []
        for path in sortedPaths(pack) {
            try stream.beginFile("\(folder)/\(path)")
            try stream.add(pack.bytes(path) ?? [])
            bytes += stream.takeBytes()
        }
        try stream.finish()
        return bytes + stream.takeBytes()
    }

    /// Writes such an archive while it is sent. Media to which the pack only refers are read from the database.
    static func write(
        _ pack: PackFiles, in folder: String, from store: Store, to writer: inout BodyWriter
    ) async throws {
        let stream = try ZipStream()
        for path in sortedPaths(pack) {
            try stream.beginFile("\(folder)/\(path)")
            guard let media = pack.reference(at: path) else {
                try stream.add(pack.bytes(path) ?? [])
                try await writer.write(stream.takeBytes())
                continue
            }
            var start = 0
            while start < media.byteCount {
                let bytes = try await store.readMedia(media.digest, start..<media.byteCount)
                guard !bytes.isEmpty else { throw Problem(.internalError) }
                try stream.add(bytes)
                try await writer.write(stream.takeBytes())
                start += bytes.count
            }
        }
        try stream.finish()
        try await writer.write(stream.takeBytes())
    }

    private static func sortedPaths(_ pack: PackFiles) -> [String] {
        pack.files.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    static let schema = Schema.named(
        "DraftFile",
        .object([
            .required("path", .string(), "The path of the file in the pack."),
            .required("text", .nullable(.string()), "The text; null for a picture, sound or film."),
            .required("media_type", .string(), "The media type by the name of the file."),
            .required("bytes", .integer(min: 0), "The size of the file."),
            .required("revision", .integer(min: 1), "The revision of the draft."),
            .required("faults", .array(of: PackFault.schema), "The faults in this file."),
        ]))
}
