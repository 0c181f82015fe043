import ArgumentParser
import Console
import Foundation
import SaunterCohort
import SaunterCore
import SaunterRecordings

/// Converts recordings of watches and phones to walks.
struct ImportWalk: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Convert recordings (TCX, GPX, FIT, HealthKit's export.xml) to walks.",
        discussion: """
            Prints each walk in the format of the API, one per line, or submits the walks to a server. The same recording always \
            has the same walk id, so a second submission changes nothing, even with another zone or a longer export. The command \
            reports a rejected walk, submits the others, and ends with status 1. An export of HealthKit can have several gigabytes: \
            the command reads it as a stream, twice.

            Example: saunter import-walk morning.tcx --zone Europe/Berlin
            Example: saunter import-walk export.xml --since 2026-11-01T00:00:00Z --zone Europe/Berlin
            Example: saunter import-walk morning.fit --zone Europe/Berlin --url http://127.0.0.1:8080 \
            --enrolment 0198… --token-file token.txt
            """)

    @Argument(help: "Recordings in the formats TCX, GPX, FIT and HealthKit's export.xml.")
    var files: [String]
    @Option(help: "The time zone of the participant during the walk.", transform: ArgumentValue.zone)
    var zone = Zone.utc
    @Option(help: "Omit walks that began before this instant.", transform: ArgumentValue.instant)
    var since: Instant?
    @Option(help: "The server to which the walks are submitted.")
    var url: String?
    @Option(help: "The id of the enrolment of the participant.")
    var enrolment: String?
    @Option(
        help:
            "The participant's access token; --token-file is safer, because other users can see the command line."
    )
    var token: String?
    @Option(help: "A file that contains the access token.")
    var tokenFile: String?

    func validate() throws {
        guard url != nil else { return }
        guard enrolment.flatMap({ EnrolmentID($0) }) != nil else {
            throw ValidationError("--url needs --enrolment with the id of an enrolment")
        }
        guard (token == nil) != (tokenFile == nil) else {
            throw ValidationError("--url needs --token or --token-file")
        }
    }

    func run() async throws {
        var refused = 0
        for file in files {
            let recording: Recording
            do {
                recording = try Recording(.file(file))
            } catch {
                throw CommandFault("\(file): \(error)")
            }
            for remark in recording.remarks { Terminal.note("\(file): \(remark)") }
            for walk in recording.walks where since.map({ $0 <= walk.startedAt }) ?? true {
                do {
                    Terminal.line(try await result(of: walk, file).text)
                } catch let refusal as WalkRefused {
                    refused += 1
                    Terminal.error("\(file): the walk of \(walk.startedAt): \(refusal)")
                }
            }
        }
        if refused > 0 { throw ExitCode.failure }
    }

    /// The walk itself without a server, otherwise the response of the server.
    /// - Throws: `WalkRefused` for a fault of this walk; other errors would also affect the next walk.
    private func result(of walk: RecordedWalk, _ file: String) async throws -> JSON {
        let body = walk.json(zone: zone)
        guard let url, let enrolment else { return body }
        let client = ServerClient(url: String(url.reversed().drop { $0 == "/" }.reversed()))
        let path = "/v1/enrolments/\(enrolment)/walks/\(walk.id)"
        let token = try accessToken()
        let reply = try await client.send("PUT", path, token: token, body: body)
        if reply.isSuccess { return reply.json }
        if reply.problem == "id-reused" {
            Terminal.note(
                "\(file): the walk of \(walk.startedAt) was submitted before; the stored walk is unchanged")
            let stored = try await client.send("GET", path, token: token)
            guard stored.isSuccess || stored.status == 404 else {
                throw ServerRefusal(request: "GET \(path)", reply: stored)
            }
            return Self.receipt(of: walk, stored)
        }
        let refusal = ServerRefusal(request: "PUT \(path)", reply: reply)
        if [409, 413, 422].contains(reply.status) { throw WalkRefused(refusal: refusal) }
        throw refusal
    }

    /// The receipt of a walk that the server already has, without the measured values. If the participant has deleted
    /// the walk, the receipt contains only the id.
    private static func receipt(of walk: RecordedWalk, _ stored: ServerReply) -> JSON {
        var receipt: JSONObject = ["walk_id": .string(walk.id.description)]
        if stored.isSuccess {
            for name in [
                "started_at", "ended_at", "received_at", "sport", "calibration_id", "flags", "summary",
            ] {
                if let value = stored.json[name] { receipt[name] = value }
            }
        }
        receipt["replayed"] = .bool(true)
        return .object(receipt)
    }

    /// Reads and checks the token. The error does not quote the content, because a wrong file may contain a secret.
    private func accessToken() throws -> String {
        let given = try token ?? String(decoding: read(tokenFile ?? "", atMost: 65_536), as: UTF8.self)
        let text = given.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...4096).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw CommandFault("\(tokenFile ?? "--token") contains no access token")
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
}

/// The server rejected one walk. Other walks are not affected.
private struct WalkRefused: Error, CustomStringConvertible {
    let refusal: ServerRefusal

    var description: String { refusal.description }
}
