import Foundation
import Testing

/// A running `Fixtures/smtp_server.py`. It ends with the test process.
final class SMTPTestServer: Sendable {
    let port: Int
    /// The file with the certificate of its authority. Empty without TLS.
    let caFile: String
    private let lines: AsyncStream<String>
    private let process: Process
    private let input: Pipe
    private let directory: URL

    /// A mail as parsed by Python's package `email`.
    struct Mail: Decodable {
        var sender: String
        var recipients: [String]
        var headers: [[String]]
        var from_name: String
        var to: String
        var date: String
        var content_type: String
        var text: String
        var html: String?
        var defects: [String]
        var longest_line: Int
        var is_ascii: Bool
        var is_encrypted: Bool
        var login: String?
        var hello: String

        func header(_ name: String) -> String? { headers.first { $0[0] == name }?[1] }
    }

    private struct Greeting: Decodable {
        var port: Int
        var ca: String?
    }

    init(_ arguments: String...) async throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "saunter-mail-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/smtp_server.py")
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let python = ProcessInfo.processInfo.environment["SAUNTER_TEST_PYTHON"] ?? "python3"
        process.arguments = [python, script.path, "--directory", directory.path] + arguments
        input = Pipe()
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        lines = Self.lines(of: output.fileHandleForReading)

        guard let line = await Self.next(lines) else {
            let errorText = String(
                decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            try FileManager.default.removeItem(at: directory)
            throw Unavailable(description: "the SMTP server of the tests did not start: \(errorText)")
        }
        let greeting = try JSONDecoder().decode(Greeting.self, from: Data(line.utf8))
        port = greeting.port
        caFile = greeting.ca ?? ""
    }

    struct Unavailable: Error, CustomStringConvertible {
        var description: String
    }

    /// The next mail that the server accepted.
    func mail() async throws -> Mail {
        let line = try #require(await Self.next(lines))
        return try JSONDecoder().decode(Mail.self, from: Data(line.utf8))
    }

    func stop() throws {
        try input.fileHandleForWriting.close()
        // A server that was started at the same moment may have inherited the pipe, so its end is not enough.
        process.terminate()
        process.waitUntilExit()
        try FileManager.default.removeItem(at: directory)
    }

    private static func next(_ lines: AsyncStream<String>) async -> String? {
        for await line in lines { return line }
        return nil
    }

    /// The lines of the file. A separate thread reads them, because reading blocks.
    private static func lines(of file: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            var buffer = Data()
            while true {
                let chunk = file.availableData
                guard !chunk.isEmpty else { return continuation.finish() }
                buffer += chunk
                while let end = buffer.firstIndex(of: 0x0A) {
                    continuation.yield(String(decoding: buffer[..<end], as: UTF8.self))
                    buffer = Data(buffer[(end + 1)...])
                }
            }
        }
        return stream
    }
}
