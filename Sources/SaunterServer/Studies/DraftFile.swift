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
            return switch ending {
            case "png": "image/png"
            case "jpg", "jpeg": "image/jpeg"
            case "webp": "image/webp"
            case "gif": "image/gif"
            case "svg": "image/svg+xml"
            case "mp3": "audio/mpeg"
            case "m4a": "audio/mp4"
            case "ogg": "audio/ogg"
            case "mp4": "video/mp4"
            case "webm": "video/webm"
            default: "application/octet-stream"
            }
        }
        return switch ending {
        case "yaml": "application/yaml"
        case "md": "text/markdown"
        case "csv": "text/csv"
        default: "text/plain"
        }
    }

    /// The body of a request in the form of `PackFiles`: a JSON object with `text`, or bytes.
    /// - Throws: `body-unreadable`, `body-invalid`, `draft-invalid`.
    static func content(of path: String, _ call: Call<Identity>) throws -> String {
        let isJSON = BodyHeaders.mediaType(call.headers) == "application/json"
        guard isJSON || call.body.object != nil else {
            if PackPath.isMedia(path) { try checkMedia(path, call.rawBody) }
            do {
                return try PackFiles.content(of: path, Data(call.rawBody))
            } catch {
                throw Problem(draft: [error])
            }
        }
        let body = call.body.object != nil ? call.body : try JSONReader.read(call.rawBody)
        let faults = bodySchema.faults(in: body)
        guard faults.isEmpty, let text = body["text"]?.string else {
            throw Problem(.bodyInvalid, Faults(faults))
        }
        guard !PackPath.isMedia(path) else {
            throw Fault(
                pointer: "/text", code: "not_a_text", detail: "Send the bytes as application/octet-stream.")
        }
        do {
            return try PackFiles.content(of: path, Data(text.utf8))
        } catch {
            throw Problem(draft: [error])
        }
    }

    /// Checks that a file is the picture, sound or film that its name claims.
    /// - Throws: `body-too-large`, `media-type-unsupported`, `draft-invalid`.
    private static func checkMedia(_ path: String, _ bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= PackFiles.maximumFileBytes else {
            throw Problem(.bodyTooLarge, "A media file of a pack has at most 1 MiB.")
        }
        do throws(MediaInspection.Fault) {
            _ = try MediaInspection.format(of: bytes, name: path)
        } catch {
            switch error {
            case .format:
                throw Problem(
                    .mediaTypeUnsupported,
                    "The file is no PNG, JPEG or WebP picture, MP3, Ogg, WAV or M4A sound, or MP4 or WebM film."
                )
            case .ending(let format):
                throw Problem(
                    .mediaTypeUnsupported,
                    "The content of the file is \(format.mediaType); its name has another ending.")
            case .mixed:
                throw Problem(
                    .mediaTypeUnsupported, "The file also contains a page, a script or an archive.")
            case .pixels:
                let most = MediaInspection.maximumPixels / 1_000_000
                throw Problem(draft: [
                    PackFault(
                        file: path, line: 1, message: "the picture has more than \(most) million pixels")
                ])
            }
        }
    }

    private static let bodySchema = Schema.object([.required("text", .string(), "The text of the file.")])

    /// A pack as a zip archive: the folder of the packs below one folder.
    /// - Parameter folder: the name of this folder.
    static func archive(_ pack: PackFiles, in folder: String) throws -> [UInt8] {
        let stream = try ZipStream()
        var bytes: [UInt8] = []
        for path in pack.files.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            try stream.beginFile("\(folder)/\(path)")
            try stream.add(pack.bytes(path) ?? [])
            bytes += stream.takeBytes()
        }
        try stream.finish()
        return bytes + stream.takeBytes()
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
