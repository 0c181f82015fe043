import Foundation
import SaunterCore
import Testing

@testable import SaunterWeb

/// The audit of a study in words.
@Suite struct AuditPageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func words(_ code: String = "en") throws -> Words.Language {
        try Words(WebFiles(folder: nil)).language(accepting: code)
    }

    /// The texts of all files below a folder with this ending.
    private static func texts(in folder: String, ending: String) throws -> [String] {
        let files = try #require(
            FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == ending }.map {
            try String(contentsOf: $0, encoding: .utf8)
        }
    }

    /// Every action that the sources write to the audit. `export_` is the beginning of several actions.
    private static func actions() throws -> Set<String> {
        var found: Set<String> = []
        for text in try texts(in: "Sources", ending: "swift") where text.contains("udit") {
            // The argument of an entry, also in a conditional expression.
            let arguments = /AuditEntry\([^{}]*?\baction: ([^\n,]*)|\baction: ("[a-z_]+")/
            for match in text.matches(of: arguments) {
                let argument = match.output.1 ?? match.output.2 ?? ""
                for code in argument.matches(of: /"([a-z_]+)(?:"|\\\()/) {
                    found.insert(String(code.output.1))
                }
            }
            // The functions that make the entries of several routes.
            // The simple kind of boundary is also behind a full stop.
            let calls = /\b(?:audit|entry|auditEntry|record)\(\s*"([a-z]+_[a-z_]+|throttled)"/
                .wordBoundaryKind(.simple)
            for call in text.matches(of: calls) {
                found.insert(String(call.output.1))
            }
            for property in text.matches(of: /var auditAction: String \{([^}]*)\}/) {
                for code in property.output.1.matches(of: /"([a-z_]+)"/) {
                    found.insert(String(code.output.1))
                }
            }
        }
        for text in try texts(in: "sql/dataset", ending: "sql") {
            for row in text.matches(of: /insert into audit\.entry [^;]*?'system', '([a-z_]+)'/) {
                found.insert(String(row.output.1))
            }
        }
        return found
    }

    @Test func `every action that the sources write has words in every language`() throws {
        let actions = try Self.actions()

        #expect(actions.count >= 45, "the sources are searched")
        for known in ["unblinded", "data_kind_revoked", "sheet_purged", "webhook_set", "export_"] {
            #expect(actions.contains(known), "\(known)")
        }
        for language in try Words(WebFiles(folder: nil)).languages {
            let known = ["audit_action", "audit_server_action"].flatMap {
                (language.texts[$0] ?? [:]).keys
            }
            #expect(Set(known).count == known.count, "an action is in one list")
            for action in actions where !action.hasSuffix("_") {
                #expect(known.contains(action), "\(language.code): \(action)")
            }
            #expect(known.filter { $0.hasPrefix("export_") }.count == 5)
            // And no words are left of an action that nothing writes.
            for action in known where !action.hasPrefix("export_") {
                #expect(actions.contains(action), "\(language.code): \(action)")
            }
        }
    }

    @Test func `an entry names the account, and an unknown action by its code`() throws {
        let known = AuditEntryView(
            [
                "recorded_at": "2026-11-21T17:30:00.000Z", "actor_kind": "account",
                "actor_ref": "4be0643f1d98573b97cdca98a65347dd", "actor_name": "Rosa Field",
                "action": "unblinded", "enrolment_ref": "9f86d081884c7d659a2feaa0c55ad015",
                "request_id": nil, "detail": ["scope": "participant", "again": false, "arms": nil],
            ], try Self.words())
        let former = AuditEntryView(
            [
                "actor_kind": "account", "actor_ref": "4be0643f1d98573b97cdca98a65347dd", "actor_name": nil,
                "action": "not_yet_known", "detail": [:],
            ], try Self.words("de"))
        let nested = AuditEntryView(
            ["detail": ["filters": ["arms": nil, "formats": ["xlsx", "stata"], "from": "2026-11-01"]]],
            try Self.words())

        #expect(known.actor == "Rosa Field" && known.action == "Blinding broken")
        #expect(known.detail == "scope: participant · again: false" && known.enrolment == "9f86d081")
        #expect(former.actor == "Konto 4be0643f" && former.action == "not_yet_known")
        #expect(former.detail.isEmpty && former.request.isEmpty)
        #expect(nested.detail == "filters: (formats: xlsx, stata; from: 2026-11-01)")
    }
}
