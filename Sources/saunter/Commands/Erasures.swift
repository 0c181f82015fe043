import ArgumentParser
import Foundation
import Logging
import SaunterCore
import SaunterStore

/// Whoever was erased stays erased, also where the database goes back to an earlier state.
struct Erasures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List who was erased, or erase them once more in a database that was brought back.",
        discussion: """
            Without --again: a line of JSON for everybody who was erased, with the day and with a digest by which an earlier state of this \
            database knows them and from which nobody comes to a person. Keep the list apart from the database, and make it anew before \
            anything is brought back, if the database can still be read.

            A backup that is restored, or a database that PostgreSQL brought back, holds again whoever was erased since. With --again they \
            are erased as they were the first time; nobody else is touched, and doing it twice changes nothing. Do it before a server \
            starts. Lists may be joined one after the other.

            Examples:
              saunter erasures > erasures.jsonl
              saunter erasures --again erasures.jsonl --data-dir ./new
            """)

    @Option(help: "A file that this command wrote: erase everybody in it.") var again: String?
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON; a list is JSON in any case.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let logger = Logger.command(settings)
        guard let again else {
            return try await StoreUse(settings: settings, purpose: .command, logger: logger).run(list)
        }
        // All of it is read before anything is done.
        let erasures = try ErasureList.read(again)
        // As a server: nobody else may use the data directory meanwhile.
        let (accounts, enrolments) = try await StoreUse(settings: settings, purpose: .server, logger: logger)
            .run { store in try await store.eraseAgain(erasures, now: .current()) }
        if json {
            let counts: JSON = [
                "listed": .int(erasures.count), "accounts": .int(accounts), "enrolments": .int(enrolments),
            ]
            Terminal.line(counts.text)
        } else {
            Terminal.line(
                "\(again): \(erasures.count) listed, of whom were there again and are erased: \(accounts) accounts with all of theirs, and \(enrolments) enrolments of others"
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

/// The file of `saunter erasures`: a line of JSON for each.
enum ErasureList {
    static func line(_ erasure: Erasure) -> String {
        let line: JSON = [
            "kind": .string(erasure.kind.rawValue), "ref": .string(erasure.ref),
            "erased_on": .string(erasure.erasedOn.description),
        ]
        return line.text
    }

    /// - Throws: `CommandFault` with the number of the first line that is none of these.
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
                    "\(path):\(number + 1): this is no line of saunter erasures; nothing was erased")
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
