import Foundation

/// One run of the built `saunter`, as a person would start it.
struct CommandRun {
    let status: Int32
    let output: String
    let errors: String

    /// Runs the program that stands beside the tests and waits for its end.
    /// - Parameter environment: all of it, but for `PATH`: nothing of the tester's own may leak in.
    init(_ arguments: [String], environment: [String: String] = [:], in directory: String? = nil) throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"].merging(environment) { $1 }
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Both are read at once, or a full pipe would stop the program for ever.
        let late = LateText(errors.fileHandleForReading)
        self.output = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        self.errors = late.wait()
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// `saunter` in the folder that the tests were built into.
    static var program: URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "saunter")
    }

    /// The root of the source tree.
    static var tree: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }
}

/// Reads a pipe to its end on a thread of its own.
private final class LateText: Sendable {
    private nonisolated(unsafe) var text = ""
    private let done = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
        Thread.detachNewThread { [self] in
            text = String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
            done.signal()
        }
    }

    func wait() -> String {
        done.wait()
        return text
    }
}
