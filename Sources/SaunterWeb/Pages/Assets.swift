import Crypto
import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// The style sheets and scripts of the web app. Each has the digest of its bytes in its address, so browsers keep it
/// for ever.
struct Assets: Sendable {
    private struct File: Sendable {
        let address: String
        let bytes: [UInt8]
        let contentType: String
    }

    private let files: [String: File]

    /// - Throws: an error of the file system.
    init(_ source: WebFiles) throws {
        var files: [String: File] = [:]
        for (name, bytes) in try source.assets() {
            let parts = name.split(separator: ".")
            let digest = Hex.encode(SHA256.hash(data: Data(bytes))).prefix(8)
            let type =
                parts.last == "css"
                ? "text/css; charset=utf-8"
                : parts.last == "js"
                    ? "text/javascript; charset=utf-8" : parts.last == "svg" ? "image/svg+xml" : "image/png"
            files[name] = File(
                address: "/assets/\(parts.dropLast().joined(separator: ".")).\(digest).\(parts.last ?? "")",
                bytes: bytes, contentType: type)
        }
        self.files = files
    }

    /// The address of a file; empty if there is no such file.
    subscript(name: String) -> String { files[name]?.address ?? "" }

    /// The text of a file; empty if there is no such file.
    func text(of name: String) -> String { String(decoding: files[name]?.bytes ?? [], as: UTF8.self) }

    /// The addresses by name, for templates: `base_css`.
    var addresses: [String: String] {
        Dictionary(
            files.map { ($0.key.replacing(".", with: "_").replacing("-", with: "_"), $0.value.address) },
            uniquingKeysWith: { first, _ in first })
    }

    /// All addresses, sorted.
    var all: [String] { files.values.map(\.address).sorted() }

    /// The route that serves the files.
    func route(_ context: PageContext) -> Route {
        let byAddress = Dictionary(
            files.values.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        return context.get("/assets/{file}") { request in
            guard let file = byAddress["/assets/\(try request.path("file"))"] else {
                throw Problem(.notFound)
            }
            return .bytes(
                file.bytes, contentType: file.contentType,
                headers: [.cacheControl: "public, max-age=31536000, immutable"])
        }
    }
}
