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
        /// The names of the files that this script imports before it runs.
        let imports: Set<String>
    }

    private let files: [String: File]
    private let scripts: ScriptFiles

    /// - Throws: an error of the file system, or a ``ScriptFiles/ImportFault``.
    init(_ source: WebFiles, _ words: Words) throws {
        var texts: [String: String] = [:]
        var contents: [String: [UInt8]] = [:]
        for (name, bytes) in try source.assets() {
            if name.hasSuffix(".js") {
                texts[name] = AssetText.compact(String(decoding: bytes, as: UTF8.self))
            } else if name.hasSuffix(".css") {
                texts[name] = AssetText.compactStyles(String(decoding: bytes, as: UTF8.self))
            } else {
                contents[name] = bytes
            }
        }
        for language in words.languages { texts[language.scriptName] = language.script }
        scripts = try ScriptFiles(texts.filter { $0.key.hasSuffix(".js") })
        let styles = texts.filter { $0.key.hasSuffix(".css") }
        for (name, text) in try scripts.texts().merging(styles, uniquingKeysWith: { first, _ in first }) {
            contents[name] = Array(text.utf8)
        }
        files = Self.files(contents)
    }

    /// Gives each file its address. The address of a script also depends on all scripts that it imports, directly or
    /// not, so a page never runs two scripts of different releases. Two scripts may load each other.
    private static func files(_ contents: [String: [UInt8]]) -> [String: File] {
        let named = contents.filter { $0.key.hasSuffix(".js") }.mapValues { bytes in
            Set(
                String(decoding: bytes, as: UTF8.self).matches(of: /"\.\/([a-z_]+\.js)"/).map {
                    String($0.output.1)
                })
        }
        let addresses = Dictionary(
            uniqueKeysWithValues: contents.keys.map { name in
                var digest = SHA256()
                for other in reachable(from: name, named).sorted() {
                    digest.update(data: Data(other.utf8 + [0] + (contents[other] ?? [])))
                }
                let parts = name.split(separator: ".")
                let hex = Hex.encode(digest.finalize()).prefix(8)
                let stem = parts.dropLast().joined(separator: ".")
                return (name, "/assets/\(stem).\(hex).\(parts.last ?? "")")
            })
        return Dictionary(
            uniqueKeysWithValues: contents.map { name, bytes in
                var bytes = bytes
                var imports: Set<String> = []
                if let others = named[name] {
                    var text = String(decoding: bytes, as: UTF8.self)
                    imports = ScriptFiles.imports(in: text)
                    for other in others {
                        text.replace("\"./\(other)\"", with: "\"\(addresses[other] ?? "")\"")
                    }
                    bytes = Array(text.utf8)
                }
                let file = File(
                    address: addresses[name] ?? "", bytes: bytes, contentType: contentType(of: name),
                    imports: imports)
                return (name, file)
            })
    }

    private static func reachable(from name: String, _ named: [String: Set<String>]) -> Set<String> {
        var found: Set = [name]
        var waiting = [name]
        while let next = waiting.popLast() {
            for other in named[next] ?? [] where found.insert(other).inserted { waiting.append(other) }
        }
        return found
    }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "image/png"
        }
    }

    /// The addresses of all files that these modules import, directly or not. A page names them, so that a browser
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

    /// The address of a file, or of the file that has a script; empty if there is no such file.
    subscript(name: String) -> String { files[scripts.file(of: name)]?.address ?? "" }

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
