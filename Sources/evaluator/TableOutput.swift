import Console
import Foundation

/// The destination of a table: standard output, or a file that gets its final name when it is complete.
struct TableOutput {
    private let path: String?
    private let partial: String?
    private let handle: FileHandle

    /// - Parameter path: nil and `-` are standard output.
    init(_ path: String?) throws {
        guard let path, path != "-" else {
            self.path = nil
            partial = nil
            handle = .standardOutput
            return
        }
        let url = URL(filePath: path)
        let partial = url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent).partial")
            .path
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let handle = FileHandle(forWritingAtPath: partial)
        else { throw CommandFault("\(path) cannot be written") }
        self.path = path
        self.partial = partial
        self.handle = handle
    }

    /// Runs the body, which gets a function that writes bytes. If the body succeeds, the file gets its final name.
    /// Otherwise an existing file stays unchanged.
    func write<Result>(_ body: (([UInt8]) throws -> Void) throws -> Result) throws -> Result {
        do {
            let result = try body { try handle.write(contentsOf: $0) }
            guard let path, let partial else { return result }
            try handle.synchronize()
            try handle.close()
            guard rename(partial, path) == 0 else { throw CommandFault("\(path) cannot be written") }
            return result
        } catch {
            // If the removal fails too, the remaining file has the name of a partial file.
            if let partial { try? FileManager.default.removeItem(atPath: partial) }
            throw error
        }
    }
}
