import Crypto
import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// The style sheets, scripts and icons of the web app. Each has the digest of its bytes in its address, so browsers
/// keep it for ever.
struct Assets: Sendable {
    private struct File: Sendable {
        let address: String
        let bytes: [UInt8]
        let contentType: String
        /// The names of the scripts that this script imports before it runs.
        let imports: Set<String>
    }

    private let files: [String: File]

    /// - Throws: an error of the file system, or an ``ImportFault``.
    init(_ source: WebFiles) throws {
        let sources = Dictionary(
            try source.assets().map { ($0.name, $0.bytes) }, uniquingKeysWith: { first, _ in first })
        var files: [String: File] = [:]
        for name in sources.keys.sorted() { try Self.add(name, from: sources, to: &files, importers: []) }
        self.files = files
    }

    /// An import of a script that does not exist, or that imports its importer.
    struct ImportFault: Error, CustomStringConvertible {
        let importer: String
        let name: String
        var description: String { "\(importer) cannot import \(name)" }
    }

    /// Adds a file after the scripts that it imports: an import such as `from "./rules.js"` becomes the address with
    /// the digest, so a page never runs two scripts of different releases.
    private static func add(
        _ name: String, from sources: [String: [UInt8]], to files: inout [String: File], importers: [String]
    ) throws {
        guard files[name] == nil, var bytes = sources[name] else { return }
        let parts = name.split(separator: ".")
        var first: Set<String> = []
        if parts.last == "css" || parts.last == "js" {
            bytes = Array(AssetText.compact(String(decoding: bytes, as: UTF8.self)).utf8)
        }
        if parts.last == "js" {
            var text = String(decoding: bytes, as: UTF8.self)
            first = Set(text.matches(of: /(?:from |import )"\.\/([a-z_]+\.js)"/).map { String($0.1) })
            let imports = /(?:from |import |import\()"\.\/([a-z_]+\.js)"/
            for imported in Set(text.matches(of: imports).map { String($0.1) }) {
                let path = importers + [name]
                guard sources[imported] != nil, !path.contains(imported) else {
                    throw ImportFault(importer: name, name: imported)
                }
                try add(imported, from: sources, to: &files, importers: path)
                text.replace("\"./\(imported)\"", with: "\"\(files[imported]?.address ?? "")\"")
            }
            bytes = Array(text.utf8)
        }
        let digest = Hex.encode(SHA256.hash(data: Data(bytes))).prefix(8)
        let type =
            parts.last == "css"
            ? "text/css; charset=utf-8"
            : parts.last == "js"
                ? "text/javascript; charset=utf-8" : parts.last == "svg" ? "image/svg+xml" : "image/png"
        files[name] = File(
            address: "/assets/\(parts.dropLast().joined(separator: ".")).\(digest).\(parts.last ?? "")",
            bytes: bytes, contentType: type, imports: first)
    }

    /// The addresses of all scripts that these modules import, directly or not. A page names them, so that a browser
    /// loads them at once and not one after the other.
    func imports(of modules: [String]) -> [String] {
        var found: Set<String> = []
        var waiting = modules.map { $0 + ".js" }
        while let name = waiting.popLast() {
            for imported in files[name]?.imports ?? [] where found.insert(imported).inserted {
                waiting.append(imported)
            }
        }
        return found.subtracting(modules.map { $0 + ".js" }).map { self[$0] }.sorted()
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
            let address = "/assets/\(try request.path("file"))"
            if let sheet = AccentStyleSheet(address: address) {
                return .bytes(
                    Array(sheet.css.utf8), contentType: "text/css; charset=utf-8",
                    headers: [.cacheControl: "public, max-age=31536000, immutable"])
            }
            guard let file = byAddress[address] else { throw Problem(.notFound) }
            return .bytes(
                file.bytes, contentType: file.contentType,
                headers: [.cacheControl: "public, max-age=31536000, immutable"])
        }
    }
}
