import Foundation

/// The folder in which a dataset is made. It has another name until everything is in it and on disk, so what
/// stands under the wanted name is always whole.
struct DatasetDirectory {
    let destination: URL
    let staging: URL
    private(set) var files: [DatasetFile] = []

    /// - Parameter folders: made within it.
    /// - Throws: `DatasetFault.directoryInUse` when the destination holds anything.
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
        // One that a killed process of the same number left behind.
        try Self.remove(staging)
        try FileManager.default.createDirectory(
            at: staging, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for folder in folders {
            try FileManager.default.createDirectory(
                at: staging.appending(path: folder), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
    }

    /// Writes the files of a table from the pieces of one CSV text.
    mutating func write(
        _ table: Table, of snapshot: DatasetSnapshot,
        _ body: nonisolated(nonsending) (inout TableFiles) async throws -> Void
    ) async throws {
        var written = try TableFiles(table, of: snapshot, in: staging)
        try await body(&written)
        files += try written.close()
    }

    /// Writes a file of no table piece by piece, its folder made where there is none.
    mutating func write(_ path: String, _ body: (inout OutputFile) throws -> Void) throws {
        let url = staging.appending(path: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        var file = try OutputFile(path: path, at: url, isTable: false)
        try body(&file)
        files.append(try file.close())
    }

    /// Takes up a file that something else writes at the place it is given.
    mutating func adopt(_ path: String, _ body: (URL) throws -> Void) throws {
        let url = staging.appending(path: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try body(url)
        files.append(try DatasetFile(reading: url, as: path))
    }

    /// Writes a file at once.
    mutating func write(_ path: String, _ bytes: [UInt8], isTable: Bool = false) throws {
        var file = try OutputFile(path: path, at: staging.appending(path: path), isTable: isTable)
        try file.write(bytes)
        files.append(try file.close())
    }

    /// Gives the folder its name.
    func finish() throws {
        try Self.checkIsFree(destination)
        try Self.remove(destination)
        try FileManager.default.moveItem(at: staging, to: destination)
    }

    /// Takes away what there is, after a failure.
    func abandon() {
        // The failure itself is what is reported; what could not be removed has the name of a partial
        // dataset.
        try? Self.remove(staging)
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
