import Foundation
import SaunterCore
import SaunterStore

/// The folder with this server's datasets, finished and in progress. Datasets contain answers, so a file without a job
/// in the database must not stay.
struct ExportFolder: Sendable {
    let url: URL

    init(dataDirectory: String) {
        url = URL(filePath: dataDirectory, directoryHint: .isDirectory)
            .appending(path: "exports", directoryHint: .isDirectory)
    }

    /// The finished dataset of a job. The file gets this name only after it is complete.
    func file(of id: ExportID) -> URL { url.appending(path: "\(id).zip") }

    /// The zip file in progress.
    func unfinished(_ id: ExportID) -> URL { url.appending(path: "\(id).part") }

    /// The folder with the tables in progress.
    func work(_ id: ExportID) -> URL { url.appending(path: "\(id).work", directoryHint: .isDirectory) }

    /// Whether this server has the finished dataset of the job.
    func has(_ id: ExportID) -> Bool {
        FileManager.default.fileExists(atPath: file(of: id).path(percentEncoded: false))
    }

    /// Creates the folder, readable only by the server's user.
    func make() throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Removes all files of a job, including those that another process left.
    func clear(_ id: ExportID) throws {
        try remove { $0.contains(id.description) }
    }

    /// Removes all files without a job. A process that stopped while it wrote or deleted leaves such files, and so does
    /// a job that another server ended.
    /// - Parameter jobs: the jobs whose files stay. Files in progress stay only if their job is running.
    func clear(keeping jobs: [(id: ExportID, isRunning: Bool)]) throws {
        try remove { name in
            !jobs.contains { name == "\($0.id).zip" || ($0.isRunning && name.contains($0.id.description)) }
        }
    }

    /// Removes the files whose names match. A file that no longer exists is not an error.
    /// - Throws: other errors of the file system.
    func remove(where matches: (String) -> Bool) throws {
        for name in try contents() where matches(name) {
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
