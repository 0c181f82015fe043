import Foundation

/// The result of one run of the built program `saunter`.
struct CommandRun: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// Runs the program until it ends.
    /// - Parameter environment: the complete environment except `PATH`, so that the environment of the developer has no
    ///   effect.
    static func saunter(
        _ arguments: [String], environment: [String: String] = [:], in directory: String = "/"
    ) async throws -> CommandRun {
        try await withCheckedThrowingContinuation { continuation in
            // Waiting for a process must not block a thread that other tests need.
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result { try CommandRun(arguments, environment: environment, in: directory) })
            }
        }
    }

    private init(_ arguments: [String], environment: [String: String], in directory: String) throws {
        let process = Process.saunter(arguments, environment: environment, in: directory)
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Both pipes are read concurrently, because a full pipe would block the program forever.
        let errorText = PipeText(errors)
        self.output = PipeText(output).wait()
        self.errors = errorText.wait()
        process.waitUntilExit()
        status = process.terminationStatus
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

extension Process {
    /// The built program, before its start, without standard input.
    static func saunter(_ arguments: [String], environment: [String: String], in directory: String) -> Process
    {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"].merging(environment) { $1 }
        process.currentDirectoryURL = URL(filePath: directory)
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// The program `saunter` in the folder of the test bundle.
    private static var program: URL {
        Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
            .appending(path: "saunter")
            ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "saunter")
    }
}

/// The root of the source tree.
enum SourceTree {
    static let path = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        .replacingOccurrences(of: "//", with: "/")
    static let study = "\(path)/Questionnaires/studies/mindful-walking"
}

/// Reads a pipe to its end on a separate thread.
final class PipeText: Sendable {
    private nonisolated(unsafe) var data = Data()
    private let done = DispatchSemaphore(value: 0)

    init(_ pipe: Pipe) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            data = handle.readDataToEndOfFile()
            done.signal()
        }
    }

    func wait() -> String {
        done.wait()
        return String(decoding: data, as: UTF8.self)
    }
}
