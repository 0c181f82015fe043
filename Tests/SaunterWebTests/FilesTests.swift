import Foundation
import Testing

@testable import SaunterWeb

/// The embedded files of the web app.
struct FilesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/SaunterWeb")

    private static func names(in folder: String) throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appending(path: folder).path())
        return Set(files.filter { !$0.hasPrefix(".") })
    }

    @Test func `every template of the folder is listed, and can be read`() throws {
        let listed = Set(Templates.embedded.map { "\($0.name).mustache" })
        #expect(try listed == Self.names(in: "templates"))
        _ = try Templates.library(WebFiles(folder: nil))
    }

    @Test func `every asset of the folder is listed`() throws {
        #expect(try Set(Assets.embedded.map(\.name)) == Self.names(in: "assets"))
    }

    @Test func `all languages have the same words with the same placeholders`() throws {
        let words = try Words(WebFiles(folder: nil))
        let first = try #require(words.languages.first)
        for language in words.languages.dropFirst() {
            #expect(Set(language.texts.keys) == Set(first.texts.keys))
            for (section, texts) in first.texts {
                #expect(Set((language.texts[section] ?? [:]).keys) == Set(texts.keys), "\(section)")
                for (name, text) in texts {
                    let other = language.texts[section]?[name] ?? ""
                    #expect(Self.placeholders(text) == Self.placeholders(other), "\(section).\(name)")
                }
            }
        }
    }

    private static func placeholders(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{[a-z_]+\}/).map { String($0.output) })
    }

    @Test func `every word that a template names exists`() throws {
        let words = try #require(try Words(WebFiles(folder: nil)).languages.first)
        for (name, bytes) in Templates.embedded {
            let template = String(decoding: bytes, as: UTF8.self)
            for match in template.matches(of: /\{\{w\.([a-z_]+)\.([a-z_]+)\}\}/) {
                #expect(words[String(match.1), String(match.2)] != nil, "\(name): \(match.0)")
            }
        }
    }

    @Test func `text is inserted without escaping only for content, figures and Markdown`() {
        let permitted: Set<String> = [
            "content", "consent", "svg", "rules", "card_html", "cells_html", "introduction_html",
        ]
        for (name, bytes) in Templates.embedded {
            let template = String(decoding: bytes, as: UTF8.self)
            for match in template.matches(of: /\{\{\{([^}]*)\}\}\}/) {
                #expect(permitted.contains(String(match.1)), "\(name): \(match.0)")
            }
            #expect(!template.contains("{{&"))
        }
    }
}
