import ArgumentParser
import Foundation
import SaunterCohort
import SaunterCore
import SaunterRecordings

/// Recordings of watches and phones become walks.
struct ImportWalk: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn recordings (TCX, GPX, FIT, HealthKit's export.xml) into walks.",
        discussion: """
            Prints each walk as the API takes it, one a line, or hands them in. The same recording always gets the same walk id, so \
            handing it in again changes nothing. An export of HealthKit may be gigabytes: it is read twice and never held.

            Example: saunter import-walk morning.tcx --zone Europe/Berlin
            Example: saunter import-walk export.xml --since 2026-11-01T00:00:00Z --zone Europe/Berlin
            Example: saunter import-walk morning.fit --zone Europe/Berlin --url http://127.0.0.1:8080 \
            --enrolment 0198… --token-file token.txt
            """)

    @Argument(help: "Files of the kinds TCX, GPX, FIT and HealthKit's export.xml.")
    var files: [String]
    @Option(help: "The time zone that the participant was in.", transform: zone)
    var zone = Zone.utc
    @Option(help: "Leave out walks that began before this moment.", transform: moment)
    var since: Instant?
    @Option(help: "A server to hand them in to.")
    var url: String?
    @Option(help: "The enrolment that walked.")
    var enrolment: String?
    @Option(help: "The participant's access token; better in --token-file, because others can see commands.")
    var token: String?
    @Option(help: "A file that holds the access token.")
    var tokenFile: String?

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("name a file") }
        guard url != nil else { return }
        guard enrolment.flatMap({ EnrolmentID($0) }) != nil else {
            throw ValidationError("--url needs --enrolment with an enrolment's id")
        }
        guard (token == nil) != (tokenFile == nil) else {
            throw ValidationError("--url needs --token or --token-file")
        }
    }

    func run() async throws {
        for file in files {
            let recording: Recording
            do {
                recording = try Recording(.file(file))
            } catch {
                throw CommandFault("\(file): \(error)")
            }
            for remark in recording.remarks { Terminal.note("\(file): \(remark)") }
            for walk in recording.walks where since.map({ $0 <= walk.startedAt }) ?? true {
                Terminal.line(try await result(of: walk).text)
            }
        }
    }

    /// The walk itself, or what the server answers to it.
    private func result(of walk: RecordedWalk) async throws -> JSON {
        let body = walk.json(zone: zone)
        guard let url, let enrolment else { return body }
        return try await ServerClient(url: String(url.reversed().drop { $0 == "/" }.reversed()))
            .demand(
                "PUT", "/v1/enrolments/\(enrolment)/walks/\(walk.id)", token: try accessToken(), body: body
            ).json
    }

    /// Checked here: what a wrong file holds must not come back in an error.
    private func accessToken() throws -> String {
        let given = try token ?? String(decoding: read(tokenFile ?? "", atMost: 65_536), as: UTF8.self)
        let text = given.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...4096).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw CommandFault("\(tokenFile ?? "--token") holds no access token")
        }
        return text
    }

    private func read(_ path: String, atMost limit: Int) throws -> Data {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: limit + 1) ?? Data()
        else { throw CommandFault("\(path) cannot be read") }
        guard data.count <= limit else { throw CommandFault("\(path) is larger than \(limit >> 10) KiB") }
        return data
    }

    @Sendable private static func zone(_ text: String) throws -> Zone {
        guard let zone = Zone(text) else {
            throw ValidationError("\(text) is not a zone of the time zone database")
        }
        return zone
    }

    @Sendable private static func moment(_ text: String) throws -> Instant {
        guard let moment = Instant(text) else {
            throw ValidationError("\(text) is not a moment such as 2026-11-01T00:00:00Z")
        }
        return moment
    }
}
