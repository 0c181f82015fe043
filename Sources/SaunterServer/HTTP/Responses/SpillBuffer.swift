import Foundation

/// A queue of bytes between a producer and a sender. The producer never waits: bytes above 256 KiB that the sender has
/// not taken yet are written to a temporary file. So the server can also answer a client that reads nothing before it
/// has sent its complete request.
actor SpillBuffer {
    private static let maximumBytesInMemory = 256 * 1024

    private let directory: URL
    private var waiting: [UInt8] = []
    private var file: FileHandle?
    private var (written, read): (UInt64, UInt64) = (0, 0)
    private var isFinished = false
    private var fault: (any Error)?
    private var sender: CheckedContinuation<Void, Never>?

    /// - Parameter directory: for the temporary file. It is created if necessary.
    init(directory: URL) {
        self.directory = directory
    }

    /// Adds bytes.
    /// - Throws: an error of the file system.
    func append(_ bytes: [UInt8]) throws {
        defer { wakeSender() }
        if file == nil, waiting.count + bytes.count <= Self.maximumBytesInMemory {
            waiting += bytes
            return
        }
        let handle = try openFile()
        try handle.seek(toOffset: written)
        try handle.write(contentsOf: bytes)
        written += UInt64(bytes.count)
    }

    /// Records that no further bytes follow.
    /// - Parameter fault: the sender gets this error after all bytes.
    func finish(_ fault: (any Error)? = nil) {
        isFinished = true
        self.fault = fault
        wakeSender()
    }

    /// Waits for bytes, and returns some of them in their order; nil at the end.
    func next() async throws -> [UInt8]? {
        while true {
            // Bytes in memory are older than bytes in the file.
            if !waiting.isEmpty {
                defer { waiting = [] }
                return waiting
            }
            if let file, read < written {
                try file.seek(toOffset: read)
                let piece = try file.read(upToCount: Self.maximumBytesInMemory) ?? Data()
                guard !piece.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
                read += UInt64(piece.count)
                return Array(piece)
            }
            if isFinished {
                if let fault { throw fault }
                return nil
            }
            await withCheckedContinuation { sender = $0 }
        }
    }

    /// Opens the file and removes its name. The file system frees it when the process closes it or ends.
    private func openFile() throws -> FileHandle {
        if let file { return file }
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let url = directory.appending(path: UUID().uuidString)
        try Data().write(to: url, options: .withoutOverwriting)
        // If the name cannot be removed, the file stays in a directory that only this user can read.
        defer { try? FileManager.default.removeItem(at: url) }
        let handle = try FileHandle(forUpdating: url)
        file = handle
        return handle
    }

    private func wakeSender() {
        sender?.resume()
        sender = nil
    }
}
