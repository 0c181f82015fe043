import Foundation
import Testing

/// Golden files: reviewed texts that are compared byte by byte. With `SAUNTER_GOLDEN=write` the tests
/// rewrite them, so that the differences can be reviewed.
enum Golden {
    static func expect(_ bytes: Data, _ name: String) throws {
        let file = URL(filePath: Garden.folder + "/Golden/" + name)
        if ProcessInfo.processInfo.environment["SAUNTER_GOLDEN"] == "write" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: file)
        }
        let golden = try Data(contentsOf: file)
        #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: golden, as: UTF8.self), "\(name)")
        #expect(bytes == golden, "\(name)")
    }
}

/// Runs programs in other languages that read a dataset.
enum Program {
    struct Outcome {
        let status: Int32
        let output: String
    }

    /// Standard output and standard error together.
    static func run(_ path: String, _ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [path] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }

    /// The bytes of standard output.
    static func output(_ path: String, _ arguments: [String]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [path] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(path) failed")
        return Array(output)
    }

    static var python: String { ProcessInfo.processInfo.environment["SAUNTER_TEST_PYTHON"] ?? "python3" }
}
