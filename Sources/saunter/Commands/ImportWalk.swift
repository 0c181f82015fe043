import ArgumentParser
import Foundation
import SaunterCohort
import SaunterCore

/// A recording of a watch becomes a walk.
struct ImportWalk: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn a watch's recording (TCX or GPX) into a walk.",
        discussion: """
            Prints the walk as the API takes it, or hands it in. The same file always gets the same walk id, so handing it \
            in again changes nothing.

            Example: saunter import-walk morning.tcx --zone Europe/Berlin
            Example: saunter import-walk morning.tcx --zone Europe/Berlin --url http://127.0.0.1:8080 \
            --enrolment 0198… --token-file token.txt
            """)

    @Argument(help: "A file of the kind TCX or GPX.")
    var file: String
    @Option(help: "The time zone that the participant was in.", transform: zone)
    var zone = Zone.utc
    @Option(help: "A server to hand it in to.")
    var url: String?
    @Option(help: "The enrolment that walked.")
    var enrolment: String?
    @Option(help: "The participant's access token; better in --token-file, because others can see commands.")
    var token: String?
    @Option(help: "A file that holds the access token.")
    var tokenFile: String?

    func validate() throws {
        guard url != nil else { return }
        guard enrolment.flatMap({ EnrolmentID($0) }) != nil else {
            throw ValidationError("--url needs --enrolment with an enrolment's id")
        }
        guard (token == nil) != (tokenFile == nil) else {
            throw ValidationError("--url needs --token or --token-file")
        }
    }

    func run() async throws {
        let data = try read(file, atMost: 64 << 20)
        let walk = try recording(data)
        for remark in walk.remarks { Terminal.note("\(file): \(remark)") }
        let body = walk.json(zone: zone)
        guard let url, let enrolment else { return Terminal.line(body.text) }
        let path = "/v1/enrolments/\(enrolment)/walks/\(Self.id(of: walk))"
        let reply = try await ServerClient(url: String(url.reversed().drop { $0 == "/" }.reversed()))
            .demand("PUT", path, token: try accessToken(), body: body)
        Terminal.line(reply.json.text)
    }

    private func recording(_ data: Data) throws -> RecordedWalk {
        do {
            let root = try XMLElements.read(data)
            switch root.name {
            case "TrainingCenterDatabase": return try TCXRecording(root).walk()
            case "gpx": return try GPXRecording(root).walk()
            default: throw CommandFault("this is neither TCX nor GPX")
            }
        } catch let fault as CommandFault {
            throw CommandFault("\(file): \(fault)")
        }
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
        guard data.count <= limit else { throw CommandFault("\(path) is larger than \(limit >> 20) MiB") }
        return data
    }

    /// A UUID of version 7 whose random part follows from the recording.
    private static func id(of walk: RecordedWalk) -> String {
        let digest = walk.json(zone: .utc).digest.prefix(16)
        var numbers = SeededNumbers(seed: UInt64(digest, radix: 16) ?? 0)
        return numbers.uuid(at: walk.startedAt).uuidString.lowercased()
    }

    @Sendable private static func zone(_ text: String) throws -> Zone {
        guard let zone = Zone(text) else {
            throw ValidationError("\(text) is not a zone of the time zone database")
        }
        return zone
    }
}
