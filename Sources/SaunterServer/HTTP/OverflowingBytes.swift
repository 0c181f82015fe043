import Foundation

/// Bytes on their way from whoever makes them to whoever sends them. The maker never waits: what the sender does not take in time lies in a file that
/// nobody else sees and that goes with the process. A client that reads nothing before it has sent everything is served like any other.
actor OverflowingBytes {
    private static let inMemory = 256 * 1024

    private let directory: URL
    private var waiting: [UInt8] = []
    private var file: FileHandle?
    private var (written, read): (UInt64, UInt64) = (0, 0)
    private var isFinished = false
    private var fault: (any Error)?
    private var taker: CheckedContinuation<Void, Never>?

    /// - Parameter directory: made when it is needed.
    init(directory: URL) {
        self.directory = directory
    }

    /// Takes bytes to be sent.
    /// - Throws: what the disk says.
    func append(_ bytes: [UInt8]) throws {
        defer { wake() }
        if file == nil, waiting.count + bytes.count <= Self.inMemory {
            waiting += bytes
            return
        }
        let handle = try overflow()
        try handle.seek(toOffset: written)
        try handle.write(contentsOf: bytes)
        written += UInt64(bytes.count)
    }

    /// No further bytes come. What was taken is sent, then the sender learns of the fault.
    func finish(_ fault: (any Error)? = nil) {
        isFinished = true
        self.fault = fault
        wake()
    }

    /// Waits for bytes and gives some, in their order; nil at the end.
    func take() async throws -> [UInt8]? {
        while true {
            if !waiting.isEmpty {
                defer { waiting = [] }
                return waiting
            }
            if let file, read < written {
                try file.seek(toOffset: read)
                let piece = try file.read(upToCount: Self.inMemory) ?? Data()
                guard !piece.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
                read += UInt64(piece.count)
                return Array(piece)
            }
            if isFinished {
                if let fault { throw fault }
                return nil
            }
            await withCheckedContinuation { taker = $0 }
        }
    }

    /// What lies in memory is older than what lies in the file, and is taken first.
    private func overflow() throws -> FileHandle {
        if let file { return file }
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let url = directory.appending(path: UUID().uuidString)
        try Data().write(to: url, options: .withoutOverwriting)
        // Should the name stay, it stands in a folder of ours.
        defer { try? FileManager.default.removeItem(at: url) }
        let handle = try FileHandle(forUpdating: url)
        file = handle
        return handle
    }

    private func wake() {
        taker?.resume()
        taker = nil
    }
}
