import Foundation
import Testing

/// Texts that were read once by a person and are compared byte by byte ever after. `SAUNTER_GOLDEN=write`
/// rewrites them, to be reviewed as a difference.
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

/// Runs programs of other languages, as a reader of a dataset would.
enum Program {
    struct Outcome {
        let status: Int32
        let output: String
    }

    /// Standard output and error together.
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

    static var python: String { ProcessInfo.processInfo.environment["SAUNTER_TEST_PYTHON"] ?? "python3" }
}
