import Foundation

/// The folder in which a dataset is written. It has a temporary name until all files are complete and flushed to disk,
/// so a folder with the final name is always complete.
struct DatasetDirectory {
    let destination: URL
    let staging: URL
    private(set) var files: [DatasetFile] = []

    /// - Parameter folders: subfolders to create.
    /// - Throws: `DatasetFault.directoryInUse` if the destination is not empty.
    init(_ path: String, folders: [String] = ["data", "meta/instruments", "load"]) throws {
        destination = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
        let name = destination.lastPathComponent
        staging = destination.deletingLastPathComponent()
            .appending(
                path: ".\(name).partial-\(ProcessInfo.processInfo.processIdentifier)",
                directoryHint: .isDirectory)
        try Self.checkIsFree(destination)
        try FileManager.default.createDirectory(
            at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
        // The folder of an earlier process with the same number that was killed.
        try Self.remove(staging)
        try Self.createFolder(staging)
        for folder in folders { try Self.createFolder(staging.appending(path: folder)) }
    }

    /// Writes the files of a table. `body` passes the pieces that the table's `COPY` command sends to `TableFiles`.
    mutating func write(
        _ table: Table, of snapshot: DatasetSnapshot,
        _ body: nonisolated(nonsending) (inout TableFiles) async throws -> Void
    ) async throws {
        var written = try TableFiles(table, of: snapshot, in: staging)
        try await body(&written)
        files += try written.close()
    }

    /// Writes a file that is not a table in pieces. Creates its folder if necessary.
    mutating func write(_ path: String, _ body: (inout OutputFile) throws -> Void) throws {
        let url = staging.appending(path: path)
        try Self.createFolder(url.deletingLastPathComponent())
        var file = try OutputFile(path: path, at: url, isTable: false)
        try body(&file)
        files.append(try file.close())
    }

    /// Adds a file that `body` writes at the given URL. Creates its folder if necessary.
    mutating func writeFile(_ path: String, _ body: (URL) throws -> Void) throws {
        let url = staging.appending(path: path)
        try Self.createFolder(url.deletingLastPathComponent())
        try body(url)
        files.append(try DatasetFile(reading: url, as: path))
    }

    /// Writes a complete file.
    mutating func write(_ path: String, _ bytes: [UInt8], isTable: Bool = false) throws {
        var file = try OutputFile(path: path, at: staging.appending(path: path), isTable: isTable)
        try file.write(bytes)
        files.append(try file.close())
    }

    /// Renames the folder to its final name.
    func finish() throws {
        try Self.checkIsFree(destination)
        try Self.remove(destination)
        try FileManager.default.moveItem(at: staging, to: destination)
    }

    /// Removes the folder after an error.
    func abandon() {
        // The error is reported by the caller. Files that cannot be removed keep the temporary name.
        try? Self.remove(staging)
    }

    /// Creates a folder that only this user can open, and the folders above it.
    private static func createFolder(_ url: URL) throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private static func checkIsFree(_ url: URL) throws {
        do {
            let found = try FileManager.default.contentsOfDirectory(atPath: url.path)
            guard found.isEmpty else { throw DatasetFault.directoryInUse(url.path) }
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return
        }
    }

    private static func remove(_ url: URL) throws {
        do {
            try FileManager.default.removeItem(at: url)
        } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
            return
        }
    }
}
