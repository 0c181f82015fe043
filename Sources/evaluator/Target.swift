import Foundation

/// Where a table goes: standard output, or a file that has its name only when it is whole.
struct Target {
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
        else { throw UsageFault("\(path) cannot be written") }
        self.path = path
        self.partial = partial
        self.handle = handle
    }

    /// Runs the body, and keeps the file if what came of it is whole; else nothing is left and what was there
    /// before stays.
    func finish<Result>(
        _ body: ((([UInt8]) throws -> Void)) throws -> Result, isWhole: (Result) -> Bool
    ) throws -> Result {
        do {
            let result = try body { try handle.write(contentsOf: $0) }
            guard let path, let partial else { return result }
            try handle.synchronize()
            try handle.close()
            guard isWhole(result) else {
                try FileManager.default.removeItem(atPath: partial)
                return result
            }
            guard rename(partial, path) == 0 else { throw UsageFault("\(path) cannot be written") }
            return result
        } catch {
            // What was wrong is thrown; the remains have the name of a partial file.
            if let partial { try? FileManager.default.removeItem(atPath: partial) }
            throw error
        }
    }
}
