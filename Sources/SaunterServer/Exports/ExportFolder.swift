import Foundation
import SaunterCore
import SaunterStore

/// Where the finished datasets of this server lie, and those that it is making. They hold answers, so nothing may stay that the table of jobs does not
/// stand for.
struct ExportFolder: Sendable {
    let url: URL

    init(dataDirectory: String) {
        url = URL(filePath: dataDirectory, directoryHint: .isDirectory)
            .appending(path: "exports", directoryHint: .isDirectory)
    }

    /// The finished dataset of a job; it has this name only once it is whole and on disk.
    func file(of id: ExportID) -> URL { url.appending(path: "\(id).zip") }

    /// The zip under way.
    func unfinished(_ id: ExportID) -> URL { url.appending(path: "\(id).part") }

    /// The tables under way.
    func work(_ id: ExportID) -> URL { url.appending(path: "\(id).work", directoryHint: .isDirectory) }

    func has(_ id: ExportID) -> Bool {
        FileManager.default.fileExists(atPath: file(of: id).path(percentEncoded: false))
    }

    func make() throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Everything of a job, whoever left it.
    func clear(_ id: ExportID) throws {
        try remove { $0.contains(id.description) }
    }

    /// What no job stands for any more: of a process that died while it wrote or before it could delete, and what another server let go.
    func clear(but jobs: [(id: ExportID, isRunning: Bool)]) throws {
        try remove { name in
            !jobs.contains { name == "\($0.id).zip" || ($0.isRunning && name.contains($0.id.description)) }
        }
    }

    /// - Throws: what the file system says, except that a file is gone already.
    func remove(where isWanted: (String) -> Bool) throws {
        for name in try contents() where isWanted(name) {
            do {
                try FileManager.default.removeItem(at: url.appending(path: name))
            } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
                continue
            }
        }
    }

    private func contents() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))
        } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
            return []
        }
    }
}
