import ArgumentParser
import Console
import Foundation
import Logging
import PrivateCluster
import SaunterCore
import SaunterStore

/// Lists erased people, and erases them again after an earlier state of the database was restored.
struct Erasures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List erased people, or erase them again in a restored database.",
        discussion: """
            Without --again the command prints one line of JSON for each erased person: the day and a digest. The digest identifies \
            the person in an earlier state of this database, but it does not reveal who the person is. Keep the list separate from \
            the database. Before a restore, create a new list if the database can still be read.

            A restored database contains people who were erased after the backup was made. With --again the command erases them in \
            the same way as the first time. It changes no other data, and is idempotent. Run it before a server starts. Several \
            lists can be concatenated.

            Examples:
              saunter erasures > erasures.jsonl
              saunter erasures --again erasures.jsonl --data-dir ./new
            """)

    @Option(help: "A list that this command has written: erase the people in the list again.") var again:
        String?
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON; a list is JSON in any case.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        guard let again else {
            return try await StoreSession(settings: settings, user: .command, logger: logger).run(list)
        }
        // The complete list is read before anyone is erased.
        let erasures = try ErasureList.read(again)
        // Uses the data directory as a server does, so that no other process can use it meanwhile.
        let (accounts, enrolments) = try await StoreSession(
            settings: settings, user: .server, logger: logger
        )
        .run { store in try await store.eraseAgain(erasures, now: .current()) }
        if json {
            let counts: JSON = [
                "listed": .int(erasures.count), "accounts": .int(accounts), "enrolments": .int(enrolments),
            ]
            Terminal.line(counts.text)
        } else {
            Terminal.line(
                "\(again): \(erasures.count) listed; erased again: \(accounts) accounts with all their data, and \(enrolments) enrolments of other accounts"
            )
        }
    }

    private func list(_ store: Store) async throws {
        var after = ""
        while true {
            let page = try await store.listErasures(after: after)
            guard let last = page.last else { return }
            for erasure in page { Terminal.line(ErasureList.line(erasure)) }
            after = last.ref
        }
    }
}

/// The file format of `saunter erasures`: one line of JSON for each erasure.
enum ErasureList {
    static func line(_ erasure: Erasure) -> String {
        let line: JSON = [
            "kind": .string(erasure.kind.rawValue), "ref": .string(erasure.ref),
            "erased_on": .string(erasure.erasedOn.description),
        ]
        return line.text
    }

    /// - Throws: `CommandFault` with the number of the first invalid line.
    static func read(_ path: String) throws -> [Erasure] {
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        } catch {
            throw CommandFault("\(path) cannot be read")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        return try lines.filter { !$0.element.isEmpty }.map { number, line in
            guard let erasure = erasure(line) else {
                throw CommandFault(
                    "\(path):\(number + 1): this line was not written by saunter erasures; nothing was erased"
                )
            }
            return erasure
        }
    }

    private static func erasure(_ line: Substring) -> Erasure? {
        guard let json = try? JSONReader.read(String(line)), let kind = json["kind"]?.string,
            let kind = Erasure.Kind(rawValue: kind), let ref = json["ref"]?.string, ref.utf8.count == 32,
            ref.allSatisfy({ $0.isHexDigit && !$0.isUppercase }),
            let day = json["erased_on"]?.string.flatMap({ LocalDate($0) })
        else { return nil }
        return Erasure(kind: kind, ref: ref, erasedOn: day)
    }
}
