import Foundation
import SaunterTesting
import Synchronization

/// A server that runs in a separate process during a test.
final class RunningServer: Sendable {
    private let process: Process
    private let errors: ServerLog
    let url: String

    /// Starts a server. Returns when the server accepts requests.
    init(_ environment: [String: String], port: Int = RunningServer.freePort()) async throws {
        url = "http://127.0.0.1:\(port)"
        process = Process.saunter(
            ["serve", "--port", "\(port)", "--log-level", "notice"], environment: environment, in: "/")
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        errors = ServerLog(pipe)
        guard await errors.waitForLine(containing: "\"ready\"") else {
            throw TestingFault("the server did not start: \(errors.text)")
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Stops the server and returns its exit status.
    func stop(with signal: Int32 = SIGTERM) async -> Int32 {
        kill(process.processIdentifier, signal)
        // No line contains this text, so this waits until the server closes its log.
        _ = await errors.waitForLine(containing: "\u{0}")
        process.waitUntilExit()
        return process.terminationStatus
    }

    private static let reservedPorts = Mutex<Set<Int>>([])

    /// An unused port that no other test has received; the server of another test may not listen yet.
    static func freePort() -> Int {
        while true {
            let port = unusedPort()
            if reservedPorts.withLock({ $0.insert(port).inserted }) { return port }
        }
    }

    private static func unusedPort() -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// The log of a server, line by line.
private final class ServerLog: Sendable {
    private let log = Mutex("")
    private let lines: AsyncStream<String>

    init(_ pipe: Pipe) {
        let handle = pipe.fileHandleForReading
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        Thread.detachNewThread { [self] in
            var rest = Data()
            while true {
                let chunk = handle.availableData
                if chunk.isEmpty { break }
                rest.append(chunk)
                while let end = rest.firstIndex(of: 0x0A) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest.removeSubrange(...end)
                    log.withLock { $0 += line + "\n" }
                    continuation.yield(line)
                }
            }
            continuation.finish()
        }
    }

    var text: String { log.withLock { $0 } }

    /// Returns false if the program ends before it writes such a line.
    func waitForLine(containing text: String) async -> Bool {
        for await line in lines where line.contains(text) { return true }
        return false
    }
}
