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
            handing it in again changes nothing, even in another zone or when a later export holds more of it: what is stored stands. A walk that \
            is refused is told and keeps no other back; then the command ends with status 1. An export of HealthKit may be gigabytes: it is read twice and never held.

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

    /// The walk itself, or what the server answers to it.
    /// - Throws: `WalkRefused` for what concerns this walk alone; anything else would meet the next one too.
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
                "\(file): the walk of \(walk.startedAt) was handed in before; what is stored stands")
            let held = try await client.send("GET", path, token: token)
            guard held.isSuccess || held.status == 404 else {
                throw ServerRefusal(request: "GET \(path)", reply: held)
            }
            return Self.receipt(of: walk, held)
        }
        let refusal = ServerRefusal(request: "PUT \(path)", reply: reply)
        if [409, 413, 422].contains(reply.status) { throw WalkRefused(refusal: refusal) }
        throw refusal
    }

    /// What the server says of a walk that it holds already, without what was measured; of one that its participant deleted it says nothing.
    private static func receipt(of walk: RecordedWalk, _ held: ServerReply) -> JSON {
        var receipt: JSONObject = ["walk_id": .string(walk.id.description)]
        if held.isSuccess {
            for name in ["started_at", "ended_at", "received_at", "calibration_id", "flags", "summary"] {
                if let value = held.json[name] { receipt[name] = value }
            }
        }
        receipt["replayed"] = .bool(true)
        return .object(receipt)
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

/// A walk that the server does not take, whatever becomes of others.
private struct WalkRefused: Error, CustomStringConvertible {
    let refusal: ServerRefusal

    var description: String { refusal.description }
}
